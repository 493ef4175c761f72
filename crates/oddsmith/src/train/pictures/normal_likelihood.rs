//! The likelihood of a normal as a landscape: log L over the mean and the spread of one column, class by class.
//!
//! ```text
//! log L(μ, σ) = −n [log σ + (s² + (x̄ − μ)²) / (2 σ²)] + constant,   s² = Σ w (x − x̄)² / n
//! ```
//!
//! Count, mean and squares of a class are all that it takes. The top is at (x̄, s); the model's own μ and σ are marked, which lie beside it where the model
//! ties spreads, divides by n − 1 or smooths. They are read off its curve: the logarithm of a normal curve is a parabola, and no other is.

use super::hill::{LAST_LEVEL, drop_of, hill};
use super::probe::{ProbeRows, number_place};
use super::row_digest::{NumberSummary, RowDigest};
use crate::error::{Error, ErrorKind, Result, visible};
use crate::model::{Classifier, Predictions, Predictor};
use crate::picture::{Axis, Panel, Picture, drawn_classes};

/// Points of the grid along a parameter; odd, so that the top is one of them.
const GRID: usize = 45;
/// Most classes with a panel of their own.
const MOST_PANELS: usize = 3;
/// How much further than the outermost line the grid reaches.
const SPARE: f64 = 1.08;

/// The landscapes of a number column within the classes, those with the most rows, below each other.
pub fn normal_likelihood(model: &dyn Classifier, digest: &RowDigest, feature: usize) -> Result<Picture> {
    let layout = model.layout();
    let at = number_place(layout, feature).ok_or_else(|| Error::internal("a normal is of a number column"))?;
    let name = visible(&layout.features()[feature].name);
    let mut classes = drawn_classes(&digest.class_weights);
    classes.sort_by(|a, b| digest.class_weights[*b].total_cmp(&digest.class_weights[*a]).then(a.cmp(b)));
    classes.truncate(MOST_PANELS);
    classes.sort_unstable();
    let panels = classes.iter().map(|&k| {
        let known = digest.number(k, at);
        let class = layout.classes().named(k, layout.target());
        if !(known.squares > 0.0 && known.weight > 1.0) {
            return Err(refused(
                model,
                &format!("`{name}` has one value in the rows with {class}, so that no spread above 0 is the most likely"),
            ));
        }
        let own = own_normal(model, digest, (k, at), &known)?
            .ok_or_else(|| refused(model, &format!("its curve of `{name}` within {class} is no normal one")))?;
        Ok(panel(&known, own, &format!("{name}, {class}")))
    });
    let panels: Vec<Panel> = panels.collect::<Result<_>>()?;
    let rest = if panels.len() < layout.classes().len() { ", of the most frequent classes" } else { "" };
    let summary = format!(
        "Likelihood of a normal over the mean and the spread of {name} within each class{rest}; lines hold the pairs that a likelihood-ratio test at that level does not refuse, and the model's own pair is marked."
    );
    Ok(Picture { name: "landscape".into(), title: "Likelihood landscape".into(), summary, panels })
}

fn refused(model: &dyn Classifier, why: &str) -> Error {
    ErrorKind::Unsupported { model: model.card().title, what: "be drawn as a likelihood landscape".into(), advice: why.into() }.into()
}

/// The panel of a class, around what is most likely.
fn panel(known: &NumberSummary, own: (f64, f64), of: &str) -> Panel {
    let (n, deviation) = (known.weight, (known.squares / known.weight).sqrt());
    let (mean_reach, spread_ends) = reach(n);
    let points = |from: f64, to: f64| (0..GRID).map(move |i| from + (to - from) * i as f64 / (GRID - 1) as f64);
    let mean_grid: Vec<f64> = points(-mean_reach, mean_reach).map(|from| known.mean + from * deviation).collect();
    // Ratios to the most likely spread, in equal steps of it.
    let ratios: Vec<f64> = points(spread_ends.0, spread_ends.1).collect();
    let spread_grid: Vec<f64> = ratios.iter().map(|ratio| ratio * deviation).collect();
    let standing = |ratio: f64, from: f64| -n * (ratio.ln() + (1.0 + from * from) / (2.0 * ratio * ratio));
    let values: Vec<f64> =
        ratios.iter().flat_map(|ratio| points(-mean_reach, mean_reach).map(move |from| standing(*ratio, from))).collect();
    let marks = hill((&mean_grid, &spread_grid), &values, standing(1.0, 0.0), own);
    let axis = |label: String, grid: &[f64]| Axis { label, range: Some((grid[0], grid[GRID - 1])), ..Axis::default() };
    Panel { x: axis(format!("Mean of {of}"), &mean_grid), y: axis(format!("Spread of {of}"), &spread_grid), marks }
}

/// How far the outermost line reaches, with something to spare: either way along the mean, in spreads, and down and up along the ratio to the most likely spread.
fn reach(n: f64) -> (f64, (f64, f64)) {
    let drop = drop_of(LAST_LEVEL) / n;
    // With the best spread for each, log L falls by n/2 log(1 + d²) at a distance of d spreads.
    let mean = (2.0 * drop).exp_m1().sqrt();
    // At the best mean it falls by n (log r + (1/r² − 1) / 2) for a ratio of r: found by halving, on either side of 1.
    let fall = |log_ratio: f64| log_ratio + 0.5 * (-2.0 * log_ratio).exp_m1() - drop;
    let end = |mut within: f64, mut beyond: f64| {
        for _ in 0..60 {
            let middle = 0.5 * (within + beyond);
            *(if fall(middle) > 0.0 { &mut beyond } else { &mut within }) = middle;
        }
        within.exp()
    };
    let (low, high) = (end(0.0, -0.5 * (4.0 * drop + 6.0).ln()), end(0.0, drop + 0.5));
    (SPARE * mean, (low / SPARE, high * SPARE))
}

/// The mean and the spread of the model's own curve of a column in a class; `None` where it is no normal curve.
fn own_normal(model: &dyn Classifier, digest: &RowDigest, (k, at): (usize, usize), known: &NumberSummary) -> Result<Option<(f64, f64)>> {
    let step = (known.squares / known.weight).sqrt();
    let mut rows = ProbeRows::new(model, digest);
    [-2.0, -1.0, 0.0, 1.0, 2.0].iter().for_each(|steps| rows.push(&[(at, known.mean + steps * step)], &[]));
    let mut predictions = Predictions::new();
    rows.with(|features| Predictor::new(model).predict(features, &mut predictions))?;
    let height: Vec<f64> = (0..5).map(|i| predictions.scores().row(i)[k]).collect();
    let (near, far) = (height[1] - 2.0 * height[2] + height[3], height[0] - 2.0 * height[2] + height[4]);
    let is_parabola = near < 0.0 && (far - 4.0 * near).abs() <= 1e-6 * far.abs();
    let variance = -step * step / near;
    Ok(is_parabola.then(|| (known.mean + variance * (height[3] - height[1]) / (2.0 * step), variance.sqrt())))
}
