//! Whether a system of linear inequalities in integers has a solution, decided without rounding.
//!
//! For vectors a_1, …, a_n exactly one of two things holds (Stiemke): some direction d has a_i·d ≥ 0 for all i and > 0 for one, or
//! positive λ_i give Σ λ_i a_i = 0. The second is a linear programme, λ = 1 + μ with μ ≥ 0 and Σ μ_i a_i = −Σ a_i, which the simplex
//! method with Bland's rule decides. Its table is kept in integers over one common denominator (Edmonds), and either answer
//! is checked against its definition.

/// What holds for a list of vectors.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Answer {
    /// A direction along which no vector falls and one rises.
    Rising(Vec<i128>),
    /// No such direction.
    Balanced,
}

/// Decides for vectors of equal length.
pub(crate) fn rising(vectors: &[Vec<i128>]) -> Answer {
    let size = vectors[0].len();
    let sums: Vec<i128> = (0..size).map(|j| vectors.iter().map(|a| a[j]).sum()).collect();
    let target: Vec<i128> = sums.iter().map(|sum| -sum).collect();
    match Table::new(vectors, &target).solve() {
        Outcome::Feasible { mu, denominator } => {
            assert!(mu.iter().all(|m| *m >= 0) && denominator > 0);
            for j in 0..size {
                let total: i128 = vectors.iter().zip(&mu).map(|(a, m)| a[j] * (denominator + m)).sum();
                assert_eq!(total, 0, "the multipliers balance the vectors");
            }
            Answer::Balanced
        }
        Outcome::Infeasible { dual } => {
            let direction: Vec<i128> = dual.iter().map(|y| -y).collect();
            assert!(vectors.iter().all(|a| dot(a, &direction) >= 0) && dot(&sums, &direction) > 0, "the direction rises");
            Answer::Rising(direction)
        }
    }
}

/// Whether some direction makes every vector rise: by Gordan, unless λ ≥ 0 with Σ λ_i = 1 give Σ λ_i a_i = 0.
pub(crate) fn all_rising(vectors: &[Vec<i128>]) -> bool {
    let lifted: Vec<Vec<i128>> = vectors.iter().map(|a| a.iter().copied().chain([1]).collect()).collect();
    let mut target = vec![0; lifted[0].len()];
    *target.last_mut().unwrap() = 1;
    matches!(Table::new(&lifted, &target).solve(), Outcome::Infeasible { .. })
}

/// Number of independent rows, by elimination without fractions.
pub(crate) fn rank(rows: &[Vec<i128>]) -> usize {
    let mut rows = rows.to_vec();
    let (mut rank, mut before) = (0, 1);
    for j in 0..rows[0].len() {
        let Some(pivot) = (rank..rows.len()).find(|i| rows[*i][j] != 0) else { continue };
        rows.swap(rank, pivot);
        let top = rows[rank].clone();
        for row in &mut rows[rank + 1..] {
            let factor = row[j];
            row.iter_mut().zip(&top).for_each(|(cell, t)| *cell = (*cell * top[j] - factor * t) / before);
        }
        before = top[j];
        rank += 1;
    }
    rank
}

pub(crate) fn dot(a: &[i128], b: &[i128]) -> i128 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

enum Outcome {
    /// μ over a common denominator.
    Feasible { mu: Vec<i128>, denominator: i128 },
    /// y with y·a ≤ 0 for all vectors and y·target > 0.
    Infeasible { dual: Vec<i128> },
}

/// The first phase of the simplex method: one row per coordinate, one column per vector, then artificial ones, then the target.
struct Table {
    cells: Vec<Vec<i128>>,
    /// Reduced costs, in the last row's place.
    costs: Vec<i128>,
    basis: Vec<usize>,
    signs: Vec<i128>,
    vectors: usize,
    denominator: i128,
}

impl Table {
    fn new(vectors: &[Vec<i128>], target: &[i128]) -> Self {
        let (count, size) = (vectors.len(), target.len());
        let signs: Vec<i128> = target.iter().map(|t| if *t < 0 { -1 } else { 1 }).collect();
        let row = |j: usize| {
            let unit = (0..size).map(|k| i128::from(k == j));
            vectors.iter().map(|a| signs[j] * a[j]).chain(unit).chain([signs[j] * target[j]]).collect::<Vec<_>>()
        };
        let cells: Vec<Vec<i128>> = (0..size).map(row).collect();
        let cost = |at: usize| {
            let own = i128::from((count..count + size).contains(&at));
            own - cells.iter().map(|row| row[at]).sum::<i128>()
        };
        let costs = (0..count + size + 1).map(cost).collect();
        Table { cells, costs, basis: (count..count + size).collect(), signs, vectors: count, denominator: 1 }
    }

    fn solve(mut self) -> Outcome {
        let last = self.costs.len() - 1;
        while let Some(entering) = (0..last).find(|at| self.costs[*at] < 0) {
            let mut leaving: Option<usize> = None;
            for i in (0..self.cells.len()).filter(|i| self.cells[*i][entering] > 0) {
                let better = leaving.is_none_or(|best| {
                    let (mine, theirs) =
                        (self.cells[i][last] * self.cells[best][entering], self.cells[best][last] * self.cells[i][entering]);
                    mine < theirs || (mine == theirs && self.basis[i] < self.basis[best])
                });
                leaving = if better { Some(i) } else { leaving };
            }
            self.pivot(leaving.unwrap(), entering);
        }
        if self.costs[last] == 0 {
            let mut mu = vec![0; self.vectors];
            for (row, at) in self.cells.iter().zip(&self.basis).filter(|(_, at)| **at < self.vectors) {
                mu[*at] = row[last];
            }
            return Outcome::Feasible { mu, denominator: self.denominator };
        }
        let artificial = &self.costs[self.vectors..last];
        Outcome::Infeasible { dual: artificial.iter().zip(&self.signs).map(|(cost, sign)| sign * (self.denominator - cost)).collect() }
    }

    fn pivot(&mut self, leaving: usize, entering: usize) {
        let top = self.cells[leaving].clone();
        let pivot = top[entering];
        let before = self.denominator;
        let others = self.cells.iter_mut().enumerate().filter(|(i, _)| *i != leaving).map(|(_, row)| row);
        for row in others.chain([&mut self.costs]) {
            let factor = row[entering];
            row.iter_mut().zip(&top).for_each(|(cell, t)| *cell = (*cell * pivot - factor * t) / before);
        }
        self.denominator = pivot;
        self.basis[leaving] = entering;
    }
}

#[test]
fn answers_of_small_systems() {
    assert_eq!(rising(&[vec![1, 2], vec![-1, -2]]), Answer::Balanced);
    assert_eq!(rising(&[vec![1, 0], vec![-1, 3], vec![0, -1]]), Answer::Balanced);
    assert!(matches!(rising(&[vec![1, 0], vec![-1, 3], vec![0, 1]]), Answer::Rising(_)));
    assert!(all_rising(&[vec![1, 0], vec![-1, 3]]));
    assert!(!all_rising(&[vec![1, 0], vec![-1, 0], vec![0, 1]]) && rising(&[vec![1, 0], vec![-1, 0], vec![0, 1]]) != Answer::Balanced);
    assert_eq!(rank(&[vec![1, 2, 3], vec![2, 4, 6], vec![1, 0, 1]]), 2);
}
