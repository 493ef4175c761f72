//! Rust libraries behind the line protocol of `oddsmith-bench`: `load`, `fit NAME@TOLERANCE`, `proba`, `answer`, `parameters`.
//!
//! Tables are brought into a library's own form when they are loaded, so that no conversion is part of its time.

#[path = "../../../crates/oddsmith-bench/src/cpu.rs"]
mod cpu;
#[path = "../../../crates/oddsmith-bench/src/memory.rs"]
mod memory;
#[path = "../../../crates/oddsmith-bench/src/npy.rs"]
mod npy;

use std::error::Error;
use std::io::{BufRead, Write};
use std::path::Path;
use std::time::Instant;

use linfa::prelude::*;
use linfa_logistic::{FittedLogisticRegression, LogisticRegression};
use ndarray::{Array1, Array2};
use smartcore::linalg::basic::arrays::Array as _;
use smartcore::linalg::basic::matrix::DenseMatrix;
use smartcore::linear::logistic_regression as smart;

type Smart = smart::LogisticRegression<f64, i64, DenseMatrix<f64>, Vec<i64>>;

/// Strength of the quadratic penalty, that of the workload.
const STRENGTH: f64 = 1.0;
const MOST_STEPS: u64 = 5000;

struct Tables {
    linfa: Dataset<f64, i64, ndarray::Ix1>,
    smartcore: (DenseMatrix<f64>, Vec<i64>),
}

enum Model {
    Linfa(FittedLogisticRegression<f64, i64>),
    Smartcore(Smart),
}

#[derive(Default)]
struct Session {
    tables: Option<Tables>,
    model: Option<Model>,
    answer: Vec<f64>,
}

impl Session {
    fn handle(&mut self, line: &str) -> Result<String, Box<dyn Error>> {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words[..] {
            ["load", folder] => self.tables = Some(load(Path::new(folder))?),
            ["fit", peer] => {
                self.model = None;
                let tables = self.tables.as_ref().ok_or("nothing is loaded")?;
                let (name, tolerance) = peer.split_once('@').ok_or("a tolerance is missing")?;
                let tolerance = tolerance.parse()?;
                let (model, reply) = timed(|| fit(name, tolerance, tables))?;
                self.model = Some(model);
                return Ok(reply);
            }
            ["proba"] => {
                // smartcore gives labels alone.
                let Some(Model::Linfa(model)) = &self.model else { return Ok("none".into()) };
                let tables = self.tables.as_ref().ok_or("nothing is loaded")?;
                let (events, reply) = timed(|| Ok(model.predict_probabilities(tables.linfa.records())))?;
                let first = event_sign(model) < 0.0;
                self.answer = events.iter().flat_map(|p| if first { [*p, 1.0 - p] } else { [1.0 - p, *p] }).collect();
                return Ok(reply);
            }
            ["answer", file] => npy::write(Path::new(file), &self.answer, &[self.answer.len() / 2, 2])?,
            ["parameters", file] => {
                let estimates = estimates(self.model.as_ref().ok_or("nothing is fitted")?);
                npy::write(Path::new(file), &estimates, &[estimates.len()])?;
            }
            ["errors", _] => return Ok("none".into()),
            _ => return Err(format!("no such request: {line}").into()),
        }
        Ok("ok".into())
    }
}

fn load(folder: &Path) -> Result<Tables, Box<dyn Error>> {
    let table = folder.join("X.npy");
    if npy::number_name(&table)? != "<f8" {
        return Err("only tables of numbers are known".into());
    }
    let (numbers, labels) = (npy::read::<f64>(&table)?, npy::read::<i64>(&folder.join("y.npy"))?.data);
    let (rows, columns) = (numbers.shape[0], numbers.shape[1]);
    let smartcore = DenseMatrix::new(rows, columns, numbers.data.clone(), false)?;
    let records = Array2::from_shape_vec((rows, columns), numbers.data)?;
    let linfa = Dataset::new(records, Array1::from_vec(labels.clone()));
    Ok(Tables { linfa, smartcore: (smartcore, labels) })
}

fn fit(name: &str, tolerance: f64, tables: &Tables) -> Result<Model, Box<dyn Error>> {
    match name {
        "linfa" => {
            // linfa stops at a slope of the sum over rows.
            let slope = tolerance * tables.smartcore.1.len() as f64;
            let options = LogisticRegression::default().alpha(STRENGTH).gradient_tolerance(slope).max_iterations(MOST_STEPS);
            Ok(Model::Linfa(options.fit(&tables.linfa)?))
        }
        // smartcore has no tolerance to set.
        "smartcore" => {
            let options = smart::LogisticRegressionParameters::default().with_alpha(STRENGTH);
            Ok(Model::Smartcore(smart::LogisticRegression::fit(&tables.smartcore.0, &tables.smartcore.1, options)?))
        }
        _ => Err(format!("no such peer: {name}").into()),
    }
}

/// The intercept, then the coefficients.
fn estimates(model: &Model) -> Vec<f64> {
    match model {
        Model::Linfa(model) => {
            let sign = event_sign(model);
            std::iter::once(model.intercept()).chain(model.params().iter().copied()).map(|estimate| sign * estimate).collect()
        }
        Model::Smartcore(model) => model.intercept().iterator(0).chain(model.coefficients().iterator(0)).copied().collect(),
    }
}

/// 1 when the log odds of linfa are those of label 1, −1 when they are those of label 0.
fn event_sign(model: &FittedLogisticRegression<f64, i64>) -> f64 {
    if model.labels().pos.class == 1 { 1.0 } else { -1.0 }
}

/// Does a piece of work and reports its seconds, its processor time and the peak of memory.
fn timed<T>(work: impl FnOnce() -> Result<T, Box<dyn Error>>) -> Result<(T, String), Box<dyn Error>> {
    let memory = memory::Watermark::start();
    let (start, cpu) = (Instant::now(), cpu::seconds());
    let done = work()?;
    let (seconds, cpu) = (start.elapsed().as_secs_f64(), cpu::seconds().zip(cpu).map(|(after, before)| after - before));
    let told = |figure: Option<f64>| figure.map_or("-".to_owned(), |figure| figure.to_string());
    Ok((done, format!("ok {seconds} {} {}", told(cpu), told(memory.extra().map(|bytes| bytes as f64)))))
}

fn main() -> std::io::Result<()> {
    let mut session = Session::default();
    for line in std::io::stdin().lock().lines() {
        let reply = session.handle(&line?).unwrap_or_else(|error| format!("error {error}").replace('\n', " "));
        println!("{reply}");
        std::io::stdout().flush()?;
    }
    Ok(())
}
