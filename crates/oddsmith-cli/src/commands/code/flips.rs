//! Any distribution from flips of a fair coin.

use clap::Args;
use oddsmith::card::{Card, Cell, FixedTable};
use oddsmith::info::Distribution;
use oddsmith::info::code::{Flips, ResetFlips};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

use crate::console::Console;
use crate::exit::Failure;
use crate::rows_of_numbers::exact_weights;

/// Arguments of `code flips`.
#[derive(Debug, Args)]
pub(crate) struct FlipsArgs {
    /// Probabilities as decimals or fractions, or whole weights; they are taken exactly as written.
    #[arg(value_name = "P,…", required = true)]
    probabilities: Vec<String>,

    /// New beginnings whose probability of being exceeded is shown.
    #[arg(long, value_name = "N", default_value_t = 5)]
    resets: u32,

    /// Draw this many symbols and count them.
    #[arg(short = 'n', long, value_name = "N", default_value_t = 0)]
    draws: u64,

    /// Start of the random numbers: the same seed gives the same flips.
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// Shows how many flips it takes, by the best tree and with new beginnings.
pub(super) fn run(args: &FlipsArgs, console: &Console) -> Result<(), Failure> {
    let weights = exact_weights(&args.probabilities)?;
    let tree = Flips::new(&weights)?;
    let reset = ResetFlips::new(&tree);
    let (lowest, total) = tree.weights();
    let shares: Vec<f64> = lowest.iter().map(|weight| *weight as f64 / total as f64).collect();
    let mut random = ChaCha8Rng::seed_from_u64(args.seed);
    let (mut drawn, mut flips) = (vec![0u64; shares.len()], 0u64);
    for _ in 0..args.draws {
        let (symbol, used) = tree.draw(|| random.next_u32() >> 31 == 1);
        drawn[symbol] += 1;
        flips += u64::from(used);
    }
    let mut tidy = FixedTable::new("symbols", ["symbol", "weight", "probability", "drawn"]);
    for (at, share) in shares.iter().enumerate() {
        let count = if args.draws > 0 { Cell::from(drawn[at]) } else { Cell::Empty };
        tidy.push([Cell::from(at + 1), lowest[at].into(), (*share).into(), count]);
    }
    let entropy = Distribution::of_counts(&shares)?.entropy() * std::f64::consts::LOG2_E;
    let mut facts: Vec<(String, Cell)> = vec![
        ("entropy (bits)".into(), entropy.into()),
        ("expected flips".into(), tree.expected().into()),
        ("flips at a time".into(), u64::from(reset.flips()).into()),
        ("expected flips with resets".into(), reset.expected().into()),
        (format!("probability of more than {} resets", args.resets), reset.more_resets_than(args.resets).into()),
    ];
    if args.draws > 0 {
        facts.push(("flips used".into(), flips.into()));
        facts.push(("flips per symbol".into(), (flips as f64 / args.draws as f64).into()));
    }
    console.result(&Card { title: "A distribution from flips of a fair coin".into(), facts, tidy: tidy.into(), ..Card::default() })
}
