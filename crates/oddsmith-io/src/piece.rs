//! Many files as one table: which files a pattern or a folder names, in which order, and in which pieces they are read.
//!
//! A piece is what one worker opens: a file, or some row groups of a Parquet file. Pieces follow from the files alone, so a laptop and a
//! cluster cut them alike. Folders that are called `name=value` are a column of all files beneath them.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use oddsmith::error::DataFault;
use oddsmith::{Error, Result};

use crate::container;
use crate::fault::Place;

/// Row groups are put together up to about so many bytes of decoded columns.
const PIECE_BYTES: i64 = 64 << 20;

/// What writers of folders put in the place of a missing value.
const MISSING_VALUE: &str = "__HIVE_DEFAULT_PARTITION__";

/// A column that the name of a folder gives to all files beneath it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FolderColumn {
    /// The part before `=`.
    pub name: String,
    /// The part behind it.
    pub value: String,
    /// Whether all values of the column, in all folders, are numbers.
    pub number: bool,
}

impl FolderColumn {
    /// The value of all rows; `None` where it is missing.
    pub(crate) fn known(&self) -> Option<&str> {
        (self.value != MISSING_VALUE).then_some(self.value.as_str())
    }
}

/// A piece of a table that lies in many files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Piece {
    /// The file.
    pub path: PathBuf,
    /// The first of its row groups and the one after the last; `None` takes the whole file.
    pub groups: Option<(usize, usize)>,
    /// Columns from the names of its folders.
    pub folders: Vec<FolderColumn>,
    /// About how many bytes it takes on disk.
    pub bytes: u64,
    /// How many rows it has, where the file says so.
    pub rows: Option<u64>,
}

impl Piece {
    /// What messages call it.
    pub fn name(&self) -> String {
        let path = self.path.display();
        self.groups.map_or_else(|| path.to_string(), |(first, end)| format!("{path} (row groups {} to {end})", first + 1))
    }
}

/// Whether an argument names many files: a folder, or a pattern with `*` or `?` where there is no file of that name.
pub(crate) fn names_many(argument: &OsStr) -> bool {
    let path = Path::new(argument);
    path.is_dir() || (!path.exists() && is_pattern(&argument.to_string_lossy()))
}

fn is_pattern(text: &str) -> bool {
    text.contains(['*', '?'])
}

/// The pieces of the files that patterns, folders and paths name, in the order of their names; one that names no file is refused.
pub fn pieces(arguments: &[PathBuf]) -> Result<Vec<Piece>> {
    let mut files = Vec::new();
    for argument in arguments {
        let place = Place::named(argument.display().to_string());
        let (root, mut found) = (root_of(argument), Vec::new());
        if argument.is_dir() {
            walk(argument, &mut found).map_err(|error| place.io(error))?;
        } else if is_pattern(&argument.to_string_lossy()) && !argument.exists() {
            matches(&root, argument, &mut found).map_err(|error| place.io(error))?;
        } else {
            found.push(argument.clone());
        }
        if found.is_empty() {
            let fault = DataFault::new("there is no file").accepted("a folder with tables, or a pattern such as 'rows/*.parquet'");
            return Err(place.fault(fault));
        }
        found.sort();
        files.extend(found.into_iter().map(|file| (root.clone(), file)));
    }
    let mut seen = BTreeSet::new();
    if let Some((_, twice)) = files.iter().find(|(_, file)| !seen.insert(file.clone())) {
        return Err(Place::named(twice.display().to_string()).fault(DataFault::new("is named twice; its rows would count twice")));
    }
    let folders = folder_columns(&files)?;
    let mut pieces = Vec::new();
    for ((_, file), folders) in files.into_iter().zip(folders) {
        pieces.extend(of_file(&file, &folders)?);
    }
    match pieces.is_empty() {
        true => Err(Error::data("none of the files has a row")),
        false => Ok(pieces),
    }
}

/// The folder below which names of folders may be columns: the longest beginning without a pattern.
fn root_of(argument: &Path) -> PathBuf {
    argument.components().take_while(|part| !is_pattern(&part.as_os_str().to_string_lossy())).collect()
}

/// All files beneath a folder; those that begin with a dot or an underscore are notes of the program that wrote the others.
fn walk(folder: &Path, found: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_name().to_string_lossy().starts_with(['.', '_']) {
            continue;
        }
        match fs::metadata(entry.path())?.is_dir() {
            true => walk(&entry.path(), found)?,
            false => found.push(entry.path()),
        }
    }
    Ok(())
}

/// The files below `base` whose path fits the rest of the pattern.
fn matches(base: &Path, pattern: &Path, found: &mut Vec<PathBuf>) -> io::Result<()> {
    let rest: Vec<String> =
        pattern.components().skip(base.components().count()).map(|part| part.as_os_str().to_string_lossy().into_owned()).collect();
    descend(base, &rest, found)
}

fn descend(base: &Path, rest: &[String], found: &mut Vec<PathBuf>) -> io::Result<()> {
    let Some((next, after)) = rest.split_first() else {
        if base.is_dir() {
            return walk(base, found);
        }
        found.push(base.to_owned());
        return Ok(());
    };
    if !is_pattern(next) {
        let below = base.join(next);
        return if below.exists() { descend(&below, after, found) } else { Ok(()) };
    }
    let folder = if base.as_os_str().is_empty() { Path::new(".") } else { base };
    for entry in fs::read_dir(folder)? {
        let name = entry?.file_name();
        let text = name.to_string_lossy();
        if fits(next.as_bytes(), text.as_bytes()) && (next.starts_with('.') || !text.starts_with('.')) {
            descend(&base.join(&name), after, found)?;
        }
    }
    Ok(())
}

/// Whether a name fits a pattern: `*` stands for any characters, `?` for one.
fn fits(pattern: &[u8], name: &[u8]) -> bool {
    match (pattern.split_first(), name.split_first()) {
        (None, None) => true,
        (Some((b'*', rest)), _) => fits(rest, name) || name.split_first().is_some_and(|(_, after)| fits(pattern, after)),
        (Some((b'?', rest)), Some((_, after))) => fits(rest, after),
        (Some((own, rest)), Some((other, after))) => own == other && fits(rest, after),
        _ => false,
    }
}

/// The columns of every file by its folders; all files must have the same.
fn folder_columns(files: &[(PathBuf, PathBuf)]) -> Result<Vec<Vec<FolderColumn>>> {
    let of_file = |(root, file): &(PathBuf, PathBuf)| {
        let below = file.strip_prefix(root).unwrap_or(file);
        let folders = below.parent().map(Path::components).into_iter().flatten();
        let pair = |part: std::path::Component<'_>| {
            part.as_os_str().to_string_lossy().split_once('=').map(|(name, value)| (unescaped(name), unescaped(value)))
        };
        folders.filter_map(pair).collect::<Vec<(String, String)>>()
    };
    let all: Vec<Vec<(String, String)>> = files.iter().map(of_file).collect();
    let names = |columns: &[(String, String)]| columns.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>();
    let first = all.first().map(|columns| names(columns)).unwrap_or_default();
    if let Some(at) = all.iter().position(|columns| names(columns) != first) {
        let what = format!("its folders have other names before `=` than those of {}", files[0].1.display());
        return Err(Place::named(files[at].1.display().to_string()).fault(DataFault::new(what)));
    }
    let mut number: BTreeMap<&str, bool> = first.iter().map(|name| (name.as_str(), true)).collect();
    for (name, value) in all.iter().flatten().filter(|(_, value)| value != MISSING_VALUE) {
        let is_number = value.parse::<f64>().is_ok_and(f64::is_finite);
        number.entry(name).and_modify(|all| *all &= is_number);
    }
    let column =
        |(name, value): &(String, String)| FolderColumn { name: name.clone(), value: value.clone(), number: number[name.as_str()] };
    Ok(all.iter().map(|columns| columns.iter().map(column).collect()).collect())
}

/// A name without the escapes (`%3D` for `=`) by which writers keep characters out of the names of folders; a `%` of another meaning stays.
fn unescaped(name: &str) -> String {
    let bytes = name.as_bytes();
    let digit = |at: usize| bytes.get(at).and_then(|byte| char::from(*byte).to_digit(16)).and_then(|digit| u8::try_from(digit).ok());
    let (mut plain, mut at) = (Vec::with_capacity(bytes.len()), 0);
    while at < bytes.len() {
        match (bytes[at], digit(at + 1), digit(at + 2)) {
            (b'%', Some(high), Some(low)) => {
                plain.push(16 * high + low);
                at += 3;
            }
            (other, _, _) => {
                plain.push(other);
                at += 1;
            }
        }
    }
    String::from_utf8(plain).unwrap_or_else(|_| name.to_owned())
}

/// The pieces of a file: row groups of Parquet that are put together up to a size; a file of any other kind is one piece.
fn of_file(path: &Path, folders: &[FolderColumn]) -> Result<Vec<Piece>> {
    let place = Place::named(path.display().to_string());
    let mut file = File::open(path).map_err(|error| place.io(error))?;
    let bytes = file.metadata().map_err(|error| place.io(error))?.len();
    let mut magic = [0; 8];
    let count = file.read(&mut magic).map_err(|error| place.io(error))?;
    let piece = |groups, bytes, rows| Piece { path: path.to_owned(), groups, folders: folders.to_vec(), bytes, rows };
    let Some(groups) = container::row_groups(file, bytes, &magic[..count], &place)? else { return Ok(vec![piece(None, bytes, None)]) };
    let (mut pieces, mut first, mut decoded, mut stored) = (Vec::new(), 0, 0, 0);
    for (at, group) in groups.iter().enumerate() {
        decoded += group.decoded;
        stored += group.stored;
        if decoded >= PIECE_BYTES || at + 1 == groups.len() {
            let rows = groups[first..=at].iter().map(|group| u64::try_from(group.rows).unwrap_or(0)).sum();
            if rows > 0 {
                pieces.push(piece(Some((first, at + 1)), stored, Some(rows)));
            }
            (first, decoded, stored) = (at + 1, 0, 0);
        }
    }
    Ok(pieces)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(folder: &Path, name: &str) {
        let path = folder.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, "x,y\n1,a\n").unwrap();
    }

    fn listed(arguments: &[PathBuf]) -> Result<Vec<String>> {
        Ok(pieces(arguments)?.iter().map(|piece| piece.path.file_name().unwrap().to_string_lossy().into_owned()).collect())
    }

    #[test]
    fn folders_and_patterns_name_files_in_order() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["b.csv", "a.csv", "_SUCCESS", ".a.csv.crc", "deep/c.csv", "x.txt"] {
            written(folder.path(), name);
        }
        assert_eq!(listed(&[folder.path().to_owned()]).unwrap(), ["a.csv", "b.csv", "c.csv", "x.txt"]);
        assert_eq!(listed(&[folder.path().join("?.csv")]).unwrap(), ["a.csv", "b.csv"]);
        assert_eq!(listed(&[folder.path().join("d*/*.csv")]).unwrap(), ["c.csv"]);
        assert!(listed(&[folder.path().join("*.parquet")]).unwrap_err().to_string().contains("there is no file"));
        let twice = listed(&[folder.path().join("a.csv"), folder.path().join("?.csv")]).unwrap_err().to_string();
        assert!(twice.contains("a.csv: is named twice"), "{twice}");
    }

    #[test]
    fn names_of_folders_are_columns() {
        let folder = tempfile::tempdir().unwrap();
        written(folder.path(), "year=2024/site=a/r.csv");
        written(folder.path(), "year=2025/site=7/r.csv");
        let found = pieces(&[folder.path().to_owned()]).unwrap();
        let told: Vec<(&str, &str, bool)> =
            found.iter().flat_map(|piece| &piece.folders).map(|column| (&*column.name, &*column.value, column.number)).collect();
        assert_eq!(told, [("year", "2024", true), ("site", "a", false), ("year", "2025", true), ("site", "7", false)]);
        written(folder.path(), "other/r.csv");
        assert!(pieces(&[folder.path().to_owned()]).unwrap_err().to_string().contains("other names before `=`"));
    }

    #[test]
    fn escapes_in_names_of_folders_are_read_and_missing_values_are_no_level() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["size=1/shop=s%C3%BCd/r.csv", "size=2/shop=a%3D%27b/r.csv", "size=__HIVE_DEFAULT_PARTITION__/shop=5%/r.csv"] {
            written(folder.path(), name);
        }
        let found = pieces(&[folder.path().to_owned()]).unwrap();
        let told: Vec<(Option<&str>, bool)> =
            found.iter().flat_map(|piece| &piece.folders).map(|folder| (folder.known(), folder.number)).collect();
        assert_eq!(
            told,
            [(Some("1"), true), (Some("süd"), false), (Some("2"), true), (Some("a='b"), false), (None, true), (Some("5%"), false)]
        );
        // Bytes that are no text stay as they are.
        assert_eq!(unescaped("%FF%zz%4"), "%FF%zz%4");
    }

    #[test]
    fn stars_stand_for_any_characters() {
        assert!(fits(b"*.parquet", b"a.parquet") && fits(b"a*c?", b"abbcd") && fits(b"*", b"") && !fits(b"?", b"") && !fits(b"a*b", b"ac"));
    }
}
