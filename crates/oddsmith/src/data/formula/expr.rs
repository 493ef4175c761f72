//! Arithmetic, comparisons and logic on columns, as they stand inside `I()`, `log()`, `offset()` and the other functions. What is true is 1,
//! what is not is 0.

use std::fmt;

use super::Place;
use super::token::{in_quotes, written};
use super::variable::Word;

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
    /// a < b
    Less,
    /// a ≤ b
    AtMost,
    /// a > b
    Greater,
    /// a ≥ b
    AtLeast,
    /// a == b
    Equal,
    /// a != b
    Unequal,
    /// a & b
    And,
    /// a | b
    Or,
}

/// Every sign: how it is read, how it is written, and how tightly it binds.
const SIGNS: [(Operator, char, &str, u8); 13] = [
    (Operator::Or, '|', " | ", 1),
    (Operator::And, '&', " & ", 2),
    (Operator::Less, '<', " < ", COMPARISON),
    (Operator::AtMost, '≤', " <= ", COMPARISON),
    (Operator::Greater, '>', " > ", COMPARISON),
    (Operator::AtLeast, '≥', " >= ", COMPARISON),
    (Operator::Equal, '≡', " == ", COMPARISON),
    (Operator::Unequal, '≠', " != ", COMPARISON),
    (Operator::Add, '+', " + ", 5),
    (Operator::Subtract, '-', " - ", 5),
    (Operator::Multiply, '*', " * ", 6),
    (Operator::Divide, '/', "/", 6),
    (Operator::Power, '^', "^", 8),
];

/// How tightly `!` binds: less than comparisons, so that `!x > 2` is the contrary of `x > 2`.
pub(super) const NOT: u8 = 3;
/// How tightly comparisons bind.
pub(super) const COMPARISON: u8 = 4;
/// How tightly a minus sign in front binds.
pub(super) const NEGATIVE: u8 = 7;

impl Operator {
    fn sign(self) -> (Operator, char, &'static str, u8) {
        // Every operator stands in the table.
        SIGNS.into_iter().find(|(operator, ..)| *operator == self).unwrap_or(SIGNS[0])
    }

    /// How tightly it binds: logic, comparisons, sums, products, then powers; a minus sign in front binds between the last two.
    pub(super) fn binding(self) -> u8 {
        self.sign().3
    }

    pub(super) fn of_sign(sign: char) -> Option<Self> {
        SIGNS.into_iter().find(|(_, read, ..)| *read == sign).map(|(operator, ..)| operator)
    }

    /// Whether it compares two values.
    pub fn compares(self) -> bool {
        self.binding() == COMPARISON
    }

    /// Whether the result is 0 or 1.
    pub fn is_logical(self) -> bool {
        self.binding() <= COMPARISON
    }

    /// The value.
    #[inline]
    pub fn of(self, left: f64, right: f64) -> f64 {
        let truth = |truth: bool| f64::from(u8::from(truth));
        match self {
            Operator::Add => left + right,
            Operator::Subtract => left - right,
            Operator::Multiply => left * right,
            Operator::Divide => left / right,
            Operator::Power if right == 2.0 => left * left,
            Operator::Power => left.powf(right),
            Operator::Less => truth(left < right),
            Operator::AtMost => truth(left <= right),
            Operator::Greater => truth(left > right),
            Operator::AtLeast => truth(left >= right),
            Operator::Equal => truth(left == right),
            Operator::Unequal => truth(left != right),
            Operator::And => truth(left != 0.0 && right != 0.0),
            Operator::Or => truth(left != 0.0 || right != 0.0),
        }
    }
}

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

/// What a column is to a value: read as a number, as a label that a text is compared with, or as true or false.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReadAs {
    /// A number.
    Number,
    /// A label.
    Label,
    /// True or false: a boolean, or a number that is 0 or not.
    Truth,
}

/// A value computed from columns. Its depth is limited by the parser, so that it can be walked by recursion.
#[derive(Debug, Clone, PartialEq)]
pub enum Expr {
    /// A constant.
    Number(f64),
    /// A column.
    Column(ColumnName),
    /// A text that a column is compared with.
    Text(Word),
    /// −x
    Negative(Box<Expr>),
    /// !x
    Not(Box<Expr>),
    /// Two values and a sign.
    Binary(Operator, Box<Expr>, Box<Expr>),
    /// A function of a value.
    Call(Function, Box<Expr>),
}

impl Expr {
    /// Gives every column to `seen`, from left to right.
    pub fn visit_columns<'a>(&'a self, seen: &mut dyn FnMut(&'a ColumnName)) {
        self.visit_reads(ReadAs::Number, &mut |column, _| seen(column));
    }

    /// Gives every column to `seen` with how it is read; `outer` is how this value itself is.
    pub(crate) fn visit_reads<'a>(&'a self, outer: ReadAs, seen: &mut dyn FnMut(&'a ColumnName, ReadAs)) {
        match self {
            Expr::Number(_) | Expr::Text(_) => {}
            Expr::Column(column) => seen(column, outer),
            Expr::Negative(inner) | Expr::Call(_, inner) => inner.visit_reads(ReadAs::Number, seen),
            Expr::Not(inner) => inner.visit_reads(ReadAs::Truth, seen),
            Expr::Binary(operator, left, right) => {
                let inner = match operator {
                    Operator::And | Operator::Or => ReadAs::Truth,
                    _ if matches!((&**left, &**right), (Expr::Text(_), _) | (_, Expr::Text(_))) => ReadAs::Label,
                    _ => ReadAs::Number,
                };
                left.visit_reads(inner, seen);
                right.visit_reads(inner, seen);
            }
        }
    }

    /// Whether the value is 0 or 1 whatever the columns hold.
    pub fn is_logical(&self) -> bool {
        match self {
            Expr::Not(_) => true,
            Expr::Binary(operator, ..) => operator.is_logical(),
            _ => false,
        }
    }

    fn binding(&self) -> u8 {
        match self {
            Expr::Binary(operator, ..) => operator.binding(),
            Expr::Negative(_) => NEGATIVE,
            Expr::Not(_) => NOT,
            Expr::Number(_) | Expr::Column(_) | Expr::Text(_) | Expr::Call(..) => u8::MAX,
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
            Expr::Text(word) => f.write_str(&in_quotes(&word.text, '"')),
            Expr::Not(inner) => {
                f.write_str("!")?;
                inner.write(f, NOT)
            }
            Expr::Binary(operator, left, right) => {
                let (_, _, sign, binding) = operator.sign();
                // Powers group to the right, comparisons not at all, everything else to the left; an exponent may have a minus sign.
                let (to_left, to_right) = match operator {
                    Operator::Power => (binding + 1, NEGATIVE),
                    _ if operator.compares() => (binding + 1, binding + 1),
                    _ => (binding, binding + 1),
                };
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
