//! Reads arithmetic, comparisons and logic: `log(x + 1)`, `-0.05 * age`, `x > 2 & !(sex == "f")`, `ward in ["a", "b"]`. A Pratt parser; powers
//! group to the right.

use super::Place;
use super::arguments;
use super::expr::{COMPARISON, ColumnName, Expr, Function, NEGATIVE, NOT, Operator};
use super::fault::Fault;
use super::token::Token;
use super::variable::Word;
use super::words::{Words, is_too_deep, too_deep};

const ACCEPTED: &str = "a column, a number, or a function such as log(x)";
const CONTINUED: &str = "an operator (+ - * / ^ < > == & |) or `)`";

/// A value and the depth of its tree.
struct Measured {
    expr: Expr,
    depth: usize,
}

/// Reads a value up to a word that cannot continue it.
pub(super) fn value(words: &mut Words<'_>) -> Result<Expr, Fault> {
    let expr = binding_at_least(words, 0)?.expr;
    check_texts(&expr)?;
    Ok(expr)
}

/// A text is no value: it stands beside a column, for equality.
fn check_texts(expr: &Expr) -> Result<(), Fault> {
    let equality = "a text is compared with a column by == or !=, as in sex == \"f\"";
    match expr {
        Expr::Text(text) => Err(Fault::new(text.place, "a text is no value", equality)),
        Expr::Number(_) | Expr::Column(_) => Ok(()),
        Expr::Negative(inner) | Expr::Not(inner) | Expr::Call(_, inner) => check_texts(inner),
        Expr::Binary(Operator::Equal | Operator::Unequal, left, right) => match (&**left, &**right) {
            (Expr::Column(_), Expr::Text(_)) | (Expr::Text(_), Expr::Column(_)) => Ok(()),
            (left, right) => check_texts(left).and_then(|()| check_texts(right)),
        },
        Expr::Binary(_, left, right) => check_texts(left).and_then(|()| check_texts(right)),
    }
}

fn binding_at_least(words: &mut Words<'_>, least: u8) -> Result<Measured, Fault> {
    words.encode()?;
    let start = words.place();
    let mut left = measured_operand(words)?;
    let mut compared = false;
    loop {
        if COMPARISON >= least && *words.peek() == Token::Name("in".into()) {
            words.take();
            left = among(words, left, start)?;
            continue;
        }
        let Token::Sign(sign) = words.peek() else { break };
        let Some(operator) = Operator::of_sign(*sign).filter(|operator| operator.binding() >= least) else { break };
        if operator.compares() && compared {
            return Err(words.unexpected("one comparison at a time, as in x > 1 & x < 3"));
        }
        compared = operator.compares();
        words.take();
        // The exponent may have a minus sign of its own, and powers group to the right.
        let needed = if operator == Operator::Power { NEGATIVE } else { operator.binding() + 1 };
        let right = binding_at_least(words, needed)?;
        let depth = 1 + left.depth.max(right.depth);
        left = measured(Expr::Binary(operator, Box::new(left.expr), Box::new(right.expr)), depth, start)?;
    }
    words.leave();
    Ok(left)
}

/// `x in ["a", "b"]`: equal to one of them.
fn among(words: &mut Words<'_>, left: Measured, start: Place) -> Result<Measured, Fault> {
    let mut all: Option<Measured> = None;
    for (item, place) in arguments::values(words)? {
        let equal = Expr::Binary(Operator::Equal, Box::new(left.expr.clone()), Box::new(item));
        all = Some(match all {
            None => measured(equal, left.depth + 1, place)?,
            Some(Measured { expr, depth }) => {
                let either = Expr::Binary(Operator::Or, Box::new(expr), Box::new(equal));
                measured(either, 1 + depth.max(left.depth + 1), start)?
            }
        });
    }
    all.ok_or_else(|| words.unexpected("a list such as [\"a\", \"b\"]"))
}

fn measured(expr: Expr, depth: usize, place: Place) -> Result<Measured, Fault> {
    match is_too_deep(depth) {
        true => Err(too_deep(place)),
        false => Ok(Measured { expr, depth }),
    }
}

/// Reads one operand alone: what follows a call in a formula is no arithmetic.
pub(super) fn operand(words: &mut Words<'_>) -> Result<Expr, Fault> {
    let expr = measured_operand(words)?.expr;
    check_texts(&expr)?;
    Ok(expr)
}

fn measured_operand(words: &mut Words<'_>) -> Result<Measured, Fault> {
    match (words.peek(), words.peek_second()) {
        (Token::Sign('-'), _) => {
            let (_, place) = words.take();
            let inner = binding_at_least(words, NEGATIVE)?;
            measured(Expr::Negative(Box::new(inner.expr)), inner.depth + 1, place)
        }
        (Token::Sign('+'), _) => {
            words.take();
            binding_at_least(words, NEGATIVE)
        }
        (Token::Sign('!'), _) => {
            let (_, place) = words.take();
            let inner = binding_at_least(words, NOT)?;
            measured(Expr::Not(Box::new(inner.expr)), inner.depth + 1, place)
        }
        (Token::Text(text), _) => {
            let (_, place) = words.take();
            Ok(Measured { expr: Expr::Text(Word { text: text.clone(), place }), depth: 1 })
        }
        (Token::Sign('('), _) => {
            words.take();
            in_parentheses(words)
        }
        (Token::Number(value), _) => {
            words.take();
            Ok(Measured { expr: Expr::Number(*value), depth: 1 })
        }
        (Token::Name(name), Token::Sign('(')) => call(words, name),
        (Token::Name(name), _) => {
            let (_, place) = words.take();
            Ok(Measured { expr: Expr::Column(ColumnName { name: name.clone(), place }), depth: 1 })
        }
        _ => Err(words.unexpected(ACCEPTED)),
    }
}

/// A value up to the closing parenthesis, the opening one being taken.
fn in_parentheses(words: &mut Words<'_>) -> Result<Measured, Fault> {
    let inner = binding_at_least(words, 0)?;
    words.expect(')', CONTINUED)?;
    Ok(inner)
}

fn call(words: &mut Words<'_>, name: &str) -> Result<Measured, Fault> {
    let (_, place) = words.take();
    let function = Function::of_name(name);
    if function.is_none() && name != "I" {
        if super::call::NAMES.contains(&name) {
            let what = format!("{name}() is no number and cannot be part of arithmetic");
            return Err(Fault::new(place, what, "it stands between the + - * : of the formula"));
        }
        let known: Vec<String> = Function::ALL.iter().map(|f| f.name().to_owned()).chain(["I".to_owned()]).collect();
        return Err(Fault::unknown(place, "function", name, &known));
    }
    words.take();
    if *words.peek() == Token::Sign(')') {
        return Err(words.unexpected(ACCEPTED));
    }
    let inner = binding_at_least(words, 0)?;
    if *words.peek() == Token::Sign(',') {
        return Err(Fault::new(
            words.place(),
            format!("{name}() takes one argument"),
            "log2(), log10() and log1p() are functions of their own",
        ));
    }
    words.expect(')', CONTINUED)?;
    match function {
        Some(function) => measured(Expr::Call(function, Box::new(inner.expr)), inner.depth + 1, place),
        None => Ok(inner),
    }
}
