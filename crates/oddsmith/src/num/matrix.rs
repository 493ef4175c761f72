//! A strided view of a matrix of numbers: row-major, column-major, every second column, reversed.

use crate::error::{Error, Result};

/// `rows` × `cols` numbers inside a slice; the element (i, j) is `data[offset + i·row_stride + j·col_stride]`.
#[derive(Debug, Clone, Copy)]
pub struct MatrixView<'a> {
    data: &'a [f64],
    offset: usize,
    rows: usize,
    cols: usize,
    row_stride: isize,
    col_stride: isize,
}

impl<'a> MatrixView<'a> {
    /// A view with any strides (negative ones walk backwards), checked once so that every element lies
    /// inside `data`.
    pub fn new(data: &'a [f64], offset: usize, (rows, cols): (usize, usize), (row_stride, col_stride): (isize, isize)) -> Result<Self> {
        if rows > 0 && cols > 0 {
            let mut reach = [offset as i128; 2];
            for (count, stride) in [(rows, row_stride), (cols, col_stride)] {
                let span = (count as i128 - 1) * stride as i128;
                reach[usize::from(span > 0)] += span;
            }
            if reach[0] < 0 || reach[1] >= data.len() as i128 {
                return Err(Error::internal(format!("a {rows} × {cols} matrix does not fit {} numbers", data.len())));
            }
        }
        Ok(MatrixView { data, offset, rows, cols, row_stride, col_stride })
    }

    /// Numbers stored row after row.
    pub fn row_major(data: &'a [f64], rows: usize, cols: usize) -> Result<Self> {
        Self::new(data, 0, (rows, cols), (cols as isize, 1))
    }

    /// Numbers stored column after column.
    pub fn column_major(data: &'a [f64], rows: usize, cols: usize) -> Result<Self> {
        Self::new(data, 0, (rows, cols), (1, rows as isize))
    }

    /// Rows without any number.
    pub fn none(rows: usize) -> MatrixView<'static> {
        MatrixView { data: &[], offset: 0, rows, cols: 0, row_stride: 0, col_stride: 0 }
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Number of columns.
    pub fn cols(&self) -> usize {
        self.cols
    }

    /// Distances between neighbouring rows and neighbouring columns.
    pub fn strides(&self) -> (isize, isize) {
        (self.row_stride, self.col_stride)
    }

    /// The element at row `i`, column `j`.
    #[inline]
    pub fn get(&self, i: usize, j: usize) -> f64 {
        self.data[(self.offset as isize + i as isize * self.row_stride + j as isize * self.col_stride) as usize]
    }

    /// Row `i` as a slice, when its elements lie side by side.
    #[inline]
    pub fn row(&self, i: usize) -> Option<&'a [f64]> {
        if self.cols == 0 {
            return Some(&[]);
        }
        if self.col_stride != 1 && self.cols > 1 {
            return None;
        }
        let start = (self.offset as isize + i as isize * self.row_stride) as usize;
        Some(&self.data[start..start + self.cols])
    }

    /// Column `j` as a slice, when its elements lie side by side.
    #[inline]
    pub fn column(&self, j: usize) -> Option<&'a [f64]> {
        if self.rows == 0 {
            return Some(&[]);
        }
        if self.row_stride != 1 && self.rows > 1 {
            return None;
        }
        let start = (self.offset as isize + j as isize * self.col_stride) as usize;
        Some(&self.data[start..start + self.rows])
    }

    /// All rows as one slice, when they are stored row after row without gaps.
    pub fn as_row_major(&self) -> Option<&'a [f64]> {
        let tight = self.rows <= 1 || self.row_stride == self.cols as isize;
        let size = self.rows * self.cols;
        match self.cols == 0 || self.rows == 0 {
            true => Some(&[]),
            false => (tight && (self.col_stride == 1 || self.cols == 1)).then(|| &self.data[self.offset..self.offset + size]),
        }
    }

    /// The numbers from the first row on and the distance between rows, when every row is a slice and
    /// the rows follow one another forwards.
    pub fn as_strided_rows(&self) -> Option<(&'a [f64], usize)> {
        if self.rows == 0 || self.cols == 0 {
            return Some((&[], 0));
        }
        let forwards = usize::try_from(self.row_stride).ok().or((self.rows == 1).then_some(0))?;
        (self.col_stride == 1 || self.cols == 1).then(|| (&self.data[self.offset..], forwards))
    }

    /// The rows `lo..hi`.
    pub fn slice(&self, lo: usize, hi: usize) -> MatrixView<'a> {
        let offset = if self.cols == 0 || lo == hi { self.offset } else { (self.offset as isize + lo as isize * self.row_stride) as usize };
        MatrixView { offset, rows: hi - lo, ..*self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strides_may_run_backwards_but_never_outside() {
        let data: Vec<f64> = (0..6).map(f64::from).collect();
        let reversed = MatrixView::new(&data, 5, (2, 3), (-3, -1)).unwrap();
        assert_eq!((reversed.get(0, 0), reversed.get(1, 2)), (5.0, 0.0));
        assert!(MatrixView::new(&data, 4, (2, 3), (-3, -1)).is_err());
        assert!(MatrixView::row_major(&data, 3, 3).is_err());
    }

    #[test]
    fn slices_are_given_only_where_elements_touch() {
        let data: Vec<f64> = (0..6).map(f64::from).collect();
        let rows = MatrixView::row_major(&data, 3, 2).unwrap();
        assert_eq!(rows.slice(1, 3).row(1), Some(&[4.0, 5.0][..]));
        assert_eq!(rows.column(0), None);
        assert_eq!(rows.as_row_major().map(<[f64]>::len), Some(6));
        let columns = MatrixView::column_major(&data, 3, 2).unwrap();
        assert_eq!(columns.column(1), Some(&[3.0, 4.0, 5.0][..]));
        assert_eq!(columns.as_row_major(), None);
        assert_eq!(columns.as_strided_rows(), None);
        let gapped = MatrixView::new(&data, 1, (2, 2), (3, 1)).unwrap();
        assert_eq!(gapped.as_strided_rows(), Some((&data[1..], 3)));
        assert_eq!(MatrixView::new(&data, 3, (2, 3), (-3, 1)).unwrap().as_strided_rows(), None);
    }
}
