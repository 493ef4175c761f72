//! `oddsmith rounds`: a model of rows that stay where they are. One file asks, every place answers with sums, until the
//! answers are a model.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::builder::{PossibleValue, PossibleValuesParser};
use clap::{Args, Subcommand};
use oddsmith::card::{Card, Cell, FixedTable, Table};
use oddsmith::control::Control;
use oddsmith::data::{Feature, Formula, Levels, Space};
use oddsmith::error::visible;
use oddsmith::model::{Classifier, Conclusion};
use oddsmith::train::{Advance, Answer, AnswerTotal, Question, Round, Site, Study};
use oddsmith::{Notice, persist, registry};
use oddsmith_io::{Input, Roles};
use oddsmith_report::{Format, Style, render};

use crate::commands::show::model_card;
use crate::console::Console;
use crate::deferred::Deferred;
use crate::exit::Failure;
use crate::files::{self, Saved};
use crate::fitting::{self, ModelRequest};
use crate::options::{KindArgs, ParamArgs, ReadingArgs, RoleArgs, TextArgs, new_file};
use crate::progress::Progress;

pub(crate) const EXAMPLES: &str = "Examples:
  oddsmith rounds begin 'low ~ age + C(race)' -o low.round     # where the sites meet
  oddsmith show low.round                                      # what is asked of the rows
  oddsmith rounds answer low.round site-a.csv -o a.answer      # at every site: sums, no rows
  oddsmith rounds answer low.round site-b.csv -o b.answer
  oddsmith rounds merge a.answer b.answer -o ab.answer         # answers on their way
  oddsmith rounds advance low.round ab.answer -o low.odds      # the next question, or the model
  oddsmith rounds begin --model lda --target low -o lda.round  # any other model";

/// What to do with a study.
#[derive(Debug, Subcommand)]
pub(crate) enum RoundsCommand {
    /// Write down what is fitted, and ask every place for its columns.
    Begin(Deferred<BeginArgs>),
    /// Take the question out of a round, without the sums of earlier passes.
    Ask(AskArgs),
    /// Answer the question of a round with the sums of a table.
    Answer(Deferred<AnswerArgs>),
    /// Make one answer of several, so that they can be put together step by step.
    Merge(MergeArgs),
    /// Put the answers of all places together: to the next question, or to the model.
    Advance(AdvanceArgs),
}

/// Arguments of `rounds begin`.
#[derive(Debug, Args)]
pub(crate) struct BeginArgs {
    /// What to predict from what, such as 'low ~ age + C(race) * smoke'; default: --target from all other columns.
    #[arg(value_name = "FORMULA")]
    formula: Option<String>,

    /// The model; `oddsmith models` lists all [default: that of formulas].
    #[arg(short, long, value_name = "MODEL")]
    model: Option<String>,

    /// An analysis in place of a model: a table, a description, matched sets …
    #[arg(long, value_name = "ANALYSIS", conflicts_with = "model", value_parser = analyses())]
    analysis: Option<String>,

    /// An option of the analysis, such as exposure=smoke.
    #[arg(long = "set", value_name = "OPTION=VALUE", requires = "analysis")]
    set: Vec<String>,

    /// Where to save the first question.
    #[arg(short, long, value_name = "FILE", value_parser = new_file())]
    output: PathBuf,

    #[command(flatten)]
    kinds: KindArgs,

    #[command(flatten)]
    roles: RoleArgs,

    #[command(flatten)]
    params: ParamArgs,
}

/// Arguments of `rounds ask`.
#[derive(Debug, Args)]
pub(crate) struct AskArgs {
    /// The round.
    #[arg(value_name = "ROUND")]
    round: PathBuf,

    /// Where to save the question.
    #[arg(short, long, value_name = "FILE", value_parser = new_file())]
    output: PathBuf,
}

/// Arguments of `rounds answer`.
#[derive(Debug, Args)]
pub(crate) struct AnswerArgs {
    /// The question: a round, or what `rounds ask` made of it.
    #[arg(value_name = "ROUND")]
    round: PathBuf,

    /// A table; `-` reads standard input.
    #[arg(value_name = "DATA")]
    data: OsString,

    /// Where to save the answer.
    #[arg(short, long, value_name = "FILE", value_parser = new_file())]
    output: PathBuf,

    /// The name of the place, the same in every answer [default: one that follows from its rows].
    #[arg(long, value_name = "NAME")]
    site: Option<String>,

    #[command(flatten)]
    reading: ReadingArgs,

    #[command(flatten)]
    text: TextArgs,
}

/// Arguments of `rounds merge`.
#[derive(Debug, Args)]
pub(crate) struct MergeArgs {
    /// Answers to the same question.
    #[arg(value_name = "ANSWER", required = true, num_args = 2..)]
    answers: Vec<PathBuf>,

    /// Where to save the answer that stands for all of them.
    #[arg(short, long, value_name = "FILE", value_parser = new_file())]
    output: PathBuf,
}

/// Arguments of `rounds advance`.
#[derive(Debug, Args)]
pub(crate) struct AdvanceArgs {
    /// The question.
    #[arg(value_name = "ROUND")]
    round: PathBuf,

    /// The answers of all places.
    #[arg(value_name = "ANSWER", required = true, num_args = 1..)]
    answers: Vec<PathBuf>,

    /// Where to save the next question [default: in place of ROUND, which it continues].
    #[arg(long, value_name = "FILE", value_parser = new_file())]
    next: Option<PathBuf>,

    /// Where to save the model, or the card of an analysis as JSON, when it is finished.
    #[arg(short, long, value_name = "FILE", value_parser = new_file())]
    output: PathBuf,
}

/// Runs a subcommand.
pub(crate) fn run(command: &RoundsCommand, console: &Console, control: &Arc<Control>) -> Result<(), Failure> {
    match command {
        RoundsCommand::Begin(args) => begin(args, console),
        RoundsCommand::Ask(args) => ask(args, console),
        RoundsCommand::Answer(args) => answer(args, console, control),
        RoundsCommand::Merge(args) => merge(args, console),
        RoundsCommand::Advance(args) => advance(args, console),
    }
}

/// The names of all analyses, with what they are.
fn analyses() -> PossibleValuesParser {
    PossibleValuesParser::new(registry::ANALYSES.iter().map(|entry| PossibleValue::new(entry.name).help(entry.summary)))
}

fn begin(args: &BeginArgs, console: &Console) -> Result<(), Failure> {
    let formula = args.formula.as_deref().map(Formula::parse).transpose()?;
    let fitted = super::fit::fitted_analysis(args.model.as_deref(), formula.as_ref(), &args.params).map(|entry| entry.name);
    let study = match args.analysis.as_deref().or(fitted) {
        Some(name) => of_analysis(args, name, formula)?,
        None => of_model(args, console)?,
    };
    let round = Round::begin(study)?;
    let saved = files::save(&args.output, &round.to_bytes()?)?;
    tell_question(&round, &saved, &[], console)
}

/// A study that ends in a card.
fn of_analysis(args: &BeginArgs, name: &str, formula: Option<Formula>) -> Result<Study, Failure> {
    let Roles { target, features, exclude, weight, .. } = args.roles.roles()?;
    let Some(entry) = registry::analysis(name) else { return Err(Failure::Usage(format!("there is no analysis `{name}`"))) };
    if formula.is_some() && !entry.fitted {
        return Err(Failure::Usage(format!("the analysis `{name}` takes no formula; give its columns with --target and --set")));
    }
    let given = match entry.fitted {
        true => args.params.of_analysis(entry)?,
        false => args.params.none_of(name).map(|()| entry.defaults())?,
    };
    let mut params = given.with_formula(formula)?;
    for option in &args.set {
        let (option, value) = option.split_once('=').unwrap_or((option, ""));
        params.set(option, value)?;
    }
    let needs = (entry.build)(&params)?.needs_any()?;
    let target = needs.target.or(target);
    if target.is_none() {
        return Err(Failure::Usage("name the column that holds the classes, with --target".into()));
    }
    let kinds = needs.kinds.into_iter().chain(args.kinds.kinds()?).collect();
    Ok(Study {
        target,
        features: features.or(needs.features),
        exclude,
        weight,
        kinds,
        order: args.roles.roles()?.order,
        ..Study::of(&params)
    })
}

/// A study that ends in a model.
fn of_model(args: &BeginArgs, console: &Console) -> Result<Study, Failure> {
    let formula = args.formula.as_deref().map(Formula::parse).transpose()?;
    let entry = args.model.as_deref().map_or(Ok(registry::default_for(true)), registry::find)?;
    let mut model = ModelRequest::new(entry, args.params.of(entry)?, formula)?;
    if model.params.declares("no-tests") && !model.params.has("ci") {
        if !model.params.flag("no-tests") {
            console.note("intervals are Wald's and terms are not tested, because that takes many rounds; --ci profile does both");
        }
        model.params = model.params.with_wald_intervals();
    }
    let roles = model.chosen_columns(args.roles.roles()?)?;
    if model.target_name(&roles)?.is_none() {
        let where_to = if entry.takes_formula { "on the left side of a formula, or with --target" } else { "with --target" };
        return Err(Failure::Usage(format!("name the column to predict: {where_to}")));
    }
    Ok(Study {
        target: roles.target,
        features: roles.features,
        exclude: roles.exclude,
        weight: roles.weight,
        first_class: model.first_class,
        kinds: args.kinds.kinds()?,
        order: roles.order,
        ..Study::of(&model.params)
    })
}

/// The light form of a round.
fn ask(args: &AskArgs, console: &Console) -> Result<(), Failure> {
    files::refuse_same(&args.output, &[&args.round])?;
    let round = files::read_round(&args.round)?;
    let question = round.question()?;
    let saved = files::save(&args.output, &question.to_bytes()?)?;
    tell(question_card(&question, round.sites())?, &saved, console)?;
    console.note(&format!("question {} → {saved}; every place answers it", question.number()));
    Ok(())
}

fn answer(args: &AnswerArgs, console: &Console, control: &Arc<Control>) -> Result<(), Failure> {
    let question = files::read_question(&args.round)?;
    let input = files::table(&args.data)?;
    let mut read: Vec<&Path> = vec![&args.round];
    if let Input::Path(data) = &input {
        read.push(data);
    }
    files::refuse_same(&args.output, &read)?;
    let forged = |error| Failure::in_file(&args.round, error);
    let (needs, purpose, discloses) =
        (question.needs().map_err(forged)?, question.purpose().map_err(forged)?, question.discloses().map_err(forged)?);
    let study = question.study();
    let mut options = args.reading.options(&args.text)?;
    options.kinds.extend(study.kinds.clone());
    let roles = Roles {
        target: study.target.clone(),
        features: study.features.clone(),
        exclude: study.exclude.clone(),
        weight: study.weight.clone(),
        keys: Vec::new(),
        order: study.order_of_levels(),
    };
    let opened = {
        let _progress = Progress::start(console, control, "reading");
        let open = |options: &_, roles: &_| oddsmith_io::open(&input, options, roles, control);
        oddsmith_io::open_for(needs, options, &roles, open)?
    };
    files::need_target(&opened)?;
    let answer = {
        let _progress = Progress::start(console, control, "summing");
        let answered = question.answer(&*opened.source, args.site.as_deref(), args.reading.threads, control);
        answered.map_err(|error| error.in_table(&input.name()))?
    };
    control.check()?;
    let saved = files::save(&args.output, &answer.to_bytes()?)?;
    let mut card = answer_card(&answer);
    card.facts.push(("summed up".into(), purpose.into()));
    card.facts.push(("rows of the table".into(), opened.rows.into()));
    card.facts.extend(discloses.map(|what| ("tells of single rows".into(), what.into())));
    card.notices = opened.notices;
    tell(card, &saved, console)?;
    console.note(&format!("answer → {saved}"));
    Ok(())
}

fn merge(args: &MergeArgs, console: &Console) -> Result<(), Failure> {
    let paths: Vec<&Path> = args.answers.iter().map(PathBuf::as_path).collect();
    files::refuse_same(&args.output, &paths)?;
    refuse_twice(&paths)?;
    let mut total = AnswerTotal::default();
    for path in &paths {
        total.add(&path.display().to_string(), &files::read_answer(path)?)?;
    }
    let merged = total.into_answer()?;
    let saved = files::save(&args.output, &merged.to_bytes()?)?;
    tell(answer_card(&merged), &saved, console)?;
    console.note(&format!("{} answers → {saved}", paths.len()));
    Ok(())
}

/// The same file twice is the same rows twice.
fn refuse_twice(answers: &[&Path]) -> Result<(), Failure> {
    let mut seen = BTreeSet::new();
    match answers.iter().find(|path| path.canonicalize().is_ok_and(|path| !seen.insert(path))) {
        None => Ok(()),
        Some(twice) => {
            let name = visible(&twice.display().to_string());
            Err(Failure::Usage(format!("{name} is given twice; its rows would count twice")))
        }
    }
}

fn advance(args: &AdvanceArgs, console: &Console) -> Result<(), Failure> {
    let answers: Vec<&Path> = args.answers.iter().map(PathBuf::as_path).collect();
    let next = args.next.as_ref().unwrap_or(&args.round);
    files::refuse_same(next, &answers)?;
    files::refuse_same(&args.output, &answers)?;
    files::refuse_same(&args.output, &[&args.round])?;
    refuse_twice(&answers)?;
    let round = files::read_round(&args.round)?;
    let mut gathered = round.gather().map_err(|error| Failure::in_file(&args.round, error))?;
    for path in &answers {
        gathered.add(&path.display().to_string(), &files::read_answer(path)?)?;
    }
    match gathered.advance()? {
        Advance::Again(round, notices) => {
            let saved = files::save(next, &round.to_bytes()?)?;
            tell_question(&round, &saved, &notices, console)
        }
        Advance::Done(Conclusion::Model(model)) => {
            tell_model(&*model, &files::save(&args.output, &persist::save_model(&*model)?)?, console)
        }
        Advance::Done(Conclusion::Card(card)) => tell_analysis(&card, &args.output, console),
    }
}

/// The card of a file that was written; one row for programs that read tables.
fn tell(mut card: Card, saved: &Saved, console: &Console) -> Result<(), Failure> {
    match console.format() {
        format if format.is_for_people() => console.result(&card)?,
        Format::Json => {
            card.facts.extend(saved.facts());
            console.result(&card)?;
        }
        _ => {
            console.result(&Table::of_record("round", card.facts.iter().cloned()))?;
        }
    }
    console.notices(&card.notices);
    Ok(())
}

fn tell_question(round: &Round, saved: &Saved, notices: &[Notice], console: &Console) -> Result<(), Failure> {
    let mut card = question_card(&round.question()?, round.sites())?;
    card.notices = notices.to_vec();
    tell(card, saved, console)?;
    console.note(&format!("question {} → {saved}; every place answers it", round.number()));
    Ok(())
}

fn tell_model(model: &dyn Classifier, saved: &Saved, console: &Console) -> Result<(), Failure> {
    let mut card = model_card(model);
    card.facts.push(("finished".into(), "yes".into()));
    card.facts.extend(saved.facts());
    fitting::show(&card, &[], console)?;
    console.notices(&card.notices);
    console.note(&format!("the fit is finished; model → {saved}"));
    Ok(())
}

/// An analysis is shown in the chosen format and kept as JSON: it is no model, and every program reads it.
fn tell_analysis(card: &Card, output: &Path, console: &Console) -> Result<(), Failure> {
    let saved = files::save(output, render(card, Format::Json, &Style::default()).as_bytes())?;
    console.result(card)?;
    console.notices(&card.notices);
    console.note(&format!("the analysis is finished; card → {saved}"));
    Ok(())
}

/// The card of a question, and of those who took part so far.
pub(crate) fn question_card(question: &Question, sites: &[Site]) -> Result<Card, Failure> {
    let study = question.study();
    let mut facts: Vec<(String, Cell)> = vec![
        ("finished".into(), "no".into()),
        ("question".into(), question.number().into()),
        ("asks for".into(), question.purpose()?.into()),
        ("tells of single rows".into(), question.discloses()?.unwrap_or_else(|| "nothing".into()).into()),
        ("model".into(), study.entry.as_str().into()),
    ];
    facts.extend(study.formula.as_ref().map(|formula| ("formula".into(), visible(&formula.to_string()).into())));
    let mut tidy = FixedTable::new("columns", ["column", "kind", "levels"]);
    if let Some(layout) = question.layout() {
        let labels: Vec<String> = layout.classes().labels().iter().map(|label| visible(label)).collect();
        facts.push(("target".into(), format!("{}: {}", visible(layout.target()), labels.join(", ")).into()));
        for feature in layout.features() {
            let levels = levels_of(feature)
                .map_or(Cell::Empty, |levels| levels.names().iter().map(|level| visible(level)).collect::<Vec<_>>().join(", ").into());
            tidy.push([visible(&feature.name).into(), feature.kind().name().into(), levels]);
        }
    }
    if !sites.is_empty() {
        facts.push(("sites".into(), sites.len().into()));
        facts.push(("rows".into(), sites.iter().map(|site| site.rows).sum::<u64>().into()));
    }
    Ok(Card { title: "Question to the places of a study".into(), facts, tidy: tidy.into(), ..Card::default() })
}

fn levels_of(feature: &Feature) -> Option<&Levels> {
    match &feature.space {
        Space::Levels { levels, .. } => Some(levels),
        _ => None,
    }
}

/// The card of an answer.
pub(crate) fn answer_card(answer: &Answer) -> Card {
    Card {
        title: "Answer of a place".into(),
        facts: vec![
            ("question".into(), answer.question().into()),
            ("rows".into(), answer.rows().into()),
            ("weight".into(), answer.weight().into()),
            ("sites".into(), answer.sites().len().into()),
        ],
        tidy: Table::empty("sums", Vec::new()),
        ..Card::default()
    }
}
