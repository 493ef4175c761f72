//! Which classes the rows of a fit have.

use crate::data::Layout;
use crate::error::{DataFault, Error, Result};
use crate::stats::ClassWeights;

/// Refuses targets that teach nothing: rows of two classes or more are needed.
pub(crate) fn check_classes(layout: &Layout, weights: &ClassWeights) -> Result<()> {
    let seen: Vec<usize> = (0..weights.weight.len()).filter(|&k| weights.weight[k] > 0.0).collect();
    match seen[..] {
        [] => Err(Error::data("there are no rows to learn from")),
        [k] => {
            let what = format!("the target has one class: {} ({} rows)", layout.classes().label(k), weights.rows[k]);
            Err(DataFault::new(what).column(layout.target()).accepted("two classes or more are needed").into())
        }
        _ => Ok(()),
    }
}
