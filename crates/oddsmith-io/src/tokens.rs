//! Text into terms: words by the Unicode rules, in lower case, alone or in runs.
//!
//! A run of n words is spelled with single spaces. Stop words break runs, so no term contains one; a model that
//! knows its vocabulary therefore needs no stop list to read new text.

use std::collections::BTreeSet;

use oddsmith::data::{Terms, TextForm, Vocabulary, WordValue};
use unicode_segmentation::UnicodeSegmentation;

use crate::block::WordBlock;
use crate::options::TextOptions;

/// Cuts texts into terms.
#[derive(Debug, Clone, Default)]
pub(crate) struct Tokenizer {
    terms: Terms,
    stop_words: BTreeSet<String>,
}

/// Buffers that are reused from text to text.
#[derive(Debug, Clone, Default)]
pub(crate) struct TermBuffer {
    run: String,
    /// Start and end of each word in `run`.
    words: Vec<(usize, usize)>,
    columns: Vec<u32>,
}

impl Tokenizer {
    /// The tokenizer that the options describe.
    pub(crate) fn new(options: &TextOptions) -> Self {
        Tokenizer { terms: options.terms, stop_words: options.stop_words.iter().map(|word| word.to_lowercase()).collect() }
    }

    /// The tokenizer that reads new text for a vocabulary: unless its terms are known, the longest run of words follows from the list.
    pub(crate) fn for_vocabulary(vocabulary: &Vocabulary, form: &TextForm, options: &TextOptions) -> Self {
        match (form.terms, vocabulary) {
            (Some(terms), Vocabulary::Hashed(_)) => Tokenizer { terms, ..Tokenizer::new(options) },
            (Some(terms), Vocabulary::Listed(_)) => Tokenizer { terms, stop_words: BTreeSet::new() },
            (None, Vocabulary::Hashed(_)) => Tokenizer::new(options),
            (None, Vocabulary::Listed(terms)) => {
                let longest = terms.iter().map(|term| 1 + term.matches(' ').count()).max().unwrap_or(1);
                Tokenizer { terms: Terms::Words { shortest: 1, longest }, stop_words: BTreeSet::new() }
            }
        }
    }

    /// Gives every term of a text to `term`.
    pub(crate) fn each(&self, text: &str, buffer: &mut TermBuffer, mut term: impl FnMut(&str)) {
        let (shortest, longest) = match self.terms {
            Terms::Words { shortest, longest } => (shortest, longest),
            Terms::Characters { shortest, longest } => return characters(text, (shortest, longest), buffer, &mut term),
        };
        buffer.run.clear();
        buffer.words.clear();
        for word in text.unicode_words() {
            let start = buffer.run.len();
            if word.is_ascii() {
                buffer.run.push_str(word);
                buffer.run[start..].make_ascii_lowercase();
            } else {
                buffer.run.extend(word.chars().flat_map(char::to_lowercase));
            }
            let end = buffer.run.len();
            let stops = !self.stop_words.is_empty() && self.stop_words.contains(&buffer.run[start..end]);
            if !stops && longest == 1 {
                term(&buffer.run[start..end]);
            }
            if !stops && longest > 1 {
                buffer.words.push((start, end));
                buffer.run.push(' ');
                continue;
            }
            runs(buffer, (shortest, longest), &mut term);
        }
        runs(buffer, (shortest, longest), &mut term);
    }

    /// Adds a text as one sparse row: each term's column from `column` (terms without one are left out), its
    /// count or presence as value.
    pub(crate) fn add_row(
        &self,
        text: &str,
        buffer: &mut TermBuffer,
        value: WordValue,
        row: &mut WordBlock,
        mut column: impl FnMut(&str) -> Option<u32>,
    ) {
        let mut columns = std::mem::take(&mut buffer.columns);
        columns.clear();
        self.each(text, buffer, |term| columns.extend(column(term)));
        columns.sort_unstable();
        for same in columns.chunk_by(|a, b| a == b) {
            let count = if value == WordValue::Count { same.len() as f64 } else { 1.0 };
            row.push(same[0], count);
        }
        row.end_row(true);
        buffer.columns = columns;
    }
}

/// Gives all terms of the words since the last stop word, and forgets them.
fn runs(buffer: &mut TermBuffer, (shortest, longest): (usize, usize), term: &mut impl FnMut(&str)) {
    for (i, &(start, _)) in buffer.words.iter().enumerate() {
        for &(_, end) in buffer.words[i..].iter().take(longest).skip(shortest - 1) {
            term(&buffer.run[start..end]);
        }
    }
    buffer.run.clear();
    buffer.words.clear();
}

/// Gives all runs of characters, the shortest first: of the text in lower case, with one space for several white spaces in a row.
fn characters(text: &str, (shortest, longest): (usize, usize), buffer: &mut TermBuffer, term: &mut impl FnMut(&str)) {
    buffer.run.clear();
    let lower = text.to_lowercase();
    let mut spaces = 0;
    for c in lower.chars() {
        spaces = if c.is_whitespace() { spaces + 1 } else { 0 };
        match spaces {
            0 | 1 => buffer.run.push(c),
            2 => {
                buffer.run.pop();
                buffer.run.push(' ');
            }
            _ => {}
        }
    }
    let starts: Vec<usize> = buffer.run.char_indices().map(|(at, _)| at).chain([buffer.run.len()]).collect();
    for length in shortest..=longest.min(starts.len() - 1) {
        starts.windows(length + 1).for_each(|run| term(&buffer.run[run[0]..run[length]]));
    }
}

/// The column of a term under a hashed vocabulary: 64-bit FNV-1a, stirred, and scaled to the width. It is part of
/// the meaning of saved models and never changes.
pub fn hashed_column(term: &str, width: usize) -> u32 {
    let mut hash = 0xcbf2_9ce4_8422_2325u64;
    for byte in term.bytes() {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
    }
    hash = (hash ^ (hash >> 33)).wrapping_mul(0xff51_afd7_ed55_8ccd);
    hash ^= hash >> 33;
    ((u128::from(hash) * width as u128) >> 64) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    fn terms(text: &str, longest: usize, stop: &[&str]) -> String {
        cut(text, Terms::Words { shortest: 1, longest }, stop)
    }

    fn cut(text: &str, terms: Terms, stop: &[&str]) -> String {
        let options = TextOptions { terms, stop_words: stop.iter().map(|s| s.to_string()).collect(), ..TextOptions::default() };
        let mut found = Vec::new();
        Tokenizer::new(&options).each(text, &mut TermBuffer::default(), |term| found.push(term.to_owned()));
        found.join("|")
    }

    #[test]
    fn words_follow_unicode_and_are_lower_case() {
        assert_eq!(
            terms("The Quick (\"brown\") fox can't jump 32.3 feet, right?", 1, &[]),
            "the|quick|brown|fox|can't|jump|32.3|feet|right"
        );
        assert_eq!(terms("ÜBER Straße — Ελλάδα", 1, &[]), "über|straße|ελλάδα");
        assert_eq!(terms(" .,! ", 3, &[]), "");
    }

    #[test]
    fn runs_are_spelled_with_spaces_and_broken_by_stop_words() {
        assert_eq!(terms("a, b c", 2, &[]), "a|a b|b|b c|c");
        assert_eq!(terms("cats of old rome", 3, &["of"]), "cats|old|old rome|rome");
        assert_eq!(terms("of the", 1, &["of", "the"]), "");
    }

    #[test]
    fn runs_have_a_least_length_too() {
        assert_eq!(cut("a b c d", Terms::Words { shortest: 2, longest: 3 }, &[]), "a b|a b c|b c|b c d|c d");
    }

    #[test]
    fn characters_run_over_single_spaces() {
        let characters = |text: &str, shortest, longest| cut(text, Terms::Characters { shortest, longest }, &[]);
        assert_eq!(characters("Ab \t cÉ", 2, 3), "ab|b | c|cé|ab |b c| cé");
        assert_eq!(characters("ab", 3, 5), "");
        assert_eq!(characters("", 1, 2), "");
    }

    #[test]
    fn rows_are_sorted_and_counted() {
        let tokenizer = Tokenizer::new(&TextOptions::default());
        let known = |term: &str| ["a", "b"].iter().position(|w| *w == term).map(|at| at as u32);
        for (value, expected) in [(WordValue::Count, [1.0, 2.0]), (WordValue::Presence, [1.0, 1.0])] {
            let mut row = WordBlock::default();
            row.reset();
            tokenizer.add_row("b zzz a b", &mut TermBuffer::default(), value, &mut row, known);
            assert_eq!((row.columns, row.values), (vec![0, 1], expected.to_vec()));
        }
    }

    #[test]
    fn the_hash_is_fixed_for_ever() {
        assert_eq!(["", "word", "größe"].map(|term| hashed_column(term, 1 << 20)), [969_635, 457_099, 755_591]);
        assert!((0..1000).all(|i| hashed_column(&i.to_string(), 7) < 7));
    }
}
