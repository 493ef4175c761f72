//! Many files as one table: their rows in the order of their names, over the union of levels and classes.

use std::path::Path;

use oddsmith::Result;
use oddsmith::control::Control;
use oddsmith::data::{Kind, Order};
use oddsmith_io::{Input, Opened, ReadOptions, Roles, Values, open};

fn written(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    files.iter().for_each(|(name, text)| std::fs::write(folder.path().join(name), text).unwrap());
    folder
}

fn opened(folder: &Path, options: &ReadOptions, roles: &Roles) -> Result<Opened> {
    open(&Input::from_argument(folder), options, roles, &Control::new())
}

fn refused(files: &[(&str, &str)]) -> String {
    let folder = written(files);
    let outcome = opened(folder.path(), &ReadOptions::default(), &Roles::target("y"));
    outcome.err().map_or_else(String::new, |error| error.to_string().replace(&folder.path().display().to_string(), "DIR"))
}

const SITES: [(&str, &str); 4] = [
    ("b.csv", "x,smoke,town,y\n4,0,Oslo,no\n5,1,Oslo,yes\n"),
    ("a.csv", "x,smoke,town,y\n1,0,Bern,no\n2,0,Rome,no\n"),
    ("c.csv", "x,smoke,town,y\n"),
    ("_SUCCESS", ""),
];

#[test]
fn rows_stand_in_the_order_of_files_over_the_union_of_levels() {
    let folder = written(&SITES);
    let table = opened(folder.path(), &ReadOptions::default(), &Roles::target("y")).unwrap();
    assert_eq!((table.rows, table.class_weights.as_slice()), (4, &[3.0, 1.0][..]));
    let mut seen = Vec::new();
    for partition in 0..table.source.partitions() {
        let scanned = table.source.scan(partition, &mut |rows| {
            let cell =
                |i: usize| (rows.first_row + i as u64, rows.features.numbers.get(i, 0), rows.features.codes.get(i, 0), rows.labels[i]);
            seen.extend((0..rows.labels.len()).map(cell));
            Ok(())
        });
        assert!(scanned.is_ok());
    }
    // Bern, Oslo, Rome and no, yes.
    assert_eq!(seen, [(0, 1.0, 0, 0), (1, 2.0, 2, 0), (2, 4.0, 1, 0), (3, 5.0, 1, 1)]);
    let town = table.columns.iter().find(|column| column.name == "town").unwrap();
    let counts = [("Bern", 1), ("Oslo", 2), ("Rome", 1)].map(|(level, rows)| (level.to_owned(), rows));
    assert_eq!(town.values, Values::Levels(counts.to_vec()));
}

#[test]
fn zeros_and_ones_are_booleans_only_if_all_files_together_say_so() {
    let options = ReadOptions { flags: Some(Vec::new()), ..ReadOptions::default() };
    let kind = |files: &[(&str, &str)]| {
        let folder = written(files);
        let table = opened(folder.path(), &options, &Roles::target("y")).unwrap();
        table.layout().features().iter().find(|feature| feature.name == "smoke").unwrap().kind()
    };
    // The first file has zeros alone.
    assert_eq!(kind(&SITES), Kind::Boolean);
    assert_eq!(kind(&[SITES[0], SITES[1], ("d.csv", "x,smoke,town,y\n1,2,Bern,no\n")]), Kind::Number);
}

#[test]
fn the_event_need_not_be_in_every_file() {
    let folder = written(&SITES);
    let roles = Roles { order: Order { event: Some("no".into()), ..Order::default() }, ..Roles::target("y") };
    let table = opened(folder.path(), &ReadOptions::default(), &roles).unwrap();
    assert_eq!(table.layout().classes().labels(), ["yes", "no"]);
}

#[test]
fn files_that_do_not_fit_together_are_named() {
    let kind = refused(&[("a.csv", "x,y\n1,a\n2,b\n"), ("b.csv", "x,y\nold,a\nnew,b\n")]);
    assert!(kind.contains("DIR/a.csv") && kind.contains("DIR/b.csv") && kind.contains("column `x`"), "{kind}");
    let missing = refused(&[("a.csv", "x,z,y\n1,2,a\n2,1,b\n"), ("b.csv", "x,y\n1,a\n2,b\n")]);
    assert!(missing.contains("DIR/b.csv") && missing.contains("no column `z`"), "{missing}");
    assert!(refused(&[("a.csv", "x,y\n")]).contains("no rows"));
    assert!(refused(&[]).contains("there is no file"));
}
