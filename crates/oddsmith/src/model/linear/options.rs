//! The options of logistic and softmax regression.

use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::data::{DesignOptions, Formula, KeyPlace, Layout, Role};
use crate::error::{Error, Result};
use crate::model::choices::at_least;
use crate::model::linear::fit::descent::{DescentUnits, Solver};
use crate::model::linear::infer::sandwich::Robust;

/// Most steps of Newton's search, unless told otherwise.
pub(crate) const MOST_STEPS: usize = 200;
/// Most steps or epochs of a descent, unless told otherwise.
const MOST_DESCENTS: usize = 100_000;

/// What to do when no finite maximum of the likelihood exists.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum OnSeparation {
    /// Refuse, naming the columns.
    #[default]
    Error,
    /// Fit Firth's penalised likelihood instead, and say so.
    Firth,
    /// Fit without the variables along which the classes are separated, and say so.
    Drop,
    /// Report the supremum of the likelihood: infinite coefficients along the one direction that separates, each with a finite limit from
    /// the profile on its other side, and the fit of the rows that the direction leaves undecided; and say so.
    Infinite,
}

impl OnSeparation {
    /// What options call it.
    pub const fn name(self) -> &'static str {
        match self {
            OnSeparation::Error => "error",
            OnSeparation::Firth => "firth",
            OnSeparation::Drop => "drop",
            OnSeparation::Infinite => "infinite",
        }
    }
}

impl FromStr for OnSeparation {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let all = [OnSeparation::Error, OnSeparation::Firth, OnSeparation::Drop, OnSeparation::Infinite];
        let known = all.into_iter().find(|choice| choice.name() == text);
        known.ok_or_else(|| Error::option("on-separation", text, "error, firth, drop or infinite"))
    }
}

/// What is said about the precision of the coefficients.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize)]
pub enum Intervals {
    /// Nothing: the fastest fit.
    None,
    /// Standard errors and Wald intervals.
    #[default]
    Wald,
    /// Intervals from the profile of the likelihood.
    Profile,
}

/// Factors of the weights of rows by class.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub enum ClassWeighting {
    /// All rows alike.
    #[default]
    None,
    /// Every class gets the same total weight.
    Balanced,
    /// Factors by class label; classes that are not named keep 1.
    Given(Vec<(String, f64)>),
}

/// Log odds against the first class that a search starts from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StartPoint {
    /// Intercept of every other class.
    pub intercepts: Vec<f64>,
    /// Coefficients of the design's columns, then of the words, class after class.
    pub coefficients: Vec<f64>,
}

/// Options of logistic regression (two classes) and softmax regression (more).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Logistic {
    /// The formula; default: all columns side by side.
    pub formula: Option<Formula>,
    /// How columns become a design.
    pub options: DesignOptions,
    /// Columns with the proportion of every class, in the order of the classes, in place of labels.
    #[serde(alias = "shares")]
    pub class_proportions: Option<Vec<String>>,
    /// Strength λ ≥ 0 of the penalty ½ λ Σ β²; default 0.
    pub l2: f64,
    /// Strength ≥ 0 of the penalty Σ |β|; default 0.
    pub l1: f64,
    /// Standard deviation of a Gaussian prior of every coefficient around zero: the posterior is then approximated by a Gaussian at
    /// its mode (Laplace) and predictions carry its uncertainty; default none.
    pub prior_sd: Option<f64>,
    /// Standard deviation of the prior of the intercept, that is of the log odds at the means of the columns; default 10, which says
    /// next to nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub intercept_sd: Option<f64>,
    /// Firth's penalised likelihood; default off.
    pub firth: bool,
    /// What to do under separation.
    pub on_separation: OnSeparation,
    /// Class weights; the intercepts are corrected for them unless `keep_class_weights` is set.
    pub class_weights: ClassWeighting,
    /// Leave the intercepts as the class weights made them; default off.
    pub keep_class_weights: bool,
    /// Standard errors and intervals.
    pub precision: Intervals,
    /// Level of intervals; default 0.95.
    pub level: f64,
    /// Likelihood-ratio tests of every term; default on.
    pub tests: bool,
    /// Robust standard errors in place of those of the model.
    pub robust: Option<Robust>,
    /// Column of clusters for robust standard errors; the formula may name it as `cluster()`.
    pub cluster: Option<String>,
    /// Number column that is added to the log odds of every class against the first; `offset()` of the formula comes on top.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub offset: Option<String>,
    /// Units of change for odds ratios, by column.
    pub units: Vec<(String, f64)>,
    /// Distance from the optimum, in standard errors, at which the fit stops; default 1e-10, 1e-8 for fits without inference, and 1e-3
    /// for words and for more than 3000 coefficients.
    pub tolerance: Option<f64>,
    /// Parameters up to which second derivatives are summed up in every pass, because to make the rows costs as much as these sums; default: none, and rows
    /// cost nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dear_rows: Option<usize>,
    /// How the optimum is looked for; default Newton.
    #[serde(alias = "route")]
    pub solver: Solver,
    /// Most steps; default 200, and 100,000 for descents.
    pub most_steps: Option<usize>,
    /// Where the search starts; default: at the linear discriminant. The optimum is the same.
    pub start: Option<StartPoint>,
    /// The same by the names of parameters, those that are not named at zero; goes before `start`. A name is that of a design column or
    /// `(intercept)`, after the class and a dot with more than two classes. A start that names the first class gives every class a line of its own.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub start_at: Vec<(String, f64)>,
    /// Units in which gradient descent takes its steps.
    #[serde(default, skip_serializing_if = "DescentUnits::is_spread")]
    pub descent_units: DescentUnits,
    /// Whether the point at which the steps ran out is taken in place of an error, and from which distance on, in standard errors, it
    /// comes with a notice; default no.
    pub unfinished: Option<f64>,
    /// Whether large data are first fitted on a sample of their partitions, to find a start; default yes. The optimum is the same.
    pub sampling: bool,
}

impl Default for Logistic {
    fn default() -> Self {
        Logistic {
            formula: None,
            options: DesignOptions::default(),
            class_proportions: None,
            l2: 0.0,
            l1: 0.0,
            prior_sd: None,
            intercept_sd: None,
            firth: false,
            on_separation: OnSeparation::default(),
            class_weights: ClassWeighting::default(),
            keep_class_weights: false,
            precision: Intervals::default(),
            level: 0.95,
            tests: true,
            robust: None,
            cluster: None,
            offset: None,
            units: Vec::new(),
            tolerance: None,
            dear_rows: None,
            solver: Solver::default(),
            most_steps: None,
            start: None,
            start_at: Vec::new(),
            descent_units: DescentUnits::default(),
            unfinished: None,
            sampling: true,
        }
    }
}

impl Logistic {
    /// Defaults.
    pub fn new() -> Self {
        Logistic::default()
    }

    /// A formula with defaults for everything else.
    pub fn with_formula(formula: Formula) -> Self {
        Logistic { formula: Some(formula), ..Logistic::default() }
    }

    /// Refuses values outside their ranges.
    pub(crate) fn check(&self) -> Result<()> {
        at_least("l2", self.l2, 0.0)?;
        at_least("l1", self.l1, 0.0)?;
        if !(self.level > 0.0 && self.level < 1.0) {
            return Err(Error::option("level", self.level, "a number between 0 and 1, such as 0.95"));
        }
        if let Some(tolerance) = self.tolerance.filter(|tolerance| !(*tolerance > 0.0 && *tolerance < 1.0)) {
            return Err(Error::option("tolerance", tolerance, "a number between 0 and 1"));
        }
        if let Solver::Gradient { rate, stop } | Solver::Sgd { rate, stop, .. } = self.solver {
            let positive = |value: f64| value > 0.0 && value.is_finite();
            if !positive(rate) || !positive(stop) {
                return Err(Error::option("rate", format!("{rate}, stop {stop}"), "positive finite numbers"));
            }
            if self.firth || self.l1 > 0.0 || (self.l2 > 0.0 && matches!(self.solver, Solver::Sgd { .. })) {
                return Err(Error::option("solver", "gradient or sgd", "descents are for fits without these penalties; use newton"));
            }
        }
        if let ClassWeighting::Given(pairs) = &self.class_weights {
            for (class, weight) in pairs {
                if !(*weight > 0.0 && weight.is_finite()) {
                    return Err(Error::option("class-weight", format!("{class}={weight}"), "positive finite numbers"));
                }
            }
        }
        if let Some(sd) = self.intercept_sd.filter(|sd| self.prior_sd.is_none() || !(*sd > 0.0 && sd.is_finite())) {
            return Err(Error::option("intercept-sd", sd, "a positive finite number, beside a prior of the coefficients (prior-sd)"));
        }
        if let Some(sd) = self.prior_sd {
            if !(sd > 0.0 && sd.is_finite()) {
                return Err(Error::option("prior-sd", sd, "a positive finite number"));
            }
            if self.firth || self.l2 > 0.0 || self.l1 > 0.0 || self.robust.is_some() || self.cluster_column().is_some() {
                return Err(Error::option("prior-sd", sd, "a prior does not go with a penalty or robust standard errors"));
            }
        }
        if let Some((column, size)) = self.units.iter().find(|(_, size)| !(*size > 0.0 && size.is_finite())) {
            return Err(Error::option("unit", format!("{column}={size}"), "a column and a finite number above 0, such as age=10"));
        }
        if let Some(formula) = self.formula.as_ref().filter(|formula| formula.key(Role::Stratum).is_some()) {
            return Err(formula.unused_key(Role::Stratum, "logistic regression"));
        }
        if let (Some(option), Some(column)) = (&self.cluster, self.formula.as_ref().and_then(|formula| formula.key(Role::Cluster)))
            && *option != column.name
        {
            return Err(Error::option("cluster", option, format!("the formula has cluster({column}); give one of them")));
        }
        self.check_infinite()?;
        if self.firth && (self.l2 > 0.0 || self.l1 > 0.0) {
            return Err(Error::option("firth", "on", "Firth's penalty does not go with another penalty"));
        }
        Ok(())
    }

    /// Infinite coefficients are those of a likelihood that counts rows, at its supremum.
    fn check_infinite(&self) -> Result<()> {
        let weighted = self.robust.is_some() || self.cluster_column().is_some() || self.class_weights != ClassWeighting::None;
        match self.on_separation == OnSeparation::Infinite && (weighted || self.solver != Solver::Newton || self.unfinished.is_some()) {
            true => Err(Error::option(
                "on-separation",
                "infinite",
                "infinite estimates go with Newton's method, and with neither robust errors, clusters nor class weights",
            )),
            false => Ok(()),
        }
    }

    /// The distance from the optimum at which the fit stops.
    pub(crate) fn tolerance(&self) -> f64 {
        self.tolerance.unwrap_or(if self.precision == Intervals::None { 1e-8 } else { 1e-10 })
    }

    /// Most steps of the solver.
    pub(crate) fn most_steps(&self) -> usize {
        self.most_steps.unwrap_or(if self.solver == Solver::Newton { MOST_STEPS } else { MOST_DESCENTS })
    }

    /// Whether second derivatives at the optimum are of use.
    pub(crate) fn wants_information(&self) -> bool {
        self.precision > Intervals::None && self.l1 == 0.0
    }

    /// Strength of the quadratic penalty: that of the prior where there is one.
    pub(crate) fn ridge(&self) -> f64 {
        self.prior_sd.map_or(self.l2, |sd| (sd * sd).recip())
    }

    /// The column of clusters, from the options or from the formula.
    pub(crate) fn cluster_column(&self) -> Option<&str> {
        let in_formula = || self.formula.as_ref()?.key(Role::Cluster).map(|column| column.name.as_str());
        self.cluster.as_deref().or_else(in_formula)
    }

    /// Where the clusters of rows lie.
    pub(crate) fn cluster_place(&self, layout: &Layout) -> Result<Option<KeyPlace>> {
        self.cluster_column().map(|name| KeyPlace::find(layout, Role::Cluster, name)).transpose()
    }

    /// Columns that are read and are no predictors.
    pub(crate) fn reserved(&self) -> Vec<String> {
        self.class_proportions.iter().flatten().chain(&self.offset).cloned().collect()
    }

    /// Columns by which rows belong together. One that is a predictor as well stays among the features.
    pub(crate) fn keys(&self) -> Vec<(String, Role)> {
        let predicts = |name: &str| self.formula.as_ref().is_some_and(|formula| formula.columns().iter().any(|column| column == name));
        self.cluster_column().filter(|name| !predicts(name)).map(|name| (name.to_owned(), Role::Cluster)).into_iter().collect()
    }
}
