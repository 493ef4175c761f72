//! The grammar of the command line.

use clap::{Parser, Subcommand};

use crate::commands::{
    bayes, calibrate, check, code, compare, completions, confounding, degree, describe, evaluate, explain, fit, help, info, models, plot,
    predict, report, rounds, sample, select, show, stats, subgroups, table, threshold,
};
use crate::deferred::Deferred;
use crate::options::OutputArgs;

/// Examples stand before the flags: most people come for the first line they can copy.
const TEMPLATE: &str = "{about-with-newline}\n{before-help}{usage-heading} {usage}\n\n{all-args}{after-help}";

/// All arguments.
#[derive(Debug, Parser)]
#[command(
    name = "oddsmith",
    version,
    about = "Class probabilities you can trust, learned from mergeable statistics of rows",
    before_help = "Examples:
  oddsmith check births.csv --target low                          # look before you fit
  oddsmith fit births.csv 'low ~ age + race + smoke' -o low.odds  # odds ratios; saved
  oddsmith fit births.csv --target low --features age,lwt,race    # naive Bayes of some columns
  oddsmith predict low.odds new.csv --id low > scored.csv         # probabilities of new rows
  oddsmith evaluate low.odds new.csv                              # how good the probabilities are
  oddsmith explain low.odds new.csv --row 7                       # where a probability comes from
  oddsmith help W112                                              # what a warning means",
    help_template = TEMPLATE,
    disable_help_subcommand = true,
    disable_version_flag = true,
    arg_required_else_help = true,
    max_term_width = 100
)]
pub(crate) struct CommandLine {
    /// Print the version; with --json as an object.
    #[arg(short = 'V', long)]
    pub(crate) version: bool,

    #[command(flatten)]
    pub(crate) output: OutputArgs,

    #[command(subcommand)]
    pub(crate) command: Option<Command>,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Look at a table before fitting: kinds, gaps, rare levels, leakage.
    #[command(help_template = TEMPLATE, before_help = check::EXAMPLES)]
    Check(Deferred<check::CheckArgs>),
    /// Every column over all rows and by group: counts, means, medians, differences, tests.
    #[command(help_template = TEMPLATE, before_help = describe::EXAMPLES)]
    Describe(Deferred<describe::DescribeArgs>),
    /// Fit a model to a table, or to statistics gathered before.
    #[command(help_template = TEMPLATE, before_help = fit::EXAMPLES)]
    Fit(Deferred<fit::FitArgs>),
    /// Show what a model file holds.
    #[command(help_template = TEMPLATE, before_help = show::EXAMPLES)]
    Show(Deferred<show::ShowArgs>),
    /// Class and probabilities of new rows.
    #[command(help_template = TEMPLATE, before_help = predict::EXAMPLES)]
    Predict(Deferred<predict::PredictArgs>),
    /// How good the probabilities of a model, or of any scored table, are.
    #[command(help_template = TEMPLATE, before_help = evaluate::EXAMPLES)]
    Evaluate(Deferred<evaluate::EvaluateArgs>),
    /// Several models on the same folds: bits, Brier, AUC, calibration, and whether one is better.
    #[command(help_template = TEMPLATE, before_help = compare::EXAMPLES)]
    Compare(Deferred<compare::CompareArgs>),
    /// Which columns a model needs, by stepwise search, judged on rows that had no part in it.
    #[command(help_template = TEMPLATE, before_help = select::EXAMPLES)]
    Select(Deferred<select::SelectArgs>),
    /// Make probabilities mean what they say, on rows that the model has not seen or for other class proportions.
    #[command(help_template = TEMPLATE, before_help = calibrate::EXAMPLES)]
    Calibrate(Deferred<calibrate::CalibrateArgs>),
    /// Choose from which probability to call the event, and keep it in the model.
    #[command(help_template = TEMPLATE, before_help = threshold::EXAMPLES)]
    Threshold(Deferred<threshold::ThresholdArgs>),
    /// Where the probability of one row comes from.
    #[command(help_template = TEMPLATE, before_help = explain::EXAMPLES)]
    Explain(Deferred<explain::ExplainArgs>),
    /// One picture of a model, or of what it says about the rows of a table.
    #[command(help_template = TEMPLATE, before_help = plot::EXAMPLES)]
    Plot(Deferred<plot::PlotArgs>),
    /// Everything about a model in one HTML file that needs no network.
    #[command(help_template = TEMPLATE, before_help = report::EXAMPLES)]
    Report(Deferred<report::ReportArgs>),
    /// An outcome by an exposure: odds ratio, risks, tests, within strata too.
    #[command(help_template = TEMPLATE, before_help = table::EXAMPLES)]
    Table(Deferred<table::TableArgs>),
    /// By how much the odds ratio of an exposure moves within the levels of each other column.
    #[command(help_template = TEMPLATE, before_help = confounding::EXAMPLES)]
    Confounding(Deferred<confounding::ConfoundingArgs>),
    /// Groups of rows in which the odds ratio of an exposure is another one, with p-values that know how many were looked at.
    #[command(help_template = TEMPLATE, before_help = subgroups::EXAMPLES)]
    Subgroups(Deferred<subgroups::SubgroupsArgs>),
    /// Draw rows from a model.
    #[command(help_template = TEMPLATE, before_help = sample::EXAMPLES)]
    Sample(Deferred<sample::SampleArgs>),
    /// Gather, merge and subtract statistics, so that models can be fitted without the rows.
    #[command(subcommand, help_template = TEMPLATE, before_help = stats::EXAMPLES)]
    Stats(stats::StatsCommand),
    /// Fit a regression to the rows of several places, none of which shows its rows to another.
    #[command(subcommand, help_template = TEMPLATE, before_help = rounds::EXAMPLES)]
    Rounds(rounds::RoundsCommand),
    /// What each column tells about a target, in bits; entropies, divergences and capacities of numbers.
    #[command(help_template = TEMPLATE, before_help = info::EXAMPLES)]
    Info(Deferred<info::InfoArgs>),
    /// Codes: trees of words, labels sent by the bits of a model, distributions from coin flips.
    #[command(subcommand, help_template = TEMPLATE, before_help = code::EXAMPLES)]
    Code(code::CodeCommand),
    /// Which of several models of coins or counts, and how sure.
    #[command(help_template = TEMPLATE, before_help = bayes::EXAMPLES)]
    Bayes(Deferred<bayes::BayesArgs>),
    /// The degree of a polynomial by description length.
    #[command(help_template = TEMPLATE, before_help = degree::EXAMPLES)]
    Degree(Deferred<degree::DegreeArgs>),
    /// List the models and their options.
    #[command(help_template = TEMPLATE, before_help = models::EXAMPLES)]
    Models(Deferred<models::ModelsArgs>),
    /// Completions for a shell.
    Completions(completions::CompletionsArgs),
    /// The manual page, in roff.
    Man,
    /// What a warning means, or how a command is used.
    Help(help::HelpArgs),
}
