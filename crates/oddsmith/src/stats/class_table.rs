//! A dense table of sums with one row per class: the shape of almost every statistic here.

use super::{add, take};

/// `classes` × `columns` sums, class after class.
#[derive(Debug, Clone, PartialEq)]
pub struct ClassTable {
    columns: usize,
    cells: Vec<f64>,
}

impl ClassTable {
    /// All zero.
    pub fn new(classes: usize, columns: usize) -> Self {
        ClassTable { columns, cells: vec![0.0; classes * columns] }
    }

    /// A table from its cells, class after class; `None` when their number is not a multiple of `columns`.
    pub fn from_cells(classes: usize, columns: usize, cells: Vec<f64>) -> Option<Self> {
        (Some(cells.len()) == classes.checked_mul(columns)).then_some(ClassTable { columns, cells })
    }

    /// A table whose cells are yet to be read.
    pub(super) fn unread(columns: usize) -> Self {
        ClassTable { columns, cells: Vec::new() }
    }

    /// The cells on their way to a record or from one.
    pub(super) fn stored_cells(&mut self) -> &mut Vec<f64> {
        &mut self.cells
    }

    /// Number of columns.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// All cells, class after class.
    pub fn cells(&self) -> &[f64] {
        &self.cells
    }

    /// All cells, for kernels that add to them.
    pub fn cells_mut(&mut self) -> &mut [f64] {
        &mut self.cells
    }

    /// The cells of class `k`.
    pub fn row(&self, k: usize) -> &[f64] {
        &self.cells[k * self.columns..(k + 1) * self.columns]
    }

    /// The cells of class `k`, to be changed.
    pub fn row_mut(&mut self, k: usize) -> &mut [f64] {
        &mut self.cells[k * self.columns..(k + 1) * self.columns]
    }

    /// Sets the cells of class `k` to zero.
    pub fn clear(&mut self, k: usize) {
        self.row_mut(k).fill(0.0);
    }

    /// The cell of class `k` and column `j`.
    pub fn get(&self, k: usize, j: usize) -> f64 {
        self.cells[k * self.columns + j]
    }

    /// Adds another table.
    pub fn add(&mut self, other: &Self) {
        add(&mut self.cells, &other.cells);
    }

    /// Takes another table of counts away.
    pub fn take(&mut self, other: &Self) {
        take(&mut self.cells, &other.cells);
    }

    /// The same sums in a table of `shape` = (classes, columns): class `k` moves to `classes[k]`, column `j` to
    /// `columns[j]` or out of the table.
    #[must_use]
    pub fn project(&self, classes: &[usize], columns: &[Option<usize>], shape: (usize, usize)) -> Self {
        let mut moved = ClassTable::new(shape.0, shape.1);
        for (k, &to_class) in classes.iter().enumerate() {
            for (j, to_column) in columns.iter().enumerate() {
                if let Some(to_column) = to_column {
                    moved.cells[to_class * shape.1 + to_column] = self.get(k, j);
                }
            }
        }
        moved
    }

    /// Size in memory.
    pub fn bytes(&self) -> usize {
        self.cells.len() * size_of::<f64>()
    }
}
