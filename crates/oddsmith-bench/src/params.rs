//! Options as words of a request.

use oddsmith::data::Formula;
use oddsmith::error::Result;
use oddsmith::model::Params;
use oddsmith::registry;

/// Reads `OPTION=VALUE` words for a model. A model that is fitted alone finds out nothing but its estimates unless it is asked to.
pub(crate) fn read(model: &str, words: &[&str]) -> Result<Params> {
    let mut params = registry::find(model)?.defaults().without_inference();
    for word in words {
        params = match word.split_once('=') {
            Some(("formula", text)) => params.with_formula(Some(Formula::parse(text)?))?,
            Some((name, value)) => params.with(name, value)?,
            None => params.with(word, "")?,
        };
    }
    Ok(params)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_those_of_the_model() {
        assert_eq!(read("nb", &["smoothing=0.5"]).unwrap().number("smoothing"), Some(0.5));
        let regression = read("logistic", &["l2=2", "formula=y~x-1"]).unwrap();
        assert_eq!((regression.number("l2"), regression.text("ci"), regression.flag("no-tests")), (Some(2.0), Some("none"), true));
        assert!(!regression.formula().unwrap().intercept());
        assert!(read("lda", &["l2=2"]).is_err() && read("logistic", &["divisor=ml"]).is_err() && read("logistic", &["l2=two"]).is_err());
    }
}
