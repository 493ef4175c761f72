//! `oddsmith compare`: several models on the same folds of one table, and whether one of them is better than chance would have it.

use std::ffi::OsString;
use std::sync::Arc;
use std::time::Instant;

use clap::Args;
use oddsmith::card::{Card, Cell, Table};
use oddsmith::control::Control;
use oddsmith::data::Source;
use oddsmith::eval::Settings;
use oddsmith::model::{AnyLearner, Classifier, Knobs};
use oddsmith::registry;
use oddsmith::train::{self, CrossValidation, Dealing, FoldTables, ScoredTable, Standing};
use oddsmith::{Error, Result as LibraryResult};
use oddsmith_io::{Opened, ReadOptions, Roles};
use oddsmith_report::Format;

use crate::console::Console;
use crate::data_card::data_card;
use crate::exit::Failure;
use crate::files;
use crate::options::{ReadingArgs, RoleArgs, TextArgs, split_list};
use crate::progress::Progress;
use crate::ranks;

pub(crate) const EXAMPLES: &str = "Examples:
  oddsmith compare births.csv --target low --models nb,lda,qda,logistic --features age,lwt
  oddsmith compare births.csv --target low --models lda,logistic --show weights   generative and discriminative twins
  oddsmith compare visits.csv --target died --group patient --folds 5     rows of a patient stay together
  oddsmith compare births.csv --target low --show curve                   how bits fall with more rows";

/// Arguments of `compare`.
#[derive(Debug, Args)]
pub(crate) struct CompareArgs {
    /// A table; `-` reads standard input.
    #[arg(value_name = "DATA")]
    data: OsString,

    /// The models, separated by commas.
    #[arg(short, long, value_name = "MODEL,…", default_value = "nb,lda,qda,logistic")]
    models: String,

    /// Folds of the cross-validation.
    #[arg(long, visible_alias = "cv", value_name = "N", default_value_t = 10)]
    folds: usize,

    /// How many times rows are dealt anew; figures are means over all times.
    #[arg(long, value_name = "N", default_value_t = 1)]
    repeats: u64,

    /// Start of the random numbers that deal rows to folds.
    #[arg(long, default_value_t = 1)]
    seed: u64,

    /// A column whose equal values keep rows in one fold, such as a patient.
    #[arg(long, value_name = "COLUMN")]
    group: Option<String>,

    /// Show one table: models, pairs, weights, or the learning curve.
    #[arg(long, value_enum, value_name = "TABLE")]
    show: Option<Part>,

    #[command(flatten)]
    roles: RoleArgs,

    #[command(flatten)]
    reading: ReadingArgs,

    #[command(flatten)]
    text: TextArgs,
}

/// A table that can be asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Part {
    /// One row per model.
    Models,
    /// Every model against the one with the fewest bits.
    Pairs,
    /// Log-odds weights of linear models side by side, fitted to all rows.
    Weights,
    /// Bits over a growing number of rows.
    Curve,
}

/// A model that takes part.
pub(crate) struct Candidate {
    /// Its name.
    pub(crate) name: String,
    learner: Box<dyn AnyLearner>,
}

/// What is known about a model after all folds.
pub(crate) struct Entrant {
    /// Its name.
    pub(crate) name: String,
    /// Its figures, or why there are none.
    pub(crate) outcome: Result<Outcome, String>,
}

/// Figures and out-of-fold rows of a model.
pub(crate) struct Outcome {
    /// Means over all repeats.
    pub(crate) standing: Standing,
    /// Rows of the first repeat.
    pub(crate) rows: ScoredTable,
    /// Free parameters of the model of the first fold.
    pub(crate) parameters: Option<u64>,
    /// Seconds for the models of all folds.
    pub(crate) seconds: f64,
}

/// Compares and shows.
pub(crate) fn run(args: &CompareArgs, console: &Console, control: &Arc<Control>) -> Result<(), Failure> {
    let candidates = candidates(&args.models)?;
    let input = files::table(&args.data)?;
    if args.group.is_some() && matches!(input, oddsmith_io::Input::Stdin) {
        return Err(Failure::Usage("--group reads the table twice, which standard input cannot".into()));
    }
    let options = args.reading.options(&args.text)?;
    let mut roles = args.roles.roles();
    if let Some(group) = &args.group
        && roles.features.is_none()
    {
        roles.exclude.push(group.clone());
    }
    let opened = {
        let _progress = Progress::start(console, control, "reading");
        oddsmith_io::open(&input, &options, &roles, control)?
    };
    files::need_target(&opened)?;
    let groups = args.group.as_ref().map(|column| groups(&input, column, &options, &opened, control)).transpose()?;
    let in_table = |error: Error| error.in_table(&input.name());
    let race = Race { args, source: &*opened.source, control, groups: groups.as_deref(), candidates: &candidates };
    let _progress = Progress::start(console, control, "comparing");
    let entrants = race.run().map_err(in_table)?;
    let mut data = data_card(&input.name(), &opened);
    let silent = entrants.iter().find_map(|entrant| Some(entrant.outcome.as_ref().ok()?.rows.silent())).unwrap_or(0);
    data.notices.extend(ranks::silent_rows(silent, "some model"));
    let table = match args.show {
        Some(Part::Models) => ranks::models(&entrants),
        Some(Part::Pairs) => ranks::pairs(&entrants),
        Some(Part::Weights) => race.weights().map_err(in_table)?,
        Some(Part::Curve) => race.curve().map_err(in_table)?,
        None if matches!(console.format(), Format::Csv | Format::Ndjson) => ranks::models(&entrants),
        None => {
            data.tidy.rows.clear();
            let title = format!("{} folds{}, every row judged by models that have not seen its fold", args.folds, repeats(args.repeats));
            let facts = vec![("verdict".into(), ranks::verdict(&entrants).into())];
            let card = |title: String, facts, tidy| Card { title, facts, tidy, notices: Vec::new() };
            let mut table = ranks::models(&entrants);
            if console.format() == Format::Table {
                // A sentence in a cell would push the figures off the screen.
                table.columns.pop();
                table.rows.iter_mut().for_each(|row| drop(row.pop()));
                ranks::failures(&entrants).iter().for_each(|line| console.note(line));
            }
            let models = card(title, facts, table);
            let pairs = card("Against the model with the fewest bits".into(), Vec::new(), ranks::pairs(&entrants));
            let cards: &[(&str, &Card)] = &[("data", &data), ("models", &models), ("pairs", &pairs)];
            console.result(cards)?;
            console.notices(&data.notices);
            return Ok(());
        }
    };
    console.result(&table)?;
    console.notices(&data.notices);
    Ok(())
}

fn repeats(count: u64) -> String {
    if count > 1 { format!(" dealt {count} times") } else { String::new() }
}

fn candidates(names: &str) -> Result<Vec<Candidate>, Failure> {
    let names = split_list(names);
    let build = |name: &String| {
        let entry = registry::find(name.trim())?;
        Ok(Candidate { name: entry.name.to_owned(), learner: (entry.build)(&Knobs::default())? })
    };
    let candidates = names.iter().map(build).collect::<LibraryResult<Vec<_>>>()?;
    match candidates.iter().enumerate().find(|(i, one)| candidates[..*i].iter().any(|other| other.name == one.name)) {
        Some((_, twice)) => Err(Failure::Usage(format!("{} is listed twice", twice.name))),
        None => Ok(candidates),
    }
}

/// The group of every row: the column read as if it were the target.
fn groups(
    input: &oddsmith_io::Input,
    column: &str,
    options: &ReadOptions,
    opened: &Opened,
    control: &Control,
) -> Result<Vec<u32>, Failure> {
    let options = ReadOptions { max_classes: usize::MAX, ..options.clone() };
    let roles = Roles { target: Some(column.to_owned()), ..Roles::default() };
    let grouped = oddsmith_io::open(input, &options, &roles, control)?;
    if grouped.rows != opened.rows {
        let what = format!("{} rows have a group and {} a target", grouped.rows, opened.rows);
        return Err(Failure::Usage(format!("--group: {what}; leave out rows where either is missing")));
    }
    let mut labels = Vec::new();
    for partition in 0..grouped.source.partitions() {
        grouped.source.scan(partition, &mut |rows| {
            labels.extend_from_slice(rows.labels);
            Ok(())
        })?;
    }
    Ok(labels)
}

struct Race<'a> {
    args: &'a CompareArgs,
    source: &'a (dyn Source + Send),
    control: &'a Control,
    groups: Option<&'a [u32]>,
    candidates: &'a [Candidate],
}

impl Race<'_> {
    fn deal(&self, repeat: u64) -> LibraryResult<CrossValidation<'_>> {
        let dealing = Dealing { folds: self.args.folds, seed: self.args.seed + repeat, groups: self.groups };
        CrossValidation::new(self.source, dealing, self.args.reading.threads, self.control)
    }

    fn gather(&self, folds: &CrossValidation<'_>) -> LibraryResult<Option<FoldTables>> {
        let learners: Vec<&dyn AnyLearner> = self.candidates.iter().map(|candidate| &*candidate.learner).collect();
        folds.gather(&learners)
    }

    fn settings(&self) -> Settings {
        Settings { weighting: self.source.layout().weighting(), memory: usize::MAX, ..Settings::default() }
    }

    fn run(&self) -> LibraryResult<Vec<Entrant>> {
        let mut entrants: Vec<Entrant> = Vec::new();
        for repeat in 0..self.args.repeats.max(1) {
            let heat = self.heat(repeat)?;
            if repeat == 0 {
                entrants = heat;
                continue;
            }
            for (mine, theirs) in entrants.iter_mut().zip(heat) {
                match (&mut mine.outcome, theirs.outcome) {
                    (Ok(mine), Ok(theirs)) => {
                        mine.standing = ranks::mean(&mine.standing, &theirs.standing, repeat);
                        mine.seconds += theirs.seconds;
                    }
                    (_, Err(reason)) => mine.outcome = Err(reason),
                    _ => {}
                }
            }
        }
        Ok(entrants)
    }

    /// All models on one deal of the rows. What one model cannot do is no reason to stop the others.
    fn heat(&self, repeat: u64) -> LibraryResult<Vec<Entrant>> {
        let folds = self.deal(repeat)?;
        let begin = Instant::now();
        let tables = self.gather(&folds)?;
        let shared = begin.elapsed().as_secs_f64() / self.candidates.len() as f64;
        let (mut fitted, mut outcomes) = (Vec::new(), Vec::new());
        for candidate in self.candidates {
            let begin = Instant::now();
            match folds.models(&*candidate.learner, tables.as_ref(), self.args.folds) {
                Ok(models) => {
                    outcomes.push(Ok((ranks::parameters(&*models[0]), shared + begin.elapsed().as_secs_f64())));
                    fitted.push(models);
                }
                Err(error) if matches!(error.kind(), oddsmith::ErrorKind::Interrupted) => return Err(error),
                Err(error) => outcomes.push(Err(error.to_string())),
            }
        }
        let tables = folds.out_of_fold(&fitted)?;
        let classes = self.source.layout().classes().len();
        let standings = train::standings(&tables, classes, &self.settings(), self.args.reading.threads)?;
        let mut judged = standings.into_iter().zip(tables);
        let entrant = |(candidate, outcome): (&Candidate, Result<(Option<u64>, f64), String>)| {
            let outcome = outcome.and_then(|(parameters, seconds)| {
                let (standing, rows) = judged.next().ok_or("the model was not judged")?;
                Ok(Outcome { standing, rows, parameters, seconds })
            });
            Entrant { name: candidate.name.clone(), outcome }
        };
        Ok(self.candidates.iter().zip(outcomes).map(entrant).collect())
    }

    /// Log-odds weights of the linear models, fitted to all rows.
    fn weights(&self) -> LibraryResult<Table> {
        let mut fitted: Vec<(String, Box<dyn Classifier>)> = Vec::new();
        for candidate in self.candidates {
            match train::fit(&candidate.learner, self.source, self.args.reading.threads, self.control) {
                Ok(done) => fitted.push((candidate.name.clone(), done.model)),
                Err(error) if matches!(error.kind(), oddsmith::ErrorKind::Interrupted) => return Err(error),
                Err(_) => {}
            }
        }
        Ok(ranks::weights(&fitted))
    }

    /// Bits of models that learn from one, two, four … of the other folds.
    fn curve(&self) -> LibraryResult<Table> {
        let folds = self.deal(0)?;
        let tables = self.gather(&folds)?;
        let rows = folds.folds().of_rows().len() as f64;
        let classes = self.source.layout().classes().len();
        let mut sizes: Vec<usize> =
            std::iter::successors(Some(1), |size| Some(size * 2)).take_while(|size| *size < self.args.folds - 1).collect();
        sizes.push(self.args.folds - 1);
        let mut table = Table::new("curve", &["model", "rows", "bits", "bits_low", "bits_high", "note"]);
        for candidate in self.candidates {
            for &size in &sizes {
                let taught = (rows * size as f64 / self.args.folds as f64).round();
                let figure = match folds.models(&*candidate.learner, tables.as_ref(), size) {
                    Ok(models) => {
                        let scored = folds.out_of_fold(&[models])?;
                        let standing = train::standings(&scored, classes, &self.settings(), self.args.reading.threads)?;
                        standing[0].bits.clone().map_err(|reason| reason.to_string())
                    }
                    Err(error) if matches!(error.kind(), oddsmith::ErrorKind::Interrupted) => return Err(error),
                    Err(error) => Err(error.to_string()),
                };
                let mut row = vec![Cell::from(candidate.name.as_str()), taught.into()];
                row.extend(ranks::with_interval(&figure));
                row.push(figure.err().map_or(Cell::Empty, Cell::from));
                table.push(row);
            }
        }
        Ok(table)
    }
}
