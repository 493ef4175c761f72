//! Parameters of the classes side by side, as a person compares them.

use oddsmith::card::{Cell, Table};

/// More classes than this stay one below the other.
const MOST_CLASSES: usize = 6;

/// A table of `class, …, value` rows with one column of values per class, when every class has the same rows; columns
/// without any content are left out.
pub(crate) fn side_by_side(table: &Table) -> Table {
    let mut turned = turned(table).unwrap_or_else(|| table.clone());
    let used: Vec<bool> = (0..turned.columns().len()).map(|j| turned.rows().iter().any(|row| row[j] != Cell::Empty)).collect();
    turned.retain_columns(|j, _| used[j]);
    turned
}

fn turned(table: &Table) -> Option<Table> {
    let last = table.columns().len().checked_sub(1)?;
    if table.columns().first()? != "class" || last < 2 {
        return None;
    }
    let blocks: Vec<&[Vec<Cell>]> = table.rows().chunk_by(|a, b| a[0] == b[0]).collect();
    let (first, others) = blocks.split_first()?;
    let same_terms = |block: &&[Vec<Cell>]| block.len() == first.len() && block.iter().zip(*first).all(|(a, b)| a[1..last] == b[1..last]);
    if others.is_empty() || blocks.len() > MOST_CLASSES || !others.iter().all(same_terms) {
        return None;
    }
    let label = |block: &&[Vec<Cell>]| match block.first().map(|row| &row[0]) {
        Some(Cell::Text(label)) => Some(label.clone()),
        _ => None,
    };
    let labels = blocks.iter().map(label).collect::<Option<Vec<_>>>()?;
    let columns = table.columns()[1..last].iter().cloned().chain(labels).collect();
    Some(Table::tabulate(table.name(), columns, first.len(), |i, j| match (j + 1).checked_sub(last) {
        None => first[i][j + 1].clone(),
        Some(class) => blocks[class][i][last].clone(),
    }))
}

#[cfg(test)]
mod tests {
    use oddsmith::card::FixedTable;

    use super::*;

    fn table(rows: &[(&str, &str, f64)]) -> Table {
        let mut table = FixedTable::new("tidy", ["class", "column", "level", "estimate"]);
        rows.iter().for_each(|(class, column, value)| table.push([(*class).into(), (*column).into(), Cell::Empty, (*value).into()]));
        table.into()
    }

    #[test]
    fn equal_rows_of_classes_become_columns() {
        let turned = side_by_side(&table(&[("no", "age", 1.0), ("no", "lwt", 2.0), ("yes", "age", 3.0), ("yes", "lwt", 4.0)]));
        assert_eq!(turned.columns(), ["column", "no", "yes"]);
        assert_eq!(turned.rows()[1], [Cell::from("lwt"), 2.0.into(), 4.0.into()]);
    }

    #[test]
    fn unequal_rows_stay_as_they_are() {
        let uneven = table(&[("no", "age", 1.0), ("yes", "lwt", 4.0)]);
        assert_eq!(side_by_side(&uneven).columns(), ["class", "column", "estimate"]);
    }
}
