//! Files of ours that somebody else wrote: refused, or as good as any.

use std::fmt::Write;

use oddsmith::control::Control;
use oddsmith::data::{Layout, Space};
use oddsmith::model::{Classifier, Contributions, Predictions, Predictor};
use oddsmith::persist::{ColumnFile, LabelFile, load_model, load_stats, save_model, save_stats};
use oddsmith::train::{Answer, LabelReader, Question, Round};
use oddsmith_io::{ReadOptions, open_for_prediction};

use super::tables::{input, options};
use crate::seal::{sealed, sealed_at_the_end};

/// Kept files, small ones first: they are tried more often.
pub(super) fn seeds(end: &str) -> Vec<Vec<u8>> {
    let mut files: Vec<Vec<u8>> = crate::seeds::files(end).into_iter().map(|(_, bytes)| bytes).collect();
    files.sort_by_key(Vec::len);
    files
}

/// The bytes as they are, and with the checksum that they should have.
fn both(bytes: &[u8], read: impl Fn(&[u8])) {
    read(bytes);
    read(&sealed(bytes));
}

/// Rows of the table with a gap in every cell, and with values that were never seen.
const OPEN_ROWS: [usize; 2] = [1, 2];

/// A table of a few rows for any layout: names as they are, cells that fit, are missing, or were never seen.
fn table(layout: &Layout) -> String {
    let quoted = |text: &str| format!("\"{}\"", text.replace('"', "\"\""));
    let mut text = layout.names().iter().map(|name| quoted(name)).collect::<Vec<_>>().join(",");
    for row in 0..4 {
        let cell = |at: usize| match (&layout.features()[at].space, row) {
            (_, 1) => String::new(),
            (Space::Number, 2) => "-1e300".to_owned(),
            (Space::Number, row) => format!("{}", f64::from(row) * 1.5),
            (Space::Levels { .. }, 2) => "never seen".to_owned(),
            (Space::Levels { .. }, _) => layout.level_name(at, 0).map_or_else(String::new, |name| quoted(&name)),
            (Space::Words { .. }, _) => "some words of a text".to_owned(),
        };
        let cells: Vec<String> = (0..layout.features().len()).map(cell).collect();
        let _ = write!(text, "\n{}", cells.join(","));
    }
    text + "\n"
}

/// Scores rows by a model: probabilities are probabilities, whoever wrote the file.
fn predict(model: &dyn Classifier) {
    let options = ReadOptions { blank_rows: true, ..options() };
    let table = table(model.layout());
    let Ok(rows) = open_for_prediction(&input(table.as_bytes()), &options, model.layout(), &[]) else { return };
    let _ = rows.scan(&Control::new(), &mut |batch| {
        let mut predictions = Predictions::new();
        if Predictor::new(model).predict(&batch.features, &mut predictions).is_ok() {
            for row in 0..batch.features.rows() {
                let shares = predictions.row(row);
                // Gaps and levels that were never seen leave some models without an answer, which is none of the numbers from 0 to 1.
                if OPEN_ROWS.contains(&row) && shares.iter().all(|share| share.is_nan()) {
                    continue;
                }
                let sum: f64 = shares.iter().sum();
                let near = (sum - 1.0).abs() <= f64::EPSILON * (shares.len() + 1) as f64;
                let right = shares.iter().all(|share| (0.0..=1.0).contains(share));
                assert!(near && right, "probabilities {shares:?} of row {row} add up to {sum:e}");
            }
        }
        let _ = model.contributions().and_then(|model| model.contribute(&batch.features, &mut Contributions::new()));
        Ok(())
    });
}

/// A model: whatever can be done with it may be refused, and does not panic; written again it can be read again.
pub(super) fn model(bytes: &[u8]) {
    both(bytes, |bytes| {
        let Ok(model) = load_model(bytes) else { return };
        let _ = model.card();
        predict(&*model);
        if let Ok(written) = save_model(&*model) {
            assert!(load_model(&written).is_ok(), "a model that was read and written cannot be read again");
        }
    });
}

/// Statistics: merged with themselves and written again.
pub(super) fn statistics(bytes: &[u8]) {
    both(bytes, |bytes| {
        let Ok(stats) = load_stats(bytes) else { return };
        if let Ok(written) = save_stats(&stats) {
            assert!(load_stats(&written).is_ok(), "statistics that were read and written cannot be read again");
        }
    });
}

/// A round, its question, and the question as a file of its own.
pub(super) fn round(bytes: &[u8]) {
    both(bytes, |bytes| {
        let _ = Question::from_bytes(bytes).map(|question| question.purpose());
        let Ok(round) = Round::from_bytes(bytes) else { return };
        if let Ok(question) = round.question() {
            let _ = (question.purpose(), question.discloses(), question.needs());
        }
        if let Ok(written) = round.to_bytes() {
            assert!(Round::from_bytes(&written).is_ok(), "a round that was read and written cannot be read again");
        }
    });
}

/// An answer, merged with itself.
pub(super) fn answer(bytes: &[u8]) {
    both(bytes, |bytes| {
        let Ok(answer) = Answer::from_bytes(bytes) else { return };
        let _ = (answer.rows(), answer.weight(), answer.merge(&answer));
        if let Ok(written) = answer.to_bytes() {
            assert!(Answer::from_bytes(&written).is_ok(), "an answer that was read and written cannot be read again");
        }
    });
}

/// A file of labels that any model would decode.
pub(super) fn label_seeds() -> Vec<Vec<u8>> {
    let file = |stream: Vec<u8>| LabelFile { model: [7; 32], classes: 2, rows: 4, labels_sum: [1; 8], stream };
    let column = ColumnFile::new("town", vec![Some("Bern".into()), None], &[0, 1, 0, 0, 1], oddsmith::persist::ColumnCode::Arithmetic);
    let mut seeds = vec![file(vec![]).to_bytes(), file(vec![1, 2, 3, 4, 5, 6, 7, 8]).to_bytes()];
    seeds.extend(column.map(|column| column.to_bytes()));
    seeds
}

/// Rows of a coded column that are worth decoding here.
const MOST_CELLS: u64 = 100_000;

/// Labels and columns by wire.
pub(super) fn labels(bytes: &[u8]) {
    for bytes in [bytes.to_vec(), sealed_at_the_end(bytes)] {
        // Cells that are all the same take no bits, so a file of a few bytes may rightly hold any number of rows, each of which takes time.
        if let Ok(column) = ColumnFile::from_bytes(&bytes)
            && column.rows() <= MOST_CELLS
        {
            let _ = column.for_each(&mut |_| Ok(()));
        }
        let Ok(file) = LabelFile::from_bytes(&bytes) else { continue };
        let Some(Ok(model)) = seeds("gaussian-nb-1.odds").first().map(|model| load_model(model)) else { return };
        let mut reader = LabelReader::new(&*model, &file);
        let table = table(model.layout());
        let Ok(rows) = open_for_prediction(&input(table.as_bytes()), &options(), model.layout(), &[]) else { return };
        let _ = rows.scan(&Control::new(), &mut |batch| reader.push(&batch.features));
        let _ = reader.finish();
    }
}
