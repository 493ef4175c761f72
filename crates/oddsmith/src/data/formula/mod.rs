//! Formulas: `low ~ age + C(race, ref = white) * smoke + offset(log(t)) - 1`.
//!
//! A formula is read once into its response, its variables and its terms; every part keeps its place in the text, so that
//! whatever is found wrong later, such as a column that does not exist, is shown under the formula
//! ([`crate::ErrorKind::Formula`]).
//!
//! The order of things is R's: variables are numbered as they appear, the variables of a term stand in that order, and terms
//! with fewer variables come first.
//!
//! ```text
//! Formula::parse(text: &str) -> Result<Formula>                    "y ~ a*b", "~ a + b", "y ~ ."
//! Formula::of_columns(target: &str, columns: &[String]) -> Formula  additive in all columns
//! Formula::expand_dot(&self, others: &[String]) -> Result<Formula>  what `.` stands for
//! Formula::response(&self) -> &Response                             None, Column, Grouped, Proportion
//! Formula::columns(&self) -> Vec<String>                            raw columns of the predictors and offsets
//! Formula::keys(&self) -> &[(Role, ColumnName)]                     columns of strata() and cluster()
//! Formula::categories(&self) -> Vec<String>                         columns that C() wants as categories
//! Formula::numbers(&self) -> Vec<String>                            columns that arithmetic and bases want as numbers
//! ```

mod arguments;
mod arithmetic;
mod call;
mod condition;
mod expr;
mod fault;
mod parser;
mod place;
mod terms;
#[cfg(test)]
mod tests;
mod token;
mod variable;
mod words;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

pub(crate) use call::MOST_COORDINATES;
pub use condition::{Condition, ConditionCells};
pub use expr::{ColumnName, Expr, Function, Operator, ReadAs};
pub(crate) use fault::Fault;
pub use place::Place;
pub use variable::{Category, Centers, Contrast, Cut, Knots, MdlBins, Poly, Rbf, Spline, Variable, Word};

use crate::data::Role;
use crate::error::{Error, Result};
use token::Token;
use variable::column_text;

/// The left side of a formula.
#[derive(Debug, Clone, PartialEq)]
pub enum Response {
    /// Nothing stands on the left.
    None,
    /// A column of labels.
    Column(ColumnName),
    /// `cbind(successes, failures)`: counts of two outcomes per row.
    Grouped {
        /// How many succeeded.
        successes: Expr,
        /// How many failed.
        failures: Expr,
    },
    /// `successes/trials`: a count out of a number of trials per row.
    Proportion {
        /// How many succeeded.
        successes: Expr,
        /// Out of how many.
        trials: Expr,
    },
}

impl Response {
    /// The raw columns, in order of first use.
    pub fn columns(&self) -> Vec<String> {
        let mut names = Vec::new();
        self.visit_columns(&mut |column| push_new(&mut names, &column.name));
        names
    }

    fn visit_columns<'a>(&'a self, seen: &mut dyn FnMut(&'a ColumnName)) {
        match self {
            Response::None => {}
            Response::Column(column) => seen(column),
            Response::Grouped { successes, failures: other } | Response::Proportion { successes, trials: other } => {
                successes.visit_columns(seen);
                other.visit_columns(seen);
            }
        }
    }
}

impl fmt::Display for Response {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Response::None => Ok(()),
            Response::Column(column) => column.fmt(f),
            Response::Grouped { successes, failures } => write!(f, "cbind({successes}, {failures})"),
            Response::Proportion { successes, trials } => {
                Expr::Binary(Operator::Divide, Box::new(successes.clone()), Box::new(trials.clone())).fmt(f)
            }
        }
    }
}

/// A formula. Two formulas are equal when they mean the same, however they were written.
#[derive(Debug, Clone)]
pub struct Formula {
    text: String,
    /// The text of a formula whose `.` is not yet known, word by word.
    dotted: Option<String>,
    response: Response,
    intercept: bool,
    variables: Vec<Variable>,
    terms: Vec<Vec<usize>>,
    offsets: Vec<Vec<Expr>>,
    /// Columns by which rows belong together, one for each role.
    keys: Vec<(Role, ColumnName)>,
}

impl PartialEq for Formula {
    fn eq(&self, other: &Self) -> bool {
        match (&self.dotted, &other.dotted) {
            (None, None) => {
                self.response == other.response
                    && self.intercept == other.intercept
                    && self.variables == other.variables
                    && self.terms == other.terms
                    && self.offsets == other.offsets
                    && self.keys == other.keys
            }
            (mine, theirs) => mine == theirs,
        }
    }
}

impl Formula {
    /// Reads a formula. An error shows the place.
    pub fn parse(text: &str) -> Result<Formula> {
        parser::parse(text, None).map_err(|fault| fault.within(text))
    }

    /// The sum of all columns: what is meant when no formula is given.
    pub fn of_columns(target: &str, columns: &[String]) -> Formula {
        let response = Response::Column(ColumnName { name: target.to_owned(), place: Place::default() });
        let mut text = format!("{} ~ ", column_text(target));
        let mut variables = Vec::with_capacity(columns.len());
        let mut seen = BTreeSet::new();
        for name in columns.iter().filter(|name| seen.insert(name.as_str())) {
            text.push_str(if variables.is_empty() { "" } else { " + " });
            let start = text.len();
            text.push_str(&column_text(name));
            variables.push(Variable::Column(ColumnName { name: name.clone(), place: Place { start, end: text.len() } }));
        }
        if variables.is_empty() {
            text.push('1');
        }
        let terms = (0..variables.len()).map(|at| vec![at]).collect();
        Formula { text, dotted: None, response, intercept: true, variables, terms, offsets: Vec::new(), keys: Vec::new() }
    }

    /// The formula with `.` standing for all of `others` that are neither part of the response nor keys.
    pub fn expand_dot(&self, others: &[String]) -> Result<Formula> {
        if self.dotted.is_none() {
            return Ok(self.clone());
        }
        let mut taken = self.response.columns();
        taken.extend(self.keys.iter().map(|(_, column)| column.name.clone()));
        let others: Vec<String> = others.iter().filter(|name| !taken.contains(name)).cloned().collect();
        parser::parse(&self.text, Some(&others)).map_err(|fault| fault.within(&self.text))
    }

    /// Whether a `.` waits for [`Formula::expand_dot`].
    pub fn has_dot(&self) -> bool {
        self.dotted.is_some()
    }

    /// The left side.
    pub fn response(&self) -> &Response {
        &self.response
    }

    /// Whether there is an intercept.
    pub fn intercept(&self) -> bool {
        self.intercept
    }

    /// What the terms are made of, in order of first use.
    pub fn variables(&self) -> &[Variable] {
        &self.variables
    }

    /// The terms: numbers of variables in rising order; terms with fewer variables first.
    pub fn terms(&self) -> &[Vec<usize>] {
        &self.terms
    }

    /// The formula with some of its terms, by number; the response, the intercept and offsets stay.
    #[must_use]
    pub fn with_terms(&self, some: &[usize]) -> Formula {
        let used: BTreeSet<usize> = some.iter().flat_map(|&at| self.terms[at].iter().copied()).collect();
        let place: Vec<Option<usize>> = (0..self.variables.len()).map(|v| used.contains(&v).then(|| used.range(..v).count())).collect();
        let terms = some.iter().map(|&at| self.terms[at].iter().filter_map(|&v| place[v]).collect()).collect();
        Formula { variables: used.iter().map(|&v| self.variables[v].clone()).collect(), terms, ..self.clone() }
    }

    /// A term as it is written.
    pub fn term_name(&self, at: usize) -> String {
        self.terms[at].iter().map(|&v| self.variables[v].to_string()).collect::<Vec<_>>().join(":")
    }

    /// What is added to the scores as it is: one part for every class but the first, or one part for each class.
    pub fn offsets(&self) -> &[Vec<Expr>] {
        &self.offsets
    }

    /// The formula with the column as one more offset, unless it has that already.
    #[must_use]
    pub fn with_offset(mut self, column: &str) -> Formula {
        let start = self.text.len() + " + offset(".len();
        let written = column_text(column);
        let place = Place { start, end: start + written.len() };
        let parts = vec![Expr::Column(ColumnName { name: column.to_owned(), place })];
        if !self.offsets.contains(&parts) {
            self.offsets.push(parts);
            self.text.push_str(&format!(" + offset({written})"));
        }
        self
    }

    /// The column that `strata()` or `cluster()` names.
    pub fn key(&self, role: Role) -> Option<&ColumnName> {
        self.keys.iter().find(|(known, _)| *known == role).map(|(_, column)| column)
    }

    /// All columns by which rows belong together.
    pub fn keys(&self) -> &[(Role, ColumnName)] {
        &self.keys
    }

    /// The error of a key that the model of this name has no use for, shown at its place.
    pub(crate) fn unused_key(&self, role: Role, model: &str) -> Error {
        let place = self.key(role).map(|column| column.place).unwrap_or_default();
        let accepted = match role {
            Role::Stratum => "a model that compares rows within strata only",
            _ => "a model with errors by cluster",
        };
        self.error(Fault::new(place, format!("{model} takes no {}()", role.option()), accepted))
    }

    /// The formula as it was written, to which places refer.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Raw columns of predictors and offsets, in order of first use.
    pub fn columns(&self) -> Vec<String> {
        let mut seen = BTreeSet::new();
        let mut names = Vec::new();
        self.visit_columns(&mut |column| {
            if seen.insert(column.name.as_str()) {
                names.push(column.name.clone());
            }
        });
        names
    }

    /// Columns that `C()` and comparisons with texts want as categories, whatever their values look like.
    pub fn categories(&self) -> Vec<String> {
        let mut names = Vec::new();
        for variable in &self.variables {
            if let Variable::Category(category) = variable {
                push_new(&mut names, &category.column.name);
            }
        }
        self.visit_reads(&mut |column, read| {
            if read == ReadAs::Label {
                push_new(&mut names, &column.name);
            }
        });
        names
    }

    /// Columns that arithmetic, bases, offsets and counts want as numbers, whatever their values look like.
    pub fn numbers(&self) -> Vec<String> {
        let mut names = Vec::new();
        self.visit_reads(&mut |column, read| {
            if read == ReadAs::Number {
                push_new(&mut names, &column.name);
            }
        });
        if !matches!(self.response, Response::Column(_)) {
            self.response.visit_columns(&mut |column| push_new(&mut names, &column.name));
        }
        names
    }

    /// The error of a column that does not exist, shown at its place; `None` for a column that the formula does not name.
    pub fn unknown_column(&self, name: &str, known: &[String]) -> Option<Error> {
        let mut place = None;
        let mut look = |column: &ColumnName| {
            if column.name == name {
                place.get_or_insert(column.place);
            }
        };
        self.response.visit_columns(&mut look);
        self.visit_columns(&mut look);
        self.keys.iter().for_each(|(_, column)| look(column));
        place.map(|place| self.error(Fault::unknown(place, "column", name, known)))
    }

    /// Gives every column of which a value is computed, with how it is read.
    fn visit_reads<'a>(&'a self, seen: &mut dyn FnMut(&'a ColumnName, ReadAs)) {
        self.variables.iter().for_each(|variable| variable.visit_reads(seen));
        self.offsets.iter().flatten().for_each(|part| part.visit_reads(ReadAs::Number, seen));
    }

    fn visit_columns<'a>(&'a self, seen: &mut dyn FnMut(&'a ColumnName)) {
        self.variables.iter().for_each(|variable| variable.visit_columns(seen));
        self.offsets.iter().flatten().for_each(|part| part.visit_columns(seen));
    }

    /// The error of a fault in this formula.
    pub(crate) fn error(&self, fault: Fault) -> Error {
        fault.within(&self.text)
    }

    /// Refuses a response that is its own predictor.
    fn check(&self) -> Result<(), Fault> {
        let targets = self.response.columns();
        if let Some((role, column)) = self.keys.iter().find(|(_, column)| targets.contains(&column.name)) {
            return Err(Fault::new(column.place, format!("the target cannot be its own {}", role.name()), "another column"));
        }
        let mut found = None;
        self.visit_columns(&mut |column| {
            if found.is_none() && targets.contains(&column.name) {
                found = Some(Fault::new(column.place, "the target cannot be its own predictor", "another column"));
            }
        });
        found.map_or(Ok(()), Err)
    }

    /// Forgets variables whose terms were all taken away again.
    fn compact(mut self) -> Self {
        let used: BTreeSet<usize> = self.terms.iter().flatten().copied().collect();
        if used.len() < self.variables.len() {
            let numbers: BTreeMap<usize, usize> = used.iter().enumerate().map(|(new, old)| (*old, new)).collect();
            self.terms.iter_mut().flatten().for_each(|variable| *variable = numbers[variable]);
            let mut at = 0;
            self.variables.retain(|_| {
                at += 1;
                used.contains(&(at - 1))
            });
        }
        self
    }

    /// The words of a text as they were written, with single spaces between them.
    fn spaced(text: &str, tokens: &[(Token, Place)]) -> String {
        let words: Vec<&str> = tokens.iter().map(|(_, place)| &text[place.start..place.end]).filter(|word| !word.is_empty()).collect();
        words.join(" ")
    }
}

/// A formula is stored as it is written.
impl Serialize for Formula {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Formula {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        Formula::parse(&String::deserialize(deserializer)?).map_err(serde::de::Error::custom)
    }
}

impl fmt::Display for Formula {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(words) = &self.dotted {
            return f.write_str(words);
        }
        let response = self.response.to_string();
        write!(f, "{response}{}~ ", if response.is_empty() { "" } else { " " })?;
        let mut summands = self.ordered_terms();
        let joined = |parts: &[Expr]| parts.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
        summands.extend(self.offsets.iter().map(|parts| format!("offset({})", joined(parts))));
        summands.extend(self.keys.iter().map(|(role, column)| format!("{}({column})", role.option())));
        match (summands.is_empty(), self.intercept) {
            (true, intercept) => f.write_str(if intercept { "1" } else { "0" }),
            (false, intercept) => write!(f, "{}{}", summands.join(" + "), if intercept { "" } else { " - 1" }),
        }
    }
}

impl Formula {
    /// The terms as they are written, in an order that numbers the variables as they are numbered: the order in which
    /// variables are first named decides the order within `a:b`.
    fn ordered_terms(&self) -> Vec<String> {
        let names: Vec<String> = self.variables.iter().map(Variable::to_string).collect();
        let written = |term: &Vec<usize>| term.iter().map(|&v| names[v].as_str()).collect::<Vec<_>>().join(":");
        let mut descending = self.terms.clone();
        descending.sort_by_key(|term| std::cmp::Reverse(term.len()));
        for terms in [&self.terms, &descending] {
            let mut next = 0;
            let in_order = terms.iter().flatten().all(|&variable| {
                next += usize::from(variable == next);
                variable < next
            });
            if in_order {
                return terms.iter().map(written).collect();
            }
        }
        // `a + b - a - b` names the variables and leaves nothing behind.
        let naming = format!("{} - {}", names.join(" + "), names.join(" - "));
        std::iter::once(naming).chain(self.terms.iter().map(written)).collect()
    }
}

fn push_new(names: &mut Vec<String>, name: &str) {
    if !names.iter().any(|known| known == name) {
        names.push(name.to_owned());
    }
}
