//! The words and the tree of a prefix-free code.

use clap::Args;
use oddsmith::Error;
use oddsmith::card::{Card, Cell, FixedTable, Summary};
use oddsmith::info::Distribution;
use oddsmith::info::code::{PrefixCode, code_picture};

use crate::console::Console;
use crate::exit::Failure;
use crate::options::split_pair;
use crate::plot;
use crate::rows_of_numbers;

/// Arguments of `code tree`.
#[derive(Debug, Args)]
pub(crate) struct TreeArgs {
    /// Symbols with their probabilities.
    #[arg(value_name = "SYMBOL=P", required = true)]
    symbols: Vec<String>,

    /// Which code.
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
}

/// Shows the code.
pub(super) fn run(args: &TreeArgs, console: &Console) -> Result<(), Failure> {
    let (mut names, mut values) = (Vec::new(), Vec::new());
    for text in &args.symbols {
        let refused = || Error::option("symbol", text, "a name and its probability, such as a=0.5");
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
    let (code, title) = match (args.limit, args.code.as_str()) {
        (Some(limit), _) => (PrefixCode::limited(&p, limit)?, format!("Shortest code with words of at most {limit} bits")),
        (None, "shannon") => (PrefixCode::shannon(&p)?, "Shannon's code".to_owned()),
        _ => (PrefixCode::huffman(&p)?, "Huffman's code".to_owned()),
    };
    let card = card(title, &names, &p, &code);
    match &args.plot {
        Some(name) => plot::show(plot::of_card(&card, name)?, console),
        None => console.result(&card),
    }
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
    let lines = code.tree_lines(|symbol| names[symbol].clone());
    let summary = Summary { facts: facts.clone(), table: None, footnotes: lines };
    let words: Vec<Option<Vec<bool>>> = (0..names.len()).map(|at| code.word(at).map(<[bool]>::to_vec)).collect();
    let pictures = vec![code_picture(&title, names, p.probabilities(), &words)];
    Card { title, facts, tidy: tidy.into(), summary: Some(summary), pictures, ..Card::default() }
}
