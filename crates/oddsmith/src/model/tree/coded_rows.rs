//! All rows as byte codes: what a tree is grown from where memory allows.
//!
//! A row is one byte per column and one for its class, with its weight in units where weights are given. Everything that is later
//! computed from them is a sum of whole numbers, so their order does not matter. Memory O(rows · columns) bytes.

use std::sync::Arc;

use super::code_table::CodeTable;
use super::codebook::Codebook;
use super::grower::Weights;
use crate::codec::{Codec, Encode};
use crate::data::Rows;
use crate::error::Result;
use crate::record::fault;
use crate::stats::Statistics;

/// Coded rows, one after the other.
#[derive(Debug, Clone)]
pub struct CodedRows {
    pub(super) book: Arc<Codebook>,
    pub(super) codes: Vec<u8>,
    /// Weights in units; empty where every row weighs 1.
    pub(super) weights: Vec<u64>,
    weight: f64,
}

impl CodedRows {
    /// No row yet.
    pub(super) fn new(book: Arc<Codebook>) -> Self {
        CodedRows { book, codes: Vec::new(), weights: Vec::new(), weight: 0.0 }
    }

    /// Number of rows.
    pub(super) fn len(&self) -> usize {
        self.codes.len() / self.book.stride()
    }

    /// The rows as trees are grown from them.
    pub(super) fn table(&self) -> CodeTable<'_> {
        CodeTable::new(&self.codes, self.book.stride())
    }

    /// The weights of the rows.
    pub(super) fn weights_by_place(&self) -> Weights<'_> {
        // A row stands at a place of 32 bits, so as many of weight one are counted in 32 bits.
        if self.weights.is_empty() { Weights::One } else { Weights::Units(&self.weights) }
    }
}

impl Encode for CodedRows {
    fn encode(&mut self, codec: &mut Codec<'_>) -> Result<()> {
        codec.bytes("codes", &mut self.codes)?;
        codec.count_list("weights", &mut self.weights)?;
        codec.weights("weight", std::slice::from_mut(&mut self.weight))?;
        if codec.is_reading() {
            let (book, stride) = (&self.book, self.book.stride());
            let most: Vec<usize> = (0..book.bins.width()).map(|j| book.bins.codes(j)).chain([book.class_count()]).collect();
            let known = |row: &[u8]| row.iter().zip(&most).all(|(code, most)| usize::from(*code) < *most);
            let fits = self.codes.len().is_multiple_of(stride) && self.codes.chunks_exact(stride).all(known);
            let weighs = self.weights.is_empty() || self.weights.len() == self.codes.len() / stride;
            let sum = self.weights.iter().try_fold(0u64, |sum, weight| sum.checked_add(*weight).filter(|_| *weight > 0));
            if !fits || !weighs || sum.is_none() {
                return Err(fault("coded rows have codes that no column has, or other weights than rows"));
            }
        }
        Ok(())
    }
}

impl Statistics for CodedRows {
    type Input<'a> = Rows<'a>;

    fn observe(&mut self, rows: Rows<'_>) -> Result<()> {
        let before = self.len();
        self.book.encode(&rows, &mut self.codes, &mut self.weights)?;
        if rows.weights.is_none() && !self.weights.is_empty() {
            self.weights.resize(self.len(), self.book.fixed.units(1.0));
        }
        let added = self.len() - before;
        self.weight += match self.weights.get(before..) {
            Some(weights) if weights.len() == added => weights.iter().map(|units| self.book.fixed.weight(*units)).sum(),
            _ => added as f64,
        };
        Ok(())
    }

    fn merge(&mut self, other: &Self) -> Result<()> {
        let (mine, theirs) = (self.len(), other.len());
        if mine > 0 && theirs > 0 && self.weights.is_empty() != other.weights.is_empty() {
            self.weights.resize(mine, self.book.fixed.units(1.0));
        }
        self.codes.extend_from_slice(&other.codes);
        self.weights.extend_from_slice(&other.weights);
        if !self.weights.is_empty() {
            self.weights.resize(mine + theirs, self.book.fixed.units(1.0));
        }
        self.weight += other.weight;
        Ok(())
    }

    fn weight(&self) -> f64 {
        self.weight
    }

    fn purpose(&self) -> String {
        "rows as codes of their bins".into()
    }

    fn discloses(&self) -> Option<String> {
        (!self.codes.is_empty()).then(|| format!("the class and the bin of every value of all {} rows", self.len()))
    }

    fn bytes(&self) -> usize {
        // Merging appends: a lane costs what its rows do, whatever their number.
        self.book.stride()
    }
}
