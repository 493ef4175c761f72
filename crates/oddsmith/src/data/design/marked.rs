//! Columns of wide categories, kept as the one place where a row has its 1.
//!
//! Of the indicator columns of a term a row marks at most one. Sums over hundreds of such columns need that place alone,
//! where cells would be hundreds of zeros to write and to multiply.

use super::product::Product;
use super::writer::Writer;

/// Columns from which on a term is worth marking: narrower ones are cheaper as cells, which vectors take several at a time.
const WORTH_MARKING: usize = 4;

/// Where a column of a design stands when its wide categories are marked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// Among the cells.
    Cell(usize),
    /// Among the marks.
    Mark(usize),
}

/// Which columns of a design are marked.
#[derive(Debug, Clone, PartialEq)]
pub struct MarkedColumns {
    /// By column of the design.
    places: Vec<Place>,
    cells: usize,
    marks: usize,
    terms: usize,
}

impl MarkedColumns {
    /// Columns at given places, of this many marked terms.
    pub(crate) fn of_places(places: &[Place], terms: usize) -> Self {
        let marks = places.iter().filter(|place| matches!(place, Place::Mark(_))).count();
        MarkedColumns { places: places.to_vec(), cells: places.len() - marks, marks, terms }
    }

    /// Where a column stands.
    pub fn place(&self, column: usize) -> Place {
        self.places[column]
    }

    /// Columns that have cells.
    pub fn cells(&self) -> usize {
        self.cells
    }

    /// Columns that are marked. A row that marks none of a term marks this number, behind the last.
    pub fn marks(&self) -> usize {
        self.marks
    }

    /// Marks of a row: one per marked term.
    pub fn terms(&self) -> usize {
        self.terms
    }
}

/// How rows are written with marks.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Marking {
    pub(super) columns: std::sync::Arc<MarkedColumns>,
    /// Writes the cells.
    pub(super) writer: Writer,
    /// The marked terms; their columns count marks.
    terms: Vec<Product>,
}

impl Marking {
    /// For the terms of `writer` that are worth it, `None` when there are none. `widths` are the columns of its products.
    pub(super) fn new(writer: &Writer, widths: &[usize], columns: usize) -> Option<Self> {
        let wide = |at: &usize| writer.products()[*at].is_indicated() && widths[*at] >= WORTH_MARKING;
        let chosen: Vec<usize> = (0..widths.len()).filter(wide).collect();
        let mut places: Vec<Option<Place>> = vec![None; columns];
        let (mut marks, mut terms) = (0, Vec::new());
        for &at in &chosen {
            let product = &writer.products()[at];
            terms.push(Product { column: marks, ..product.clone() });
            for place in &mut places[product.column..product.column + widths[at]] {
                *place = Some(Place::Mark(marks));
                marks += 1;
            }
        }
        let kept: Vec<usize> = (0..columns).filter(|column| places[*column].is_none()).collect();
        let mut cells = 0..;
        let places: Vec<Place> = places.into_iter().map(|place| place.unwrap_or_else(|| Place::Cell(cells.next().unwrap_or(0)))).collect();
        let columns = MarkedColumns::of_places(&places, chosen.len());
        (!chosen.is_empty()).then(|| Marking { columns: columns.into(), writer: writer.narrowed(&kept, &chosen), terms })
    }

    /// Writes the marks of the rows that the writer has just read.
    pub(super) fn mark(&self, block: &mut super::DesignBlock) {
        let (rows, terms) = (block.rows(), self.terms.len());
        block.marks.resize(rows * terms, 0);
        let none = self.columns.marks as u32;
        for (at, term) in self.terms.iter().enumerate() {
            let marks = block.marks.iter_mut().skip(at).step_by(terms);
            term.marks(rows, none, &mut block.scratch, marks);
        }
        if block.has_gaps {
            for i in (0..rows).filter(|&i| block.gaps[i].feature().is_some()) {
                block.marks[i * terms..(i + 1) * terms].fill(none);
            }
        }
    }
}
