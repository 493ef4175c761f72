//! The one table of all models: command-line names, Python names, file tags, law tests and docs read it.

use crate::calibrate;
use crate::error::Result;
use crate::model::{Classifier, FAMILIES};
use crate::record::Record;

pub use crate::model::written::{find, named, parse, parse_list};
pub use crate::model::{Entry, Numbers, Takes, Text, Units};
pub use crate::study::{ANALYSES, AnalysisEntry};

/// All models, in the order in which they are listed to people.
pub const MODELS: &[Entry] = &ALL;

/// The models that a comparison takes where none are named: a generative one of every kind of column, the two discriminants, and the
/// regression that is their counterpart.
pub const COMPARED: &str = "nb,lda,qda,logistic";

const ALL: [Entry; count()] = gathered();

/// How many models the families have.
const fn count() -> usize {
    let (mut count, mut family) = (0, 0);
    while family < FAMILIES.len() {
        count += FAMILIES[family].len();
        family += 1;
    }
    count
}

/// The models of all families, one after the other.
const fn gathered() -> [Entry; count()] {
    let mut all = [FAMILIES[0][0]; count()];
    let (mut next, mut family) = (0, 0);
    while family < FAMILIES.len() {
        let mut own = 0;
        while own < FAMILIES[family].len() {
            all[next] = FAMILIES[family][own];
            (next, own) = (next + 1, own + 1);
        }
        family += 1;
    }
    all
}

/// The analysis of a name, where there is one.
pub fn analysis(name: &str) -> Option<&'static AnalysisEntry> {
    ANALYSES.iter().find(|entry| entry.is_called(name))
}

/// Analyses that are asked for as models are.
pub fn fitted_analyses() -> impl Iterator<Item = &'static AnalysisEntry> {
    ANALYSES.iter().filter(|entry| entry.fitted)
}

/// The model that is meant when none is named: with a formula the first that takes one, else the first of all.
pub fn default_for(formula: bool) -> &'static Entry {
    MODELS.iter().find(|entry| entry.takes_formula == formula).unwrap_or(&MODELS[0])
}

/// Rebuilds a stored model.
pub fn read(record: &Record) -> Result<Box<dyn Classifier>> {
    if record.tag == calibrate::TAG {
        return calibrate::read(record, read);
    }
    match MODELS.iter().find(|entry| entry.name == record.tag) {
        Some(entry) => (entry.read)(record),
        None => Err(crate::record::fault(format!("it holds `{}`, which is no model this program knows", record.tag))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Param;

    #[test]
    fn models_are_written_with_their_options() {
        let list = parse_list("nb, logistic(l2=1, unit=\"age=10,lwt=5\",firth) ,shrub").map(|_| ());
        assert!(list.unwrap_err().to_string().starts_with("there is no model `shrub`"));
        let list = parse_list("gnb,logistic(l2=1, unit=\"age=10\")").unwrap();
        assert_eq!(list.iter().map(|(entry, _)| entry.name).collect::<Vec<_>>(), ["gaussian-nb", "logistic"]);
        assert_eq!(list[1].1.number("l2"), Some(1.0));
        // Quotes keep the commas of a value together and are no part of it.
        let (_, params) = parse("nb(distribution=\"a=gaussian,b=bernoulli\")").unwrap();
        let given: Vec<_> = params.given().map(|(name, values)| (name, values.join(" "))).collect();
        assert_eq!(given, [("distribution", "a=gaussian,b=bernoulli".to_owned())]);
        assert!(parse("lda(l2=1)").unwrap_err().to_string().contains("it has prior-smoothing, prior"));
        assert!(parse("lda(divisor=ml").unwrap_err().to_string().contains("closing parenthesis"));
    }

    #[test]
    fn models_that_are_compared_by_default_are_models() {
        assert_eq!(parse_list(COMPARED).unwrap().len(), 4);
    }

    #[test]
    fn an_option_of_one_name_is_declared_once() {
        let all: Vec<&Param> = MODELS.iter().flat_map(|entry| entry.params.iter().copied()).collect();
        for param in &all {
            assert!(all.iter().filter(|other| other.is_called(param.name)).all(|other| *other == *param), "{}", param.name);
        }
    }
}
