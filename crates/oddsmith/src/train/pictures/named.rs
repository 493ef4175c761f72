//! Pictures of a model by their names, for front ends that draw what they are asked for.

use super::{
    Influence, Landscape, Nomogram, RowDigest, column_bits, densities, map, map_columns, normal_likelihood, number_place, residuals,
    sigmoid, tree_picture,
};
use crate::error::{DataFault, Error, ErrorKind, Result};
use crate::model::{Classifier, Scale};
use crate::picture::Picture;
use crate::train::findings::SumRows;

/// Pictures of a model alone.
pub const OF_MODEL: [&str; 2] = ["forest", "tree"];
/// Pictures of a model over rows.
pub const OVER_ROWS: [&str; 8] = ["nomogram", "boundary", "density", "sigmoid", "columns", "influence", "residuals", "landscape"];

/// A picture that takes no rows; an error that says what the model lacks.
pub fn of_model(name: &str, model: &dyn Classifier) -> Result<Picture> {
    let card = model.card();
    if let Some(picture) = (name == "tree").then(|| tree_picture(&card.title, &card.tidy)).flatten() {
        return Ok(picture);
    }
    let found = card.pictures.iter().find(|picture| picture.name == name).cloned();
    found.ok_or_else(|| {
        let advice = match name {
            "forest" => "a forest plot shows odds ratios, which regressions of columns have",
            _ => "only a decision tree is drawn as one",
        };
        ErrorKind::Unsupported { model: card.title, what: format!("be drawn as a {name}"), advice: advice.into() }.into()
    })
}

/// A picture over rows: of the columns that are asked for, or else of the first number columns.
pub fn over_rows(name: &str, model: &dyn Classifier, rows: &impl SumRows, columns: &[String]) -> Result<Picture> {
    let layout = model.layout();
    if name == "influence" {
        let refused = || ErrorKind::Unsupported {
            model: model.card().title,
            what: "tell the influence of rows".into(),
            advice: "only regressions have leverages and residuals".into(),
        };
        let metrics = model.inference().ok_or_else(refused)?.row_metrics(&|_| false)?;
        return Ok(rows.sum(&Influence::new(model, &*metrics)?)?.known()?.picture());
    }
    let digest = rows.sum(&RowDigest::new(layout))?;
    match name {
        "nomogram" => Ok(Nomogram::of(model, &digest)?.picture()),
        "columns" => column_bits(model, &digest),
        "residuals" => residuals(model, &digest),
        "density" => densities(model, &digest, along(model, name, columns)?),
        "sigmoid" => sigmoid(model, &digest, along(model, name, columns)?),
        "boundary" => map(model, &digest, map_columns(model, columns)?),
        "landscape" if model.scale() == Scale::LogJoint => normal_likelihood(model, &digest, along(model, name, columns)?),
        "landscape" => {
            let chosen = match columns.is_empty() {
                true => layout.numbers().iter().copied().take(2).collect(),
                false => columns.iter().map(|name| layout.index(name)).collect::<Result<Vec<_>>>()?,
            };
            let means: Vec<f64> = (0..layout.numbers().len()).map(|at| digest.all_numbers(at).mean).collect();
            Ok(rows.sum(&Landscape::new(model, &chosen, &means)?)?.picture())
        }
        _ => {
            Err(Error::option("picture", name, format!("one of: {}", OF_MODEL.into_iter().chain(OVER_ROWS).collect::<Vec<_>>().join(" "))))
        }
    }
}

/// The number column that a picture is drawn along.
fn along(model: &dyn Classifier, name: &str, columns: &[String]) -> Result<usize> {
    let layout = model.layout();
    let named = columns.first().map(|column| layout.index(column)).transpose()?;
    let column = named.or_else(|| layout.numbers().first().copied());
    column.filter(|j| number_place(layout, *j).is_some()).ok_or_else(|| {
        let names: Vec<&str> = layout.numbers().iter().map(|j| layout.features()[*j].name.as_str()).collect();
        let accepted = if names.is_empty() { "the model has none".into() } else { format!("one of: {}", names.join(", ")) };
        DataFault::new(format!("the picture `{name}` is drawn along a number column")).accepted(accepted).into()
    })
}
