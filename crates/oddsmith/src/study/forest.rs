//! Forest plots of analyses: odds ratios with their limits below each other, on a scale where twice and half are as far from 1.

use super::estimate::Estimate;
use crate::model::linear::ratio;
use crate::picture::{Axis, AxisScale, Column, Mark, Panel, Picture, Role};

/// Rows that a sentence tells one by one; of more it tells how many there are.
const MOST_TOLD: usize = 4;

/// A ratio with its limits, and further ratios without that it is held against.
pub(super) struct HeldAgainst {
    /// What the row is called.
    pub(super) name: String,
    /// The ratio; NaN where there is none.
    pub(super) told: Estimate,
    /// One ratio for each of the names of a picture; NaN where there is none.
    pub(super) others: Vec<f64>,
}

/// Estimates of odds ratios below each other; the last ones are those of the whole.
pub(super) fn forest(title: String, level: f64, parts: &[(String, Estimate)], wholes: &[(String, Estimate)]) -> Picture {
    let rows: Vec<(&str, &Estimate)> = parts.iter().chain(wholes).map(|(name, told)| (name.as_str(), told)).collect();
    let estimates = |from: usize, to: usize| Vec::from_iter((from..to).filter_map(|at| placed(at, rows.len(), rows[at].1)));
    let marks = vec![
        Mark::Rule { role: Role::Reference, upright: true, at: 1.0 },
        Mark::Intervals { role: Role::Plain, estimates: estimates(0, parts.len()) },
        Mark::Intervals { role: Role::Event, estimates: estimates(parts.len(), rows.len()) },
    ];
    Picture {
        name: "forest".into(),
        title,
        summary: in_words(if wholes.is_empty() { parts } else { wholes }),
        panels: vec![panel(level, &rows, marks)],
    }
}

/// Odds ratios with limits, each beside those that it is held against. `own` says what the ones with limits are, `names` what the others are.
pub(super) fn held_against((title, summary): (String, String), level: f64, own: &str, names: &[&str], found: &[HeldAgainst]) -> Picture {
    const ROLES: [Role; 2] = [Role::Other, Role::Third];
    let rows: Vec<(&str, &Estimate)> = found.iter().map(|row| (row.name.as_str(), &row.told)).collect();
    // Limits have no name of their own: blocks without any say what their colour stands for.
    let mut marks = vec![
        Mark::Blocks { role: Role::Event, name: own.to_owned(), blocks: Vec::new() },
        Mark::Rule { role: Role::Reference, upright: true, at: 1.0 },
        Mark::Intervals { role: Role::Event, estimates: (0..rows.len()).filter_map(|at| placed(at, rows.len(), rows[at].1)).collect() },
    ];
    for ((k, name), role) in names.iter().enumerate().zip(ROLES) {
        let value = |row: &HeldAgainst| row.others.get(k).copied().unwrap_or(f64::NAN);
        let seen = found.iter().enumerate().filter(|(_, row)| !value(row).is_nan());
        let points = seen.map(|(at, row)| (value(row), (rows.len() - 1 - at) as f64)).collect();
        marks.push(Mark::Points { role, name: (*name).to_owned(), points });
    }
    Picture { name: "forest".into(), title, summary, panels: vec![panel(level, &rows, marks)] }
}

/// An estimate at its place from below; none where it is unknown.
fn placed(at: usize, rows: usize, told: &Estimate) -> Option<(f64, f64, f64, f64)> {
    (!told.value.is_nan()).then(|| ((rows - 1 - at) as f64, told.value, told.low, told.high))
}

fn panel(level: f64, rows: &[(&str, &Estimate)], marks: Vec<Mark>) -> Panel {
    let cell = |told: &Estimate| match (told.value.is_nan(), told.low.is_nan() && told.high.is_nan()) {
        (true, _) => String::new(),
        (_, true) => ratio(told.value),
        _ => format!("{} ({}–{})", ratio(told.value), ratio(told.low), ratio(told.high)),
    };
    let cells = rows.iter().rev().map(|(_, told)| cell(told)).collect();
    let heading = format!("odds ratio ({}% CI)", (level * 1e6).round() / 1e4);
    let columns = vec![Column { title: heading, cells, optional: false }];
    let categories = rows.iter().rev().map(|(name, _)| (*name).to_owned()).collect();
    Panel {
        x: Axis {
            label: "Odds ratio (log scale)".into(),
            scale: AxisScale::Log,
            ends: Some(("less likely".into(), "more likely".into())),
            ..Axis::default()
        },
        y: Axis { scale: AxisScale::Categories, categories, columns, ..Axis::default() },
        marks,
    }
}

/// The rows as a sentence, for people who cannot see them.
fn in_words(rows: &[(String, Estimate)]) -> String {
    let told = |(name, told): &(String, Estimate)| match told.value.is_nan() {
        true => format!("{name} unknown"),
        false => format!("{name} {} ({} to {})", ratio(told.value), ratio(told.low), ratio(told.high)),
    };
    match rows.len() {
        0 => "There is no odds ratio to draw.".into(),
        1..=MOST_TOLD => rows.iter().map(told).collect::<Vec<_>>().join("; "),
        many => {
            let known: Vec<&(String, Estimate)> = rows.iter().filter(|(_, told)| !told.value.is_nan()).collect();
            let by_value = |a: &&&(String, Estimate), b: &&&(String, Estimate)| a.1.value.total_cmp(&b.1.value);
            match (known.iter().min_by(by_value), known.iter().max_by(by_value)) {
                (Some(least), Some(most)) => format!("{many} rows with limits, from {} to {}", told(least), told(most)),
                _ => format!("{many} rows, none of which has an odds ratio."),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(values: &[f64]) -> Vec<(String, Estimate)> {
        let row = |(at, value): (usize, &f64)| (format!("g{at}"), Estimate::between(*value, (value / 2.0, value * 2.0)));
        values.iter().enumerate().map(row).collect()
    }

    #[test]
    fn a_forest_without_a_whole_still_says_what_is_seen() {
        assert_eq!(forest("t".into(), 0.95, &rows(&[2.0]), &[]).summary, "g0 2.00 (1.00 to 4.00)");
        let many = forest("t".into(), 0.95, &rows(&[2.0, 0.5, 3.0, 1.0, f64::NAN]), &[]);
        assert_eq!(many.summary, "5 rows with limits, from g1 0.50 (0.25 to 1.00) to g2 3.00 (1.50 to 6.00)");
        assert_eq!(many.panels[0].y.columns[0].cells[0], "");
        assert_eq!(many.panels[0].y.columns[0].title, "odds ratio (95% CI)");
    }

    #[test]
    fn what_is_unknown_is_not_drawn() {
        let row = |name: &str, value: f64, other: f64| HeldAgainst { name: name.into(), told: Estimate::bare(value), others: vec![other] };
        let picture =
            held_against(("t".into(), "s".into()), 0.9, "within", &["crude"], &[row("a", f64::NAN, 2.0), row("b", 3.0, f64::NAN)]);
        let [_, _, Mark::Intervals { estimates, .. }, Mark::Points { points, .. }] = &picture.panels[0].marks[..] else {
            panic!("four marks")
        };
        assert_eq!((estimates.len(), &points[..]), (1, &[(2.0, 1.0)][..]));
    }
}
