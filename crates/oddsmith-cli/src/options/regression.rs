//! The knobs of regressions.

use clap::Args;
use clap::builder::TypedValueParser;
use oddsmith::Error;
use oddsmith::data::design::{Contrast, MissingPolicy};
use oddsmith::data::{DesignOptions, Formula};
use oddsmith::model::linear::{ClassWeighting, Intervals, Logistic, OnSeparation, Robust, Route};

use super::knobs::{one_of, parse_number};
use super::list::{split_list, split_pair};
use super::reading::named;
use crate::exit::Failure;

/// Flags of logistic and softmax regression.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Regression")]
pub(crate) struct RegressionArgs {
    /// Strength λ of the penalty ½ λ Σ β² [default: 0].
    #[arg(long, value_name = "λ", allow_negative_numbers = true, value_parser = parse_number)]
    l2: Option<f64>,

    /// Standard deviation of a Gaussian prior of every coefficient: gives a posterior and its log evidence.
    #[arg(long, value_name = "SD")]
    prior_sd: Option<f64>,

    /// Strength λ of the penalty λ Σ |β| [default: 0].
    #[arg(long, value_name = "λ", allow_negative_numbers = true, value_parser = parse_number)]
    l1: Option<f64>,

    /// Firth's penalised likelihood: finite estimates under separation, less bias in small samples.
    #[arg(long)]
    firth: bool,

    /// What to do when no finite estimate exists [default: error].
    #[arg(long, value_name = "WHAT", value_parser = on_separation())]
    on_separation: Option<OnSeparation>,

    /// Intervals: from the profile of the likelihood, from the standard error, or none; none leaves out standard errors too
    /// [default: profile, and wald where that would take long or errors are robust].
    #[arg(long, value_name = "KIND", value_parser = intervals())]
    ci: Option<Intervals>,

    /// Level of intervals [default: 0.95].
    #[arg(long, value_name = "LEVEL", value_parser = parse_number)]
    level: Option<f64>,

    /// Odds ratios for a change by this much, such as age=10; may be repeated.
    #[arg(long, value_name = "COLUMN=SIZE,…")]
    unit: Vec<String>,

    /// Standard errors that do not trust the model.
    #[arg(long, value_name = "KIND", value_parser = robust())]
    robust: Option<Robust>,

    /// Robust standard errors for rows that belong together: the column that tells which.
    #[arg(long, value_name = "COLUMN")]
    cluster: Option<String>,

    /// Rows with a missing predictor: leave them out, a level or column of their own, the mean, or an error [default: drop].
    #[arg(long, value_name = "POLICY", value_parser = one_of::<MissingPolicy>(&["drop", "indicator", "mean", "error"]))]
    missing: Option<MissingPolicy>,

    /// Contrast of categories [default: treatment].
    #[arg(long, value_name = "CONTRAST", value_parser = one_of::<Contrast>(&["treatment", "sum", "poly"]))]
    contrast: Option<Contrast>,

    /// Reference level of a category, or the class that others are compared with, such as race=white; may be repeated.
    #[arg(long, value_name = "COLUMN=LEVEL,…")]
    r#ref: Vec<String>,

    /// Weights of classes: balanced, or factors such as yes=2,no=1. Probabilities are corrected for them.
    #[arg(long, value_name = "WEIGHTS")]
    class_weight: Option<String>,

    /// Do not correct probabilities for the class weights.
    #[arg(long, requires = "class_weight")]
    keep_class_weights: bool,

    /// Columns with the share of every class, in place of a target; the classes have the names of the columns.
    #[arg(long, value_name = "COLUMN,…")]
    shares: Option<String>,

    /// No likelihood-ratio tests of the terms.
    #[arg(long)]
    no_tests: bool,

    /// Stop at this distance from the optimum, in standard errors [default: 1e-10].
    #[arg(long, value_name = "DISTANCE", value_parser = parse_number)]
    tolerance: Option<f64>,

    /// How the optimum is looked for [default: newton].
    #[arg(long, value_name = "ROUTE", value_parser = ["newton", "gradient", "stochastic"])]
    route: Option<String>,

    /// Rate η of a descent: of the mean loss, in columns of unit spread [default: 1; stochastic 0.05].
    #[arg(long, value_name = "η", requires = "route", allow_negative_numbers = true, value_parser = parse_number)]
    rate: Option<f64>,

    /// Stop a descent when a step (an epoch) moves the coefficients by no more than this [default: 1e-9; stochastic 1e-4].
    #[arg(long, value_name = "ε", requires = "route", allow_negative_numbers = true, value_parser = parse_number)]
    stop: Option<f64>,

    /// Rows after which the rate of a stochastic descent has halved [default: 2000].
    #[arg(long, value_name = "ROWS", requires = "route", allow_negative_numbers = true, value_parser = parse_number)]
    half_after: Option<f64>,

    /// Most steps of the solver [default: 200, and 100000 for descents].
    #[arg(long, value_name = "N")]
    max_steps: Option<usize>,
}

/// A regression as it was asked for, before the table is known.
#[derive(Debug, Clone)]
pub(crate) struct Regression {
    /// The knobs.
    pub(crate) learner: Logistic,
    /// Reference levels by column; one of the target's chooses the first class.
    pub(crate) references: Vec<(String, String)>,
    /// Whether the kind of intervals was chosen.
    pub(crate) intervals_chosen: bool,
}

impl RegressionArgs {
    /// The first flag that was given, for a message to those who fit something else.
    pub(crate) fn given(&self) -> Option<&'static str> {
        let flags = [
            ("--l2", self.l2.is_some()),
            ("--prior-sd", self.prior_sd.is_some()),
            ("--l1", self.l1.is_some()),
            ("--firth", self.firth),
            ("--on-separation", self.on_separation.is_some()),
            ("--ci", self.ci.is_some()),
            ("--level", self.level.is_some()),
            ("--unit", !self.unit.is_empty()),
            ("--robust", self.robust.is_some()),
            ("--cluster", self.cluster.is_some()),
            ("--missing", self.missing.is_some()),
            ("--contrast", self.contrast.is_some()),
            ("--ref", !self.r#ref.is_empty()),
            ("--class-weight", self.class_weight.is_some()),
            ("--shares", self.shares.is_some()),
            ("--no-tests", self.no_tests),
            ("--tolerance", self.tolerance.is_some()),
            ("--max-steps", self.max_steps.is_some()),
            ("--route", self.route.is_some()),
        ];
        flags.into_iter().find(|(_, given)| *given).map(|(flag, _)| flag)
    }

    /// The regression that the flags ask for.
    pub(crate) fn regression(&self, formula: Option<Formula>) -> Result<Regression, Failure> {
        let default = Logistic::default();
        let robust = self.robust.is_some() || self.cluster.is_some();
        if robust && self.ci == Some(Intervals::Profile) {
            let accepted = "robust standard errors have no likelihood to profile; --ci wald";
            return Err(Error::knob("ci", "profile", accepted).into());
        }
        let penalised = self.l2.is_some_and(|l2| l2 > 0.0) || self.l1.is_some_and(|l1| l1 > 0.0);
        let precision = match self.ci {
            Some(precision) => precision,
            None if robust || penalised => Intervals::Wald,
            None => Intervals::Profile,
        };
        let learner = Logistic {
            formula,
            options: DesignOptions {
                missing: self.missing.unwrap_or_default(),
                contrast: self.contrast.unwrap_or_default(),
                references: Vec::new(),
            },
            shares: self.shares.as_deref().map(split_list),
            l2: self.l2.unwrap_or(default.l2),
            l1: self.l1.unwrap_or(default.l1),
            prior_sd: self.prior_sd,
            firth: self.firth,
            on_separation: self.on_separation.unwrap_or_default(),
            class_weights: self.class_weight.as_deref().map_or(Ok(ClassWeighting::None), class_weights)?,
            keep_class_weights: self.keep_class_weights,
            precision,
            level: self.level.unwrap_or(default.level),
            tests: !self.no_tests,
            robust: self.robust,
            cluster: self.cluster.clone(),
            units: self.units()?,
            tolerance: self.tolerance,
            route: self.route(),
            most_steps: self.max_steps.unwrap_or(if self.route() == Route::Newton { default.most_steps } else { 100_000 }),
            ..default
        };
        let references = pairs("ref", &self.r#ref, "pairs such as race=white")?;
        Ok(Regression { learner, references, intervals_chosen: self.ci.is_some() })
    }

    fn route(&self) -> Route {
        match self.route.as_deref() {
            Some("gradient") => Route::Gradient { rate: self.rate.unwrap_or(1.0), stop: self.stop.unwrap_or(1e-9) },
            Some("stochastic") => Route::Stochastic {
                rate: self.rate.unwrap_or(0.05),
                half_after: self.half_after.unwrap_or(2000.0),
                stop: self.stop.unwrap_or(1e-4),
            },
            _ => Route::Newton,
        }
    }

    fn units(&self) -> Result<Vec<(String, f64)>, Failure> {
        let accepted = "pairs of a column and a number, such as age=10";
        let size = |text: &str| text.trim().parse::<f64>().ok().filter(|size| size.is_finite() && *size != 0.0);
        let pairs = pairs("unit", &self.unit, accepted)?.into_iter();
        pairs
            .map(|(column, text)| match size(&text) {
                Some(size) => Ok((column, size)),
                None => Err(Error::knob("unit", format!("{column}={text}"), accepted).into()),
            })
            .collect()
    }
}

/// Pairs of a column and something, from lists.
fn pairs(knob: &str, lists: &[String], accepted: &str) -> Result<Vec<(String, String)>, Failure> {
    let items = lists.iter().flat_map(|list| split_list(list));
    items
        .map(|item| match split_pair(&item) {
            Some((column, value)) => Ok((column.to_owned(), value.to_owned())),
            None => Err(Error::knob(knob, &item, accepted).into()),
        })
        .collect()
}

fn class_weights(text: &str) -> Result<ClassWeighting, Failure> {
    if text == "balanced" {
        return Ok(ClassWeighting::Balanced);
    }
    let refused = || Failure::from(Error::knob("class-weight", text, "balanced, or factors such as yes=2,no=1"));
    let pair = |item: &String| {
        let (class, weight) = split_pair(item)?;
        Some((class.to_owned(), weight.trim().parse().ok()?))
    };
    split_list(text).iter().map(|item| pair(item).ok_or_else(refused)).collect::<Result<_, _>>().map(ClassWeighting::Given)
}

fn on_separation() -> impl TypedValueParser<Value = OnSeparation> {
    named(&[("error", OnSeparation::Error), ("firth", OnSeparation::Firth)])
}

fn intervals() -> impl TypedValueParser<Value = Intervals> {
    named(&[("profile", Intervals::Profile), ("wald", Intervals::Wald), ("none", Intervals::None)])
}

fn robust() -> impl TypedValueParser<Value = Robust> {
    named(&[("HC0", Robust::Hc0), ("HC1", Robust::Hc1), ("HC2", Robust::Hc2), ("HC3", Robust::Hc3)])
}
