//! The table of columns by class, with small pictures of how each is spread.

use oddsmith::data::Plane;
use oddsmith::error::visible;
use oddsmith::train::pictures::RowDigest;

use super::{Section, Told, left_out, paragraph};
use crate::escape::html;
use crate::for_people;

/// Columns and levels that are listed.
const MOST_COLUMNS: usize = 60;
const MOST_LEVELS: usize = 12;
/// Classes that have a column of their own.
const MOST_CLASSES: usize = 4;
/// Bars of a small picture.
const BARS: usize = 16;

impl Told<'_> {
    pub(super) fn data(&self) -> Section {
        let (digest, layout) = (&self.findings.digest, self.findings.digest.layout());
        let classes = self.shown_classes();
        let mut body = String::new();
        let rows = digest.class_rows.iter().sum::<u64>();
        if rows == 0 {
            let body = left_out("No rows were given, so there are none to describe.");
            return Section { id: "data", name: "Data", heading: "Data".into(), body };
        }
        let kinds = "Numbers: mean (standard deviation); categories: rows (share of the class).";
        body.push_str(&paragraph(&format!("{} of {}. {kinds}", oddsmith::notice::counted(rows, "row"), html(&self.about.data))));
        let mut lines = String::new();
        for (j, feature) in layout.features().iter().enumerate().take(MOST_COLUMNS) {
            let name = html(&visible(&feature.name));
            match layout.plane(j) {
                Plane::Numbers(at) => lines.push_str(&self.number_row(&name, at, &classes)),
                Plane::Codes(at) => lines.push_str(&self.level_rows(&name, j, at, &classes)),
                Plane::Words(at) => {
                    let words = layout.word_widths().get(at).copied().unwrap_or(0);
                    let blank = "<td></td>".repeat(classes.len() + 2);
                    lines.push_str(&format!(
                        "<tr><th scope=\"row\">{name} (text of {})</th>{blank}</tr>\n",
                        oddsmith::notice::counted(words as u64, "known word")
                    ));
                }
            }
        }
        let heads: String =
            classes.iter().map(|k| format!("<th scope=\"col\">{}</th>", k.map_or_else(|| "all".into(), |k| self.class(k)))).collect();
        body.push_str(&format!(
            "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Columns by class\"><table class=\"one\"><thead><tr><th scope=\"col\">Column</th>{heads}<th scope=\"col\">Missing</th><th scope=\"col\" class=\"text\">Spread</th></tr></thead>\n<tbody>\n{lines}</tbody></table></div>\n"
        ));
        if layout.features().len() > MOST_COLUMNS {
            body.push_str(&left_out(&format!("{} more columns are not listed.", layout.features().len() - MOST_COLUMNS)));
        }
        Section { id: "data", name: "Data", heading: "Data".into(), body }
    }

    /// The classes of the table's columns, the event first; all together where there are many.
    fn shown_classes(&self) -> Vec<Option<usize>> {
        match self.findings.classes.len() {
            2 => vec![Some(1), Some(0)],
            count if count <= MOST_CLASSES => (0..count).map(Some).collect(),
            _ => vec![None],
        }
    }

    fn number_row(&self, name: &str, at: usize, classes: &[Option<usize>]) -> String {
        let digest = &self.findings.digest;
        let cell = |k: &Option<usize>| {
            let of = k.map_or_else(|| digest.all_numbers(at), |k| digest.number(k, at));
            match of.weight > 0.0 {
                true if of.deviation().is_finite() => format!("<td>{} ({})</td>", three(of.mean), three(of.deviation())),
                true => format!("<td>{}</td>", three(of.mean)),
                false => "<td></td>".to_owned(),
            }
        };
        let cells: String = classes.iter().map(cell).collect();
        let missing = three(digest.all_numbers(at).missing);
        format!("<tr><th scope=\"row\">{name}</th>{cells}<td>{missing}</td><td class=\"text\">{}</td></tr>\n", number_spark(digest, at))
    }

    fn level_rows(&self, name: &str, feature: usize, at: usize, classes: &[Option<usize>]) -> String {
        let digest = &self.findings.digest;
        let all: Vec<usize> = (0..self.findings.classes.len()).collect();
        let weight = |k: &Option<usize>, level: usize| -> (f64, f64) {
            let of: Vec<usize> = k.map_or_else(|| all.clone(), |k| vec![k]);
            let one: f64 = of.iter().map(|k| digest.levels(*k, at)[level]).sum();
            (one, of.iter().map(|k| digest.class_weights[*k]).sum())
        };
        let levels = digest.levels(0, at).len() - 1;
        let missing = all.iter().map(|k| digest.levels(*k, at)[levels]).sum::<f64>();
        let mut rows = String::new();
        for level in 0..levels.min(MOST_LEVELS) {
            let label = visible(&digest.layout().level_name(feature, level).unwrap_or_default());
            let cells: String = classes
                .iter()
                .map(|k| {
                    let (one, whole) = weight(k, level);
                    format!("<td>{} ({:.0}%)</td>", three(one), if whole > 0.0 { 100.0 * one / whole } else { 0.0 })
                })
                .collect();
            let spark = share_spark(&classes.iter().map(|k| weight(k, level)).collect::<Vec<_>>(), self.two());
            let gaps = if level == 0 { three(missing) } else { String::new() };
            rows.push_str(&format!(
                "<tr><th scope=\"row\">{name}: {}</th>{cells}<td>{gaps}</td><td class=\"text\">{spark}</td></tr>\n",
                html(&label)
            ));
        }
        if levels > MOST_LEVELS {
            let blank = "<td></td>".repeat(classes.len() + 2);
            rows.push_str(&format!("<tr><th scope=\"row\">{name}: {} more levels</th>{blank}</tr>\n", levels - MOST_LEVELS));
        }
        rows
    }
}

/// A number with three digits that matter.
fn three(value: f64) -> String {
    if value.fract() == 0.0 && value.abs() < 1e7 {
        return for_people(value);
    }
    let rounded: f64 = format!("{value:.2e}").parse().unwrap_or(value);
    if rounded.abs() >= 100.0 { format!("{value:.1}") } else { for_people(rounded).trim_end_matches('0').trim_end_matches('.').to_owned() }
}

/// How a number column is spread: with two classes the event above and the other below the line, else all rows.
fn number_spark(digest: &RowDigest, at: usize) -> String {
    let Some((low, high)) = digest.range(at) else { return String::new() };
    let two = digest.class_weights.len() == 2;
    let mut counts = [[0.0; BARS]; 2];
    let mut totals = [0.0; 2];
    for row in digest.rows() {
        let value = row.numbers[at];
        if value.is_finite() {
            let side = usize::from(two && row.label == 0);
            let bar = (((value - low) / (high - low) * BARS as f64).max(0.0) as usize).min(BARS - 1);
            counts[side][bar] += 1.0;
            totals[side] += 1.0;
        }
    }
    let tallest = counts.iter().zip(totals).flat_map(|(of, total)| of.map(|count| count / f64::max(total, 1.0))).fold(1e-12, f64::max);
    let mut paths = [String::new(), String::new()];
    for (side, of) in counts.iter().enumerate() {
        for (bar, count) in of.iter().enumerate().filter(|(_, count)| **count > 0.0) {
            let tall = (if two { 15.0 } else { 31.0 }) * count / f64::max(totals[side], 1.0) / tallest;
            let base = if two { 17.0 } else { 33.0 };
            let top = if side == 0 { base - tall } else { base };
            paths[side].push_str(&format!("M{:.1} {top:.1}h8v{tall:.1}h-8z", 140.0 / BARS as f64 * bar as f64));
        }
    }
    let (up, down) = if two { ("ev", "no") } else { ("rf", "rf") };
    format!(
        "<svg class=\"spark fig\" viewBox=\"0 0 140 34\" aria-hidden=\"true\"><path class=\"f {up}\" d=\"{}\"/><path class=\"f {down}\" d=\"{}\"/></svg>",
        paths[0], paths[1]
    )
}

/// Shares of a level within the classes, one bar below the other.
fn share_spark(shares: &[(f64, f64)], two: bool) -> String {
    let height = 28.0 / shares.len().max(1) as f64;
    let bars: String = shares
        .iter()
        .enumerate()
        .map(|(at, (one, whole))| {
            let length = if *whole > 0.0 { 140.0 * one / whole } else { 0.0 };
            let class = match (two, at) {
                (true, 0) => "ev".to_owned(),
                (true, _) => "no".to_owned(),
                (false, at) => format!("s{}", at % 8),
            };
            format!(
                "<rect class=\"f {class}\" x=\"0\" y=\"{:.1}\" width=\"{length:.1}\" height=\"{:.1}\"/>",
                3.0 + at as f64 * height,
                height - 1.5
            )
        })
        .collect();
    format!("<svg class=\"spark fig\" viewBox=\"0 0 140 34\" aria-hidden=\"true\">{bars}</svg>")
}
