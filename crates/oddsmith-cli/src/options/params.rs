//! Options of models as flags. They are made from the declarations of the registry: a model that declares an option has its flag.

use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches};
use oddsmith::model::params::{Param, ParamKind, Params};
use oddsmith::model::{Classifier, Prior};
use oddsmith::registry::{self, AnalysisEntry, Entry, MODELS};
use oddsmith::stats::ClassWeights;
use oddsmith::{Error, ErrorKind};

use crate::exit::Failure;

/// The options that were given, by name. Each model takes its own and refuses the others.
#[derive(Debug, Clone, Default)]
pub(crate) struct ParamArgs {
    given: Vec<(&'static str, Vec<String>)>,
}

impl ParamArgs {
    /// Whether an option was given.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.given.iter().any(|(known, _)| *known == name)
    }

    /// The options of a model; one that it does not have is refused with the list of those it has.
    pub(crate) fn of(&self, entry: &Entry) -> Result<Params, Failure> {
        let mut params = entry.defaults();
        for (name, values) in &self.given {
            if !entry.params.iter().any(|param| param.is_called(name)) {
                return Err(Failure::Usage(refusal(entry, name)));
            }
            values.iter().try_for_each(|value| params.set(name, value))?;
        }
        Ok(params)
    }
}

impl ParamArgs {
    /// A number that was given, whatever takes it.
    pub(crate) fn number(&self, name: &str) -> Option<f64> {
        let (_, values) = self.given.iter().find(|(known, _)| *known == name)?;
        values.last()?.trim().parse().ok()
    }

    /// The options of an analysis that is asked for as models are.
    pub(crate) fn of_analysis(&self, entry: &AnalysisEntry) -> Result<Params, Failure> {
        let mut params = entry.defaults();
        for (name, values) in &self.given {
            if !params.declares(name) {
                let own: Vec<String> = entry.params.iter().map(|param| format!("--{}", param.name)).collect();
                return Err(Failure::Usage(format!("--{name} is not for {}, which takes {}", entry.name, own.join(" "))));
            }
            values.iter().try_for_each(|value| params.set(name, value))?;
        }
        Ok(params)
    }

    /// Refuses all options of models, for something that is no model.
    pub(crate) fn none_of(&self, name: &str) -> Result<(), Failure> {
        match self.given.first() {
            None => Ok(()),
            Some((option, _)) => Err(Failure::Usage(format!("--{option} is for models, not for the analysis {name}"))),
        }
    }
}

/// Why a model does not take an option, and what takes it.
fn refusal(entry: &Entry, name: &str) -> String {
    let takes = |params: &[&Param]| params.iter().any(|param| param.is_called(name));
    let models = MODELS.iter().filter(|other| takes(other.params)).map(|other| other.name);
    let takers: Vec<&str> = models.chain(registry::fitted_analyses().filter(|other| takes(other.params)).map(|other| other.name)).collect();
    let own: Vec<String> = entry.params.iter().map(|param| format!("--{}", param.name)).collect();
    format!("--{name} is for {}, not for {}, which takes {}", takers.join(", "), entry.name, own.join(" "))
}

/// Every option once, with the families that have it.
fn declared() -> Vec<(&'static Param, Vec<&'static str>)> {
    let mut all: Vec<(&'static Param, Vec<&'static str>)> = Vec::new();
    for entry in MODELS {
        for &param in entry.params {
            match all.iter_mut().find(|(known, _)| known.name == param.name) {
                Some((_, families)) if families.contains(&entry.family) => {}
                Some((_, families)) => families.push(entry.family),
                None => all.push((param, vec![entry.family])),
            }
        }
    }
    // What is fitted by `fit` and is no model that predicts.
    for entry in registry::fitted_analyses() {
        for &param in
            entry.params.iter().filter(|param| !MODELS.iter().any(|model| model.params.iter().any(|known| known.name == param.name)))
        {
            match all.iter_mut().find(|(known, _)| known.name == param.name) {
                Some((_, takers)) => takers.push(entry.name),
                None => all.push((param, vec![entry.name])),
            }
        }
    }
    all
}

/// The flag of an option.
pub(super) fn flag(param: &'static Param, families: &[&str]) -> Arg {
    let default = if param.default.is_empty() { String::new() } else { format!(" [default: {}]", param.default) };
    let arg = Arg::new(param.name)
        .long(param.name)
        .aliases(param.aliases)
        .help(format!("{}{default}", param.doc))
        .help_heading(format!("Options of {}", families.join(", ")));
    match param.kind {
        ParamKind::Flag => arg.action(ArgAction::SetTrue),
        ParamKind::Choice(words) => arg.value_name(param.value).value_parser(PossibleValuesParser::new(words)).action(ArgAction::Set),
        kind => {
            let action = if kind.repeats() { ArgAction::Append } else { ArgAction::Set };
            arg.value_name(param.value).allow_negative_numbers(true).action(action)
        }
    }
}

/// The values that were given to an option.
pub(super) fn values_of(matches: &ArgMatches, param: &Param) -> Vec<String> {
    match param.kind {
        ParamKind::Flag if matches.get_flag(param.name) => vec!["true".into()],
        ParamKind::Flag => Vec::new(),
        _ => matches.get_many::<String>(param.name).into_iter().flatten().cloned().collect(),
    }
}

impl Args for ParamArgs {
    fn augment_args(command: Command) -> Command {
        declared().into_iter().fold(command, |command, (param, families)| command.arg(flag(param, &families)))
    }

    fn augment_args_for_update(command: Command) -> Command {
        ParamArgs::augment_args(command)
    }
}

impl FromArgMatches for ParamArgs {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let mut args = ParamArgs::default();
        args.update_from_arg_matches(matches)?;
        Ok(args)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        for (param, _) in declared() {
            let values = values_of(matches, param);
            if !values.is_empty() {
                self.given.push((param.name, values));
            }
        }
        Ok(())
    }
}

/// The prior of a model that is already fitted.
#[derive(Debug, Clone, Args)]
pub(crate) struct PriorArgs {
    /// Another class prior than the model's: uniform, or one probability per class, such as yes=0.01,no=0.99.
    #[arg(long, value_name = "PRIOR")]
    prior: Option<String>,
}

impl PriorArgs {
    /// The model with the prior that was asked for.
    pub(crate) fn applied(&self, model: Box<dyn Classifier>) -> Result<Box<dyn Classifier>, Failure> {
        let Some(text) = &self.prior else { return Ok(model) };
        let prior: Prior = text.parse()?;
        if prior == Prior::Data {
            return Err(
                Error::option("prior", text, "uniform or one probability per class; without --prior the model's own is used").into()
            );
        }
        let Some(generative) = model.generative() else {
            let event = model.layout().classes().label(1);
            let advice = format!(
                "only models of the joint distribution have one; `oddsmith calibrate MODEL --prevalence '{event}=0.01' -o FILE` moves any \
                 other model to known class proportions"
            );
            let what = "take another prior".into();
            return Err(Error::from(ErrorKind::Unsupported { model: model.card().title, what, advice: advice.into() }).into());
        };
        let classes = model.layout().classes();
        Ok(generative.with_log_prior(prior.log_probabilities(classes, &ClassWeights::new(classes.len()), 0.0)?))
    }
}

/// Any number; the model says which ones it takes.
pub(crate) fn parse_number(text: &str) -> Result<f64, String> {
    text.trim().parse().map_err(|_| "a number such as 0.5 or 1e-9".into())
}
