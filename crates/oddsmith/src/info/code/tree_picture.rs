//! The tree of a prefix-free code as a picture: leaves side by side in the order of their words, a step down for every bit.

use std::collections::BTreeMap;

use super::PrefixCode;
use crate::picture::{Axis, Mark, Panel, Picture, Role};

/// Most leaves that can be told apart.
const MOST_LEAVES: usize = 64;

impl PrefixCode {
    /// The tree as a picture, its leaves named; `None` where there are too many of them, or no bit to draw.
    pub fn picture(&self, name: impl Fn(usize) -> String) -> Option<Picture> {
        let mut leaves: Vec<(&[bool], usize)> = (0..self.lengths().len()).filter_map(|at| Some((self.word(at)?, at))).collect();
        if leaves.len() < 2 || leaves.len() > MOST_LEAVES {
            return None;
        }
        leaves.sort_unstable();
        // A fork lies in the middle above all of its leaves.
        let mut spans: BTreeMap<&[bool], (f64, f64)> = BTreeMap::new();
        for (x, (word, _)) in leaves.iter().enumerate() {
            for length in 0..=word.len() {
                let span = spans.entry(&word[..length]).or_insert((x as f64, x as f64));
                span.1 = x as f64;
            }
        }
        let place = |word: &[bool]| spans.get(word).map_or(0.0, |(low, high)| 0.5 * (low + high));
        let mut marks = Vec::new();
        for word in spans.keys().filter(|word| !word.is_empty()) {
            let (above, depth) = (&word[..word.len() - 1], word.len() as f64);
            let (role, bit) = if word[word.len() - 1] { (Role::Event, "1") } else { (Role::Other, "0") };
            let (from, to) = ((place(above), 1.0 - depth), (place(word), -depth));
            marks.push(Mark::Line { role, name: String::new(), points: vec![from, to] });
            marks.push(Mark::Label { at: (0.5 * (from.0 + to.0), 0.5 * (from.1 + to.1)), text: bit.into() });
        }
        for (word, symbol) in &leaves {
            marks.push(Mark::Label { at: (place(word), -0.3 - word.len() as f64), text: name(*symbol) });
        }
        let deepest = leaves.iter().map(|(word, _)| word.len()).max().unwrap_or(0);
        let range = |low: f64, high: f64| Some((low, high));
        Some(Picture {
            name: "code tree".into(),
            title: "The tree of the code".into(),
            summary: format!(
                "A tree of {} leaves, the longest word of {deepest} bits; a branch for every bit of every word.",
                leaves.len()
            ),
            panels: vec![Panel {
                x: Axis { range: range(-0.5, leaves.len() as f64 - 0.5), ..Axis::default() },
                y: Axis { label: "bits".into(), range: range(-0.7 - deepest as f64, 0.2), ..Axis::default() },
                marks,
            }],
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::info::Distribution;

    #[test]
    fn every_bit_of_every_word_is_a_branch() {
        let code = PrefixCode::huffman(&Distribution::new(&[0.5, 0.25, 0.25]).unwrap()).unwrap();
        let picture = code.picture(|symbol| symbol.to_string()).unwrap();
        let lines = picture.panels[0].marks.iter().filter(|mark| matches!(mark, Mark::Line { .. })).count();
        assert_eq!(lines, 4);
        let one = PrefixCode::huffman(&Distribution::new(&[1.0]).unwrap()).unwrap();
        assert!(one.picture(|_| String::new()).is_none());
    }
}
