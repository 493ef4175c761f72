//! Numbers that are kept for every row from pass to pass, partition by partition.
//!
//! They belong to the driver and not to a summary: a summary travels between machines, the state of a row stays where the row is read.
//! Memory: eight bytes per number and row.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// The states of all rows of a source.
#[derive(Debug, Default)]
pub(super) struct RowStates {
    /// Numbers per row; nothing is kept when there are none.
    width: usize,
    partitions: Vec<Mutex<Vec<f64>>>,
}

impl RowStates {
    /// Makes room for the next pass. States go on while passes want as many numbers as before, and start from zeros otherwise.
    pub(super) fn prepare(&mut self, width: usize, partitions: usize) {
        if self.width != width {
            self.width = width;
            self.partitions = Vec::new();
        }
        let wanted = if width == 0 { 0 } else { partitions };
        self.partitions.resize_with(wanted, Mutex::default);
    }

    /// The states of the rows of a partition, which one worker reads at a time; `None` where none are kept.
    pub(super) fn of(&self, partition: usize) -> Option<PartitionState<'_>> {
        let kept = self.partitions.get(partition)?.lock().unwrap_or_else(PoisonError::into_inner);
        Some(PartitionState { kept, width: self.width, next: 0 })
    }
}

/// The states of a partition, handed out in the order of its rows.
pub(super) struct PartitionState<'a> {
    kept: MutexGuard<'a, Vec<f64>>,
    width: usize,
    next: usize,
}

impl PartitionState<'_> {
    /// Those of the next `rows` rows.
    pub(super) fn next(&mut self, rows: usize) -> &mut [f64] {
        let start = self.next;
        self.next += rows * self.width;
        if self.kept.len() < self.next {
            self.kept.resize(self.next, 0.0);
        }
        &mut self.kept[start..self.next]
    }
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroUsize;
    use std::sync::Arc;

    use crate::codec::{Codec, Encode};
    use crate::control::Control;
    use crate::data::{Classes, Feature, Features, Layout, Rows, ViewSource, Weighting};
    use crate::error::Result;
    use crate::model::{PassInfo, Procedure, Step};
    use crate::num::MatrixView;
    use crate::stats::Statistics;
    use crate::train::conclude;

    /// Stages of a sum of squares: every pass adds half of what the margin of a row lacks of its value.
    #[derive(Clone)]
    struct Stage {
        /// Steps so far: all that a place without states needs.
        steps: u32,
        sum: f64,
        weight: f64,
        kept: usize,
    }

    impl Stage {
        fn margin(&self, x: f64) -> f64 {
            (0..self.steps).fold(0.0, |margin, _| margin + (x - margin) / 2.0)
        }

        fn add(&mut self, lack: f64) {
            self.sum += lack * lack;
            self.weight += 1.0;
        }
    }

    impl Encode for Stage {
        fn encode(&mut self, codec: &mut Codec<'_>) -> Result<()> {
            codec.number("sum", &mut self.sum)
        }
    }

    impl Statistics for Stage {
        type Input<'a> = Rows<'a>;

        fn observe(&mut self, rows: Rows<'_>) -> Result<()> {
            for i in 0..rows.labels.len() {
                let x = rows.features.numbers.get(i, 0);
                self.add(x - self.margin(x));
            }
            Ok(())
        }

        fn row_state(&self) -> usize {
            self.kept
        }

        fn observe_kept(&mut self, rows: Rows<'_>, kept: &mut [f64]) -> Result<()> {
            for (i, margin) in kept.iter_mut().enumerate() {
                let x = rows.features.numbers.get(i, 0);
                if self.steps > 0 {
                    *margin += (x - *margin) / 2.0;
                }
                self.add(x - *margin);
            }
            Ok(())
        }

        fn merge(&mut self, other: &Self) -> Result<()> {
            self.sum += other.sum;
            self.weight += other.weight;
            Ok(())
        }

        fn weight(&self) -> f64 {
            self.weight
        }

        fn bytes(&self) -> usize {
            8
        }
    }

    struct Stages {
        kept: usize,
    }

    impl Procedure for Stages {
        type Stats = Stage;
        type Output = f64;

        fn begin(&self, _: &Arc<Layout>, _: &PassInfo) -> Result<Stage> {
            Ok(Stage { steps: 0, sum: 0.0, weight: 0.0, kept: self.kept })
        }

        fn finish(&self, stats: &Stage) -> Result<Step<Stage, f64>> {
            Ok(match stats.steps {
                5 => Step::Done(stats.sum),
                steps => Step::Again(Stage { steps: steps + 1, sum: 0.0, weight: 0.0, kept: self.kept }),
            })
        }
    }

    #[test]
    fn kept_states_save_work_and_change_no_bit() {
        let classes = Classes::new(vec!["no".into(), "yes".into()]).unwrap();
        let layout = Layout::new("y", vec![Feature::number("x")], classes, Weighting::None).unwrap();
        let values: Vec<f64> = (0..50_000u32).map(|i| f64::from(i.wrapping_mul(2_654_435_761) >> 8) / 1e5).collect();
        let labels = vec![0; values.len()];
        let features = Features::of_numbers(MatrixView::row_major(&values, values.len(), 1).unwrap());
        let source = ViewSource::new(&layout, features, &labels, None).unwrap();
        let sum = |kept: usize, threads: usize| {
            let concluded = conclude(&Stages { kept }, &source, NonZeroUsize::new(threads), &Control::new()).unwrap();
            (concluded.model.to_bits(), concluded.passes)
        };
        let alone = sum(0, 1);
        assert_eq!(alone.1, 6);
        assert!([1, 2, 3, 8].into_iter().all(|threads| sum(1, threads) == alone));
    }
}
