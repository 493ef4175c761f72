//! What a term of a formula is made of: columns, values computed from columns, and bases of several columns.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::expr::{ColumnName, Expr, constant};
use super::token::{in_quotes, written};
use super::{Place, token};
use crate::error::{Error, ErrorKind};

/// How the levels of a category become columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Contrast {
    /// One 0/1 column for every level but the reference.
    #[default]
    Treatment,
    /// As treatment, but the last level is −1 in every column: effects around their mean.
    Sum,
    /// Orthonormal polynomials over equally spaced levels: linear, quadratic, cubic …
    Poly,
}

impl Contrast {
    /// All of them.
    pub const ALL: [Contrast; 3] = [Contrast::Treatment, Contrast::Sum, Contrast::Poly];

    /// The name in formulas and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Contrast::Treatment => "treatment",
            Contrast::Sum => "sum",
            Contrast::Poly => "poly",
        }
    }

    /// The names of all contrasts.
    pub(super) fn names() -> Vec<String> {
        Contrast::ALL.iter().map(|contrast| contrast.name().to_owned()).collect()
    }
}

impl fmt::Display for Contrast {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Contrast {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self, Error> {
        let known = Contrast::ALL.into_iter().find(|contrast| contrast.name() == name);
        known.ok_or_else(|| ErrorKind::Unknown { noun: "contrast", name: name.into(), known: Contrast::names() }.into())
    }
}

/// A word given as an argument, such as the level in `C(race, ref = white)`.
#[derive(Debug, Clone, PartialEq)]
pub struct Word {
    /// The word.
    pub text: String,
    /// Where it stands.
    pub place: Place,
}

/// `C(column, ref = level, contrast = name)`: a category with its coding.
#[derive(Debug, Clone, PartialEq)]
pub struct Category {
    /// The column.
    pub column: ColumnName,
    /// The reference level, where one is chosen.
    pub reference: Option<Word>,
    /// The contrast, where one is chosen.
    pub contrast: Option<Contrast>,
}

/// `poly(x, degree, raw = true)`.
#[derive(Debug, Clone, PartialEq)]
pub struct Poly {
    /// The value whose powers are taken.
    pub of: Expr,
    /// The highest power.
    pub degree: usize,
    /// Plain powers instead of orthonormal polynomials.
    pub raw: bool,
}

/// Where the inner knots of a spline come from.
#[derive(Debug, Clone, PartialEq)]
pub enum Knots {
    /// Quantiles of the data, as many as this number of columns leaves room for.
    DegreesOfFreedom(usize),
    /// These values, in rising order.
    At(Vec<f64>),
}

/// `bs(x, df = …, degree = …)` or `ns(x, df = …)`: a spline with boundary knots at the extremes of the data.
#[derive(Debug, Clone, PartialEq)]
pub struct Spline {
    /// The value.
    pub of: Expr,
    /// A natural spline: linear beyond the boundary.
    pub natural: bool,
    /// The inner knots.
    pub knots: Knots,
    /// Degree of the pieces; 3 for natural splines.
    pub degree: usize,
}

/// Where the centres of a radial basis come from.
#[derive(Debug, Clone, PartialEq)]
pub enum Centers {
    /// This many, placed where the data are.
    Count(usize),
    /// These points, the coordinates of each one after another.
    At(Vec<f64>),
}

/// `rbf(x, y, k = …, width = …)`: exp(−½ |(x − c)/width|²) for every centre c.
#[derive(Debug, Clone, PartialEq)]
pub struct Rbf {
    /// The coordinates.
    pub of: Vec<Expr>,
    /// The centres.
    pub centers: Centers,
    /// The width, where it is not to be taken from the data.
    pub width: Option<f64>,
}

/// What a term is a product of.
#[derive(Debug, Clone, PartialEq)]
pub enum Variable {
    /// A column as it is: a number, a category, a boolean, or a text.
    Column(ColumnName),
    /// A value computed from number columns.
    Number(Expr),
    /// A category with its coding.
    Category(Category),
    /// Polynomials of a value.
    Poly(Poly),
    /// A spline of a value.
    Spline(Spline),
    /// Radial functions of a point.
    Rbf(Rbf),
}

impl Variable {
    /// Gives every column to `seen`, from left to right.
    pub fn visit_columns<'a>(&'a self, seen: &mut dyn FnMut(&'a ColumnName)) {
        match self {
            Variable::Column(column) | Variable::Category(Category { column, .. }) => seen(column),
            Variable::Number(of) | Variable::Poly(Poly { of, .. }) | Variable::Spline(Spline { of, .. }) => of.visit_columns(seen),
            Variable::Rbf(Rbf { of, .. }) => of.iter().for_each(|of| of.visit_columns(seen)),
        }
    }
}

impl fmt::Display for Variable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Variable::Column(column) => column.fmt(f),
            Variable::Number(call @ Expr::Call(..)) => call.fmt(f),
            Variable::Number(value) => write!(f, "I({value})"),
            Variable::Category(category) => category.fmt(f),
            Variable::Poly(Poly { of, degree, raw }) => {
                write!(f, "poly({of}, {degree}{})", if *raw { ", raw = true" } else { "" })
            }
            Variable::Spline(spline) => spline.fmt(f),
            Variable::Rbf(rbf) => rbf.fmt(f),
        }
    }
}

impl fmt::Display for Category {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "C({}", self.column)?;
        if let Some(reference) = &self.reference {
            let bare = token::written(&reference.text) == reference.text;
            let level = if bare { reference.text.clone() } else { in_quotes(&reference.text, '"') };
            write!(f, ", ref = {level}")?;
        }
        if let Some(contrast) = self.contrast {
            write!(f, ", contrast = {contrast}")?;
        }
        f.write_str(")")
    }
}

impl fmt::Display for Spline {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}({}, ", if self.natural { "ns" } else { "bs" }, self.of)?;
        match &self.knots {
            Knots::DegreesOfFreedom(df) => write!(f, "df = {df}")?,
            Knots::At(knots) => write!(f, "knots = {}", list(knots))?,
        }
        if !self.natural && self.degree != 3 {
            write!(f, ", degree = {}", self.degree)?;
        }
        f.write_str(")")
    }
}

impl fmt::Display for Rbf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("rbf(")?;
        for of in &self.of {
            write!(f, "{of}, ")?;
        }
        match &self.centers {
            Centers::Count(count) => write!(f, "k = {count}")?,
            Centers::At(points) => write!(f, "centers = {}", list(points))?,
        }
        if let Some(width) = self.width {
            write!(f, ", width = {}", constant(width))?;
        }
        f.write_str(")")
    }
}

fn list(values: &[f64]) -> String {
    let values: Vec<String> = values.iter().map(|v| constant(*v)).collect();
    format!("c({})", values.join(", "))
}

/// The name of a column as a formula would write it.
pub(super) fn column_text(name: &str) -> String {
    written(name).into_owned()
}
