//! Files that are written whole or not at all.
//!
//! The bytes go to a temporary file beside the final one, are synced to the disk, and take the final name in one step; then
//! the folder is synced. Whatever fails or is killed on the way leaves the old file as it was. Bytes that are there as a whole are read back
//! before they take the name, by the reader of their kind.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use oddsmith::{Error, ErrorKind, Result};

/// What temporary files are called; one that a killed process left behind is never read and may be deleted.
const PREFIX: &str = ".oddsmith-";

/// Temporary files of writes that are still going on.
static UNFINISHED: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

/// Removes the temporary files of writes that are still going on, which fail then. For a process that has to leave at once
/// while a thread of it waits for the rows to be written.
pub fn remove_unfinished() {
    let unfinished = std::mem::take(&mut *UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner));
    for path in unfinished {
        // One that cannot be removed is never read either.
        let _ = fs::remove_file(path);
    }
}

/// An entry in the list of unfinished files.
struct Unfinished(PathBuf);

impl Unfinished {
    fn new(path: &Path) -> Self {
        UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner).insert(path.into());
        Unfinished(path.into())
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.0);
    }
}

/// Writes a file through `write`. Refuses to replace any of the `inputs`, also through links.
///
/// A device or pipe (`/dev/stdout`) is written directly: there is nothing to keep intact.
pub fn write_file(path: &Path, inputs: &[&Path], write: impl FnOnce(&mut dyn Write) -> Result<()>) -> Result<()> {
    write_checked(path, inputs, write, |_| Ok(()))
}

/// Writes bytes as [`write_file`] does. A file of a kind that this library reads takes its name only after it was read back.
pub fn write_bytes(path: &Path, bytes: &[u8]) -> Result<()> {
    let fault = |source: io::Error| Error::from(ErrorKind::Io { path: path.display().to_string(), source });
    let write = |file: &mut dyn Write| file.write_all(bytes).map_err(fault);
    write_checked(path, &[], write, |written| {
        let read = fs::read(written).map_err(fault)?;
        if read != bytes {
            return Err(fault(io::Error::new(
                io::ErrorKind::InvalidData,
                "the disk does not give back what was written; the old file was kept",
            )));
        }
        oddsmith::train::check_readable(&read).map_err(|error| {
            let what = format!("it could not be read again ({error}), so nothing was written to {}", path.display());
            ErrorKind::Format { expected: "file to write", what }.into()
        })
    })
}

/// Writes through `write`, and lets `check` look at the finished file before it takes its name.
fn write_checked(
    path: &Path,
    inputs: &[&Path],
    write: impl FnOnce(&mut dyn Write) -> Result<()>,
    check: impl FnOnce(&Path) -> Result<()>,
) -> Result<()> {
    let fault = |source: io::Error| Error::from(ErrorKind::Io { path: path.display().to_string(), source });
    if inputs.iter().any(|input| same_file::is_same_file(path, input).unwrap_or(false)) {
        return Err(Error::option("output", path.display(), "this is the file that is read; choose another name"));
    }
    let old = fs::metadata(path).ok();
    if old.as_ref().is_some_and(fs::Metadata::is_dir) {
        return Err(fault(io::Error::new(io::ErrorKind::IsADirectory, "is a directory; name a file in it")));
    }
    if old.as_ref().is_some_and(|facts| !facts.is_file()) {
        let device = fs::OpenOptions::new().write(true).open(path).map_err(fault)?;
        return filled(device, path, write).map(|_| ());
    }
    let folder = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    let temporary = new_file(folder).map_err(|error| fault(unnamed(error)))?;
    let _listed = Unfinished::new(temporary.path());
    if let Some(old) = &old {
        temporary.as_file().set_permissions(old.permissions()).map_err(fault)?;
    }
    let file = filled(temporary.as_file().try_clone().map_err(fault)?, path, write)?;
    file.sync_all().map_err(fault)?;
    check(temporary.path())?;
    temporary.persist(path).map_err(|error| fault(error.error))?;
    sync_folder(folder).map_err(fault)
}

/// Runs `write` over a buffer, so that its last bytes are in the file when it is given back.
fn filled(file: File, path: &Path, write: impl FnOnce(&mut dyn Write) -> Result<()>) -> Result<File> {
    let mut buffer = BufWriter::with_capacity(1 << 16, file);
    write(&mut buffer)?;
    buffer.into_inner().map_err(|error| ErrorKind::Io { path: path.display().to_string(), source: error.into_error() }.into())
}

/// The error without the name of the temporary file, which means nothing to people.
fn unnamed(error: io::Error) -> io::Error {
    match error.to_string().split_once(" at path ") {
        Some((cause, _)) => io::Error::new(error.kind(), cause),
        None => error,
    }
}

#[cfg(unix)]
fn new_file(folder: &Path) -> io::Result<tempfile::NamedTempFile> {
    use std::os::unix::fs::PermissionsExt;
    // The usual mode of a new file; the system takes the umask off.
    tempfile::Builder::new().prefix(PREFIX).permissions(fs::Permissions::from_mode(0o666)).tempfile_in(folder)
}

#[cfg(not(unix))]
fn new_file(folder: &Path) -> io::Result<tempfile::NamedTempFile> {
    tempfile::Builder::new().prefix(PREFIX).tempfile_in(folder)
}

#[cfg(unix)]
fn sync_folder(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}

#[cfg(not(unix))]
fn sync_folder(_folder: &Path) -> io::Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn put(path: &Path, bytes: &[u8], inputs: &[&Path]) -> Result<()> {
        write_file(path, inputs, |file| {
            file.write_all(bytes).map_err(|source| ErrorKind::Io { path: path.display().to_string(), source }.into())
        })
    }

    fn names(folder: &Path) -> Vec<String> {
        let mut names: Vec<String> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn a_file_is_replaced_in_one_step() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("model.odds");
        put(&path, b"first", &[]).unwrap();
        put(&path, &b"second".repeat(100_000), &[]).unwrap();
        assert_eq!(fs::read(&path).unwrap().len(), 600_000);
        assert_eq!(names(folder.path()), ["model.odds"]);
    }

    #[test]
    fn a_failure_leaves_the_old_file_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("model.odds");
        put(&path, b"old", &[]).unwrap();
        let failed = write_file(&path, &[], |file| {
            file.write_all(&[0; 200_000]).unwrap();
            Err(ErrorKind::Interrupted.into())
        });
        assert_eq!(failed.unwrap_err().to_string(), "interrupted; nothing was written");
        assert_eq!(fs::read(&path).unwrap(), b"old");
        assert_eq!(names(folder.path()), ["model.odds"]);
    }

    #[test]
    fn what_no_reader_accepts_is_not_written() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("model.odds");
        write_bytes(&path, b"<svg/>").unwrap();
        // The beginning of a container, and nothing behind it.
        let mut broken = 30u64.to_le_bytes().to_vec();
        broken.extend_from_slice(br#"{"__metadata__":{"oddsmith":"{}"}}"#);
        for bytes in [&broken[..], b"oddsbits", b"oddscell and no seal"] {
            let message = write_bytes(&path, bytes).unwrap_err().to_string();
            assert!(message.starts_with("not a usable file to write: it could not be read again (not a usable "), "{message}");
            assert_eq!(fs::read(&path).unwrap(), b"<svg/>");
            assert_eq!(names(folder.path()), ["model.odds"]);
        }
    }

    #[test]
    fn the_input_is_never_overwritten() {
        let folder = tempfile::tempdir().unwrap();
        let input = folder.path().join("data.csv");
        fs::write(&input, "x,y\n").unwrap();
        let link = folder.path().join("link.csv");
        fs::hard_link(&input, &link).unwrap();
        let message = put(&link, b"oops", &[&input]).unwrap_err().to_string();
        assert!(message.ends_with("link.csv is not accepted: this is the file that is read; choose another name"), "{message}");
        assert_eq!(fs::read(&input).unwrap(), b"x,y\n");
    }

    #[cfg(unix)]
    #[test]
    fn modes_are_kept_and_links_to_the_input_are_seen_through() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("model.odds");
        put(&path, b"old", &[]).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        put(&path, b"new", &[]).unwrap();
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o640);
        let link = folder.path().join("link");
        std::os::unix::fs::symlink(&path, &link).unwrap();
        assert!(put(&link, b"oops", &[&path]).is_err());
        assert_eq!(fs::read(&path).unwrap(), b"new");
    }

    #[test]
    fn folders_that_do_not_exist_and_full_disks_are_named() {
        let folder = tempfile::tempdir().unwrap();
        let message = put(&folder.path().join("none/model.odds"), b"", &[]).unwrap_err().to_string();
        assert!(message.ends_with("none/model.odds: No such file or directory (os error 2)"), "{message}");
        let message = put(folder.path(), b"", &[]).unwrap_err().to_string();
        assert!(message.ends_with(": is a directory; name a file in it"), "{message}");
        let full = Path::new("/dev/full");
        if full.exists() {
            let message = put(full, &[0; 100_000], &[]).unwrap_err().to_string();
            assert_eq!(message, "/dev/full: No space left on device (os error 28)");
        }
    }
}
