//! Prefix-free codes: no word begins another, so words need no marks between them.
//!
//! Lengths l_i make such a code exactly when Kraft's sum Σ 2^−l_i is at most 1. Canonical words: shorter before longer, equally long ones
//! in the order of the symbols, each the number after the one before; so the lengths alone tell the whole code. Shannon's length is the
//! least l with 2⁻ˡ ≤ p, found by comparison (a rounded ⌈−log2 p⌉ is off by one at some powers of two); it is within 1 bit of −log2 p for
//! every symbol, while Huffman's is best on average only. Cost O(Σ lengths).

use super::tree::CodeTree;
use super::{BitReader, BitWriter, huffman_lengths, limited_lengths};
use crate::error::{DataFault, Error, ErrorKind, Result};
use crate::info::Distribution;

/// A prefix-free code. A symbol that never occurs has no word.
#[derive(Debug, Clone, PartialEq)]
pub struct PrefixCode {
    words: Vec<Option<Vec<bool>>>,
    tree: CodeTree,
}

/// Shannon's lengths: for every probability above 0 the least l with 2⁻ˡ ≤ p.
pub fn shannon_lengths(probabilities: &[f64]) -> Vec<u32> {
    let length = |p: &f64| {
        let (mut bits, mut power) = (0, 1.0);
        while power > *p {
            power *= 0.5;
            bits += 1;
        }
        bits
    };
    probabilities.iter().map(length).collect()
}

impl PrefixCode {
    /// The canonical code with these lengths; `None` for a symbol without a word.
    pub fn of_lengths(lengths: &[Option<u32>]) -> Result<Self> {
        let mut symbols: Vec<(u32, usize)> = lengths.iter().enumerate().filter_map(|(at, l)| l.map(|l| (l, at))).collect();
        if symbols.is_empty() {
            return Err(DataFault::new("there is no symbol to give a word to").accepted("one symbol at least must occur").into());
        }
        symbols.sort_unstable();
        let mut words: Vec<Option<Vec<bool>>> = vec![None; lengths.len()];
        let mut next: Option<Vec<bool>> = Some(Vec::new());
        for (length, symbol) in symbols {
            let Some(mut word) = next else {
                let sum = kraft_sum(lengths);
                return Err(Error::option("lengths", sum, "Kraft's sum Σ 2^-length of a prefix-free code is at most 1"));
            };
            word.resize(length as usize, false);
            next = successor(&word);
            words[symbol] = Some(word);
        }
        let tree = CodeTree::of_words(&words);
        Ok(PrefixCode { words, tree })
    }

    /// Shannon's code of a distribution.
    pub fn shannon(distribution: &Distribution) -> Result<Self> {
        Self::with_lengths(distribution, |used| Ok(shannon_lengths(used)))
    }

    /// Huffman's code of a distribution.
    pub fn huffman(distribution: &Distribution) -> Result<Self> {
        Self::with_lengths(distribution, |used| Ok(huffman_lengths(used)))
    }

    /// The shortest code of a distribution with words of at most `limit` bits.
    pub fn limited(distribution: &Distribution, limit: u32) -> Result<Self> {
        Self::with_lengths(distribution, |used| limited_lengths(used, limit))
    }

    fn with_lengths(distribution: &Distribution, lengths: impl FnOnce(&[f64]) -> Result<Vec<u32>>) -> Result<Self> {
        let probabilities = distribution.probabilities();
        let used: Vec<f64> = probabilities.iter().copied().filter(|p| *p > 0.0).collect();
        let mut of_used = lengths(&used)?.into_iter();
        let all: Vec<Option<u32>> = probabilities.iter().map(|p| if *p > 0.0 { of_used.next() } else { None }).collect();
        Self::of_lengths(&all)
    }

    /// The word of a symbol.
    pub fn word(&self, symbol: usize) -> Option<&[bool]> {
        self.words.get(symbol)?.as_deref()
    }

    /// Lengths of all words.
    pub fn lengths(&self) -> Vec<Option<u32>> {
        self.words.iter().map(|word| word.as_ref().map(|word| word.len() as u32)).collect()
    }

    /// Kraft's sum: 1 where no shorter code of this shape exists.
    pub fn kraft_sum(&self) -> f64 {
        kraft_sum(&self.lengths())
    }

    /// Mean length in bits under a distribution; infinite where a symbol that occurs has no word.
    pub fn mean_length(&self, distribution: &Distribution) -> f64 {
        let pairs = distribution.probabilities().iter().zip(&self.words).filter(|(p, _)| **p > 0.0);
        pairs.map(|(p, word)| word.as_ref().map_or(f64::INFINITY, |word| p * word.len() as f64)).sum()
    }

    /// The tree as lines of text, its leaves named.
    pub fn tree_lines(&self, name: impl Fn(usize) -> String) -> Vec<String> {
        self.tree.lines(name)
    }

    /// The words of symbols, one after the other.
    pub fn encode(&self, symbols: &[usize]) -> Result<BitWriter> {
        let mut bits = BitWriter::default();
        for (at, &symbol) in symbols.iter().enumerate() {
            let Some(word) = self.word(symbol) else {
                let fault = DataFault::new(format!("symbol {symbol} has no word in the code")).row(at as u64 + 1);
                return Err(fault.accepted("give it a probability above 0").into());
            };
            word.iter().for_each(|bit| bits.push(*bit));
        }
        Ok(bits)
    }

    /// The `count` symbols whose words a text of bits is. Bits that end inside a word, or go on after the last, are an error.
    pub fn decode(&self, bytes: &[u8], count: usize) -> Result<Vec<usize>> {
        let mut symbols = Vec::with_capacity(count.min(8 * bytes.len() + 1));
        self.decode_each(bytes, count as u64, &mut |symbol| {
            symbols.push(symbol);
            Ok(())
        })?;
        Ok(symbols)
    }

    /// The same, one symbol after the other, in constant memory.
    pub fn decode_each(&self, bytes: &[u8], count: u64, sink: &mut dyn FnMut(usize) -> Result<()>) -> Result<()> {
        let broken = |what: String| Err(Error::from(ErrorKind::Format { expected: "text of bits", what }));
        let mut bits = BitReader::new(bytes);
        for read in 0..count {
            match self.tree.read(&mut bits) {
                Some(symbol) => sink(symbol)?,
                None => return broken(format!("it ends, or leaves the code, after {read} of {count} symbols (bit {})", bits.position())),
            }
        }
        match bits.is_spent() || bytes.is_empty() {
            true => Ok(()),
            false => broken(format!("it goes on after its {count} symbols (bit {})", bits.position())),
        }
    }
}

fn kraft_sum(lengths: &[Option<u32>]) -> f64 {
    lengths.iter().flatten().map(|length| libm::exp2(-f64::from(*length))).sum()
}

/// The number after a word of bits, of the same length; `None` after the last.
fn successor(word: &[bool]) -> Option<Vec<bool>> {
    let last_zero = word.iter().rposition(|bit| !bit)?;
    let mut next = word[..=last_zero].to_vec();
    next[last_zero] = true;
    next.resize(word.len(), false);
    Some(next)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn text(code: &PrefixCode, symbol: usize) -> String {
        code.word(symbol).unwrap().iter().map(|bit| if *bit { '1' } else { '0' }).collect()
    }

    #[test]
    fn known_codes_and_means() {
        for (p, huffman, entropy, shannon) in [
            (&[0.5, 0.25, 0.125, 0.125][..], 1.75, 1.75, 1.75),
            (&[0.25, 0.25, 0.2, 0.15, 0.15], 2.3, 2.285_475_297, 2.5),
            (&[0.4, 0.2, 0.2, 0.1, 0.1], 2.2, 2.121_928_095, 2.8),
            (&[0.9, 0.1], 1.0, 0.468_995_594, 1.3),
        ] {
            let p = Distribution::new(p).unwrap();
            let code = PrefixCode::huffman(&p).unwrap();
            assert!((code.mean_length(&p) - huffman).abs() < 1e-14);
            assert_eq!(code.kraft_sum(), 1.0);
            assert!((p.entropy() / 2f64.ln() - entropy).abs() < 5e-10);
            assert!((PrefixCode::shannon(&p).unwrap().mean_length(&p) - shannon).abs() < 1e-14);
        }
        let halves = PrefixCode::huffman(&Distribution::new(&[0.125, 0.5, 0.0, 0.125, 0.25]).unwrap()).unwrap();
        assert_eq!([1, 4, 0, 3].map(|symbol| text(&halves, symbol)), ["0", "10", "110", "111"]);
        assert_eq!(halves.word(2), None);
    }

    #[test]
    fn shannon_lengths_are_exact_at_powers_of_two() {
        let powers: Vec<f64> = (0..1074).map(|l| 0.5f64.powi(l)).collect();
        assert!(shannon_lengths(&powers).iter().enumerate().all(|(l, length)| *length == l as u32));
        assert_eq!(shannon_lengths(&[0.5 - f64::EPSILON, 0.5 + f64::EPSILON]), [2, 1]);
    }

    #[test]
    fn a_single_symbol_takes_no_bits_and_the_count_tells_how_many() {
        let one = PrefixCode::huffman(&Distribution::new(&[1.0]).unwrap()).unwrap();
        let bits = one.encode(&[0, 0, 0]).unwrap();
        assert!(bits.is_empty());
        assert_eq!(one.decode(&bits.into_bytes(), 3).unwrap(), [0, 0, 0]);
    }

    #[test]
    fn faults_are_told() {
        let code = PrefixCode::of_lengths(&[Some(1), Some(2), Some(2)]).unwrap();
        let bytes = code.encode(&[1, 2, 1]).unwrap().into_bytes();
        assert!(code.decode(&bytes, 6).unwrap_err().to_string().contains("ends"));
        assert!(code.decode(&bytes, 1).unwrap_err().to_string().contains("goes on after its 1 symbols (bit 2)"));
        assert!(code.encode(&[3]).unwrap_err().to_string().contains("row 1: symbol 3 has no word"));
        let over = PrefixCode::of_lengths(&[Some(1), Some(1), Some(2)]).unwrap_err().to_string();
        assert!(over.contains("1.25") && over.contains("at most 1"), "{over}");
        assert!(PrefixCode::of_lengths(&[None]).is_err());
    }

    proptest! {
        #[test]
        fn what_is_encoded_is_decoded(counts in prop::collection::vec(0u32..40, 1..30), picks in prop::collection::vec(any::<prop::sample::Index>(), 0..200), kind in 0..3) {
            prop_assume!(counts.iter().any(|count| *count > 0));
            let p = Distribution::of_counts(&counts.iter().map(|count| f64::from(*count)).collect::<Vec<_>>()).unwrap();
            let code = match kind {
                0 => PrefixCode::huffman(&p),
                1 => PrefixCode::shannon(&p),
                _ => PrefixCode::limited(&p, 5),
            }.unwrap();
            let used: Vec<usize> = (0..counts.len()).filter(|&at| counts[at] > 0).collect();
            let symbols: Vec<usize> = picks.iter().map(|pick| used[pick.index(used.len())]).collect();
            let bytes = code.encode(&symbols).unwrap().into_bytes();
            prop_assert_eq!(code.decode(&bytes, symbols.len()).unwrap(), symbols);
            prop_assert!(code.kraft_sum() <= 1.0);
            let (mean, entropy) = (code.mean_length(&p), p.entropy() / 2f64.ln());
            prop_assert!(mean >= entropy - 1e-12);
            prop_assert!(kind == 2 || mean < entropy + 1.0);
        }
    }
}
