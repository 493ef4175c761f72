//! Bases: a value, or a point, becomes several columns.
//!
//! A basis is made from its variable in the formula and, where the data decide, from parameters that a survey found. The
//! parameters are plain numbers, so that a model file can hold them.

mod bspline;
mod natural;
mod poly;
mod radial;

use super::survey::Observed;
use super::value_table::ValueTable;
use crate::data::Weighting;
use crate::data::formula::{Centers, Expr, Knots, Rbf, Spline, Variable};
use crate::num::mdl_cuts;
use bspline::BSpline;
use natural::NaturalSpline;
use poly::{Powers, orthonormal_parameters};
use radial::Radial;

/// A basis, ready to be evaluated.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Basis {
    /// x, x², …, x^degree.
    RawPowers(usize),
    /// Orthonormal polynomials.
    Powers(Powers),
    /// B-splines without the first.
    BSpline(BSpline),
    /// Natural cubic splines.
    Natural(NaturalSpline),
    /// Radial functions.
    Radial(Radial),
}

/// What a survey must collect for a basis.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wanted {
    /// Every value, for quantiles and sums.
    Values,
    /// The smallest and the largest value.
    Range,
    /// Points of a sample.
    Points,
    /// Every value, by class.
    Classes,
}

/// The values that a basis is computed from; none when the variable is no basis.
pub(super) fn arguments(variable: &Variable) -> Vec<&Expr> {
    match variable {
        Variable::Poly(poly) => vec![&poly.of],
        Variable::Spline(spline) => vec![&spline.of],
        Variable::Rbf(rbf) => rbf.of.iter().collect(),
        Variable::MdlBins(bins) => vec![&bins.of],
        Variable::Column(_) | Variable::Number(_) | Variable::Category(_) | Variable::Cut(_) => Vec::new(),
    }
}

/// What must be collected for a variable, when the data decide about it.
pub(super) fn wanted(variable: &Variable) -> Option<Wanted> {
    match variable {
        Variable::Poly(poly) => (!poly.raw).then_some(Wanted::Values),
        Variable::Spline(Spline { knots: Knots::DegreesOfFreedom(_), .. }) => Some(Wanted::Values),
        Variable::Spline(Spline { knots: Knots::At(_), .. }) => Some(Wanted::Range),
        Variable::Rbf(Rbf { centers: Centers::Count(_), .. }) => Some(Wanted::Points),
        Variable::MdlBins(_) => Some(Wanted::Classes),
        _ => None,
    }
}

/// The parameters of a basis from what a survey collected, or what stands in the way.
pub(super) fn parameters(variable: &Variable, observed: &Observed, weighting: Weighting) -> Result<Vec<f64>, String> {
    match (variable, observed) {
        (Variable::Poly(poly), Observed::Values(values)) => orthonormal_parameters(values, poly.degree),
        (Variable::Spline(spline), Observed::Values(values)) => {
            let (lo, hi) = values.range().ok_or("there is no value to place knots by")?;
            let inner = inner_knots(spline);
            let unit = if weighting == Weighting::Sampling { values.mean_weight() } else { 1.0 };
            let knots = (1..=inner).map(|at| values.quantile(at as f64 / (inner + 1) as f64, unit));
            Ok([lo, hi].into_iter().chain(knots).collect())
        }
        (Variable::Spline(_), Observed::Range(range)) => {
            let (lo, hi) = range.ok_or("there is no value to place knots by")?;
            Ok(vec![lo, hi])
        }
        (Variable::Rbf(rbf), Observed::Points(points)) => match &rbf.centers {
            Centers::Count(count) => radial::placed(points, *count, rbf.width),
            Centers::At(_) => Err("its centres are given".into()),
        },
        (Variable::MdlBins(_), Observed::Classes(classes)) => match value_cuts(classes) {
            cuts if cuts.is_empty() => Err("no cut of its values tells enough about the classes to pay for itself".into()),
            cuts => Ok(cuts),
        },
        _ => Err("the survey is of another formula".into()),
    }
}

/// Cuts between values that pay for themselves by description length.
fn value_cuts(classes: &[ValueTable]) -> Vec<f64> {
    let mut values: Vec<f64> = classes.iter().flat_map(|class| class.entries().iter().map(|(value, _)| *value)).collect();
    values.sort_by(f64::total_cmp);
    values.dedup();
    let mut counts = vec![0.0; values.len() * classes.len()];
    for (k, class) in classes.iter().enumerate() {
        for (value, weight) in class.entries() {
            counts[values.partition_point(|known| known < value) * classes.len() + k] += weight;
        }
    }
    let between = |bin: usize| {
        let (low, high) = (values[bin - 1], values[bin]);
        let middle = 0.5 * low + 0.5 * high;
        if middle > low { middle } else { high }
    };
    mdl_cuts(&counts, classes.len()).into_iter().map(between).collect()
}

fn inner_knots(spline: &Spline) -> usize {
    match &spline.knots {
        Knots::DegreesOfFreedom(df) => df.saturating_sub(if spline.natural { 1 } else { spline.degree }),
        Knots::At(knots) => knots.len(),
    }
}

impl Basis {
    /// The basis of a variable; `parameters` are empty when the data do not decide. Says what is wrong with them.
    pub(super) fn new(variable: &Variable, parameters: &[f64]) -> Result<Self, String> {
        match variable {
            Variable::Poly(poly) if poly.raw => Ok(Basis::RawPowers(poly.degree)),
            Variable::Poly(poly) => Powers::new(poly.degree, parameters).map(Basis::Powers),
            Variable::Spline(spline) => {
                let (&[lo, hi], found) = parameters.split_first_chunk().ok_or("the range of the data is not known")?;
                let knots = match &spline.knots {
                    Knots::At(knots) if found.is_empty() => knots,
                    Knots::DegreesOfFreedom(_) if found.len() == inner_knots(spline) => found,
                    _ => return Err("the number of knots is wrong".into()),
                };
                match spline.natural {
                    true => NaturalSpline::new(lo, hi, knots).map(Basis::Natural),
                    false => BSpline::new(spline.degree, lo, hi, knots).map(Basis::BSpline),
                }
            }
            Variable::Rbf(rbf) => match &rbf.centers {
                Centers::Count(count) => Radial::new(rbf.of.len(), *count, parameters).map(Basis::Radial),
                Centers::At(centers) => radial::given(rbf.of.len(), centers, rbf.width).map(Basis::Radial),
            },
            Variable::Column(_) | Variable::Number(_) | Variable::Category(_) | Variable::Cut(_) | Variable::MdlBins(_) => {
                Err("it is no basis".into())
            }
        }
    }

    /// Number of columns.
    pub(super) fn width(&self) -> usize {
        match self {
            Basis::RawPowers(degree) => *degree,
            Basis::Powers(powers) => powers.degree(),
            Basis::BSpline(spline) => spline.functions() - 1,
            Basis::Natural(spline) => spline.width(),
            Basis::Radial(radial) => radial.width(),
        }
    }

    /// Evaluates all columns: `of` are the coordinates, `out` holds the columns one after another.
    pub(super) fn evaluate(&self, of: &[&[f64]], out: &mut [f64]) {
        let x = of.first().copied().unwrap_or(&[]);
        if x.is_empty() {
            return;
        }
        match self {
            Basis::RawPowers(_) => poly::raw_powers(x, out),
            Basis::Powers(powers) => powers.evaluate(x, out),
            Basis::BSpline(spline) => spline.evaluate_without_first(x, out),
            Basis::Natural(spline) => spline.evaluate(x, out),
            Basis::Radial(radial) => radial.evaluate(of, out),
        }
    }
}
