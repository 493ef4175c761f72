//! What a fit costs beside its passes: profile limits and tests of terms are fits of their own.

use crate::data::{Design, DesignOptions, Layout, Source};
use crate::model::Params;

/// Operations of a pass over rows and pairs of coefficients up to which further passes are not noticed: profile intervals
/// and tests take some ten of them per coefficient.
const CHEAP: f64 = 1e8;

/// Whether profile limits and tests of terms would take long: some ten passes per coefficient over so many rows.
pub fn inference_is_costly(params: &Params, source: &dyn Source) -> bool {
    if !params.declares("ci") {
        return false;
    }
    let layout = source.layout();
    let outputs = layout.classes().len().saturating_sub(1) as f64;
    let coefficients = (1.0 + width(params, layout) as f64) * outputs;
    let rows = source.rows().map_or(f64::INFINITY, |rows| rows as f64);
    rows * coefficients * coefficients > CHEAP
}

/// Columns of the design; a guess where they depend on the data.
fn width(params: &Params, layout: &Layout) -> usize {
    let compiled = params.formula().and_then(|formula| Design::compile(formula, layout, &DesignOptions::default(), None).ok());
    match compiled {
        Some(design) => design.columns().len(),
        None => layout.numbers().len() + layout.level_counts().iter().map(|levels| levels.saturating_sub(1)).sum::<usize>(),
    }
}
