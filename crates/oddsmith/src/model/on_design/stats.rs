//! The passes of a model on a design: a survey of the columns where the design depends on the data, then sums over blocks of design rows.

use std::sync::Arc;

use super::{DesignBatch, DesignFrame, DesignReader};
use crate::codec::{Codec, Encode};
use crate::data::{DesignOptions, DesignSurvey, Layout, Rows};
use crate::error::{Error, ErrorKind, Result};
use crate::model::check_classes;
use crate::notice::Notice;
use crate::record::Record;
use crate::stats::{ClassWeights, Statistics};

/// What a model sums over blocks of design rows. Laws are those of [`Statistics`].
pub trait DesignSums: Encode + Clone + Send + Sync {
    /// Adds a block.
    fn observe(&mut self, batch: &DesignBatch<'_>) -> Result<()>;

    /// Adds a block that nobody has searched for missing or infinite numbers. Gives `false`, and stays as it was, where its sums say that there may be
    /// some; by default without a look.
    fn observe_unsearched(&mut self, _batch: &DesignBatch<'_>) -> Result<bool> {
        Ok(false)
    }

    /// Adds what another has seen.
    fn merge(&mut self, other: &Self) -> Result<()>;

    /// What the pass is for, in words.
    fn purpose(&self) -> String;

    /// Size in memory.
    fn bytes(&self) -> usize;

    /// See [`Statistics::in_order`].
    fn in_order(&self) -> bool {
        false
    }

    /// See [`Statistics::discloses`].
    fn discloses(&self) -> Option<String> {
        None
    }
}

/// Puts together what two have learned, from so many rows each, where a row teaches what depends on all rows before it: one of them has seen none.
pub(crate) fn learned_in_order<S: Clone>(model: &str, mine: &mut S, theirs: &S, rows: (u64, u64)) -> Result<()> {
    match rows {
        (_, 0) => Ok(()),
        (0, _) => {
            *mine = theirs.clone();
            Ok(())
        }
        _ => Err(ErrorKind::Unsupported {
            model: model.into(),
            what: "put together what several parts of the rows have taught it".into(),
            advice: "it learns from one row after the other, and mixing weights of parts is another algorithm; fit it where all rows \
                     are, or use least-squares or logistic, whose sums add up"
                .into(),
        }
        .into()),
    }
}

/// The sums of a pass.
#[derive(Debug, Clone)]
pub enum DesignStats<S> {
    /// What the design depends on.
    Survey(Arc<Layout>, Box<DesignSurvey>),
    /// What the model sums up.
    Sums(Box<DesignPass<S>>),
}

/// A pass over design rows.
#[derive(Debug, Clone)]
pub struct DesignPass<S> {
    /// How rows become numbers.
    pub frame: Arc<DesignFrame>,
    /// Rows and weights of the rows that counted.
    pub classes: ClassWeights,
    /// Rows with a class that a gap kept out.
    pub excluded: u64,
    /// What the model sums up.
    pub sums: S,
    reader: DesignReader,
}

impl<S> DesignPass<S> {
    /// Nothing seen.
    pub(crate) fn new(frame: &Arc<DesignFrame>, sums: S) -> Self {
        let classes = ClassWeights::new(frame.classes());
        DesignPass { frame: Arc::clone(frame), classes, excluded: 0, sums, reader: DesignReader::default() }
    }

    /// Refuses rows that teach nothing: none at all, none without a gap, or those of one class.
    pub(crate) fn check_rows(&self) -> Result<()> {
        if self.classes.total_rows() == 0 && self.excluded > 0 {
            let what = format!("all {} rows with a class have a missing value", self.excluded);
            let fault = crate::error::DataFault::new(what).column(self.frame.layout().target());
            return Err(fault.accepted(crate::error::Advice::set("missing", "mean")).into());
        }
        check_classes(self.frame.layout(), &self.classes)
    }

    /// What is said of the rows.
    pub(crate) fn row_notices(&self) -> Vec<Notice> {
        DesignFrame::excluded_notice(self.excluded, self.classes.total_rows()).into_iter().collect()
    }
}

impl<S: DesignSums> DesignStats<S> {
    /// The first pass over a layout: a survey, or the sums themselves.
    pub(crate) fn begin(layout: &Arc<Layout>, options: &DesignOptions, sums: impl FnOnce(&Arc<DesignFrame>) -> Result<S>) -> Result<Self> {
        let survey = DesignSurvey::new(&DesignFrame::formula(layout), layout, options)?;
        match survey.is_needed() {
            true => Ok(DesignStats::Survey(Arc::clone(layout), Box::new(survey))),
            false => Self::over(Arc::new(DesignFrame::compile(layout, options, None)?), sums),
        }
    }

    /// The pass after the survey.
    pub(crate) fn surveyed(
        layout: &Arc<Layout>,
        options: &DesignOptions,
        survey: &DesignSurvey,
        sums: impl FnOnce(&Arc<DesignFrame>) -> Result<S>,
    ) -> Result<Self> {
        Self::over(Arc::new(DesignFrame::compile(layout, options, Some(survey))?), sums)
    }

    /// A pass over a frame.
    pub(crate) fn over(frame: Arc<DesignFrame>, sums: impl FnOnce(&Arc<DesignFrame>) -> Result<S>) -> Result<Self> {
        let sums = sums(&frame)?;
        Ok(DesignStats::Sums(Box::new(DesignPass::new(&frame, sums))))
    }

    /// Writes down the design of a pass over sums; a survey needs none.
    pub(crate) fn write_point(&self, point: &mut Record, sums: impl FnOnce(&S, &mut Record) -> Result<()>) -> Result<()> {
        match self {
            DesignStats::Survey(..) => Ok(()),
            DesignStats::Sums(pass) => {
                pass.frame.design().write(point, "design")?;
                sums(&pass.sums, point)
            }
        }
    }

    /// The pass that is asked for at a point.
    pub(crate) fn at_point(
        layout: &Arc<Layout>,
        options: &DesignOptions,
        point: &Record,
        sums: impl FnOnce(&Arc<DesignFrame>) -> Result<S>,
    ) -> Result<Self> {
        match point.head.get("design").is_some() {
            true => Self::over(Arc::new(DesignFrame::read_design(point, layout)?), sums),
            false => Self::begin(layout, options, sums),
        }
    }
}

impl<S: DesignSums> Encode for DesignStats<S> {
    fn encode(&mut self, codec: &mut Codec<'_>) -> Result<()> {
        match self {
            DesignStats::Survey(_, survey) => survey.encode(codec),
            DesignStats::Sums(pass) => {
                codec.part("classes", &mut pass.classes)?;
                codec.count("excluded", &mut pass.excluded)?;
                codec.part("sums", &mut pass.sums)
            }
        }
    }
}

impl<S: DesignSums> Statistics for DesignStats<S> {
    type Input<'a> = Rows<'a>;

    fn observe(&mut self, rows: Rows<'_>) -> Result<()> {
        match self {
            DesignStats::Survey(_, survey) => Statistics::observe(&mut **survey, rows),
            DesignStats::Sums(pass) => {
                let DesignPass { frame, classes, excluded, sums, reader } = &mut **pass;
                reader.for_blocks(frame, &rows, excluded, |batch, searched| {
                    let added = match searched {
                        true => sums.observe(batch).map(|()| true),
                        false => sums.observe_unsearched(batch),
                    }?;
                    if added {
                        classes.observe(batch.labels, batch.weights)?;
                    }
                    Ok(added)
                })
            }
        }
    }

    fn merge(&mut self, other: &Self) -> Result<()> {
        match (self, other) {
            (DesignStats::Survey(_, mine), DesignStats::Survey(_, theirs)) => Statistics::merge(&mut **mine, theirs),
            (DesignStats::Sums(mine), DesignStats::Sums(theirs)) => {
                mine.classes.merge(&theirs.classes);
                mine.excluded += theirs.excluded;
                mine.sums.merge(&theirs.sums)
            }
            _ => Err(Error::internal("sums of two different passes were merged")),
        }
    }

    fn weight(&self) -> f64 {
        match self {
            DesignStats::Survey(_, survey) => Statistics::weight(&**survey),
            DesignStats::Sums(pass) => pass.classes.total(),
        }
    }

    fn purpose(&self) -> String {
        match self {
            DesignStats::Survey(_, survey) => Statistics::purpose(&**survey),
            DesignStats::Sums(pass) => pass.sums.purpose(),
        }
    }

    fn in_order(&self) -> bool {
        matches!(self, DesignStats::Sums(pass) if pass.sums.in_order())
    }

    fn discloses(&self) -> Option<String> {
        match self {
            DesignStats::Survey(_, survey) => Statistics::discloses(&**survey),
            DesignStats::Sums(pass) => pass.sums.discloses(),
        }
    }

    fn bytes(&self) -> usize {
        match self {
            DesignStats::Survey(_, survey) => Statistics::bytes(&**survey),
            DesignStats::Sums(pass) => pass.sums.bytes(),
        }
    }
}
