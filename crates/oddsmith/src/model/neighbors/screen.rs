//! A search that looks at every point in single precision and keeps those that could be among the nearest.
//!
//! Points without gaps lie in tiles of [`TILE`] points, coordinate after coordinate: numbers about their mean in their units, levels as
//! coordinates 1/√2 (two of them differ where levels do, which adds 1). For [`GROUP`] queries at a time s = |x|² − 2 q·x is computed in f32;
//! it is d² − |q|² up to an error of at most ε = (d + 4) 2⁻²³ (|q| + max |x|)². With s_k the k-th smallest, a point with s > s_k + 2ε is
//! farther than the k-th nearest and is dropped; all others get their exact distance. Points and queries with gaps are measured exactly at
//! once. Time 2·n·d per query, memory 4·n·d bytes. Many points of few number columns are put into boxes instead ([`super::box_tree`]).

use super::box_tree::{BoxTree, MOST_COLUMNS};
use super::points::{Points, Query};
use super::votes::EQUAL;
use crate::num::kernel::{GROUP, TILE, Tiles, near_points};

/// Tiles that stay in the cache while all queries pass.
const BLOCK: usize = 128;
/// Squared distances from the middle of the points up to which single precision has room for those between points.
const FARTHEST: f64 = 1e30;
/// Rows from which on screening pays.
const FEWEST: usize = 64;
/// Rows from which on boxes pay, doubled for every column: more columns leave out less of them.
const FEWEST_BOXED: usize = 512;

/// Points as the search sees them.
#[derive(Debug)]
pub(super) struct Screen {
    /// Coordinates of a point.
    width: usize,
    /// Which row stands at each place of the tiles; places beyond the last hold no row.
    rows: Vec<u32>,
    /// Tile after tile, coordinate after coordinate.
    cells: Vec<f32>,
    /// |x|² of each place; infinite beyond the last.
    norms: Vec<f32>,
    longest: f64,
    /// Rows with gaps.
    others: Vec<u32>,
    centre: Vec<f64>,
    /// Where the coordinates of each code column start.
    offsets: Vec<usize>,
    /// All of it where that is faster.
    boxes: Option<BoxTree>,
}

/// What is known of a query during the search.
struct Search {
    kept: Vec<(f32, u32)>,
    /// Nothing above it can be among the nearest.
    limit: f32,
    error: f32,
    /// As many are kept before the limit is lowered again.
    room: usize,
}

impl Screen {
    pub(super) fn new(points: &Points) -> Self {
        let count = points.rows.rows();
        let (whole, others): (Vec<u32>, Vec<u32>) = (0..count as u32).partition(|&row| points.is_whole(&points.query(row as usize)));
        let numbers = points.inverse.len();
        let mut centre = vec![0.0; numbers];
        for (j, centre) in centre.iter_mut().enumerate() {
            // Each is divided: the sum of large numbers is none.
            let count = whole.len().max(1) as f64;
            *centre = whole.iter().map(|&row| points.numbers(row as usize)[j] / count).filter(|x| x.is_finite()).sum();
        }
        let mut offsets = vec![numbers];
        points.rows.layout().level_counts().iter().for_each(|levels| offsets.push(offsets.last().copied().unwrap_or(0) + levels));
        let width = offsets.last().copied().unwrap_or(numbers);
        let columns = points.columns();
        let boxed = (1..=MOST_COLUMNS).contains(&columns) && width == numbers && whole.len() >= FEWEST_BOXED << columns;
        let boxes = boxed.then(|| BoxTree::new(points, &whole));
        let mut screen = Screen { width, rows: whole, cells: Vec::new(), norms: Vec::new(), longest: 0.0, others, centre, offsets, boxes };
        if screen.boxes.is_none() {
            screen.fill(points);
        }
        screen
    }

    fn fill(&mut self, points: &Points) {
        let tiles = self.rows.len().div_ceil(TILE);
        self.cells = vec![0.0; tiles * TILE * self.width];
        self.norms = vec![f32::INFINITY; tiles * TILE];
        let mut point = vec![0.0f32; self.width];
        for (at, &row) in self.rows.iter().enumerate() {
            self.place(points, &points.query(row as usize), &mut point);
            let (tile, lane) = (at / TILE, at % TILE);
            point.iter().enumerate().for_each(|(j, x)| self.cells[(tile * self.width + j) * TILE + lane] = *x);
            let norm: f64 = point.iter().map(|x| f64::from(*x) * f64::from(*x)).sum();
            self.norms[at] = norm as f32;
            self.longest = self.longest.max(norm.sqrt());
        }
    }

    /// The coordinates of a row.
    fn place(&self, points: &Points, query: &Query, out: &mut [f32]) {
        out.fill(0.0);
        for (j, inverse) in points.inverse.iter().enumerate().filter(|(_, inverse)| **inverse > 0.0) {
            out[j] = ((query.numbers[j] - self.centre[j]) * inverse) as f32;
        }
        for (at, code) in query.codes.iter().enumerate() {
            out[self.offsets[at] + *code as usize] = std::f32::consts::FRAC_1_SQRT_2 * points.shrink as f32;
        }
    }

    /// Whether single precision holds the squared distances of a query.
    fn is_near(&self, points: &Points, query: &Query) -> bool {
        let columns = query.numbers.iter().zip(&self.centre).zip(&points.inverse).filter(|(_, inverse)| **inverse > 0.0);
        self.boxes.is_some() || columns.map(|((x, centre), inverse)| ((x - centre) * inverse).powi(2)).sum::<f64>() < FARTHEST
    }

    /// Rows among which the `wanted` nearest of every query are, and all as far as the last of them.
    pub(super) fn search(&self, points: &Points, queries: &[Query], wanted: usize) -> Vec<Vec<u32>> {
        let mut found: Vec<Vec<u32>> = vec![Vec::new(); queries.len()];
        let few = points.rows.rows() < FEWEST.max(4 * wanted);
        let (screened, exact): (Vec<usize>, Vec<usize>) = (0..queries.len())
            .partition(|&i| !few && self.rows.len() > wanted && points.is_whole(&queries[i]) && self.is_near(points, &queries[i]));
        for &i in &exact {
            found[i] = exactly(points, &queries[i], 0..points.rows.rows() as u32, wanted);
        }
        if let Some(boxes) = &self.boxes {
            for &i in &screened {
                found[i] = boxes.search(&queries[i], wanted);
                found[i].extend(&self.others);
            }
            return found;
        }
        let mut searches: Vec<Search> = screened.iter().map(|&i| self.start(points, &queries[i])).collect();
        let mut coordinates = vec![0.0f32; screened.len() * self.width];
        for (&i, out) in screened.iter().zip(coordinates.chunks_exact_mut(self.width.max(1))) {
            self.place(points, &queries[i], out);
        }
        for first in (0..self.norms.len() / TILE).step_by(BLOCK) {
            let last = (first + BLOCK).min(self.norms.len() / TILE);
            for (group, queries) in searches.chunks_mut(GROUP).zip(coordinates.chunks(GROUP * self.width.max(1))) {
                self.pass(first..last, queries, group, wanted);
            }
        }
        for (&i, search) in screened.iter().zip(searches) {
            let kept = search.finished(wanted).into_iter().map(|at| self.rows[at as usize]).chain(self.others.iter().copied());
            found[i] = kept.collect();
        }
        found
    }

    fn start(&self, points: &Points, query: &Query) -> Search {
        let mut point = vec![0.0f32; self.width];
        self.place(points, query, &mut point);
        let length = point.iter().map(|x| f64::from(*x) * f64::from(*x)).sum::<f64>().sqrt();
        let error = (self.width as f64 + 4.0) * f64::from(f32::EPSILON) * (length + self.longest).powi(2);
        // Distances that are equal but for the rounding of exact ones must stay together, too.
        let error = error + EQUAL * (length + self.longest).powi(2);
        Search { kept: Vec::new(), limit: f32::INFINITY, error: (error * (1.0 + 1e-6)) as f32 + f32::MIN_POSITIVE, room: 0 }
    }

    /// Looks at some tiles for a group of queries.
    fn pass(&self, tiles: std::ops::Range<usize>, queries: &[f32], group: &mut [Search], wanted: usize) {
        let count = group.len();
        // Coordinate after coordinate, so that one coordinate of all queries lies together.
        let mut turned = vec![0.0f32; count * self.width];
        for (q, query) in queries.chunks_exact(self.width.max(1)).enumerate() {
            query.iter().enumerate().for_each(|(j, x)| turned[j * count + q] = -2.0 * x);
        }
        let mut limits: Vec<f32> = group.iter().map(|search| search.limit).collect();
        let (first, places) = (tiles.start * TILE, tiles.len() * TILE);
        let cells = &self.cells[first * self.width..(first + places) * self.width];
        let tiles = Tiles { cells, norms: &self.norms[first..first + places] };
        near_points(tiles, &turned, &mut limits, |q, at, scores| group[q].take(scores, (first + at) as u32, wanted));
    }
}

impl Search {
    /// Keeps what lies below the limit, and lowers the limit when enough is kept.
    fn take(&mut self, scores: &[f32], first: u32, wanted: usize) -> f32 {
        for (lane, score) in scores.iter().enumerate() {
            if *score <= self.limit && *score < f32::INFINITY {
                self.kept.push((*score, first + lane as u32));
            }
        }
        // Lowering is cheap beside looking through the tiles that a high limit lets pass.
        if self.kept.len() >= self.room.max(2 * wanted + 16) {
            self.lower(wanted);
            // Where the error is large beside the distances few leave; looking again and again would cost more than it saves.
            self.room = 2 * self.kept.len();
        }
        self.limit
    }

    fn lower(&mut self, wanted: usize) {
        if self.kept.len() < wanted || wanted == 0 {
            return;
        }
        let (_, kth, _) = self.kept.select_nth_unstable_by(wanted - 1, |a, b| a.0.total_cmp(&b.0));
        let limit = (kth.0 + 2.0 * self.error).next_up();
        self.limit = limit;
        self.kept.retain(|(score, _)| *score <= limit);
    }

    fn finished(mut self, wanted: usize) -> Vec<u32> {
        self.lower(wanted);
        self.kept.into_iter().map(|(_, at)| at).collect()
    }
}

/// The nearest by exact distances of all rows.
fn exactly(points: &Points, query: &Query, rows: impl Iterator<Item = u32>, wanted: usize) -> Vec<u32> {
    let mut all: Vec<(f64, u32)> = rows.map(|row| (points.squared(query, row as usize), row)).collect();
    if wanted < all.len() && wanted > 0 {
        let (_, kth, _) = all.select_nth_unstable_by(wanted - 1, |a, b| a.0.total_cmp(&b.0));
        let limit = kth.0 * (1.0 + EQUAL);
        all.retain(|(squared, _)| *squared <= limit);
    }
    all.into_iter().map(|(_, row)| row).collect()
}
