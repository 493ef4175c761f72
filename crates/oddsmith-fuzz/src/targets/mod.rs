//! The targets, by name.

mod cells;
mod escaping;
mod files;
mod language;
mod tables;

use crate::seeds;

/// Something that reads bytes.
#[derive(Clone, Copy)]
pub struct Target {
    /// What it is called.
    pub name: &'static str,
    /// Reads the bytes; panics when a promise is broken.
    pub run: fn(&[u8]),
    /// Inputs to begin with.
    pub seeds: fn() -> Vec<Vec<u8>>,
}

/// Every reader of bytes that others may have written.
pub const TARGETS: &[Target] = &[
    Target { name: "csv", run: tables::csv, seeds: seeds::tables },
    Target { name: "numbers", run: cells::numbers, seeds: cells::number_seeds },
    Target { name: "tokens", run: cells::tokens, seeds: seeds::lines },
    Target { name: "fasttext", run: tables::fasttext, seeds: seeds::lines },
    Target { name: "arrow", run: tables::typed, seeds: seeds::arrow },
    Target { name: "parquet", run: tables::typed, seeds: seeds::parquet },
    Target { name: "model", run: files::model, seeds: || files::seeds(".odds") },
    Target { name: "statistics", run: files::statistics, seeds: || files::seeds(".stats") },
    Target { name: "round", run: files::round, seeds: || files::seeds(".round") },
    Target { name: "answer", run: files::answer, seeds: || files::seeds(".answer") },
    Target { name: "labels", run: files::labels, seeds: files::label_seeds },
    Target { name: "formula", run: language::formula, seeds: language::formula_seeds },
    Target { name: "options", run: language::options, seeds: language::option_seeds },
    Target { name: "escaping", run: escaping::escaping, seeds: escaping::seeds },
];

/// The target of this name.
pub fn target(name: &str) -> Option<&'static Target> {
    TARGETS.iter().find(|target| target.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mutator::Mutator;

    /// Inputs that broke a target once, every seed, and a few inputs near them.
    #[test]
    fn no_target_breaks_at_its_seeds_or_at_what_broke_it_before() {
        for target in TARGETS {
            let seeds = (target.seeds)();
            assert!(!seeds.is_empty(), "{} has no seeds", target.name);
            seeds.iter().for_each(|seed| (target.run)(seed));
            for (name, bytes) in seeds::found(target.name) {
                let begin = std::time::Instant::now();
                (target.run)(&bytes);
                assert!(begin.elapsed().as_secs() < 5, "{}/{name} took {:?}", target.name, begin.elapsed());
            }
            let mut mutator = Mutator::new(seeds, 7);
            (0..20).for_each(|_| (target.run)(&mutator.next_input()));
        }
    }
}
