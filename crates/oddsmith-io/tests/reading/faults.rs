//! Every fault of a table is named with its place, its value and what would be accepted.

use crate::tables::{learn, notices, refusal, rows};
use oddsmith::control::Control;
use oddsmith::data::{Kind, Weighting};
use oddsmith_io::{Header, Input, Quote, Ragged, ReadOptions, Roles, open};

fn refused(text: impl AsRef<[u8]>) -> String {
    refusal(text, &ReadOptions::default(), &Roles::target("y"))
}

fn refused_with(text: impl AsRef<[u8]>, options: ReadOptions) -> String {
    refusal(text, &options, &Roles::target("y"))
}

#[test]
fn empty_files_and_headers_alone() {
    for text in ["", "\n\n", " \r\n", "\u{feff}"] {
        assert_eq!(refused(text), "t.csv: the file is empty; a table has a header and at least one row", "{text:?}");
    }
    assert_eq!(refused("x,y\n"), "t.csv: the table has a header and no rows; a table needs at least one row");
    assert_eq!(refused("y\na\nb\n"), "t.csv: there is no column to learn from; give at least one besides the target");
}

#[test]
fn ragged_rows_stop_with_their_line() {
    let text = "x,y\n1,a\n\"2\n\",b\n3\n4,a,z\n5,b\n";
    assert_eq!(refused(text), "t.csv: row 3, line 5: 2 cells expected, 1 found; mend the row, or use --ragged pad or --ragged skip");
    let many = format!("x,y\n{}7\n", "1,a\n".repeat(5000));
    for (partition_bytes, threads) in [(100, 2), (4 << 20, 1), (1, 3)] {
        let options = ReadOptions { partition_bytes, threads, ..ReadOptions::default() };
        assert!(refused_with(&many, options).starts_with("t.csv: row 5001, line 5002: 2 cells expected, 1 found"));
    }
    let padded = learn(text, &ReadOptions { ragged: Ragged::Pad, ..ReadOptions::default() }).unwrap();
    assert_eq!(rows(&*padded.source), ["1 a", "2 b", "4 a", "5 b"]);
    assert_eq!(
        notices(&padded),
        ["W102 2 rows of another width than the header filled with missing cells or cut", "W122 y 1 row without a target left out"]
    );
    let skipped = learn(text, &ReadOptions { ragged: Ragged::Skip, ..ReadOptions::default() }).unwrap();
    assert_eq!(rows(&*skipped.source), ["1 a", "2 b", "5 b"]);
    assert_eq!(notices(&skipped), ["W102 2 rows of another width than the header left out"]);
}

#[test]
fn a_line_of_millions_of_cells_is_refused_before_they_are_made() {
    let commas = ",".repeat(3 << 20);
    for text in [format!("{commas}\n"), commas.clone(), format!("x,y\n1,a\n{commas}\n")] {
        assert_eq!(refused(text), "t.csv: a line has 3145729 cells; tables of up to 1048576 columns");
    }
    // Where another delimiter makes a table, those inside its cells do not matter.
    let table = learn(format!("x\ty\n{commas}\ta\nz\tb\n"), &ReadOptions::default()).unwrap();
    assert_eq!(table.rows, 2);
}

/// Zeros that a small file unpacks to took fifteen times their window before they were refused, as the name of a column.
#[test]
fn a_file_without_a_line_end_is_refused_before_it_is_looked_at() {
    let endless = "\0".repeat((64 << 20) + 1);
    assert_eq!(refused(&endless), "t.csv: the first 67108864 bytes have no line end; a table, or a file that is packed as its name says");
}

#[test]
fn infinite_numbers_are_named_by_row() {
    for spelled in ["inf", "-Infinity", "1e999"] {
        let text = format!("x,y\n1,a\n2,b\n{spelled},a\n");
        let expected = format!(
            "t.csv: column `x`, row 3: is not a finite number: `{spelled}`; correct it, or list it as missing with --missing-markers"
        );
        assert_eq!(refused(text), expected);
    }
    let both = "x,z,y\n1,1,a\n2,inf,b\ninf,2,a\n";
    assert!(refused(both).starts_with("t.csv: column `z`, row 2: is not a finite number: `inf`"));
    assert!(learn("x,y\ninf,a\nword,b\n", &ReadOptions::default()).is_ok());
}

#[test]
fn given_kinds_are_binding() {
    let numbers = ReadOptions { kinds: [("x".to_owned(), Kind::Number)].into(), ..ReadOptions::default() };
    let message = refused_with("x,y\n1,a\n4o,b\n", numbers);
    assert_eq!(
        message,
        "t.csv: column `x`, row 2: is not a number: `4o`; correct it, list it as missing with --missing-markers, or give the column another --kind"
    );
    let booleans = ReadOptions { kinds: [("x".to_owned(), Kind::Boolean)].into(), ..ReadOptions::default() };
    let message = refused_with("x,y\nyes,a\nmaybe,b\n", booleans);
    assert_eq!(
        message,
        "t.csv: column `x`, row 2: is not true or false: `maybe`; correct it, list it as missing with --missing-markers, or give the column another --kind"
    );
    let unknown = ReadOptions { kinds: [("z".to_owned(), Kind::Number)].into(), ..ReadOptions::default() };
    assert_eq!(refused_with("x,y\n1,a\n", unknown), "there is no column `z`; did you mean `x`?");
}

#[test]
fn weights_must_be_zero_or_above() {
    let roles = Roles { weight: Some(("w".into(), Weighting::Sampling)), ..Roles::target("y") };
    for bad in ["-1", "NA", "", "inf", "heavy"] {
        let text = format!("x,w,y\n1,1,a\n2,{bad},b\n");
        let expected = format!("t.csv: column `w`, row 2: is not a weight: `{bad}`; a weight is a number that is zero or above");
        assert_eq!(refusal(text, &ReadOptions::default(), &roles), expected);
    }
    let text = "x,w,y\n1,0,a\n2,0,b\n";
    let expected =
        "t.csv: no row is left; rows of weight zero, ragged rows that are skipped and rows that the condition leaves out do not count";
    assert_eq!(refusal(text, &ReadOptions::default(), &roles), expected);
}

#[test]
fn targets_need_values_and_may_not_be_identifiers() {
    assert_eq!(refused("x,y\n1,\n2,NA\n"), "t.csv: column `y`: has no value in any row; choose another target");
    let many: String = "x,y\n".chars().chain((0..20).flat_map(|i| format!("1,k{i}\n").chars().collect::<Vec<_>>())).collect();
    let message = refused_with(&many, ReadOptions { max_classes: 19, ..ReadOptions::default() });
    assert_eq!(message, "t.csv: column `y`: has more than 19 classes; is it an identifier? choose another target, or raise --max-classes");
    assert!(learn(&many, &ReadOptions { max_classes: 20, ..ReadOptions::default() }).is_ok());
}

#[test]
fn a_measurement_is_no_target() {
    let table = |step: f64, rows: usize| {
        let lines: String = (0..rows).map(|i| format!("{i},{}\n", (i % 40) as f64 * step)).collect();
        format!("x,y\n{lines}")
    };
    for (step, rows) in [(0.37, 60), (1.0, 60), (1.0, 399)] {
        assert_eq!(
            refused(table(step, rows)),
            format!(
                "t.csv: column `y`: a numeric outcome, not classes: 40 different numbers in {rows} rows; a target of few classes; cut the \
                 numbers into ranges first, or say that the kind of the column is category"
            )
        );
    }
    // Numbers that come back may be codes of classes, and whoever says that they are means it.
    assert!(learn(table(1.0, 400), &ReadOptions::default()).is_ok());
    let kinds = [("y".to_owned(), oddsmith::data::Kind::Category)].into();
    assert!(learn(table(0.37, 60), &ReadOptions { kinds, ..ReadOptions::default() }).is_ok());
}

#[test]
fn files_of_other_programs_are_named_with_a_way_out() {
    let named = |name: &str, bytes: &[u8]| {
        let input = Input::Bytes { name: name.into(), bytes: bytes.into() };
        open(&input, &ReadOptions::default(), &Roles::target("y"), &Control::new()).err().unwrap().to_string()
    };
    let zip = |inner: &[u8]| [&b"PK\x03\x04"[..], &[0; 26], inner].concat();
    let cases: [(&[u8], &str, &str); 9] = [
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1\0\0", "an Excel workbook of the old kind (.xls)", "save it as .xlsx or as CSV"),
        (b"$FL2@(#) SPSS DATA FILE", "an SPSS file", "SAVE TRANSLATE"),
        (b"<stata_dta><header>", "a Stata file", "export delimited"),
        (b"\0\0\0\0\0\0\0\0\0\0\0\0\xc2\xea\x81\x60\xb3\x14", "a SAS file", "proc export"),
        (b"SQLite format 3\0\x10\0", "an SQLite database", "sqlite3 -header -csv"),
        (b"%PDF-1.7\n%\xe2\xe3", "a PDF document", "as CSV"),
        (&zip(b"rows.csv"), "a ZIP archive", "unpack it first"),
        (&zip(b"mimetypeapplication/vnd.oasis.opendocument.spreadsheet"), "an OpenDocument file (.ods)", "as CSV"),
        (b"{\"a\": 1}\n", "JSON", "pandas.read_json"),
    ];
    for (bytes, what, advice) in cases {
        let message = named("rows.csv", bytes);
        assert!(message.starts_with(&format!("rows.csv: this is {what}, not a table of rows; ")) && message.contains(advice), "{message}");
    }
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    std::io::Write::write_all(&mut encoder, b"X\n\0\0\0\x03\0\x04\x02\0").unwrap();
    assert!(named("rows.rds", &encoder.finish().unwrap()).contains("a file of R objects, not a table of rows; in R, `write.csv(readRDS("));
    assert!(named("old.dta", b"\x6c\xff\xfe\0\x01").contains("a Stata file"));
    assert!(named("rows.xls", b"x\ty\nn\xe4\ta\n").contains("Excel"), "bytes that are no text are told by the name");
    let text = Input::Bytes { name: "rows.xls".into(), bytes: b"x\ty\n1\ta\n2\tb\n".as_slice().into() };
    assert!(open(&text, &ReadOptions::default(), &Roles::target("y"), &Control::new()).is_ok(), "a text table may have any name");
}

#[test]
fn bytes_that_are_not_utf8_are_named_by_offset() {
    let expected = "t.csv: byte 9 is not valid UTF-8; name the file's encoding, such as --encoding latin1";
    assert_eq!(refused(b"x,y\n1,na\xefve\n"), expected.replace("byte 9", "byte 8"));
    let late = [&b"x,y\n"[..], &b"1,a\n".repeat(1 << 19), b"1,\xff\n"].concat();
    let expected = format!("t.csv: byte {} is not valid UTF-8; name the file's encoding, such as --encoding latin1", 4 + (4 << 19) + 2);
    assert_eq!(refused_with(&late, ReadOptions { partition_bytes: 10_000, ..ReadOptions::default() }), expected);
    let latin = ReadOptions { encoding: Some("latin1".into()), ..ReadOptions::default() };
    assert_eq!(learn(b"x,y\n1,na\xefve\n", &latin).unwrap().layout().classes().labels(), ["naïve"]);
}

#[test]
fn open_quotes_are_found() {
    let expected = "t.csv: line 3: a quote is opened and never closed, and swallows 2 line ends; close it, or read quotes as ordinary \
                    characters with --quote none";
    assert_eq!(refused("x,y\n\"1,5\",a\n\"2,b\n3,a\n"), expected);
    let given = ReadOptions { quote: Quote::Byte(b'"'), ..ReadOptions::default() };
    assert_eq!(refused_with("x,y\n1,a\n\"2,b\n3,a\n", given), expected);
    for quote in [Quote::None, Quote::Auto] {
        let literal = learn("x,y\n1,a\n\"2,b\n3,a\n", &ReadOptions { quote, ..ReadOptions::default() }).unwrap();
        assert_eq!(rows(&*literal.source), ["1 a", "\"2 b", "3 a"]);
    }
    let stray = learn("x,y\n\"say \"hi\" now\",a\n5\" pipe,b\n", &ReadOptions::default()).unwrap();
    assert_eq!(rows(&*stray.source), ["say hi\" now\" a", "5\" pipe b"]);
    assert_eq!(notices(&stray), ["W104 1 cell has text after a closing quote; --quote none reads quotes as ordinary characters"]);
    let long = format!("x,y\n1,{}\n", "z".repeat((16 << 20) + 1));
    assert_eq!(refused(long), "t.csv: row 1, line 2: a cell is longer than 16 MB; check the delimiter and the quotes");
}

#[test]
fn repeated_names_are_refused_or_numbered() {
    let text = "x,x,,y\n1,2,3,a\n4,5,6,b\n";
    assert_eq!(refused(text), "t.csv: column `x`: the column name appears twice; rename one, or number them with --dedup-names");
    let renamed = learn(text, &ReadOptions { dedup_names: true, ..ReadOptions::default() }).unwrap();
    assert_eq!(renamed.layout().names(), ["x", "x_2", "column_3"]);
}

#[test]
fn paths_that_are_no_tables() {
    let folder = tempfile::tempdir().unwrap();
    let message = |path: std::path::PathBuf| {
        let opened = open(&Input::Path(path), &ReadOptions::default(), &Roles::target("y"), &Control::new());
        opened.err().unwrap().to_string().replace(&folder.path().display().to_string(), "…")
    };
    assert_eq!(message(folder.path().into()), "…: is a directory, not a table");
    assert_eq!(message(folder.path().join("none.csv")), "…/none.csv: No such file or directory (os error 2)");
    assert_eq!(message("/dev/null".into()), "/dev/null: the file is empty; a table has a header and at least one row");
}

#[cfg(unix)]
#[test]
fn paths_need_not_be_utf8() {
    use std::os::unix::ffi::OsStrExt;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(std::ffi::OsStr::from_bytes(b"na\xefve.csv"));
    std::fs::write(&path, "x,y\n1,a\n2,b\n").unwrap();
    assert!(open(&Input::Path(path), &ReadOptions::default(), &Roles::target("y"), &Control::new()).is_ok());
}

#[test]
fn broken_compression_is_told_apart_from_broken_disks() {
    let whole = zstd::encode_all(&b"x,y\n1,a\n2,b\n"[..], 1).unwrap();
    let expected = |name: &str| format!("t.csv: the {name} bytes are broken or cut off; get a fresh copy of the file");
    assert_eq!(refused(&whole[..whole.len() - 5]), expected("zstd"));
    assert_eq!(refused(b"\x1f\x8b\x08\x00broken"), expected("gzip"));
}

#[test]
fn a_stop_is_obeyed() {
    let control = Control::new();
    control.cancel();
    let opened = open(&crate::tables::table("x,y\n1,a\n"), &ReadOptions::default(), &Roles::target("y"), &control);
    assert_eq!(opened.err().unwrap().to_string(), "interrupted; nothing was written");
}

#[test]
fn more_values_than_memory_holds() {
    let mut text = String::from("id,y\n");
    (0..20_000).for_each(|i| text.push_str(&format!("user{i},a\n")));
    let message = refused_with(&text, ReadOptions { memory: 50_000, threads: 1, partition_bytes: 10_000, ..ReadOptions::default() });
    assert_eq!(
        message,
        "t.csv: column `id`: has more different values than the memory budget holds; leave the column out with --exclude, or raise --memory"
    );
}

#[test]
fn what_was_assumed_is_said() {
    let assumed = |text: &str, options: ReadOptions| {
        let opened = learn(text, &options).unwrap();
        (opened.format.to_string(), notices(&opened).join("; "))
    };
    let default = ReadOptions::default;
    let expect = |found: (String, String), format: &str, notice: &str| assert_eq!(found, (format.to_owned(), notice.to_owned()));
    expect(assumed("x\ty\n1\ta\n2\tb\n", default()), "UTF-8, tab, header", "W101 assumed delimiter tab");
    expect(
        assumed("x;y\n1,5;a\n2,25;b\n", default()),
        "UTF-8, semicolon, header, decimal comma",
        "W101 assumed delimiter semicolon, decimal comma",
    );
    expect(
        assumed("A title\nmade by hand\n\nx,z,y\n1,2,a\n3,4,b\n", default()),
        "UTF-8, comma, header",
        "W101 assumed 3 lines before the table passed over",
    );
    expect(assumed("x,y,\n1,a,\n2,b,\n", default()), "UTF-8, comma, header", "W101 assumed a delimiter at the end of every row");
    expect(assumed("x,y\n1,a,\n2,b,\n", default()), "UTF-8, comma, header", "W101 assumed a delimiter at the end of every row");
    expect(assumed("x,y\r1,a\r2,b\r", default()), "UTF-8, comma, header", "W101 assumed lines that end with a carriage return");
    expect(assumed("'x','y'\n'1,5','a'\n'2','b'\n", default()), "UTF-8, comma, header", "W101 assumed quote '");
    expect(assumed("x\ty\n1\ta\n", ReadOptions { delimiter: Some(b'\t'), ..default() }), "UTF-8, tab, header", "");
    let headless = open(&crate::tables::table("1,a\n2,b\n"), &default(), &Roles::target("column_2"), &Control::new()).unwrap();
    assert_eq!(
        (notices(&headless).join("; "), rows(&*headless.source)),
        ("W101 assumed no header".into(), vec!["1 a".to_owned(), "2 b".into()])
    );
    let given = ReadOptions { header: Header::No, ..default() };
    let headless = open(&crate::tables::table("x,y\nz,w\n"), &given, &Roles::target("column_2"), &Control::new()).unwrap();
    assert_eq!((notices(&headless).join("; "), headless.rows), (String::new(), 2));
}

#[test]
fn zero_bytes_are_data_and_control_characters_are_spelled_out() {
    let opened = learn("x,y\na\0b,p\na,q\n", &ReadOptions::default()).unwrap();
    assert_eq!(rows(&*opened.source), ["a\0b p", "a q"]);
    assert_eq!(
        refused("\x1b[31m,y\ninf,a\n"),
        "t.csv: column `\\x1b[31m`, row 1: is not a finite number: `inf`; correct it, or list it as missing with --missing-markers"
    );
}
