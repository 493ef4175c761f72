//! What is asked of the conditional likelihood: its maximum, with all columns and without some, and where its profile falls off.
//!
//! Written as one program that asks for the likelihood at points. The answers of earlier passes are at hand; the first point without an answer ends
//! the run, the next pass looks at it, and the program runs again from the start over the answers. So it needs no memory of its own, and whoever has
//! the sums of all passes repeats it. Cost: Newton's steps, some 5 passes for the maximum, 15 for an end of a profile.

use std::borrow::Cow;

use nalgebra::{DMatrix, DVector};

/// The likelihood at a point.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Answer {
    pub(super) theta: Vec<f64>,
    /// A direction along which sets were looked at, where one was asked for.
    pub(super) direction: Option<Vec<f64>>,
    pub(super) value: f64,
    pub(super) gradient: Vec<f64>,
    /// Row after row.
    pub(super) information: Vec<f64>,
    /// Sums of squares of the scores of sets.
    pub(super) scores: Vec<f64>,
    /// Third cumulants, cells a ≥ b ≥ c; empty where they were not asked for.
    pub(super) cumulants: Vec<f64>,
    /// The least and the largest margin of a set along the direction, in parts of the largest distance between members.
    pub(super) margins: (f64, f64),
}

/// Why a run ended early.
pub(super) enum Stop {
    /// A point without an answer.
    Ask(Vec<f64>, Option<Vec<f64>>),
    /// The cases lie above the controls along this direction, in all sets.
    Separated(Vec<f64>, bool),
    /// A search found no end.
    Lost,
}

/// Answers of earlier passes.
pub(super) struct Oracle<'a> {
    pub(super) answers: &'a [Answer],
    /// The columns whose information Firth's penalty is made of; without them the likelihood is as it is.
    pub(super) penalty: Option<Vec<usize>>,
}

/// A maximum.
#[derive(Debug, Clone)]
pub(super) struct Optimum {
    pub(super) answer: Answer,
    pub(super) steps: u64,
}

/// Twice the gain of a further step at which a maximum stands.
const PRECISION: f64 = 1e-20;
/// The same where rounding keeps the likelihood from rising.
const ROUNDED: f64 = 1e-12;
const MOST_STEPS: u64 = 60;
/// The same under a penalty, whose own second derivatives are left out of a step: they come near a maximum by a factor each.
const MOST_PENALISED_STEPS: u64 = 200;
const MOST_HALVINGS: usize = 40;
/// Steps after which a fit that does not end is held for separated, if it is.
const SUSPICIOUS: u64 = 12;
/// Parts of a distance that rounding may take from a margin.
const TOUCHING: f64 = 1e-6;

impl Oracle<'_> {
    fn at(&self, theta: &[f64], direction: Option<&[f64]>) -> Result<Cow<'_, Answer>, Stop> {
        let fits = |answer: &&Answer| answer.theta == theta && (direction.is_none() || answer.direction.as_deref() == direction);
        let Some(known) = self.answers.iter().find(fits) else {
            return Err(Stop::Ask(theta.to_vec(), direction.map(<[f64]>::to_vec)));
        };
        Ok(match &self.penalty {
            None => Cow::Borrowed(known),
            Some(columns) => Cow::Owned(known.penalised(columns)),
        })
    }

    /// The likelihood where nothing has an effect.
    pub(super) fn null(&self, columns: usize) -> Result<Cow<'_, Answer>, Stop> {
        self.at(&vec![0.0; columns], None)
    }

    /// The maximum over the `free` coordinates, the others staying where they start.
    pub(super) fn maximum(&self, start: &[f64], free: &[usize]) -> Result<Optimum, Stop> {
        self.climb(start, free, &mut |_| ())
    }

    /// The same, and every point from which the search goes on, to whoever wants to see them.
    pub(super) fn climb(&self, start: &[f64], free: &[usize], see: &mut dyn FnMut(&Answer)) -> Result<Optimum, Stop> {
        let mut here = self.at(start, None)?;
        see(&here);
        let most = if self.penalty.is_some() { MOST_PENALISED_STEPS } else { MOST_STEPS };
        for steps in 0..most {
            let Some((step, decrement)) = here.step(free) else { return self.separated(&here, None) };
            if decrement < PRECISION {
                return Ok(Optimum { answer: here.into_owned(), steps });
            }
            if steps >= SUSPICIOUS {
                self.look_for_separation(&here, &step)?;
            }
            let mut share = 1.0;
            let mut found = None;
            for _ in 0..MOST_HALVINGS {
                let theta: Vec<f64> = here.theta.iter().zip(&step).map(|(at, step)| at + share * step).collect();
                let there = self.at(&theta, None)?;
                if there.value.is_finite() && there.value >= here.value + 1e-4 * share * decrement * 0.5 {
                    found = Some(there);
                    break;
                }
                if decrement < ROUNDED && there.value.is_finite() {
                    return Ok(Optimum { answer: there.into_owned(), steps: steps + 1 });
                }
                share *= 0.5;
            }
            match found {
                Some(there) => {
                    see(&there);
                    here = there;
                }
                None => return self.separated(&here, Some(&step)),
            }
        }
        self.separated(&here, here.step(free).map(|(step, _)| step).as_deref())
    }

    /// Ends in separation where the sets show it.
    fn look_for_separation(&self, here: &Answer, step: &[f64]) -> Result<(), Stop> {
        // Under a penalty there is a maximum whatever the sets show.
        if self.penalty.is_some() {
            return Ok(());
        }
        let looked = self.at(&here.theta, Some(step))?;
        let (least, most) = looked.margins;
        if least >= -TOUCHING && most > TOUCHING { Err(Stop::Separated(step.to_vec(), least > TOUCHING)) } else { Ok(()) }
    }

    /// A fit that cannot go on: separated, or lost.
    fn separated(&self, here: &Answer, step: Option<&[f64]>) -> Result<Optimum, Stop> {
        let direction = step.unwrap_or(&here.theta);
        if direction.iter().any(|part| *part != 0.0) {
            self.look_for_separation(here, direction)?;
        }
        Err(Stop::Lost)
    }

    /// The end of the profile interval of coordinate `j` on one side: where the largest likelihood with β_j fixed has fallen by z²/2.
    pub(super) fn profile_end(&self, best: &Answer, free: &[usize], j: usize, z: f64, error: f64, way: f64) -> Result<f64, Stop> {
        const MOST: usize = 25;
        const FURTHEST: f64 = 60.0;
        let others: Vec<usize> = free.iter().copied().filter(|k| *k != j).collect();
        let mut place = best.theta[j] + way * z * error;
        let mut start = best.theta.clone();
        for _ in 0..MOST {
            let way_so_far = (place - best.theta[j]).abs();
            if way_so_far.is_nan() || way_so_far >= FURTHEST * error {
                return Ok(way * f64::INFINITY);
            }
            start[j] = place;
            let there = self.maximum(&start, &others)?.answer;
            let fallen = (2.0 * (best.value - there.value)).max(0.0).sqrt();
            let slope = there.gradient[j].abs() / fallen;
            if !(slope > 0.0 && slope.is_finite()) {
                return Err(Stop::Lost);
            }
            let step = way * (z - fallen) / slope;
            if step.abs() <= 1e-10 * error {
                return Ok(place + step);
            }
            place += step.clamp(-4.0 * error, 4.0 * error);
            start = there.theta;
        }
        Err(Stop::Lost)
    }
}

impl Answer {
    fn matrix(&self, free: &[usize]) -> DMatrix<f64> {
        let columns = self.gradient.len();
        DMatrix::from_fn(free.len(), free.len(), |a, b| self.information[free[a] * columns + free[b]])
    }

    /// The inverse of the information about some coordinates, solved in units in which its diagonal is 1.
    pub(super) fn covariance(&self, free: &[usize]) -> Option<DMatrix<f64>> {
        let matrix = self.matrix(free);
        let scale: Vec<f64> = (0..free.len()).map(|a| 1.0 / matrix[(a, a)].sqrt()).collect();
        let scaled = DMatrix::from_fn(free.len(), free.len(), |a, b| matrix[(a, b)] * scale[a] * scale[b]);
        let inverse = scaled.cholesky()?.inverse();
        let covariance = DMatrix::from_fn(free.len(), free.len(), |a, b| inverse[(a, b)] * scale[a] * scale[b]);
        covariance.iter().all(|value| value.is_finite()).then_some(covariance)
    }

    /// Newton's step in all coordinates (zero where they are not free), and twice the gain that it promises.
    fn step(&self, free: &[usize]) -> Option<(Vec<f64>, f64)> {
        let mut step = vec![0.0; self.gradient.len()];
        if free.is_empty() {
            return Some((step, 0.0));
        }
        let gradient = DVector::from_iterator(free.len(), free.iter().map(|k| self.gradient[*k]));
        let own = self.covariance(free)? * &gradient;
        let decrement = own.dot(&gradient);
        free.iter().zip(own.iter()).for_each(|(k, value)| step[*k] = *value);
        decrement.is_finite().then_some((step, decrement.max(0.0)))
    }

    /// The same under Firth's penalty: log likelihood + ½ ln |I| over some columns, whose slope in β_r is ½ Σ (I⁻¹)_ab K_abr.
    fn penalised(&self, columns: &[usize]) -> Answer {
        let mut penalised = self.clone();
        let (Some(inverse), Some(log_det)) = (self.covariance(columns), self.log_determinant(columns)) else {
            penalised.value = f64::NEG_INFINITY;
            return penalised;
        };
        penalised.value += 0.5 * log_det;
        for (r, slope) in penalised.gradient.iter_mut().enumerate() {
            for (a, &j) in columns.iter().enumerate() {
                for (b, &k) in columns.iter().enumerate() {
                    *slope += 0.5 * inverse[(a, b)] * self.cumulant(j, k, r);
                }
            }
        }
        penalised
    }

    fn cumulant(&self, a: usize, b: usize, c: usize) -> f64 {
        let mut sorted = [a, b, c];
        sorted.sort_unstable();
        let [c, b, a] = sorted;
        self.cumulants.get(a * (a + 1) * (a + 2) / 6 + b * (b + 1) / 2 + c).copied().unwrap_or(0.0)
    }

    /// ln |I| over some coordinates.
    fn log_determinant(&self, free: &[usize]) -> Option<f64> {
        let factor = self.matrix(free).cholesky()?;
        Some(2.0 * factor.l_dirty().diagonal().iter().map(|part| part.ln()).sum::<f64>())
    }

    /// g' I⁻¹ g over some coordinates: the score test of their having no effect.
    pub(super) fn score_statistic(&self, free: &[usize]) -> f64 {
        self.step(free).map_or(f64::NAN, |(_, decrement)| decrement)
    }
}

/// Columns that say something of their own, in order, and for each of the others whether it is constant within all sets. A column is left out when what earlier
/// ones leave of its information is rounding.
pub(super) fn independent_columns(null: &Answer) -> (Vec<usize>, Vec<(usize, bool)>) {
    const ROUNDING: f64 = 1e-11;
    let columns = null.gradient.len();
    let information = |a: usize, b: usize| null.information[a * columns + b];
    let (mut kept, mut left) = (Vec::new(), Vec::new());
    for j in 0..columns {
        let own = information(j, j);
        if own <= 0.0 {
            left.push((j, true));
            continue;
        }
        let rest = match null.covariance(&kept) {
            _ if kept.is_empty() => own,
            Some(inverse) => {
                let with = DVector::from_iterator(kept.len(), kept.iter().map(|k| information(*k, j)));
                own - (inverse * &with).dot(&with)
            }
            None => 0.0,
        };
        if rest > ROUNDING * own { kept.push(j) } else { left.push((j, false)) }
    }
    (kept, left)
}
