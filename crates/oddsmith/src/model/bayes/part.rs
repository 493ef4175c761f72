//! The parts of a naive Bayes model: each scores its own columns and can draw them.

use rand_core::Rng;
use rand_distr::{Binomial, Distribution as Draw, Gamma, Poisson, StandardNormal, StudentT};

use super::polya::CountSource;
use super::{GaussianPart, PolyaPart, StudentPart};
use crate::data::{Features, Layout};
use crate::error::{Error, ErrorKind, Result};
use crate::model::term::Term;
use crate::model::{Contributions, Distribution, Scores, Tying, Value};

/// Columns whose log probabilities are linear in counts or indicators.
#[derive(Debug, Clone, PartialEq)]
pub struct CountPart {
    /// What the columns are taken to be.
    pub distribution: Distribution,
    /// The log probabilities.
    pub term: Term,
    /// Mean total count of a row per class, where rows are draws of words; for sampling.
    pub lengths: Vec<f64>,
}

/// One part of the model.
#[derive(Debug, Clone, PartialEq)]
pub enum Part {
    /// Gaussian columns.
    Gaussian(GaussianPart),
    /// Gaussian columns with parameters integrated out.
    Student(StudentPart),
    /// Counts, flags, levels and words.
    Count(CountPart),
    /// Words with shares integrated out.
    Polya(PolyaPart),
}

impl Part {
    /// Adds the log probabilities of a batch to its scores.
    pub(super) fn add_scores(&self, rows: &Features<'_>, scores: &mut Scores) -> Result<()> {
        match self {
            Part::Gaussian(part) => part.add_scores(rows, scores),
            Part::Student(part) => part.add_scores(rows, scores),
            Part::Count(part) => part.term.add_scores(rows, scores)?,
            Part::Polya(part) => part.add_scores(rows, scores),
        }
        Ok(())
    }

    /// Adds the log probabilities column by column.
    pub(super) fn add_contributions(&self, rows: &Features<'_>, layout: &Layout, out: &mut Contributions) -> Result<()> {
        match self {
            Part::Gaussian(part) => part.add_contributions(rows, layout, out),
            Part::Student(part) => part.add_contributions(rows, layout, out),
            Part::Count(part) => part.term.add_contributions(rows, layout, out)?,
            Part::Polya(part) => part.add_contributions(rows, layout, out),
        }
        Ok(())
    }

    /// The part as a linear term, when it is one up to something that all classes share.
    pub(super) fn linear_term(&self, classes: usize) -> Option<Term> {
        match self {
            Part::Gaussian(part) => part.linear_term(classes).map(Term::Numbers),
            Part::Count(part) => Some(part.term.clone()),
            Part::Student(_) | Part::Polya(_) => None,
        }
    }

    /// Means and variances, or shares without the last of those that add up to one.
    pub(super) fn free_parameters(&self, classes: usize, tying: Tying) -> usize {
        let gaussians = |columns: usize| {
            let variances = match tying {
                Tying::PerClass => classes * columns,
                Tying::PerColumn => columns,
                Tying::Single => 1,
            };
            classes * columns + variances
        };
        let but_one = |shares: usize| classes * shares.saturating_sub(1);
        match self {
            Part::Gaussian(part) => gaussians(part.columns.len()),
            Part::Student(part) => gaussians(part.columns.len()),
            Part::Polya(part) => but_one(part.alphas.len() / classes),
            Part::Count(part) => match &part.term {
                Term::Numbers(term) => but_one(term.columns.len()),
                Term::Flags(term) => classes * term.columns.len(),
                Term::Levels(term) => term.offsets.windows(2).map(|pair| but_one(pair[1] - pair[0])).sum(),
                Term::Words(term) if term.presence => term.table.len(),
                Term::Words(term) => but_one(term.table.len() / classes),
            },
        }
    }

    /// Draws the part's columns of a row of class `k` into `values`, which has one place per feature.
    pub(super) fn sample(&self, k: usize, layout: &Layout, random: &mut dyn Rng, values: &mut [Value]) -> Result<()> {
        match self {
            Part::Gaussian(part) => {
                for (at, &j) in part.columns.iter().enumerate() {
                    let cell = k * part.columns.len() + at;
                    let z: f64 = StandardNormal.sample(random);
                    values[layout.numbers()[j]] = Value::Number(part.means[cell] + part.deviations[cell] * z);
                }
            }
            Part::Student(part) => sample_student(part, k, layout, random, values)?,
            Part::Count(part) => sample_counts(part, k, layout, random, values)?,
            Part::Polya(part) => {
                let classes = part.totals.len();
                let alphas = part.alphas.iter().skip(k).step_by(classes);
                let mut shares = alphas.map(|&a| Ok(gamma(a)?.sample(random))).collect::<Result<Vec<f64>>>()?;
                let total: f64 = shares.iter().sum();
                shares.iter_mut().for_each(|share| *share /= total);
                let length = poisson(part.lengths[k], random)?;
                let drawn = draw_words(&shares, length, random)?;
                match &part.source {
                    CountSource::Words { block } => values[layout.words()[*block]] = Value::Words(drawn),
                    CountSource::Numbers { columns } => {
                        columns.iter().for_each(|&j| values[layout.numbers()[j]] = Value::Number(0.0));
                        drawn.iter().for_each(|&(at, count)| values[layout.numbers()[columns[at as usize]]] = Value::Number(count));
                    }
                }
            }
        }
        Ok(())
    }
}

fn sample_student(part: &StudentPart, k: usize, layout: &Layout, random: &mut dyn Rng, values: &mut [Value]) -> Result<()> {
    let width = part.columns.len();
    let fault = |_| Error::internal("a Student part has no degrees of freedom");
    // Columns that share a variance share the divisor of their t variates.
    let freedom = part.freedom.get(k * width).copied().unwrap_or(1.0);
    let shared = if part.joint { (gamma(0.5 * freedom)?.sample(random) / (0.5 * freedom)).sqrt() } else { 1.0 };
    for (at, &j) in part.columns.iter().enumerate() {
        let cell = k * width + at;
        let t: f64 = match part.joint {
            true => Draw::<f64>::sample(&StandardNormal, random) / shared,
            false => StudentT::new(part.freedom[cell]).map_err(fault)?.sample(random),
        };
        values[layout.numbers()[j]] = Value::Number(part.locations[cell] + part.scales[cell] * t);
    }
    Ok(())
}

fn sample_counts(part: &CountPart, k: usize, layout: &Layout, random: &mut dyn Rng, values: &mut [Value]) -> Result<()> {
    let classes = part.lengths.len();
    if part.distribution == Distribution::Complement {
        let advice = "complement naive Bayes is no model of its rows; use multinomial-nb".into();
        return Err(ErrorKind::Unsupported { model: "complement naive bayes".into(), what: "draw rows".into(), advice }.into());
    }
    match &part.term {
        Term::Numbers(term) => {
            let shares: Vec<f64> = term.weights.iter().skip(k).step_by(classes).map(|w| w.exp()).collect();
            let length = poisson(part.lengths[k], random)?;
            let mut counts = vec![0.0; shares.len()];
            for (at, count) in draw_words(&shares, length, random)? {
                counts[at as usize] = count;
            }
            term.columns.iter().zip(counts).for_each(|(&j, count)| values[layout.numbers()[j]] = Value::Number(count));
        }
        Term::Flags(term) => {
            for (at, &j) in term.columns.iter().enumerate() {
                let set = uniform(random) < term.present[at * classes + k].exp();
                values[layout.numbers()[j]] = Value::Number(if set { term.threshold + 1.0 } else { term.threshold });
            }
        }
        Term::Levels(term) => {
            for (at, &j) in term.columns.iter().enumerate() {
                let mut rest = uniform(random);
                let mut code = 0;
                for cell in term.offsets[at]..term.offsets[at + 1] {
                    code = (cell - term.offsets[at]) as u32;
                    rest -= term.table[cell * classes + k].exp();
                    if rest < 0.0 {
                        break;
                    }
                }
                values[layout.codes()[j]] = Value::Code(code);
            }
        }
        Term::Words(term) => {
            let weights = term.table.iter().skip(k).step_by(classes);
            let words = if part.distribution == Distribution::Bernoulli {
                // The weight of a word is the log odds of its presence.
                let shares = weights.map(|w| 1.0 / (1.0 + (-w).exp()));
                shares.enumerate().filter(|(_, p)| uniform(random) < *p).map(|(word, _)| (word as u32, 1.0)).collect()
            } else {
                let shares: Vec<f64> = weights.map(|w| w.exp()).collect();
                let length = poisson(part.lengths[k], random)?;
                draw_words(&shares, length, random)?
            };
            values[layout.words()[term.block]] = Value::Words(words);
        }
    }
    Ok(())
}

fn gamma(shape: f64) -> Result<Gamma<f64>> {
    Gamma::new(shape, 1.0).map_err(|_| Error::internal("a gamma variate needs a shape above zero"))
}

fn poisson(mean: f64, random: &mut dyn Rng) -> Result<f64> {
    if mean <= 0.0 {
        return Ok(0.0);
    }
    Ok(Poisson::new(mean).map_err(|_| Error::internal("a Poisson variate needs a finite mean"))?.sample(random))
}

/// A number in [0, 1) with 53 random bits.
fn uniform(random: &mut dyn Rng) -> f64 {
    (random.next_u64() >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
}

/// Multinomial draw of `length` words by a chain of binomials: O(words), whatever the length.
fn draw_words(shares: &[f64], length: f64, random: &mut dyn Rng) -> Result<Vec<(u32, f64)>> {
    let (mut left, mut mass) = (length as u64, 1.0);
    let mut drawn = Vec::new();
    for (word, &share) in shares.iter().enumerate() {
        if left == 0 {
            break;
        }
        let p = (share / mass).clamp(0.0, 1.0);
        let count = if word + 1 == shares.len() { left } else { binomial(left, p, random)? };
        if count > 0 {
            drawn.push((word as u32, count as f64));
        }
        left -= count;
        mass = (mass - share).max(f64::MIN_POSITIVE);
    }
    Ok(drawn)
}

fn binomial(trials: u64, p: f64, random: &mut dyn Rng) -> Result<u64> {
    Ok(Binomial::new(trials, p).map_err(|_| Error::internal("a binomial variate needs a probability"))?.sample(random))
}
