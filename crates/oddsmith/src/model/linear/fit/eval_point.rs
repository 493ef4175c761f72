//! A point at which a pass looks at the objective: the scores of its rows there.

use std::sync::Arc;

use crate::data::design::{MarkedColumns, Place};
use crate::error::Result;
use crate::model::linear::fit::block_reader::Block;
use crate::model::linear::fit::coordinates::Coordinates;
use crate::model::linear::fit::sparse;
use crate::num::kernel::{LinearScores, Panel};

/// How much of the second derivatives is summed up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Curvature {
    /// Nothing.
    None,
    /// The diagonal.
    Diagonal,
    /// All of it; dense columns only.
    Full,
    /// In place of second derivatives the squares of what moves rows whose class is undecided, all of which count alike.
    Undecided,
}

impl Curvature {
    /// Whether all products of columns are summed up.
    pub(crate) fn is_square(self) -> bool {
        matches!(self, Curvature::Full | Curvature::Undecided)
    }
}

/// The shape of a parameter vector: outputs × (intercept, dense columns), then words × outputs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Shape {
    pub(crate) outputs: usize,
    /// Parameters of one output without words.
    pub(crate) width: usize,
    /// Words of all sparse blocks.
    pub(crate) words: usize,
}

impl Shape {
    /// Length of a parameter vector.
    pub(crate) fn len(&self) -> usize {
        self.outputs * (self.width + self.words)
    }
}

/// A point and the kernels that look at it.
#[derive(Debug)]
pub(crate) struct EvalPoint {
    pub(crate) theta: Vec<f64>,
    pub(crate) curvature: Curvature,
    pub(crate) shape: Shape,
    scores: LinearScores,
    marked: Option<MarkedScores>,
    pub(in crate::model::linear) word_widths: Vec<usize>,
    pub(in crate::model::linear) coordinates: Arc<Coordinates>,
    /// Centres of the columns that have cells in a pass with marks.
    pub(in crate::model::linear) centre: Vec<f64>,
}

/// Scores of rows whose wide categories are marked.
#[derive(Debug)]
struct MarkedScores {
    cells: LinearScores,
    /// Weights of the marks, `outputs` for each; zeros for the mark of none.
    marks: Vec<f64>,
}

impl MarkedScores {
    fn new(coordinates: &Coordinates, marks: &MarkedColumns, intercepts: &[f64], weights: &[f64]) -> Self {
        let (outputs, columns) = (intercepts.len(), coordinates.summed());
        let mut of_cells = vec![0.0; outputs * marks.cells()];
        let mut of_marks = vec![0.0; outputs * coordinates.mark_range()];
        for m in 0..outputs {
            for j in 0..columns {
                match marks.place(j) {
                    Place::Cell(cell) => of_cells[m * marks.cells() + cell] = weights[m * columns + j],
                    Place::Mark(mark) => of_marks[mark * outputs + m] = weights[m * columns + j],
                }
            }
        }
        MarkedScores { cells: LinearScores::new(intercepts, &of_cells, &coordinates.cell_centre()), marks: of_marks }
    }
}

impl EvalPoint {
    /// Looks at `theta`.
    pub(crate) fn new(theta: Vec<f64>, curvature: Curvature, coordinates: &Arc<Coordinates>, shape: Shape, word_widths: &[usize]) -> Self {
        let shift = usize::from(coordinates.intercept);
        let (mut intercepts, mut weights) = (Vec::new(), Vec::new());
        for output in theta[..shape.outputs * shape.width].chunks_exact(shape.width.max(1)) {
            intercepts.push(if coordinates.intercept { output[0] } else { 0.0 });
            weights.extend(coordinates.summed_weights(&output[shift..]));
        }
        intercepts.resize(shape.outputs, 0.0);
        let scores = LinearScores::new(&intercepts, &weights, &coordinates.summed_centre());
        let marked = coordinates.marks().map(|marks| MarkedScores::new(coordinates, marks, &intercepts, &weights));
        EvalPoint {
            theta,
            curvature,
            shape,
            scores,
            marked,
            word_widths: word_widths.to_vec(),
            coordinates: Arc::clone(coordinates),
            centre: coordinates.cell_centre(),
        }
    }

    /// Writes the scores η of a block.
    pub(crate) fn scores(&self, block: &Block<'_>, panel: &mut Panel, out: &mut Vec<f64>) -> Result<()> {
        let outputs = self.shape.outputs;
        // Whatever stands there is overwritten.
        out.resize(block.weights.len() * outputs, 0.0);
        match self.marked.as_ref().filter(|_| block.marks.is_any()) {
            None => self.scores.score(block.x, panel, out),
            Some(marked) => {
                marked.cells.score(block.x, panel, out);
                block.marks.add_scores(&marked.marks, outputs, out);
            }
        }
        let mut table = &self.theta[outputs * self.shape.width..];
        for (csr, width) in block.words.iter().zip(&self.word_widths) {
            let (mine, rest) = table.split_at(width * outputs);
            sparse::add_scores(csr, mine, outputs, out)?;
            table = rest;
        }
        out.iter_mut().zip(block.offset).for_each(|(score, offset)| *score += offset);
        Ok(())
    }
}

/// Measures Σ |z| of rows, the intercept's 1 included.
pub(crate) struct RowSizes {
    intercept: f64,
    centre: Vec<f64>,
    /// Scales of the columns that have cells; zeros for those that are not kept.
    cells: Vec<f64>,
    /// The same of marks.
    marks: Vec<f64>,
}

impl RowSizes {
    /// Of rows with marks, or of rows whose columns all have cells.
    pub(crate) fn new(eval_point: &EvalPoint, marked: bool) -> Self {
        let coordinates = &eval_point.coordinates;
        let places = if marked { coordinates.places() } else { (0..coordinates.summed()).map(Place::Cell).collect() };
        let centre = if marked { eval_point.centre.clone() } else { coordinates.summed_centre() };
        let (mut cells, mut marks) = (vec![0.0; centre.len()], vec![0.0; coordinates.mark_range()]);
        // It looks at every column, so it is asked once: thousands of levels would take minutes.
        let in_place = coordinates.in_place();
        for k in 0..coordinates.kept.len() {
            let (column, scale) = if in_place { (coordinates.kept[k], coordinates.scale[coordinates.kept[k]]) } else { (k, 1.0) };
            match places[column] {
                Place::Cell(j) => cells[j] = scale,
                Place::Mark(mark) => marks[mark] = scale,
            }
        }
        RowSizes { intercept: f64::from(u8::from(coordinates.intercept)), centre, cells, marks }
    }

    /// The size of row `i`.
    pub(crate) fn of(&self, block: &Block<'_>, i: usize) -> f64 {
        let cells = self.centre.iter().zip(&self.cells).enumerate();
        let of_cells: f64 = cells.map(|(j, (centre, scale))| (block.x.get(i, j) - centre).abs() * scale).sum();
        let of_marks: f64 = block.marks.of_row(i).iter().map(|mark| self.marks[*mark as usize]).sum();
        self.intercept + of_cells + of_marks
    }
}
