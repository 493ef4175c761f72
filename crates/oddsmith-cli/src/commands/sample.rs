//! `oddsmith sample`: rows drawn from a model.

use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use oddsmith::ErrorKind;
use oddsmith::card::Cell;
use oddsmith::control::Control;
use oddsmith::data::{Feature, Layout, Space};
use oddsmith::model::{Generative, SampledRow, Value};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

use crate::console::Console;
use crate::exit::{Failure, output_fault};
use crate::files;
use crate::stream::Stream;

pub(crate) const EXAMPLES: &str = "Examples:
  oddsmith sample nb.odds -n 1000 --seed 1 > synthetic.csv";

/// Arguments of `sample`.
#[derive(Debug, Args)]
pub(crate) struct SampleArgs {
    /// A model file.
    #[arg(value_name = "MODEL")]
    model: PathBuf,

    /// Number of rows.
    #[arg(short = 'n', long, default_value_t = 100)]
    rows: u64,

    /// Start of the random numbers: the same seed gives the same rows.
    #[arg(long, default_value_t = 1)]
    seed: u64,

    /// Draw rows of this class only.
    #[arg(long, value_name = "LABEL")]
    class: Option<String>,
}

/// Draws rows and writes them with the target as the last column.
pub(crate) fn run(args: &SampleArgs, console: &Console, control: &Arc<Control>) -> Result<(), Failure> {
    let model = files::read_model(&args.model)?;
    let layout = model.layout();
    let generative = model.generative().ok_or_else(|| {
        let advice =
            "its probabilities come from no distribution of rows; use a generative model such as nb, lda or qda, as it was fitted".into();
        oddsmith::Error::from(ErrorKind::Unsupported { model: model.card().title, what: "draw rows".into(), advice })
    })?;
    let only = args.class.as_deref().map(|label| layout.classes().index(label)).transpose()?;
    let mut columns = layout.names();
    columns.push(layout.target().to_owned());
    let mut random = ChaCha8Rng::seed_from_u64(args.seed);
    console.rows_only()?;
    let mut out = console.writer();
    let mut stream = Stream::new(&mut out, &output_fault, console, &columns);
    for row in 0..args.rows {
        if row % 1024 == 0 {
            control.check()?;
        }
        let class = only.unwrap_or_else(|| draw_class(generative, &mut random));
        stream.row(cells(&generative.sample(class, &mut random)?, layout))?;
    }
    Ok(stream.finish()?)
}

fn draw_class(model: &dyn Generative, random: &mut ChaCha8Rng) -> usize {
    // 53 bits are all that a double between 0 and 1 can hold.
    let mut left = (random.next_u64() >> 11) as f64 / (1u64 << 53) as f64;
    let log_prior = model.log_prior();
    for (k, log_share) in log_prior.iter().enumerate() {
        left -= log_share.exp();
        if left < 0.0 {
            return k;
        }
    }
    log_prior.len() - 1
}

fn cells(row: &SampledRow, layout: &Layout) -> Vec<Cell> {
    let mut cells: Vec<Cell> = layout.features().iter().zip(&row.values).map(|(feature, value)| cell(feature, value)).collect();
    cells.push(layout.classes().label(row.class).into());
    cells
}

fn cell(feature: &Feature, value: &Value) -> Cell {
    match (value, &feature.space) {
        (Value::Number(number), _) if !number.is_nan() => Cell::Number(*number),
        (Value::Code(code), Space::Levels { levels, .. }) => {
            levels.names().get(*code as usize).map_or(Cell::Empty, |name| name.as_str().into())
        }
        (Value::Words(words), Space::Words { vocabulary, .. }) => {
            let repeated = words.iter().flat_map(|(word, count)| std::iter::repeat_n(vocabulary.word(*word as usize), *count as usize));
            Cell::Text(repeated.collect::<Vec<_>>().join(" "))
        }
        _ => Cell::Empty,
    }
}
