//! Areas under ROC curves with more than two classes.
//!
//! One against the rest: the area of p_k for class k against all others, averaged over classes alike or by their weight.
//! Hand and Till's M: for every pair (i, j) the mean of the areas of p_i and of p_j over the rows of the two classes,
//! averaged over pairs; it does not depend on how frequent the classes are. O(K n log n) and O(K² n/K log n).

use super::auc::Auc;
use super::kept::Kept;
use super::metric::{Metric, Undefined};
use super::ranking::{Ranking, ScoreScale};
use crate::data::Weighting;

/// The area of every class against all others, in class order.
pub fn one_vs_rest(kept: &Kept, classes: usize, weighting: Weighting) -> Vec<Metric<Auc>> {
    (0..classes).map(|k| Auc::of(&kept.ranking(k), weighting)).collect()
}

/// Hand and Till's M of rows that are all kept.
pub fn hand_till(kept: &Kept, classes: usize, weighting: Weighting) -> Metric<f64> {
    let rows = kept.rows()?;
    let area = |score: usize, event: usize, other: usize| {
        let counted = (0..rows.labels.len()).filter(|&i| rows.labels[i] == event as u32 || rows.labels[i] == other as u32);
        let triple = counted
            .map(|i| (rows.scores[i * classes + score], rows.labels[i] == event as u32, rows.weights.get(i).copied().unwrap_or(1.0)));
        Auc::of(&Ranking::new(triple, ScoreScale::Probability), weighting).map(|auc| auc.area)
    };
    let (mut sum, mut pairs) = (0.0, 0u32);
    for i in 0..classes {
        for j in i + 1..classes {
            let missing = |_| Undefined("a class has no rows".into());
            sum += 0.5 * (area(i, i, j).map_err(missing)? + area(j, j, i).map_err(missing)?);
            pairs += 1;
        }
    }
    if pairs > 0 { Ok(sum / f64::from(pairs)) } else { Err(Undefined::one_class()) }
}
