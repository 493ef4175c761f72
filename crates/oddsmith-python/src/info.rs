//! Information of arrays: entropies, divergences, mutual information, capacity, codes.

use numpy::{PyArray1, PyReadonlyArray1, PyReadonlyArray2};
use oddsmith::error::DataFault;
use oddsmith::info::code::{PrefixCode, ProbabilityRows, decode_classes, encode_classes};
use oddsmith::info::{
    Candidate, Channel, Distribution, Gaussian, Joint, ModelPosterior, MutualInformation, NeighbourInformation, krichevsky_trofimov_bits,
    mdl_cuts, neighbour_information, normalized_likelihood_bits, number_pair,
};
use oddsmith::num::MatrixView;
use oddsmith::persist::{ColumnCode, ColumnFile};
use oddsmith::{Error, Result, train};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

use crate::edge::raise;
use crate::work;

pub(crate) fn distribution(values: &[f64], counts: bool) -> Result<Distribution> {
    if counts { Distribution::of_counts(values) } else { Distribution::new(values) }
}

/// A quantity of the rows of a matrix.
fn of_rows<'py>(
    py: Python<'py>,
    p: &PyReadonlyArray2<'_, f64>,
    quantity: impl Fn(&[f64]) -> Result<f64> + Send,
) -> PyResult<Bound<'py, PyArray1<f64>>> {
    let (cells, columns) = (p.as_slice()?, p.as_array().ncols());
    let values = work::run(py, cells.len(), |_| cells.chunks_exact(columns.max(1)).map(quantity).collect::<Result<Vec<f64>>>())?;
    Ok(PyArray1::from_vec(py, values))
}

/// A quantity of pairs of rows of two matrices.
fn of_pairs<'py>(
    py: Python<'py>,
    (p, q): (&PyReadonlyArray2<'_, f64>, &PyReadonlyArray2<'_, f64>),
    counts: bool,
    quantity: impl Fn(&Distribution, &Distribution) -> Result<f64> + Send + Sync,
) -> PyResult<Bound<'py, PyArray1<f64>>> {
    let (left, right, columns) = (p.as_slice()?, q.as_slice()?, p.as_array().ncols().max(1));
    let values = work::run(py, left.len(), |_| {
        let pairs = left.chunks_exact(columns).zip(right.chunks_exact(columns));
        pairs.map(|(p, q)| quantity(&distribution(p, counts)?, &distribution(q, counts)?)).collect::<Result<Vec<f64>>>()
    })?;
    Ok(PyArray1::from_vec(py, values))
}

/// Entropies of the rows, in nats.
#[pyfunction]
pub(crate) fn info_entropy<'py>(py: Python<'py>, p: PyReadonlyArray2<'_, f64>, counts: bool) -> PyResult<Bound<'py, PyArray1<f64>>> {
    of_rows(py, &p, |row| Ok(distribution(row, counts)?.entropy()))
}

/// Cross-entropies, relative entropies ("kl") or Jensen–Shannon divergences ("js") of pairs of rows, in nats.
#[pyfunction]
pub(crate) fn info_divergence<'py>(
    py: Python<'py>,
    p: PyReadonlyArray2<'_, f64>,
    q: PyReadonlyArray2<'_, f64>,
    counts: bool,
    what: &str,
) -> PyResult<Bound<'py, PyArray1<f64>>> {
    match what {
        "cross" => of_pairs(py, (&p, &q), counts, Distribution::cross_entropy),
        "js" => of_pairs(py, (&p, &q), counts, Distribution::jensen_shannon),
        _ => of_pairs(py, (&p, &q), counts, Distribution::relative_entropy),
    }
}

fn fields<'py>(py: Python<'py>, found: &MutualInformation, joint: &Joint, level: f64) -> PyResult<Bound<'py, PyDict>> {
    let table = PyDict::new(py);
    let limits = found.non_central_limits(joint.total(), level);
    for (name, value) in [
        ("mutual_information", found.plug_in),
        ("corrected", found.estimate),
        ("bias", found.bias),
        ("std_error", found.standard_error),
        ("conf_low", found.interval.0),
        ("conf_high", found.interval.1),
        ("non_central_low", limits.0),
        ("non_central_high", limits.1),
        ("g", found.g),
        ("df", found.df),
        ("p_value", found.p_value),
        ("row_entropy", joint.row_entropy()),
        ("column_entropy", joint.column_entropy()),
        ("joint_entropy", joint.joint_entropy()),
    ] {
        table.set_item(name, value)?;
    }
    Ok(table)
}

/// Mutual information of a table of counts with all that is known of it, in nats.
#[pyfunction]
pub(crate) fn info_table<'py>(py: Python<'py>, table: PyReadonlyArray2<'_, f64>, level: f64) -> PyResult<Bound<'py, PyDict>> {
    let joint = Joint::new(table.as_array().ncols(), table.as_slice()?.to_vec()).map_err(|error| raise(py, error))?;
    if joint.total() <= 0.0 {
        return Err(raise(py, Error::data("the table counts nothing")));
    }
    fields(py, &joint.inference(joint.total(), level), &joint, level)
}

/// Mutual information of a number with classes from neighbours, in nats, and the share of values that tie.
#[pyfunction]
pub(crate) fn info_neighbours(
    py: Python<'_>,
    x: PyReadonlyArray1<'_, f64>,
    codes: PyReadonlyArray1<'_, u32>,
    classes: usize,
    k: usize,
) -> PyResult<Option<(f64, f64)>> {
    let (x, codes) = (x.as_slice()?, codes.as_slice()?);
    work::run(py, 16 * x.len(), |_| {
        if x.len() != codes.len() || codes.iter().any(|code| *code as usize >= classes) {
            return Err(Error::data(format!("{} values come with {} classes", x.len(), codes.len())));
        }
        let rows: Vec<(f64, u32)> = x.iter().zip(codes).filter(|(x, _)| x.is_finite()).map(|(x, code)| (*x, *code)).collect();
        Ok(neighbour_information(rows, classes, k).map(|found| (found.estimate, found.ties)))
    })
}

/// Entropy of a normal distribution; relative entropy where a second is given; mutual information where `first` variables are split off.
#[pyfunction]
pub(crate) fn info_gaussian(
    py: Python<'_>,
    mean: PyReadonlyArray1<'_, f64>,
    covariance: PyReadonlyArray2<'_, f64>,
    other: Option<(PyReadonlyArray1<'_, f64>, PyReadonlyArray2<'_, f64>)>,
    first: Option<usize>,
) -> PyResult<f64> {
    let normal = |mean: &PyReadonlyArray1<'_, f64>, covariance: &PyReadonlyArray2<'_, f64>| -> PyResult<Gaussian> {
        Gaussian::new(mean.as_slice()?, covariance.as_slice()?).map_err(|error| raise(py, error))
    };
    let own = normal(&mean, &covariance)?;
    let found = match (&other, first) {
        (Some((mean, covariance)), _) => own.relative_entropy(&normal(mean, covariance)?),
        (None, Some(first)) => own.mutual_information(first),
        (None, None) => Ok(own.entropy()),
    };
    found.map_err(|error| raise(py, error))
}

/// Capacity of a channel in nats: lower bound, upper bound, input, output.
#[pyfunction]
#[expect(clippy::type_complexity, reason = "what Python unpacks")]
pub(crate) fn info_capacity<'py>(
    py: Python<'py>,
    channel: PyReadonlyArray2<'_, f64>,
) -> PyResult<(f64, f64, Bound<'py, PyArray1<f64>>, Bound<'py, PyArray1<f64>>)> {
    let (outputs, rows) = (channel.as_array().ncols(), channel.as_slice()?);
    let found = work::run(py, 1000 * rows.len(), |_| Ok(Channel::new(outputs, rows)?.capacity()))?;
    Ok((found.lower, found.upper, PyArray1::from_vec(py, found.input), PyArray1::from_vec(py, found.output)))
}

/// The code of a name, or the shortest with words of so many bits at most.
pub(crate) fn prefix_code(p: &Distribution, code: &str, limit: Option<u32>) -> Result<PrefixCode> {
    match (limit, code) {
        (Some(limit), _) => PrefixCode::limited(p, limit),
        (None, "shannon") => PrefixCode::shannon(p),
        _ => PrefixCode::huffman(p),
    }
}

/// Words of a prefix-free code as texts of 0 and 1; `None` for what has no probability.
#[pyfunction]
pub(crate) fn info_words(
    py: Python<'_>,
    p: PyReadonlyArray1<'_, f64>,
    counts: bool,
    code: &str,
    limit: Option<u32>,
) -> PyResult<Vec<Option<String>>> {
    let made = distribution(p.as_slice()?, counts).and_then(|p| prefix_code(&p, code, limit));
    let made = made.map_err(|error| raise(py, error))?;
    let text = |word: &[bool]| word.iter().map(|bit| if *bit { '1' } else { '0' }).collect();
    Ok((0..made.lengths().len()).map(|symbol| made.word(symbol).map(text)).collect())
}

fn check_codes(codes: &[u32], classes: usize) -> Result<()> {
    match codes.iter().position(|code| *code as usize >= classes) {
        None => Ok(()),
        Some(at) => Err(DataFault::new("the label is the code of no class:").row(at as u64 + 1).value(codes[at].to_string()).into()),
    }
}

/// Rows of probabilities of all `classes`, or of the second of two where there is a single column of them.
fn probability_rows(cells: &[f64], classes: Option<usize>) -> ProbabilityRows<'_> {
    classes.map_or(ProbabilityRows::OfSecond(cells), |classes| ProbabilityRows::OfAll { cells, classes })
}

/// Cells of probabilities that are coded in the time in which others look at one: a million of them are over before a signal is looked for.
const CODED_AT_ONCE: usize = 8;

/// Labels coded by their probabilities, row after row.
#[pyfunction]
pub(crate) fn info_encode<'py>(
    py: Python<'py>,
    codes: PyReadonlyArray1<'_, u32>,
    probabilities: PyReadonlyArray1<'_, f64>,
    classes: Option<usize>,
    threads: usize,
) -> PyResult<Bound<'py, PyBytes>> {
    let (codes, cells) = (codes.as_slice()?, probabilities.as_slice()?);
    let stream = work::run(py, cells.len() / CODED_AT_ONCE, |_| {
        encode_classes(codes, probability_rows(cells, classes), work::thread_count(threads))
    })?;
    Ok(PyBytes::new(py, &stream))
}

/// The labels of a stream, by the same probabilities.
#[pyfunction]
pub(crate) fn info_decode<'py>(
    py: Python<'py>,
    stream: &[u8],
    probabilities: PyReadonlyArray1<'_, f64>,
    classes: Option<usize>,
    threads: usize,
) -> PyResult<Bound<'py, PyArray1<u32>>> {
    let cells = probabilities.as_slice()?;
    let codes = work::run(py, cells.len() / CODED_AT_ONCE, |_| {
        decode_classes(stream, probability_rows(cells, classes), work::thread_count(threads))
    })?;
    Ok(PyArray1::from_vec(py, codes))
}

/// Places of the cuts between ordered values that pay for themselves by description length: the value before and the value after each.
#[pyfunction]
pub(crate) fn info_mdl_cuts(
    py: Python<'_>,
    x: PyReadonlyArray1<'_, f64>,
    codes: PyReadonlyArray1<'_, u32>,
    classes: usize,
) -> PyResult<Vec<(f64, f64)>> {
    let (x, codes) = (x.as_slice()?, codes.as_slice()?);
    work::run(py, 16 * x.len(), |_| {
        check_codes(codes, classes)?;
        let mut rows: Vec<(f64, u32)> = x.iter().zip(codes).filter(|(x, _)| !x.is_nan()).map(|(x, code)| (*x + 0.0, *code)).collect();
        rows.sort_by(|a, b| a.0.total_cmp(&b.0));
        let (mut values, mut counts): (Vec<f64>, Vec<f64>) = (Vec::new(), Vec::new());
        for (value, code) in rows {
            if values.last() != Some(&value) {
                values.push(value);
                counts.resize(counts.len() + classes, 0.0);
            }
            let last = counts.len() - classes;
            counts[last + code as usize] += 1.0;
        }
        Ok(mdl_cuts(&counts, classes).into_iter().map(|bin| (values[bin - 1], values[bin])).collect())
    })
}

/// Mutual information of columns of small whole numbers with classes, by counts as they are, in nats.
#[pyfunction]
pub(crate) fn info_count_screen<'py>(
    py: Python<'py>,
    x: PyReadonlyArray2<'_, i64>,
    codes: PyReadonlyArray1<'_, u32>,
    classes: usize,
    threads: usize,
) -> PyResult<Bound<'py, PyArray1<f64>>> {
    let (cells, columns, codes) = (x.as_slice()?, x.as_array().ncols(), codes.as_slice()?);
    let found = work::run(py, cells.len(), |control| {
        let tables = train::count_screen(cells, columns, codes, classes, work::threads(threads), control)?;
        Ok(tables.iter().map(Joint::mutual_information).collect::<Vec<f64>>())
    })?;
    Ok(PyArray1::from_vec(py, found))
}

/// Mutual information of columns of numbers with classes from neighbours, in nats, and the share of values that tie; NaN where there is none.
#[pyfunction]
#[expect(clippy::type_complexity, reason = "what Python unpacks")]
pub(crate) fn info_neighbour_screen<'py>(
    py: Python<'py>,
    x: PyReadonlyArray2<'_, f64>,
    codes: PyReadonlyArray1<'_, u32>,
    classes: usize,
    k: usize,
    threads: usize,
) -> PyResult<(Bound<'py, PyArray1<f64>>, Bound<'py, PyArray1<f64>>)> {
    let (cells, columns, codes) = (x.as_slice()?, x.as_array().ncols(), codes.as_slice()?);
    let found = work::run(py, 16 * cells.len(), |control| {
        let view = MatrixView::row_major(cells, codes.len(), columns)?;
        train::neighbour_screen(view, codes, classes, k, work::threads(threads), control)
    })?;
    let of = |pick: fn(&NeighbourInformation) -> f64| found.iter().map(|each| each.as_ref().map_or(f64::NAN, pick)).collect::<Vec<f64>>();
    Ok((PyArray1::from_vec(py, of(|each| each.estimate)), PyArray1::from_vec(py, of(|each| each.ties))))
}

/// What two numbers tell about each other: from neighbours, ties, from bins with limits and test, correlation, and what it says; in nats.
#[pyfunction]
pub(crate) fn info_number_pair<'py>(
    py: Python<'py>,
    x: PyReadonlyArray1<'_, f64>,
    y: PyReadonlyArray1<'_, f64>,
    k: usize,
    level: f64,
) -> PyResult<Bound<'py, PyDict>> {
    let (x, y) = (x.as_slice()?, y.as_slice()?);
    let found = work::run(py, 256 * x.len(), |_| number_pair(x, y, None, x.len() as f64, k, level))?;
    let table = PyDict::new(py);
    for (name, value) in [
        ("neighbours", found.neighbours.unwrap_or(f64::NAN)),
        ("ties", found.ties),
        ("binned", found.binned.estimate),
        ("conf_low", found.binned.interval.0),
        ("conf_high", found.binned.interval.1),
        ("p_value", found.binned.p_value),
        ("correlation", found.correlation),
        ("normal", found.normal),
    ] {
        table.set_item(name, value)?;
    }
    Ok(table)
}

/// A column of texts as the bytes of a file.
#[pyfunction]
pub(crate) fn info_encode_cells<'py>(
    py: Python<'py>,
    name: &str,
    cells: Vec<Option<String>>,
    rows: PyReadonlyArray1<'_, u32>,
    code: &str,
    limit: Option<u32>,
) -> PyResult<Bound<'py, PyBytes>> {
    let rows = rows.as_slice()?;
    let code = match (limit, code) {
        (Some(bits), _) => ColumnCode::Limited(bits),
        (None, "huffman") => ColumnCode::Huffman,
        (None, "shannon") => ColumnCode::Shannon,
        _ => ColumnCode::Arithmetic,
    };
    let bytes = work::run(py, 16 * rows.len(), |_| Ok(ColumnFile::new(name, cells, rows, code)?.to_bytes()))?;
    Ok(PyBytes::new(py, &bytes))
}

/// The name and the cells of a coded column.
#[pyfunction]
pub(crate) fn info_decode_cells(py: Python<'_>, bytes: &[u8]) -> PyResult<(String, Vec<Option<String>>)> {
    work::run(py, 16 * bytes.len(), |_| {
        let file = ColumnFile::from_bytes(bytes)?;
        let mut cells = Vec::new();
        file.for_each(&mut |cell| {
            cells.push(cell.map(str::to_owned));
            Ok(())
        })?;
        Ok((file.name().to_owned(), cells))
    })
}

/// Models compared by their log evidences in nats: posterior, Bayes factors against the best in nats, bits to say model and data.
#[pyfunction]
#[expect(clippy::type_complexity, reason = "what Python unpacks")]
pub(crate) fn info_posterior(py: Python<'_>, log_evidence: Vec<f64>, prior: Vec<f64>) -> PyResult<(Vec<f64>, Vec<f64>, Vec<f64>, f64)> {
    let compared = |(at, (ln, prior)): (usize, (&f64, &f64))| Candidate { name: at.to_string(), prior: *prior, log_evidence: *ln };
    let candidates = log_evidence.iter().zip(&prior).enumerate().map(compared).collect();
    let posterior = ModelPosterior::new(candidates).map_err(|error| raise(py, error))?;
    let (all, best) = (0..log_evidence.len(), posterior.most_likely());
    let factors = all.clone().map(|at| posterior.bayes_factor(at, best).ln).collect();
    let bits = all.map(|at| posterior.two_part_bits(at)).collect();
    Ok((posterior.posterior().to_vec(), factors, bits, posterior.log_evidence()))
}

/// Bits of labels with these counts by the code of Krichevsky and Trofimov ("kt") or by normalised maximum likelihood ("nml").
#[pyfunction]
pub(crate) fn info_label_bits(py: Python<'_>, counts: Vec<u64>, code: &str) -> PyResult<f64> {
    match code {
        "kt" => Ok(krichevsky_trofimov_bits(&counts.iter().map(|count| *count as f64).collect::<Vec<_>>())),
        _ => normalized_likelihood_bits(&counts).map_err(|error| raise(py, error)),
    }
}
