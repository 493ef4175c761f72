//! A model learns from the columns that its entry declares, and refuses every other by name.

use std::sync::Arc;

use oddsmith::control::Control;
use oddsmith::data::{Kind, Weighting};
use oddsmith::error::ErrorKind;
use oddsmith::registry::{Entry, MODELS, Numbers, Text};
use oddsmith::{Result, train};

use crate::table::{Batches, COLUMNS, Encoded, all_columns, columns_taken, layout_weighted, many_rows};

/// What comes of learning from some columns; only a fault of the column itself counts.
fn learn(entry: &Entry, columns: &[usize]) -> Result<()> {
    let rows = many_rows(240);
    let encoded = Encoded::new(&rows, &Arc::new(layout_weighted(&rows, columns, Weighting::Sampling)), true);
    let learner = entry.learner().unwrap();
    train::fit(&learner, &Batches { encoded: &encoded, size: 100 }, None, &Control::new()).map(|_| ())
}

#[test]
fn every_declared_column_is_taken() {
    for entry in MODELS {
        for j in columns_taken(entry) {
            learn(entry, &[j]).unwrap_or_else(|error| panic!("{}: {error}", entry.name));
        }
    }
}

#[test]
fn every_other_column_is_refused_by_name() {
    let mut refused = 0;
    for entry in MODELS {
        for j in all_columns().into_iter().filter(|j| !columns_taken(entry).contains(j)) {
            let (name, kind) = COLUMNS[j];
            let mut columns = columns_taken(entry);
            columns.push(j);
            // `height` is a number from zero up in these rows, whatever may be said of heights.
            if kind == Kind::Number && entry.takes.numbers == Numbers::Counts && name == "height" {
                continue;
            }
            let error =
                learn(entry, &columns).err().unwrap_or_else(|| panic!("{} takes `{name}`, which its entry does not say", entry.name));
            assert!(error.to_string().contains(&format!("`{name}`")), "{}: {error}", entry.name);
            let expected = match kind {
                Kind::Number if entry.takes.numbers == Numbers::Counts => matches!(error.kind(), ErrorKind::Data(_)),
                Kind::Text if entry.takes.text == Text::Penalised => matches!(error.kind(), ErrorKind::NoEstimate { .. }),
                _ => matches!(error.kind(), ErrorKind::Unsupported { .. }),
            };
            assert!(expected, "{}: {error}", entry.name);
            refused += 1;
        }
    }
    assert!(refused > 10, "{refused}");
}

#[test]
fn a_penalty_is_all_that_text_wants_of_a_regression() {
    let rows = many_rows(240);
    for entry in MODELS.iter().filter(|entry| entry.takes.text == Text::Penalised) {
        let encoded = Encoded::new(&rows, &Arc::new(layout_weighted(&rows, &all_columns(), Weighting::Sampling)), true);
        let learner = (entry.build)(&entry.defaults().with("l2", "1").unwrap()).unwrap();
        train::fit(&learner, &Batches { encoded: &encoded, size: 100 }, None, &Control::new()).unwrap();
    }
}
