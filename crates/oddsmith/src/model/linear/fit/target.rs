//! What a row says about its class: a label, counts of two outcomes, or the proportion of every class.

use crate::data::design::{ResponseBlock, ResponseReader};
use crate::data::{Rows, SKIP};
use crate::error::{DataFault, Result};
use crate::num::kernel::widest;

/// How far proportions of a row may be from adding up to one.
const ROUNDING: f64 = 1e-6;

/// Where the response of a row comes from.
#[derive(Debug, Clone)]
pub(crate) enum Target {
    /// The label of the row.
    Labels,
    /// Successes and failures in number columns: the second class is success, the trials multiply the weight.
    Grouped(Box<ResponseReader>),
    /// The proportion of every class, in number columns of the batch.
    Proportions {
        /// Number planes of the classes, in the order of the classes.
        planes: Vec<usize>,
        /// Their names, for messages.
        names: Vec<String>,
    },
}

impl Target {
    /// Writes the proportions of all classes but the first, and takes the weight of rows without a response away.
    #[allow(clippy::too_many_arguments)]
    pub(crate) fn read(
        &self,
        rows: &Rows<'_>,
        labels: &[u32],
        classes: usize,
        lo: usize,
        hi: usize,
        proportions: &mut Vec<f64>,
        weights: &mut [f64],
        counts: &mut ResponseBlock,
    ) -> Result<()> {
        let outputs = classes - 1;
        proportions.resize((hi - lo) * outputs, 0.0);
        match self {
            Target::Labels if outputs == 1 => {
                let rows = proportions.iter_mut().zip(weights).zip(&labels[lo..hi]);
                widest(
                    #[inline(always)]
                    || {
                        rows.for_each(|((share, weight), label)| {
                            *share = if *label == 1 { 1.0 } else { 0.0 };
                            *weight = if *label == SKIP { 0.0 } else { *weight };
                        });
                    },
                );
            }
            Target::Labels => {
                proportions.fill(0.0);
                for ((row, weight), label) in proportions.chunks_exact_mut(outputs).zip(weights).zip(&labels[lo..hi]) {
                    match *label {
                        SKIP => *weight = 0.0,
                        0 => {}
                        label => row[label as usize - 1] = 1.0,
                    }
                }
            }
            Target::Grouped(reader) => {
                counts.first_row = rows.first_row;
                reader.read(&rows.features, lo, hi, counts)?;
                for (i, (share, weight)) in proportions.iter_mut().zip(weights).enumerate() {
                    let (successes, trials) = (counts.successes[i], counts.trials[i]);
                    *share = if trials > 0.0 { successes / trials } else { 0.0 };
                    *weight *= if labels[lo + i] == SKIP { 0.0 } else { trials };
                }
            }
            Target::Proportions { planes, names } => {
                for (i, (row, weight)) in proportions.chunks_exact_mut(outputs).zip(weights).enumerate() {
                    let place = rows.first_row + (lo + i) as u64 + 1;
                    let mut total = 0.0;
                    for (k, (&plane, name)) in planes.iter().zip(names).enumerate() {
                        let share = rows.features.numbers.get(lo + i, plane);
                        if !(share.is_nan() || (0.0..=1.0 + ROUNDING).contains(&share)) {
                            let fault = DataFault::new("a class proportion cannot be").column(name).row(place).value(share.to_string());
                            return Err(fault.accepted("proportions are numbers from 0 to 1").into());
                        }
                        total += share;
                        if k > 0 {
                            row[k - 1] = share;
                        }
                    }
                    if total.is_nan() || labels[lo + i] == SKIP {
                        *weight = 0.0;
                        row.fill(0.0);
                    } else if (total - 1.0).abs() > ROUNDING {
                        let fault = DataFault::new("the class proportions of the row add up to").row(place).value(total.to_string());
                        return Err(fault.accepted("they must add up to 1").into());
                    }
                }
            }
        }
        Ok(())
    }
}
