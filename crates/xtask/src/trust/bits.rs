//! The same bits: one model file for any number of threads and any budget of memory, and the file of last time.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use crate::failure::Failure;
use crate::trust::finding::Finding;
use crate::trust::random::Random;
use crate::trust::scope::Scope;
use crate::trust::{tables, trial};

const THREADS: [usize; 6] = [1, 2, 3, 4, 8, 16];
/// Budgets of memory: rows kept, and rows read again for every pass.
const MEMORY: [&str; 2] = ["1G", "1M"];
/// Rows of the table: several lanes of every sum.
const ROWS: usize = 10_000;
/// Where the sums of files lie that were written before.
const STORED: &str = "testdata/bits.txt";

/// How models are asked for, each over the columns that it takes.
const MODELS: [(&str, &str); 20] = [
    ("nb", "--target y --model nb"),
    ("gaussian-nb", "--target y --model gaussian-nb --features a,b,c,d"),
    ("categorical-nb", "--target y --model categorical-nb --features town"),
    ("multinomial-nb", "--target y --model multinomial-nb --features a,b,c,d"),
    ("complement-nb", "--target y --model complement-nb --features a,b,c,d"),
    ("lda", "--target y --model lda"),
    ("qda", "--target y --model qda --features a,b,c,d"),
    ("logistic", "y~a+b+c+d+town"),
    ("one-vs-rest", "--target town --model one-vs-rest --features a,b,c,d"),
    ("softmax", "--target town --model logistic --features a,b,c,d"),
    ("tree", "--target y --model tree"),
    ("forest", "--target y --model forest --n-estimators 20"),
    ("boosting", "--target y --model boosting --max-iter 20"),
    ("least-squares", "--target y --model least-squares"),
    ("perceptron", "--target y --model perceptron"),
    ("network", "--target y --model network --features a,b,c,d --steps 10"),
    ("bernoulli-nb", "--target y --model bernoulli-nb --features a,b,c,d"),
    ("knn", "--target y --model knn --features a,b"),
    ("logistic-l2", "y~a+b+c+d+town --l2 1"),
    ("logistic-firth", "y~a+b+town --firth"),
];

/// Fits every model in every way.
pub(crate) fn run(scope: &Scope) -> Result<Vec<Finding>, Failure> {
    let folder = scope.folder("bits")?;
    tables::write(&folder.join("some.csv"), ROWS, 5)?;
    let told = trial::side_by_side(MODELS.len(), |at| every_way(scope, &folder, MODELS[at]))?;
    let differing: Vec<&str> = told.iter().filter(|(_, files)| files.len() > 1).map(|(name, _)| *name).collect();
    let ways = THREADS.len() * MEMORY.len();
    let goal = "one model file each";
    let same = Finding::new(
        format!("{} models × {ways} ways (threads 1 to 16, rows kept or read again)", MODELS.len()),
        goal,
        if differing.is_empty() { "one model file each".to_owned() } else { format!("several files of {}", differing.join(", ")) },
        differing.is_empty(),
    );
    let mut findings = vec![same];
    for own in instructions() {
        findings.push(as_stored(scope, own, &sums_with(scope, &folder, own)?)?);
    }
    findings.extend([in_pieces(scope, &folder)?, in_other_orders(scope, &folder)?]);
    Ok(findings)
}

/// The sums of all model files, fitted with certain instructions.
fn sums_with(scope: &Scope, folder: &Path, instructions: &str) -> Result<BTreeMap<String, String>, Failure> {
    let sums = trial::side_by_side(MODELS.len(), |at| {
        let (name, words) = MODELS[at];
        let file = format!("{name}-{instructions}.odds");
        let mut command = trial::command(&scope.program, folder, &format!("fit -q some.csv {words} -o {file}"));
        match command.env("ODDSMITH_INSTRUCTIONS", instructions).status()?.success() {
            true => Ok((name.to_owned(), format!("{:016x}", fnv(&fs::read(folder.join(file))?)))),
            false => Err(Failure::new(format!("{name} cannot be fitted with {instructions}"))),
        }
    })?;
    Ok(sums.into_iter().collect())
}

/// The different files that a model becomes, by their sums.
fn every_way(scope: &Scope, folder: &Path, (name, words): (&'static str, &str)) -> Result<(&'static str, Vec<String>), Failure> {
    let mut files = Vec::new();
    for memory in MEMORY {
        for threads in THREADS {
            let file = format!("{name}.odds");
            trial::succeed(&scope.program, folder, &format!("fit -q some.csv {words} --threads {threads} --memory {memory} -o {file}"))?;
            let sum = format!("{:016x}", fnv(&fs::read(folder.join(file))?));
            if !files.contains(&sum) {
                files.push(sum);
            }
        }
    }
    Ok((name, files))
}

/// Fowler, Noll and Vo's sum, which is enough to see that a file is another one.
fn fnv(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |sum, byte| (sum ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}

/// The instructions that the processor has, the widest first, of which rounding may depend: sums are stored for each.
fn instructions() -> Vec<&'static str> {
    let mut all = vec!["plain"];
    #[cfg(target_arch = "x86_64")]
    {
        if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
            all.push("avx2");
        }
        if is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512dq") {
            all.push("avx512");
        }
    }
    all.reverse();
    all
}

/// Compares sums with those in the repository, or stores them there when that is asked for.
fn as_stored(scope: &Scope, own: &str, sums: &BTreeMap<String, String>) -> Result<Finding, Failure> {
    let path = scope.root.join(STORED);
    let begins = format!("{own} ");
    let text = fs::read_to_string(&path).unwrap_or_default();
    if scope.store {
        let others = text.lines().filter(|line| !line.starts_with(&begins)).map(str::to_owned);
        let mut lines: Vec<String> = others.chain(sums.iter().map(|(name, sum)| format!("{begins}{name} {sum}"))).collect();
        lines.sort();
        fs::write(&path, lines.join("\n") + "\n")?;
    }
    let stored: BTreeMap<&str, &str> = text.lines().filter_map(|line| line.strip_prefix(&begins)?.split_once(' ')).collect();
    let promise = format!("model files of {own}, {ROWS} rows, as stored in {STORED}");
    if stored.is_empty() && !scope.store {
        return Ok(Finding::not_tried(promise, "the same sums", "none are stored for these instructions; --store does"));
    }
    let other: Vec<&str> =
        sums.iter().filter(|(name, sum)| stored.get(name.as_str()) != Some(&sum.as_str())).map(|(name, _)| name.as_str()).collect();
    let measured = match (scope.store, other.is_empty()) {
        (true, _) => format!("{} stored, {} of them new", sums.len(), other.len()),
        (false, true) => format!("{} the same", sums.len()),
        (false, false) => format!("others: {}", other.join(", ")),
    };
    Ok(Finding::new(promise, "the same sums", measured, scope.store || other.is_empty()))
}

/// Rows dealt out to files at random, gathered one by one and merged: the same sums but for rounding.
fn in_pieces(scope: &Scope, folder: &Path) -> Result<Finding, Failure> {
    let table = fs::read_to_string(folder.join("some.csv"))?;
    let (header, rows) = table.split_once('\n').unwrap_or_default();
    let rows: Vec<&str> = rows.lines().take(5_000).collect();
    fs::write(folder.join("whole.csv"), format!("{header}\n{}\n", rows.join("\n")))?;
    trial::succeed(&scope.program, folder, "fit -q whole.csv --target y --exclude town --model lda -o whole.odds")?;
    let expected = predicted(scope, folder, "whole.odds")?;
    let tries = scope.count(5, 1_000);
    let worst = trial::side_by_side(tries, |at| {
        let own = scope.folder(&format!("bits-pieces-{at}"))?;
        let mut random = Random::new(at as u64);
        let pieces = 2 + random.below(6);
        let mut dealt = vec![String::new(); pieces];
        for row in &rows {
            dealt[random.below(pieces)].push_str(&format!("{row}\n"));
        }
        let mut names = Vec::new();
        for (piece, text) in dealt.iter().enumerate() {
            fs::write(own.join(format!("{piece}.csv")), format!("{header}\n{text}"))?;
            trial::succeed(&scope.program, &own, &format!("stats gather -q {piece}.csv --target y --exclude town -o {piece}.stats"))?;
            names.push(format!("{piece}.stats"));
        }
        trial::succeed(&scope.program, &own, &format!("stats merge -q {} -o all.stats", names.join(" ")))?;
        trial::succeed(&scope.program, &own, "fit -q all.stats --model lda -o pieces.odds")?;
        fs::copy(own.join("pieces.odds"), folder.join(format!("pieces-{at}.odds")))?;
        let got = predicted(scope, folder, &format!("pieces-{at}.odds"))?;
        fs::remove_dir_all(own)?;
        Ok(expected
            .iter()
            .zip(&got)
            .map(|(a, b)| (a - b).abs())
            .fold(if got.len() == expected.len() { 0.0 } else { f64::INFINITY }, f64::max))
    })?;
    let worst = worst.into_iter().fold(0.0, f64::max);
    Ok(Finding::new(
        format!("{tries} random partitions of 5,000 rows, merged"),
        "probabilities of the whole within 1e-12",
        format!("largest difference {worst:.1e}"),
        worst <= 1e-12,
    ))
}

/// Models whose sums do not depend on the order of rows but for rounding.
const ORDERED: [(&str, &str); 5] = [
    ("nb", "--target y --model nb"),
    ("lda", "--target y --model lda"),
    ("qda", "--target y --model qda --features a,b,c,d"),
    ("logistic", "y~a+b+c+d+town"),
    ("tree", "--target y --model tree"),
];

/// The rows of the whole in other orders: the same probabilities but for rounding.
fn in_other_orders(scope: &Scope, folder: &Path) -> Result<Finding, Failure> {
    let table = fs::read_to_string(folder.join("whole.csv"))?;
    let (header, rows) = table.split_once('\n').unwrap_or_default();
    let fitted = |name: &str, words: &str, table: &str, model: &str| {
        trial::succeed(&scope.program, folder, &format!("fit -q {table} {words} -o {model}-{name}.odds"))?;
        predicted(scope, folder, &format!("{model}-{name}.odds"))
    };
    let expected = ORDERED.iter().map(|(name, words)| fitted(name, words, "whole.csv", "order")).collect::<Result<Vec<_>, _>>()?;
    let tries = scope.count(3, 200);
    let worst = trial::side_by_side(tries, |at| {
        let mut random = Random::new(1000 + at as u64);
        let mut shuffled: Vec<&str> = rows.lines().collect();
        (1..shuffled.len()).rev().for_each(|last| shuffled.swap(last, random.below(last + 1)));
        let file = format!("shuffled-{at}.csv");
        fs::write(folder.join(&file), format!("{header}\n{}\n", shuffled.join("\n")))?;
        let mut worst = 0.0f64;
        for ((name, words), expected) in ORDERED.iter().zip(&expected) {
            let got = fitted(name, words, &file, &format!("order-{at}"))?;
            let apart = expected.iter().zip(&got).map(|(a, b)| (a - b).abs());
            worst = apart.fold(if got.len() == expected.len() { worst } else { f64::INFINITY }, f64::max);
            fs::remove_file(folder.join(format!("order-{at}-{name}.odds")))?;
        }
        fs::remove_file(folder.join(file))?;
        Ok(worst)
    })?;
    let worst = worst.into_iter().fold(0.0, f64::max);
    Ok(Finding::new(
        format!("{tries} random orders of 5,000 rows, {} models", ORDERED.len()),
        "probabilities within 1e-12",
        format!("largest difference {worst:.1e}"),
        worst <= 1e-12,
    ))
}

/// Probabilities of the rows of the whole, as many as the table has.
fn predicted(scope: &Scope, folder: &Path, model: &str) -> Result<Vec<f64>, Failure> {
    let output = trial::shell(&scope.program, folder, &format!("\"$0\" predict -q {model} whole.csv"))?;
    let text = String::from_utf8_lossy(&output.stdout);
    let last = |line: &str| line.rsplit(',').next().and_then(|cell| cell.parse().ok());
    let numbers: Vec<f64> = text.lines().skip(1).filter_map(last).collect();
    match numbers.is_empty() {
        true => Err(Failure::new(format!("{model} predicts nothing: {}", String::from_utf8_lossy(&output.stderr)))),
        false => Ok(numbers),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Published values of the sum.
    #[test]
    fn sums_are_fowler_noll_and_vos() {
        assert_eq!((fnv(b""), fnv(b"a"), fnv(b"foobar")), (0xcbf2_9ce4_8422_2325, 0xaf63_dc4c_8601_ec8c, 0x8594_4171_f739_67e8));
    }
}
