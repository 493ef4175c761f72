//! Arithmetic on number columns, as it stands inside `I()`, `log()`, `offset()` and the other functions.

use std::fmt;

use super::Place;
use super::token::written;

/// A column named in a formula.
#[derive(Debug, Clone, PartialEq)]
pub struct ColumnName {
    /// The name.
    pub name: String,
    /// Where it stands.
    pub place: Place,
}

impl fmt::Display for ColumnName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&written(&self.name))
    }
}

/// A sign between two values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operator {
    /// a + b
    Add,
    /// a − b
    Subtract,
    /// a · b
    Multiply,
    /// a / b
    Divide,
    /// a to the power of b
    Power,
}

impl Operator {
    /// How tightly it binds: sums, products, then powers; a minus sign in front binds between the last two.
    pub(super) fn binding(self) -> u8 {
        match self {
            Operator::Add | Operator::Subtract => 1,
            Operator::Multiply | Operator::Divide => 2,
            Operator::Power => 4,
        }
    }

    pub(super) fn of_sign(sign: char) -> Option<Self> {
        Some(match sign {
            '+' => Operator::Add,
            '-' => Operator::Subtract,
            '*' => Operator::Multiply,
            '/' => Operator::Divide,
            '^' => Operator::Power,
            _ => return None,
        })
    }

    /// The value.
    #[inline]
    pub fn of(self, left: f64, right: f64) -> f64 {
        match self {
            Operator::Add => left + right,
            Operator::Subtract => left - right,
            Operator::Multiply => left * right,
            Operator::Divide => left / right,
            Operator::Power if right == 2.0 => left * left,
            Operator::Power => left.powf(right),
        }
    }
}

/// How tightly a minus sign in front binds.
pub(super) const NEGATIVE: u8 = 3;

/// A function of one value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Function {
    /// Natural logarithm.
    Log,
    /// Logarithm to base 2.
    Log2,
    /// Logarithm to base 10.
    Log10,
    /// ln(1 + x)
    Log1p,
    /// e to the power of x
    Exp,
    /// Square root.
    Sqrt,
    /// Absolute value.
    Abs,
}

impl Function {
    /// All of them.
    pub const ALL: [Function; 7] =
        [Function::Log, Function::Log2, Function::Log10, Function::Log1p, Function::Exp, Function::Sqrt, Function::Abs];

    /// The name in a formula.
    pub fn name(self) -> &'static str {
        match self {
            Function::Log => "log",
            Function::Log2 => "log2",
            Function::Log10 => "log10",
            Function::Log1p => "log1p",
            Function::Exp => "exp",
            Function::Sqrt => "sqrt",
            Function::Abs => "abs",
        }
    }

    pub(super) fn of_name(name: &str) -> Option<Self> {
        Function::ALL.into_iter().find(|function| function.name() == name)
    }

    /// The value.
    #[inline]
    pub fn of(self, x: f64) -> f64 {
        match self {
            Function::Log => x.ln(),
            Function::Log2 => x.log2(),
            Function::Log10 => x.log10(),
            Function::Log1p => x.ln_1p(),
            Function::Exp => x.exp(),
            Function::Sqrt => x.sqrt(),
            Function::Abs => x.abs(),
        }
    }
}

/// A value computed from number columns. Its depth is limited by the parser, so that it can be walked by recursion.
#[derive(Debug, Clone, PartialEq)]
pub enum Expr {
    /// A constant.
    Number(f64),
    /// A number column.
    Column(ColumnName),
    /// −x
    Negative(Box<Expr>),
    /// Two values and a sign.
    Binary(Operator, Box<Expr>, Box<Expr>),
    /// A function of a value.
    Call(Function, Box<Expr>),
}

impl Expr {
    /// Gives every column to `seen`, from left to right.
    pub fn visit_columns<'a>(&'a self, seen: &mut dyn FnMut(&'a ColumnName)) {
        match self {
            Expr::Number(_) => {}
            Expr::Column(column) => seen(column),
            Expr::Negative(inner) | Expr::Call(_, inner) => inner.visit_columns(seen),
            Expr::Binary(_, left, right) => {
                left.visit_columns(seen);
                right.visit_columns(seen);
            }
        }
    }

    fn binding(&self) -> u8 {
        match self {
            Expr::Binary(operator, ..) => operator.binding(),
            Expr::Negative(_) => NEGATIVE,
            Expr::Number(_) | Expr::Column(_) | Expr::Call(..) => u8::MAX,
        }
    }

    /// Writes the value, in parentheses where it binds less than `needed`.
    fn write(&self, f: &mut fmt::Formatter<'_>, needed: u8) -> fmt::Result {
        if self.binding() < needed {
            f.write_str("(")?;
            self.write(f, 0)?;
            return f.write_str(")");
        }
        match self {
            Expr::Number(value) => f.write_str(&constant(*value)),
            Expr::Column(column) => f.write_str(&written(&column.name)),
            Expr::Negative(inner) => {
                f.write_str("-")?;
                inner.write(f, NEGATIVE)
            }
            Expr::Binary(operator, left, right) => {
                let (sign, binding) = match operator {
                    Operator::Add => (" + ", 1),
                    Operator::Subtract => (" - ", 1),
                    Operator::Multiply => (" * ", 2),
                    Operator::Divide => ("/", 2),
                    Operator::Power => ("^", 4),
                };
                // Powers group to the right, everything else to the left; an exponent may have a minus sign.
                let (to_left, to_right) = if *operator == Operator::Power { (5, NEGATIVE) } else { (binding, binding + 1) };
                left.write(f, to_left)?;
                f.write_str(sign)?;
                right.write(f, to_right)
            }
            Expr::Call(function, inner) => {
                write!(f, "{}(", function.name())?;
                inner.write(f, 0)?;
                f.write_str(")")
            }
        }
    }
}

impl fmt::Display for Expr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write(f, 0)
    }
}

/// The shortest text that reads back as the same number.
pub(super) fn constant(value: f64) -> String {
    let text = format!("{value:?}");
    text.strip_suffix(".0").map_or(text.clone(), str::to_owned)
}
