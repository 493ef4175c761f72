//! Tables: read, fitted and described, or refused.

use std::num::NonZeroUsize;
use std::sync::Arc;

use oddsmith::control::Control;
use oddsmith::data::Source;
use oddsmith_io::{Header, Input, Quote, Ragged, ReadOptions, Roles, open};

/// The bytes as an input.
pub(super) fn input(bytes: &[u8]) -> Input {
    Input::Bytes { name: "input".into(), bytes: Arc::from(bytes) }
}

/// One thread and little memory: many inputs are tried, and none may take more than it is worth.
pub(super) fn options() -> ReadOptions {
    ReadOptions { threads: 1, memory: 16 << 20, ..ReadOptions::default() }
}

/// Reads every row of a source, twice: a source must give the same rows again.
fn read_through(source: &dyn Source) {
    let count = || {
        let mut rows = 0;
        let read = (0..source.partitions()).try_for_each(|partition| {
            source.scan(partition, &mut |batch| {
                rows += batch.features.rows();
                Ok(())
            })
        });
        read.map(|()| rows)
    };
    let (first, second) = (count(), count());
    if let (Ok(first), Ok(second)) = (&first, &second) {
        assert_eq!(first, second, "rows of the first and of the second pass");
    }
}

/// Reads a table without a target, then with each of its columns in turn as one, up to three.
fn learn(bytes: &[u8], options: &ReadOptions) {
    let control = Control::new();
    let Ok(opened) = open(&input(bytes), options, &Roles::default(), &control) else { return };
    read_through(&*opened.source);
    let names: Vec<String> = opened.columns.iter().map(|column| column.name.clone()).collect();
    for name in names.iter().rev().take(2) {
        let Ok(opened) = open(&input(bytes), options, &Roles::target(name), &control) else { continue };
        read_through(&*opened.source);
        if opened.columns.len() > 40 {
            continue;
        }
        let entry = oddsmith::registry::default_for(false);
        if let Ok(learner) = (entry.build)(&entry.defaults()) {
            // Whatever the rows are, there is a model or a refusal.
            let _ = oddsmith::train::fit(&learner, &*opened.source, NonZeroUsize::new(1), &control).map(|fitted| fitted.model.card());
        }
    }
}

/// Text of any kind, by every way to read it that a first byte can choose.
pub(super) fn csv(bytes: &[u8]) {
    learn(bytes, &options());
    let Some((choice, rest)) = bytes.split_first() else { return };
    let chosen = ReadOptions {
        delimiter: [None, Some(b','), Some(b';'), Some(b'\t')][usize::from(choice & 3)],
        header: [Header::Auto, Header::Yes, Header::No, Header::Auto][usize::from(choice >> 2 & 3)],
        ragged: [Ragged::Error, Ragged::Pad, Ragged::Skip, Ragged::Pad][usize::from(choice >> 4 & 3)],
        quote: [Quote::Auto, Quote::None][usize::from(choice >> 6 & 1)],
        encoding: (choice >> 7 == 1).then(|| "latin1".to_owned()),
        dedup_names: true,
        blank_rows: choice & 1 == 1,
        partition_bytes: 64,
        ..options()
    };
    learn(rest, &chosen);
}

/// Lines of labels and words.
pub(super) fn fasttext(bytes: &[u8]) {
    learn(bytes, &options());
}

/// Typed columns: Arrow and Parquet tell themselves by their first bytes.
pub(super) fn typed(bytes: &[u8]) {
    learn(bytes, &options());
}
