//! What a term of a formula is made of: columns, values computed from columns, and bases of several columns.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::expr::{ColumnName, Expr, ReadAs, constant};
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

/// `C(column, levels = [a, b], ref = level, contrast = name)`: a category with its coding.
#[derive(Debug, Clone, PartialEq)]
pub struct Category {
    /// The column.
    pub column: ColumnName,
    /// Its levels in their order, where that is not the order of the table.
    pub levels: Option<Vec<String>>,
    /// The reference level, where one is chosen.
    pub reference: Option<Word>,
    /// The contrast, where one is chosen.
    pub contrast: Option<Contrast>,
}

/// `cut(x, c(0, 10, 20))`: the interval in which a value lies, as a category.
#[derive(Debug, Clone, PartialEq)]
pub struct Cut {
    /// The value.
    pub of: Expr,
    /// The ends of the intervals, in rising order.
    pub breaks: Vec<f64>,
    /// Whether an interval holds its upper end, `(0,10]`, and not its lower one, `[0,10)`.
    pub right: bool,
    /// Whether the outermost interval holds its outer end too.
    pub include_lowest: bool,
    /// Names of the intervals, where they are not called by their ends.
    pub labels: Option<Vec<String>>,
    /// The reference interval, where one is chosen.
    pub reference: Option<Word>,
    /// The contrast, where one is chosen.
    pub contrast: Option<Contrast>,
}

impl Cut {
    /// The names of the intervals, as R gives them: by their ends with three digits, or as many more as tell them apart.
    pub fn names(&self) -> Vec<String> {
        if let Some(labels) = &self.labels {
            return labels.clone();
        }
        let mut ends = (3..=12).map(|digits| self.breaks.iter().map(|end| significant(*end, digits)).collect::<Vec<_>>());
        let apart = |ends: &Vec<String>| ends.windows(2).all(|pair| pair[0] != pair[1]);
        let ends = ends.clone().find(apart).or_else(|| ends.next_back()).unwrap_or_default();
        let (open, close) = if self.right { ('(', ']') } else { ('[', ')') };
        let mut names: Vec<String> = ends.windows(2).map(|pair| format!("{open}{},{}{close}", pair[0], pair[1])).collect();
        if self.include_lowest {
            match (self.right, names.len()) {
                (true, _) => names[0].replace_range(..1, "["),
                (false, count) => {
                    let last = &mut names[count - 1];
                    last.replace_range(last.len() - 1.., "]");
                }
            }
        }
        names
    }

    /// The number of the interval that holds a value; `None` outside of all.
    #[inline]
    pub fn interval(&self, value: f64) -> Option<usize> {
        let last = self.breaks.len() - 1;
        if value.is_nan() {
            return None;
        }
        if self.include_lowest && value == self.breaks[if self.right { 0 } else { last }] {
            return Some(if self.right { 0 } else { last - 1 });
        }
        let below = match self.right {
            true => self.breaks.partition_point(|end| *end < value),
            false => self.breaks.partition_point(|end| *end <= value),
        };
        (1..=last).contains(&below).then(|| below - 1)
    }
}

/// `mdl_bins(x)`: the interval in which a value lies, as a category; the classes decide where intervals end.
#[derive(Debug, Clone, PartialEq)]
pub struct MdlBins {
    /// The value.
    pub of: Expr,
    /// The contrast, where one is chosen.
    pub contrast: Option<Contrast>,
}

impl MdlBins {
    /// The intervals between cuts in rising order, each with its lower end.
    pub fn cut(&self, cuts: &[f64]) -> Cut {
        let breaks = std::iter::once(f64::NEG_INFINITY).chain(cuts.iter().copied()).chain([f64::INFINITY]).collect();
        Cut { of: self.of.clone(), breaks, right: false, include_lowest: false, labels: None, reference: None, contrast: self.contrast }
    }
}

/// A number with so many significant digits, without zeros at the end; with an exponent where that is shorter, as C's `%g` and R have it.
fn significant(value: f64, digits: usize) -> String {
    if value == 0.0 || !value.is_finite() {
        // R writes a space before a positive infinity.
        return if value == 0.0 { "0".into() } else { format!("{}Inf", if value < 0.0 { '-' } else { ' ' }) };
    }
    let scientific = format!("{value:.*e}", digits - 1);
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let trimmed =
        |text: &str| if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text.to_owned() };
    if exponent < -4 || exponent >= digits as i32 {
        let sign = if exponent < 0 { '-' } else { '+' };
        return format!("{}e{sign}{:02}", trimmed(mantissa), exponent.abs());
    }
    trimmed(&format!("{value:.*}", (digits as i32 - 1 - exponent).max(0) as usize))
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
    /// The interval of a value.
    Cut(Cut),
    /// The interval of a value, found from the classes.
    MdlBins(MdlBins),
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
            _ => self.visit_reads(&mut |column, _| seen(column)),
        }
    }

    /// Gives every column of which a value is computed to `seen`, with how it is read.
    pub(crate) fn visit_reads<'a>(&'a self, seen: &mut dyn FnMut(&'a ColumnName, ReadAs)) {
        match self {
            Variable::Column(_) | Variable::Category(_) => {}
            Variable::Number(of)
            | Variable::Cut(Cut { of, .. })
            | Variable::MdlBins(MdlBins { of, .. })
            | Variable::Poly(Poly { of, .. })
            | Variable::Spline(Spline { of, .. }) => {
                of.visit_reads(ReadAs::Number, seen);
            }
            Variable::Rbf(Rbf { of, .. }) => of.iter().for_each(|of| of.visit_reads(ReadAs::Number, seen)),
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
            Variable::Cut(cut) => cut.fmt(f),
            Variable::MdlBins(MdlBins { of, contrast: None }) => write!(f, "mdl_bins({of})"),
            Variable::MdlBins(MdlBins { of, contrast: Some(contrast) }) => write!(f, "mdl_bins({of}, contrast = {contrast})"),
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
        if let Some(levels) = &self.levels {
            write!(f, ", levels = [{}]", words(levels))?;
        }
        if let Some(reference) = &self.reference {
            write!(f, ", ref = {}", word_text(&reference.text))?;
        }
        if let Some(contrast) = self.contrast {
            write!(f, ", contrast = {contrast}")?;
        }
        f.write_str(")")
    }
}

impl fmt::Display for Cut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "cut({}, {}", self.of, list(&self.breaks))?;
        if !self.right {
            f.write_str(", right = false")?;
        }
        if self.include_lowest {
            f.write_str(", include.lowest = true")?;
        }
        if let Some(labels) = &self.labels {
            write!(f, ", labels = [{}]", words(labels))?;
        }
        if let Some(reference) = &self.reference {
            write!(f, ", ref = {}", word_text(&reference.text))?;
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
    let value = |v: &f64| if v.is_infinite() { if *v < 0.0 { "-Inf".into() } else { "Inf".into() } } else { constant(*v) };
    format!("c({})", values.iter().map(value).collect::<Vec<_>>().join(", "))
}

fn words(words: &[String]) -> String {
    words.iter().map(|word| word_text(word)).collect::<Vec<_>>().join(", ")
}

/// A word as an argument: bare where that reads back as the same word, in quotes otherwise.
fn word_text(word: &str) -> String {
    if token::written(word) == word { word.to_owned() } else { in_quotes(word, '"') }
}

/// The name of a column as a formula would write it.
pub(super) fn column_text(name: &str) -> String {
    written(name).into_owned()
}
