//! How the cells of a block are written: what is read of the rows, and the products that are made of it.

use super::block::{DesignBlock, Gap};
use super::intake::Intake;
use super::product::Product;
use crate::data::Features;
use crate::error::Result;

/// Writes some columns of a design, row after row.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Writer {
    intake: Intake,
    products: Vec<Product>,
    /// Columns of a row.
    width: usize,
    /// Whether cells must be zero before they are written.
    zeroed: bool,
}

impl Writer {
    /// Rows of `width` columns.
    pub(super) fn new(intake: Intake, products: Vec<Product>, width: usize) -> Self {
        let zeroed = products.iter().any(|product| !product.indicators.is_empty()) || intake.numbers.iter().any(|n| n.indicator.is_some());
        Writer { intake, products, width, zeroed }
    }

    /// The columns `kept` of the same rows, side by side, and nothing of the products at `left_out`.
    pub(super) fn narrowed(&self, kept: &[usize], left_out: &[usize]) -> Self {
        let place = |column: usize| kept.partition_point(|kept| *kept < column);
        let mut intake = self.intake.clone();
        for number in &mut intake.numbers {
            number.copy = number.copy.map(place);
            number.indicator = number.indicator.map(place);
        }
        intake.plan_copies();
        let stay = self.products.iter().enumerate().filter(|(at, _)| !left_out.contains(at));
        let products = stay.map(|(_, product)| Product { column: place(product.column), ..product.clone() }).collect();
        Writer::new(intake, products, kept.len())
    }

    /// The products of categories and numbers.
    pub(super) fn products(&self) -> &[Product] {
        &self.products
    }

    /// Writes the rows `lo..hi` of a batch. Values in registers and codes of the rows stay in the block's scratch.
    pub(super) fn write(&self, features: &Features<'_>, lo: usize, hi: usize, block: &mut DesignBlock) -> Result<()> {
        let (rows, width) = (hi - lo, self.width);
        if self.zeroed {
            block.cells.clear();
        }
        block.cells.resize(rows * width, 0.0);
        self.intake.read(features, lo, hi, width, block)?;
        for product in &self.products {
            product.write(&mut block.cells, width, rows, &mut block.scratch);
        }
        if block.has_gaps {
            for i in (0..rows).filter(|&i| block.gaps[i] != Gap::None) {
                block.cells[i * width..(i + 1) * width].fill(0.0);
            }
        }
        Ok(())
    }
}
