//! The options of logistic and softmax regression, and of one regression per class.

use crate::data::DesignOptions;
use crate::error::{Error, Result};
use crate::model::linear::fit::descent::{DescentUnits, Solver};
use crate::model::linear::infer::sandwich::Robust;
use crate::model::linear::options::{ClassWeighting, Intervals, Logistic};
use crate::model::params::shared::{CLUSTER, L2, MISSING, OFFSET};
use crate::model::params::{Param, ParamKind, Params, split_list, split_pair};

const FROM_ZERO: ParamKind = ParamKind::Number { least: 0.0, most: f64::INFINITY };
const POSITIVE: ParamKind = ParamKind::Between { least: 0.0, most: f64::INFINITY };
const SHARE: ParamKind = ParamKind::Between { least: 0.0, most: 1.0 };
const UNITS: &str = "pairs of a column and a number, such as age=10";
const STARTS: &str = "pairs of a parameter and a number, such as (intercept)=0,age=0.1";
const WEIGHTS: &str = "balanced, or factors such as yes=2,no=1";

const L1: Param = Param::new("l1", FROM_ZERO, "λ", "0", "Strength λ of the penalty λ Σ |β|");
const PRIOR_SD: Param = Param::new(
    "prior-sd",
    POSITIVE,
    "SD",
    "",
    "Standard deviation of a Gaussian prior of every coefficient: gives a posterior and its log marginal likelihood",
);
const INTERCEPT_SD: Param = Param::new(
    "intercept-sd",
    POSITIVE,
    "SD",
    "10",
    "Standard deviation of the prior of the intercept, which is the log odds at the means of the columns; goes with a prior of the coefficients",
);
/// Firth's likelihood.
pub(crate) const FIRTH: Param =
    Param::flag("firth", "Firth's penalised likelihood: finite estimates under separation, less bias in small samples");
const ON_SEPARATION: Param = Param::new(
    "on-separation",
    ParamKind::Choice(&["error", "firth", "drop", "infinite"]),
    "WHAT",
    "error",
    "What to do when no finite estimate exists: stop, use Firth's likelihood, leave the columns out that separate the classes, or report \
     infinite odds ratios with one finite limit",
);
const CI: Param = Param::new(
    "ci",
    ParamKind::Choice(&["profile", "wald", "none"]),
    "KIND",
    "profile, and wald where that would take long or errors are robust",
    "Intervals: from the profile of the likelihood, from the standard error, or none; none leaves out standard errors too",
);
const LEVEL: Param = Param::new("level", SHARE, "LEVEL", "0.95", "Level of intervals");
const UNIT: Param = Param::new(
    "unit",
    ParamKind::Pairs(UNITS),
    "COLUMN=SIZE,…",
    "",
    "Odds ratios for a change by this much, such as age=10; may be repeated",
);
const ROBUST: Param =
    Param::new("robust", ParamKind::Choice(&["HC0", "HC1", "HC2", "HC3"]), "KIND", "", "Standard errors that do not trust the model");
const CONTRAST: Param =
    Param::new("contrast", ParamKind::Choice(&["treatment", "sum", "poly"]), "CONTRAST", "treatment", "Contrast of categories");
const REFERENCE: Param = Param::new(
    "ref",
    ParamKind::Pairs("pairs such as race=white"),
    "COLUMN=LEVEL,…",
    "",
    "Reference level of a category, or the class that others are compared with, such as race=white; may be repeated",
);
const CLASS_WEIGHT: Param = Param::new(
    "class-weight",
    ParamKind::Text(WEIGHTS),
    "WEIGHTS",
    "",
    "Weights of classes: balanced, or factors such as yes=2,no=1. Probabilities are corrected for them",
);
const KEEP_CLASS_WEIGHTS: Param = Param::flag("keep-class-weights", "Do not correct probabilities for the class weights");
const CLASS_PROPORTIONS: Param = Param::new(
    "class-proportions",
    ParamKind::Columns,
    "COLUMN,…",
    "",
    "Columns with the proportion of every class, in place of a target; the classes have the names of the columns",
)
.or(&["shares"]);
const NO_TESTS: Param = Param::flag("no-tests", "No likelihood-ratio tests of the terms");
const TOLERANCE: Param = Param::new(
    "tolerance",
    SHARE,
    "DISTANCE",
    "1e-10; 1e-8 without intervals; 1e-3 for words and above 3000 coefficients",
    "Stop at this distance from the optimum, in standard errors",
);
const SOLVER: Param = Param::new(
    "solver",
    ParamKind::Choice(&["newton", "gradient", "sgd", "stochastic"]),
    "SOLVER",
    "newton",
    "How the optimum is looked for: Newton's steps, gradient descent, or stochastic gradient descent",
)
.or(&["route"]);
const RATE: Param = Param::new("rate", POSITIVE, "η", "1; sgd 0.05", "Rate η of a descent: of the mean loss, in columns of unit spread");
const DESCENT_UNITS: Param = Param::new(
    "descent-units",
    ParamKind::Choice(&["spread", "columns"]),
    "UNITS",
    "spread",
    "Units of gradient descent: columns of about unit spread around their means, or columns as they are",
);
const START: Param = Param::new(
    "start",
    ParamKind::Pairs(STARTS),
    "PARAMETER=VALUE,…",
    "near the optimum",
    "Where the search starts, such as (intercept)=0,age=0.1, or dog.age=0.1 with more than two classes; others start at 0",
);
const STOP: Param = Param::new(
    "stop",
    POSITIVE,
    "ε",
    "1e-9; sgd 1e-4",
    "Stop a descent when a step (an epoch) moves the coefficients by no more than this",
);
const HALF_AFTER: Param =
    Param::new("half-after", POSITIVE, "ROWS", "2000", "Rows after which the rate of a stochastic descent has halved");
const MAX_STEPS: Param = Param::new(
    "max-steps",
    ParamKind::Whole { least: 0, most: u64::MAX },
    "N",
    "200, and 100000 for descents",
    "Most steps of the solver, or epochs of sgd",
);

/// Options of logistic and softmax regression.
pub(crate) const LOGISTIC: &[&Param] = &[
    &L2,
    &PRIOR_SD,
    &INTERCEPT_SD,
    &L1,
    &FIRTH,
    &ON_SEPARATION,
    &CI,
    &LEVEL,
    &UNIT,
    &ROBUST,
    &CLUSTER,
    &OFFSET,
    &MISSING,
    &CONTRAST,
    &REFERENCE,
    &CLASS_WEIGHT,
    &KEEP_CLASS_WEIGHTS,
    &CLASS_PROPORTIONS,
    &NO_TESTS,
    &TOLERANCE,
    &SOLVER,
    &RATE,
    &DESCENT_UNITS,
    &STOP,
    &HALF_AFTER,
    &MAX_STEPS,
    &START,
];

/// Options of one regression per class: what looks at all classes together is left out.
pub(crate) const ONE_VS_REST: &[&Param] = &[
    &L2,
    &PRIOR_SD,
    &INTERCEPT_SD,
    &L1,
    &FIRTH,
    &ON_SEPARATION,
    &CI,
    &LEVEL,
    &UNIT,
    &ROBUST,
    &OFFSET,
    &MISSING,
    &CONTRAST,
    &REFERENCE,
    &CLASS_WEIGHT,
    &KEEP_CLASS_WEIGHTS,
    &TOLERANCE,
    &SOLVER,
    &RATE,
    &DESCENT_UNITS,
    &STOP,
    &HALF_AFTER,
    &MAX_STEPS,
];

impl Logistic {
    /// A regression with the options and the formula that were given.
    pub fn from_params(params: &Params) -> Result<Self> {
        let default = Logistic::default();
        let robust = params.text("robust").map(robust).transpose()?;
        let solver = solver(params)?;
        let descent_units = descent_units(params, solver)?;
        let learner = Logistic {
            formula: params.formula().cloned(),
            options: DesignOptions {
                missing: params.parsed("missing")?.unwrap_or_default(),
                contrast: params.parsed("contrast")?.unwrap_or_default(),
                references: params.pairs("ref"),
            },
            class_proportions: params.names("class-proportions"),
            l2: params.number("l2").unwrap_or(default.l2),
            l1: params.number("l1").unwrap_or(default.l1),
            prior_sd: params.number("prior-sd"),
            intercept_sd: params.number("intercept-sd"),
            firth: params.flag("firth"),
            on_separation: params.parsed("on-separation")?.unwrap_or_default(),
            class_weights: params.text("class-weight").map_or(Ok(ClassWeighting::None), class_weights)?,
            keep_class_weights: params.flag("keep-class-weights"),
            precision: intervals(params)?,
            level: params.number("level").unwrap_or(default.level),
            tests: !params.flag("no-tests"),
            robust,
            cluster: params.text("cluster").map(str::to_owned),
            offset: params.text("offset").map(str::to_owned),
            units: params.pairs("unit").into_iter().map(unit).collect::<Result<_>>()?,
            tolerance: params.number("tolerance"),
            solver,
            start_at: params.pairs("start").into_iter().map(start_value).collect::<Result<_>>()?,
            descent_units,
            most_steps: params.whole("max-steps").map(|steps| usize::try_from(steps).unwrap_or(usize::MAX)),
            ..default
        };
        if learner.keep_class_weights && learner.class_weights == ClassWeighting::None {
            return Err(Error::option("keep-class-weights", "on", "it goes with class weights"));
        }
        learner.check()?;
        Ok(learner)
    }
}

/// Intervals that suit the rest of the options, where none were asked for.
fn intervals(params: &Params) -> Result<Intervals> {
    let robust = params.has("robust") || params.has("cluster");
    let penalised = ["l1", "l2"].iter().any(|penalty| params.number(penalty).is_some_and(|strength| strength > 0.0));
    match params.text("ci") {
        Some("profile") if robust => Err(Error::option("ci", "profile", "robust standard errors have no likelihood to profile; wald")),
        Some("profile") => Ok(Intervals::Profile),
        Some("none") => Ok(Intervals::None),
        None if !robust && !penalised => Ok(Intervals::Profile),
        _ => Ok(Intervals::Wald),
    }
}

fn robust(name: &str) -> Result<Robust> {
    match name {
        "HC0" => Ok(Robust::Hc0),
        "HC1" => Ok(Robust::Hc1),
        "HC2" => Ok(Robust::Hc2),
        "HC3" => Ok(Robust::Hc3),
        other => Err(Error::option("robust", other, ROBUST.kind.accepted())),
    }
}

fn solver(params: &Params) -> Result<Solver> {
    match params.text("solver") {
        Some("gradient") => {
            Ok(Solver::Gradient { rate: params.number("rate").unwrap_or(1.0), stop: params.number("stop").unwrap_or(1e-9) })
        }
        Some("sgd" | "stochastic") => Ok(Solver::Sgd {
            rate: params.number("rate").unwrap_or(0.05),
            half_after: params.number("half-after").unwrap_or(2000.0),
            stop: params.number("stop").unwrap_or(1e-4),
        }),
        _ => match ["rate", "stop", "half-after"].into_iter().find(|name| params.has(name)) {
            Some(name) => Err(Error::option(name, params.text(name).unwrap_or_default(), "it belongs to the solvers gradient and sgd")),
            None => Ok(Solver::Newton),
        },
    }
}

/// The units of a descent, which only gradient descent has.
fn descent_units(params: &Params, solver: Solver) -> Result<DescentUnits> {
    match (params.text("descent-units"), solver) {
        (Some("columns"), Solver::Gradient { .. }) => Ok(DescentUnits::Columns),
        (None | Some("spread"), _) => Ok(DescentUnits::Spread),
        (Some(other), _) => Err(Error::option("descent-units", other, "it belongs to the solver gradient")),
    }
}

fn start_value((name, text): (String, String)) -> Result<(String, f64)> {
    match text.trim().parse::<f64>().ok().filter(|value| value.is_finite()) {
        Some(value) => Ok((name, value)),
        None => Err(Error::option("start", format!("{name}={text}"), STARTS)),
    }
}

fn unit((column, text): (String, String)) -> Result<(String, f64)> {
    match text.trim().parse::<f64>().ok().filter(|size| size.is_finite() && *size > 0.0) {
        Some(size) => Ok((column, size)),
        None => Err(Error::option("unit", format!("{column}={text}"), "pairs of a column and a positive number, such as age=10")),
    }
}

fn class_weights(text: &str) -> Result<ClassWeighting> {
    if text == "balanced" {
        return Ok(ClassWeighting::Balanced);
    }
    let pair = |item: &String| {
        let (class, weight) = split_pair(item)?;
        Some((class.to_owned(), weight.trim().parse().ok()?))
    };
    let refused = || Error::option("class-weight", text, WEIGHTS);
    split_list(text).iter().map(|item| pair(item).ok_or_else(refused)).collect::<Result<_>>().map(ClassWeighting::Given)
}
