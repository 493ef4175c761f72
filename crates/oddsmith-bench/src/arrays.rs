//! The arrays of a workload as NumPy and SciPy hold them.

use std::io;
use std::path::Path;

use crate::npy::{self, Array};

/// Features as a caller of scikit-learn holds them.
pub(crate) enum Features {
    /// A row-major matrix of numbers.
    Numbers(Array<f64>),
    /// A row-major matrix of category codes in 64-bit integers.
    Codes(Array<i64>),
    /// A sparse matrix in compressed rows with 32-bit indices.
    Words {
        /// Values of the entries.
        data: Vec<f64>,
        /// Columns of the entries.
        indices: Vec<i32>,
        /// Where rows start.
        indptr: Vec<i32>,
        /// Number of columns.
        width: usize,
    },
}

/// Features and labels.
pub(crate) struct Arrays {
    /// The features.
    pub(crate) features: Features,
    /// One label per row.
    pub(crate) labels: Vec<i64>,
}

impl Arrays {
    /// Reads the arrays of a folder.
    pub(crate) fn load(folder: &Path) -> io::Result<Self> {
        let file = |name: &str| folder.join(format!("{name}.npy"));
        let features = if file("X.data").exists() {
            let shape = npy::read::<i64>(&file("X.shape"))?.data;
            Features::Words {
                data: npy::read(&file("X.data"))?.data,
                indices: npy::read(&file("X.indices"))?.data,
                indptr: npy::read(&file("X.indptr"))?.data,
                width: shape.get(1).and_then(|width| usize::try_from(*width).ok()).unwrap_or(0),
            }
        } else if npy::number_name(&file("X"))? == "<f8" {
            Features::Numbers(npy::read(&file("X"))?)
        } else {
            Features::Codes(npy::read(&file("X"))?)
        };
        Ok(Arrays { features, labels: npy::read(&file("y"))?.data })
    }
}
