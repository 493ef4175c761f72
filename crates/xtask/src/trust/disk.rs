//! Disks that fail: every write, sync and rename in turn, full disks, limits of file sizes, folders that cannot be written.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::failure::Failure;
use crate::shell;
use crate::trust::finding::Finding;
use crate::trust::scope::Scope;
use crate::trust::trial;

const OLD: &str = "fit -q births.csv --target low --features age -o m.odds";
const NEW: &str = "fit -q births.csv --target low --exclude bwt --threads 1 -o m.odds";
/// The system calls by which a file is written, and what a disk answers when it fails.
const CALLS: [&str; 10] = ["openat", "write", "writev", "fsync", "fdatasync", "rename", "renameat2", "linkat", "fchmod", "ftruncate"];
const ANSWERS: [&str; 2] = ["EIO", "ENOSPC"];
const EVERY_FAILURE: &str = "a failure of each system call of a write";
const KEPT: &str = "exit 0 and the new file, or exit 6 and a whole file; nothing else left";

/// A folder with an old file, and what the new one would be.
struct Place {
    folder: PathBuf,
    old: Vec<u8>,
    new: Vec<u8>,
}

impl Place {
    fn new(scope: &Scope) -> Result<Self, Failure> {
        let folder = scope.folder("disk")?;
        scope.example("births.csv", &folder)?;
        let written = |words: &str| {
            trial::succeed(&scope.program, &folder, words)?;
            Ok::<_, Failure>(fs::read(folder.join("m.odds"))?)
        };
        let (new, old) = (written(NEW)?, written(OLD)?);
        Ok(Place { folder, old, new })
    }

    /// Puts the old file back and removes what else was written.
    fn restore(&self) -> Result<(), Failure> {
        for path in self.others()? {
            fs::remove_file(path)?;
        }
        Ok(fs::write(self.folder.join("m.odds"), &self.old)?)
    }

    /// Files that were neither there before nor asked for.
    fn others(&self) -> Result<Vec<PathBuf>, Failure> {
        let known = ["births.csv", "m.odds", "calls.txt"];
        let paths = fs::read_dir(&self.folder)?.map(|entry| Ok(entry?.path())).collect::<Result<Vec<_>, Failure>>()?;
        Ok(paths.into_iter().filter(|path| path.is_file() && !known.iter().any(|name| path.ends_with(name))).collect())
    }

    /// What is wrong after a run that ended with `code`, if something is.
    fn fault(&self, code: Option<i32>) -> Result<Option<String>, Failure> {
        let found = fs::read(self.folder.join("m.odds")).unwrap_or_default();
        let right = match code {
            Some(0) => found == self.new,
            Some(6) => found == self.old || found == self.new,
            _ => false,
        };
        let state = if found == self.old {
            "old"
        } else if found == self.new {
            "new"
        } else {
            "torn"
        };
        let others = self.others()?;
        Ok((!right || !others.is_empty()).then(|| format!("exit {code:?}, {state} file, {} others", others.len())))
    }
}

/// Tries every way in which a disk fails.
pub(crate) fn run(scope: &Scope) -> Result<Vec<Finding>, Failure> {
    let place = Place::new(scope)?;
    Ok(vec![every_call(scope, &place)?, small_limits(scope, &place)?, full_disks(scope, &place)?, read_only(scope, &place)?])
}

/// The findings of many tries as one: how many there were, and the first that went wrong.
fn counted(promise: &str, faults: &[Option<String>]) -> Finding {
    let wrong: Vec<&String> = faults.iter().flatten().collect();
    let first = wrong.first().map_or_else(String::new, |fault| format!(": {fault}"));
    Finding::new(
        format!("{promise}, {} tries", faults.len()),
        KEPT,
        format!("{} otherwise{first}", wrong.len()),
        wrong.is_empty() && !faults.is_empty(),
    )
}

/// Has the system refuse the first, second … call of every kind.
fn every_call(scope: &Scope, place: &Place) -> Result<Finding, Failure> {
    if !shell::answers(Path::new("strace"), &["-V"]) {
        return Ok(Finding::not_tried(EVERY_FAILURE, KEPT, "there is no strace on the path (Debian: strace)"));
    }
    let mut faults = Vec::new();
    for call in CALLS {
        for nth in calls_of(scope, place, call)? {
            for answer in ANSWERS {
                place.restore()?;
                let code = traced(scope, place, &[&format!("inject={call}:error={answer}:when={nth}")])?;
                let fault = place.fault(code)?;
                faults.push(fault.map(|fault| format!("{call} {nth} answered {answer}: {fault}")));
            }
        }
    }
    place.restore()?;
    Ok(counted(EVERY_FAILURE, &faults))
}

/// Runs the command under strace with these expressions.
fn traced(scope: &Scope, place: &Place, expressions: &[&str]) -> Result<Option<i32>, Failure> {
    let mut strace = Command::new("strace");
    strace.args(["-f", "-o", "calls.txt", "-e", &format!("trace={}", CALLS.join(","))]);
    for expression in expressions {
        strace.args(["-e", expression]);
    }
    strace.arg(&scope.program).args(NEW.split_whitespace()).current_dir(&place.folder);
    Ok(strace.output()?.status.code())
}

/// Which calls of one kind, counted from 1, have to do with files in the folder: those that load the program do not count.
fn calls_of(scope: &Scope, place: &Place, call: &str) -> Result<Vec<usize>, Failure> {
    place.restore()?;
    traced(scope, place, &[])?;
    let calls = fs::read_to_string(place.folder.join("calls.txt"))?;
    let begins = format!("{call}(");
    let own = calls.lines().filter_map(|line| line.split_once(' ').map(|(_, rest)| rest.trim_start()));
    let all: Vec<&str> = own.filter(|line| line.starts_with(&begins)).collect();
    let counts = |line: &&str| call != "openat" || line.contains("O_CREAT") || line.contains("O_WRONLY");
    Ok((0..all.len()).filter(|&at| counts(&all[at])).map(|at| at + 1).collect())
}

/// Limits of file sizes from nothing up to the size of the file, in blocks of 512 bytes.
fn small_limits(scope: &Scope, place: &Place) -> Result<Finding, Failure> {
    let mut faults = Vec::new();
    for blocks in 0..=place.new.len() / 512 + 1 {
        place.restore()?;
        let output = trial::shell(&scope.program, &place.folder, &format!("ulimit -f {blocks}; exec \"$0\" {NEW}"))?;
        faults.push(place.fault(output.status.code())?.map(|fault| format!("{blocks} blocks: {fault}")));
    }
    place.restore()?;
    Ok(counted("limits of file sizes", &faults))
}

/// Runs a script as the superuser of a namespace of its own, where file systems can be mounted.
fn mounted(scope: &Scope, place: &Place, script: &str) -> Result<Option<i32>, Failure> {
    let words = ["-r", "-m", "sh", "-c", script];
    let output = Command::new("unshare").args(words).arg(&scope.program).current_dir(&place.folder).output()?;
    Ok(output.status.code())
}

fn can_mount(scope: &Scope, place: &Place) -> bool {
    mounted(scope, place, "mkdir -p small && mount -t tmpfs -o size=64k none small").is_ok_and(|code| code == Some(0))
}

const NO_MOUNT: &str = "file systems cannot be mounted here (unshare -r -m)";

/// Disks with room for the old file and a little more.
fn full_disks(scope: &Scope, place: &Place) -> Result<Finding, Failure> {
    let promise = "full disks";
    if !can_mount(scope, place) {
        return Ok(Finding::not_tried(promise, KEPT, NO_MOUNT));
    }
    let pages = place.old.len().div_ceil(4096);
    let mut faults = Vec::new();
    for spare in 0..=place.new.len().div_ceil(4096) + 1 {
        place.restore()?;
        // One page is the folder itself.
        let script = format!(
            "mount -t tmpfs -o size={}k none small && cp m.odds small/ && cd small && \"$0\" {}; code=$?; \
             cp m.odds ../m.odds; rm -f m.odds; for f in $(ls -A); do cp $f ../left-$f; done; exit $code",
            4 * (pages + spare),
            NEW.replace("births.csv", "../births.csv")
        );
        let code = mounted(scope, place, &script)?;
        faults.push(place.fault(code)?.map(|fault| format!("{spare} pages free: {fault}")));
    }
    place.restore()?;
    Ok(counted(promise, &faults))
}

/// A folder that nobody can write to, whatever their rights.
fn read_only(scope: &Scope, place: &Place) -> Result<Finding, Failure> {
    let promise = "a folder that is read only";
    if !can_mount(scope, place) {
        return Ok(Finding::not_tried(promise, KEPT, NO_MOUNT));
    }
    place.restore()?;
    let code = mounted(scope, place, &format!("mount --bind . . && mount -o remount,ro,bind . && cd \"$PWD\" && exec \"$0\" {NEW}"))?;
    let fault = place.fault(code)?.or_else(|| (code == Some(0)).then(|| "it was written".to_owned()));
    Ok(counted(promise, &[fault]))
}
