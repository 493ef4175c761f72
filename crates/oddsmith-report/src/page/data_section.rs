//! The table of columns by class, with small pictures of how each is spread.

use oddsmith::data::Plane;
use oddsmith::error::visible;
use oddsmith::eval::pictures::ROWS_TOGETHER;
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
        let numbers = || (0..layout.numbers().len()).map(|at| is_of_flags(digest, at));
        let kinds = match (numbers().any(|flags| !flags), numbers().any(|flags| flags) || !layout.level_counts().is_empty()) {
            (true, true) => " Numbers: mean (standard deviation); categories: rows (share of the class).",
            (true, false) => " Mean (standard deviation) of every column.",
            (false, true) => " Rows of every level (share of the class).",
            (false, false) => "",
        };
        let weighted = match layout.weighting() {
            oddsmith::data::Weighting::None => "",
            _ => " Rows count by their weights.",
        };
        body.push_str(&paragraph(&format!("{} of {}.{kinds}{weighted}", oddsmith::notice::counted(rows, "row"), html(&self.about.data))));
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
        let heads: String = classes
            .iter()
            .map(|k| format!("<th scope=\"col\">{}</th>", k.map_or_else(|| "all".into(), |k| self.class_in_words(k))))
            .collect();
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
        if is_of_flags(digest, at) {
            return self.flag_row(name, at, classes);
        }
        let cell = |k: &Option<usize>| {
            let of = k.map_or_else(|| digest.all_numbers(at), |k| digest.number(k, at));
            match of.weight > 0.0 {
                true if self.is_hidden(of.weight) => "<td>few rows</td>".to_owned(),
                true if of.deviation().is_finite() => format!("<td>{} ({})</td>", three(of.mean), three(of.deviation())),
                true => format!("<td>{}</td>", three(of.mean)),
                false => "<td></td>".to_owned(),
            }
        };
        let cells: String = classes.iter().map(cell).collect();
        let missing = self.count(digest.all_numbers(at).missing);
        format!("<tr><th scope=\"row\">{name}</th>{cells}<td>{missing}</td><td class=\"text\">{}</td></tr>\n", number_spark(digest, at))
    }

    /// A column of zeros and ones: how many ones.
    fn flag_row(&self, name: &str, at: usize, classes: &[Option<usize>]) -> String {
        let digest = &self.findings.digest;
        let of = |k: &Option<usize>| k.map_or_else(|| digest.all_numbers(at), |k| digest.number(k, at));
        let shares: Vec<(f64, f64)> = classes.iter().map(of).map(|of| (whole(of.mean * of.weight), of.weight)).collect();
        let cells: String = shares.iter().map(|share| self.share_cell(*share)).collect();
        let missing = self.count(digest.all_numbers(at).missing);
        let spark = self.share_spark(&shares);
        format!("<tr><th scope=\"row\">{name}: 1</th>{cells}<td>{missing}</td><td class=\"text\">{spark}</td></tr>\n")
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
        let blank = "<td></td>".repeat(classes.len());
        let mut rows = format!("<tr><th scope=\"row\">{name}</th>{blank}<td>{}</td><td></td></tr>\n", self.count(missing));
        for level in 0..levels.min(MOST_LEVELS) {
            let label = visible(&digest.layout().level_name(feature, level).unwrap_or_default());
            let shares: Vec<(f64, f64)> = classes.iter().map(|k| weight(k, level)).collect();
            let cells: String = shares.iter().map(|share| self.share_cell(*share)).collect();
            let spark = self.share_spark(&shares);
            rows.push_str(&format!(
                "<tr class=\"level\"><th scope=\"row\">{}</th>{cells}<td></td><td class=\"text\">{spark}</td></tr>\n",
                html(&label)
            ));
        }
        if levels > MOST_LEVELS {
            rows.push_str(&format!(
                "<tr class=\"level\"><th scope=\"row\">{} more levels</th>{blank}<td></td><td></td></tr>\n",
                levels - MOST_LEVELS
            ));
        }
        rows
    }

    /// Whether a count is too small to be told where no single row may be seen.
    pub(super) fn is_hidden(&self, count: f64) -> bool {
        self.about.no_rows && count > 0.0 && count < ROWS_TOGETHER as f64
    }

    /// A count of rows.
    fn count(&self, count: f64) -> String {
        if self.is_hidden(count) { format!("under {ROWS_TOGETHER}") } else { three(count) }
    }

    /// Rows of a level, and their share of the class.
    fn share_cell(&self, (one, whole): (f64, f64)) -> String {
        match self.is_hidden(one) {
            true => format!("<td>{}</td>", self.count(one)),
            false => format!("<td>{} ({:.0}%)</td>", three(one), if whole > 0.0 { 100.0 * one / whole } else { 0.0 }),
        }
    }

    /// Bars of the shares of a level; none for counts that are not told.
    fn share_spark(&self, shares: &[(f64, f64)]) -> String {
        let told: Vec<(f64, f64)> =
            shares.iter().map(|(one, whole)| if self.is_hidden(*one) { (0.0, *whole) } else { (*one, *whole) }).collect();
        share_spark(&told, self.two())
    }
}

/// A number with three digits that matter; one decimal up to a thousand, so that a column of such numbers looks like one.
fn three(value: f64) -> String {
    let size = value.abs();
    let text = match size {
        _ if value.fract() == 0.0 && size < 1e7 => for_people(value),
        1e7.. => format!("{value:.2e}"),
        1000.0.. => format!("{value:.0}"),
        10.0.. => format!("{value:.1}"),
        1.0.. => format!("{value:.2}"),
        0.1.. => format!("{value:.3}"),
        0.01.. => format!("{value:.4}"),
        0.001.. => format!("{value:.5}"),
        _ => format!("{value:.2e}"),
    };
    text.replace('-', "−")
}

/// A count that a mean was made of and made back into one, as whole as it was.
fn whole(count: f64) -> f64 {
    if (count - count.round()).abs() < 1e-6 { count.round() } else { count }
}

/// Whether a number column has nothing but zeros and ones, both of them: so has the sample, and of all rows the variance is that of such a column.
fn is_of_flags(digest: &RowDigest, at: usize) -> bool {
    let all = digest.all_numbers(at);
    let (variance, of_flags) = (all.deviation().powi(2) * (all.weight - 1.0) / all.weight, all.mean * (1.0 - all.mean));
    digest.distinct(at, 2).is_some_and(|values| values == [0.0, 1.0]) && (variance - of_flags).abs() < 1e-9 * of_flags
}

/// How a number column is spread: with two classes the event above and the other below the line, else all rows.
fn number_spark(digest: &RowDigest, at: usize) -> String {
    let Some((low, high)) = digest.range(at) else { return String::new() };
    let two = digest.class_weights.len() == 2;
    let mut sides = [Vec::new(), Vec::new()];
    for row in digest.rows() {
        let value = row.numbers[at];
        if value.is_finite() {
            sides[usize::from(two && row.label == 0)].push(value);
        }
    }
    let runs = sides.each_ref().map(|values| digest.runs(values, (low, high), BARS));
    let totals = sides.each_ref().map(|values| f64::max(values.len() as f64, 1.0));
    let tallest = runs.iter().zip(totals).flat_map(|(of, total)| of.iter().map(move |(.., count)| count / total)).fold(1e-12, f64::max);
    let mut paths = [String::new(), String::new()];
    for (side, of) in runs.iter().enumerate() {
        for (bar, bars, count) in of.iter().filter(|(.., count)| *count > 0.0) {
            let tall = (if two { 15.0 } else { 31.0 }) * count / totals[side] / tallest;
            let base = if two { 17.0 } else { 33.0 };
            let top = if side == 0 { base - tall } else { base };
            let (step, wide) = (140.0 / BARS as f64, 140.0 / BARS as f64 * (*bars as f64 - 1.0) + 8.0);
            paths[side].push_str(&format!("M{:.1} {top:.1}h{wide}v{tall:.1}h-{wide}z", step * *bar as f64));
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zeros_before_the_point_are_digits() {
        let told = [29.97, 30.0, 100.04, 0.047, 0.5, -0.0185, 319_545_611.4, 1204.2, 5.65e-5].map(three);
        assert_eq!(told, ["30.0", "30", "100.0", "0.0470", "0.500", "−0.0185", "3.20e8", "1204", "5.65e−5"]);
    }
}
