//! `oddsmith compare`: several models on the same folds of one table, and whether one of them is better than chance would have it.

use std::ffi::OsString;
use std::sync::Arc;

use clap::Args;
use oddsmith::card::{Card, Cell, Summary, Table};
use oddsmith::control::Control;
use oddsmith::data::{Role, Weighting};
use oddsmith::model::Classifier;
use oddsmith::notice::{self, Notice};
use oddsmith::registry;
use oddsmith::stats::Parts;
use oddsmith::train::{self, Candidate, CandidateResult, Comparison, CompleteSource, ModelEvidence};
use oddsmith::{Error, ErrorKind};
use oddsmith_io::{Input, Opened};
use oddsmith_report::Format;

use crate::by;
use crate::console::Console;
use crate::data_card::data_card;
use crate::exit::Failure;
use crate::files;
use crate::fitting;
use crate::options::{ReadingArgs, RoleArgs, TextArgs};
use crate::plot;
use crate::progress::Progress;
use crate::silence::silent_rows;

pub(crate) const EXAMPLES: &str = "Examples:
  oddsmith compare births.csv --target low --models nb,lda,qda,logistic --features age,lwt
  oddsmith compare births.csv --target low --models 'nb,logistic(l2=1)' --features age,lwt,race
  oddsmith compare births.csv --target low --models lda,logistic --features age,lwt --show twins
  oddsmith compare iris.csv --target Species --models 'nb(predictive),lda(predictive)' --evidence
  oddsmith compare births.csv --target low --features age,lwt,smoke --mdl  # bits in two parts
  oddsmith compare visits.csv --target died --group patient --folds 5  # patients stay together
  oddsmith compare births.csv --target low --features age,lwt --show curve  # bits of more rows";

/// Arguments of `compare`.
#[derive(Debug, Clone, Args)]
pub(crate) struct CompareArgs {
    /// A table; `-` reads standard input.
    #[arg(value_name = "DATA")]
    data: OsString,

    /// The models, separated by commas.
    #[arg(short, long, value_name = "MODEL,…", default_value = registry::COMPARED)]
    models: String,

    /// Folds of the cross-validation.
    #[arg(long, visible_alias = "cv", value_name = "N", default_value_t = 10)]
    folds: usize,

    /// How many times rows are split anew; metrics are means over all times.
    #[arg(long, value_name = "N", default_value_t = 1)]
    repeats: u64,

    /// Start of the random numbers that split rows into folds.
    #[arg(long, default_value_t = 1)]
    seed: u64,

    /// A column whose equal values keep rows in one fold, such as a patient.
    #[arg(long, value_name = "COLUMN")]
    group: Option<String>,

    /// Compare on the rows of every level of this column alone; every table gets it as its first column. Where no column is called so,
    /// `evidence` and `mdl` are what --evidence and --mdl compare by.
    #[arg(long, value_name = "COLUMN")]
    by: Option<String>,

    /// Show one table: models, pairs, weights, or the learning curve.
    #[arg(long, value_enum, value_name = "TABLE")]
    show: Option<ComparisonTable>,

    /// Draw a picture in place of tables: the models beside each other, their learning curves, or with --mdl their descriptions in two parts.
    #[arg(long, value_name = "PICTURE", conflicts_with_all = ["show", "evidence"], value_parser = ["comparison", "learning", DESCRIPTION])]
    plot: Option<String>,

    /// Show how many bits tell the classes in two parts, the model and the classes by it, for models of all rows.
    #[arg(long, conflicts_with_all = ["show", "evidence"])]
    mdl: bool,

    /// Show the evidence of models whose parameters are integrated out, their posterior probabilities and Bayes factors.
    #[arg(long, conflicts_with = "show")]
    evidence: bool,

    #[command(flatten)]
    roles: RoleArgs,

    #[command(flatten)]
    reading: ReadingArgs,

    #[command(flatten)]
    text: TextArgs,
}

/// The picture of descriptions in two parts.
const DESCRIPTION: &str = "description";

/// A table that can be asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum ComparisonTable {
    /// One row per model.
    Models,
    /// Every model against the one with the fewest bits.
    Pairs,
    /// Log-odds weights of linear models side by side, fitted to all rows.
    Weights,
    /// Weights of generative and discriminative models, and whether they differ.
    Twins,
    /// Bits of models of 1/16, 1/8, … and all of the rows that they may learn from.
    Curve,
}

/// Compares and shows.
pub(crate) fn run(args: &CompareArgs, console: &Console, control: &Arc<Control>) -> Result<(), Failure> {
    // The list is refused before anything is read.
    Candidate::parse_list(&args.models)?;
    let input = files::table(&args.data)?;
    let Some(column) = &args.by else { return compare(args, &input, console, control) };
    let input = fitting::kept_for_rereading(input)?;
    let levels = match by::levels(column, &input, &args.reading.options(&args.text)?, console, control) {
        Err(Failure::Library(error)) if is_unknown(&error) && matches!(column.as_str(), "evidence" | "mdl") => {
            let (mdl, evidence) = (args.mdl || column == "mdl", args.evidence || column == "evidence");
            if mdl == evidence || args.show.is_some() || args.plot.is_some() {
                return Err(Failure::Usage(format!(
                    "--by {column} shows a table of its own, and --show, --plot, --mdl and --evidence others"
                )));
            }
            return compare(&CompareArgs { mdl, evidence, ..args.clone() }, &input, console, control);
        }
        levels => levels?,
    };
    by::each_level(column, &levels, console, &mut |only, console| {
        let mut each = CompareArgs { reading: args.reading.only(only)?, ..args.clone() };
        // Within a level the column is the same in every row.
        if each.roles.features.is_empty() {
            each.roles.exclude.push(column.clone());
        }
        compare(&each, &input, console, control)
    })
}

/// Whether there is no column of that name.
fn is_unknown(error: &Error) -> bool {
    matches!(error.kind(), ErrorKind::Unknown { noun: "column", .. })
}

fn compare(args: &CompareArgs, input: &Input, console: &Console, control: &Arc<Control>) -> Result<(), Failure> {
    let options = args.reading.options(&args.text)?;
    let mut roles = args.roles.roles()?;
    roles.keys.extend(args.group.iter().map(|column| (column.clone(), Role::Group)));
    let opened = {
        let _progress = Progress::start(console, control, "reading");
        oddsmith_io::open(input, &options, &roles, control)?
    };
    files::need_target(&opened)?;
    let candidates = Candidate::parse_list_for(&args.models, &opened.flags)?;
    let in_table = |error: Error| error.in_table(&input.name());
    let comparison = Comparison {
        source: &*opened.source,
        candidates: &candidates,
        folds: args.folds,
        repeats: args.repeats,
        seed: args.seed,
        groups: None,
        memory: options.memory,
        threads: args.reading.threads,
        control,
    };
    // The bar must be gone before anything is shown.
    let progress = Progress::start(console, control, "comparing");
    let mut data = data_card(&input.name(), &opened);
    // Parts of a description are what --mdl tells.
    let mdl = args.mdl || args.plot.as_deref() == Some(DESCRIPTION);
    if mdl || args.evidence {
        let rows = CompleteSource::new(&*opened.source);
        let complete = Comparison { source: &rows, ..comparison };
        data.notices.extend(excluded(rows.incomplete_rows().map_err(in_table)?));
        let card = if mdl { lengths(&complete) } else { evidences(&complete) };
        drop(progress);
        let card = card.map_err(in_table)?;
        match &args.plot {
            Some(picture) => plot::show(plot::of_card(&card, picture)?, console)?,
            None => console.result(&card)?,
        }
    } else if let Some(table) = fitted_table(args.show, &comparison) {
        drop(progress);
        console.result(&table.map_err(in_table)?)?;
    } else if args.plot.as_deref() == Some("learning") {
        let points = comparison.curve().map_err(in_table)?;
        drop(progress);
        plot::show(&train::pictures::curve_picture(&points, base_bits(&opened, args, control)?), console)?;
    } else {
        let results = comparison.run().map_err(in_table)?;
        drop(progress);
        judged(args, &results, opened.source.layout().weighting(), &mut data, console)?;
    }
    console.notices(&data.notices);
    Ok(())
}

/// The table that was asked for, where no fold has to be judged for it.
fn fitted_table(show: Option<ComparisonTable>, comparison: &Comparison<'_>) -> Option<oddsmith::Result<Table>> {
    match show? {
        ComparisonTable::Weights => Some(comparison.fitted().map(|fitted| train::weight_table(&fitted))),
        ComparisonTable::Twins => Some(comparison.twins()),
        ComparisonTable::Curve => Some(comparison.curve().map(|points| train::curve_table(&points))),
        _ => None,
    }
}

/// What judged folds say of the candidates, as a picture, one table or everything.
fn judged(
    args: &CompareArgs,
    results: &[CandidateResult],
    weighting: Weighting,
    data: &mut Card,
    console: &Console,
) -> Result<(), Failure> {
    if args.plot.is_some() {
        return plot::show(&train::pictures::comparison_picture(results), console);
    }
    let silent = results.iter().find_map(|result| Some(result.outcome.as_ref().ok()?.rows.silent())).unwrap_or(0);
    data.notices.extend(silent_rows(silent, "some model"));
    match args.show {
        Some(ComparisonTable::Pairs) => return console.result(&train::pair_table(results, weighting)),
        Some(_) => return console.result(&train::model_table(results)),
        None if matches!(console.format(), Format::Csv | Format::Ndjson) => return console.result(&train::model_table(results)),
        None => {}
    }
    data.tidy.truncate(0);
    let title = format!("{} folds{}, every row judged by models that have not seen its fold", args.folds, repeats(args.repeats));
    let facts = vec![("verdict".to_owned(), train::verdict(results, weighting).into())];
    let card = |title: String, facts, tidy| Card { title, facts, tidy, ..Card::default() };
    let mut models = card(title, facts, train::model_table(results));
    if console.format().is_for_people() {
        // A sentence in a cell would push the metrics off the screen.
        models.tidy.retain_columns(|_, name| name != "note");
        let (facts, footnotes) = (models.facts.clone(), train::failures(results));
        models.summary = Some(Summary { facts, table: None, footnotes });
    }
    let pairs = card("Against the model with the fewest bits".into(), Vec::new(), train::pair_table(results, weighting));
    let cards: &[(&str, &Card)] = &[("data", data), ("models", &models), ("pairs", &pairs)];
    console.result(cards)
}

/// Bits per row of the class proportions alone.
fn base_bits(opened: &Opened, args: &CompareArgs, control: &Control) -> Result<Option<f64>, Failure> {
    let stats = train::gather(&*opened.source, Parts::default(), args.reading.threads, control)?;
    let (weights, total) = (&stats.classes().weight, stats.classes().total());
    let bits = weights.iter().filter(|weight| **weight > 0.0).map(|weight| -weight / total * (weight / total).log2()).sum::<f64>();
    Ok((total > 0.0).then_some(bits))
}

/// Models compare on the same rows only.
fn excluded(rows: u64) -> Option<Notice> {
    let text = || format!("{} excluded for missing values, so that all models compare on the same rows", notice::counted(rows, "row"));
    (rows > 0).then(|| Notice::new(notice::MISSING_VALUES, text()))
}

/// Descriptions in two parts of models of all rows.
fn lengths(comparison: &Comparison<'_>) -> Result<Card, Error> {
    let mut found = Vec::new();
    for (name, model) in comparison.each_fitted()? {
        let length = model.and_then(|model| {
            let candidates = comparison.candidates.len();
            let length = train::description_length(&*model, comparison.source, candidates, comparison.threads, comparison.control);
            length.map_err(|error| error.to_string())
        });
        found.push((name, length));
    }
    let tidy = train::length_table(&found);
    let picture = train::pictures::lengths_picture(&found);
    let (shown, reasons) = without_notes(&tidy);
    let shortest = tidy.rows().first().map_or(Cell::Empty, |row| row[0].clone());
    let facts = vec![("shortest".to_owned(), shortest), ("models".to_owned(), found.len().into())];
    let told = "data_bits: classes given the model; model_bits: ½ log2 rows for each parameter, and which model it is".to_owned();
    let footnotes = std::iter::once(told).chain(reasons).collect();
    Ok(Card {
        title: "Descriptions of the classes in two parts".into(),
        summary: Some(Summary { facts: facts.clone(), table: Some(shown), footnotes }),
        facts,
        tidy,
        pictures: vec![picture],
        ..Card::default()
    })
}

/// The evidence of models of all rows.
fn evidences(comparison: &Comparison<'_>) -> Result<Card, Error> {
    let none = || format!("parameters are estimates; {} integrate them out", with_evidence());
    let of = |(name, model): (String, Result<Box<dyn Classifier>, String>)| ModelEvidence {
        name,
        evidence: model.and_then(|model| model.evidence().ok_or_else(none)),
    };
    let models: Vec<ModelEvidence> = comparison.each_fitted()?.into_iter().map(of).collect();
    let tidy = train::evidence_table(&models)?;
    let (shown, reasons) = without_notes(&tidy);
    let mut facts: Vec<(String, Cell)> = Vec::new();
    for group in train::evidence_groups(&models)? {
        let best = group.posterior.most_probable();
        facts.push((format!("most probable for {}", group.of.name()), group.posterior.candidates()[best].name.as_str().into()));
    }
    let told = [
        "evidence compares models of the same data: p(x, y) of classes and columns together, p(y|x) of classes given columns",
        "posterior: all models equally likely before; bayes_factor, bits, decibans: against the best of the same data",
    ];
    let footnotes = told.map(str::to_owned).into_iter().chain(reasons).collect();
    Ok(Card {
        title: "Models by their evidence".into(),
        summary: Some(Summary { facts: facts.clone(), table: Some(shown), footnotes }),
        facts,
        tidy,
        ..Card::default()
    })
}

/// A table for people: what is noted about models stands below, once for all models with the same note.
fn without_notes(table: &Table) -> (Table, Vec<String>) {
    let Some(place) = table.position("note") else { return (table.clone(), Vec::new()) };
    let mut told: Vec<(String, Vec<String>)> = Vec::new();
    for row in table.rows() {
        if let (Cell::Text(note), Cell::Text(name)) = (&row[place], &row[0]) {
            match told.iter_mut().find(|(known, _)| known == note) {
                Some((_, names)) => names.push(name.clone()),
                None => told.push((note.clone(), vec![name.clone()])),
            }
        }
    }
    let mut shown = table.clone();
    shown.retain_columns(|_, name| name != "note" && name != "method");
    (shown, told.into_iter().map(|(note, names)| format!("{}: {note}", names.join(", "))).collect())
}

/// The options with which models have evidence, by the registry.
fn with_evidence() -> String {
    let takers = |option: &str| -> Vec<String> {
        let models = registry::MODELS.iter().filter(|entry| entry.params.iter().any(|param| param.is_called(option)));
        models.map(|entry| entry.name.to_owned()).collect()
    };
    let of = |option: &str, value: &str| format!("{} with {option}{value}", takers(option).join(", "));
    format!("{}; {}", of("predictive", ""), of("prior-sd", "=SD"))
}

fn repeats(count: u64) -> String {
    if count > 1 { format!(", split {count} times") } else { String::new() }
}
