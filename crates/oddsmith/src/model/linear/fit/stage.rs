//! Where a fit stands between two passes.

use std::sync::Arc;

use nalgebra::{DMatrix, DVector};

use crate::model::linear::fit::coordinates::Coordinates;
use crate::model::linear::fit::eval_point::Shape;
use crate::model::linear::fit::penalty::Penalty;
use crate::model::linear::fit::rank::Doubt;
use crate::model::linear::fit::sample::Sample;
use crate::model::linear::fit::solver::{Next, Second, SolverState};
use crate::model::linear::fit::survey::Survey;
use crate::model::linear::infer::face::Face;
use crate::model::linear::infer::reduction::Reduction;
use crate::model::linear::infer::row_sums::RowSums;
use crate::model::linear::infer::search::{Aim, Search, SearchOutcome};

/// Step at which separation is first looked for.
pub(crate) const FIRST_CHECK: usize = 4;

/// What the next pass is for.
#[derive(Debug, Clone)]
pub(crate) enum Stage {
    /// To write the design down.
    Design,
    /// To look at the rows for the first time; again in other units when the first ones left the range of numbers.
    Survey,
    /// To look at the remainders of doubtful columns.
    Rank(Box<Ranking>),
    /// To hold sparse rows and search over them from a point.
    Held { facts: Arc<Facts>, theta: Vec<f64> },
    /// To look at the point that the solver asks for.
    Fit(Box<Fitting>),
    /// To add the slope of Firth's penalty to answers of another stage.
    Jeffreys { inner: Box<Stage>, answers: Vec<Raw> },
    /// To prove or refute separation along the next step; `next` is what the solver wants otherwise, `max_abs_eta` the largest |η|.
    SeparationCheck { fitting: Box<Fitting>, next: Next, max_abs_eta: f64 },
    /// To look for a direction that separates once a search has ended.
    Reduction(Box<Reduction>),
    /// To see whether a direction is the only one that separates, and which rows it leaves undecided.
    Ascent(Arc<Face>),
    /// To look at the point from which questions about infinite coefficients start.
    Outset(Box<Analysis>),
    /// To walk along the rows from a point, after this many epochs and rows.
    SgdEpoch { facts: Arc<Facts>, theta: Vec<f64>, epochs: usize, seen: f64 },
    /// To follow the searches.
    Analyse(Box<Analysis>),
    /// To sum up squared scores.
    ScoreCovariance(Box<Analysis>),
    /// To answer another place, which alone knows where the fit stands.
    Elsewhere,
}

/// The objective at one point, as a pass gives it.
#[derive(Debug, Clone)]
pub(crate) struct Raw {
    pub(crate) value: f64,
    pub(crate) gradient: Vec<f64>,
    pub(crate) hessian: Option<DMatrix<f64>>,
    pub(crate) diagonal: Option<Vec<f64>>,
    pub(crate) max_abs_eta: f64,
}

impl Raw {
    /// What a solver is told.
    pub(crate) fn into_parts(self) -> (f64, Vec<f64>, Second) {
        let second = match (self.hessian, self.diagonal) {
            (Some(hessian), _) => Second::Full(hessian),
            (_, Some(diagonal)) => Second::Diagonal(diagonal),
            _ => Second::None,
        };
        (self.value, self.gradient, second)
    }
}

/// Doubtful columns under examination.
#[derive(Debug, Clone)]
pub(crate) struct Ranking {
    /// The look at the columns themselves.
    pub(crate) first: Survey,
    /// Squares of the kept columns, before any was replaced.
    pub(crate) sizes: Vec<f64>,
    /// Squares that rounding of the cells alone could give them.
    pub(crate) roundings: Vec<f64>,
    /// Replaced columns, among the kept ones.
    pub(crate) turned: Vec<usize>,
    pub(crate) aliases: Vec<Doubt>,
    pub(crate) constant: Vec<usize>,
    pub(crate) evaluations: usize,
}

/// What the first looks have shown; it does not change any more.
#[derive(Debug)]
pub(crate) struct Facts {
    pub(crate) survey: Survey,
    pub(crate) shape: Shape,
    pub(crate) aliases: Vec<Doubt>,
    pub(crate) constant: Vec<usize>,
    /// Separations without whose columns the fit is made.
    pub(crate) left_out: Vec<Separation>,
    pub(crate) penalty: Penalty,
    /// Columns as far as their products cost time: those of a wide category cost little together.
    pub(crate) products: usize,
    /// Whether no number is missing or infinite.
    pub(crate) no_missing: bool,
    /// Partitions of the source.
    pub(crate) partitions: usize,
}

impl Facts {
    /// The same rows, seen through other columns and without a penalty.
    pub(crate) fn of_columns(&self, coordinates: &Coordinates) -> Facts {
        let shape = Shape { width: coordinates.width(), ..self.shape };
        Facts {
            survey: self.survey.clone(),
            shape,
            aliases: Vec::new(),
            constant: Vec::new(),
            left_out: Vec::new(),
            penalty: Penalty::new(vec![0.0; shape.width], 0.0, shape),
            products: self.products,
            no_missing: self.no_missing,
            partitions: self.partitions,
        }
    }
}

/// A fit under way.
#[derive(Debug, Clone)]
pub(crate) struct Fitting {
    pub(crate) facts: Arc<Facts>,
    pub(crate) solver: SolverState,
    pub(crate) firth: bool,
    /// Whether Firth's penalty stands in for a maximum that does not exist.
    pub(crate) rescued: Option<Separation>,
    /// Step at which separation is looked for next.
    pub(crate) check_at: usize,
    /// The partitions of this fit: all, or some to find a start.
    pub(crate) sample: Sample,
    /// Second derivatives without penalty at the last point that had them.
    pub(crate) curvature: Option<DMatrix<f64>>,
    /// Whether the rows are yet to be counted.
    pub(crate) uncounted: bool,
    /// Where a descent starts once this search has shown that there is an optimum.
    pub(crate) descent_from: Option<Vec<f64>>,
    /// Whether this is a descent, which goes on whatever a check of separation would say.
    pub(crate) descends: bool,
    /// Whether the search has begun again at the null model.
    pub(crate) restarted: bool,
    /// Levels of wide categories that were asked whether they separate by themselves.
    pub(crate) levels_tried: usize,
    /// What this search is a part of, where it only asks whether fewer columns separate.
    pub(crate) narrowing: Option<Box<Narrowing>>,
}

/// The way from columns that separate to the fewest of them that do.
#[derive(Debug, Clone)]
pub(crate) struct Narrowing {
    /// The fit that has no estimate, and its coordinates.
    pub(crate) fitting: Fitting,
    pub(crate) coordinates: Arc<Coordinates>,
    /// What is proved so far.
    pub(crate) separation: Separation,
    /// Columns that were not yet left out, the next one last, and how many of them are left out at a time.
    pub(crate) untried: Vec<usize>,
    pub(crate) at_a_time: usize,
    /// Those that are left out now.
    pub(crate) left_out: Vec<usize>,
    /// Passes before the first column was left out.
    pub(crate) begun: usize,
}

impl Fitting {
    /// The first steps of a search over all rows.
    pub(crate) fn new(facts: Arc<Facts>, solver: SolverState, firth: bool) -> Self {
        Fitting {
            facts,
            solver,
            firth,
            rescued: None,
            check_at: FIRST_CHECK,
            sample: Sample::All,
            curvature: None,
            uncounted: false,
            descent_from: None,
            descends: false,
            restarted: false,
            levels_tried: 0,
            narrowing: None,
        }
    }
}

/// A proven separation.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Separation {
    pub(crate) complete: bool,
    /// Design columns along which the likelihood rises forever, and their weights per output.
    pub(crate) columns: Vec<(usize, Vec<f64>)>,
}

/// The end of a fit: the optimum, unless it did not converge.
#[derive(Debug, Clone)]
pub(crate) struct Estimate {
    pub(crate) theta: DVector<f64>,
    /// Second derivatives of −log likelihood (with the penalty) there; `None` for wide models.
    pub(crate) information: Option<DMatrix<f64>>,
    /// −log likelihood, penalties included.
    pub(crate) objective: f64,
    /// −log likelihood without penalties.
    pub(crate) loss: f64,
    pub(crate) steps: usize,
    pub(crate) distance: f64,
    /// Whether that is near enough to be called the optimum.
    pub(crate) converged: bool,
    pub(crate) firth: bool,
    pub(crate) rescued: Option<Separation>,
}

/// Why a search is made.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Purpose {
    /// The fit without any slope.
    Null,
    /// The fit without a term.
    Without(usize),
    /// The fit with the terms before this one only.
    Before(usize),
    /// An end of the interval of a parameter.
    Limit { parameter: usize, upper: bool },
    /// The penalised fit without one parameter.
    Parameter(usize),
}

/// Questions about the optimum, some of them answered.
#[derive(Debug, Clone)]
pub(crate) struct Analysis {
    pub(crate) facts: Arc<Facts>,
    pub(crate) estimate: Arc<Estimate>,
    pub(crate) waiting: Vec<(Purpose, Search)>,
    pub(crate) active: Vec<(Purpose, Search)>,
    pub(crate) answers: Vec<(Purpose, SearchOutcome)>,
    /// The direction along which coefficients are infinite, and what is asked about these, once the undecided rows have answered.
    pub(crate) face: Option<Arc<Face>>,
    pub(crate) later: Vec<(Purpose, Aim)>,
    /// The robust covariance in the solver's coordinates.
    pub(crate) sandwich: Option<DMatrix<f64>>,
    pub(crate) clusters: Option<usize>,
    pub(crate) row_sums: Option<RowSums>,
}

impl Stage {
    /// The stage with what the rows add up to at the optimum.
    pub(crate) fn with_row_sums(&self, sums: &RowSums) -> Stage {
        match self {
            Stage::Analyse(analysis) => Stage::Analyse(Box::new(Analysis { row_sums: Some(sums.clone()), ..(**analysis).clone() })),
            other => other.clone(),
        }
    }
}
