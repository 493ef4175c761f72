//! Honest intervals and p-values: how often they are right over drawings whose truth is known.

use std::collections::BTreeMap;
use std::process::Command;
use std::time::{Duration, Instant};

use crate::failure::Failure;
use crate::trust::finding::Finding;
use crate::trust::scope::Scope;
use crate::trust::{page, trial};

/// Rows of a drawing. The promise is about the last; the others are published.
const SIZES: [usize; 3] = [50, 200, 5000];
/// Drawings of each size in the quick form and at length.
const DRAWN: [(usize, usize); 3] = [(300, 20_000), (200, 20_000), (40, 5_000)];
/// Coverage that is right, in percent, beside which chance has its say.
const RIGHT: (f64, f64) = (94.5, 95.5);
/// An even spread is doubted below this.
const DOUBT: f64 = 0.001;

/// What was counted of one interval or test.
#[derive(Debug, PartialEq)]
enum Counted {
    Interval { told: f64, held: f64 },
    Test { told: f64, alarms: f64, evenness: f64 },
}

/// What was counted, by name.
type Lines = Vec<(String, Counted)>;

/// Draws tables of every size.
pub(crate) fn run(scope: &Scope) -> Result<Vec<Finding>, Failure> {
    let program = scope.root.join("target/release/examples/coverage");
    // The largest drawings first: they take as long as all others.
    let told = trial::side_by_side(SIZES.len(), |at| {
        let at = SIZES.len() - 1 - at;
        let drawn = scope.count(DRAWN[at].0, DRAWN[at].1);
        let begin = Instant::now();
        let output = Command::new(&program).args(["honesty", &drawn.to_string(), &SIZES[at].to_string()]).output()?;
        match output.status.success() {
            true => Ok((SIZES[at], drawn, read(&String::from_utf8_lossy(&output.stdout)), begin.elapsed())),
            false => Err(Failure::new(format!("coverage: {}", String::from_utf8_lossy(&output.stderr)))),
        }
    })?;
    let mut by_size: BTreeMap<usize, (usize, Lines)> = BTreeMap::new();
    let mut times: BTreeMap<usize, Duration> = BTreeMap::new();
    for (size, drawn, lines, took) in told {
        by_size.insert(size, (drawn, lines));
        times.insert(size, took);
    }
    if scope.long {
        page::write(&scope.root, "intervals", &published(&by_size))?;
    }
    let both = |(size, (drawn, lines)): (&usize, &(usize, Lines))| {
        [intervals(*size, *drawn, lines), tests(*size, *drawn, lines)].map(|finding| finding.after(times[size]))
    };
    Ok(by_size.iter().flat_map(both).collect())
}

/// The lines of the program.
fn read(text: &str) -> Lines {
    let one = |line: &str| {
        let cells: Vec<&str> = line.split('\t').collect();
        let number = |at: usize| cells.get(at).and_then(|cell| cell.parse::<f64>().ok());
        let counted = match *cells.first()? {
            "interval" => Counted::Interval { told: number(4)?, held: number(5)? },
            "test" => Counted::Test { told: number(4)?, alarms: number(5)?, evenness: number(6)? },
            _ => return None,
        };
        Some(((*cells.get(1)?).to_owned(), counted))
    };
    text.lines().filter_map(one).collect()
}

/// How far chance moves a coverage of 95 %, in percent: a standard error.
fn by_chance(drawn: f64) -> f64 {
    100.0 * (0.95 * 0.05 / drawn.max(1.0)).sqrt()
}

fn intervals(size: usize, drawn: usize, lines: &[(String, Counted)]) -> Finding {
    let shares: Vec<(&str, f64, f64)> = lines
        .iter()
        .filter_map(|(name, counted)| match counted {
            Counted::Interval { told, held } => Some((name.as_str(), 100.0 * held / told.max(1.0), *told)),
            Counted::Test { .. } => None,
        })
        .collect();
    let far = |(_, share, told): &(&str, f64, f64)| {
        let spare = 3.0 * by_chance(*told);
        !(RIGHT.0 - spare..=RIGHT.1 + spare).contains(share)
    };
    let wrong: Vec<String> = shares.iter().filter(|one| far(one)).map(|(name, share, _)| format!("{name} {share:.1}")).collect();
    let promised = size == SIZES[SIZES.len() - 1];
    let goal = if promised { "94.5–95.5 %, give or take 3 standard errors of chance" } else { "published" };
    let measured =
        format!("{} beyond of {}; a standard error is {:.2} %{}", wrong.len(), shares.len(), by_chance(drawn as f64), listed(&wrong));
    Finding::new(
        format!("coverage of intervals, {drawn} drawings of {size} rows"),
        goal,
        measured,
        !shares.is_empty() && (!promised || wrong.is_empty()),
    )
}

fn tests(size: usize, drawn: usize, lines: &[(String, Counted)]) -> Finding {
    let all: Vec<(&str, f64, f64)> = lines
        .iter()
        .filter_map(|(name, counted)| match counted {
            Counted::Test { alarms, evenness, .. } => Some((name.as_str(), *alarms, *evenness)),
            Counted::Interval { .. } => None,
        })
        .collect();
    let uneven = all.iter().filter(|(_, _, evenness)| *evenness <= DOUBT);
    let wrong: Vec<String> =
        uneven.map(|(name, alarms, evenness)| format!("{name} ({:.1} % below 0.05, p {evenness:.1e})", 100.0 * alarms)).collect();
    let promised = size == SIZES[SIZES.len() - 1];
    let goal = if promised { "spread evenly (Kolmogorov–Smirnov p > 0.001)" } else { "published" };
    let measured = format!("{} uneven of {}{}", wrong.len(), all.len(), listed(&wrong));
    Finding::new(
        format!("p-values where there is nothing, {drawn} drawings of {size} rows"),
        goal,
        measured,
        !all.is_empty() && (!promised || wrong.is_empty()),
    )
}

fn listed(wrong: &[String]) -> String {
    if wrong.is_empty() { String::new() } else { format!(": {}", wrong.join(", ")) }
}

/// All of it as a table: a line each, a column for every size.
fn published(by_size: &BTreeMap<usize, (usize, Lines)>) -> String {
    let heads: Vec<String> = by_size.iter().map(|(size, (drawn, _))| format!("{size} rows ({drawn} drawings)")).collect();
    let mut text = format!("| interval of 95 %, or test at 5 % | {} |\n| --- |{}\n", heads.join(" | "), " --- |".repeat(heads.len()));
    let Some((_, first)) = by_size.values().next() else { return text };
    for (name, _) in first {
        let cell = |(drawn, lines): &(usize, Lines)| {
            let found = lines.iter().find(|(known, _)| known == name).map(|(_, counted)| counted);
            let (share, told) = match found {
                Some(Counted::Interval { told, held }) => (held / told.max(1.0), *told),
                Some(Counted::Test { told, alarms, .. }) => (*alarms, *told),
                None => return "–".to_owned(),
            };
            let note = match found {
                Some(Counted::Test { evenness, .. }) if *evenness <= DOUBT => ", uneven".to_owned(),
                _ => String::new(),
            };
            let gap =
                if told < 0.9995 * *drawn as f64 { format!(" (told in {:.1} %)", 100.0 * told / *drawn as f64) } else { String::new() };
            format!("{:.1}{note}{gap}", 100.0 * share)
        };
        let cells: Vec<String> = by_size.values().map(cell).collect();
        text.push_str(&format!("| {name} | {} |\n", cells.join(" | ")));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_falls_short_is_named() {
        let lines = read(
            "interval\tgood\t5000\t1000\t1000\t951\ninterval\tbad\t5000\t1000\t1000\t880\ntest\teven\t5000\t1000\t1000\t0.05\t0.4\ntest\todd\t5000\t1000\t1000\t0.2\t0.00001\n",
        );
        assert_eq!(lines.len(), 4);
        assert!(intervals(5000, 1000, &lines).is_broken() && !intervals(5000, 1000, &lines[..1]).is_broken());
        assert!(super::tests(5000, 1000, &lines).is_broken() && !super::tests(5000, 1000, &lines[..3]).is_broken());
        assert!(!intervals(50, 1000, &lines).is_broken(), "small tables are published only");
        assert!(intervals(50, 1000, &[]).is_broken(), "nothing that was counted shows nothing");
        let page = published(&BTreeMap::from([(5000, (1000, lines))]));
        assert!(page.contains("| bad | 88.0 |\n") && page.contains("| odd | 20.0, uneven |\n"), "{page}");
    }
}
