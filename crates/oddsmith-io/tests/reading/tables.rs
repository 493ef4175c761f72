//! Opening small tables and reading them back as text.

use oddsmith::control::Control;
use oddsmith::data::{MISSING, Plane, SKIP, Source, Space, UNSEEN};
use oddsmith_io::{Input, Opened, ReadOptions, Roles, open};

/// A table in memory.
pub(crate) fn table(text: impl AsRef<[u8]>) -> Input {
    Input::Bytes { name: "t.csv".into(), bytes: text.as_ref().into() }
}

/// Opens a table with a target called `y`.
pub(crate) fn learn(text: impl AsRef<[u8]>, options: &ReadOptions) -> oddsmith::Result<Opened> {
    learn_with(text, options, &Roles::target("y"))
}

/// Opens a table whose columns play these parts.
pub(crate) fn learn_with(text: impl AsRef<[u8]>, options: &ReadOptions, roles: &Roles) -> oddsmith::Result<Opened> {
    open(&table(text), options, roles, &Control::new())
}

/// The message of a table that cannot be opened.
pub(crate) fn refusal(text: impl AsRef<[u8]>, options: &ReadOptions, roles: &Roles) -> String {
    match open(&table(text), options, roles, &Control::new()) {
        Ok(_) => panic!("the table was accepted"),
        Err(error) => error.to_string(),
    }
}

/// Every row of a source as text: features in order, then the label and the weight.
pub(crate) fn rows(source: &dyn Source) -> Vec<String> {
    let mut all = Vec::new();
    let layout = source.layout().clone();
    for partition in 0..source.partitions() {
        source
            .scan(partition, &mut |rows| {
                rows.features.check(&layout)?;
                assert_eq!(rows.first_row, all.len() as u64);
                for i in 0..rows.features.rows() {
                    let mut cells: Vec<String> = (0..layout.features().len())
                        .map(|j| match (layout.plane(j), &layout.features()[j].space) {
                            (Plane::Numbers(p), _) => format!("{}", rows.features.numbers.get(i, p)),
                            (Plane::Codes(p), Space::Levels { levels, .. }) => match rows.features.codes.get(i, p) {
                                MISSING => "-".into(),
                                UNSEEN => "!".into(),
                                code => levels.names()[code as usize].clone(),
                            },
                            (Plane::Words(p), Space::Words { vocabulary, .. }) => {
                                let block = &rows.features.words[p];
                                let (columns, values) = block.row(i);
                                let words = columns.iter().zip(values).map(|(c, v)| format!("{}:{v}", vocabulary.word(*c as usize)));
                                if block.is_present(i) { format!("[{}]", words.collect::<Vec<_>>().join(" ")) } else { "[-]".into() }
                            }
                            other => panic!("{other:?}"),
                        })
                        .collect();
                    cells.push(match rows.labels[i] {
                        SKIP => "-".into(),
                        label => layout.classes().label(label as usize).to_owned(),
                    });
                    cells.extend(rows.weights.map(|weights| weights[i].to_string()));
                    all.push(cells.join(" "));
                }
                Ok(())
            })
            .unwrap();
    }
    assert_eq!(source.rows(), Some(all.len() as u64));
    all
}

/// The notices as text.
pub(crate) fn notices(opened: &Opened) -> Vec<String> {
    opened.notices.iter().map(ToString::to_string).collect()
}
