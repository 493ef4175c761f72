//! A compiled design: names, terms, and the expansion of rows.
//!
//! Cost of an expansion: one write per cell for numbers, one per row and category, and one per row and column for products;
//! nothing is allocated once the block's buffers have grown.

use std::sync::Arc;

use super::block::{DesignBlock, Gap};
use super::column::{DesignColumn, DesignTerm};
use super::facts::Facts;
use super::marked::{MarkedColumns, Marking};
use super::offset::OffsetPart;
use super::writer::Writer;
use super::{DesignOptions, DesignSurvey, compile};
use crate::data::formula::Formula;
use crate::data::{Features, Layout};
use crate::error::{Error, Result};

/// How rows of a layout become the cells of a linear model. It never changes once it is compiled.
#[derive(Debug, Clone, PartialEq)]
pub struct Design {
    pub(super) formula: Formula,
    pub(super) options: DesignOptions,
    pub(super) facts: Facts,
    pub(super) intercept: bool,
    pub(super) columns: Vec<DesignColumn>,
    pub(super) terms: Vec<DesignTerm>,
    pub(super) words: Vec<usize>,
    pub(super) writer: Writer,
    pub(super) marking: Option<Marking>,
    /// What is added up to the offset: one part for all outputs, or one per class.
    pub(super) offsets: Vec<Vec<OffsetPart>>,
    /// Classes but the first, which have scores.
    pub(super) outputs: usize,
    /// The number planes, when they are all there is.
    pub(super) plain: Option<Vec<usize>>,
}

impl Design {
    /// Compiles a formula against a layout. A `.` stands for all columns of the layout.
    ///
    /// The survey must have seen the data when [`DesignSurvey::is_needed`]; otherwise it is not looked at.
    pub fn compile(formula: &Formula, layout: &Layout, options: &DesignOptions, survey: Option<&DesignSurvey>) -> Result<Design> {
        let formula = formula.expand_dot(&layout.names())?;
        let needed = DesignSurvey::new(&formula, layout, options)?;
        let facts = match survey {
            _ if !needed.is_needed() => Facts::default(),
            Some(survey) if survey.is_of(&formula, options) => survey.facts()?,
            Some(_) => return Err(Error::internal("the survey is of another design")),
            None => return Err(Error::internal("the design depends on the data, which were not surveyed")),
        };
        compile::compile(formula, layout, options, facts)
    }

    /// The same design over a layout that has the predictors but perhaps not the columns around them.
    pub fn relocated(&self, layout: &Layout) -> Result<Design> {
        compile::compile(self.formula.clone(), layout, &self.options, self.facts.clone())
    }

    /// The formula, without a `.`.
    pub fn formula(&self) -> &Formula {
        &self.formula
    }

    /// What it was compiled with.
    pub fn options(&self) -> &DesignOptions {
        &self.options
    }

    /// Whether there is an intercept. It has no column.
    pub fn intercept(&self) -> bool {
        self.intercept
    }

    /// The dense columns, without the intercept.
    pub fn columns(&self) -> &[DesignColumn] {
        &self.columns
    }

    /// The terms of the dense columns.
    pub fn terms(&self) -> &[DesignTerm] {
        &self.terms
    }

    /// The sparse blocks (positions in `Layout::words` and `Features::words`) that follow the dense columns.
    pub fn words(&self) -> &[usize] {
        &self.words
    }

    /// Whether something is added to the score as it is.
    pub fn has_offset(&self) -> bool {
        !self.offsets.is_empty()
    }

    /// The planes of the number matrix that are the dense columns exactly as they lie, gaps included, when there is nothing
    /// else to compute and no other column whose gaps count.
    pub fn plain_numbers(&self) -> Option<&[usize]> {
        self.plain.as_deref()
    }

    /// Whether a term is part of another one, as `a` is of `a:b`: it is then not dropped alone.
    pub fn is_marginal(&self, term: usize) -> bool {
        (0..self.terms.len()).any(|other| other != term && self.contains(other, term))
    }

    /// The columns that remain without a term and without the terms that contain it.
    pub fn columns_without(&self, term: usize) -> Vec<usize> {
        (0..self.columns.len()).filter(|&column| !self.contains(self.columns[column].term, term)).collect()
    }

    /// The columns of the terms before `terms`: what a sequential table of tests fits step by step.
    pub fn columns_before(&self, terms: usize) -> Vec<usize> {
        (0..self.columns.len()).filter(|&column| self.columns[column].term < terms).collect()
    }

    fn contains(&self, outer: usize, inner: usize) -> bool {
        let (outer_term, inner_term) = (&self.terms[outer], &self.terms[inner]);
        outer == inner || (!inner_term.variables.is_empty() && inner_term.variables.iter().all(|v| outer_term.variables.contains(v)))
    }

    /// Which columns [`Design::expand_marked`] marks; `None` when no category is wide enough for that.
    pub fn marked_columns(&self) -> Option<&Arc<MarkedColumns>> {
        self.marking.as_ref().map(|marking| &marking.columns)
    }

    /// Expands rows `lo..hi` of a batch that fits the layout.
    pub fn expand(&self, features: &Features<'_>, lo: usize, hi: usize, block: &mut DesignBlock) -> Result<()> {
        self.fill(&self.writer, features, lo, hi, block)
    }

    /// Expands rows `lo..hi`, with marks instead of cells for the columns of wide categories.
    pub fn expand_marked(&self, features: &Features<'_>, lo: usize, hi: usize, block: &mut DesignBlock) -> Result<()> {
        let marking = self.marking.as_ref().ok_or_else(|| Error::internal("a design without wide categories has no marks"))?;
        self.fill(&marking.writer, features, lo, hi, block)?;
        marking.mark(block);
        Ok(())
    }

    fn fill(&self, writer: &Writer, features: &Features<'_>, lo: usize, hi: usize, block: &mut DesignBlock) -> Result<()> {
        if lo > hi || hi > features.rows() {
            return Err(Error::internal(format!("rows {lo}..{hi} are asked of a batch of {}", features.rows())));
        }
        writer.write(features, lo, hi, block)?;
        let rows = hi - lo;
        block.offset.clear();
        block.offset.resize(rows * self.outputs, 0.0);
        for parts in &self.offsets {
            let value = |part: usize, i: usize| block.scratch.registers[parts[part].register * rows + i];
            for (i, offsets) in block.offset.chunks_exact_mut(self.outputs).enumerate() {
                for (m, offset) in offsets.iter_mut().enumerate() {
                    *offset += if parts.len() == 1 { value(0, i) } else { value(m + 1, i) - value(0, i) };
                }
            }
        }
        if block.has_gaps {
            for (offsets, _) in block.offset.chunks_exact_mut(self.outputs).zip(&block.gaps).filter(|(_, gap)| **gap != Gap::None) {
                offsets.fill(0.0);
            }
        }
        Ok(())
    }
}
