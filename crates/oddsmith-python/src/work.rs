//! Running work without the interpreter: other Python threads go on, Ctrl-C stops it, a panic becomes an exception.

use std::num::NonZeroUsize;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use oddsmith::Result;
use oddsmith::control::Control;
use oddsmith::error::Error;
use pyo3::prelude::*;

use crate::edge::{raise, raise_panic};

/// How often a waiting main thread looks for signals.
const SIGNAL_PERIOD: Duration = Duration::from_millis(50);
/// Work on fewer cells than this is over before anyone could interrupt it, and a thread of its own would cost more.
const SMALL: usize = 1 << 18;

/// A thread count from Python: 0 stands for what the machine offers.
pub(crate) fn threads(count: usize) -> Option<NonZeroUsize> {
    NonZeroUsize::new(count)
}

/// The same as a number of threads.
pub(crate) fn thread_count(count: usize) -> usize {
    threads(count).or_else(|| std::thread::available_parallelism().ok()).map_or(1, NonZeroUsize::get)
}

/// Does `work` on about `cells` cells with the interpreter released. While it runs on a thread of its own, this thread
/// looks for signals; one of them that raises stops the work.
pub(crate) fn run<T: Send>(py: Python<'_>, cells: usize, work: impl FnOnce(&Control) -> Result<T> + Send) -> PyResult<T> {
    let control = Control::new();
    if cells < SMALL {
        let done = py.detach(|| catch_unwind(AssertUnwindSafe(|| work(&control))));
        return finish(py, done);
    }
    let mut interrupt = None;
    let done = py.detach(|| {
        std::thread::scope(|scope| {
            // Nothing is ever sent: the end of the sender is the message.
            let (alive, ended) = channel::<()>();
            let control = &control;
            let worker = scope.spawn(move || {
                let _alive = alive;
                catch_unwind(AssertUnwindSafe(|| work(control)))
            });
            while ended.recv_timeout(SIGNAL_PERIOD) == Err(RecvTimeoutError::Timeout) {
                if interrupt.is_none() {
                    interrupt = Python::attach(|py| py.check_signals()).err();
                    if interrupt.is_some() {
                        control.cancel();
                    }
                }
            }
            worker.join().unwrap_or_else(Err)
        })
    });
    match interrupt {
        Some(interrupt) => Err(interrupt),
        None => finish(py, done),
    }
}

type Outcome<T> = std::result::Result<Result<T>, Box<dyn std::any::Any + Send>>;

fn finish<T>(py: Python<'_>, done: Outcome<T>) -> PyResult<T> {
    match done {
        Ok(done) => done.map_err(|error: Error| raise(py, error)),
        Err(payload) => Err(raise_panic(py, &*payload)),
    }
}

/// Panics on purpose, inside work on about `cells` cells: tests see by it that the process lives on.
#[pyfunction]
pub(crate) fn panic_in_work(py: Python<'_>, cells: usize) -> PyResult<()> {
    run(py, cells, |_| -> Result<()> { panic!("on purpose") })
}
