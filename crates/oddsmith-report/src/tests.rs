use oddsmith::Notice;
use oddsmith::card::{Card, Cell, FixedTable, Summary, Table};

use crate::{Format, Style, notebook, notices, render};

fn card() -> Card {
    let mut tidy = FixedTable::new("tidy", ["class", "term", "level", "estimate", "weight"]);
    tidy.push(["no".into(), "age".into(), Cell::Empty, 23.6615384.into(), 130u64.into()]);
    tidy.push(["no".into(), "lwt".into(), Cell::Empty, 133.3.into(), 130u64.into()]);
    tidy.push(["yes".into(), "race|\x1b[31m<b>".into(), "white".into(), 0.3898305084745763.into(), 59u64.into()]);
    tidy.push(["yes".into(), "=ht".into(), "true".into(), f64::NEG_INFINITY.into(), 0u64.into()]);
    Card {
        title: "naive Bayes".into(),
        facts: vec![("rows".into(), 189u64.into()), ("smoothing".into(), 1.0.into()), ("log evidence".into(), f64::NAN.into())],
        tidy: tidy.into(),
        notices: vec![Notice::new("W112", "level has 3 rows").column("ht").level("true")],
        ..Card::default()
    }
}

#[test]
fn a_terminal_gets_aligned_columns_and_no_escape_sequences_from_data() {
    let text = render(&card(), Format::Table, &Style::default());
    let expected = "\
naive Bayes
  rows 189 · smoothing 1 · log evidence NaN
 class  term              level  estimate  weight
─────────────────────────────────────────────────
 no     age                       23.66       130
 no     lwt                      133.3        130
 yes    race|\\x1b[31m<b>  white    0.3898      59
 yes    =ht               true    −∞            0
";
    assert_eq!(text, expected);
}

#[test]
fn a_narrow_terminal_hides_columns_and_says_so() {
    let text = render(&card(), Format::Table, &Style { width: Some(36), ..Style::default() });
    assert!(text.lines().all(|line| line.chars().count() <= 60), "{text}");
    assert!(text.ends_with(" … 2 columns do not fit; --format csv or json shows all\n"), "{text}");
}

#[test]
fn colour_is_added_only_on_request() {
    let text = render(&card(), Format::Table, &Style { color: true, ..Style::default() });
    assert!(text.starts_with("\x1b[1mnaive Bayes\x1b[0m\n"));
    assert_eq!(notices(&card().notices, &Style::default()), "W112 ht: level has 3 rows\n");
}

#[test]
fn csv_keeps_every_digit() {
    let text = render(&card(), Format::Csv, &Style { guard: true, ..Style::default() });
    let expected = "class,term,level,estimate,weight
no,age,,23.6615384,130
no,lwt,,133.3,130
yes,race|\x1b[31m<b>,white,0.3898305084745763,59
yes,\"'=ht\",true,-inf,0
";
    assert_eq!(text, expected);
}

#[test]
fn json_is_valid_and_holds_facts_rows_and_notices() {
    let card = card();
    let value: serde_json::Value = serde_json::from_str(&render(&card, Format::Json, &Style::default())).unwrap();
    assert_eq!(value["facts"]["rows"], 189);
    assert_eq!(value["facts"]["log evidence"], "NaN");
    assert_eq!(value["tidy"][2]["estimate"], 0.3898305084745763);
    assert_eq!(value["tidy"][2]["term"], "race|\x1b[31m<b>");
    assert_eq!(value["tidy"][3]["estimate"], "-Infinity");
    assert_eq!(value["notices"][0]["id"], "W112");
    assert_eq!(value["notices"][0]["name"], "rare level");
    let pair: &[(&str, &Card)] = &[("data", &card), ("model", &card)];
    let value: serde_json::Value = serde_json::from_str(&render(pair, Format::Json, &Style::default())).unwrap();
    assert_eq!(value["data"]["title"], value["model"]["title"]);
    let lines = render(&card, Format::Ndjson, &Style::default());
    assert_eq!(lines.lines().count(), 4);
    assert!(lines.lines().all(|line| serde_json::from_str::<serde_json::Value>(line).is_ok()));
}

#[test]
fn documents_escape_markup() {
    let md = render(&card(), Format::Md, &Style::default());
    assert!(md.starts_with("## naive Bayes\n\n- rows: 189\n"), "{md}");
    assert!(md.contains("| yes | race\\|\\\\x1b\\[31m&lt;b> | white | 0.3898 | 59 |\n"), "{md}");
    assert!(md.contains("- W112 ht level has 3 rows\n"), "{md}");
    let html = render(&card(), Format::Html, &Style::default());
    assert!(html.contains("<td>race|\\x1b[31m&lt;b&gt;</td>"), "{html}");
    let latex = render(&card(), Format::Latex, &Style::default());
    assert!(latex.contains("yes & race$|$\\textbackslash{}x1b{[}31m$<$b$>$ & white & 0.3898 & 59 \\\\\n"), "{latex}");
}

#[test]
fn an_empty_table_is_still_valid_in_every_format() {
    let table = Table::from(FixedTable::new("tidy", ["a", "b"]));
    assert_eq!(render(&table, Format::Csv, &Style::default()), "a,b\n");
    assert_eq!(render(&table, Format::Json, &Style::default()), "[]\n");
    assert_eq!(render(&table, Format::Ndjson, &Style::default()), "");
}

#[test]
fn documents_carry_the_lines_of_the_terminal() {
    let summary = Summary { facts: vec![("n".into(), 189u64.into())], table: None, footnotes: vec!["AUC 0.7 – high".into()] };
    let card = Card { summary: Some(summary), ..card() };
    let terminal = render(&card, Format::Table, &Style::default());
    assert!(terminal.contains("n 189") && terminal.contains("AUC 0.7 – high") && !terminal.contains("smoothing"));
    for (format, footnote) in [(Format::Md, "AUC 0.7 – high"), (Format::Html, "AUC 0.7 – high"), (Format::Latex, "AUC 0.7 -- high")] {
        let text = render(&card, format, &Style::default());
        assert!(["naive Bayes", "n: 189", footnote, "W112", "age"].iter().all(|part| text.contains(part)), "{text}");
        assert!(!text.contains("smoothing"), "{text}");
    }
}

#[test]
fn a_notebook_shows_three_facts_and_the_table_and_folds_the_rest() {
    let mut drop1 = FixedTable::new("drop1", ["term", "p_value"]);
    drop1.push(["age".into(), 0.5.into()]);
    let facts = (1..=5).map(|i| (format!("fact{i}"), Cell::from(i as u64))).collect();
    let card = Card { facts, tables: vec![drop1.into()], ..card() };
    let html = notebook(&card);
    let at = |part: &str| html.find(part).unwrap_or_else(|| panic!("no {part} in {html}"));
    assert!(at("fact3 3") < at("<table>") && at("<table>") < at("W112") && at("W112") < at("<details>"));
    assert!(at("<details>") < at("fact4 4") && at("Each term against the model without it") < at("</details>\n</div>"));
    assert!(!html.contains("\x1b") && html.contains("<td style=\"text-align: right; padding: 0.1em 0.6em\">23.66</td>"), "{html}");
}

#[test]
fn nothing_is_wider_than_the_terminal() {
    let mut models = FixedTable::new("models", ["model", "what_it_is"]);
    models.push(["nb".into(), "naive Bayes over numbers, categories, booleans and text, each column with its own distribution".into()]);
    let footnotes = vec!["a sentence that goes on and on, much longer than any terminal is wide, in plain words".into()];
    let summary =
        Summary { facts: vec![("a fact with a very long name indeed".into(), "and a long value as well".into())], table: None, footnotes };
    let card =
        Card { title: "a title that is too long for a narrow terminal".into(), tidy: models.into(), summary: Some(summary), ..card() };
    let narrow = Style { width: Some(40), ..Style::default() };
    let text = render(&card, Format::Table, &narrow) + &notices(&card.notices, &narrow);
    assert!(text.lines().all(|line| line.chars().count() <= 40), "{text}");
    assert!(text.contains("distribution"), "{text}");
}
