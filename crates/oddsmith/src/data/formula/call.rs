//! Reads the functions that stand between the signs of a formula: `C()`, `ordered()`, `cut()`, `mdl_bins()`, `poly()`, `bs()`, `ns()`,
//! `rbf()`.

use super::Place;
use super::arguments::Arguments;
use super::expr::{Expr, Function};
use super::fault::Fault;
use super::variable::{Category, Centers, Contrast, Cut, Knots, MdlBins, Poly, Rbf, Spline, Variable, Word};
use super::words::Words;
use super::{arithmetic, expr::ColumnName};
use crate::data::Role;

/// Every name that may stand before a parenthesis, apart from the functions of one value.
pub(super) const NAMES: [&str; 12] = ["I", "C", "ordered", "cut", "mdl_bins", "poly", "bs", "ns", "rbf", "offset", "strata", "cluster"];

/// The most columns that one basis may have.
const WIDEST: usize = 1024;

/// The most coordinates of a point.
pub(crate) const MOST_COORDINATES: usize = 16;

/// The highest degree of a polynomial: beyond it, powers of a number have no digits left.
const HIGHEST: usize = 32;

/// Reads a call, except `offset()`, `strata()` and `cluster()`, from its name on.
pub(super) fn variable(words: &mut Words<'_>, name: &str) -> Result<Variable, Fault> {
    let start = words.place();
    if Function::of_name(name).is_some() || name == "I" {
        return Ok(match arithmetic::operand(words)? {
            Expr::Column(column) => Variable::Column(column),
            value => Variable::Number(value),
        });
    }
    if !NAMES.contains(&name) {
        let known: Vec<String> = NAMES.into_iter().chain(Function::ALL.map(Function::name)).map(str::to_owned).collect();
        return Err(Fault::unknown(start, "function", name, &known));
    }
    if name == "offset" {
        return Err(Fault::new(start, "an offset is no part of a term", "it is added as it is, as in y ~ a*b + offset(t)"));
    }
    if Role::of_function(name).is_some() {
        let accepted = format!("it is added as it is, as in y ~ a*b + {name}(ward)");
        return Err(Fault::new(start, format!("{name}() is no part of a term"), accepted));
    }
    words.take();
    let mut arguments = Arguments::read(words, name)?;
    let variable = match name {
        "C" => category(&mut arguments)?,
        "ordered" => ordered(&mut arguments)?,
        "cut" => cut(&mut arguments)?,
        "mdl_bins" => mdl_bins(&mut arguments)?,
        "poly" => poly(&mut arguments)?,
        "bs" | "ns" => spline(&mut arguments, name == "ns")?,
        _ => rbf(&mut arguments)?,
    };
    Ok(variable)
}

fn category(arguments: &mut Arguments<'_>) -> Result<Variable, Fault> {
    let column = column(arguments)?;
    let levels = arguments.words("levels")?;
    let ordered = arguments.flag("ordered")?.unwrap_or(false);
    let reference = reference(arguments)?;
    let contrast = contrast(arguments)?.or(ordered.then_some(Contrast::Poly));
    arguments.finish(1, &["levels", "ref", "contrast", "ordered"])?;
    Ok(Variable::Category(Category { column, levels, reference, contrast }))
}

fn reference(arguments: &mut Arguments<'_>) -> Result<Option<Word>, Fault> {
    Ok(arguments.word("ref")?.map(|(text, place)| Word { text, place }))
}

fn contrast(arguments: &mut Arguments<'_>) -> Result<Option<Contrast>, Fault> {
    let named = |(name, place): (String, Place)| name.parse().map_err(|_| Fault::unknown(place, "contrast", &name, &Contrast::names()));
    arguments.word("contrast")?.map(named).transpose()
}

/// Intervals of a value, closed on the right as R's are.
fn cut(arguments: &mut Arguments<'_>) -> Result<Variable, Fault> {
    const BREAKS: &str = "the ends of the intervals, as in cut(x, c(0, 10, 20)) or cut(x, [-Inf, 0, Inf])";
    let of = first(arguments)?;
    if let Some((_, place)) = arguments.positional.get(1) {
        return Err(Fault::new(*place, "cut() wants the ends themselves, not how many intervals there are", BREAKS));
    }
    let (mut breaks, place) = arguments.numbers_or_list("breaks")?.ok_or_else(|| arguments.missing(BREAKS))?;
    breaks.sort_by(f64::total_cmp);
    if breaks.len() < 2 || breaks.len() > WIDEST || breaks.windows(2).any(|pair| pair[0] == pair[1]) {
        return Err(Fault::new(place, "these are not the ends of intervals", format!("from 2 to {WIDEST} numbers that differ")));
    }
    let right = arguments.flag("right")?.unwrap_or(true);
    let include_lowest = arguments.flag("include.lowest")?.unwrap_or(false);
    let labels = arguments.words("labels")?;
    let reference = reference(arguments)?;
    let contrast = contrast(arguments)?;
    arguments.finish(1, &["breaks", "right", "include.lowest", "labels", "ref", "contrast"])?;
    if let Some(labels) = labels.as_ref().filter(|labels| labels.len() + 1 != breaks.len()) {
        let what = format!("there are {} labels for {} intervals", labels.len(), breaks.len() - 1);
        return Err(Fault::new(place, what, "one for each interval"));
    }
    Ok(Variable::Cut(Cut { of, breaks, right, include_lowest, labels, reference, contrast }))
}

/// Intervals of a value that pay for themselves by what they tell about the classes.
fn mdl_bins(arguments: &mut Arguments<'_>) -> Result<Variable, Fault> {
    let of = first(arguments)?;
    let contrast = contrast(arguments)?;
    arguments.finish(1, &["contrast"])?;
    Ok(Variable::MdlBins(MdlBins { of, contrast }))
}

/// An ordered factor as R has it: polynomial contrasts over its levels.
fn ordered(arguments: &mut Arguments<'_>) -> Result<Variable, Fault> {
    let column = column(arguments)?;
    let levels = arguments.words("levels")?;
    arguments.finish(1, &["levels"])?;
    Ok(Variable::Category(Category { column, levels, reference: None, contrast: Some(Contrast::Poly) }))
}

fn column(arguments: &Arguments<'_>) -> Result<ColumnName, Fault> {
    match arguments.positional.first() {
        Some((Expr::Column(column), _)) => Ok(column.clone()),
        Some((_, place)) => Err(Fault::new(*place, "a category is a column, not arithmetic", "the name of a category column")),
        None => Err(arguments.missing("the name of a category column")),
    }
}

fn first(arguments: &Arguments<'_>) -> Result<Expr, Fault> {
    match arguments.positional.first() {
        Some((expr, _)) => Ok(expr.clone()),
        None => Err(arguments.missing("a number column or arithmetic with number columns")),
    }
}

fn poly(arguments: &mut Arguments<'_>) -> Result<Variable, Fault> {
    let of = first(arguments)?;
    let degree = arguments.whole("degree", Some(1), 1..=HIGHEST)?;
    let (degree, _) = degree.ok_or_else(|| arguments.missing("the degree, as in poly(x, 2)"))?;
    let raw = arguments.flag("raw")?.unwrap_or(false);
    arguments.finish(1, &["degree", "raw"])?;
    Ok(Variable::Poly(Poly { of, degree, raw }))
}

fn spline(arguments: &mut Arguments<'_>, natural: bool) -> Result<Variable, Fault> {
    let of = first(arguments)?;
    let df = arguments.whole("df", Some(1), 1..=WIDEST)?;
    let knots = arguments.numbers("knots")?;
    let degree = if natural { None } else { arguments.whole("degree", None, 1..=HIGHEST)? };
    let degree = degree.map_or(3, |(degree, _)| degree);
    arguments.finish(1, if natural { &["df", "knots"] } else { &["df", "knots", "degree"] })?;
    let knots = match (df, knots) {
        (Some((df, place)), None) => {
            if !natural && df < degree {
                let accepted = format!("df from {degree} up, or a smaller degree");
                return Err(Fault::new(place, format!("a spline of degree {degree} has at least {degree} columns"), accepted));
            }
            Knots::DegreesOfFreedom(df)
        }
        (None, Some((knots, place))) => Knots::At(in_order(knots, place)?),
        (Some(_), Some((_, place))) => return Err(Fault::new(place, "df and knots cannot both be given", "one of the two")),
        (None, None) => return Err(arguments.missing("df, as in bs(x, df = 5), or knots, as in bs(x, knots = c(1, 2))")),
    };
    Ok(Variable::Spline(Spline { of, natural, knots, degree }))
}

fn in_order(mut knots: Vec<f64>, place: Place) -> Result<Vec<f64>, Fault> {
    if knots.len() > WIDEST {
        return Err(Fault::new(place, format!("{} knots are too many", knots.len()), format!("up to {WIDEST}")));
    }
    knots.sort_by(f64::total_cmp);
    match knots.windows(2).any(|pair| pair[0] == pair[1]) {
        true => Err(Fault::new(place, "a knot is given twice", "knots that differ")),
        false => Ok(knots),
    }
}

fn rbf(arguments: &mut Arguments<'_>) -> Result<Variable, Fault> {
    first(arguments)?;
    if let Some((_, place)) = arguments.positional.get(MOST_COORDINATES) {
        return Err(Fault::new(*place, "the points of rbf() have too many coordinates", format!("up to {MOST_COORDINATES}")));
    }
    let of: Vec<Expr> = arguments.positional.iter().map(|(expr, _)| expr.clone()).collect();
    let count = arguments.whole("k", None, 1..=WIDEST)?;
    let points = arguments.numbers("centers")?;
    let width = arguments.positive("width")?;
    arguments.finish(of.len(), &["k", "centers", "width"])?;
    let centers = match (count, points) {
        (Some((count, _)), None) => Centers::Count(count),
        (None, Some((points, place))) => {
            if points.len() % of.len() != 0 || points.len() / of.len() > WIDEST {
                let accepted = format!("the {} coordinates of each centre one after another, up to {WIDEST} centres", of.len());
                return Err(Fault::new(place, format!("{} numbers are not the coordinates of centres", points.len()), accepted));
            }
            Centers::At(points)
        }
        (Some(_), Some((_, place))) => return Err(Fault::new(place, "k and centers cannot both be given", "one of the two")),
        (None, None) => return Err(arguments.missing("k, as in rbf(x, y, k = 9), or centers, as in rbf(x, centers = c(0, 1))")),
    };
    Ok(Variable::Rbf(Rbf { of, centers, width }))
}
