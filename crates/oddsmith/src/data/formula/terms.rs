//! Sets of terms and their algebra. A term is a set of variables; `a*b` is `a + b + a:b`, and `(a + b + c)^2` holds all
//! products of up to two of them.

use std::collections::BTreeSet;

use super::Place;
use super::fault::Fault;

/// The most terms of a formula, and the most products formed on the way: `.^3` over many columns ends here, not in memory.
const MOST: usize = 1 << 18;

/// A term: numbers of its variables in rising order.
pub(super) type Term = Vec<usize>;

/// Terms in the order in which they were first written, each once.
#[derive(Debug, Clone, Default)]
pub(super) struct Terms {
    list: Vec<Term>,
    known: BTreeSet<Term>,
}

impl Terms {
    /// The term of one variable.
    pub(super) fn of(variable: usize) -> Self {
        let mut terms = Terms::default();
        terms.insert(vec![variable]);
        terms
    }

    fn insert(&mut self, term: Term) {
        if self.known.insert(term.clone()) {
            self.list.push(term);
        }
    }

    /// Number of terms.
    pub(super) fn len(&self) -> usize {
        self.list.len()
    }

    /// `self + other`.
    pub(super) fn add(&mut self, other: Terms, place: Place) -> Result<(), Fault> {
        other.list.into_iter().for_each(|term| self.insert(term));
        limited(self.len(), place)
    }

    /// `self - other`.
    pub(super) fn remove(&mut self, other: &Terms) {
        self.list.retain(|term| !other.known.contains(term));
        self.known = self.list.iter().cloned().collect();
    }

    /// `self : other`, the products of all pairs.
    pub(super) fn cross(&self, other: &Terms, place: Place) -> Result<Terms, Fault> {
        limited(self.len().saturating_mul(other.len()), place)?;
        let mut products = Terms::default();
        for left in &self.list {
            for right in &other.list {
                let union: BTreeSet<usize> = left.iter().chain(right).copied().collect();
                products.insert(union.into_iter().collect());
            }
        }
        Ok(products)
    }

    /// `self ^ power`.
    pub(super) fn power(&self, power: usize, place: Place) -> Result<Terms, Fault> {
        let mut all = self.clone();
        for _ in 1..power {
            let before = all.len();
            let products = all.cross(self, place)?;
            all.add(products, place)?;
            if all.len() == before {
                break;
            }
        }
        Ok(all)
    }

    /// The terms with fewer variables first, otherwise as they were written.
    pub(super) fn by_degree(self) -> Vec<Term> {
        let mut list = self.list;
        list.sort_by_key(Vec::len);
        list
    }
}

fn limited(count: usize, place: Place) -> Result<(), Fault> {
    match count > MOST {
        true => Err(Fault::new(place, "the formula has too many terms", format!("up to {MOST}"))),
        false => Ok(()),
    }
}
