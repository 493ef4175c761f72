//! Knobs as words of a request.

use oddsmith::data::Formula;
use oddsmith::error::{Error, Result};
use oddsmith::model::Knobs;
use oddsmith::model::linear::{Intervals, Logistic};

/// Reads `KNOB=VALUE` words for a model.
pub(crate) fn read(model: &str, words: &[&str]) -> Result<Knobs> {
    if model == "logistic" {
        return Ok(Knobs { regression: Some(regression(words)?), ..Knobs::default() });
    }
    let mut knobs = Knobs::default();
    for word in words {
        match word.split_once('=') {
            Some(("divisor", value)) => knobs.divisor = Some(value.parse()?),
            Some(("variance-floor", value)) => knobs.variance_floor = Some(number(value)?),
            Some(("smoothing", value)) => knobs.smoothing = Some(number(value)?),
            _ => return Err(unknown(word)),
        }
    }
    Ok(knobs)
}

/// A regression that is fitted alone: what is said about coefficients, and tests of terms, must be asked for.
fn regression(words: &[&str]) -> Result<Logistic> {
    let mut knobs = Logistic { precision: Intervals::None, tests: false, ..Logistic::new() };
    for word in words {
        match word.split_once('=') {
            Some(("l2", value)) => knobs.l2 = number(value)?,
            Some(("tolerance", value)) => knobs.tolerance = Some(number(value)?),
            Some(("formula", value)) => knobs.formula = Some(Formula::parse(value)?),
            Some(("ci", "wald")) => knobs.precision = Intervals::Wald,
            _ => return Err(unknown(word)),
        }
    }
    Ok(knobs)
}

fn number(text: &str) -> Result<f64> {
    text.parse().map_err(|_| Error::data(format!("{text} is no number")))
}

fn unknown(word: &str) -> Error {
    Error::data(format!("no such knob: {word}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn knobs_are_those_of_the_model() {
        assert_eq!(read("lda", &["smoothing=0.5"]).unwrap().smoothing, Some(0.5));
        let regression = read("logistic", &["l2=2", "formula=y~x-1"]).unwrap().regression.unwrap();
        assert_eq!((regression.l2, regression.precision, regression.tests), (2.0, Intervals::None, false));
        assert!(!regression.formula.unwrap().intercept());
        assert!(read("lda", &["l2=2"]).is_err() && read("logistic", &["divisor=ml"]).is_err() && read("logistic", &["l2=two"]).is_err());
    }
}
