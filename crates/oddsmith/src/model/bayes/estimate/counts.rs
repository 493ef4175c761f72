//! Shares of levels, flags and words: (n + λ)/(N + λ v), or their Dirichlet posteriors.

use super::super::polya::CountSource;
use super::super::{CountPart, Part, PolyaPart};
use super::word_table::{CountMemo, word_major};
use super::{Estimate, dirichlet_evidence};
use crate::error::{DataFault, Error, Result};
use crate::model::term::{FlagTerm, LevelTerm, NumberTerm, Term, WordTerm};
use crate::model::{Distribution, Prepared};
use crate::num::kernel::fast_sum;

impl Estimate<'_> {
    /// n ↦ log((n + λ)/(N + λ v)) for a count n among v counts of sum N; without any count the limit λ → 0 is uniform.
    fn log_share(&self, sum: f64, values: usize) -> impl Fn(f64) -> f64 + use<> {
        let (lambda, values) = (self.settings.smoothing, values as f64);
        let total = sum + lambda * values;
        move |n| if total > 0.0 { ((n + lambda) / total).ln() } else { -values.ln() }
    }

    fn log_shares(&self, counts: &[f64]) -> Vec<f64> {
        counts.iter().copied().map(self.log_share(counts.iter().sum(), counts.len())).collect()
    }

    pub(super) fn levels(&mut self, columns: Vec<usize>) -> Result<()> {
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
                if self.log_marginal_likelihood.is_some() {
                    self.add_evidence(dirichlet_evidence(cells, self.settings.smoothing));
                }
            }
        }
        let term = Term::Levels(LevelTerm { columns, offsets: counts.offsets.clone(), table, kernel: Prepared::default() });
        self.parts.push(Part::Count(CountPart { distribution: Distribution::Categorical, term, lengths: vec![0.0; self.classes] }));
        Ok(())
    }

    pub(super) fn flags(&mut self, columns: Vec<usize>) -> Result<()> {
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
                if self.log_marginal_likelihood.is_some() {
                    self.add_evidence(dirichlet_evidence(&cells, self.settings.smoothing));
                }
            }
        }
        let term = Term::Flags(FlagTerm { columns, threshold: self.settings.threshold, absent, present });
        self.parts.push(Part::Count(CountPart { distribution: Distribution::Bernoulli, term, lengths: vec![0.0; self.classes] }));
        Ok(())
    }

    /// Number columns that together hold the counts of one draw of words.
    pub(super) fn counts(&mut self, columns: Vec<usize>, distribution: Distribution) -> Result<()> {
        if columns.is_empty() {
            return Ok(());
        }
        let tallies = self.stats.tallies().ok_or_else(|| Self::lacking("tallies"))?;
        if let Some(&j) = columns.iter().find(|&&j| tallies.negative[j] > 0.0) {
            let fault = DataFault::new(format!("has negative values, which are no counts for a {distribution} column"));
            return Err(fault.column(self.number_name(j)).accepted("counts are numbers from 0 up").into());
        }
        let totals: Vec<Vec<f64>> = (0..self.classes).map(|k| columns.iter().map(|&j| tallies.totals.get(k, j)).collect()).collect();
        let per_class: Vec<&[f64]> = totals.iter().map(Vec::as_slice).collect();
        check_sums(&per_class, |at| self.number_name(columns[at]))?;
        let lengths = (0..self.classes).map(|k| mean_length(per_class[k], self.stats.classes().weight[k])).collect();
        if self.settings.predictive {
            self.polya(CountSource::Numbers { columns }, &per_class, lengths);
            return Ok(());
        }
        let weights = self.word_weights(&per_class, distribution)?;
        let width = columns.len();
        let term = NumberTerm { columns, centre: vec![0.0; width], base: vec![0.0; width * self.classes], weights };
        self.parts.push(Part::Count(CountPart { distribution, term: Term::Numbers(term), lengths }));
        Ok(())
    }

    pub(super) fn words(&mut self, block: usize, distribution: Distribution) -> Result<()> {
        let counts = &self.stats.words()[block];
        // A text column without any word says nothing.
        if self.stats.layout().word_widths()[block] == 0 {
            return Ok(());
        }
        if distribution == Distribution::Bernoulli {
            return self.word_coins(block);
        }
        let totals = counts.totals.as_ref().ok_or_else(|| Self::lacking("word totals"))?;
        let per_class: Vec<&[f64]> = (0..self.classes).map(|k| totals.row(k)).collect();
        let layout = self.stats.layout();
        check_sums(&per_class, |_| &layout.features()[layout.words()[block]].name)?;
        let lengths: Vec<f64> = (0..self.classes).map(|k| mean_length(per_class[k], counts.documents[k])).collect();
        if self.settings.predictive {
            self.polya(CountSource::Words { block }, &per_class, lengths);
            return Ok(());
        }
        let table = self.word_weights(&per_class, distribution)?;
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
    fn polya(&mut self, source: CountSource, per_class: &[&[f64]], lengths: Vec<f64>) {
        let lambda = self.settings.smoothing;
        let width = per_class.first().map_or(0, |cells| cells.len());
        let mut alphas = vec![0.0; width * self.classes];
        for (k, cells) in per_class.iter().enumerate() {
            cells.iter().enumerate().for_each(|(word, n)| alphas[word * self.classes + k] = n + lambda);
            if self.log_marginal_likelihood.is_some() {
                self.add_evidence(dirichlet_evidence(cells, lambda));
            }
        }
        let totals = per_class.iter().map(|cells| fast_sum(cells) + lambda * width as f64).collect();
        self.parts.push(Part::Polya(PolyaPart { source, alphas, totals, lengths }));
    }

    /// Weight per word and class: the log share of the word in the class, or minus its log share in all others.
    fn word_weights(&self, per_class: &[&[f64]], distribution: Distribution) -> Result<Vec<f64>> {
        let width = per_class.first().map_or(0, |cells| cells.len());
        let complement = distribution == Distribution::Complement;
        let mut elsewhere = Vec::new();
        if complement {
            let mut everywhere = vec![0.0; width];
            per_class.iter().for_each(|cells| crate::stats::add(&mut everywhere, cells));
            elsewhere.extend(per_class.iter().map(|cells| everywhere.iter().zip(*cells).map(|(all, own)| all - own).collect::<Vec<f64>>()));
        }
        let counts: Vec<&[f64]> = if complement { elsewhere.iter().map(Vec::as_slice).collect() } else { per_class.to_vec() };
        let sign = if complement { -1.0 } else { 1.0 };
        let mut table = match self.settings.word_smoothing {
            [] => self.evenly_smoothed(&counts, sign),
            lambdas => smoothed_by_word(&counts, lambdas, sign)?,
        };
        if complement && self.settings.normalized {
            normalize(&mut table, self.classes);
        }
        Ok(table)
    }

    /// `sign` · log((n + λ)/(N + λ v)) of every count, word after word.
    fn evenly_smoothed(&self, counts: &[&[f64]], sign: f64) -> Vec<f64> {
        let width = counts.first().map_or(0, |cells| cells.len());
        let weight = |k: usize| {
            let log_share = self.log_share(fast_sum(counts[k]), width);
            CountMemo::new(width, move |n| sign * log_share(n))
        };
        let memos: Vec<_> = (0..self.classes).map(weight).collect();
        word_major(counts, |k, n| memos[k].at(n))
    }

    fn word_coins(&mut self, block: usize) -> Result<()> {
        let counts = &self.stats.words()[block];
        let presence = counts.presence.as_ref().ok_or_else(|| Self::lacking("word presence"))?;
        let rows: Vec<&[f64]> = (0..self.classes).map(|k| presence.row(k)).collect();
        let mut base = vec![0.0; self.classes];
        let mut required = vec![0; self.classes];
        // The weights of absence and of presence beside it, so that every count is looked up once.
        let weights = |k: usize| {
            let (documents, log_share) = (counts.documents[k], self.log_share(counts.documents[k], 2));
            CountMemo::new(rows[k].len(), move |n| {
                let log_absent = log_share(documents - n);
                (log_absent, log_share(n) - log_absent)
            })
        };
        let memos: Vec<_> = (0..self.classes).map(weights).collect();
        let table = word_major(&rows, |k, n| {
            let (log_absent, weight) = memos[k].at(n);
            match log_absent {
                f64::NEG_INFINITY => required[k] += 1,
                log_absent => base[k] += log_absent,
            }
            weight
        });
        if self.log_marginal_likelihood.is_some() {
            let lambda = self.settings.smoothing;
            let cells = rows.iter().zip(&counts.documents).flat_map(|(row, documents)| row.iter().map(move |set| [documents - set, *set]));
            let evidence = cells.fold(0.0, |sum, cells| sum + dirichlet_evidence(&cells, lambda));
            self.add_evidence(evidence);
        }
        let term = Term::Words(WordTerm { block, presence: true, base, required, table, kernel: Prepared::default() });
        self.parts.push(Part::Count(CountPart { distribution: Distribution::Bernoulli, term, lengths: vec![0.0; self.classes] }));
        Ok(())
    }
}

/// `sign` · log((n + λ_w)/Σ(n + λ)) of every count n of word w, word after word.
fn smoothed_by_word(counts: &[&[f64]], lambdas: &[f64], sign: f64) -> Result<Vec<f64>> {
    let width = counts.first().map_or(0, |cells| cells.len());
    if lambdas.len() != width {
        let accepted = format!("one number, or one for each of the {width} columns");
        return Err(Error::option("smoothing", format!("{} numbers", lambdas.len()), accepted));
    }
    let smoothed = |cells: &[f64]| cells.iter().zip(lambdas).map(|(n, lambda)| n + lambda).collect::<Vec<f64>>();
    let counts: Vec<Vec<f64>> = counts.iter().map(|cells| smoothed(cells)).collect();
    let totals: Vec<f64> = counts.iter().map(|cells| fast_sum(cells)).collect();
    let rows: Vec<&[f64]> = counts.iter().map(Vec::as_slice).collect();
    Ok(word_major(&rows, |k, n| sign * if totals[k] > 0.0 { (n / totals[k]).ln() } else { -(width as f64).ln() }))
}

/// Divides the weights of every class by their sum. Infinite weights grow together: they share the sum, and nothing is left for the others.
fn normalize(table: &mut [f64], classes: usize) {
    let (mut sums, mut infinite) = (vec![0.0; classes], vec![0.0; classes]);
    for row in table.chunks_exact(classes) {
        crate::stats::add(&mut sums, row);
        infinite.iter_mut().zip(row).for_each(|(count, weight)| *count += f64::from(u8::from(weight.is_infinite())));
    }
    for (weight, (sum, infinite)) in table.chunks_exact_mut(classes).flat_map(|row| row.iter_mut().zip(sums.iter().zip(&infinite))) {
        *weight = match *infinite > 0.0 {
            true => f64::from(u8::from(weight.is_infinite())) / infinite,
            false => *weight / sum,
        };
    }
}

/// Refuses counts whose sum over all columns and classes is no number.
fn check_sums<'a>(per_class: &[&[f64]], name: impl Fn(usize) -> &'a str) -> Result<()> {
    if per_class.iter().map(|cells| fast_sum(cells)).sum::<f64>().is_finite() {
        return Ok(());
    }
    let sum = |at: usize| per_class.iter().map(|cells| cells[at]).sum::<f64>();
    let width = per_class.first().map_or(0, |cells| cells.len());
    let widest = (0..width).max_by(|a, b| sum(*a).total_cmp(&sum(*b))).unwrap_or(0);
    let fault = DataFault::new("holds counts that add up to more than floating-point numbers can hold").column(name(widest));
    Err(fault.accepted("divide all counts by a power of ten").into())
}

fn mean_length(counts: &[f64], rows: f64) -> f64 {
    if rows > 0.0 { fast_sum(counts) / rows } else { 0.0 }
}
