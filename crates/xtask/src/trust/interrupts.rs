//! Ctrl-C and termination at random moments: the command ends soon and leaves nothing half-written.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use crate::failure::Failure;
use crate::trust::finding::Finding;
use crate::trust::random::Random;
use crate::trust::scope::Scope;
use crate::trust::{tables, trial};

/// The promise.
const SOON: Duration = Duration::from_millis(200);

/// Commands over a table that takes them a while, each writing `out`.
const COMMANDS: [&str; 4] = [
    "fit -q large.csv --target y --memory 8M -o out",
    "fit -q large.csv y~a+b+c+d+town -o out",
    "stats gather -q large.csv --target y -o out",
    "predict -q large.odds large.csv -o out",
];

/// What one signal did.
struct Stopped {
    took: Duration,
    /// Whether the exit code is that of the signal, or the command was over before.
    told: bool,
    /// Whether there is a whole file or none.
    whole: bool,
    early: bool,
}

/// Interrupts commands of every kind.
pub(crate) fn run(scope: &Scope) -> Result<Vec<Finding>, Failure> {
    let folder = scope.folder("interrupts")?;
    tables::write(&folder.join("large.csv"), scope.count(60_000, 400_000), 1)?;
    trial::succeed(&scope.program, &folder, "fit -q large.csv --target y -o large.odds")?;
    let signals = scope.count(24, 1_000) / COMMANDS.len();
    let mut all = Vec::new();
    let mut random = Random::new(1);
    for words in COMMANDS {
        let usual = trial::succeed(&scope.program, &folder, words)?;
        let whole = fs::read(folder.join("out"))?;
        for at in 0..signals {
            let (moment, signal) = (usual.mul_f64(random.uniform()), [("-INT", 130), ("-TERM", 143)][at % 2]);
            all.push(soonest(|| stopped(scope, &folder, words, moment, signal, &whole))?);
        }
    }
    let slowest = all.iter().map(|stopped| stopped.took).max().unwrap_or_default();
    let late = all.iter().filter(|stopped| stopped.took > SOON).count();
    let (wrong, torn) = (all.iter().filter(|stopped| !stopped.told).count(), all.iter().filter(|stopped| !stopped.whole).count());
    let early = all.iter().filter(|stopped| stopped.early).count();
    let tried = format!("{} signals at random moments", all.len());
    Ok(vec![
        Finding::new(
            tried.clone(),
            "ends within 200 ms, at one of three tries of the same moment",
            format!("{late} later; slowest {:.0} ms; {early} met a running command", slowest.as_secs_f64() * 1e3),
            late == 0 && early * 2 > all.len(),
        ),
        Finding::new(
            tried,
            "exit code of the signal, no file or a whole one",
            format!("{wrong} other codes, {torn} other files"),
            wrong + torn == 0,
        ),
    ])
}

/// A signal that is obeyed late is sent twice more at the same moment: other work of the machine may have held it up, what the command does
/// there holds it up every time. What else goes wrong in any of them is told.
fn soonest(mut once: impl FnMut() -> Result<Stopped, Failure>) -> Result<Stopped, Failure> {
    let mut best = once()?;
    for _ in 0..2 {
        if best.took <= SOON {
            break;
        }
        let again = once()?;
        best =
            Stopped { took: best.took.min(again.took), told: best.told && again.told, whole: best.whole && again.whole, early: best.early };
    }
    Ok(best)
}

fn stopped(scope: &Scope, folder: &Path, words: &str, wait: Duration, signal: (&str, i32), whole: &[u8]) -> Result<Stopped, Failure> {
    let out = folder.join("out");
    if out.exists() {
        fs::remove_file(&out)?;
    }
    let mut child = trial::command(&scope.program, folder, words).spawn()?;
    trial::wait_exactly(wait);
    let early = child.try_wait()?.is_none();
    let begin = Instant::now();
    trial::send(&child, signal.0)?;
    let code = child.wait()?.code();
    let took = begin.elapsed();
    let found = fs::read(&out).ok();
    // Before the command listens to signals, the system ends it, and there is no code.
    let told = matches!(code, Some(0) | None) || code == Some(signal.1);
    let finished = code == Some(0);
    let kept = found.as_deref().is_some_and(|found| found == whole);
    let temporary = fs::read_dir(folder)?.flatten().filter(|entry| entry.file_name().to_string_lossy().starts_with(".oddsmith-")).count();
    Ok(Stopped { took, told, whole: temporary == 0 && (kept || (found.is_none() && !finished)), early })
}
