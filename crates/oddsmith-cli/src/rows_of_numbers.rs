//! Numbers at the command or in a file: rows of decimals and fractions.

use std::path::Path;

use oddsmith::error::DataFault;
use oddsmith::{Error, ErrorKind};

use crate::exit::Failure;

/// Rows of numbers: one an argument, or one a line of the file.
pub(crate) fn rows(arguments: &[String], file: Option<&Path>) -> Result<Vec<Vec<f64>>, Failure> {
    let texts: Vec<String> = match file {
        None => arguments.to_vec(),
        Some(path) => {
            let text = std::fs::read_to_string(path).map_err(|source| ErrorKind::Io { path: path.display().to_string(), source });
            text.map_err(Error::from)?.lines().filter(|line| !line.trim().is_empty()).map(str::to_owned).collect()
        }
    };
    let rows: Vec<Vec<f64>> = texts.iter().enumerate().map(|(at, text)| row(text, at)).collect::<Result<_, _>>()?;
    match rows.is_empty() {
        true => Err(Failure::Usage("there are no numbers; write some, or name a file that holds them with --file".into())),
        false => Ok(rows),
    }
}

/// The coverage of an interval.
pub(crate) fn parse_level(text: &str) -> Result<f64, String> {
    text.parse().ok().filter(|level: &f64| *level > 0.0 && *level < 1.0).ok_or_else(|| "a number between 0 and 1".into())
}

/// All numbers in one row.
pub(crate) fn one_row(rows: Vec<Vec<f64>>) -> Vec<f64> {
    rows.concat()
}

/// Rows of the same length as one matrix: columns and cells.
pub(crate) fn matrix(rows: &[Vec<f64>]) -> Result<(usize, Vec<f64>), Failure> {
    let columns = rows.first().map_or(0, Vec::len);
    match rows.iter().position(|row| row.len() != columns) {
        None => Ok((columns, rows.concat())),
        Some(at) => {
            let what = format!("has {} numbers, the first row {columns}", rows[at].len());
            Err(Error::from(DataFault::new(what).row(at as u64 + 1).accepted("give every row as many numbers")).into())
        }
    }
}

fn row(text: &str, at: usize) -> Result<Vec<f64>, Failure> {
    let cells = text.split([',', ';', '\t', ' ']).filter(|cell| !cell.is_empty());
    cells.map(|cell| number(cell).ok_or_else(|| refused(cell, at))).collect()
}

fn number(cell: &str) -> Option<f64> {
    match cell.split_once('/') {
        Some((above, below)) => Some(above.trim().parse::<f64>().ok()? / below.trim().parse::<f64>().ok()?),
        None => cell.parse().ok(),
    }
}

fn refused(cell: &str, at: usize) -> Failure {
    let fault = DataFault::new("is not a number:").row(at as u64 + 1).value(cell);
    Error::from(fault.accepted("write decimals such as 0.25 or fractions such as 1/4, with commas between them")).into()
}

/// Probabilities as whole weights: decimals and fractions are taken as they are written, not as they are rounded.
pub(crate) fn exact_weights(texts: &[String]) -> Result<Vec<u64>, Failure> {
    let cells: Vec<&str> = texts.iter().flat_map(|text| text.split([',', ' '])).filter(|cell| !cell.is_empty()).collect();
    let mut fractions = Vec::new();
    for (at, cell) in cells.iter().enumerate() {
        fractions.push(fraction(cell).ok_or_else(|| refused(cell, at))?);
    }
    let too_large = || Failure::Usage("the probabilities have no common denominator below 2^64; write them with fewer digits".into());
    let common = fractions.iter().try_fold(1u128, |common, (_, below)| lowest_common(common, *below)).ok_or_else(too_large)?;
    let weight = |(above, below): &(u128, u128)| above.checked_mul(common / below).and_then(|weight| u64::try_from(weight).ok());
    fractions.iter().map(weight).collect::<Option<_>>().ok_or_else(too_large)
}

/// A decimal or a fraction from 0 up, as a fraction.
fn fraction(cell: &str) -> Option<(u128, u128)> {
    if let Some((above, below)) = cell.split_once('/') {
        let (above, below): (u128, u128) = (above.parse().ok()?, below.parse().ok()?);
        return (below > 0).then_some((above, below));
    }
    let (whole, decimals) = cell.split_once('.').unwrap_or((cell, ""));
    let digits = format!("{whole}{decimals}");
    let fits = decimals.len() <= 18 && !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    fits.then(|| digits.parse().ok().map(|above| (above, 10u128.pow(decimals.len() as u32)))).flatten()
}

fn lowest_common(a: u128, b: u128) -> Option<u128> {
    let (mut x, mut y) = (a, b);
    while y != 0 {
        (x, y) = (y, x % y);
    }
    (a / x).checked_mul(b).filter(|common| *common <= u128::from(u64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimals_and_fractions() {
        assert_eq!(row("0.5,1/4 1/4", 0).unwrap(), [0.5, 0.25, 0.25]);
        assert!(row("a", 2).unwrap_err().to_string().contains("row 3: is not a number: `a`"));
        assert!(matrix(&[vec![1.0, 2.0], vec![1.0]]).unwrap_err().to_string().contains("row 2: has 1 numbers, the first row 2"));
        assert!(rows(&[], None).is_err());
    }

    #[test]
    fn weights_are_exact() {
        let weights = |text: &str| exact_weights(&[text.to_owned()]).unwrap();
        assert_eq!(weights("0.9,0.1"), [9, 1]);
        assert_eq!(weights("1/3 2/3"), [1, 2]);
        assert_eq!(weights("1/6,0.5,1/3"), [5, 15, 10]);
        assert!(exact_weights(&["-1".into()]).is_err() && exact_weights(&["0.0000000000000000001".into()]).is_err());
    }
}
