//! Conditions under which a script should stop: `--fail-if 'auc<0.75'`.

use std::str::FromStr;

use oddsmith::eval::{Estimate, Metric};

use crate::exit::Failure;

/// A condition on a figure.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct FailIf {
    name: String,
    comparison: Comparison,
    limit: f64,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Comparison {
    Below,
    AtMost,
    Above,
    AtLeast,
}

const COMPARISONS: [(&str, Comparison); 4] =
    [("<=", Comparison::AtMost), (">=", Comparison::AtLeast), ("<", Comparison::Below), (">", Comparison::Above)];

impl FromStr for FailIf {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let parsed = COMPARISONS.iter().find_map(|(sign, comparison)| {
            let (name, limit) = text.split_once(sign)?;
            let limit = limit.trim().parse::<f64>().ok().filter(|limit| limit.is_finite())?;
            Some(FailIf { name: name.trim().to_owned(), comparison: *comparison, limit })
        });
        parsed.filter(|condition| !condition.name.is_empty()).ok_or_else(|| "a metric, <, <=, > or >=, and a number: 'auc<0.75'".into())
    }
}

impl FailIf {
    fn holds(&self, value: f64) -> bool {
        match self.comparison {
            Comparison::Below => value < self.limit,
            Comparison::AtMost => value <= self.limit,
            Comparison::Above => value > self.limit,
            Comparison::AtLeast => value >= self.limit,
        }
    }

    fn text(&self) -> String {
        let sign = COMPARISONS.iter().find(|(_, comparison)| *comparison == self.comparison).map_or("", |(sign, _)| sign);
        format!("{}{sign}{}", self.name, self.limit)
    }
}

/// Refuses conditions on figures that do not exist.
pub(crate) fn check_names(conditions: &[FailIf], known: &[&str]) -> Result<(), Failure> {
    match conditions.iter().find(|condition| !known.contains(&condition.name.as_str())) {
        None => Ok(()),
        Some(condition) => {
            let what = format!("--fail-if names `{}`; the metrics are: {}", condition.name, known.join(", "));
            Err(Failure::Usage(what))
        }
    }
}

/// Fails when a condition holds, or when its figure has no value.
pub(crate) fn check(conditions: &[FailIf], figures: &[(&'static str, Metric)]) -> Result<(), Failure> {
    let mut failed = Vec::new();
    for condition in conditions {
        let figure = figures.iter().find(|(name, _)| *name == condition.name).map(|(_, figure)| figure);
        match figure {
            Some(Ok(Estimate { value, .. })) if condition.holds(*value) => {
                failed.push(format!("{}: it is {}", condition.text(), oddsmith_report::for_people(*value)));
            }
            Some(Err(reason)) => failed.push(format!("{}: no value, because {reason}", condition.text())),
            _ => {}
        }
    }
    if failed.is_empty() { Ok(()) } else { Err(Failure::Gate(format!("--fail-if: {}", failed.join("; ")))) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_are_a_name_a_sign_and_a_number() {
        let parsed: FailIf = "auc < 0.75".parse().unwrap();
        assert_eq!((parsed.text(), parsed.holds(0.74), parsed.holds(0.75)), ("auc<0.75".into(), true, false));
        let parsed: FailIf = "ece>=1e-2".parse().unwrap();
        assert!(parsed.holds(0.01) && !parsed.holds(0.009));
        for wrong in ["auc", "auc<", "<0.5", "auc=0.5", "auc<NaN", "auc<0.5x"] {
            assert!(wrong.parse::<FailIf>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_figure_without_a_value_does_not_pass() {
        let figures = [("auc", Ok(Estimate::exact(0.8))), ("bits", Err("there are no rows".into()))];
        let verdict = |text: &str| check(&[text.parse().unwrap()], &figures).err().map(|failure| failure.to_string());
        assert_eq!(verdict("auc<0.75"), None);
        assert_eq!(verdict("auc<0.85").unwrap(), "--fail-if: auc<0.85: it is 0.8000");
        assert_eq!(verdict("bits>1").unwrap(), "--fail-if: bits>1: no value, because there are no rows");
    }
}
