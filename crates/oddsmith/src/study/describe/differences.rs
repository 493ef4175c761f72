//! The picture of a description: how far groups are apart in every column, in standard deviations.

use crate::picture::{Axis, AxisScale, Column, Mark, Panel, Picture, Role};

/// Columns in a picture.
const MOST_DRAWN: usize = 40;
/// Differences below this are commonly called balanced (Austin 2009).
const BALANCED: f64 = 0.1;

/// Standardised differences as bars, the largest first.
pub(super) fn differences(mut apart: Vec<(String, f64)>, by: &str, groups: usize) -> Picture {
    // What cannot be told comes last, and has no bar.
    apart.sort_by(|a, b| a.1.is_nan().cmp(&b.1.is_nan()).then(b.1.total_cmp(&a.1)));
    let beyond = apart.iter().filter(|(_, value)| *value > BALANCED).count();
    let all = apart.len();
    apart.truncate(MOST_DRAWN);
    let most = apart.first().filter(|(_, value)| !value.is_nan());
    let told = most.map_or_else(String::new, |(name, value)| format!("; groups differ most in {name} ({value:.2})"));
    let bars = apart.iter().enumerate().filter(|(_, (_, value))| !value.is_nan());
    let marks = vec![
        Mark::Bars { role: Role::Other, bars: bars.map(|(at, (_, value))| (at as f64, 0.0, *value)).collect() },
        Mark::Rule { role: Role::Event, upright: false, at: BALANCED },
    ];
    let cell = |value: f64| match value {
        value if value.is_nan() => "–".to_owned(),
        f64::INFINITY => "∞".to_owned(),
        value => format!("{value:.3}"),
    };
    let columns = vec![Column { title: "SMD".into(), cells: apart.iter().map(|(_, value)| cell(*value)).collect(), optional: false }];
    let pairs = if groups > 2 { ", largest of all pairs of groups" } else { "" };
    let categories = apart.into_iter().map(|(name, _)| name).collect();
    Picture {
        name: "differences".into(),
        title: format!("How far the groups of {by} are apart"),
        summary: format!("Standardised differences by column, the largest first; {beyond} of {all} are above {BALANCED}{told}."),
        panels: vec![Panel {
            x: Axis { scale: AxisScale::Categories, categories, columns, ..Axis::default() },
            y: Axis { label: format!("standardised difference{pairs}"), ..Axis::default() },
            marks,
        }],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_comes_first_and_the_unknown_last() {
        let apart = vec![("a".into(), 0.05), ("b".into(), f64::NAN), ("c".into(), 0.4)];
        let picture = differences(apart, "low", 2);
        assert_eq!(picture.panels[0].x.categories, ["c", "a", "b"]);
        assert_eq!(picture.panels[0].x.columns[0].cells, ["0.400", "0.050", "–"]);
        assert!(picture.summary.contains("1 of 3 are above 0.1") && picture.summary.contains("most in c (0.40)"), "{}", picture.summary);
    }
}
