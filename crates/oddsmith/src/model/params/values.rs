//! The options that were given to a model.

use std::collections::BTreeMap;
use std::str::FromStr;

use super::kind::number;
use super::list::{quoted, split_list, split_pair};
use super::{Param, ParamKind};
use crate::data::Formula;
use crate::error::{Error, ErrorKind, Result};

/// Options of a model, checked against its declarations. What was not given has the model's own default.
#[derive(Debug, Clone, PartialEq)]
pub struct Params {
    model: &'static str,
    declared: &'static [&'static Param],
    given: BTreeMap<&'static str, Vec<String>>,
    formula: Option<Formula>,
}

impl Params {
    /// Nothing given.
    pub fn new(model: &'static str, declared: &'static [&'static Param]) -> Params {
        Params { model, declared, given: BTreeMap::new(), formula: None }
    }

    /// Gives an option a value; one that may be repeated gets one more. An option that the model does not have is refused with the
    /// list of those it has.
    pub fn set(&mut self, name: &str, text: &str) -> Result<()> {
        let Some(param) = self.declared.iter().find(|param| param.is_called(name)) else { return Err(self.unknown(name)) };
        let text = match param.kind {
            // Words that people write for on and off.
            ParamKind::Flag if matches!(text, "" | "yes" | "on" | "1" | "True") => "true",
            ParamKind::Flag if matches!(text, "no" | "off" | "0" | "False") => "false",
            _ => text,
        };
        param.kind.check(param.name, text)?;
        let values = self.given.entry(param.name).or_default();
        if !param.kind.repeats() {
            values.clear();
        }
        values.push(text.to_owned());
        Ok(())
    }

    /// The same options with one more.
    pub fn with(mut self, name: &str, text: &str) -> Result<Params> {
        self.set(name, text)?;
        Ok(self)
    }

    /// Takes a pair out of an option that has pairs, such as the reference level of one column; the last one where there are several.
    pub fn take_pair(&mut self, name: &str, left: &str) -> Option<String> {
        let (taken, kept): (Vec<_>, Vec<_>) = self.pairs(name).into_iter().partition(|(known, _)| known == left);
        if let Some(values) = self.given.get_mut(name) {
            *values = kept.iter().map(|(left, right)| quoted(&format!("{left}={right}"))).collect();
        }
        taken.into_iter().next_back().map(|(_, right)| right)
    }

    /// Gives an option that has pairs one more, unless it has one for the same name.
    pub fn add_pair(&mut self, name: &str, left: &str, right: &str) -> Result<()> {
        if self.pairs(name).iter().any(|(known, _)| known == left) {
            return Ok(());
        }
        self.set(name, &quoted(&format!("{left}={right}")))
    }

    /// The same options without what costs more than the estimates: intervals, errors and tests, where the model has them.
    pub fn without_inference(mut self) -> Params {
        for (name, value) in [("ci", "none"), ("no-tests", "true")] {
            if let Some(param) = self.declared.iter().find(|param| param.name == name) {
                self.given.insert(param.name, vec![value.to_owned()]);
            }
        }
        self
    }

    /// The same options with the intervals and tests that need no further fits, where the model has a choice.
    pub fn with_wald_intervals(mut self) -> Params {
        self.given.insert("ci", vec!["wald".to_owned()]);
        self.given.insert("no-tests", vec!["true".to_owned()]);
        self
    }

    /// Whether the model has an option.
    pub fn declares(&self, name: &str) -> bool {
        self.declared.iter().any(|param| param.is_called(name))
    }

    /// What is predicted from what, for models that take a formula.
    pub fn formula(&self) -> Option<&Formula> {
        self.formula.as_ref()
    }

    /// The same options with a formula. What `strata()` and `cluster()` name in it are options like any other: refused where the model
    /// does not have them, or where the option names another column.
    pub fn with_formula(mut self, formula: Option<Formula>) -> Result<Params> {
        for (role, column) in formula.iter().flat_map(Formula::keys) {
            let option = role.option();
            if !self.declares(option) {
                return Err(formula.as_ref().map_or_else(|| self.unknown(option), |formula| formula.unused_key(*role, self.model)));
            }
            match self.text(option) {
                Some(other) if other != column.name => {
                    let accepted = format!("the formula has {option}({column}); give one of them");
                    return Err(Error::option(option, other, accepted));
                }
                _ => self.set(option, &column.name)?,
            }
        }
        Ok(Params { formula, ..self })
    }

    /// The model whose options they are.
    pub fn model(&self) -> &'static str {
        self.model
    }

    /// What was given, by name.
    pub fn given(&self) -> impl Iterator<Item = (&'static str, &[String])> {
        self.given.iter().map(|(name, values)| (*name, &values[..]))
    }

    /// Whether an option was given.
    pub fn has(&self, name: &str) -> bool {
        self.given.contains_key(name)
    }

    /// A number, where it was given.
    pub fn number(&self, name: &str) -> Option<f64> {
        self.text(name).and_then(number)
    }

    /// A whole number, where it was given.
    pub fn whole(&self, name: &str) -> Option<u64> {
        self.text(name)?.trim().parse().ok()
    }

    /// Whether a flag is on.
    pub fn flag(&self, name: &str) -> bool {
        self.text(name) == Some("true")
    }

    /// The text of an option, where it was given.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.given.get(name)?.last().map(String::as_str)
    }

    /// An option that the model reads with its own parser, where it was given.
    pub fn parsed<T: FromStr<Err = Error>>(&self, name: &str) -> Result<Option<T>> {
        self.text(name).map(str::parse).transpose()
    }

    /// Names in an option that lists some.
    pub fn names(&self, name: &str) -> Option<Vec<String>> {
        self.text(name).map(split_list)
    }

    /// All pairs of an option that was given any number of times.
    pub fn pairs(&self, name: &str) -> Vec<(String, String)> {
        let items = self.given.get(name).into_iter().flatten().flat_map(|text| split_list(text));
        items.filter_map(|item| split_pair(&item).map(|(left, right)| (left.to_owned(), right.to_owned()))).collect()
    }

    /// Columns that options give another part than that of a feature.
    pub fn columns(&self) -> Vec<String> {
        let columns = self.declared.iter().filter(|param| matches!(param.kind, ParamKind::Column | ParamKind::Columns));
        columns.flat_map(|param| self.names(param.name).unwrap_or_default()).collect()
    }

    fn unknown(&self, name: &str) -> Error {
        let known = self.declared.iter().map(|param| param.name).collect::<Vec<_>>().join(", ");
        let has = if known.is_empty() { "it has no options".to_owned() } else { format!("it has {known}") };
        ErrorKind::Unsupported {
            model: self.model.into(),
            what: format!("take the option `{}`", crate::error::visible(name)),
            advice: has.into(),
        }
        .into()
    }
}

#[cfg(test)]
mod tests {
    use super::super::shared::STRATA;
    use super::*;

    const SMOOTHING: Param = Param::new("smoothing", ParamKind::Number { least: 0.0, most: f64::INFINITY }, "λ", "1", "Pseudo-count.");
    const UNIT: Param = Param::new("unit", ParamKind::Pairs("pairs such as age=10"), "COLUMN=SIZE", "", "Units.");
    const EXACT: Param = Param::flag("very-exact", "Exact.").or(&["precise"]);
    const LEVEL: Param = Param::new("level", ParamKind::Between { least: 0.0, most: 1.0 }, "LEVEL", "0.95", "Level.");

    fn params() -> Params {
        Params::new("toy", &[&SMOOTHING, &UNIT, &EXACT, &LEVEL])
    }

    #[test]
    fn values_are_checked_when_they_are_given() {
        let refused = |name: &str, text: &str| params().with(name, text).unwrap_err().to_string();
        assert_eq!(refused("smoothing", "-1"), "smoothing = -1 is not accepted: a finite number from 0 up");
        assert_eq!(refused("smoothing", "inf"), "smoothing = inf is not accepted: a finite number from 0 up");
        assert_eq!(refused("level", "1"), "level = 1 is not accepted: a number between 0 and 1");
        assert_eq!(refused("unit", "age"), "unit = age is not accepted: pairs such as age=10");
        assert!(refused("depth", "3").contains("it has smoothing, unit, very-exact, level"));
    }

    #[test]
    fn keys_of_a_formula_are_options() {
        let given = |formula: &str| Params::new("toy", &[&STRATA]).with_formula(Some(Formula::parse(formula).unwrap()));
        assert_eq!(given("y ~ a + strata(set)").unwrap().text("strata"), Some("set"));
        assert!(given("y ~ a + cluster(ward)").unwrap_err().to_string().contains("toy takes no cluster()"));
        let twice = |column: &str| {
            let params = Params::new("toy", &[&STRATA]).with("strata", column).unwrap();
            params.with_formula(Some(Formula::parse("y ~ a + strata(set)").unwrap()))
        };
        assert_eq!(twice("set").unwrap().text("strata"), Some("set"));
        assert_eq!(twice("pair").unwrap_err().to_string(), "strata = pair is not accepted: the formula has strata(set); give one of them");
    }

    #[test]
    fn options_answer_to_dashes_underscores_and_other_names() {
        for name in ["very-exact", "very_exact", "precise"] {
            assert!(params().with(name, "yes").unwrap().flag("very-exact"), "{name}");
        }
        assert!(!params().flag("very-exact") && !params().with("precise", "False").unwrap().flag("very-exact"));
        assert!(params().with("veryexact", "").is_err());
    }

    #[test]
    fn pairs_add_up_and_other_options_replace_each_other() {
        let given = params().with("unit", "a=1,b=2").unwrap().with("unit", "c=3").unwrap();
        let given = given.with("smoothing", "1").unwrap().with("smoothing", "0.5").unwrap();
        assert_eq!(given.pairs("unit").len(), 3);
        let mut rest = given.clone().with("unit", "\"a,b\"=4").unwrap();
        assert_eq!(rest.take_pair("unit", "b"), Some("2".into()));
        assert_eq!(rest.take_pair("unit", "b"), None);
        assert_eq!(rest.pairs("unit").iter().map(|(left, _)| left.as_str()).collect::<Vec<_>>(), ["a", "c", "a,b"]);
        rest.add_pair("unit", "x,y", "5").unwrap();
        rest.add_pair("unit", "c", "9").unwrap();
        assert_eq!(rest.pairs("unit")[1..], [("c", "3"), ("a,b", "4"), ("x,y", "5")].map(|(left, right)| (left.into(), right.into())));
        assert_eq!(given.number("smoothing"), Some(0.5));
        assert_eq!(given.number("level"), None);
    }
}
