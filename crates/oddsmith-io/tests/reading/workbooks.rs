//! Excel workbooks, made here cell by cell.

use std::io::{Cursor, Write};

use oddsmith::control::Control;
use oddsmith_io::{Input, ReadOptions, Roles, open, open_for_prediction};
use zip::write::SimpleFileOptions;

use crate::tables::{notices, refusal, rows};

const TYPES: &str = r#"<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/></Types>"#;
const RELATIONS: &str = r#"<?xml version="1.0"?><Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="xl/workbook.xml"/></Relationships>"#;
const BOOK: &str = r#"<?xml version="1.0"?><workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><sheets><sheet name="Births" sheetId="1" r:id="rId1"/><sheet name="Notes" sheetId="2" r:id="rId2"/></sheets></workbook>"#;
const BOOK_RELATIONS: &str = r#"<?xml version="1.0"?><Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="rId2" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet" Target="worksheets/sheet2.xml"/><Relationship Id="rId3" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/styles" Target="styles.xml"/></Relationships>"#;
/// Style 1 is a date.
const STYLES: &str = r#"<?xml version="1.0"?><styleSheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><cellXfs count="2"><xf numFmtId="0"/><xf numFmtId="14" applyNumberFormat="1"/></cellXfs></styleSheet>"#;

/// Cells as the format writes them: `n` numbers, `d` dates, `b` booleans, `s` texts, `e` errors.
fn sheet(cells: &[(&str, char, &str)]) -> String {
    let mut rows: std::collections::BTreeMap<u32, String> = std::collections::BTreeMap::new();
    for (place, kind, value) in cells {
        let row = place.trim_start_matches(|c: char| c.is_ascii_alphabetic()).parse().unwrap();
        let cell = match kind {
            'n' => format!(r#"<c r="{place}"><v>{value}</v></c>"#),
            'd' => format!(r#"<c r="{place}" s="1"><v>{value}</v></c>"#),
            's' => format!(r#"<c r="{place}" t="inlineStr"><is><t xml:space="preserve">{value}</t></is></c>"#),
            kind => format!(r#"<c r="{place}" t="{kind}"><v>{value}</v></c>"#),
        };
        rows.entry(row).or_default().push_str(&cell);
    }
    let rows: String = rows.iter().map(|(row, cells)| format!(r#"<row r="{row}">{cells}</row>"#)).collect();
    format!(
        r#"<?xml version="1.0"?><worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>{rows}</sheetData></worksheet>"#
    )
}

fn workbook(first: &str, second: &str) -> Vec<u8> {
    let mut archive = zip::ZipWriter::new(Cursor::new(Vec::new()));
    let parts = [
        ("[Content_Types].xml", TYPES),
        ("_rels/.rels", RELATIONS),
        ("xl/workbook.xml", BOOK),
        ("xl/_rels/workbook.xml.rels", BOOK_RELATIONS),
        ("xl/styles.xml", STYLES),
        ("xl/worksheets/sheet1.xml", first),
        ("xl/worksheets/sheet2.xml", second),
    ];
    for (name, text) in parts {
        archive.start_file(name, SimpleFileOptions::default().compression_method(zip::CompressionMethod::Stored)).unwrap();
        archive.write_all(text.as_bytes()).unwrap();
    }
    archive.finish().unwrap().into_inner()
}

fn births() -> Vec<u8> {
    let first = sheet(&[
        ("B2", 's', "age"),
        ("C2", 's', "smoker"),
        ("D2", 's', "seen, first"),
        ("E2", 's', "y"),
        ("B3", 'n', "31"),
        ("C3", 'b', "1"),
        ("D3", 'd', "45943"),
        ("E3", 's', "no"),
        ("B4", 'n', "0.1"),
        ("C4", 'b', "0"),
        ("D4", 'd', "45943.5"),
        ("E4", 's', "yes"),
        ("B6", 'e', "#N/A"),
        ("D6", 'd', "45943"),
        ("E6", 's', "no"),
    ]);
    let second = sheet(&[("A1", 's', "x"), ("B1", 's', "y"), ("A2", 'n', "1"), ("B2", 's', "p"), ("A3", 'n', "2"), ("B3", 's', "q")]);
    workbook(&first, &second)
}

fn input(bytes: Vec<u8>) -> Input {
    Input::Bytes { name: "births.xlsx".into(), bytes: bytes.into() }
}

#[test]
fn the_first_sheet_is_a_table() {
    let opened = open(&input(births()), &ReadOptions::default(), &Roles::target("y"), &Control::new()).unwrap();
    assert_eq!(opened.format.to_string(), "Excel sheet Births");
    assert_eq!(opened.layout().names(), ["age", "smoker", "seen, first"]);
    assert_eq!(rows(&*opened.source), ["31 true 2025-10-13 no", "0.1 false 2025-10-13T12:00:00 yes", "NaN - 2025-10-13 no"]);
    let told = ["W103 1 blank line between rows left out", "W121 age 1 missing (33.3 %)", "W121 smoker 1 missing (33.3 %)"];
    assert_eq!(notices(&opened), told);
    let new_rows = open_for_prediction(&input(births()), &ReadOptions::default(), opened.layout(), &[]).unwrap();
    let mut ages = Vec::new();
    new_rows
        .scan(&Control::new(), &mut |batch| {
            ages.extend((0..batch.features.rows()).map(|i| batch.features.numbers.get(i, 0).to_string()));
            Ok(())
        })
        .unwrap();
    assert_eq!(ages, ["31", "0.1", "NaN"]);
}

#[test]
fn another_sheet_is_chosen_by_name() {
    let chosen = |name: &str| ReadOptions { sheet: Some(name.into()), ..ReadOptions::default() };
    let opened = open(&input(births()), &chosen("Notes"), &Roles::target("y"), &Control::new()).unwrap();
    assert_eq!((opened.format.to_string(), rows(&*opened.source)), ("Excel sheet Notes".into(), vec!["1 p".into(), "2 q".into()]));
    let refused = |options: &ReadOptions, bytes: Vec<u8>| {
        open(&input(bytes), options, &Roles::target("y"), &Control::new()).err().unwrap().to_string()
    };
    assert_eq!(refused(&chosen("Note"), births()), "there is no sheet `Note`; did you mean `Notes`?");
    assert_eq!(
        refused(&chosen("Notes"), b"x,y\n1,p\n".to_vec()),
        "sheet = Notes is not accepted: only Excel workbooks (.xlsx) have sheets"
    );
    assert_eq!(
        refused(&ReadOptions::default(), workbook(&sheet(&[]), "")),
        "births.xlsx: the file is empty; a table has a header and at least one row"
    );
}

#[test]
fn broken_workbooks_never_panic() {
    let whole = births();
    for cut in [60, 100, whole.len() / 2, whole.len() - 10] {
        let message =
            open(&input(whole[..cut].to_vec()), &ReadOptions::default(), &Roles::target("y"), &Control::new()).err().unwrap().to_string();
        assert!(message.starts_with("births.xlsx: the workbook cannot be read: "), "{message}");
    }
    let message = refusal(workbook("<worksheet><sheetData><row><c>", ""), &ReadOptions::default(), &Roles::target("y"));
    assert!(message.starts_with("t.csv: the workbook cannot be read") || message.contains("the file is empty"), "{message}");
}
