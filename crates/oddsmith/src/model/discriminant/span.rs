//! The space that the data span: which columns are combinations of others, and whether classes still have densities on
//! one common space.
//!
//! A column is a combination of earlier ones when next to nothing of its variance is left given them. If the
//! combination holds for all classes together, the column adds nothing: the density of the other columns is the whole
//! story, the same for every class. If it holds within the classes but with another constant in each, or in some
//! classes only, the classes live on different spaces and no ratio of densities exists: that is an error.

use nalgebra::DMatrix;

use super::elimination::{Elimination, RANK_TOLERANCE, Skipped};
use super::moments::Moments;
use crate::error::{Advice, Error, ErrorKind, Result};
use crate::notice::{self, Notice};

/// Share left below which a combination is called exact.
const EXACT: f64 = 1e-13;
/// A column whose variance within a class is below this share of its pooled variance does not vary there.
const CLASS_VARIANCE: f64 = 1e-14;
/// Coefficients below this share of the column's deviation are rounding and are not shown.
const SHOWN: f64 = 1e-6;
/// Most addends of a combination that are shown.
const MOST_ADDENDS: usize = 5;

/// A column that is a combination of others: x_column = m_column + Σ β_j (x_j − m_j) in scaled coordinates.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Alias {
    pub(super) column: usize,
    pub(super) terms: Vec<(usize, f64)>,
}

/// The combinations among the columns of a covariance matrix.
pub(super) fn aliases(elimination: &Elimination) -> Vec<Alias> {
    elimination.skipped.iter().map(|skipped| Alias { column: skipped.column, terms: elimination.combination(skipped) }).collect()
}

/// Checks that the classes have densities on one common space and says which columns take no part in it. `pooled` is
/// the covariance matrix of all classes around their means, `own` those of single classes where they differ.
pub(super) fn check(moments: &Moments, pooled: &DMatrix<f64>, own: &[DMatrix<f64>]) -> Result<Vec<Notice>> {
    let all: Vec<usize> = (0..moments.width()).collect();
    let elimination = Elimination::new(pooled, &all);
    let mut notices = Vec::new();
    for (skipped, alias) in elimination.skipped.iter().zip(aliases(&elimination)) {
        if between(moments, &alias) > skipped.noise.max(RANK_TOLERANCE) * pooled[(alias.column, alias.column)] {
            return Err(separated(moments, &alias));
        }
        notices.push(combined(moments, skipped, &alias));
    }
    for (k, matrix) in own.iter().enumerate() {
        check_class(moments, k, matrix, pooled, &elimination.kept)?;
    }
    Ok(notices)
}

/// Variance between the classes of what is left of an aliased column.
fn between(moments: &Moments, alias: &Alias) -> f64 {
    let left = |k: usize| {
        let offsets = &moments.offsets[k];
        offsets[alias.column] - alias.terms.iter().map(|(j, beta)| beta * offsets[*j]).sum::<f64>()
    };
    let weight = &moments.classes.weight;
    let total = moments.classes.total();
    let mean: f64 = weight.iter().enumerate().map(|(k, w)| w * left(k)).sum::<f64>() / total;
    weight.iter().enumerate().map(|(k, w)| w * (left(k) - mean).powi(2)).sum::<f64>() / total
}

fn separated(moments: &Moments, alias: &Alias) -> Error {
    let (rows, classes) = (moments.classes.total_rows(), moments.classes.rows.len());
    let what = match rows < (moments.width() + classes) as u64 {
        true => format!(
            "{rows} rows in {classes} classes are too few for the covariance of {} columns, which takes {} rows or more",
            moments.width(),
            moments.width() + classes
        ),
        false => format!(
            "column `{}` is a combination of others within every class ({}), with another constant in each: it tells the classes apart without error",
            moments.name(alias.column),
            combination(moments, alias, false)
        ),
    };
    no_estimate(what, "use naive Bayes".into())
}

/// Shrinkage and fewer columns always help; `otherwise` is what else does.
fn no_estimate(what: String, otherwise: Advice) -> Error {
    let shrunk = Advice::Set { option: "shrinkage", value: "ledoit-wolf", to: "shrink the covariances" };
    ErrorKind::NoEstimate { what, advice: Advice::any_of([shrunk, "leave columns out".into(), otherwise]) }.into()
}

fn combined(moments: &Moments, skipped: &Skipped, alias: &Alias) -> Notice {
    let name = moments.name(alias.column);
    let how = if skipped.residual.abs() <= skipped.noise.max(EXACT) { "exactly" } else { "almost exactly" };
    let text = format!("is {how} a combination of other columns, {}; the discriminant does without it", combination(moments, alias, true));
    Notice::new(notice::SINGULAR, text).column(name)
}

/// `b = 2·a + 1` in the user's units; the constant is left out where it differs between classes.
fn combination(moments: &Moments, alias: &Alias, constant: bool) -> String {
    let (scale, centre) = (&moments.scale, &moments.centre);
    let shown: Vec<(usize, f64)> = alias.terms.iter().copied().filter(|(_, beta)| beta.abs() > SHOWN).collect();
    let mut sum = String::new();
    let mut intercept = centre[alias.column];
    let mut size = intercept.abs();
    for (at, (j, beta)) in shown.iter().enumerate() {
        let coefficient = beta * scale[alias.column] / scale[*j];
        intercept -= coefficient * centre[*j];
        size += (coefficient * centre[*j]).abs();
        if at < MOST_ADDENDS {
            let factor = if short(coefficient.abs()) == "1" { String::new() } else { format!("{}·", short(coefficient.abs())) };
            append(&mut sum, coefficient, &format!("{factor}{}", moments.name(*j)));
        }
    }
    if shown.len() > MOST_ADDENDS {
        sum.push_str(" + …");
    }
    // Rounding of the coefficients, times the size of the columns, is no constant.
    if constant && intercept.abs() > SHOWN * (size + scale[alias.column]) {
        append(&mut sum, intercept, &short(intercept.abs()));
    }
    if sum.is_empty() {
        sum.push('0');
    }
    format!("{} = {sum}", moments.name(alias.column))
}

fn append(sum: &mut String, sign: f64, term: &str) {
    let joint = match (sum.is_empty(), sign < 0.0) {
        (true, false) => "",
        (true, true) => "−",
        (false, false) => " + ",
        (false, true) => " − ",
    };
    sum.push_str(joint);
    sum.push_str(term);
}

/// A number with six significant digits and no trailing zeros.
fn short(value: f64) -> String {
    let rounded: f64 = format!("{value:.5e}").parse().unwrap_or(value);
    match rounded != 0.0 && !(1e-4..1e15).contains(&rounded) {
        true => format!("{rounded:e}"),
        false => format!("{rounded}"),
    }
}

/// Refuses a class whose own covariance has fewer dimensions than that of all classes.
fn check_class(moments: &Moments, k: usize, matrix: &DMatrix<f64>, pooled: &DMatrix<f64>, kept: &[usize]) -> Result<()> {
    let label = moments.layout.classes().label(k);
    let elimination = Elimination::new(matrix, kept);
    let flat = kept.iter().find(|&&j| matrix[(j, j)] <= CLASS_VARIANCE * pooled[(j, j)]);
    if elimination.skipped.is_empty() && flat.is_none() {
        return Ok(());
    }
    let (rows, need) = (moments.classes.rows[k], kept.len() + 1);
    let what = if rows < need as u64 {
        let are = if rows == 1 { "row" } else { "rows" };
        format!(
            "class `{label}` has {rows} {are}, too few for a covariance matrix of its own over {} columns, which takes {need} rows or more",
            kept.len()
        )
    } else if let Some((category, level)) = moments.level_absent_from(k) {
        format!(
            "no row of class `{label}` has the level `{level}` of column `{category}`, so the 0/1 columns of the category do not all vary \
             within the class, and it has no density over the columns of the others"
        )
    } else if let Some(&j) = flat {
        format!(
            "column `{}` does not vary within class `{label}`, so the class has no density over the columns of the others",
            moments.name(j)
        )
    } else {
        let combinations: Vec<String> = aliases(&elimination).iter().map(|alias| combination(moments, alias, false)).collect();
        format!("within class `{label}` columns are combinations of each other ({}), but not in every class", combinations.join("; "))
    };
    Err(no_estimate(what, Advice::UseModel { name: "lda", why: "which pools the classes" }))
}

#[cfg(test)]
mod tests {
    use super::short;

    #[test]
    fn numbers_are_short() {
        let shown: Vec<String> = [2.0000000001, 1.0 / 3.0, 1e-9, 273.15, 0.0].into_iter().map(short).collect();
        assert_eq!(shown.join(" "), "2 0.333333 1e-9 273.15 0");
    }
}
