//! Sparse blocks of a linear model: their share of the scores, of the gradient, and of the diagonal of the information.
//!
//! Tables are word-major: the numbers of all outputs of a word lie side by side. Cost: 12 bytes and one scattered
//! access per entry.

use crate::data::Csr;
use crate::error::{DataFault, Error, Result};

/// scores[i, m] += Σ value · table[word, m].
pub(crate) fn add_scores(csr: &Csr<'_>, table: &[f64], outputs: usize, scores: &mut [f64]) -> Result<()> {
    if outputs == 1 {
        for (i, score) in scores.iter_mut().enumerate() {
            let (words, values) = csr.row(i);
            // Four sums, so that an entry does not wait for the one before it.
            let mut sums = [0.0; 4];
            let (word_quads, word_rest) = words.as_chunks::<4>();
            let (value_quads, value_rest) = values.as_chunks::<4>();
            for (words, values) in word_quads.iter().zip(value_quads) {
                for t in 0..4 {
                    sums[t] += values[t] * table.get(words[t] as usize).ok_or_else(|| outside(csr, i))?;
                }
            }
            for (word, value) in word_rest.iter().zip(value_rest) {
                sums[0] += value * table.get(*word as usize).ok_or_else(|| outside(csr, i))?;
            }
            *score += (sums[0] + sums[1]) + (sums[2] + sums[3]);
        }
        return Ok(());
    }
    for (i, scores) in scores.chunks_exact_mut(outputs).enumerate() {
        let (words, values) = csr.row(i);
        for (word, value) in words.iter().zip(values) {
            let at = *word as usize * outputs;
            let weights = table.get(at..at + outputs).ok_or_else(|| outside(csr, i))?;
            for (score, weight) in scores.iter_mut().zip(weights) {
                *score += value * weight;
            }
        }
    }
    Ok(())
}

/// into[word, m] += factor[i, m] · value.
pub(crate) fn add_products(csr: &Csr<'_>, factors: &[f64], outputs: usize, into: &mut [f64]) -> Result<()> {
    scatter(csr, factors, outputs, into, |value| value)
}

/// into[word, m] += factor[i, m] · value².
pub(crate) fn add_squares(csr: &Csr<'_>, factors: &[f64], outputs: usize, into: &mut [f64]) -> Result<()> {
    scatter(csr, factors, outputs, into, |value| value * value)
}

#[inline(always)]
fn scatter(csr: &Csr<'_>, factors: &[f64], outputs: usize, into: &mut [f64], power: impl Fn(f64) -> f64) -> Result<()> {
    if outputs == 1 {
        for (i, &factor) in factors.iter().enumerate().filter(|(_, factor)| **factor != 0.0) {
            let (words, values) = csr.row(i);
            for (word, value) in words.iter().zip(values) {
                *into.get_mut(*word as usize).ok_or_else(|| outside(csr, i))? += factor * power(*value);
            }
        }
        return Ok(());
    }
    for (i, factors) in factors.chunks_exact(outputs).enumerate() {
        if factors.iter().all(|f| *f == 0.0) {
            continue;
        }
        let (words, values) = csr.row(i);
        for (word, value) in words.iter().zip(values) {
            let (at, value) = (*word as usize * outputs, power(*value));
            let cells = into.get_mut(at..at + outputs).ok_or_else(|| outside(csr, i))?;
            for (cell, factor) in cells.iter_mut().zip(factors) {
                *cell += factor * value;
            }
        }
    }
    Ok(())
}

#[cold]
fn outside(csr: &Csr<'_>, i: usize) -> Error {
    let fault = DataFault::new("an entry lies outside the columns").row(i as u64 + 1);
    fault.accepted(format!("column indices from 0 to {} are accepted", csr.width.saturating_sub(1))).into()
}
