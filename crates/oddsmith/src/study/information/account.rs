//! The card of a screen: columns ranked by what they tell, in bits.

use std::f64::consts::LOG2_E;

use super::counts::Counts;
use super::finding::Finding;
use super::{Information, NumberMethod};
use crate::card::{Card, Cell, FixedTable, Summary, Table};
use crate::error::{DataFault, Result};
use crate::info::{Joint, entropy};
use crate::notice::{self, Notice};
use crate::picture::{Axis, AxisScale, Mark, Panel, Picture, Role};

/// Characters of a full bar.
const BAR: usize = 20;

/// Columns in a picture.
const MOST_DRAWN: usize = 30;

/// What every column tells, the most telling first.
pub(super) fn ranked(options: &Information, counts: &Counts) -> Result<Vec<Finding>> {
    let layout = counts.layout();
    if counts.classes().total() <= 0.0 {
        return Err(DataFault::new("there are no rows that have a target").column(layout.target()).into());
    }
    let mut findings = Vec::new();
    for feature in 0..layout.features().len() {
        findings.extend(Finding::of_feature(options, counts, feature)?);
    }
    findings.sort_by(|a, b| b.estimate.total_cmp(&a.estimate).then(plug_in(b).total_cmp(&plug_in(a))).then(a.feature.cmp(&b.feature)));
    Ok(findings)
}

/// What there is to say.
pub(super) fn card(options: &Information, counts: &Counts, findings: &[Finding]) -> Result<Card> {
    let layout = counts.layout();
    let target = target_entropy(counts);
    let mut facts = vec![
        ("target".into(), layout.target().into()),
        ("rows".into(), counts.classes().total_rows().into()),
        ("entropy (bits)".into(), (target * LOG2_E).into()),
        ("columns".into(), layout.features().len().into()),
    ];
    if let Some(strata) = &options.strata {
        facts.push(("strata".into(), strata.as_str().into()));
    }
    let (mut tidy, mut shown) = (ranking(counts, findings, target), for_people(counts, findings, target));
    if options.forms {
        let names = ["divergence_bits", "entropy_less_conditional_bits", "entropies_less_joint_bits"];
        add_forms(&mut tidy, names, findings);
        // The whole line of reasoning in place of interval and bar, for which there would be no room.
        shown.retain_columns(|_, name| matches!(name, "column" | "mi_bits" | "p_value"));
        shown.push_column("H(y|x)", |row, _| conditional(&findings[row]));
        add_forms(&mut shown, ["D(xy‖x·y)", "H(y)−H(y|x)", "H(x)+H(y)−H(x,y)"], findings);
    }
    if options.numbers == NumberMethod::Both {
        let bits = |row: usize| findings[row].neighbours.map_or(Cell::Empty, |nats| Cell::from(nats * LOG2_E));
        tidy.push_column("neighbour_bits", |row, _| bits(row));
        shown.push_column("neighbour_bits", |row, _| bits(row));
    }
    let title = match &options.strata {
        None => format!("What each column tells about {}", layout.target()),
        Some(strata) => format!("What each column tells about {} where {strata} is known", layout.target()),
    };
    Ok(Card {
        title,
        tidy,
        summary: Some(Summary { facts: facts.clone(), table: Some(shown), footnotes: footnotes(options, findings) }),
        facts,
        tables: Vec::new(),
        pictures: vec![picture(counts, findings)],
        notices: notices(counts, findings),
    })
}

fn plug_in(finding: &Finding) -> f64 {
    finding.precision.map_or(finding.estimate, |found| found.plug_in)
}

/// H(Y), or H(Y|Z) where there are strata, in nats.
fn target_entropy(counts: &Counts) -> f64 {
    let (classes, weights) = (counts.layout().classes().len(), &counts.classes().weight);
    let total = counts.classes().total();
    weights.chunks_exact(classes).map(|stratum| stratum.iter().sum::<f64>() / total * entropy(stratum)).sum()
}

fn name(counts: &Counts, finding: &Finding) -> String {
    let layout = counts.layout();
    let column = &layout.features()[finding.feature].name;
    match finding.word.and_then(|word| layout.level_name(finding.feature, word)) {
        Some(word) => format!("{column}: {word}"),
        None => column.clone(),
    }
}

fn share(finding: &Finding, target: f64) -> Cell {
    if target > 0.0 { (finding.estimate / target).into() } else { Cell::Empty }
}

fn ranking(counts: &Counts, findings: &[Finding], target: f64) -> Table {
    let columns = [
        "column",
        "word",
        "kind",
        "weight",
        "values",
        "mi_bits",
        "conf_low",
        "conf_high",
        "share",
        "conditional_bits",
        "plug_in_bits",
        "bias_bits",
        "std_error",
        "g",
        "df",
        "p_value",
        "p_by",
        "method",
        "cuts",
    ];
    let mut table = FixedTable::new("information", columns);
    let layout = counts.layout();
    for finding in findings {
        let bits = |nats: f64| Cell::from(nats * LOG2_E);
        let [low, high, plug_in, bias, error] = match &finding.precision {
            Some(found) => [found.interval.0, found.interval.1, found.plug_in, found.bias, found.standard_error].map(bits),
            None => [Cell::Empty, Cell::Empty, Cell::Empty, Cell::Empty, Cell::Empty],
        };
        let word = finding.word.and_then(|word| layout.level_name(finding.feature, word)).map_or(Cell::Empty, Cell::from);
        let cuts = finding.cuts.iter().map(f64::to_string).collect::<Vec<_>>().join(" ");
        table.push([
            layout.features()[finding.feature].name.as_str().into(),
            word,
            finding.kind(counts).name().into(),
            finding.weight.into(),
            finding.values.into(),
            bits(finding.estimate),
            low,
            high,
            share(finding, target),
            conditional(finding),
            plug_in,
            bias,
            error,
            finding.test.g.into(),
            finding.test.df.into(),
            Cell::PValue(finding.test.p_value),
            finding.test.by.into(),
            finding.method.into(),
            if cuts.is_empty() { Cell::Empty } else { cuts.into() },
        ]);
    }
    table.into()
}

fn for_people(counts: &Counts, findings: &[Finding], target: f64) -> Table {
    let mut table = FixedTable::new("information", ["column", "mi_bits", "conf_low", "conf_high", "share", "p_value", "bar"]);
    for finding in findings {
        let limit = |pick: fn((f64, f64)) -> f64| finding.precision.map_or(Cell::Empty, |found| (pick(found.interval) * LOG2_E).into());
        let part = if target > 0.0 { finding.estimate / target } else { 0.0 };
        table.push([
            name(counts, finding).into(),
            (finding.estimate * LOG2_E).into(),
            limit(|interval| interval.0),
            limit(|interval| interval.1),
            share(finding, target),
            Cell::PValue(finding.test.p_value),
            bar(part).into(),
        ]);
    }
    table.into()
}

/// A bar of up to [`BAR`] characters in steps of an eighth.
fn bar(part: f64) -> String {
    const EIGHTHS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
    let eighths = (part.clamp(0.0, 1.0) * (8 * BAR) as f64).round() as usize;
    format!("{}{}", "█".repeat(eighths / 8), EIGHTHS[eighths % 8])
}

fn footnotes(options: &Information, findings: &[Finding]) -> Vec<String> {
    let mut notes = vec![match options.forms {
        true => "mi_bits: less what chance alone adds; then H(y|x) and the three forms, as the proportions are, in bits".to_owned(),
        false => format!(
            "mi_bits: less what chance alone adds; conf_low, conf_high: {} % interval; share: of the entropy of the target",
            100.0 * options.level
        ),
    }];
    if findings.iter().any(|finding| finding.method == "description length") {
        notes.push("numbers: intervals chosen by description length; p_value: from quantile bins, which do not look at the target".into());
    }
    notes
}

/// Mutual information in its three forms, as further columns.
fn add_forms(table: &mut Table, names: [&str; 3], findings: &[Finding]) {
    for (at, name) in names.into_iter().enumerate() {
        table.push_column(name, |row, _| in_bits(&findings[row], |table| table.three_forms()[at]));
    }
}

/// H(Y|X): what remains to be said of the target where the column is known.
fn conditional(finding: &Finding) -> Cell {
    in_bits(finding, Joint::column_given_row)
}

/// A quantity of the tables of a finding, the mean over strata; nothing where the estimate is from none.
fn in_bits(finding: &Finding, quantity: impl Fn(&Joint) -> f64) -> Cell {
    let total: f64 = finding.tables.iter().map(Joint::total).sum();
    let mean: f64 = finding.tables.iter().filter(|table| table.total() > 0.0).map(|table| table.total() / total * quantity(table)).sum();
    if finding.precision.is_some() { (mean * LOG2_E).into() } else { Cell::Empty }
}

fn picture(counts: &Counts, findings: &[Finding]) -> Picture {
    let drawn = &findings[..findings.len().min(MOST_DRAWN)];
    let bars = drawn.iter().enumerate().map(|(at, finding)| (at as f64, 0.0, finding.estimate * LOG2_E)).collect();
    let limits = drawn.iter().enumerate().filter_map(|(at, finding)| {
        let found = finding.precision?;
        Some((at as f64, finding.estimate * LOG2_E, found.interval.0 * LOG2_E, found.interval.1 * LOG2_E))
    });
    let marks = vec![Mark::Bars { role: Role::Event, bars }, Mark::Intervals { role: Role::Plain, estimates: limits.collect() }];
    let categories = drawn.iter().map(|finding| name(counts, finding)).collect();
    let first = drawn.first().map_or_else(String::new, |finding| format!("; the most telling is {}", name(counts, finding)));
    Picture {
        name: "information".into(),
        title: format!("Information about {}", counts.layout().target()),
        summary: format!("Bars of mutual information in bits, the largest first, with intervals{first}."),
        panels: vec![Panel {
            x: Axis { scale: AxisScale::Categories, categories, ..Axis::default() },
            y: Axis { label: "bits".into(), ..Axis::default() },
            marks,
        }],
    }
}

fn notices(counts: &Counts, findings: &[Finding]) -> Vec<Notice> {
    let mut told = Vec::new();
    for finding in findings {
        let column = &counts.layout().features()[finding.feature].name;
        if finding.word.is_none() && finding.test.is_rough {
            let text = "many of its values are so rare in some class that the p-value is rough";
            told.push(Notice::new(notice::RARE_CELLS, text).column(column));
        }
        if let Some(ties) = finding.ties {
            let text =
                format!("{:.0} % of its values occur more than once, so it was binned in place of looking at neighbours", 100.0 * ties);
            told.push(Notice::new(notice::TIED_NEIGHBOURS, text).column(column));
        }
    }
    told
}
