//! Fisher's exact test of an r×c table (Freeman and Halton 1951): of all tables with the same margins, how probable are those that are no more probable
//! than this one?
//!
//! ```text
//! P(table) = Π row! Π column! / (N! Π cell!)
//! ```
//!
//! Tables are gone through one after the other, so there is an answer only while they are few.

/// Most steps of the walk.
const MOST_STEPS: u64 = 4_000_000;
/// Most rows: logarithms of factorials are kept in a list.
const MOST_ROWS: f64 = 100_000.0;
/// Tables are as probable as this one when only rounding tells them apart; R's `fisher.test` takes the same.
const AS_PROBABLE: f64 = 1e-7;

/// The p-value of counts, `columns` to a row; `None` for counts that are not whole and for tables that are too many.
pub fn fisher(counts: &[f64], columns: usize) -> Option<f64> {
    let total: f64 = counts.iter().sum();
    if counts.iter().any(|count| count.fract() != 0.0 || *count < 0.0) || total > MOST_ROWS || columns == 0 {
        return None;
    }
    let whole: Vec<usize> = counts.iter().map(|count| *count as usize).collect();
    let mut logs = vec![0.0];
    for k in 1..=total as usize {
        logs.push(logs[k - 1] + libm::log(k as f64));
    }
    // Rows from the largest down: the last, which are told by what is left, are then short.
    let mut rows: Vec<(usize, &[usize])> = whole.chunks(columns).map(|row| (row.iter().sum(), row)).filter(|(sum, _)| *sum > 0).collect();
    rows.sort_by_key(|(sum, _)| std::cmp::Reverse(*sum));
    let margins: Vec<usize> = (0..columns).map(|j| whole.iter().skip(j).step_by(columns).sum()).collect();
    let fixed =
        rows.iter().map(|(sum, _)| logs[*sum]).sum::<f64>() + margins.iter().map(|sum| logs[*sum]).sum::<f64>() - logs[total as usize];
    let observed = fixed - whole.iter().map(|cell| logs[*cell]).sum::<f64>();
    let sums: Vec<usize> = rows.iter().map(|(sum, _)| *sum).collect();
    let mut walk = Walk { logs: &logs, rows: &sums, limit: observed + AS_PROBABLE, steps: 0, sum: 0.0 };
    let mut left = margins;
    walk.fill(0, 0, sums.first().copied().unwrap_or(0), fixed, &mut left)?;
    Some(walk.sum.min(1.0))
}

/// A walk through all tables.
struct Walk<'a> {
    logs: &'a [f64],
    rows: &'a [usize],
    /// Tables up to this log probability count.
    limit: f64,
    steps: u64,
    sum: f64,
}

impl Walk<'_> {
    /// Fills the table from cell (row, column) on: `open` is what the row still has to give, `left` what columns still take.
    fn fill(&mut self, row: usize, column: usize, open: usize, log: f64, left: &mut [usize]) -> Option<()> {
        self.steps += 1;
        if self.steps > MOST_STEPS {
            return None;
        }
        let last_row = row + 1 >= self.rows.len();
        if last_row {
            // What columns still take is the row.
            let log = log - left.iter().map(|cell| self.logs[*cell]).sum::<f64>();
            if log <= self.limit {
                self.sum += libm::exp(log);
            }
            return Some(());
        }
        if column + 1 == left.len() {
            if open > left[column] {
                return Some(());
            }
            left[column] -= open;
            let done = self.fill(row + 1, 0, self.rows[row + 1], log - self.logs[open], left);
            left[column] += open;
            return done;
        }
        let later: usize = left[column + 1..].iter().sum();
        for cell in open.saturating_sub(later)..=open.min(left[column]) {
            left[column] -= cell;
            let done = self.fill(row, column + 1, open - cell, log - self.logs[cell], left);
            left[column] += cell;
            done?;
        }
        Some(())
    }
}
