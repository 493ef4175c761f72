//! Times of trees, forests and boosting on numbers that another program wrote, to be held against that program's.
//!
//! `tree_times MODEL FOLDER THREADS`: the folder has `x.bin` (row-major 64-bit numbers), `y.bin` (a byte per row) and `shape.txt` (rows, columns and how
//! many of the first rows to learn from); MODEL is as people write it, such as `tree(max-depth=12)`. Tells seconds of the fit, those of all processors, passes, and log loss and
//! accuracy of the other rows.

#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a tool for developers")]

use std::num::NonZeroUsize;
use std::path::Path;
use std::time::Instant;

use oddsmith::control::Control;
use oddsmith::data::{Classes, Feature, Features, Layout, ViewSource, Weighting};
use oddsmith::model::{Predictions, Predictor};
use oddsmith::num::MatrixView;
use oddsmith::{registry, train};

/// Seconds that all threads of this process have run, where the system tells.
fn processor_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let ticks: Vec<f64> = stat.rsplit(')').next().unwrap_or("").split(' ').skip(12).take(2).filter_map(|word| word.parse().ok()).collect();
    ticks.iter().sum::<f64>() / 100.0
}

fn main() {
    let given: Vec<String> = std::env::args().skip(1).collect();
    let folder = Path::new(&given[1]);
    let shape: Vec<usize> =
        std::fs::read_to_string(folder.join("shape.txt")).unwrap().split_whitespace().map(|word| word.parse().unwrap()).collect();
    let (rows, columns, training) = (shape[0], shape[1], shape[2]);
    let bytes = std::fs::read(folder.join("x.bin")).unwrap();
    let x: Vec<f64> = bytes.as_chunks::<8>().0.iter().map(|bytes| f64::from_le_bytes(*bytes)).collect();
    drop(bytes);
    let labels: Vec<u32> = std::fs::read(folder.join("y.bin")).unwrap().into_iter().map(u32::from).collect();
    let classes = (0..=labels.iter().copied().max().unwrap()).map(|k| format!("c{k}")).collect();
    let features = (0..columns).map(|j| Feature::number(format!("x{j:03}"))).collect();
    let layout = Layout::new("y", features, Classes::new(classes).unwrap(), Weighting::None).unwrap();
    let view =
        |lo: usize, hi: usize| Features::of_numbers(MatrixView::row_major(&x[lo * columns..hi * columns], hi - lo, columns).unwrap());
    let (entry, params) = registry::parse(&given[0]).unwrap();
    let learner = (entry.build)(&params).unwrap();
    let source = ViewSource::new(&layout, view(0, training), &labels[..training], None).unwrap();
    for _ in 0..2 {
        let (start, before) = (Instant::now(), processor_seconds());
        let fitted = train::fit(&learner, &source, NonZeroUsize::new(given[2].parse().unwrap()), &Control::new()).unwrap();
        let (seconds, processor) = (start.elapsed().as_secs_f64(), processor_seconds() - before);
        let (start, mut out) = (Instant::now(), Predictions::new());
        Predictor::new(&*fitted.model).predict(&view(training, rows), &mut out).unwrap();
        let scored = start.elapsed().as_secs_f64();
        let (mut loss, mut hits) = (0.0, 0);
        for (i, label) in labels[training..].iter().enumerate() {
            let p = out.row(i);
            loss -= p[*label as usize].max(1e-12).ln();
            hits += usize::from(p.iter().all(|other| *other <= p[*label as usize]));
        }
        let count = (rows - training) as f64;
        println!(
            "{} fit {seconds:.3} s, {processor:.2} s of processors, {} passes, scored {scored:.3} s, log loss {:.4}, accuracy {:.4}, free parameters {}",
            given[0],
            fitted.passes,
            loss / count,
            hits as f64 / count,
            fitted.model.free_parameters()
        );
    }
}
