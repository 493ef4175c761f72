//! Kills at random moments: a file that was there is there, old or new, to the byte.

use std::fs;
use std::path::Path;
use std::time::Duration;

use crate::failure::Failure;
use crate::trust::finding::Finding;
use crate::trust::random::Random;
use crate::trust::scope::Scope;
use crate::trust::trial;

/// A command that replaces a file, and the command whose file it replaces.
struct Replacement {
    name: &'static str,
    /// What both commands need, run once.
    before: &'static [&'static str],
    old: &'static str,
    new: &'static str,
    file: &'static str,
}

const REPLACEMENTS: [Replacement; 5] = [
    Replacement {
        name: "fit -o",
        before: &[],
        old: "fit -q births.csv --target low --features age -o m.odds",
        new: "fit -q births.csv --target low --exclude bwt -o m.odds",
        file: "m.odds",
    },
    Replacement {
        name: "stats gather",
        before: &[],
        old: "stats gather -q births.csv --target low --features age -o s.stats",
        new: "stats gather -q births.csv --target low -o s.stats",
        file: "s.stats",
    },
    Replacement {
        name: "rounds answer",
        before: &["rounds begin -q low~age+lwt -o r.round"],
        old: "rounds answer -q r.round births.csv --where age>20 -o a.answer",
        new: "rounds answer -q r.round births.csv -o a.answer",
        file: "a.answer",
    },
    Replacement {
        name: "predict -o",
        before: &["fit -q births.csv --target low --exclude bwt -o m.odds", "fit -q births.csv low~age -o n.odds"],
        old: "predict -q n.odds births.csv -o scored.csv",
        new: "predict -q m.odds births.csv -o scored.csv",
        file: "scored.csv",
    },
    Replacement {
        name: "report -o",
        before: &["fit -q births.csv --target low --exclude bwt -o m.odds", "fit -q births.csv low~age -o n.odds"],
        old: "report -q n.odds births.csv -o report.html",
        new: "report -q m.odds births.csv -o report.html",
        file: "report.html",
    },
];

/// What kills left.
#[derive(Debug, Default, Clone, Copy, PartialEq)]
struct Left {
    old: usize,
    new: usize,
    torn: usize,
    temporary: usize,
}

impl Left {
    fn and(self, other: Left) -> Left {
        Left {
            old: self.old + other.old,
            new: self.new + other.new,
            torn: self.torn + other.torn,
            temporary: self.temporary + other.temporary,
        }
    }
}

/// Kills commands of every kind.
pub(crate) fn run(scope: &Scope) -> Result<Vec<Finding>, Failure> {
    let kills = scope.count(150, 10_000) / REPLACEMENTS.len();
    let mut findings = Vec::new();
    for replacement in &REPLACEMENTS {
        let cores = 2;
        let pieces = trial::side_by_side(cores, |core| killed(scope, replacement, core, kills / cores))?;
        let left = pieces.into_iter().fold(Left::default(), Left::and);
        let tried = left.old + left.new + left.torn;
        // Kills that all came too early or too late would show nothing.
        let telling = left.old > 0 && left.new > 0;
        let measured =
            format!("{} torn or lost; {} old, {} new, {} with a temporary file left", left.torn, left.old, left.new, left.temporary);
        findings.push(Finding::new(
            format!("{tried} kills of `{}`", replacement.name),
            "0 torn or lost, old and new both met",
            measured,
            left.torn == 0 && telling,
        ));
    }
    Ok(findings)
}

/// The bytes of the old and of the new file.
fn expected(scope: &Scope, replacement: &Replacement, folder: &Path) -> Result<([Vec<u8>; 2], Duration), Failure> {
    scope.example("births.csv", folder)?;
    for words in replacement.before {
        trial::succeed(&scope.program, folder, words)?;
    }
    let path = folder.join(replacement.file);
    trial::succeed(&scope.program, folder, replacement.old)?;
    let old = fs::read(&path)?;
    let mut times = Vec::new();
    for _ in 0..5 {
        times.push(trial::succeed(&scope.program, folder, replacement.new)?);
    }
    times.sort_unstable();
    let new = fs::read(&path)?;
    match old == new {
        true => Err(Failure::new(format!("`{}` and `{}` write the same file", replacement.old, replacement.new))),
        false => Ok(([old, new], times[2])),
    }
}

/// Replaces the file again and again, and kills each command at a moment of its own.
fn killed(scope: &Scope, replacement: &Replacement, core: usize, kills: usize) -> Result<Left, Failure> {
    let folder = scope.folder(&format!("crash-{core}"))?;
    let ([old, new], usual) = expected(scope, replacement, &folder)?;
    let path = folder.join(replacement.file);
    let mut random = Random::new(core as u64 + 1);
    let mut left = Left::default();
    for kill in 0..kills {
        fs::write(&path, &old)?;
        // Files are written at the end: every other kill comes there.
        let share = if kill % 2 == 0 { random.uniform() * 1.2 } else { 0.6 + 0.6 * random.uniform() };
        let mut child = trial::command(&scope.program, &folder, replacement.new).spawn()?;
        trial::wait_exactly(usual.mul_f64(share));
        child.kill()?;
        child.wait()?;
        let found = fs::read(&path).unwrap_or_default();
        left = left.and(Left {
            old: usize::from(found == old),
            new: usize::from(found == new),
            torn: usize::from(found != old && found != new),
            temporary: remove_temporary(&folder)?,
        });
    }
    Ok(left)
}

/// Whether the folder holds temporary files, which are never read; they are removed.
fn remove_temporary(folder: &Path) -> Result<usize, Failure> {
    let mut found = 0;
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(".oddsmith-")) {
            fs::remove_file(path)?;
            found = 1;
        }
    }
    Ok(found)
}
