//! What a regression reads of a table: which columns, as which kinds, and what it predicts where that is no column of labels.

use std::collections::BTreeMap;

use crate::data::{Classes, Formula, Kind, Response};
use crate::error::{Error, Result};
use crate::model::linear::options::Logistic;

impl Logistic {
    /// The column of labels that the formula predicts, if there is one.
    pub(in crate::model::linear) fn label_column(&self) -> Option<&str> {
        match self.formula.as_ref().map(Formula::response) {
            Some(Response::Column(column)) => Some(&column.name),
            _ => None,
        }
    }

    /// The columns that are read beside the target; `None` when all are.
    pub(in crate::model::linear) fn columns_read(&self) -> Option<Vec<String>> {
        let formula = self.formula.as_ref().filter(|formula| !formula.has_dot())?;
        let mut columns = formula.columns();
        if self.label_column().is_none() {
            add_new(&mut columns, formula.response().columns());
        }
        add_new(&mut columns, self.reserved());
        Some(columns)
    }

    /// Kinds that the formula asks for, added where none was chosen.
    pub(in crate::model::linear) fn add_kinds(&self, kinds: &mut BTreeMap<String, Kind>) {
        let mut force = |names: Vec<String>, kind: Kind| {
            for name in names {
                kinds.entry(name).or_insert(kind);
            }
        };
        if let Some(formula) = &self.formula {
            force(formula.categories(), Kind::Category);
            force(formula.numbers(), Kind::Number);
        }
        force(self.reserved(), Kind::Number);
        force(self.keys().into_iter().map(|(name, _)| name).collect(), Kind::Category);
    }

    /// The name and the classes of a response that stands in columns and not in labels.
    pub(in crate::model::linear) fn response_in_columns(&self) -> Result<Option<(String, Classes)>> {
        if let Some(columns) = &self.class_proportions {
            if columns.len() < 2 {
                return Err(Error::option("class-proportions", columns.join(","), "one column per class, at least two"));
            }
            return Ok(Some(("class".into(), Classes::new(columns.clone())?)));
        }
        let Some(response) = self.formula.as_ref().map(Formula::response) else { return Ok(None) };
        let labels = match response {
            Response::None | Response::Column(_) => return Ok(None),
            Response::Grouped { successes, failures } => vec![failures.to_string(), successes.to_string()],
            Response::Proportion { successes, .. } => vec![format!("not {successes}"), successes.to_string()],
        };
        Ok(Some((response.to_string(), Classes::new(labels)?)))
    }
}

fn add_new(names: &mut Vec<String>, more: Vec<String>) {
    for name in more {
        if !names.contains(&name) {
            names.push(name);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Role;

    fn learner(formula: &str) -> Logistic {
        Logistic::with_formula(Formula::parse(formula).unwrap())
    }

    #[test]
    fn counts_are_read_beside_the_predictors_and_name_the_classes() {
        let grouped = Logistic { cluster: Some("ward".into()), ..learner("cbind(dead, alive) ~ log(dose) + C(sex)") };
        assert_eq!(grouped.label_column(), None);
        assert_eq!(grouped.columns_read().unwrap(), ["dose", "sex", "dead", "alive"]);
        assert_eq!(grouped.keys(), [("ward".to_owned(), Role::Cluster)]);
        let (target, classes) = grouped.response_in_columns().unwrap().unwrap();
        assert_eq!((target.as_str(), classes.labels()), ("cbind(dead, alive)", &["alive".to_owned(), "dead".to_owned()][..]));
        let mut kinds = BTreeMap::from([("sex".to_owned(), Kind::Boolean)]);
        grouped.add_kinds(&mut kinds);
        assert_eq!((kinds["sex"], kinds["dose"], kinds["ward"]), (Kind::Boolean, Kind::Number, Kind::Category));
    }

    #[test]
    fn keys_come_from_options_and_formulas_and_predictors_stay_features() {
        let written = learner("y ~ a + cluster(ward)");
        assert_eq!((written.columns_read().unwrap(), written.keys()), (vec!["a".to_owned()], vec![("ward".to_owned(), Role::Cluster)]));
        assert_eq!(learner("y ~ a + ward + cluster(ward)").keys(), []);
        let offset = Logistic { offset: Some("t".into()), ..learner("y ~ a") };
        assert_eq!(offset.columns_read().unwrap(), ["a", "t"]);
        let refused = |learner: Logistic| learner.check().unwrap_err().to_string();
        assert!(refused(learner("y ~ a + strata(set)")).contains("logistic regression takes no strata()"));
        assert!(refused(Logistic { cluster: Some("town".into()), ..written }).contains("the formula has cluster(ward)"));
    }

    #[test]
    fn labels_stand_in_a_column_of_their_own() {
        let labelled = learner("y ~ a + b");
        assert_eq!((labelled.label_column(), labelled.columns_read().unwrap()), (Some("y"), vec!["a".to_owned(), "b".to_owned()]));
        assert_eq!(labelled.response_in_columns().unwrap(), None);
        assert_eq!(learner("y ~ .").columns_read(), None);
        assert!(Logistic { class_proportions: Some(vec!["a".into()]), ..Logistic::new() }.response_in_columns().is_err());
    }
}
