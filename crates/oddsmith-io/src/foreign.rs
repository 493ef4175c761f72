//! Files of other programs: what they are and how their rows become a table that can be read.

use oddsmith::error::DataFault;

/// A kind of file that holds no table of cells, or one that is not read.
struct Foreign {
    /// First bytes that only this kind has.
    magic: &'static [&'static [u8]],
    /// Endings of names, where bytes do not tell.
    extensions: &'static [&'static str],
    what: &'static str,
    advice: &'static str,
}

const STATA: &str = "an export makes it a table: `export delimited using rows.csv` in Stata, or pandas.read_stata in Python";
const R_DATA: &str = "in R, `write.csv(readRDS(\"rows.rds\"), \"rows.csv\", row.names = FALSE)` makes it a table";
const PYTHON: &str = "in Python, `pandas.DataFrame(…).to_parquet(\"rows.parquet\")` makes it a table";
const UNPACK: &str = "unpack it first; gzip and zstd are read as they are";

const KINDS: &[Foreign] = &[
    Foreign {
        magic: &[&[0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1]],
        extensions: &["xls"],
        what: "an Excel workbook of the old kind (.xls)",
        advice: "save it as .xlsx or as CSV",
    },
    Foreign {
        magic: &[b"$FL2@(#)", b"$FL3@(#)"],
        extensions: &["sav", "zsav", "por"],
        what: "an SPSS file",
        advice: "an export makes it a table: `SAVE TRANSLATE OUTFILE='rows.csv' /TYPE=CSV /FIELDNAMES` in SPSS, or haven::read_sav in R",
    },
    Foreign {
        magic: &[b"<stata_dta>", b"\x73\x01\x01\x00", b"\x73\x02\x01\x00", b"\x72\x01\x01\x00", b"\x72\x02\x01\x00", b"\x71\x02\x01\x00"],
        extensions: &["dta"],
        what: "a Stata file",
        advice: STATA,
    },
    Foreign {
        magic: &[b"\0\0\0\0\0\0\0\0\0\0\0\0\xc2\xea\x81\x60", b"HEADER RECORD*******LIBRARY"],
        extensions: &["sas7bdat", "xpt"],
        what: "a SAS file",
        advice: "an export makes it a table: `proc export data=rows outfile=\"rows.csv\" dbms=csv; run;` in SAS, or pandas.read_sas in Python",
    },
    Foreign {
        magic: &[b"X\n\0\0\0", b"RDX2\n", b"RDX3\n"],
        extensions: &["rds", "rdata", "rda"],
        what: "a file of R objects",
        advice: R_DATA,
    },
    Foreign {
        magic: &[b"SQLite format 3\0"],
        extensions: &["sqlite", "sqlite3", "db"],
        what: "an SQLite database",
        advice: "`sqlite3 -header -csv FILE 'select * from TABLE' > rows.csv` makes a table of it",
    },
    Foreign { magic: &[b"%PDF-"], extensions: &["pdf"], what: "a PDF document", advice: "ask for the table that was printed, as CSV" },
    Foreign { magic: &[b"\x89HDF\r\n\x1a\n"], extensions: &["h5", "hdf5", "mat"], what: "an HDF5 file", advice: PYTHON },
    Foreign { magic: &[b"\x93NUMPY"], extensions: &["npy", "npz"], what: "a NumPy array", advice: PYTHON },
    Foreign {
        magic: &[b"\x80\x02", b"\x80\x03", b"\x80\x04\x95", b"\x80\x05\x95"],
        extensions: &["pkl", "pickle"],
        what: "a Python pickle",
        advice: PYTHON,
    },
    Foreign { magic: &[], extensions: &["orc"], what: "an ORC file", advice: PYTHON },
    Foreign { magic: &[b"Obj\x01"], extensions: &["avro"], what: "an Avro file", advice: PYTHON },
    Foreign { magic: &[b"BZh91AY&SY"], extensions: &["bz2"], what: "compressed with bzip2", advice: UNPACK },
    Foreign { magic: &[b"\xfd7zXZ\0"], extensions: &["xz"], what: "compressed with xz", advice: UNPACK },
    Foreign { magic: &[b"7z\xbc\xaf\x27\x1c"], extensions: &["7z"], what: "a 7z archive", advice: UNPACK },
    Foreign { magic: &[b"Rar!\x1a\x07"], extensions: &["rar"], what: "a RAR archive", advice: UNPACK },
    Foreign {
        magic: &[b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"GIF87a", b"GIF89a"],
        extensions: &["png", "jpg", "jpeg", "gif"],
        what: "a picture",
        advice: "type its numbers into a table, or ask for the data behind it",
    },
    Foreign {
        magic: &[b"<!DOCTYPE html", b"<!doctype html", b"<html", b"<HTML"],
        extensions: &["html", "htm"],
        what: "a web page",
        advice: "look at it in a browser: a download may have failed, or its table can be saved as CSV",
    },
    Foreign { magic: &[b"<?xml"], extensions: &["xml"], what: "an XML document", advice: "save its table as CSV" },
    Foreign {
        magic: &[b"{\"", b"{\n", b"[{", b"[\n"],
        extensions: &["json", "ndjson", "jsonl"],
        what: "JSON",
        advice: "in Python, `pandas.read_json(\"rows.json\").to_csv(\"rows.csv\", index=False)` makes it a table",
    },
];

/// How every ZIP file starts: Excel workbooks, OpenDocument sheets and archives are ZIP files.
const ZIP: &[u8] = b"PK\x03\x04";
/// Where the name of the first file starts in a ZIP file.
const FIRST_NAME: usize = 30;

/// Whether the bytes begin as an Excel workbook (.xlsx) does, or another document of its kind.
pub(crate) fn is_office(magic: &[u8]) -> bool {
    let name = magic.get(FIRST_NAME..).unwrap_or_default();
    magic.starts_with(ZIP) && [&b"[Content_Types].xml"[..], b"_rels/", b"docProps/", b"xl/"].iter().any(|start| name.starts_with(start))
}

/// The fault of a file that some other program is for, told by its first bytes.
pub(crate) fn by_magic(magic: &[u8]) -> Option<DataFault> {
    if magic.starts_with(ZIP) {
        return Some(zip(magic));
    }
    let found = KINDS.iter().find(|kind| kind.magic.iter().any(|bytes| magic.starts_with(bytes)))?;
    Some(fault(found.what, found.advice))
}

/// The same told by the name of a file whose bytes are no text.
pub(crate) fn by_extension(name: &str) -> Option<DataFault> {
    let extension = std::path::Path::new(name).extension()?.to_str()?.to_ascii_lowercase();
    let found = KINDS.iter().find(|kind| kind.extensions.contains(&extension.as_str()))?;
    Some(fault(found.what, found.advice))
}

fn zip(magic: &[u8]) -> DataFault {
    let first = magic.get(FIRST_NAME..).unwrap_or_default();
    if is_office(magic) {
        return fault("an Excel workbook (.xlsx) or another office document", "save its sheet as CSV");
    }
    match first.strip_prefix(b"mimetypeapplication/vnd.oasis.opendocument.") {
        Some(_) => fault("an OpenDocument file (.ods)", "save its sheet as .xlsx or as CSV"),
        None => fault("a ZIP archive", UNPACK),
    }
}

fn fault(what: &str, advice: &str) -> DataFault {
    DataFault::new(format!("this is {what}, not a table of rows")).accepted(advice)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(magic: &[u8]) -> Option<String> {
        by_magic(magic).map(|fault| fault.what)
    }

    #[test]
    fn files_are_told_by_their_first_bytes() {
        assert_eq!(told(b"SQLite format 3\0\x10\0").unwrap(), "this is an SQLite database, not a table of rows");
        assert_eq!(told(b"%PDF-1.7\n").unwrap(), "this is a PDF document, not a table of rows");
        let mut sheet = b"PK\x03\x04".to_vec();
        sheet.resize(FIRST_NAME, 0);
        let zipped = |name: &[u8]| told(&[&sheet, name].concat()).unwrap();
        assert!(zipped(b"[Content_Types].xml").contains("Excel") && zipped(b"data.csv").contains("ZIP archive"));
        assert!(zipped(b"mimetypeapplication/vnd.oasis.opendocument.spreadsheet").contains("OpenDocument"));
        for text in ["a,b\n1,2\n", "{x},y\n", "[1] x\ty\n", "$FL,y\n", "ORD,y\n"] {
            assert_eq!(told(text.as_bytes()), None, "{text}");
        }
    }

    #[test]
    fn endings_tell_where_bytes_do_not() {
        assert!(by_extension("old/study.DTA").is_some_and(|fault| fault.what.contains("Stata")));
        assert!(by_extension("rows.csv").is_none() && by_extension("rows").is_none());
    }
}
