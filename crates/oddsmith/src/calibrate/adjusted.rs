//! A model whose probabilities or decisions were adjusted after it was fitted. Any model can be.

use super::map::CalibrationMap;
use crate::card::{Card, Cell};
use crate::data::{Features, Layout};
use crate::error::{Error, ErrorKind, Result};
use crate::model::{
    Additive, Classifier, Contributions, Decision, Evidence, Generative, Inference, LinearLogOdds, Neighbours, Paths, RowLimits, Scale,
    Scores,
};
use crate::notice::Notice;
use crate::record::Record;

/// The tag under which adjusted models are stored.
pub(crate) const TAG: &str = "adjusted";

/// A model, a map of its scores, and how classes are called.
pub struct Adjusted {
    pub(super) inner: Box<dyn Classifier>,
    pub(super) map: CalibrationMap,
    pub(super) decision: Decision,
    /// What was done, as pairs for people.
    pub(super) facts: Vec<(String, String)>,
}

impl Adjusted {
    /// Maps the scores of a model; classes are called by the most probable one, whatever the model's own rule was: it was
    /// chosen for other probabilities.
    pub fn calibrated(inner: Box<dyn Classifier>, map: CalibrationMap, fact: (&str, String)) -> Result<Self> {
        let classes = inner.layout().classes().len();
        let fits = match &map {
            CalibrationMap::Identity => true,
            CalibrationMap::Affine { slope, offsets } => {
                *slope > 0.0 && slope.is_finite() && offsets.len() == classes && offsets.iter().all(|offset| offset.is_finite())
            }
            CalibrationMap::Curves(curves) => curves.len() == if classes == 2 { 1 } else { classes },
        };
        match fits {
            true => Ok(Adjusted { inner, map, decision: Decision::MostProbable, facts: vec![(fact.0.into(), fact.1)] }),
            false => Err(Error::internal(format!("a map does not fit a model of {classes} classes"))),
        }
    }

    /// Keeps probabilities and changes how classes are called.
    pub fn decided(inner: Box<dyn Classifier>, decision: Decision, fact: (&str, String)) -> Result<Self> {
        let classes = inner.layout().classes().len();
        match decision.suits(classes) {
            true => Ok(Adjusted { inner, map: CalibrationMap::Identity, decision, facts: vec![(fact.0.into(), fact.1)] }),
            false => Err(Error::internal(format!("a decision does not suit {classes} classes"))),
        }
    }

    fn unmapped(&self) -> bool {
        self.map == CalibrationMap::Identity
    }

    fn adjust(&self, out: &mut Scores) {
        let classes = out.classes();
        out.parts_mut().0.chunks_exact_mut(classes.max(1)).for_each(|row| self.map.apply(row));
    }
}

impl Classifier for Adjusted {
    fn layout(&self) -> &Layout {
        self.inner.layout()
    }

    fn tag(&self) -> &'static str {
        TAG
    }

    fn scale(&self) -> Scale {
        if self.unmapped() { self.inner.scale() } else { Scale::LogPosterior }
    }

    fn score(&self, rows: &Features<'_>, out: &mut Scores) -> Result<()> {
        self.inner.score(rows, out)?;
        if !self.unmapped() {
            self.adjust(out);
        }
        Ok(())
    }

    fn score_relative(&self, rows: &Features<'_>, out: &mut Scores) -> Result<()> {
        self.inner.score_relative(rows, out)?;
        if !self.unmapped() {
            self.adjust(out);
        }
        Ok(())
    }

    fn contributions(&self) -> Result<&dyn Additive> {
        match &self.map {
            CalibrationMap::Curves(_) => Err(ErrorKind::Unsupported {
                model: self.card().title,
                what: "split its log odds into addends".into(),
                advice: "its calibration curve bends them; explain the model before calibration, or use platt or temperature".into(),
            }
            .into()),
            _ => self.inner.contributions().map(|_| self as &dyn Additive),
        }
    }

    fn linear(&self) -> Option<LinearLogOdds> {
        let linear = self.inner.linear()?;
        match &self.map {
            CalibrationMap::Identity => Some(linear),
            CalibrationMap::Affine { slope, offsets } => Some(linear.affine(*slope, offsets)),
            CalibrationMap::Curves(_) => None,
        }
    }

    fn generative(&self) -> Option<&dyn Generative> {
        if self.unmapped() { self.inner.generative() } else { None }
    }

    fn inference(&self) -> Option<&dyn Inference> {
        if self.unmapped() { self.inner.inference() } else { None }
    }

    fn limits(&self) -> Option<&dyn RowLimits> {
        if self.unmapped() { self.inner.limits() } else { None }
    }

    fn evidence(&self) -> Option<Evidence> {
        if self.unmapped() { self.inner.evidence() } else { None }
    }

    fn neighbours(&self) -> Option<&dyn Neighbours> {
        self.inner.neighbours()
    }

    fn paths(&self) -> Option<&dyn Paths> {
        if self.unmapped() { self.inner.paths() } else { None }
    }

    fn decision(&self) -> Decision {
        self.decision.clone()
    }

    fn free_parameters(&self) -> usize {
        self.inner.free_parameters() + self.map.free_parameters()
    }

    fn card(&self) -> Card {
        let mut card = self.inner.card();
        if !self.unmapped() {
            // What the fit says about its estimates is not about the probabilities that were moved.
            (card.summary, card.tables, card.pictures) = (None, Vec::new(), Vec::new());
        }
        let own = || self.facts.iter().map(|(name, value)| (name.clone(), Cell::from(value.as_str())));
        card.facts.extend(own());
        card.summary.iter_mut().for_each(|summary| summary.facts.extend(own()));
        card
    }

    fn notices(&self) -> Vec<Notice> {
        self.inner.notices()
    }

    fn record(&self) -> Result<Record> {
        super::stored::write(self)
    }
}

impl Additive for Adjusted {
    fn contribute(&self, rows: &Features<'_>, out: &mut Contributions) -> Result<()> {
        self.inner.contributions()?.contribute(rows, out)?;
        if let CalibrationMap::Affine { slope, offsets } = &self.map {
            out.stretch(*slope, offsets);
        }
        Ok(())
    }
}
