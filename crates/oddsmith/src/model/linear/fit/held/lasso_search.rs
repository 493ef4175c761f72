//! Lasso and elastic net over rows that are held: F(θ) = Σ_i w_i [ln(1 + e^{η_i}) − y_i η_i] + ½ Σ_j λ_j θ_j² + Σ_j a_j |θ_j|, η = o + Xθ.
//!
//! Every step minimises a quadratic model over the weights that are not zero and those whose slope their penalty does not bear, and is shortened
//! until F falls (Yuan, Ho and Lin, 2012). The penalty comes down to its strength from one that leaves nearly nothing, so few columns are ever in play;
//! far from the optimum a model is a cautious one and gets a few sweeps and no more, near it Newton's steps, which end what sweeps only approach.
//! The end: no slope violates the conditions of the optimum, |g_j| ≤ a_j at zero and g_j = −a_j sign θ_j elsewhere, by more than a share of a_j.
//! Then F is within twice that share of its least value, as Σ a_j |θ_j| ≤ F; as a rule it is far nearer.
//! Cost: two looks at all entries per step, and at those in play per sweep.

use super::columns::DistinctColumns;
use super::face::Divisor;
use super::quadratic_model::{QuadraticModel, violation};
use super::row_losses::{RowLosses, RowSlopes, along};
use super::{Progress, SearchEnd, SparseRows};

/// How much weaker the penalty is in every step until it is the one asked for.
const WEAKER: f64 = 3.0;
/// Violation, in units of the penalty, from which on a model is worth Newton's steps.
const NEAR: f64 = 2.0;
/// Steps under the penalty asked for after which it is worth them in any case: slopes of frequent words may be many penalties wide.
const PATIENCE: usize = 40;
/// Sweeps over a model that is far from the optimum or new, and between Newton's steps.
const FIRST_SWEEPS: usize = 3;
const SWEEPS: usize = 2;
/// Rounds of sweeps and Newton's steps.
const MOST_ROUNDS: usize = 12;
/// Share of the violation at which a model is left, on the way to the penalty asked for and with it.
const LOOSE: f64 = 0.3;
const TIGHT: f64 = 0.1;
/// What is added to second derivatives, as a share of their mean, at the start and at least: columns may determine one another.
const DAMPING: f64 = 1e-5;
const LEAST_DAMPING: f64 = 1e-12;
/// Steps that do not halve the violation after which rounding is all that is left of it, and the violation from which on that can be.
const FRUITLESS: usize = 8;
const ROUNDED: f64 = 1e-4;
/// Share of the expected descent that a step must bring, and halvings after which it is given up.
const SUFFICIENT: f64 = 0.01;
const MOST_HALVINGS: usize = 40;
/// Share of the largest slope at the start below which no penalty is a unit: rounding would not let it be reached.
const LEAST_UNIT: f64 = 1e-6;

/// The search.
#[derive(Debug)]
pub(super) struct LassoSearch<'a> {
    distinct: DistinctColumns,
    losses: RowLosses<'a>,
    /// Penalties of the distinct columns, and ridges of all.
    absolute: Vec<f64>,
    ridge: Vec<f64>,
    ridges: &'a [f64],
}

/// Where a search is.
struct Place {
    theta: Vec<f64>,
    scores: Vec<f64>,
    slopes: RowSlopes,
    value: f64,
}

/// The columns that may move at a point, and how far it is from the optimum.
struct Survey {
    columns: Vec<usize>,
    gradient: Vec<f64>,
    diagonal: Vec<f64>,
    /// The largest violation in units of the penalties.
    worst: f64,
    /// Violations in the metric of the diagonal: the distance in standard errors, were the columns unrelated.
    distance: f64,
}

impl<'a> LassoSearch<'a> {
    /// Over rows with the penalties of all columns.
    pub(super) fn new(rows: SparseRows<'_>, losses: RowLosses<'a>, ridges: &'a [f64], absolute: &[f64]) -> Self {
        let distinct = DistinctColumns::new(rows, absolute, ridges);
        let one = |strengths: &[f64], members: &[u32]| strengths[members[0] as usize];
        let ridge = distinct.members.iter().map(|members| one(ridges, members) / members.len() as f64).collect();
        let absolute = distinct.members.iter().map(|members| one(absolute, members)).collect();
        LassoSearch { distinct, losses, absolute, ridge, ridges }
    }

    /// Searches from a start until no violation is above a share of the penalties.
    pub(super) fn minimise(&self, start: &[f64], share: f64, most_steps: usize) -> SearchEnd {
        let theta = self.distinct.joined(start);
        let mut scores = self.losses.offsets.to_vec();
        let x = &self.distinct.columns;
        theta.iter().enumerate().filter(|(_, t)| **t != 0.0).for_each(|(k, t)| x.scatter(k, *t, &mut scores));
        let mut place = self.place(theta, scores, 1.0);
        let top = (0..x.len()).map(|k| x.gather(k, &place.slopes.first).abs()).fold(0.0, f64::max);
        let unit = self.units(top);
        let cold = place.theta.iter().zip(&self.absolute).all(|(t, a)| *t == 0.0 || *a == 0.0);
        let ratio = |k: usize| x.gather(k, &place.slopes.first).abs() / self.absolute[k];
        let zero = (0..x.len()).filter(|&k| self.absolute[k] > 0.0).map(ratio).fold(0.0, f64::max);
        let mut strength = if cold { (zero / WEAKER).max(1.0) } else { 1.0 };
        place.value = self.value(&place, strength);
        let (mut divisor, mut first, mut progress) = (Divisor::default(), None, Progress::new(FRUITLESS, ROUNDED));
        let (mut full, mut far) = (0, true);
        for steps in 0..most_steps {
            let curvatures = if far { self.losses.cautious(&place.scores, &place.slopes) } else { place.slopes.second.clone() };
            let survey = self.survey(&place, &curvatures, strength, &unit);
            let first = *first.get_or_insert(survey.distance);
            if strength == 1.0 && (survey.worst <= share || progress.is_over(survey.worst)) {
                return self.end(&place, steps, true);
            }
            full += usize::from(strength == 1.0);
            far = strength > 1.0 || (survey.worst > NEAR && full <= PATIENCE);
            let target = survey.worst * if strength > 1.0 { LOOSE } else { TIGHT };
            let mut model = self.model(&place, &curvatures, survey, strength, (&unit, first));
            divisor.age();
            improve(&mut model, far, target, &mut divisor);
            let outcome = model.outcome();
            if !self.follow(&mut place, outcome, strength) {
                return self.end(&place, steps, false);
            }
            if strength > 1.0 {
                strength = (strength / WEAKER).max(1.0);
                place.value = self.value(&place, strength);
            }
        }
        self.end(&place, most_steps, false)
    }

    fn end(&self, place: &Place, steps: usize, arrived: bool) -> SearchEnd {
        SearchEnd { theta: self.distinct.shared(&place.theta, self.ridges), steps, arrived }
    }

    /// In what slopes are judged: their penalties; those of columns without one like the largest.
    fn units(&self, top: f64) -> Vec<f64> {
        let largest = self.absolute.iter().fold(0.0f64, |a, b| a.max(*b));
        let of = |a: &f64| if *a > 0.0 { *a } else { largest };
        self.absolute.iter().map(|a| of(a).max(LEAST_UNIT * top)).collect()
    }

    fn place(&self, theta: Vec<f64>, scores: Vec<f64>, strength: f64) -> Place {
        let (loss, slopes) = self.losses.at(&scores);
        let value = loss + self.penalty(&theta, strength);
        Place { theta, scores, slopes, value }
    }

    fn value(&self, place: &Place, strength: f64) -> f64 {
        self.losses.at(&place.scores).0 + self.penalty(&place.theta, strength)
    }

    fn penalty(&self, theta: &[f64], strength: f64) -> f64 {
        let strengths = self.absolute.iter().zip(&self.ridge);
        theta.iter().zip(strengths).map(|(t, (a, ridge))| strength * a * t.abs() + 0.5 * ridge * t * t).sum()
    }

    fn survey(&self, place: &Place, curvatures: &[f64], strength: f64, unit: &[f64]) -> Survey {
        let x = &self.distinct.columns;
        let mut survey = Survey { columns: Vec::new(), gradient: Vec::new(), diagonal: Vec::new(), worst: 0.0, distance: 0.0 };
        for (k, &t) in place.theta.iter().enumerate() {
            let (slope, bound) = (x.gather(k, &place.slopes.first) + self.ridge[k] * t, strength * self.absolute[k]);
            let beyond = violation(slope, t, bound);
            if t != 0.0 || beyond > 0.0 || bound == 0.0 {
                let diagonal = x.squares(k, curvatures) + self.ridge[k];
                survey.columns.push(k);
                survey.gradient.push(slope);
                survey.diagonal.push(diagonal);
                survey.worst = survey.worst.max(beyond / unit[k]);
                survey.distance += beyond * beyond / diagonal.max(f64::MIN_POSITIVE);
            }
        }
        survey.distance = survey.distance.sqrt();
        survey
    }

    fn model<'b>(
        &'b self,
        place: &Place,
        curvatures: &'b [f64],
        survey: Survey,
        strength: f64,
        (unit, first): (&[f64], f64),
    ) -> QuadraticModel<'b> {
        let Survey { columns, gradient, mut diagonal, distance, .. } = survey;
        let mean = diagonal.iter().sum::<f64>() / diagonal.len().max(1) as f64;
        let damping = mean * (LEAST_DAMPING + DAMPING * (distance / first).min(1.0)) + f64::MIN_POSITIVE;
        diagonal.iter_mut().for_each(|d| *d += damping);
        let base: Vec<f64> = columns.iter().map(|&k| place.theta[k]).collect();
        QuadraticModel {
            x: &self.distinct.columns,
            curvatures,
            weights: base.clone(),
            base,
            slopes: gradient.clone(),
            gradient,
            diagonal,
            added: columns.iter().map(|&k| self.ridge[k] + damping).collect(),
            absolute: columns.iter().map(|&k| strength * self.absolute[k]).collect(),
            unit: columns.iter().map(|&k| unit[k]).collect(),
            change: vec![0.0; place.scores.len()],
            weighted: vec![0.0; place.scores.len()],
            columns,
        }
    }

    /// Goes towards the minimum of a model as far as F falls; whether it does.
    fn follow(&self, place: &mut Place, towards: Outcome, strength: f64) -> bool {
        let Outcome { columns, weights, gradient, change } = towards;
        let goal: f64 = columns
            .iter()
            .zip(&weights)
            .zip(&gradient)
            .map(|((&k, w), g)| g * (w - place.theta[k]) + strength * self.absolute[k] * (w.abs() - place.theta[k].abs()))
            .sum();
        let mut step = 1.0;
        for _ in 0..MOST_HALVINGS {
            let mut theta = place.theta.clone();
            for (&k, w) in columns.iter().zip(&weights) {
                theta[k] = if step == 1.0 { *w } else { theta[k] + step * (w - theta[k]) };
            }
            let next = self.place(theta, along(&place.scores, step, &change), strength);
            // Near the optimum values differ by less than they round.
            if next.value <= place.value + SUFFICIENT * step * goal.min(0.0) + 1e-14 * place.value.abs() {
                *place = next;
                return true;
            }
            step *= 0.5;
        }
        false
    }
}

/// Where a model has its minimum: weights of some columns, slopes at the point it is about, and what changes in the scores.
struct Outcome {
    columns: Vec<usize>,
    weights: Vec<f64>,
    gradient: Vec<f64>,
    change: Vec<f64>,
}

impl QuadraticModel<'_> {
    fn outcome(self) -> Outcome {
        Outcome { columns: self.columns, weights: self.weights, gradient: self.gradient, change: self.change }
    }
}

/// Minimises a model as far as it is worth.
fn improve(model: &mut QuadraticModel<'_>, far: bool, target: f64, divisor: &mut Divisor) {
    for round in 0..MOST_ROUNDS {
        let sweeps = if round == 0 { FIRST_SWEEPS } else { SWEEPS };
        let met = model.sweep(true);
        let mut left = met;
        for _ in 1..sweeps {
            if left <= target {
                break;
            }
            left = model.sweep(false);
        }
        if far || met <= target || divisor.is_spent() {
            break;
        }
        model.within_orthants(divisor);
    }
}
