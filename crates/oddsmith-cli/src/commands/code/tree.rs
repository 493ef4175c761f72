//! The words and the tree of a prefix-free code.

use std::ffi::OsStr;
use std::sync::Arc;

use clap::Args;
use oddsmith::Error;
use oddsmith::card::{Card, Cell, FixedTable, Summary};
use oddsmith::control::Control;
use oddsmith::info::Distribution;
use oddsmith::info::code::{PrefixCode, code_picture};
use oddsmith::notice::Notice;

use super::column::CellColumn;
use crate::console::Console;
use crate::exit::Failure;
use crate::options::{ReadingArgs, TextArgs, split_pair};
use crate::plot;
use crate::rows_of_numbers;

/// Different cells of a column above which the tree is not written out.
const MOST_LINES: usize = 200;

/// Arguments of `code tree`.
#[derive(Debug, Args)]
pub(crate) struct TreeArgs {
    /// Symbols with their probabilities; with --column a table.
    #[arg(value_name = "SYMBOL=P", required = true)]
    symbols: Vec<String>,

    /// The column of a table whose cells are the symbols, with their proportions.
    #[arg(long, value_name = "COLUMN", conflicts_with = "counts")]
    column: Option<String>,

    /// Which code; all of them have canonical words.
    #[arg(long, value_name = "CODE", default_value = "huffman", value_parser = ["huffman", "shannon"])]
    code: String,

    /// No word longer than this many bits.
    #[arg(long, value_name = "BITS", conflicts_with = "code")]
    limit: Option<u32>,

    /// The numbers are counts and need not add up to 1.
    #[arg(long)]
    counts: bool,

    /// Draw the tree in place of tables.
    #[arg(long, value_name = "PICTURE", value_parser = ["tree"])]
    plot: Option<String>,

    #[command(flatten)]
    reading: ReadingArgs,

    #[command(flatten)]
    text: TextArgs,
}

/// Symbols and their probabilities.
struct Symbols {
    names: Vec<String>,
    p: Distribution,
    notices: Vec<Notice>,
}

/// Shows the code.
pub(super) fn run(args: &TreeArgs, console: &Console, control: &Arc<Control>) -> Result<(), Failure> {
    let Symbols { names, p, notices } = match (&args.column, &args.symbols[..]) {
        (None, _) => written(args)?,
        (Some(column), [data]) => of_column(args, data, column, control)?,
        (Some(_), _) => return Err(Failure::Usage("name one table, such as births.csv, whose --column is meant".into())),
    };
    let (code, title) = match (args.limit, args.code.as_str()) {
        (Some(limit), _) => (PrefixCode::limited(&p, limit)?, format!("Shortest code with words of at most {limit} bits")),
        (None, "shannon") => (PrefixCode::shannon(&p)?, "Shannon's code".to_owned()),
        _ => (PrefixCode::huffman(&p)?, "Huffman's code".to_owned()),
    };
    let title = args.column.as_ref().map_or(title.clone(), |column| format!("{title} of {column}"));
    let card = card(title, &names, &p, &code);
    match &args.plot {
        Some(name) => plot::show(plot::of_card(&card, name)?, console)?,
        None => console.result(&card)?,
    }
    console.notices(&notices);
    Ok(())
}

/// Symbols as they are written at the command.
fn written(args: &TreeArgs) -> Result<Symbols, Failure> {
    let (mut names, mut values) = (Vec::new(), Vec::new());
    for text in &args.symbols {
        let refused = || Error::option("symbol", text, "a name and its probability, such as a=0.5; a table with --column");
        let (name, value) = split_pair(text).ok_or_else(refused)?;
        let row = rows_of_numbers::rows(&[value.to_owned()], None)?;
        let [value] = row.concat()[..] else { return Err(refused().into()) };
        if names.iter().any(|known| known == name) {
            return Err(Error::option("symbol", text, "every symbol once").into());
        }
        names.push(name.to_owned());
        values.push(value);
    }
    let p = if args.counts { Distribution::of_counts(&values)? } else { Distribution::new(&values)? };
    Ok(Symbols { names, p, notices: Vec::new() })
}

/// The different cells of a column.
fn of_column(args: &TreeArgs, data: &str, column: &str, control: &Control) -> Result<Symbols, Failure> {
    let read = CellColumn::read(OsStr::new(data), column, &args.reading.options(&args.text)?, control)?;
    let counts = read.counts();
    if counts.is_empty() {
        let fault = oddsmith::error::DataFault::new("the column has no rows").column(column);
        return Err(Error::from(fault.accepted("a code needs one cell at least")).in_table(&read.input.name()).into());
    }
    let name = |cell: &Option<String>| cell.clone().filter(|text| !text.is_empty()).unwrap_or_else(|| "(empty)".into());
    Ok(Symbols { names: read.cells.iter().map(name).collect(), p: Distribution::of_counts(&counts)?, notices: read.notices })
}

fn card(title: String, names: &[String], p: &Distribution, code: &PrefixCode) -> Card {
    let mut tidy = FixedTable::new("words", ["symbol", "probability", "word", "length", "surprisal_bits"]);
    for (at, (name, p)) in names.iter().zip(p.probabilities()).enumerate() {
        let word = code.word(at);
        let text = |word: &[bool]| word.iter().map(|bit| if *bit { '1' } else { '0' }).collect::<String>();
        let surprisal = if *p > 0.0 { Cell::Number(-p.log2()) } else { Cell::Empty };
        tidy.push([
            name.as_str().into(),
            (*p).into(),
            word.map_or(Cell::Empty, |word| text(word).into()),
            word.map_or(Cell::Empty, |word| word.len().into()),
            surprisal,
        ]);
    }
    let facts: Vec<(String, Cell)> = vec![
        ("mean length".into(), code.mean_length(p).into()),
        ("entropy (bits)".into(), (p.entropy() * std::f64::consts::LOG2_E).into()),
        ("Kraft sum".into(), code.kraft_sum().into()),
    ];
    let lines = if names.len() <= MOST_LINES { code.tree_lines(|symbol| names[symbol].clone()) } else { Vec::new() };
    let summary = Summary { facts: facts.clone(), table: None, footnotes: lines };
    let words = || (0..names.len()).map(|at| code.word(at).map(<[bool]>::to_vec)).collect::<Vec<Option<Vec<bool>>>>();
    let drawn = names.len() <= MOST_LINES;
    let pictures = if drawn { vec![code_picture(&title, names, p.probabilities(), &words())] } else { Vec::new() };
    Card { title, facts, tidy: tidy.into(), summary: Some(summary), pictures, ..Card::default() }
}
