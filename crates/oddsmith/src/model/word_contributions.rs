//! What every word of a row adds to its scores.
//!
//! The addend of a text is that of the empty text plus one addend per word. Both are learned from the model itself, which is asked about
//! the empty text and about every word alone; so this holds for every model with [`Additive`](super::Additive) scores.
//! Cost: one score for every different word of the row.

use super::{Classifier, Contributions};
use crate::data::{CodesView, Csr, Features};
use crate::error::Result;
use crate::num::MatrixView;

/// An addend of a text.
#[derive(Debug, Clone, PartialEq)]
pub struct WordContribution {
    /// The text column, as a place among the features.
    pub feature: usize,
    /// The word, as a place in the column's vocabulary; `None` for what the empty text adds, absent words included.
    pub word: Option<usize>,
    /// The word's value in the row, such as how often it stands there.
    pub value: f64,
    /// What it adds to the score of every class.
    pub addends: Vec<f64>,
}

/// The addends of all words in the first row of a batch. A text that is missing has none.
pub fn word_contributions(model: &dyn Classifier, rows: &Features<'_>) -> Result<Vec<WordContribution>> {
    let layout = model.layout();
    let additive = model.contributions()?;
    let mut found = Vec::new();
    let mut split = Contributions::new();
    for (block, &feature) in layout.words().iter().enumerate() {
        if !rows.words[block].is_present(0) {
            continue;
        }
        let (words, values) = rows.words[block].row(0);
        let count = words.len() + 1;
        // The first row is the empty text; the row after it has the first word only, and so on.
        let starts: Vec<usize> = (0..=count).map(|i| i.saturating_sub(1)).collect();
        let empty = vec![0; count + 1];
        let blocks: Vec<Csr<'_>> = (rows.words.iter().enumerate())
            .map(|(at, other)| match at == block {
                true => Csr { starts: &starts, columns: words, values, width: other.width, present: None },
                false => Csr { starts: &empty, columns: &[], values: &[], width: other.width, present: None },
            })
            .collect();
        let numbers = repeated((0..rows.numbers.cols()).map(|j| rows.numbers.get(0, j)).collect(), count);
        let codes = repeated((0..rows.codes.cols()).map(|j| rows.codes.get(0, j)).collect(), count);
        let alone = Features {
            numbers: MatrixView::row_major(&numbers, count, rows.numbers.cols())?,
            codes: CodesView::row_major(&codes, count, rows.codes.cols())?,
            words: &blocks,
        };
        additive.contribute(&alone, &mut split)?;
        let base = split.addends(0, feature).to_vec();
        for (at, (word, value)) in words.iter().zip(values).enumerate() {
            let addends = split.addends(at + 1, feature).iter().zip(&base).map(|(with, without)| with - without).collect();
            found.push(WordContribution { feature, word: Some(*word as usize), value: *value, addends });
        }
        found.push(WordContribution { feature, word: None, value: 0.0, addends: base });
    }
    Ok(found)
}

/// A row, so many times.
fn repeated<T: Copy>(row: Vec<T>, count: usize) -> Vec<T> {
    let length = row.len() * count;
    row.into_iter().cycle().take(length).collect()
}
