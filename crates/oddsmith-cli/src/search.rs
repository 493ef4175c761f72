//! The search for columns or terms of a model: how subsets are judged, and what becomes of the chosen one.

use std::num::NonZeroUsize;

use oddsmith::control::Control;
use oddsmith::data::{Formula, Source, Weighting};
use oddsmith::eval::{EvalSettings, Evaluation};
use oddsmith::info::TwoPart;
use oddsmith::model::{AnyLearner, Classifier, Params};
use oddsmith::registry::Entry;
use oddsmith::stats::{ClassWeights, Parts};
use oddsmith::train::{
    self, ColumnSource, CompleteSource, CrossValidation, Direction, Evaluator, FoldSpec, Folds, Likelihood, MaskedSource, ProjectedModel,
    Selection, has_no_model, select_among, select_by_tests,
};
use oddsmith::{Error, ErrorKind, Result as LibraryResult};
use oddsmith_io::Opened;

use crate::commands::select::{Criterion, SelectArgs};
use crate::fitting::ModelRequest;

/// What may come and go.
pub(crate) enum Units {
    /// Columns of any model.
    Columns(&'static Entry, Params),
    /// Terms of a formula.
    Terms(&'static Entry, Params, Box<Formula>),
}

impl Units {
    /// The model of a subset; for columns the source chooses them.
    fn learner(&self, subset: &[usize]) -> LibraryResult<Box<dyn AnyLearner>> {
        match self {
            Units::Columns(entry, params) => (entry.build)(params),
            Units::Terms(entry, params, formula) => (entry.build)(&params.clone().with_formula(Some(formula.with_terms(subset)))?),
        }
    }

    /// What may come and go of the table that was opened for a model.
    pub(crate) fn of(model: ModelRequest, opened: &Opened) -> LibraryResult<Self> {
        Ok(match model.params.formula() {
            None => Units::Columns(model.entry, model.params),
            Some(written) => {
                let formula = written.expand_dot(&opened.layout().names())?;
                Units::Terms(model.entry, model.params, Box::new(formula))
            }
        })
    }

    /// Names of what may come and go.
    pub(crate) fn names(&self, source: &dyn Source) -> Vec<String> {
        match self {
            Units::Columns(..) => source.layout().names(),
            Units::Terms(_, _, formula) => (0..formula.terms().len()).map(|at| formula.term_name(at)).collect(),
        }
    }

    /// Whether a subset may be tried: a product of variables needs those of its factors that are terms.
    pub(crate) fn allows(&self, subset: &[usize]) -> bool {
        let Units::Terms(_, _, formula) = self else { return true };
        let terms = formula.terms();
        let part = |small: &[usize], large: &[usize]| small.len() < large.len() && small.iter().all(|v| large.contains(v));
        subset.iter().all(|&at| (0..terms.len()).all(|other| !part(&terms[other], &terms[at]) || subset.contains(&other)))
    }

    /// The same without anything but the estimates.
    pub(crate) fn quick(&self, subset: &[usize]) -> LibraryResult<Box<dyn AnyLearner>> {
        match self {
            Units::Columns(entry, params) => (entry.build)(&params.clone().without_inference()),
            Units::Terms(entry, params, formula) => {
                (entry.build)(&params.clone().without_inference().with_formula(Some(formula.with_terms(subset)))?)
            }
        }
    }
}

/// A search over rows.
pub(crate) struct Search<'a> {
    pub(crate) args: &'a SelectArgs,
    pub(crate) source: &'a dyn Source,
    /// Part 0 is held back.
    pub(crate) parts: Option<&'a Folds>,
    pub(crate) units: Units,
    pub(crate) threads: Option<NonZeroUsize>,
    pub(crate) control: &'a Control,
}

/// The chosen model and what rows that had no part in the choice say about it.
pub(crate) struct Chosen {
    pub(crate) model: Box<dyn Classifier>,
    pub(crate) judged: Option<Evaluation>,
    /// Rows held back that the model says nothing about.
    pub(crate) silent: u64,
}

impl Search<'_> {
    /// Names of what may come and go.
    pub(crate) fn names(&self) -> Vec<String> {
        self.units.names(self.source)
    }

    /// Searches.
    pub(crate) fn select(&self) -> LibraryResult<Selection> {
        let count = self.names().len();
        let allowed = |subset: &[usize]| self.units.allows(subset);
        let direction = Direction::from(self.args.direction);
        self.with_rows(false, |rows| match self.args.by {
            Criterion::Bits => {
                let spec = FoldSpec { folds: self.args.folds, seed: self.args.seed + 1, groups: None };
                let folds = CrossValidation::new(rows, spec, self.threads, self.control)?;
                match &self.units {
                    Units::Columns(..) => {
                        let learner = self.units.learner(&[])?;
                        let sums = folds.gather_for_subsets(&*learner)?;
                        select_among(count, direction, &allowed, &mut |subsets| folds.bits_of_subsets(&*learner, sums.as_ref(), subsets))
                    }
                    Units::Terms(..) => select_among(count, direction, &allowed, &mut |subsets| {
                        subsets.iter().map(|subset| unless_no_model(self.bits_of_terms(&folds, subset))).collect()
                    }),
                }
            }
            by => {
                // Likelihoods compare on the same rows only.
                let complete = CompleteSource::new(rows);
                let sampled = self.sampled_rows(&complete)?;
                let likelihoods = |subsets: &[Vec<usize>]| {
                    let each = subsets.iter().map(|subset| unless_no_model(self.likelihood(&complete, subset, sampled.as_ref())));
                    each.collect::<LibraryResult<Vec<_>>>()
                };
                if by == Criterion::Lr {
                    let tested = |subsets: &[Vec<usize>]| Ok(likelihoods(subsets)?.into_iter().map(|fit| fit.map(|fit| fit.0)).collect());
                    return select_by_tests(count, direction, self.args.significance, &allowed, &mut { tested });
                }
                let priced = |subsets: &[Vec<usize>]| {
                    Ok(likelihoods(subsets)?.into_iter().map(|fit| fit.map(|(fit, rows)| by.value(&fit, rows))).collect())
                };
                select_among(count, direction, &allowed, &mut { priced })
            }
        })
    }

    /// Rows of the search that lack a value, where that leaves them out for all subsets.
    pub(crate) fn incomplete_rows(&self) -> LibraryResult<u64> {
        match self.args.by {
            Criterion::Bits => Ok(0),
            _ => self.with_rows(false, |rows| CompleteSource::new(rows).incomplete_rows()),
        }
    }

    fn with_rows<T>(&self, held_back: bool, work: impl FnOnce(&dyn Source) -> LibraryResult<T>) -> LibraryResult<T> {
        match self.parts {
            None => work(self.source),
            Some(parts) => {
                let taught = (0..parts.count()).map(|part| (part == 0) == held_back).collect();
                work(&MaskedSource::new(self.source, parts, taught)?)
            }
        }
    }

    fn bits_of_terms(&self, folds: &CrossValidation<'_>, subset: &[usize]) -> LibraryResult<f64> {
        let models = folds.models(&*self.units.quick(subset)?, None)?;
        let over = |model| Ok(Box::new(ProjectedModel::new(model, self.source.layout())?) as Box<dyn Classifier>);
        let models = models.into_iter().map(over).collect::<LibraryResult<_>>()?;
        let scored = folds.out_of_fold(&[models])?;
        let loss = scored[0].evaluated(EvalSettings::default())?.loss;
        loss.bits().map(|bits| bits.value).map_err(|reason| Error::data(reason.to_string()))
    }

    /// Weights of the classes where they are sampling weights, whose unit must not decide.
    fn sampled_rows(&self, rows: &dyn Source) -> LibraryResult<Option<ClassWeights>> {
        match rows.layout().weighting() {
            Weighting::Sampling => Ok(Some(train::gather(rows, Parts::default(), self.threads, self.control)?.classes().clone())),
            _ => Ok(None),
        }
    }

    /// The likelihood of a subset and the number of its observations.
    fn likelihood(&self, rows: &dyn Source, subset: &[usize], sampled: Option<&ClassWeights>) -> LibraryResult<(Likelihood, f64)> {
        let model: Box<dyn Classifier> = match &self.units {
            Units::Terms(..) => self.fit(&*self.units.quick(subset)?, rows)?,
            // Without columns the class proportions are left.
            Units::Columns(entry, params) if subset.is_empty() => {
                let nothing = Formula::of_columns(rows.layout().target(), &[]);
                let learner = (entry.build)(&params.clone().without_inference().with_formula(Some(nothing))?)?;
                self.fit(&*learner, rows)?
            }
            Units::Columns(..) => self.fit(&*self.units.quick(subset)?, &ColumnSource::new(rows, subset)?)?,
        };
        let likelihood = model.inference().map(|inference| inference.likelihood());
        let likelihood = likelihood.ok_or_else(|| Error::internal("likelihoods are asked of a model that is no regression"))?;
        let fit = Likelihood { deviance: -2.0 * likelihood.log_likelihood, parameters: model.free_parameters() as f64 };
        Ok(match sampled {
            None => (fit, likelihood.observations),
            Some(classes) => (fit.of_effective_rows(classes, Weighting::Sampling), classes.effective_rows(Weighting::Sampling)),
        })
    }

    fn fit(&self, learner: &dyn AnyLearner, rows: &dyn Source) -> LibraryResult<Box<dyn Classifier>> {
        Ok(train::fit(&train::Borrowed(learner), rows, self.threads, self.control)?.model)
    }

    /// The model of the chosen subset, and its figures on the rows held back.
    pub(crate) fn chosen(&self, selection: &Selection) -> LibraryResult<Chosen> {
        let subset = selection.columns();
        if subset.is_empty() {
            let what = match self.args.by {
                Criterion::Lr => format!("nothing passes the likelihood-ratio test at {}", self.args.significance),
                _ => "no subset has a model".to_owned(),
            };
            let advice = "look at the columns with `oddsmith check`, or try another model or level".into();
            return Err(ErrorKind::NoEstimate { what, advice }.into());
        }
        let model = self.with_rows(false, |rows| match &self.units {
            Units::Columns(..) => self.fit(&*self.units.learner(subset)?, &ColumnSource::new(rows, subset)?),
            Units::Terms(..) => self.fit(&*self.units.learner(subset)?, rows),
        })?;
        if self.parts.is_none() {
            return Ok(Chosen { model, judged: None, silent: 0 });
        }
        let (judged, silent) = self.with_rows(true, |rows| match &self.units {
            Units::Columns(..) => self.judge(&*model, &ColumnSource::new(rows, subset)?),
            Units::Terms(..) => self.judge(&*model, &ColumnSource::for_model(rows, &*model)?),
        })?;
        Ok(Chosen { model, judged: Some(judged), silent })
    }

    fn judge(&self, model: &dyn Classifier, rows: &dyn Source) -> LibraryResult<(Evaluation, u64)> {
        let classes = rows.layout().classes().len();
        let settings = EvalSettings { weighting: rows.layout().weighting(), ..EvalSettings::default() };
        let empty = Evaluation::new(classes, train::score_scale(classes), settings);
        let judged = train::pass(rows, &Evaluator::new(model, empty), self.threads, self.control)?;
        let silent = judged.silent();
        Ok((judged.into_sums(), silent))
    }
}

impl Criterion {
    /// What is to become small.
    pub(crate) fn value(self, fit: &Likelihood, rows: f64) -> f64 {
        match self {
            Criterion::Mdl => TwoPart::of_likelihood(-0.5 * fit.deviance, fit.parameters, rows, 1).total(),
            Criterion::Bic => fit.deviance + fit.parameters * rows.ln(),
            _ => fit.deviance + 2.0 * fit.parameters,
        }
    }
}

/// Separation, a singular matrix: this subset has no model, others may.
pub(crate) fn unless_no_model<T>(judged: LibraryResult<T>) -> LibraryResult<Option<T>> {
    match judged {
        Ok(value) => Ok(Some(value)),
        Err(error) if has_no_model(&error) => Ok(None),
        Err(error) => Err(error),
    }
}
