//! The cells of a column as a file, and back.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use oddsmith::card::{Card, Cell, FixedTable, Table};
use oddsmith::control::Control;
use oddsmith::info::entropy;
use oddsmith::persist::{ColumnCode, ColumnFile};
use oddsmith_io::Input;

use super::column::CellColumn;
use super::labels::coded_bytes;
use crate::console::Console;
use crate::exit::{Failure, output_fault};
use crate::files;
use crate::options::{ReadingArgs, TextArgs, new_file};
use crate::progress::Progress;
use crate::stream::Stream;

/// Arguments of `code encode`.
#[derive(Debug, Args)]
pub(crate) struct EncodeArgs {
    /// A table; `-` reads standard input.
    #[arg(value_name = "DATA")]
    data: OsString,

    /// The column.
    #[arg(value_name = "COLUMN")]
    column: String,

    /// Where to write the coded cells.
    #[arg(short, long, value_name = "FILE", value_parser = new_file())]
    output: PathBuf,

    /// How cells are told: all together by arithmetic coding, or each by a word of Huffman's or Shannon's code.
    #[arg(long, value_name = "CODE", default_value = "arithmetic", value_parser = ["arithmetic", "huffman", "shannon"])]
    code: String,

    /// By words of which none is longer than this many bits.
    #[arg(long, value_name = "BITS", conflicts_with = "code")]
    limit: Option<u32>,

    #[command(flatten)]
    reading: ReadingArgs,

    #[command(flatten)]
    text: TextArgs,
}

/// Arguments of `code decode`.
#[derive(Debug, Args)]
pub(crate) struct DecodeArgs {
    /// A file that `code encode` wrote.
    #[arg(value_name = "FILE")]
    file: PathBuf,
}

/// Codes a column.
pub(super) fn encode(args: &EncodeArgs, console: &Console, control: &Arc<Control>) -> Result<(), Failure> {
    let column = {
        let _progress = Progress::start(console, control, "reading");
        CellColumn::read(&args.data, &args.column, &args.reading.options(&args.text)?, control)?
    };
    if let Input::Path(data) = &column.input {
        files::refuse_same(&args.output, &[data])?;
    }
    let code = match (args.limit, args.code.as_str()) {
        (Some(bits), _) => ColumnCode::Limited(bits),
        (None, "huffman") => ColumnCode::Huffman,
        (None, "shannon") => ColumnCode::Shannon,
        _ => ColumnCode::Arithmetic,
    };
    let rows = column.rows.len() as f64;
    let entropy_bits = rows * entropy(&column.counts()) * std::f64::consts::LOG2_E;
    let text_bytes = column.text_bytes;
    let file = ColumnFile::new(&args.column, column.cells, &column.rows, code).map_err(|error| error.in_table(&column.input.name()))?;
    let bytes = file.to_bytes();
    let saved = files::save(&args.output, &bytes)?;
    let mut facts: Vec<(String, Cell)> = vec![
        ("rows".into(), file.rows().into()),
        ("different cells".into(), file.cells().len().into()),
        ("file bytes".into(), bytes.len().into()),
        ("text bytes".into(), text_bytes.into()),
        ("stream bits".into(), file.stream_bits().into()),
        ("ideal bits".into(), file.ideal_bits().into()),
        ("entropy bits".into(), entropy_bits.into()),
        ("bits per row".into(), (file.stream_bits() as f64 / rows).into()),
    ];
    if console.format().is_for_people() {
        let mut tidy = FixedTable::new("ledger", ["what", "bits"]);
        for (name, cell) in facts.iter().filter(|(name, _)| name.ends_with("bits")) {
            tidy.push([name.as_str().into(), cell.clone()]);
        }
        let title = format!("Column {} in {}", args.column, args.output.display());
        console.result(&Card { title, facts, tidy: tidy.into(), ..Card::default() })?;
    } else {
        facts.extend(saved.facts());
        console.result(&Table::of_record("ledger", facts.into_iter().map(|(name, cell)| (name.replace(' ', "_"), cell))))?;
    }
    console.notices(&column.notices);
    Ok(())
}

/// Writes the cells of a coded column as a table.
pub(super) fn decode(args: &DecodeArgs, console: &Console, control: &Arc<Control>) -> Result<(), Failure> {
    let within = |error| Failure::in_file(&args.file, error);
    let file = read(&args.file)?;
    let mut out = console.writer();
    let mut stream = Stream::new(&mut out, &output_fault, console, &[file.name().to_owned()]);
    file.for_each(&mut |cell| {
        control.check()?;
        stream.row(vec![cell.map_or(Cell::Empty, Cell::from)])
    })
    .map_err(within)?;
    stream.finish()?;
    Ok(())
}

fn read(path: &Path) -> Result<ColumnFile, Failure> {
    ColumnFile::from_bytes(&coded_bytes(path)?).map_err(|error| Failure::in_file(path, error))
}
