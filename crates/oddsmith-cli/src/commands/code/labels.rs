//! Labels by wire: coded by the probabilities of a model that both ends have.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use oddsmith::card::{Card, Cell, FixedTable, Table};
use oddsmith::control::Control;
use oddsmith::model::Classifier;
use oddsmith::persist::{self, LabelFile};
use oddsmith::train::{LabelReader, LabelWriter};
use oddsmith::{Error, ErrorKind, Notice};
use oddsmith_io::{Input, open_for_prediction};

use crate::console::Console;
use crate::exit::{Failure, output_fault};
use crate::files;
use crate::labelled_table::LabelledTable;
use crate::options::{ReadingArgs, TextArgs, new_file};
use crate::progress::Progress;
use crate::stream::Stream;

/// Arguments of `code labels`.
#[derive(Debug, Args)]
pub(crate) struct LabelsArgs {
    /// The model file that both ends have.
    #[arg(value_name = "MODEL")]
    model: PathBuf,

    /// A table with the columns of the model; with its target to encode, `-` reads standard input.
    #[arg(value_name = "DATA")]
    data: OsString,

    /// Where to write the coded labels.
    #[arg(short, long, value_name = "FILE", value_parser = new_file(), required_unless_present = "decode", conflicts_with = "decode")]
    output: Option<PathBuf>,

    /// Read the labels of the rows from this file.
    #[arg(long, value_name = "FILE")]
    decode: Option<PathBuf>,

    #[command(flatten)]
    reading: ReadingArgs,

    #[command(flatten)]
    text: TextArgs,
}

/// Encodes, or decodes.
pub(super) fn run(args: &LabelsArgs, console: &Console, control: &Arc<Control>) -> Result<(), Failure> {
    let bytes = files::bytes(&args.model)?;
    let model = persist::load_model(&bytes).map_err(|error| Failure::in_file(&args.model, error))?;
    let input = files::table(&args.data)?;
    match (&args.decode, &args.output) {
        (Some(coded), _) => decode(args, &*model, &bytes, coded, &input, console, control),
        (None, Some(output)) => encode(args, &*model, &bytes, output, &input, console, control),
        (None, None) => Err(Failure::Usage("name the file to write with --output, or the one to read with --decode".into())),
    }
}

fn encode(
    args: &LabelsArgs,
    model: &dyn Classifier,
    bytes: &[u8],
    output: &Path,
    input: &Input,
    console: &Console,
    control: &Control,
) -> Result<(), Failure> {
    let mut inputs: Vec<&Path> = vec![&args.model];
    if let Input::Path(data) = input {
        inputs.push(data);
    }
    files::refuse_same(output, &inputs)?;
    let options = args.reading.options(&args.text)?;
    let table = LabelledTable { input, options: &options, weight: None };
    let mut writer = LabelWriter::new(model);
    let notices: Vec<Notice> = table.scan(model, control, &mut |rows| writer.push(&rows.features, rows.labels, rows.first_row))?;
    let sent = writer.finish(bytes);
    let saved = files::save(output, &sent.file.to_bytes())?;
    let facts = sent.ledger(bytes.len() as u64);
    let mut tidy = FixedTable::new("ledger", ["what", "bits"]);
    for (name, cell) in facts.iter().filter(|(name, _)| name.ends_with("bits")) {
        tidy.push([name.as_str().into(), cell.clone()]);
    }
    let title = format!("Labels of {} in {}", model.layout().target(), output.display());
    let mut card = Card { title, facts, tidy: tidy.into(), notices, ..Card::default() };
    if console.format().is_for_people() {
        console.result(&card)?;
    } else {
        card.facts.extend(saved.facts());
        console.result(&Table::of_record("ledger", card.facts.iter().cloned().map(|(name, cell)| (name.replace(' ', "_"), cell))))?;
    }
    console.notices(&card.notices);
    Ok(())
}

fn decode(
    args: &LabelsArgs,
    model: &dyn Classifier,
    bytes: &[u8],
    coded: &Path,
    input: &Input,
    console: &Console,
    control: &Arc<Control>,
) -> Result<(), Failure> {
    let classes = model.layout().classes();
    let file = LabelFile::from_bytes(&coded_bytes(coded)?)
        .and_then(|file| file.check_model(bytes, classes.len()).map(|()| file))
        .map_err(|error| Failure::in_file(coded, error))?;
    let rows = open_for_prediction(input, &args.reading.options(&args.text)?, model.layout(), &[])?;
    console.notices(&rows.notices);
    let mut reader = LabelReader::new(model, &file);
    let notices = {
        let _progress = Progress::start(console, control, "decoding");
        rows.scan(control, &mut |batch| reader.push(&batch.features)).map_err(|error: Error| error.in_table(&input.name()))?
    };
    let labels = reader.finish().map_err(|error| Failure::in_file(coded, error))?;
    console.rows_only()?;
    let mut out = console.writer();
    let mut stream = Stream::new(&mut out, &output_fault, console, &[model.layout().target().to_owned()]);
    for label in labels {
        stream.row(vec![Cell::from(classes.label(label as usize))])?;
    }
    stream.finish()?;
    console.notices(&notices);
    Ok(())
}

/// The bytes of a coded file.
pub(super) fn coded_bytes(path: &Path) -> Result<Vec<u8>, Failure> {
    std::fs::read(path).map_err(|source| Error::from(ErrorKind::Io { path: path.display().to_string(), source }).into())
}
