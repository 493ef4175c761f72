//! Names and texts from data, in every format that shows them.

use oddsmith::Notice;
use oddsmith::card::{Card, Cell, FixedTable};
use oddsmith::picture::{Axis, Panel, Picture};
use oddsmith_report::{Format, Style, notebook, notices, render, render_picture};

pub(super) fn seeds() -> Vec<Vec<u8>> {
    [
        "age",
        "<script>alert(1)</script>",
        "\u{1b}[31m\u{9b}2J",
        "a|b_*`[x](y)",
        "\\end{tabular}\\input{x}",
        "=cmd|' /C calc'!A0",
        "\u{202e}x\u{2028}",
        "]]>&lt;\"'",
    ]
    .into_iter()
    .map(|text| text.as_bytes().to_vec())
    .collect()
}

fn card(text: &str) -> Card {
    let mut tidy = FixedTable::new("tidy", ["term", "level", "estimate"]);
    tidy.push([text.into(), text.into(), 1.5.into()]);
    tidy.push(["plain".into(), Cell::Empty, f64::NAN.into()]);
    Card {
        title: format!("model of {text}"),
        facts: vec![(format!("fact {text}"), text.into())],
        tidy: tidy.into(),
        notices: vec![Notice::new("W112", format!("about {text}")).column(text).level(text)],
        ..Card::default()
    }
}

fn picture(text: &str) -> Picture {
    let axis = || Axis { label: text.to_owned(), categories: vec![text.to_owned(), "plain".into()], ..Axis::default() };
    let panel = Panel { x: axis(), y: axis(), ..Panel::default() };
    Picture { name: "picture".into(), title: text.to_owned(), summary: text.to_owned(), panels: vec![panel] }
}

/// Everything between `<` and `>`, names of elements only: what a browser would obey.
fn elements(markup: &str) -> Vec<&str> {
    let name = |part: &str| part.find(|c: char| c.is_whitespace() || c == '>' || c == '/').map_or(part.len(), |end| end.max(1));
    markup.split('<').skip(1).map(|part| &part[..name(part)]).collect()
}

/// Commands of LaTeX that stand in a text.
fn environments(latex: &str) -> usize {
    latex.matches("\\begin{").count() + latex.matches("\\end{").count() + latex.matches("\\input").count()
}

/// Whatever the text is, the structure around it is that around a plain word.
pub(super) fn escaping(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let (card, plain) = (card(&text), card("word"));
    let style = Style::default();
    let shown = |format: Format| (render(&card, format, &style), render(&plain, format, &style));
    let quiet = |text: &str| !text.chars().any(|c| c.is_control() && c != '\n');
    let (terminal, _) = shown(Format::Table);
    assert!(quiet(&terminal) && quiet(&notices(&card.notices, &style)), "a terminal is driven: {terminal:?}");
    let (html, plain_html) = shown(Format::Html);
    assert_eq!(elements(&html), elements(&plain_html), "{html}");
    assert_eq!(elements(&notebook(&card)), elements(&notebook(&plain)));
    let (latex, plain_latex) = shown(Format::Latex);
    assert_eq!(environments(&latex), environments(&plain_latex), "{latex}");
    let (json, _) = shown(Format::Json);
    let value: serde_json::Value = serde_json::from_str(&json).unwrap_or_else(|error| panic!("{error} in {json}"));
    assert_eq!(value["tidy"][0]["term"], text.as_ref(), "{json}");
    let _ = (shown(Format::Csv), shown(Format::Ndjson), shown(Format::Md), shown(Format::Docx));
    let drawn = render_picture(&picture(&text), Format::Svg, &style);
    let known = ["script", "foreignObject", "iframe", "a", "image", "use", "animate", "set"];
    assert!(!elements(&drawn).iter().any(|element| known.contains(element)), "{drawn}");
    let _ = render_picture(&picture(&text), Format::Table, &style);
}
