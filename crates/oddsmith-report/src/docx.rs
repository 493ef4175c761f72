//! A Word document: a zip of a few parts of XML. The same subject gives the same bytes: the parts are stored in a fixed order, without times and without
//! compression.

use std::io::{Cursor, Write};

use oddsmith::card::{Card, Cell, Table};
use oddsmith::{Error, Result};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, DateTime, ZipWriter};

use crate::document::shown;
use crate::rows::text_for_people;
use crate::side_by_side::side_by_side;
use crate::{Subject, escape, for_reading};

const CONTENT_TYPES: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n\
<Types xmlns=\"http://schemas.openxmlformats.org/package/2006/content-types\">\
<Default Extension=\"rels\" ContentType=\"application/vnd.openxmlformats-package.relationships+xml\"/>\
<Default Extension=\"xml\" ContentType=\"application/xml\"/>\
<Override PartName=\"/word/document.xml\" ContentType=\"application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml\"/>\
<Override PartName=\"/word/styles.xml\" ContentType=\"application/vnd.openxmlformats-officedocument.wordprocessingml.styles+xml\"/>\
</Types>";

const PACKAGE: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n\
<Relationships xmlns=\"http://schemas.openxmlformats.org/package/2006/relationships\">\
<Relationship Id=\"rId1\" Type=\"http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument\" Target=\"word/document.xml\"/>\
</Relationships>";

const PARTS: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n\
<Relationships xmlns=\"http://schemas.openxmlformats.org/package/2006/relationships\">\
<Relationship Id=\"rId1\" Type=\"http://schemas.openxmlformats.org/officeDocument/2006/relationships/styles\" Target=\"styles.xml\"/>\
</Relationships>";

/// Styles by the names that Word knows, so that a template changes them: headings, tables, notes.
const STYLES: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n\
<w:styles xmlns:w=\"http://schemas.openxmlformats.org/wordprocessingml/2006/main\">\
<w:docDefaults><w:rPrDefault><w:rPr><w:rFonts w:ascii=\"Calibri\" w:hAnsi=\"Calibri\" w:cs=\"Calibri\"/><w:sz w:val=\"20\"/></w:rPr></w:rPrDefault></w:docDefaults>\
<w:style w:type=\"paragraph\" w:default=\"1\" w:styleId=\"Normal\"><w:name w:val=\"Normal\"/><w:pPr><w:spacing w:after=\"60\"/></w:pPr></w:style>\
<w:style w:type=\"paragraph\" w:styleId=\"Heading2\"><w:name w:val=\"heading 2\"/><w:basedOn w:val=\"Normal\"/><w:next w:val=\"Normal\"/>\
<w:pPr><w:keepNext/><w:spacing w:before=\"240\" w:after=\"80\"/><w:outlineLvl w:val=\"1\"/></w:pPr><w:rPr><w:b/><w:sz w:val=\"26\"/></w:rPr></w:style>\
<w:style w:type=\"paragraph\" w:styleId=\"Footnote\"><w:name w:val=\"Table Note\"/><w:basedOn w:val=\"Normal\"/><w:pPr><w:spacing w:before=\"40\" w:after=\"40\"/></w:pPr>\
<w:rPr><w:sz w:val=\"18\"/></w:rPr></w:style>\
<w:style w:type=\"paragraph\" w:styleId=\"TableText\"><w:name w:val=\"Table Text\"/><w:basedOn w:val=\"Normal\"/><w:pPr><w:spacing w:before=\"20\" w:after=\"20\"/></w:pPr>\
<w:rPr><w:sz w:val=\"18\"/></w:rPr></w:style>\
<w:style w:type=\"table\" w:default=\"1\" w:styleId=\"TableNormal\"><w:name w:val=\"Normal Table\"/><w:tblPr><w:tblCellMar>\
<w:left w:w=\"80\" w:type=\"dxa\"/><w:right w:w=\"80\" w:type=\"dxa\"/></w:tblCellMar></w:tblPr></w:style>\
</w:styles>";

/// The subject as the bytes of a `.docx` file: title, facts, table, lines below it and notices of every card.
pub fn docx<'a>(subject: impl Into<Subject<'a>>) -> Result<Vec<u8>> {
    let subject = subject.into();
    let mut body = String::new();
    match subject {
        Subject::Table(table) => push_table(table, &mut body),
        _ => subject.cards().into_iter().for_each(|card| push_card(card, &mut body)),
    }
    let document = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n\
         <w:document xmlns:w=\"http://schemas.openxmlformats.org/wordprocessingml/2006/main\"><w:body>{body}\
         <w:sectPr><w:pgSz w:w=\"11906\" w:h=\"16838\"/><w:pgMar w:top=\"1134\" w:right=\"1134\" w:bottom=\"1134\" w:left=\"1134\" \
         w:header=\"567\" w:footer=\"567\" w:gutter=\"0\"/></w:sectPr></w:body></w:document>"
    );
    let parts = [
        ("[Content_Types].xml", CONTENT_TYPES),
        ("_rels/.rels", PACKAGE),
        ("word/document.xml", &document),
        ("word/_rels/document.xml.rels", PARTS),
        ("word/styles.xml", STYLES),
    ];
    packed(&parts).map_err(|fault| Error::internal(format!("a Word document cannot be packed: {fault}")))
}

fn packed(parts: &[(&str, &str)]) -> zip::result::ZipResult<Vec<u8>> {
    let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
    let stored = SimpleFileOptions::default().compression_method(CompressionMethod::Stored).last_modified_time(DateTime::default());
    for (name, text) in parts {
        archive.start_file(*name, stored)?;
        archive.write_all(text.as_bytes())?;
    }
    Ok(archive.finish()?.into_inner())
}

fn push_card(card: &Card, body: &mut String) {
    let (told, table) = for_reading(card);
    let table = side_by_side(table);
    paragraph(&card.title, "Heading2", body);
    if !told.is_empty() {
        let facts: Vec<String> = told.iter().map(|(name, cell)| format!("{name} {}", text_for_people(cell))).collect();
        paragraph(&facts.join(" · "), "Normal", body);
    }
    if shown(&table) {
        push_table(&table, body);
    }
    let footnotes = card.summary.iter().flat_map(|summary| summary.footnotes.iter().cloned());
    footnotes.chain(card.notices.iter().map(ToString::to_string)).for_each(|line| paragraph(&line, "Footnote", body));
}

fn paragraph(text: &str, style: &str, body: &mut String) {
    body.push_str(&format!("<w:p><w:pPr><w:pStyle w:val=\"{style}\"/></w:pPr>{}</w:p>", run(text, false)));
}

fn run(text: &str, bold: bool) -> String {
    let bold = if bold { "<w:rPr><w:b/></w:rPr>" } else { "" };
    format!("<w:r>{bold}<w:t xml:space=\"preserve\">{}</w:t></w:r>", escape::html(text))
}

/// A table as journals set it: lines above and below the header and below the last row, the header again on every page.
fn push_table(table: &Table, body: &mut String) {
    if table.columns().is_empty() {
        return;
    }
    let rule = |side: &str| format!("<w:{side} w:val=\"single\" w:sz=\"6\" w:space=\"0\" w:color=\"auto\"/>");
    body.push_str(&format!(
        "<w:tbl><w:tblPr><w:tblW w:w=\"0\" w:type=\"auto\"/><w:tblBorders>{}{}</w:tblBorders></w:tblPr><w:tblGrid>{}</w:tblGrid>",
        rule("top"),
        rule("bottom"),
        "<w:gridCol/>".repeat(table.columns().len())
    ));
    let right: Vec<bool> = (0..table.columns().len()).map(|j| is_number(table, j)).collect();
    body.push_str("<w:tr><w:trPr><w:tblHeader/></w:trPr>");
    let below = format!("<w:tcBorders>{}</w:tcBorders>", rule("bottom"));
    for (name, right) in table.columns().iter().zip(&right) {
        push_cell(name, *right, true, &below, body);
    }
    body.push_str("</w:tr>");
    for row in table.rows() {
        body.push_str("<w:tr><w:trPr><w:cantSplit/></w:trPr>");
        row.iter().zip(&right).for_each(|(cell, right)| push_cell(&text_for_people(cell), *right, false, "", body));
        body.push_str("</w:tr>");
    }
    body.push_str("</w:tbl>");
    // Two tables without a paragraph between them would become one.
    body.push_str("<w:p><w:pPr><w:pStyle w:val=\"Footnote\"/></w:pPr></w:p>");
}

fn push_cell(text: &str, right: bool, bold: bool, borders: &str, body: &mut String) {
    let side = if right { "<w:jc w:val=\"right\"/>" } else { "" };
    let run = if text.is_empty() { String::new() } else { run(text, bold) };
    body.push_str(&format!(
        "<w:tc><w:tcPr><w:tcW w:w=\"0\" w:type=\"auto\"/>{borders}</w:tcPr><w:p><w:pPr><w:pStyle w:val=\"TableText\"/>{side}</w:pPr>{run}</w:p></w:tc>"
    ));
}

/// Whether a column holds numbers, which stand to the right.
fn is_number(table: &Table, j: usize) -> bool {
    let mut cells = table.rows().iter().map(|row| &row[j]).filter(|cell| **cell != Cell::Empty).peekable();
    cells.peek().is_some() && cells.all(|cell| matches!(cell, Cell::Count(_) | Cell::Number(_) | Cell::PValue(_)))
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use oddsmith::card::{FixedTable, Summary};

    use super::*;

    fn document(card: &Card) -> String {
        let mut archive = zip::ZipArchive::new(Cursor::new(docx(card).unwrap())).unwrap();
        assert_eq!(archive.len(), 5);
        let mut text = String::new();
        archive.by_name("word/document.xml").unwrap().read_to_string(&mut text).unwrap();
        text
    }

    fn card() -> Card {
        let mut table = FixedTable::new("t", ["term", "n"]);
        table.push(["a<b & \"c\"\u{1}".into(), 3u64.into()]);
        table.push([Cell::Empty, Cell::Empty]);
        let summary = Summary { facts: vec![("rows".into(), 189u64.into())], table: None, footnotes: vec!["Welch's t-test".into()] };
        Card { title: "Title <1>".into(), tidy: table.into(), summary: Some(summary), ..Card::default() }
    }

    #[test]
    fn a_document_holds_what_people_read_and_escapes_it() {
        let text = document(&card());
        assert!(text.contains("Title &lt;1&gt;") && text.contains("a&lt;b &amp;") && text.contains("rows 189"), "{text}");
        assert!(text.contains("Welch") && !text.contains('\u{1}'), "{text}");
        assert!(text.contains("<w:jc w:val=\"right\"/></w:pPr><w:r><w:t xml:space=\"preserve\">3</w:t>"), "{text}");
        for tag in ["w:p", "w:tr", "w:tc", "w:tbl", "w:r", "w:t"] {
            let (open, close) = (text.matches(&format!("<{tag}>")).count(), text.matches(&format!("</{tag}>")).count());
            let with = text.matches(&format!("<{tag} ")).count();
            assert_eq!(open + with, close, "{tag}");
        }
    }

    #[test]
    fn the_same_card_has_the_same_bytes() {
        assert_eq!(docx(&card()).unwrap(), docx(&card()).unwrap());
        assert!(docx(&card().tidy).is_ok() && docx(&Table::default()).is_ok());
    }
}
