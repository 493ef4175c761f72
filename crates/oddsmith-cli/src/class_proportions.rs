//! From the class proportions of the sample to those of the population.

use std::ffi::OsString;

use clap::Args;
use oddsmith::calibrate::{Adjusted, CalibrationMap, estimate_proportions, shift, undo_fractions};
use oddsmith::card::{Card, Cell, FixedTable};
use oddsmith::control::Control;
use oddsmith::data::Classes;
use oddsmith::model::{Classifier, Inference, Predictions, Predictor};
use oddsmith::num::special::beta;
use oddsmith::{Error, Notice};
use oddsmith_io::{ReadOptions, open_for_prediction};

use crate::exit::Failure;
use crate::files;
use crate::options::{parse_number, split_list, split_pair};

/// How far rounding may take the sum of proportions from 1, per class.
const ROUNDING: f64 = f64::EPSILON;

/// Flags about class proportions.
#[derive(Debug, Args)]
#[command(next_help_heading = "Class proportions")]
#[group(id = "mix", multiple = true)]
pub(crate) struct ProportionArgs {
    /// Proportions of the classes in the population, one per class, such as yes=0.01,no=0.99.
    #[arg(long, value_name = "CLASS=PROPORTION,…")]
    prevalence: Option<String>,

    /// Rows from which the prevalence is known; gives an interval of the shift.
    #[arg(long, value_name = "N", requires = "prevalence", value_parser = parse_number)]
    prevalence_rows: Option<f64>,

    /// Proportions of the classes in the sample that the model was fitted to [default: those that the model holds].
    #[arg(long, value_name = "CLASS=PROPORTION,…")]
    sampled: Option<String>,

    /// Fractions of the classes that were kept by sampling, or the class weights of the fit, such as yes=1,no=0.1.
    #[arg(long, value_name = "CLASS=FRACTION,…", conflicts_with_all = ["prevalence", "sampled", "estimate_prevalence"])]
    kept: Option<String>,

    /// Estimate the class proportions from the rows of DATA, which need no target.
    #[arg(long, conflicts_with = "prevalence")]
    estimate_prevalence: bool,
}

impl ProportionArgs {
    /// Whether other class proportions are asked for.
    pub(crate) fn given(&self) -> bool {
        self.prevalence.is_some() || self.kept.is_some() || self.estimate_prevalence || self.sampled.is_some()
    }

    /// The model in the other mix, and what was done.
    pub(crate) fn applied(
        &self,
        model: Box<dyn Classifier>,
        data: Option<&OsString>,
        options: &ReadOptions,
        control: &Control,
    ) -> Result<(Box<dyn Classifier>, Card), Failure> {
        let classes = model.layout().classes().clone();
        let count = classes.len();
        let (from, to, offsets, mut facts, notices) = if let Some(kept) = &self.kept {
            let fractions = per_class(&classes, "kept", kept)?;
            (None, None, undo_fractions(&fractions)?, vec![("kept".to_owned(), Cell::from(kept.as_str()))], Vec::new())
        } else {
            let from = self.sampled_shares(&*model)?;
            let (to, facts, notices) = match &self.prevalence {
                Some(text) => (proportions(&classes, "prevalence", text)?, Vec::new(), Vec::new()),
                None if self.estimate_prevalence => estimated(&*model, &from, data, options, control)?,
                None => return Err(Failure::Usage("--sampled goes with --prevalence or --estimate-prevalence".into())),
            };
            let offsets = shift(&from, &to)?;
            (Some(from), Some(to), offsets, facts, notices)
        };
        let moved = (count == 2).then(|| offsets[1] - offsets[0]);
        if let Some(moved) = moved {
            facts.push(("log odds of the event move by".into(), moved.into()));
        }
        let (mut table, share) =
            (FixedTable::new("class_proportions", ["label", "sampled", "population", "offset"]), |s: Option<&Vec<f64>>, k: usize| {
                s.map_or(Cell::Empty, |s| s[k].into())
            });
        for (k, offset) in offsets.iter().enumerate() {
            table.push([classes.label(k).into(), share(from.as_ref(), k), share(to.as_ref(), k), (*offset).into()]);
        }
        if let (Some(rows), Some(to), Some(from), 2) = (self.prevalence_rows, &to, &from, count) {
            facts.push(("interval of the move".into(), interval_of_shift(to[1], from, rows).into()));
        }
        let fact = match &to {
            Some(to) => classes.labels().iter().zip(to).map(|(label, share)| format!("{label}={share}")).collect::<Vec<_>>().join(","),
            None => format!("undone fractions {}", self.kept.as_deref().unwrap_or_default()),
        };
        let moved_intercepts = model.inference().and_then(|inference| inference.moved(from.as_deref(), &offsets));
        let adjusted: Box<dyn Classifier> = match (model.generative(), &to, moved_intercepts) {
            // A model of the joint distribution takes the new prior itself and stays one; a regression moves its intercepts.
            (Some(generative), Some(to), _) if self.sampled.is_none() => {
                generative.with_log_prior(to.iter().map(|share| share.ln()).collect())
            }
            (None, _, Some(moved)) => moved,
            _ => Box::new(Adjusted::calibrated(model, CalibrationMap::Affine { slope: 1.0, offsets }, ("class proportions", fact))?),
        };
        let title = "Probabilities for other class proportions; slopes stay, the intercept moves".to_owned();
        Ok((adjusted, Card { title, facts, tidy: table.into(), notices, ..Card::default() }))
    }

    fn sampled_shares(&self, model: &dyn Classifier) -> Result<Vec<f64>, Failure> {
        let held = match model.generative() {
            Some(generative) => Some(generative.log_prior().iter().map(|p| p.exp()).collect()),
            None => model.inference().and_then(Inference::class_proportions),
        };
        match (&self.sampled, held) {
            (Some(text), _) => Ok(proportions(model.layout().classes(), "sampled", text)?),
            (None, Some(held)) => Ok(held),
            (None, None) => {
                let what = "the model does not hold the class proportions of the rows that it was fitted to; give it with --sampled";
                Err(Failure::Usage(what.into()))
            }
        }
    }
}

type Estimated = (Vec<f64>, Vec<(String, Cell)>, Vec<Notice>);

fn estimated(
    model: &dyn Classifier,
    from: &[f64],
    data: Option<&OsString>,
    options: &ReadOptions,
    control: &Control,
) -> Result<Estimated, Failure> {
    let Some(data) = data else { return Err(Failure::Usage("--estimate-prevalence takes a table of rows; they need no target".into())) };
    let input = files::table(data)?;
    let rows = open_for_prediction(&input, options, model.layout(), &[])?;
    let mut notices = rows.notices.clone();
    let (mut probabilities, mut predictions) = (Vec::new(), Predictions::new());
    let seen = rows.scan(control, &mut |batch| {
        Predictor::new(model).probabilities(&batch.features, &mut predictions)?;
        probabilities.extend_from_slice(predictions.probabilities());
        Ok(())
    });
    notices.extend(seen.map_err(|error| error.in_table(&input.name()))?);
    let mix = estimate_proportions(&probabilities, from).map_err(|error| error.in_table(&input.name()))?;
    let mut facts = vec![("rows".to_owned(), Cell::from(probabilities.len() / from.len())), ("steps".into(), mix.steps.into())];
    if let Some(error) = mix.standard_error {
        facts.push(("standard error".into(), error.into()));
    }
    Ok((mix.proportions, facts, notices))
}

/// Where the move of the log odds lies when the prevalence comes from a count of so many rows (Jeffreys' interval).
fn interval_of_shift(share: f64, from: &[f64], rows: f64) -> String {
    let (a, b) = (share * rows + 0.5, (1.0 - share) * rows + 0.5);
    let base = (from[1] / from[0]).ln();
    let end = |p: f64| (p / (1.0 - p)).ln() - base;
    format!("{:.4} to {:.4}", end(beta::quantile(0.025, a, b)), end(beta::quantile_upper(0.025, a, b)))
}

/// One number per class.
fn per_class(classes: &Classes, option: &str, text: &str) -> Result<Vec<f64>, Error> {
    let refused = || Error::option(option, text, "one number per class, such as yes=0.01,no=0.99");
    let mut numbers = vec![None; classes.len()];
    for item in split_list(text) {
        let (label, number) = split_pair(&item).ok_or_else(refused)?;
        numbers[classes.index(label)?] = Some(number.trim().parse::<f64>().map_err(|_| refused())?);
    }
    numbers.into_iter().map(|number| number.ok_or_else(refused)).collect()
}

/// What is left of 1, with as many decimals as the share has: 0.05 and not 0.050000000000000044 beside 0.95. Never 0.
fn complement(share: f64) -> f64 {
    let decimals = share.to_string().split_once('.').map_or(0, |(_, decimals)| decimals.len());
    let left = 1.0 - share;
    format!("{left:.decimals$}").parse().ok().filter(|rounded| *rounded > 0.0).unwrap_or(left)
}

/// Proportions that add up to 1; with two classes one is enough.
fn proportions(classes: &Classes, option: &str, text: &str) -> Result<Vec<f64>, Error> {
    let given = split_list(text);
    let proportions = match (&given[..], classes.labels()) {
        ([one], [_, _]) => {
            let refused = || Error::option(option, text, "a proportion above 0 and below 1, such as yes=0.01");
            let (label, share) = split_pair(one).ok_or_else(refused)?;
            let share: f64 = share.trim().parse().ok().filter(|share| *share > 0.0 && *share < 1.0).ok_or_else(refused)?;
            let k = classes.index(label)?;
            let other = complement(share);
            if k == 1 { vec![other, share] } else { vec![share, other] }
        }
        _ => per_class(classes, option, text)?,
    };
    let sum: f64 = proportions.iter().sum();
    match (sum - 1.0).abs() <= 1e-6 && proportions.iter().all(|share| *share > 0.0) {
        // What was given is shown as it was given where nothing but rounding is between the sum and 1.
        true if (sum - 1.0).abs() <= ROUNDING * proportions.len() as f64 => Ok(proportions),
        true => Ok(proportions.into_iter().map(|share| share / sum).collect()),
        false => Err(Error::option(option, text, format!("proportions above 0 that add up to 1, not to {sum}"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shares(text: &str, labels: &[&str]) -> Vec<f64> {
        let classes = Classes::new(labels.iter().map(|label| (*label).to_owned()).collect()).unwrap();
        proportions(&classes, "prevalence", text).unwrap()
    }

    #[test]
    fn one_proportion_of_two_leaves_what_a_person_would_write() {
        for (given, other) in
            [("0.95", 0.05), ("0.9", 0.1), ("0.7", 0.3), ("0.999999", 0.000001), ("0.0001", 0.9999), ("1e-10", 0.9999999999)]
        {
            let share: f64 = given.parse().unwrap();
            assert_eq!(shares(&format!("no={given}"), &["no", "yes"]), [share, other], "{given}");
            assert_eq!(shares(&format!("yes={given}"), &["no", "yes"]), [other, share], "{given}");
        }
        assert_eq!(shares("no=1e-300", &["no", "yes"]), [1e-300, 1.0]);
        // The number next to 1 is written with 16 decimals, and so is what it leaves.
        let nearly = 1.0 - f64::EPSILON / 2.0;
        assert_eq!(shares(&format!("no={nearly}"), &["no", "yes"]), [nearly, 1e-16]);
    }

    #[test]
    fn proportions_are_kept_as_they_were_given() {
        assert_eq!(shares("a=0.1,b=0.7,c=0.2", &["a", "b", "c"]), [0.1, 0.7, 0.2]);
        let thirds = shares("a=0.3333333,b=0.3333333,c=0.3333333", &["a", "b", "c"]);
        assert!((thirds.iter().sum::<f64>() - 1.0).abs() < 1e-15);
    }
}
