//! One step of computing registers from registers: a loop over the rows of a block.

use super::basis::Basis;
use crate::data::formula::{Cut, Function, MOST_COORDINATES, Operator};
use crate::num::kernel::exp_all;

/// A step. It writes registers behind all those it reads, so that reading and writing never overlap.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Step {
    /// The same value in every row.
    Constant {
        /// The value.
        value: f64,
        /// The register written.
        out: usize,
    },
    /// −x
    Negative {
        /// The register read.
        of: usize,
        /// The register written.
        out: usize,
    },
    /// 1 where a register is 0, and 0 elsewhere.
    Not {
        /// The register read.
        of: usize,
        /// The register written.
        out: usize,
    },
    /// A sign between two registers.
    Binary {
        /// The sign.
        operator: Operator,
        /// The register on its left.
        left: usize,
        /// The register on its right.
        right: usize,
        /// The register written.
        out: usize,
    },
    /// A function of a register.
    Call {
        /// The function.
        function: Function,
        /// The register read.
        of: usize,
        /// The register written.
        out: usize,
    },
    /// A row of a table chosen by a code: contrasts other than treatment.
    Table {
        /// The code column read.
        codes: usize,
        /// Levels × columns, column after column.
        table: Vec<f64>,
        /// Number of levels.
        levels: usize,
        /// The first register written.
        out: usize,
    },
    /// A row of a table chosen by the interval of a register; NaN outside of all.
    Cut {
        /// The register read.
        of: usize,
        /// The intervals.
        cut: Cut,
        /// Intervals × columns, column after column.
        table: Vec<f64>,
        /// The first register written.
        out: usize,
    },
    /// The columns of a basis.
    Basis {
        /// The registers read: one per coordinate.
        of: Vec<usize>,
        /// The basis.
        basis: Basis,
        /// The first register written.
        out: usize,
    },
}

impl Step {
    /// The first register written.
    fn out(&self) -> usize {
        match self {
            Step::Constant { out, .. }
            | Step::Negative { out, .. }
            | Step::Binary { out, .. }
            | Step::Call { out, .. }
            | Step::Not { out, .. }
            | Step::Table { out, .. }
            | Step::Cut { out, .. }
            | Step::Basis { out, .. } => *out,
        }
    }

    /// Computes all rows. Registers and code columns hold `rows` values each.
    pub(super) fn run(&self, registers: &mut [f64], codes: &[u32], rows: usize) {
        let (before, written) = registers.split_at_mut(self.out() * rows);
        let read = |register: usize| &before[register * rows..(register + 1) * rows];
        match self {
            Step::Constant { value, .. } => written[..rows].fill(*value),
            Step::Negative { of, .. } => written.iter_mut().zip(read(*of)).for_each(|(out, x)| *out = -x),
            Step::Not { of, .. } => written.iter_mut().zip(read(*of)).for_each(|(out, x)| *out = f64::from(u8::from(*x == 0.0))),
            Step::Cut { of, cut, table, .. } => {
                let intervals = cut.breaks.len() - 1;
                for (i, value) in read(*of).iter().enumerate() {
                    let interval = cut.interval(*value);
                    for (column, values) in table.chunks_exact(intervals).enumerate() {
                        written[column * rows + i] = interval.map_or(f64::NAN, |interval| values[interval]);
                    }
                }
            }
            Step::Binary { operator, left, right, .. } => binary(*operator, read(*left), read(*right), &mut written[..rows]),
            Step::Call { function, of, .. } => call(*function, read(*of), &mut written[..rows]),
            Step::Basis { of, basis, .. } => {
                let mut coordinates: [&[f64]; MOST_COORDINATES] = [&[]; MOST_COORDINATES];
                coordinates.iter_mut().zip(of).for_each(|(x, register)| *x = read(*register));
                basis.evaluate(&coordinates[..of.len().min(MOST_COORDINATES)], &mut written[..basis.width() * rows]);
            }
            Step::Table { codes: column, table, levels, .. } => {
                let codes = &codes[column * rows..(column + 1) * rows];
                for (values, out) in table.chunks_exact(*levels).zip(written.chunks_exact_mut(rows.max(1))) {
                    out.iter_mut().zip(codes).for_each(|(out, code)| *out = values[*code as usize]);
                }
            }
        }
    }
}

/// One loop per sign, so that the compiler sees which it is.
fn binary(operator: Operator, left: &[f64], right: &[f64], out: &mut [f64]) {
    let pairs = || left.iter().zip(right);
    match operator {
        Operator::Add => out.iter_mut().zip(pairs()).for_each(|(out, (a, b))| *out = a + b),
        Operator::Subtract => out.iter_mut().zip(pairs()).for_each(|(out, (a, b))| *out = a - b),
        Operator::Multiply => out.iter_mut().zip(pairs()).for_each(|(out, (a, b))| *out = a * b),
        Operator::Divide => out.iter_mut().zip(pairs()).for_each(|(out, (a, b))| *out = a / b),
        _ => out.iter_mut().zip(pairs()).for_each(|(out, (a, b))| *out = operator.of(*a, *b)),
    }
}

fn call(function: Function, of: &[f64], out: &mut [f64]) {
    match function {
        Function::Sqrt => out.iter_mut().zip(of).for_each(|(out, x)| *out = x.sqrt()),
        Function::Exp => {
            out.copy_from_slice(of);
            exp_all(out);
        }
        Function::Abs => out.iter_mut().zip(of).for_each(|(out, x)| *out = x.abs()),
        _ => out.iter_mut().zip(of).for_each(|(out, x)| *out = function.of(*x)),
    }
}
