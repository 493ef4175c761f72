//! Which column of the file plays which part.

use std::collections::{BTreeMap, BTreeSet};

use oddsmith::data::{Kind, Role as KeyRole, Weighting};
use oddsmith::error::DataFault;
use oddsmith::{Error, ErrorKind, Result};

use crate::condition::RowFilter;
use crate::fault::Place;
use crate::options::{ReadOptions, Roles};
use crate::sniff::numbered_name;

/// The parts, as places of columns in the file.
#[derive(Debug, Clone)]
pub(crate) struct Plan {
    /// All column names in the order of the file.
    pub(crate) names: Vec<String>,
    /// The column to predict.
    pub(crate) target: Option<usize>,
    /// The column of weights.
    pub(crate) weight: Option<usize>,
    /// What weights mean.
    pub(crate) weighting: Weighting,
    /// The features in their order; keys stand last.
    pub(crate) features: Vec<usize>,
    /// What the keys are for, in their order.
    pub(crate) keys: Vec<KeyRole>,
    /// Which rows are read.
    pub(crate) filter: Option<RowFilter>,
}

impl Plan {
    /// Finds the columns that the roles name.
    pub(crate) fn new(names: &[String], roles: &Roles, options: &ReadOptions, place: &Place) -> Result<Plan> {
        let places = index(names);
        let find = |name: &String| places.get(name.as_str()).copied().ok_or_else(|| Error::from(unknown(name, names)));
        let target = roles.target.as_ref().map(find).transpose()?;
        let weight = roles.weight.as_ref().map(|(name, _)| find(name)).transpose()?;
        let excluded = roles.exclude.iter().map(find).collect::<Result<BTreeSet<usize>>>()?;
        for (name, kind) in &options.kinds {
            // Whoever says so of a target of numbers means that they are classes.
            if Some(find(name)?) == target && *kind != Kind::Category {
                return Err(Error::option("kind", name, "the target is always a category; its labels are kept as they are written"));
            }
        }
        for name in roles.order.levels.keys() {
            find(name)?;
        }
        if target.is_some() && target == weight {
            return Err(Error::option("weight", &names[target.unwrap_or(0)], "the target cannot be its own weight"));
        }
        let keys = roles.keys.iter().map(|(name, _)| find(name)).collect::<Result<Vec<usize>>>()?;
        for ((name, role), &column) in roles.keys.iter().zip(&keys) {
            if Some(column) == target || Some(column) == weight {
                let taken = if Some(column) == target { "target" } else { "weight" };
                return Err(Error::option(role.name(), name, format!("this column is the {taken}")));
            }
        }
        let mut features = match &roles.features {
            Some(chosen) => {
                let chosen = chosen.iter().map(find).collect::<Result<Vec<usize>>>()?;
                if let Some(&taken) = chosen.iter().find(|&&j| Some(j) == target || Some(j) == weight) {
                    let role = if Some(taken) == target { "target" } else { "weight" };
                    return Err(Error::option("features", &names[taken], format!("this column is the {role}")));
                }
                if let Some(at) = keys.iter().position(|key| chosen.contains(key)) {
                    let (name, role) = &roles.keys[at];
                    return Err(Error::option("features", name, format!("this column is the {}", role.name())));
                }
                chosen.into_iter().filter(|j| !excluded.contains(j)).collect()
            }
            None => {
                let taken = |j: &usize| Some(*j) == target || Some(*j) == weight || keys.contains(j) || excluded.contains(j);
                (0..names.len()).filter(|j| !taken(j)).collect::<Vec<_>>()
            }
        };
        // Whoever lists no column asks for the class proportions alone.
        if features.is_empty() && roles.features.as_ref().is_none_or(|chosen| !chosen.is_empty()) {
            return Err(place.fault(DataFault::new("there is no column to learn from").accepted("give at least one besides the target")));
        }
        let weighting = roles.weight.as_ref().map_or(Weighting::None, |(_, weighting)| *weighting);
        features.extend(&keys);
        let keys = roles.keys.iter().map(|(_, role)| *role).collect();
        let filter = options.condition.as_ref().map(|condition| RowFilter::new(condition, names)).transpose()?;
        Ok(Plan { names: names.to_vec(), target, weight, weighting, features, keys, filter })
    }

    /// All columns that play a part.
    pub(crate) fn used(&self) -> Vec<usize> {
        let judged = self.filter.iter().flat_map(RowFilter::columns);
        self.features.iter().copied().chain(self.target).chain(self.weight).chain(judged).collect()
    }

    /// What the feature at this place is the key of, where it is one.
    pub(crate) fn key(&self, at: usize) -> Option<KeyRole> {
        let features = self.features.len() - self.keys.len();
        at.checked_sub(features).and_then(|key| self.keys.get(key)).copied()
    }

    /// The name of a column.
    pub(crate) fn name(&self, column: usize) -> &str {
        &self.names[column]
    }
}

/// The place of every name.
pub(crate) fn index(names: &[String]) -> BTreeMap<&str, usize> {
    names.iter().enumerate().map(|(j, name)| (name.as_str(), j)).collect()
}

/// The fault of a name that no column has.
pub(crate) fn unknown(name: &str, names: &[String]) -> ErrorKind {
    ErrorKind::Unknown { noun: "column", name: name.into(), known: names.to_vec() }
}

/// Refuses repeated names, or numbers them; empty names become `column_3`.
pub(crate) fn settle_names(names: Vec<String>, dedup: bool, place: &Place) -> Result<Vec<String>> {
    let mut settled: Vec<String> = Vec::with_capacity(names.len());
    let mut seen = BTreeSet::new();
    for (j, name) in names.into_iter().enumerate() {
        let name = if name.is_empty() { numbered_name(j + 1) } else { name };
        let mut unique = name.clone();
        let mut copy = 2;
        while !seen.insert(unique.clone()) {
            if !dedup {
                return Err(place.fault(
                    DataFault::new("the column name appears twice").column(name).accepted("rename one, or number them with --dedup-names"),
                ));
            }
            unique = format!("{name}_{copy}");
            copy += 1;
        }
        settled.push(unique);
    }
    Ok(settled)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(roles: Roles, options: ReadOptions) -> String {
        let names = ["id", "age", "sex", "died", "w"].map(String::from);
        match Plan::new(&names, &roles, &options, &Place::named("a.csv")) {
            Ok(plan) => format!("{:?} {:?} {:?}", plan.target, plan.weight, plan.features),
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn features_are_what_has_no_other_part() {
        let roles = Roles { exclude: vec!["id".into()], weight: Some(("w".into(), Weighting::Frequency)), ..Roles::target("died") };
        assert_eq!(plan(roles, ReadOptions::default()), "Some(3) Some(4) [1, 2]");
        let roles = Roles { features: Some(vec!["sex".into(), "age".into()]), ..Roles::target("died") };
        assert_eq!(plan(roles, ReadOptions::default()), "Some(3) None [2, 1]");
    }

    #[test]
    fn wrong_roles_are_named() {
        assert_eq!(plan(Roles::target("dead"), ReadOptions::default()), "there is no column `dead`; did you mean `died`?");
        let all = ["id", "age", "sex", "w"].map(String::from).to_vec();
        let roles = Roles { exclude: all, ..Roles::target("died") };
        assert_eq!(plan(roles, ReadOptions::default()), "a.csv: there is no column to learn from; give at least one besides the target");
        let roles = Roles { features: Some(vec!["died".into()]), ..Roles::target("died") };
        assert_eq!(plan(roles, ReadOptions::default()), "features = died is not accepted: this column is the target");
        let kinds = [("died".to_owned(), oddsmith::data::Kind::Number)].into();
        let message = plan(Roles::target("died"), ReadOptions { kinds, ..ReadOptions::default() });
        assert_eq!(message, "kind = died is not accepted: the target is always a category; its labels are kept as they are written");
    }

    #[test]
    fn repeated_names_are_refused_or_numbered() {
        let names = ["a", "b", "a", "a", ""].map(String::from).to_vec();
        let error = settle_names(names.clone(), false, &Place::named("a.csv")).unwrap_err();
        assert_eq!(error.to_string(), "a.csv: column `a`: the column name appears twice; rename one, or number them with --dedup-names");
        assert_eq!(settle_names(names, true, &Place::named("a.csv")).unwrap(), ["a", "b", "a_2", "a_3", "column_5"]);
    }
}
