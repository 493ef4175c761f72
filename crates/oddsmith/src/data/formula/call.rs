//! Reads the functions that stand between the signs of a formula: `C()`, `poly()`, `bs()`, `ns()`, `rbf()`.

use super::Place;
use super::arguments::Arguments;
use super::expr::{Expr, Function};
use super::fault::Fault;
use super::variable::{Category, Centers, Contrast, Knots, Poly, Rbf, Spline, Variable, Word};
use super::words::Words;
use super::{arithmetic, expr::ColumnName};

/// Every name that may stand before a parenthesis, apart from the functions of one value.
pub(super) const NAMES: [&str; 7] = ["I", "C", "poly", "bs", "ns", "rbf", "offset"];

/// The most columns that one basis may have.
const WIDEST: usize = 1024;

/// The most coordinates of a point.
pub(crate) const MOST_COORDINATES: usize = 16;

/// The highest degree of a polynomial: beyond it, powers of a number have no digits left.
const HIGHEST: usize = 32;

/// Reads a call, except `offset()`, from its name on.
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
    words.take();
    let mut arguments = Arguments::read(words, name)?;
    let variable = match name {
        "C" => category(&mut arguments)?,
        "poly" => poly(&mut arguments)?,
        "bs" | "ns" => spline(&mut arguments, name == "ns")?,
        _ => rbf(&mut arguments)?,
    };
    Ok(variable)
}

fn category(arguments: &mut Arguments<'_>) -> Result<Variable, Fault> {
    let column = column(arguments)?;
    let reference = arguments.word("ref")?.map(|(text, place)| Word { text, place });
    let contrast = match arguments.word("contrast")? {
        Some((name, place)) => Some(name.parse().map_err(|_| Fault::unknown(place, "contrast", &name, &Contrast::names()))?),
        None => None,
    };
    arguments.finish(1, &["ref", "contrast"])?;
    Ok(Variable::Category(Category { column, reference, contrast }))
}

fn column(arguments: &Arguments<'_>) -> Result<ColumnName, Fault> {
    match arguments.positional.first() {
        Some((Expr::Column(column), _)) => Ok(column.clone()),
        Some((_, place)) => Err(Fault::new(*place, "C() takes a column, not arithmetic", "the name of a category column")),
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
