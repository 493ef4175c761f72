//! Reads a whole formula by recursive descent, and does the algebra of its terms on the way: no tree is built, so a sum of
//! a hundred thousand columns is no deeper than a sum of two.
//!
//! ```text
//! formula := [response] "~" sum
//! sum     := ["+" | "-"] product { ("+" | "-") product }      the numbers 0 and 1 switch the intercept
//! product := cross { "*" cross }
//! cross   := power { ":" power }
//! power   := atom [ "^" whole number ]
//! atom    := name | "." | call | "(" sum ")"
//! ```

use std::collections::BTreeMap;

use super::arguments::Arguments;
use super::expr::{ColumnName, Expr};
use super::fault::Fault;
use super::terms::Terms;
use super::token::{Token, tokens};
use super::variable::Variable;
use super::words::Words;
use super::{Formula, Place, Response, arithmetic, call};
use crate::data::Role;

/// The longest formula: a hundred thousand long column names.
const LONGEST: usize = 1 << 24;

/// The highest power of a sum of terms.
const HIGHEST_POWER: f64 = 64.0;

const TILDE: &str = "`~` between the target and the predictors, as in y ~ a + b";
const PREDICTOR: &str = "a column, a function of columns, `(` or `.`";

struct Parser<'a> {
    words: Words<'a>,
    variables: Vec<Variable>,
    /// Numbers of the variables by their canonical text.
    numbers: BTreeMap<String, usize>,
    offsets: Vec<Vec<Expr>>,
    keys: Vec<(Role, ColumnName)>,
    intercept: bool,
    /// False on the right of a minus sign, where 1 takes the intercept away and 0 brings it back.
    adding: bool,
    /// The columns that `.` stands for.
    others: Option<&'a [String]>,
    dotted: bool,
}

/// Reads a formula; `others` are the columns that `.` stands for, where they are known.
pub(super) fn parse(text: &str, others: Option<&[String]>) -> Result<Formula, Fault> {
    if text.len() > LONGEST {
        let place = Place { start: 0, end: 0 };
        return Err(Fault::new(place, format!("the formula has {} bytes", text.len()), format!("up to {LONGEST}")));
    }
    let tokens = tokens(text)?;
    let mut parser = Parser {
        words: Words::new(text, &tokens),
        variables: Vec::new(),
        numbers: BTreeMap::new(),
        offsets: Vec::new(),
        keys: Vec::new(),
        intercept: true,
        adding: true,
        others,
        dotted: false,
    };
    let response = parser.response()?;
    parser.words.expect('~', TILDE)?;
    let terms = if *parser.words.peek() == Token::End { return Err(parser.words.unexpected(PREDICTOR)) } else { parser.sum()? };
    if *parser.words.peek() != Token::End {
        return Err(parser.misplaced());
    }
    let formula = Formula {
        text: text.to_owned(),
        dotted: parser.dotted.then(|| Formula::spaced(text, &tokens)),
        response,
        intercept: parser.intercept,
        variables: parser.variables,
        terms: terms.by_degree(),
        offsets: parser.offsets,
        keys: parser.keys,
    };
    formula.check()?;
    Ok(formula.compact())
}

impl Parser<'_> {
    fn response(&mut self) -> Result<Response, Fault> {
        match (self.words.peek(), self.words.peek_second()) {
            (Token::Sign('~'), _) => Ok(Response::None),
            (Token::Name(name), Token::Sign('~')) => {
                let (_, place) = self.words.take();
                Ok(Response::Column(ColumnName { name: name.clone(), place }))
            }
            (Token::Name(name), Token::Sign('(')) if name == "cbind" => {
                self.words.take();
                let mut arguments = Arguments::read(&mut self.words, "cbind")?;
                arguments.finish(2, &[])?;
                match (arguments.positional.pop(), arguments.positional.pop()) {
                    (Some((failures, _)), Some((successes, _))) => Ok(Response::Grouped { successes, failures }),
                    _ => Err(arguments.missing("cbind(successes, failures)")),
                }
            }
            _ => {
                let start = self.words.place();
                let value = arithmetic::value(&mut self.words)?;
                if *self.words.peek() != Token::Sign('~') {
                    return Err(self.words.unexpected(TILDE));
                }
                match value {
                    Expr::Binary(super::Operator::Divide, successes, trials) => {
                        Ok(Response::Proportion { successes: *successes, trials: *trials })
                    }
                    _ => {
                        let accepted = "a column, cbind(successes, failures) or successes/trials";
                        Err(Fault::new(start.to(self.words.last_place()), "this cannot be a target", accepted))
                    }
                }
            }
        }
    }

    fn sum(&mut self) -> Result<Terms, Fault> {
        self.words.encode()?;
        let mut terms = Terms::default();
        let mut negative = match self.words.peek() {
            Token::Sign(sign @ ('+' | '-')) => {
                self.words.take();
                *sign == '-'
            }
            _ => false,
        };
        loop {
            let place = self.words.place();
            if negative {
                self.adding = !self.adding;
                let removed = self.summand();
                self.adding = !self.adding;
                terms.remove(&removed?);
            } else {
                let added = self.summand()?;
                terms.add(added, place)?;
            }
            match self.words.peek() {
                Token::Sign(sign @ ('+' | '-')) => {
                    self.words.take();
                    negative = *sign == '-';
                }
                _ => break,
            }
        }
        self.words.leave();
        Ok(terms)
    }

    /// A product, an offset, a key, or a number that switches the intercept.
    fn summand(&mut self) -> Result<Terms, Fault> {
        match (self.words.peek(), self.words.peek_second()) {
            (Token::Number(value), next) => {
                let place = self.words.place();
                let alone = matches!(next, Token::End | Token::Sign('+' | '-' | ')'));
                if !alone || !(*value == 0.0 || *value == 1.0) {
                    let accepted = "0 or 1 to switch the intercept; arithmetic stands in I(), as in I(2 * x)";
                    return Err(Fault::new(place, "a number is no predictor", accepted));
                }
                self.words.take();
                self.intercept = (*value == 1.0) == self.adding;
                Ok(Terms::default())
            }
            (Token::Name(name), Token::Sign('(')) if name == "offset" => self.offset(),
            (Token::Name(name), Token::Sign('(')) => match Role::of_function(name) {
                Some(role) => self.key(role),
                None => self.product(),
            },
            _ => self.product(),
        }
    }

    fn offset(&mut self) -> Result<Terms, Fault> {
        let (_, place) = self.words.take();
        if !self.adding {
            return Err(Fault::new(place, "an offset cannot be taken away", "+ offset(…)"));
        }
        let arguments = Arguments::read(&mut self.words, "offset")?;
        arguments.finish(usize::MAX, &[])?;
        if arguments.positional.is_empty() {
            return Err(arguments.missing("a number column or arithmetic"));
        }
        let parts = arguments.positional.into_iter().map(|(part, _)| part).collect();
        if !self.offsets.contains(&parts) {
            self.offsets.push(parts);
        }
        self.no_part_of_a_term("an offset is added as it is: `+`, `-` or the end")
    }

    /// `strata(x)` or `cluster(x)`: a column by which rows belong together.
    fn key(&mut self, role: Role) -> Result<Terms, Fault> {
        let (function, (_, place)) = (role.option(), self.words.take());
        if !self.adding {
            return Err(Fault::new(place, format!("{function}() cannot be taken away"), format!("+ {function}(…)")));
        }
        let mut arguments = Arguments::read(&mut self.words, function)?;
        arguments.finish(1, &[])?;
        let column = match arguments.positional.pop() {
            Some((Expr::Column(column), _)) => column,
            Some((_, place)) => {
                return Err(Fault::new(place, format!("{function}() takes a column, not arithmetic"), "the name of a column"));
            }
            None => return Err(arguments.missing("the name of a column")),
        };
        match self.keys.iter().find(|(known, _)| *known == role) {
            None => self.keys.push((role, column)),
            Some((_, known)) if known.name == column.name => {}
            Some(_) => return Err(Fault::new(column.place, format!("there is another {function}() already"), "one column")),
        }
        self.no_part_of_a_term(&format!("{function}() is added as it is: `+`, `-` or the end"))
    }

    /// Nothing to add to the terms, and nothing that would make a product of it.
    fn no_part_of_a_term(&self, accepted: &str) -> Result<Terms, Fault> {
        match self.words.peek() {
            Token::End | Token::Sign('+' | '-' | ')') => Ok(Terms::default()),
            _ => Err(self.words.unexpected(accepted)),
        }
    }

    fn product(&mut self) -> Result<Terms, Fault> {
        let mut terms = self.cross()?;
        while self.words.take_sign('*') {
            let place = self.words.last_place();
            let right = self.cross()?;
            let products = terms.cross(&right, place)?;
            terms.add(right, place)?;
            terms.add(products, place)?;
        }
        Ok(terms)
    }

    fn cross(&mut self) -> Result<Terms, Fault> {
        let mut terms = self.power()?;
        while self.words.take_sign(':') {
            let place = self.words.last_place();
            terms = terms.cross(&self.power()?, place)?;
        }
        Ok(terms)
    }

    fn power(&mut self) -> Result<Terms, Fault> {
        let start = self.words.place();
        let is_sum = matches!(self.words.peek(), Token::Sign('(') | Token::Dot);
        let terms = self.atom()?;
        if !self.words.take_sign('^') {
            return Ok(terms);
        }
        let (token, place) = self.words.take();
        if !is_sum {
            let written = self.words.text_at(start.to(place)).to_owned();
            let accepted = format!("I({written}) for the power of a number, poly(x, 2) for powers up to it, (a + b)^2 for interactions");
            return Err(Fault::new(
                start.to(place),
                "`^` between the terms of a formula makes interactions, and this has one term",
                accepted,
            ));
        }
        match token {
            Token::Number(power) if power.fract() == 0.0 && (1.0..=HIGHEST_POWER).contains(power) => terms.power(*power as usize, place),
            _ => Err(Fault::new(place, "a sum of terms has no such power", format!("a whole number from 1 to {HIGHEST_POWER}"))),
        }
    }

    fn atom(&mut self) -> Result<Terms, Fault> {
        match (self.words.peek(), self.words.peek_second()) {
            (Token::Sign('('), _) => {
                self.words.take();
                let terms = self.sum()?;
                if !self.words.take_sign(')') {
                    return Err(self.misplaced());
                }
                Ok(terms)
            }
            (Token::Dot, _) => {
                let (_, place) = self.words.take();
                let Some(others) = self.others else {
                    self.dotted = true;
                    return Ok(Terms::default());
                };
                let mut terms = Terms::default();
                for name in others {
                    let variable = self.number_of(Variable::Column(ColumnName { name: name.clone(), place }));
                    terms.add(Terms::of(variable), place)?;
                }
                Ok(terms)
            }
            (Token::Name(name), Token::Sign('(')) => {
                let start = self.words.place();
                let variable = call::variable(&mut self.words, name)?;
                let mut columns = 0;
                variable.visit_columns(&mut |_| columns += 1);
                if columns == 0 {
                    let place = start.to(self.words.last_place());
                    return Err(Fault::new(place, "this is the same for every row", "arithmetic with at least one column"));
                }
                Ok(Terms::of(self.number_of(variable)))
            }
            (Token::Name(name), _) => {
                let (_, place) = self.words.take();
                Ok(Terms::of(self.number_of(Variable::Column(ColumnName { name: name.clone(), place }))))
            }
            _ => Err(self.words.unexpected(PREDICTOR)),
        }
    }

    fn number_of(&mut self, variable: Variable) -> usize {
        let next = self.variables.len();
        let number = *self.numbers.entry(variable.to_string()).or_insert(next);
        if number == next {
            self.variables.push(variable);
        }
        number
    }

    /// The fault of a word that continues no sum.
    fn misplaced(&self) -> Fault {
        match self.words.peek() {
            Token::Sign('/') => self.words.unexpected("arithmetic stands in I(), as in I(x/10); a/b as nesting is a + a:b"),
            Token::Sign('~') => self.words.unexpected("one `~`"),
            _ => self.words.unexpected("an operator: + - * : ^"),
        }
    }
}
