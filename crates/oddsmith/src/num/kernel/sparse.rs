//! Sparse rows viewed in place: the three arrays of the compressed-row format, whatever their integers.

use crate::error::{DataFault, Error, Result};

/// An integer that counts places: SciPy stores 32- or 64-bit signed ones, Rust its own.
pub trait Position: Copy + Send + Sync {
    /// The place; negative numbers become places beyond any array.
    fn place(self) -> usize;
}

macro_rules! positions {
    ($($integer:ty),*) => {
        $(impl Position for $integer {
            #[inline(always)]
            fn place(self) -> usize {
                usize::try_from(self).unwrap_or(usize::MAX)
            }
        })*
    };
}
positions!(usize, u32, i32, u64, i64);

/// Sparse rows: the entries of row `i` are `words[starts[i]..starts[i + 1]]` with their values.
#[derive(Debug, Clone, Copy)]
pub struct SparseRows<'a, P = usize, I = u32> {
    starts: &'a [P],
    words: &'a [I],
    values: Option<&'a [f64]>,
}

impl<'a, P: Position, I: Position> SparseRows<'a, P, I> {
    /// A view of `starts.len() − 1` rows, whose starts are checked here; without values every entry is 1.
    pub fn new(starts: &'a [P], words: &'a [I], values: Option<&'a [f64]>) -> Result<Self> {
        let ascending = starts.windows(2).all(|pair| pair[0].place() <= pair[1].place());
        let end = starts.last().map_or(0, |end| end.place());
        if !ascending || end > words.len() || values.is_some_and(|v| v.len() != words.len()) {
            let what = format!("sparse rows are damaged: their starts do not ascend to at most {} entries with values", words.len());
            return Err(Error::data(what));
        }
        Ok(SparseRows { starts, words, values })
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// Words and values of row `i`.
    #[inline(always)]
    pub(super) fn row(&self, i: usize) -> (&'a [I], Option<&'a [f64]>) {
        let (start, end) = (self.starts[i].place(), self.starts[i + 1].place());
        (&self.words[start..end], self.values.map(|values| &values[start..end]))
    }

    /// The fault of row `i` that names a word beyond `width`.
    #[cold]
    pub(super) fn fault(&self, i: usize, width: usize) -> Error {
        let fault = DataFault::new("an entry lies outside the columns").row(i as u64 + 1);
        fault.accepted(format!("column indices from 0 to {} are accepted", width.saturating_sub(1))).into()
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{Random, every_arch};
    use super::super::{SKIP, WordMeasure, WordScores, add_words};
    use super::*;

    struct Text {
        starts: Vec<usize>,
        words: Vec<u32>,
        values: Vec<f64>,
    }

    /// Rows of distinct words with whole values, some of them zero.
    fn text(random: &mut Random, rows: usize, width: usize) -> Text {
        let mut text = Text { starts: vec![0], words: Vec::new(), values: Vec::new() };
        for _ in 0..rows {
            for word in 0..width {
                if random.below(4) == 0 {
                    text.words.push(word as u32);
                    text.values.push(random.below(5) as f64);
                }
            }
            text.starts.push(text.words.len());
        }
        text
    }

    /// The value that an entry counts with.
    fn measured(measure: WordMeasure, value: Option<f64>) -> f64 {
        match (measure, value) {
            (_, None) => 1.0,
            (WordMeasure::Total, Some(value)) => value,
            (WordMeasure::Presence, Some(value)) => f64::from(u8::from(value != 0.0)),
        }
    }

    #[test]
    fn sums_and_scores_agree_with_plain_loops() {
        let mut random = Random::new(71);
        for (rows, width, classes) in [(1, 1, 1), (30, 40, 2), (17, 23, 3), (50, 31, 20), (9, 12, 41)] {
            let text = text(&mut random, rows, width);
            let labels = random.labels(rows, classes);
            let weights: Vec<f64> = (0..rows).map(|_| random.below(4) as f64 / 2.0).collect();
            let table: Vec<f64> = (0..width * classes).map(|_| random.below(1024) as f64 / 256.0 - 2.0).collect();
            for measure in [WordMeasure::Total, WordMeasure::Presence] {
                for values in [Some(&text.values[..]), None] {
                    let view = SparseRows::new(&text.starts, &text.words, values).unwrap();
                    for weights in [None, Some(&weights[..])] {
                        let mut want = vec![0.0; classes * width];
                        for i in (0..rows).filter(|&i| labels[i] != SKIP) {
                            for e in text.starts[i]..text.starts[i + 1] {
                                let value = measured(measure, values.map(|v| v[e]));
                                want[labels[i] as usize * width + text.words[e] as usize] += weights.map_or(1.0, |w| w[i]) * value;
                            }
                        }
                        let mut got = vec![0.0; classes * width];
                        add_words(view, &labels, weights, measure, (classes, width), &mut got).unwrap();
                        assert_eq!(got, want);
                    }
                    let mut want = vec![0.5; rows * classes];
                    for i in 0..rows {
                        for e in text.starts[i]..text.starts[i + 1] {
                            for k in 0..classes {
                                want[i * classes + k] +=
                                    measured(measure, values.map(|v| v[e])) * table[text.words[e] as usize * classes + k];
                            }
                        }
                    }
                    for arch in every_arch() {
                        let mut got = vec![0.5; rows * classes];
                        WordScores::for_arch(arch, classes, &table).add(view, measure, &mut got).unwrap();
                        assert_eq!(got, want);
                    }
                }
            }
        }
    }

    #[test]
    fn integers_of_scipy_are_read_in_place() {
        let view = SparseRows::new(&[0i32, 2, 3], &[1i32, 0, 1], Some(&[2.0, 3.0, 4.0])).unwrap();
        let mut got = [0.0; 4];
        add_words(view, &[1, 0], None, WordMeasure::Total, (2, 2), &mut got).unwrap();
        assert_eq!(got, [0.0, 4.0, 3.0, 2.0]);
    }

    #[test]
    fn damaged_rows_are_refused() {
        assert!(SparseRows::new(&[0usize, 3], &[1u32, 0], None).is_err());
        assert!(SparseRows::new(&[2i64, 1], &[1u32, 0], None).is_err());
        assert!(SparseRows::new(&[0i64, -1], &[1u32, 0], None).is_err());
        assert!(SparseRows::new(&[0usize, 2], &[1u32, 0], Some(&[1.0])).is_err());
        for word in [2, -1, i32::MAX] {
            let words = [1, 0, word];
            let view = SparseRows::new(&[0usize, 1, 3], &words, None).unwrap();
            let fault = add_words(view, &[0, 0], None, WordMeasure::Total, (1, 2), &mut [0.0; 2]).unwrap_err();
            let message = "row 2: an entry lies outside the columns; column indices from 0 to 1 are accepted";
            assert_eq!(fault.to_string(), message);
            let fault = WordScores::new(1, &[0.0; 2]).add(view, WordMeasure::Total, &mut [0.0; 2]).unwrap_err();
            assert_eq!(fault.to_string(), message);
        }
    }
}
