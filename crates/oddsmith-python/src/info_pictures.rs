//! Pictures of information: trees of codes, models before and after what was seen, descriptions in two parts.

use numpy::PyReadonlyArray1;
use oddsmith::info::code::code_picture;
use oddsmith::info::{Candidate, ModelPosterior, TwoPart, polynomial_residuals, posterior_picture, two_part_picture};
use pyo3::prelude::*;

use crate::edge::raise;
use crate::info::{distribution, prefix_code};
use crate::pictures::Picture;
use crate::work;

/// The tree of a prefix-free code.
#[pyfunction]
pub(crate) fn info_code_picture(
    py: Python<'_>,
    title: &str,
    names: Vec<String>,
    p: PyReadonlyArray1<'_, f64>,
    counts: bool,
    code: &str,
    limit: Option<u32>,
) -> PyResult<Picture> {
    let p = distribution(p.as_slice()?, counts).map_err(|error| raise(py, error))?;
    let made = prefix_code(&p, code, limit).map_err(|error| raise(py, error))?;
    let words: Vec<Option<Vec<bool>>> = (0..p.probabilities().len()).map(|at| made.word(at).map(<[bool]>::to_vec)).collect();
    Ok(Picture::new(code_picture(title, &names, p.probabilities(), &words)))
}

/// How likely each model was before, and is after what was seen.
#[pyfunction]
pub(crate) fn info_posterior_picture(py: Python<'_>, names: Vec<String>, log_evidence: Vec<f64>, prior: Vec<f64>) -> PyResult<Picture> {
    let models = names.into_iter().zip(log_evidence).zip(prior);
    let candidates = models.map(|((name, log_evidence), prior)| Candidate { name, prior, log_evidence }).collect();
    let posterior = ModelPosterior::new(candidates).map_err(|error| raise(py, error))?;
    Ok(Picture::new(posterior_picture(&posterior)))
}

/// Bits of the rows and of the curve for polynomials of every degree, with their picture.
#[pyfunction]
pub(crate) fn info_degrees(
    py: Python<'_>,
    x: PyReadonlyArray1<'_, f64>,
    y: PyReadonlyArray1<'_, f64>,
    most: usize,
    names: (String, String),
) -> PyResult<(Vec<(f64, f64)>, Picture)> {
    let (x, y) = (x.as_slice()?, y.as_slice()?);
    let lengths = work::run(py, x.len() * (most + 1), |_| {
        // A curve through all points leaves nothing to compare.
        let squares = polynomial_residuals(x, y, None, most.min(x.len().saturating_sub(2)))?;
        let length = |(degree, rss): (usize, f64)| TwoPart::of_least_squares(rss, degree + 1, x.len() as f64);
        Ok(squares.into_iter().enumerate().map(length).collect::<Vec<TwoPart>>())
    })?;
    let named: Vec<(String, TwoPart)> = lengths.iter().enumerate().map(|(degree, length)| (format!("degree {degree}"), *length)).collect();
    let what = format!(
        "Bits to tell {} by polynomials of {}: those for the rows shrink with the degree, those for the curve grow.",
        names.1, names.0
    );
    let drawn = two_part_picture(&named, ["the rows, given the curve", "the curve"], &what);
    Ok((lengths.iter().map(|length| (length.data, length.model)).collect(), Picture::new(drawn)))
}
