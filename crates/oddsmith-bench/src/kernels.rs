//! The hot loops as jobs of a fixed size, whose instructions an emulator counts.
//!
//! `oddsmith-bench kernel NAME REPEATS` prepares a job and runs its request that many times on one thread. Counts of two
//! numbers of repeats differ by the request alone: start, data and preparation cancel out.

use oddsmith::error::{Error, Result};

use crate::arrays::Arrays;
use crate::session::Session;
use crate::synthetic;

/// A job: its data, the requests that prepare it, and the request that counts.
struct Kernel {
    name: &'static str,
    data: fn() -> Arrays,
    before: &'static [&'static str],
    request: &'static str,
}

const fn kernel(name: &'static str, data: fn() -> Arrays, before: &'static [&'static str], request: &'static str) -> Kernel {
    Kernel { name, data, before, request }
}

const KERNELS: &[Kernel] = &[
    kernel("gaussian_nb_fit", three_classes, &[], "fit gaussian-nb"),
    kernel("gaussian_nb_proba", three_classes, &["fit gaussian-nb"], "proba"),
    kernel("categorical_nb_fit", || synthetic::codes(4_000, 20, 3), &[], "fit categorical-nb"),
    kernel("categorical_nb_proba", || synthetic::codes(4_000, 20, 3), &["fit categorical-nb"], "proba"),
    kernel("multinomial_nb_fit", documents, &[], "fit multinomial-nb"),
    kernel("multinomial_nb_predict", documents, &["fit multinomial-nb"], "predict"),
    kernel("bernoulli_nb_fit", documents, &[], "fit bernoulli-nb"),
    kernel("lda_fit", three_classes, &[], "fit lda"),
    kernel("lda_proba", three_classes, &["fit lda"], "proba"),
    kernel("qda_fit", three_classes, &[], "fit qda"),
    kernel("qda_proba", three_classes, &["fit qda"], "proba"),
    kernel("logistic_fit", two_classes, &[], "fit logistic l2=1"),
    kernel("logistic_inference", two_classes, &[], "fit logistic ci=wald"),
    kernel("logistic_proba", two_classes, &["fit logistic l2=1"], "proba"),
    kernel("softmax_fit", || synthetic::numbers(4_000, 20, 5), &[], "fit logistic l2=1"),
    kernel("logistic_sparse_fit", || synthetic::words(2_000, 5_000, 2), &[], "fit logistic l2=1"),
    kernel("least_squares_fit", two_classes, &[], "fit least-squares l2=1"),
    kernel("perceptron_fit", two_classes, &[], "fit perceptron epochs=5 no-verdict"),
    kernel("network_fit", two_classes, &[], "fit network hidden=16 activation=relu search=adam steps=2"),
    kernel("tree_fit", two_classes, &[], "fit tree max-depth=6"),
    kernel("boosting_fit", two_classes, &[], "fit boosting max-iter=5"),
    kernel("knn_proba", two_classes, &["fit knn k=10 alpha=0"], "proba"),
    kernel("auc", two_classes, &[], "auc"),
];

fn two_classes() -> Arrays {
    synthetic::numbers(4_000, 20, 2)
}

fn three_classes() -> Arrays {
    synthetic::numbers(4_000, 20, 3)
}

fn documents() -> Arrays {
    synthetic::words(2_000, 5_000, 10)
}

/// The names of all jobs.
pub(crate) fn names() -> Vec<&'static str> {
    KERNELS.iter().map(|kernel| kernel.name).collect()
}

/// Prepares a job and runs it.
pub(crate) fn run(name: &str, repeats: usize) -> Result<()> {
    let kernel = KERNELS.iter().find(|kernel| kernel.name == name);
    let kernel = kernel.ok_or_else(|| Error::data(format!("no kernel {name}; there are {}", names().join(", "))))?;
    let mut session = Session::untimed((kernel.data)());
    session.handle("threads 1")?;
    for request in kernel.before {
        session.handle(request)?;
    }
    (0..repeats).try_for_each(|_| session.handle(kernel.request).map(drop))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kernel_runs() {
        for name in names() {
            run(name, 1).unwrap_or_else(|error| panic!("{name}: {error}"));
        }
        assert!(run("gaussian", 1).is_err());
    }
}
