//! Our side of the benchmark: a worker that loads arrays once and answers one request per line.
//!
//! ```text
//! load FOLDER                 X.npy or X.data.npy, X.indices.npy, X.indptr.npy, X.shape.npy, and y.npy
//! threads N                   from now on; all cores before
//! limit read|lines BYTES N    bytes per second at which N threads read memory, or count the lines of a text in it
//! fit MODEL [OPTION=VALUE…]     a model of the registry
//! proba                       class probabilities of all rows
//! predict                     the label of every row
//! auc                         the area under the ROC curve of the first column, with DeLong's variance
//! folds N MODEL…              cross-validates and judges models on the same N folds
//! answer FILE                 writes the last answer
//! parameters FILE             writes the estimates of the model's own table
//! errors FILE                 writes the standard errors of a regression in the order of its estimates; answers `none` without
//! ```
//!
//! `oddsmith-bench kernels` lists the jobs whose instructions are counted, `oddsmith-bench kernel NAME REPEATS` runs one.
//!
//! `fit`, `proba`, `predict`, `auc` and `folds` answer `ok SECONDS CPU EXTRA`: wall time, processor time of all threads, and the peak of
//! memory in bytes beyond what was there before and beyond the answer itself; `-` stands for what the system does not
//! tell. The others answer `ok`. What fails answers `error` and a message.
//! Everything that a caller with NumPy arrays would wait for is inside the time: finding classes and levels, bringing
//! codes and row starts into our form, and making room for the answer.
#![allow(clippy::print_stdout)] // Standard output is the line to the driver.

mod arrays;
mod codes;
mod cpu;
mod kernels;
mod labels;
mod limits;
mod memory;
mod npy;
mod params;
mod session;
mod source;
mod synthetic;

use std::io::{BufRead, Write};

use session::Session;

fn main() -> std::io::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match &arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] => serve(),
        ["kernels"] => {
            println!("{}", kernels::names().join("\n"));
            Ok(())
        }
        ["kernel", name, repeats] => {
            let repeats = repeats.parse().map_err(std::io::Error::other)?;
            kernels::run(name, repeats).map_err(std::io::Error::other)
        }
        _ => Err(std::io::Error::other("usage: oddsmith-bench [kernels | kernel NAME REPEATS]")),
    }
}

/// Answers requests until the driver closes the line.
fn serve() -> std::io::Result<()> {
    let mut session = Session::default();
    for line in std::io::stdin().lock().lines() {
        let reply = match session.handle(&line?) {
            Ok(reply) => reply,
            Err(error) => format!("error {error}"),
        };
        println!("{reply}");
        std::io::stdout().flush()?;
    }
    Ok(())
}
