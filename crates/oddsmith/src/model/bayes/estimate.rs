//! From sums to parts: the estimates of every distribution, or their conjugate posteriors.

use super::polya::CountSource;
use super::{CountPart, GaussianPart, Part, PolyaPart, StudentPart};
use crate::data::{Plane, Weighting};
use crate::error::{DataFault, Error, ErrorKind, Result};
use crate::model::term::{FlagTerm, LevelTerm, NumberTerm, Term, WordTerm};
use crate::model::{Distribution, Divisor, Prepared, Tying};
use crate::notice::{self, Notice};
use crate::stats::{Moment, NumberMoments, TableStats};

/// Weight of the prior mean of a Gaussian column, in rows. Small: the class mean is left to the data.
const PRIOR_MEAN_ROWS: f64 = 0.01;
/// Degrees of freedom of the prior variance of a Gaussian column: the smallest whole number with a finite mean.
const PRIOR_FREEDOM: f64 = 3.0;

/// The knobs that estimates depend on.
pub(super) struct Settings {
    pub(super) smoothing: f64,
    pub(super) tying: Tying,
    pub(super) divisor: Divisor,
    pub(super) variance_floor: f64,
    pub(super) predictive: bool,
    pub(super) threshold: f64,
}

/// Parts estimated so far, what to tell the user, and the log evidence when parameters are integrated out.
pub(super) struct Estimate<'a> {
    stats: &'a TableStats,
    settings: Settings,
    classes: usize,
    pub(super) parts: Vec<Part>,
    pub(super) notices: Vec<Notice>,
    pub(super) log_evidence: Option<f64>,
}

/// Log probability of a sequence of draws with these counts when the shares have a symmetric Dirichlet prior `lambda`.
pub(super) fn dirichlet_evidence(counts: &[f64], lambda: f64) -> f64 {
    let total = lambda * counts.len() as f64;
    let drawn: f64 = counts.iter().sum();
    let cells: f64 = counts.iter().filter(|c| **c > 0.0).map(|c| libm::lgamma(lambda + c) - libm::lgamma(lambda)).sum();
    cells + libm::lgamma(total) - libm::lgamma(total + drawn)
}

impl<'a> Estimate<'a> {
    pub(super) fn new(stats: &'a TableStats, settings: Settings) -> Self {
        // Sampling weights say nothing about how much evidence there is.
        let has_evidence = settings.predictive && stats.layout().weighting() != Weighting::Sampling;
        let classes = stats.layout().classes().len();
        Estimate { stats, settings, classes, parts: Vec::new(), notices: Vec::new(), log_evidence: has_evidence.then_some(0.0) }
    }

    fn add_evidence(&mut self, addend: f64) {
        if let Some(evidence) = &mut self.log_evidence {
            *evidence += addend;
        }
    }

    /// Estimates all columns; those of one plane and distribution form one part.
    pub(super) fn all_columns(&mut self, distributions: &[Distribution]) -> Result<()> {
        let layout = self.stats.layout();
        let numbers = |wanted: Distribution| -> Vec<usize> {
            let chosen = layout.numbers().iter().enumerate().filter(|(_, j)| distributions[**j] == wanted);
            chosen.map(|(position, _)| position).collect()
        };
        self.gaussians(numbers(Distribution::Gaussian))?;
        self.flags(numbers(Distribution::Bernoulli))?;
        self.counts(numbers(Distribution::Multinomial), Distribution::Multinomial)?;
        self.counts(numbers(Distribution::Complement), Distribution::Complement)?;
        self.levels((0..layout.codes().len()).collect())?;
        for (j, distribution) in distributions.iter().enumerate() {
            if let Plane::Words(block) = layout.plane(j) {
                self.words(block, *distribution)?;
            }
        }
        Ok(())
    }

    fn number_name(&self, position: usize) -> &'a str {
        let layout = self.stats.layout();
        &layout.features()[layout.numbers()[position]].name
    }

    fn lacking(what: &str) -> Error {
        Error::internal(format!("the summary has no {what}"))
    }

    fn gaussians(&mut self, columns: Vec<usize>) -> Result<()> {
        if columns.is_empty() {
            return Ok(());
        }
        let moments = self.stats.moments().ok_or_else(|| Self::lacking("moments"))?;
        let mut varying = Vec::new();
        for j in columns {
            let pooled = moments.pooled(j);
            if pooled.squares > 0.0 {
                varying.push(j);
            } else {
                let text = if pooled.weight > 0.0 {
                    format!("is {} in every row; it says nothing and is ignored", pooled.mean)
                } else {
                    "has no values at all; it is ignored".into()
                };
                self.notices.push(Notice::new(notice::CONSTANT_COLUMN, text).column(self.number_name(j)));
            }
        }
        if varying.is_empty() {
            return Ok(());
        }
        match self.settings.predictive {
            true => self.students(moments, varying),
            false => self.plug_in_gaussians(moments, varying),
        }
    }

    /// Which variance a cell uses: cells with the same number share one.
    fn variance_group(&self, k: usize, at: usize, width: usize) -> usize {
        match self.settings.tying {
            Tying::PerClass => k * width + at,
            Tying::PerColumn => at,
            Tying::Single => 0,
        }
    }

    /// What the squares of a cell add to the divisor of its variance. Under sampling weights n − 1 becomes W − Σw²/W.
    fn divisor(&self, k: usize, weight: f64) -> f64 {
        let classes = self.stats.classes();
        match (self.settings.divisor, self.stats.layout().weighting()) {
            (Divisor::Ml, _) => weight,
            (Divisor::Unbiased, Weighting::Sampling) if classes.weight[k] > 0.0 => {
                weight - weight * classes.squared[k] / (classes.weight[k] * classes.weight[k])
            }
            (Divisor::Unbiased, _) => weight - 1.0,
        }
    }

    fn plug_in_gaussians(&mut self, moments: &NumberMoments, columns: Vec<usize>) -> Result<()> {
        let width = columns.len();
        let mut sums = vec![(0.0, 0.0); self.classes * width];
        let overall: Vec<Moment> = columns.iter().map(|&j| moments.pooled(j)).collect();
        let mut means = Vec::with_capacity(self.classes * width);
        for k in 0..self.classes {
            for (at, &j) in columns.iter().enumerate() {
                let cell = moments.get(k, j);
                if cell.weight > 0.0 {
                    let sum = &mut sums[self.variance_group(k, at, width)];
                    sum.0 += cell.squares;
                    sum.1 += self.divisor(k, cell.weight);
                }
                // A class that never shows the column is given the overall Gaussian: no evidence either way.
                means.push(if cell.weight > 0.0 { cell.mean } else { overall[at].mean });
            }
        }
        let mean_variance = overall.iter().map(|m| m.squares / m.weight).sum::<f64>() / width as f64;
        let mut deviations = Vec::with_capacity(means.len());
        for k in 0..self.classes {
            for (at, &j) in columns.iter().enumerate() {
                let reference = if self.settings.tying == Tying::Single { mean_variance } else { overall[at].squares / overall[at].weight };
                let (squares, divisor) = sums[self.variance_group(k, at, width)];
                let seen = moments.get(k, j).weight > 0.0 || self.settings.tying != Tying::PerClass;
                let variance = match (seen, divisor > 0.0) {
                    (false, _) => reference,
                    (true, true) => squares / divisor,
                    (true, false) => return Err(self.too_few_rows(k, j)),
                };
                deviations.push(self.floored(variance, reference, k, j)?.sqrt());
            }
        }
        let shared = self.settings.tying != Tying::PerClass;
        self.parts.push(Part::Gaussian(GaussianPart { columns, means, deviations, shared, kernel: Prepared::default() }));
        Ok(())
    }

    fn too_few_rows(&self, k: usize, j: usize) -> Error {
        let what = format!(
            "class `{}` has too few values of column `{}` for an unbiased variance",
            self.stats.layout().classes().label(k),
            self.number_name(j)
        );
        ErrorKind::NoEstimate { what, advice: "use --divisor ml, or share variances with --tying per-column".into() }.into()
    }

    fn floored(&mut self, variance: f64, reference: f64, k: usize, j: usize) -> Result<f64> {
        let floor = self.settings.variance_floor * reference;
        if variance > floor {
            return Ok(variance);
        }
        let label = self.stats.layout().classes().label(k);
        let column = self.number_name(j);
        if floor == 0.0 {
            let what = format!("column `{column}` does not vary within class `{label}`, so its Gaussian has no width");
            return Err(
                ErrorKind::NoEstimate { what, advice: "allow a floor with --variance-floor 1e-9, or leave the column out".into() }.into()
            );
        }
        let text = format!("does not vary within class {label}; its variance was raised to {floor:.3e}");
        self.notices.push(Notice::new(notice::VARIANCE_FLOOR, text).column(column).level(label));
        Ok(floor)
    }

    /// Normal-inverse-gamma posteriors around the column's overall mean and variance, which makes them independent of
    /// the user's units: μ | σ² ~ N(m0, σ²/κ0), σ² ~ scaled inverse χ²(ν0, s0²).
    fn students(&mut self, moments: &NumberMoments, columns: Vec<usize>) -> Result<()> {
        let width = columns.len();
        let overall: Vec<Moment> = columns.iter().map(|&j| moments.pooled(j)).collect();
        let variances: Vec<f64> = overall.iter().map(|m| m.squares / m.weight).collect();
        let mean_variance = variances.iter().sum::<f64>() / width as f64;
        let groups = match self.settings.tying {
            Tying::PerClass => self.classes * width,
            Tying::PerColumn => width,
            Tying::Single => 1,
        };
        let prior_variance = |at: usize| if self.settings.tying == Tying::Single { mean_variance } else { variances[at] };
        let mut posterior = vec![None; groups];
        let mut evidence = 0.0;
        for k in 0..self.classes {
            for (at, &j) in columns.iter().enumerate() {
                let cell = moments.get(k, j);
                let start = PRIOR_FREEDOM * prior_variance(at);
                let (freedom, squares) = posterior[self.variance_group(k, at, width)].get_or_insert((PRIOR_FREEDOM, start));
                let rows = PRIOR_MEAN_ROWS + cell.weight;
                let delta = if cell.weight > 0.0 { cell.mean - overall[at].mean } else { 0.0 };
                *freedom += cell.weight;
                *squares += cell.squares + PRIOR_MEAN_ROWS * cell.weight / rows * delta * delta;
                evidence += 0.5 * (PRIOR_MEAN_ROWS / rows).ln() - 0.5 * cell.weight * std::f64::consts::PI.ln();
            }
        }
        let mut part = StudentPart {
            columns: columns.clone(),
            locations: Vec::new(),
            scales: Vec::new(),
            freedom: Vec::new(),
            joint: self.settings.tying == Tying::Single,
        };
        for (group, found) in posterior.iter().enumerate() {
            let (freedom, squares) = found.ok_or_else(|| Self::lacking("posterior"))?;
            let start = PRIOR_FREEDOM * prior_variance(group % width);
            evidence += 0.5 * (PRIOR_FREEDOM * start.ln() - freedom * squares.ln()) + libm::lgamma(0.5 * freedom)
                - libm::lgamma(0.5 * PRIOR_FREEDOM);
        }
        for k in 0..self.classes {
            for (at, &j) in columns.iter().enumerate() {
                let cell = moments.get(k, j);
                let rows = PRIOR_MEAN_ROWS + cell.weight;
                let (freedom, squares) = posterior[self.variance_group(k, at, width)].ok_or_else(|| Self::lacking("posterior"))?;
                part.locations.push((PRIOR_MEAN_ROWS * overall[at].mean + cell.weight * cell.mean) / rows);
                part.scales.push((squares / freedom * (1.0 + 1.0 / rows)).sqrt());
                part.freedom.push(freedom);
            }
        }
        self.add_evidence(evidence);
        self.parts.push(Part::Student(part));
        Ok(())
    }

    /// log((n + λ)/(N + λ v)) for every count; without any count the limit λ → 0 is uniform.
    fn log_shares(&self, counts: &[f64]) -> Vec<f64> {
        let lambda = self.settings.smoothing;
        let total: f64 = counts.iter().sum::<f64>() + lambda * counts.len() as f64;
        match total > 0.0 {
            true => counts.iter().map(|n| ((n + lambda) / total).ln()).collect(),
            false => vec![-(counts.len() as f64).ln(); counts.len()],
        }
    }

    fn levels(&mut self, columns: Vec<usize>) -> Result<()> {
        if columns.is_empty() {
            return Ok(());
        }
        let counts = self.stats.levels().ok_or_else(|| Self::lacking("level counts"))?;
        let mut table = vec![0.0; counts.offsets[columns.len()] * self.classes];
        for &j in &columns {
            for k in 0..self.classes {
                let cells = counts.column(k, j);
                for (level, share) in self.log_shares(cells).into_iter().enumerate() {
                    table[(counts.offsets[j] + level) * self.classes + k] = share;
                }
                if self.log_evidence.is_some() {
                    self.add_evidence(dirichlet_evidence(cells, self.settings.smoothing));
                }
            }
        }
        let term = Term::Levels(LevelTerm { columns, offsets: counts.offsets.clone(), table, kernel: Prepared::default() });
        self.parts.push(Part::Count(CountPart { distribution: Distribution::Categorical, term, lengths: vec![0.0; self.classes] }));
        Ok(())
    }

    fn flags(&mut self, columns: Vec<usize>) -> Result<()> {
        if columns.is_empty() {
            return Ok(());
        }
        let tallies = self.stats.tallies().ok_or_else(|| Self::lacking("tallies"))?;
        let (mut absent, mut present) = (Vec::new(), Vec::new());
        for &j in &columns {
            for k in 0..self.classes {
                let set = tallies.positive.get(k, j);
                let cells = [tallies.weight.get(k, j) - set, set];
                let shares = self.log_shares(&cells);
                absent.push(shares[0]);
                present.push(shares[1]);
                if self.log_evidence.is_some() {
                    self.add_evidence(dirichlet_evidence(&cells, self.settings.smoothing));
                }
            }
        }
        let term = Term::Flags(FlagTerm { columns, threshold: self.settings.threshold, absent, present });
        self.parts.push(Part::Count(CountPart { distribution: Distribution::Bernoulli, term, lengths: vec![0.0; self.classes] }));
        Ok(())
    }

    /// Number columns that together hold the counts of one draw of words.
    fn counts(&mut self, columns: Vec<usize>, distribution: Distribution) -> Result<()> {
        if columns.is_empty() {
            return Ok(());
        }
        let tallies = self.stats.tallies().ok_or_else(|| Self::lacking("tallies"))?;
        if let Some(&j) = columns.iter().find(|&&j| tallies.negative[j] > 0.0) {
            let fault = DataFault::new(format!("has negative values, which are no counts for a {distribution} column"));
            return Err(fault.column(self.number_name(j)).accepted("counts are numbers from 0 up").into());
        }
        let per_class: Vec<Vec<f64>> = (0..self.classes).map(|k| columns.iter().map(|&j| tallies.totals.get(k, j)).collect()).collect();
        let lengths = (0..self.classes).map(|k| mean_length(&per_class[k], self.stats.classes().weight[k])).collect();
        if self.settings.predictive {
            self.polya(CountSource::Numbers { columns }, &per_class, lengths);
            return Ok(());
        }
        let weights = self.word_weights(&per_class, distribution);
        let width = columns.len();
        let term = NumberTerm { columns, centre: vec![0.0; width], base: vec![0.0; width * self.classes], weights };
        self.parts.push(Part::Count(CountPart { distribution, term: Term::Numbers(term), lengths }));
        Ok(())
    }

    fn words(&mut self, block: usize, distribution: Distribution) -> Result<()> {
        let counts = &self.stats.words()[block];
        if distribution == Distribution::Bernoulli {
            return self.word_coins(block);
        }
        let totals = counts.totals.as_ref().ok_or_else(|| Self::lacking("word totals"))?;
        let per_class: Vec<Vec<f64>> = (0..self.classes).map(|k| totals.row(k).to_vec()).collect();
        let lengths: Vec<f64> = (0..self.classes).map(|k| mean_length(&per_class[k], counts.documents[k])).collect();
        if self.settings.predictive {
            self.polya(CountSource::Words { block }, &per_class, lengths);
            return Ok(());
        }
        let table = self.word_weights(&per_class, distribution);
        let term = Term::Words(WordTerm {
            block,
            presence: false,
            base: vec![0.0; self.classes],
            required: vec![0; self.classes],
            table,
            kernel: Prepared::default(),
        });
        self.parts.push(Part::Count(CountPart { distribution, term, lengths }));
        Ok(())
    }

    /// Dirichlet posteriors of the shares of words.
    fn polya(&mut self, source: CountSource, per_class: &[Vec<f64>], lengths: Vec<f64>) {
        let lambda = self.settings.smoothing;
        let width = per_class.first().map_or(0, Vec::len);
        let mut alphas = vec![0.0; width * self.classes];
        for (k, cells) in per_class.iter().enumerate() {
            cells.iter().enumerate().for_each(|(word, n)| alphas[word * self.classes + k] = n + lambda);
            if self.log_evidence.is_some() {
                self.add_evidence(dirichlet_evidence(cells, lambda));
            }
        }
        let totals = per_class.iter().map(|cells| cells.iter().sum::<f64>() + lambda * width as f64).collect();
        self.parts.push(Part::Polya(PolyaPart { source, alphas, totals, lengths }));
    }

    /// Weight per word and class: the log share of the word in the class, or minus its log share in all others.
    fn word_weights(&self, per_class: &[Vec<f64>], distribution: Distribution) -> Vec<f64> {
        let width = per_class.first().map_or(0, Vec::len);
        let mut weights = vec![0.0; width * self.classes];
        let mut everywhere = vec![0.0; width];
        per_class.iter().for_each(|cells| crate::stats::add(&mut everywhere, cells));
        for (k, cells) in per_class.iter().enumerate() {
            let (shares, sign) = match distribution {
                Distribution::Complement => {
                    (self.log_shares(&everywhere.iter().zip(cells).map(|(all, own)| all - own).collect::<Vec<_>>()), -1.0)
                }
                _ => (self.log_shares(cells), 1.0),
            };
            shares.into_iter().enumerate().for_each(|(word, share)| weights[word * self.classes + k] = sign * share);
        }
        weights
    }

    fn word_coins(&mut self, block: usize) -> Result<()> {
        let counts = &self.stats.words()[block];
        let presence = counts.presence.as_ref().ok_or_else(|| Self::lacking("word presence"))?;
        let mut base = vec![0.0; self.classes];
        let mut required = vec![0; self.classes];
        let mut table = vec![0.0; presence.columns() * self.classes];
        let mut evidence = 0.0;
        for k in 0..self.classes {
            for (word, &set) in presence.row(k).iter().enumerate() {
                let cells = [counts.documents[k] - set, set];
                let shares = self.log_shares(&cells);
                match shares[0] == f64::NEG_INFINITY {
                    true => required[k] += 1,
                    false => base[k] += shares[0],
                }
                table[word * self.classes + k] = shares[1] - shares[0];
                if self.log_evidence.is_some() {
                    evidence += dirichlet_evidence(&cells, self.settings.smoothing);
                }
            }
        }
        self.add_evidence(evidence);
        let term = Term::Words(WordTerm { block, presence: true, base, required, table, kernel: Prepared::default() });
        self.parts.push(Part::Count(CountPart { distribution: Distribution::Bernoulli, term, lengths: vec![0.0; self.classes] }));
        Ok(())
    }
}

fn mean_length(counts: &[f64], rows: f64) -> f64 {
    if rows > 0.0 { counts.iter().sum::<f64>() / rows } else { 0.0 }
}
