//! Columns whose squares leave the range of numbers: a power of two changes no digit, and no row is lost.

use std::sync::Arc;

use crate::table::{Cell, Row, all_columns, gathered, layout_of, parts, rows};
use oddsmith::stats::{Named, Parts, ScatterPart, TableStats, separate, unite};
use proptest::prelude::*;

/// The cell of the column that is scaled, `dose`, and its place among the numbers.
const DOSE: usize = 2;
const AT: usize = 1;

/// Rows with one column multiplied by a power of two.
fn times(rows: &[Row], power: i32) -> Vec<Row> {
    let scaled = |cell: &Cell| if let Cell::Number(x) = cell { Cell::Number(x * 2f64.powi(power)) } else { cell.clone() };
    rows.iter()
        .map(|row| {
            let cells = row.cells.iter().enumerate().map(|(j, cell)| if j == DOSE { scaled(cell) } else { cell.clone() });
            Row { cells: cells.collect(), ..row.clone() }
        })
        .collect()
}

fn assert_accounted(stats: &TableStats) {
    if let Some(scatter) = stats.scatter() {
        let grouped: u64 = scatter.groups().values().map(|group| group.total_rows()).sum();
        assert_eq!(grouped + scatter.incomplete(), stats.classes().total_rows());
    }
}

fn power() -> impl Strategy<Value = i32> {
    prop_oneof![-900..-450, 450..900]
}

proptest! {
    #[test]
    fn a_power_of_two_changes_no_digit(rows in rows(40), parts in parts(), size in 1..30usize, power in power()) {
        let layout = Arc::new(layout_of(&rows, &all_columns()));
        let plain = gathered(&rows, &layout, parts, size).unwrap();
        let moved = gathered(&times(&rows, power), &layout, parts, size).unwrap();
        assert_accounted(&moved);
        let factor = 2f64.powi(power) * moved.scale(AT);
        prop_assert_eq!([plain.scale(0), plain.scale(AT), moved.scale(0), moved.scale(2)], [1.0; 4]);
        if let Some((a, b)) = plain.moments().zip(moved.moments()) {
            for k in 0..plain.classes().rows.len() {
                let (a, b) = (a.get(k, AT), b.get(k, AT));
                prop_assert_eq!((b.weight, b.mean, b.squares), (a.weight, a.mean * factor, a.squares * factor * factor));
            }
        }
        if let Some((a, b)) = plain.scatter().zip(moved.scatter()) {
            prop_assert_eq!(a.groups().keys().collect::<Vec<_>>(), b.groups().keys().collect::<Vec<_>>());
            for ((pattern, a), b) in a.groups().iter().zip(b.groups().values()) {
                let unit = |at: usize| if pattern[at] == AT { factor } else { 1.0 };
                for (a, b) in a.products.iter().zip(&b.products) {
                    let scaled: Vec<f64> =
                        a.iter().enumerate().map(|(cell, x)| x * unit(cell / pattern.len()) * unit(cell % pattern.len())).collect();
                    prop_assert_eq!(&scaled, b);
                }
            }
        }
        let bytes = oddsmith::persist::save_stats(&moved).unwrap();
        let read = oddsmith::persist::load_stats(&bytes).unwrap();
        prop_assert_eq!(oddsmith::persist::save_stats(&read).unwrap(), bytes);
    }

    #[test]
    fn large_and_small_batches_add_up(rows in rows(40), size in 1..30usize, power in power(), part in any::<bool>()) {
        let layout = Arc::new(layout_of(&rows, &all_columns()));
        let half = rows.len() / 2;
        let mixed = [&rows[..half], &times(&rows[half..], power)].concat();
        let scatter = if part { ScatterPart::PerClass } else { ScatterPart::Pooled };
        let stats = gathered(&mixed, &layout, Parts { scatter, ..Parts::all() }, size).unwrap();
        assert_accounted(&stats);
        let column = |row: &Row| if let Cell::Number(x) = row.cells[DOSE] { x.abs() * stats.scale(AT) } else { 0.0 };
        let largest = mixed.iter().map(column).fold(0.0, f64::max);
        for (k, class) in layout.classes().labels().iter().enumerate() {
            let members = mixed.iter().filter(|row| row.class.as_ref() == Some(class) && row.weight > 0.0);
            let values: Vec<(f64, f64)> = members
                .filter_map(|row| if let Cell::Number(x) = row.cells[DOSE] { Some((row.weight, x * stats.scale(AT))) } else { None })
                .collect();
            let weight: f64 = values.iter().map(|(w, _)| w).sum();
            let mean = if weight > 0.0 { values.iter().map(|(w, x)| w * x).sum::<f64>() / weight } else { 0.0 };
            let squares: f64 = values.iter().map(|(w, x)| w * (x - mean).powi(2)).sum();
            let moment = stats.moments().unwrap().get(k, AT);
            prop_assert!(moment.squares.is_finite() && moment.mean.is_finite());
            prop_assert!((moment.mean - mean).abs() <= 1e-12 * largest, "{} and {}", moment.mean, mean);
            prop_assert!((moment.squares - squares).abs() <= 1e-12 * weight * largest * largest, "{} and {}", moment.squares, squares);
        }
    }

    #[test]
    fn sites_in_different_units_unite_and_part(rows in rows(40), parts in parts(), power in power()) {
        let half = rows.len() / 2;
        let (left, right) = (rows[..half].to_vec(), times(&rows[half..], power));
        let layout = Arc::new(layout_of(&rows, &all_columns()));
        let stats = [&left, &right].map(|rows| gathered(rows, &layout, parts, 7).unwrap());
        let named = [Named { name: "a", stats: &stats[0] }, Named { name: "b", stats: &stats[1] }];
        let (united, _) = unite(&named).unwrap();
        assert_accounted(&united);
        let pooled = gathered(&[left, right].concat(), &layout, parts, 7).unwrap();
        prop_assert_eq!(&united.classes().rows, &pooled.classes().rows);
        let rest = separate(&Named { name: "all", stats: &united }, &named[0]).unwrap();
        prop_assert_eq!(&rest.classes().rows, &stats[1].classes().rows);
        let nothing = separate(&Named { name: "rest", stats: &rest }, &named[1]).unwrap();
        prop_assert_eq!(nothing.classes().total_rows(), 0);
        // A selection without the scaled column fits one that never had it.
        let selected = stats.each_ref().map(|stats| stats.select(&[0, 6]).unwrap());
        unite(&[Named { name: "a", stats: &selected[0] }, Named { name: "b", stats: &selected[1] }]).unwrap();
    }

    #[test]
    fn an_infinite_number_is_found_by_every_part(
        mut rows in rows(30), parts in parts(), at in any::<prop::sample::Index>(), column in prop::sample::select(vec![0usize, 2, 6]),
        value in prop::sample::select(vec![f64::INFINITY, f64::NEG_INFINITY]), size in 1..20usize,
    ) {
        prop_assume!(!rows.is_empty());
        prop_assume!(parts.moments || parts.tallies || parts.scatter != ScatterPart::None);
        let at = at.index(rows.len());
        rows[at] = Row { class: Some("no".into()), weight: 1.0, ..rows[at].clone() };
        rows[at].cells[column] = Cell::Number(value);
        let layout = Arc::new(layout_of(&rows, &all_columns()));
        let error = gathered(&rows, &layout, parts, size).unwrap_err().to_string();
        let place = format!("column `{}`, row {}: an infinite value", crate::table::COLUMNS[column].0, at + 1);
        prop_assert!(error.starts_with(&place), "{}", error);
    }
}
