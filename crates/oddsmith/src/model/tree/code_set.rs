//! A set of byte codes.

/// Which of 256 codes are in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct CodeSet([u64; 4]);

impl CodeSet {
    /// No code.
    pub(super) const NONE: CodeSet = CodeSet([0; 4]);

    /// The codes from 1 to `last`.
    pub(super) fn up_to(last: u8) -> Self {
        let word = |first: u32| match u32::from(last) {
            last if last < first => 0,
            last if last - first >= 63 => u64::MAX,
            last => (1 << (last - first + 1)) - 1,
        };
        CodeSet([word(0) & !1, word(64), word(128), word(192)])
    }

    /// The set with one more code.
    #[must_use]
    pub(super) fn with(mut self, code: u8) -> Self {
        self.insert(code);
        self
    }

    /// Puts a code in.
    #[inline]
    pub(super) fn insert(&mut self, code: u8) {
        self.0[usize::from(code >> 6)] |= 1 << (code & 63);
    }

    /// Whether a code is in.
    #[inline]
    pub(super) fn has(&self, code: u8) -> bool {
        self.0[usize::from(code >> 6)] >> (code & 63) & 1 == 1
    }

    /// The codes, rising.
    #[inline]
    pub(super) fn codes(self) -> impl Iterator<Item = u8> {
        let mut words = self.0;
        let mut at = 0;
        std::iter::from_fn(move || {
            while at < 4 && words[at] == 0 {
                at += 1;
            }
            let word = words.get_mut(at)?;
            let bit = word.trailing_zeros();
            *word &= *word - 1;
            Some((at as u32 * 64 + bit) as u8)
        })
    }

    /// Its words, to be stored.
    pub(super) fn words(&self) -> [u64; 4] {
        self.0
    }

    /// From words that were stored.
    pub(super) fn from_words(words: [u64; 4]) -> Self {
        CodeSet(words)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_come_back_rising() {
        let set = [200, 0, 63, 64, 255, 3].into_iter().fold(CodeSet::default(), CodeSet::with);
        assert_eq!(set.codes().collect::<Vec<_>>(), [0, 3, 63, 64, 200, 255]);
        assert!(set.has(255) && !set.has(254));
        for last in 0..=u8::MAX {
            assert!(CodeSet::up_to(last).codes().eq(1..=last), "{last}");
        }
        assert_eq!(CodeSet::up_to(3).codes().collect::<Vec<_>>(), [1, 2, 3]);
    }
}
