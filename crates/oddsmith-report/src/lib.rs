//! Cards, tables and notices as text: for a terminal, for documents and for programs.
//!
//! This crate sees [`Card`], [`Table`] and [`Notice`](oddsmith::Notice) and never a model: whatever a model has to say is plain data
//! by the time it gets here. [`render`] is the one entry; [`Rows`] writes tables that are too long to hold.

mod document;
mod docx;
mod escape;
mod format;
mod json;
mod latex;
mod notebook;
mod number;
mod page;
mod picture_json;
mod rows;
mod side_by_side;
pub mod svg;
mod terminal;
mod text_picture;
mod wrap;

pub use docx::docx;
pub use escape::printable;
pub use format::{Format, Style};
pub use notebook::notebook;
pub use number::{for_people, p_for_people, shortest};
pub use page::{About, picture_page, report_page};
pub use rows::Rows;
pub use terminal::notices;
pub use text_picture::text_picture;
pub use wrap::wrapped;

use oddsmith::card::{Card, Cell, Table};
use oddsmith::picture::Picture;

/// What can be rendered.
#[derive(Debug, Clone, Copy)]
pub enum Subject<'a> {
    /// A table alone.
    Table(&'a Table),
    /// A model or a result.
    Card(&'a Card),
    /// Several cards, each under the key by which programs find it. Formats that hold one table only show the last.
    Cards(&'a [(&'a str, &'a Card)]),
}

impl<'a> From<&'a Table> for Subject<'a> {
    fn from(table: &'a Table) -> Self {
        Subject::Table(table)
    }
}

impl<'a> From<&'a Card> for Subject<'a> {
    fn from(card: &'a Card) -> Self {
        Subject::Card(card)
    }
}

impl<'a> From<&'a [(&'a str, &'a Card)]> for Subject<'a> {
    fn from(cards: &'a [(&'a str, &'a Card)]) -> Self {
        Subject::Cards(cards)
    }
}

/// The subject as text that ends with a line end.
///
/// A terminal gets the title, the facts and the table; its notices are left to [`notices`], because they belong on
/// another stream. Documents and JSON hold everything. CSV and NDJSON hold the one table. A Word document is bytes ([`docx`]); as text it is Markdown.
pub fn render<'a>(subject: impl Into<Subject<'a>>, format: Format, style: &Style) -> String {
    let subject = subject.into();
    match format {
        Format::Table => terminal::render(subject, style),
        Format::Json => json::render(subject),
        Format::Csv | Format::Ndjson => whole(subject.main_table(), format, style),
        Format::Md | Format::Html | Format::Latex => document::render(subject, format, style),
        Format::Docx => document::render(subject, Format::Md, style),
        Format::Svg => subject.picture().map_or_else(String::new, |picture| svg::svg_file(picture, svg::Theme::Light)),
    }
}

/// A picture as text that ends with a line end: drawn for people, its data for programs.
pub fn render_picture(picture: &Picture, format: Format, style: &Style) -> String {
    match format {
        Format::Svg => svg::svg_file(picture, svg::Theme::Light),
        Format::Html => format!("<figure>\n{}</figure>\n", svg::svg_file(picture, svg::Theme::Light)),
        Format::Json => format!("{}\n", picture_json::picture(picture)),
        Format::Table => text_picture(picture, style),
        Format::Csv | Format::Ndjson | Format::Md | Format::Latex | Format::Docx => whole(Some(&picture.short_table()), format, style),
    }
}

impl<'a> Subject<'a> {
    fn cards(self) -> Vec<&'a Card> {
        match self {
            Subject::Table(_) => Vec::new(),
            Subject::Card(card) => vec![card],
            Subject::Cards(cards) => cards.iter().map(|(_, card)| *card).collect(),
        }
    }

    /// The first picture of a card.
    pub fn picture(self) -> Option<&'a Picture> {
        self.cards().into_iter().rev().find_map(|card| card.pictures.first())
    }

    fn main_table(self) -> Option<&'a Table> {
        match self {
            Subject::Table(table) => Some(table),
            Subject::Card(card) => Some(&card.tidy),
            Subject::Cards(cards) => cards.last().map(|(_, card)| &card.tidy),
        }
    }
}

/// Facts and table of a card as a person reads them.
fn for_reading(card: &Card) -> (&[(String, Cell)], &Table) {
    match &card.summary {
        Some(summary) => (&summary.facts, summary.table.as_ref().unwrap_or(&card.tidy)),
        None => (&card.facts, &card.tidy),
    }
}

fn whole(table: Option<&Table>, format: Format, style: &Style) -> String {
    let Some(table) = table else { return String::new() };
    let mut text = String::new();
    let mut rows = Rows::new(format, style.clone(), table.columns());
    rows.begin(&mut text);
    table.rows().iter().for_each(|row| rows.write(row, &mut text));
    rows.end(&mut text);
    text
}

#[cfg(test)]
mod tests;
