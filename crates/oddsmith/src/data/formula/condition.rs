//! Which rows are read: `age >= 20 & smoke == "yes"`, in the language of formulas.
//!
//! A row counts when the condition is true. Where a value is missing a comparison is neither true nor false, and logic goes on from there as
//! R's and SQL's does: `FALSE & NA` is false, `TRUE | NA` is true, everything else with it is not known, and a row for which the condition is
//! not known does not count.

use std::fmt;

use super::expr::{Expr, Operator, ReadAs};
use super::token::{Token, tokens};
use super::words::Words;
use super::{ColumnName, arithmetic};
use crate::error::{Error, Result};

/// A condition on the columns of a row.
#[derive(Debug, Clone, PartialEq)]
pub struct Condition {
    text: String,
    expr: Expr,
}

/// The cells of a batch of rows, as a condition asks for them. What is not known is NaN.
pub trait ConditionCells {
    /// Number of rows.
    fn rows(&self) -> usize;

    /// A column as numbers.
    fn numbers(&mut self, column: &str) -> Result<Vec<f64>>;

    /// 1 where the cell of a column is this text, 0 where it is another one.
    fn equal(&mut self, column: &str, text: &str) -> Result<Vec<f64>>;

    /// 1 where a column is true, 0 where it is false.
    fn truths(&mut self, column: &str) -> Result<Vec<f64>>;
}

impl Condition {
    /// Reads a condition. An error shows the place.
    pub fn parse(text: &str) -> Result<Condition> {
        let read = || {
            let tokens = tokens(text)?;
            let mut words = Words::new(text, &tokens);
            let expr = arithmetic::value(&mut words)?;
            match words.peek() {
                Token::End => Ok(expr),
                Token::Sign('=') => Err(words.unexpected("equality is written with two signs, as in sex == \"f\"")),
                _ => Err(words.unexpected("a comparison (< <= > >= == !=) or logic (& | !)")),
            }
        };
        let expr = read().map_err(|fault| fault.within(text))?;
        if !expr.is_logical() && !matches!(expr, Expr::Column(_)) {
            return Err(Error::option("where", text, "a comparison such as age >= 20, which is true or false"));
        }
        Ok(Condition { text: text.to_owned(), expr })
    }

    /// The condition as it was written.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The columns that it names, in order of first use.
    pub fn columns(&self) -> Vec<String> {
        let mut names: Vec<String> = Vec::new();
        self.expr.visit_columns(&mut |column| {
            if !names.contains(&column.name) {
                names.push(column.name.clone());
            }
        });
        names
    }

    /// The error of a column that does not exist, shown at its place; `None` for a column that the condition does not name.
    pub fn unknown_column(&self, name: &str, known: &[String]) -> Option<Error> {
        let mut found: Option<&ColumnName> = None;
        self.expr.visit_columns(&mut |column| found = found.or((column.name == name).then_some(column)));
        found.map(|column| super::Fault::unknown(column.place, "column", name, known).within(&self.text))
    }

    /// This condition and another one.
    #[must_use]
    pub fn and(&self, other: &Condition) -> Condition {
        let expr = Expr::Binary(Operator::And, Box::new(self.expr.clone()), Box::new(other.expr.clone()));
        Condition { text: expr.to_string(), expr }
    }

    /// The condition that a column has this text.
    pub fn equals(column: &str, text: &str) -> Condition {
        let column = ColumnName { name: column.to_owned(), place: super::Place::default() };
        let text = super::Word { text: text.to_owned(), place: super::Place::default() };
        let expr = Expr::Binary(Operator::Equal, Box::new(Expr::Column(column)), Box::new(Expr::Text(text)));
        Condition { text: expr.to_string(), expr }
    }

    /// Which rows of a batch count.
    pub fn holds(&self, cells: &mut dyn ConditionCells) -> Result<Vec<bool>> {
        Ok(values(&self.expr, ReadAs::Truth, cells)?.into_iter().map(|truth| truth != 0.0 && !truth.is_nan()).collect())
    }
}

impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// The value of every row.
fn values(expr: &Expr, read: ReadAs, cells: &mut dyn ConditionCells) -> Result<Vec<f64>> {
    Ok(match expr {
        Expr::Number(value) => vec![*value; cells.rows()],
        Expr::Column(column) if read == ReadAs::Truth => cells.truths(&column.name)?,
        Expr::Column(column) => cells.numbers(&column.name)?,
        Expr::Text(_) => return Err(Error::internal("a text stands where a value should")),
        Expr::Negative(inner) => each(values(inner, ReadAs::Number, cells)?, |x| -x),
        Expr::Call(function, inner) => each(values(inner, ReadAs::Number, cells)?, |x| function.of(x)),
        Expr::Not(inner) => each(values(inner, ReadAs::Truth, cells)?, |x| if x.is_nan() { x } else { f64::from(u8::from(x == 0.0)) }),
        Expr::Binary(operator, left, right) => match (&**left, &**right) {
            (Expr::Column(column), Expr::Text(text)) | (Expr::Text(text), Expr::Column(column)) => {
                let equal = cells.equal(&column.name, &text.text)?;
                if *operator == Operator::Equal { equal } else { each(equal, |x| 1.0 - x) }
            }
            (left, right) => {
                let read = if matches!(operator, Operator::And | Operator::Or) { ReadAs::Truth } else { ReadAs::Number };
                let mut left = values(left, read, cells)?;
                let right = values(right, read, cells)?;
                left.iter_mut().zip(right).for_each(|(left, right)| *left = combined(*operator, *left, right));
                left
            }
        },
    })
}

fn each(mut values: Vec<f64>, of: impl Fn(f64) -> f64) -> Vec<f64> {
    values.iter_mut().for_each(|value| *value = of(*value));
    values
}

/// The value of two values, of which NaN is not known.
fn combined(operator: Operator, left: f64, right: f64) -> f64 {
    match operator {
        Operator::And if left == 0.0 || right == 0.0 => 0.0,
        Operator::Or if [left, right].iter().any(|side| *side != 0.0 && !side.is_nan()) => 1.0,
        _ if operator.is_logical() && (left.is_nan() || right.is_nan()) => f64::NAN,
        _ => operator.of(left, right),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Four rows: x is 1, 2, 3 and missing; g is a, b, missing and a; f is true, false, missing and true.
    struct Four;

    impl ConditionCells for Four {
        fn rows(&self) -> usize {
            4
        }
        fn numbers(&mut self, column: &str) -> Result<Vec<f64>> {
            assert_eq!(column, "x");
            Ok(vec![1.0, 2.0, 3.0, f64::NAN])
        }
        fn equal(&mut self, column: &str, text: &str) -> Result<Vec<f64>> {
            assert_eq!(column, "g");
            let cells = [Some("a"), Some("b"), None, Some("a")];
            Ok(cells.map(|cell| cell.map_or(f64::NAN, |cell| f64::from(u8::from(cell == text)))).to_vec())
        }
        fn truths(&mut self, column: &str) -> Result<Vec<f64>> {
            assert_eq!(column, "f");
            Ok(vec![1.0, 0.0, f64::NAN, 1.0])
        }
    }

    fn rows(text: &str) -> String {
        let holds = Condition::parse(text).unwrap().holds(&mut Four).unwrap();
        holds.iter().map(|holds| if *holds { '1' } else { '0' }).collect()
    }

    #[test]
    fn rows_count_where_the_condition_is_true() {
        for (text, expected) in [
            ("x >= 2", "0110"),
            ("x > 1 & g == 'a'", "0000"),
            ("x > 1 | g == 'a'", "1111"),
            ("!(x > 1)", "1000"),
            ("!x > 1", "1000"),
            ("g != \"a\"", "0100"),
            ("'b' == g", "0100"),
            ("g in ['b', \"c\"] | x in c(1, 3)", "1110"),
            ("f", "1001"),
            ("!f", "0100"),
            ("f & x < 3", "1000"),
            ("f | x > 2", "1011"),
            ("2 * x - 1 == 3", "0100"),
            ("log(x) < 0.5 && x <= 2 || x == 3", "1010"),
            ("x ≥ 3", "0010"),
        ] {
            assert_eq!(rows(text), expected, "{text}");
            let condition = Condition::parse(text).unwrap();
            assert_eq!(rows(&condition.expr.to_string()), expected, "{text} as {}", condition.expr);
        }
    }

    #[test]
    fn what_is_no_condition_is_pointed_at() {
        for (text, part) in [
            ("x", ""),
            ("x + 1", "a comparison such as age >= 20"),
            ("x = 1", "two signs"),
            ("x > 1 > 0", "one comparison at a time"),
            ("g > 'a'", "by == or !="),
            ("'a' == 'b'", "a text is no value"),
            ("x > ", "ends too early"),
            ("x in 3", "a list such as"),
            ("x > 1 ? 2", "means nothing"),
        ] {
            match Condition::parse(text) {
                Ok(_) => assert_eq!(part, "", "{text}"),
                Err(error) => assert!(!part.is_empty() && error.to_string().contains(part), "{text}: {error}"),
            }
        }
    }

    #[test]
    fn conditions_are_put_together() {
        let both = Condition::parse("x > 1 | x < 0").unwrap().and(&Condition::equals("g", "it's \"b\""));
        assert_eq!(both.text(), "(x > 1 | x < 0) & g == \"it's \\\"b\\\"\"");
        assert_eq!(Condition::parse(both.text()).unwrap(), both);
        assert_eq!(both.columns(), ["x", "g"]);
        let unknown = both.unknown_column("g", &["gg".to_owned()]).unwrap().to_string();
        assert!(unknown.contains("there is no column `g`"), "{unknown}");
    }
}
