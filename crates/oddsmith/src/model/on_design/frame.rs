//! A layout, the design over it, and the design's own columns as a layout of numbers.

use std::sync::Arc;

use crate::data::{Design, DesignOptions, DesignSurvey, Feature, Formula, Layout};
use crate::error::{Error, Result};
use crate::notice::{self, Notice};
use crate::record::Record;

/// How rows become numbers, fixed before anything is summed up.
#[derive(Debug, Clone, PartialEq)]
pub struct DesignFrame {
    layout: Arc<Layout>,
    design: Arc<Design>,
    columns: Arc<Layout>,
}

impl DesignFrame {
    /// The formula of all columns side by side.
    pub(super) fn formula(layout: &Layout) -> Formula {
        Formula::of_columns(layout.target(), &layout.names())
    }

    /// All columns side by side; the survey must have seen the data where the design depends on them.
    pub(crate) fn compile(layout: &Arc<Layout>, options: &DesignOptions, survey: Option<&DesignSurvey>) -> Result<Self> {
        Self::of(layout, Design::compile(&Self::formula(layout), layout, options, survey)?)
    }

    fn of(layout: &Arc<Layout>, design: Design) -> Result<Self> {
        if design.has_offset() || !design.words().is_empty() {
            return Err(Error::internal("a design with offsets or words is for regressions"));
        }
        let features = design.columns().iter().map(|column| Feature::number(&column.name)).collect();
        let columns = Layout::new(layout.target(), features, layout.classes().clone(), layout.weighting())?;
        Ok(DesignFrame { layout: Arc::clone(layout), design: Arc::new(design), columns: Arc::new(columns) })
    }

    /// What rows look like.
    pub fn layout(&self) -> &Arc<Layout> {
        &self.layout
    }

    /// The design.
    pub fn design(&self) -> &Arc<Design> {
        &self.design
    }

    /// The design's columns as a layout of numbers.
    pub fn columns(&self) -> &Arc<Layout> {
        &self.columns
    }

    /// Number of design columns.
    pub fn width(&self) -> usize {
        self.design.columns().len()
    }

    /// Number of classes.
    pub fn classes(&self) -> usize {
        self.layout.classes().len()
    }

    /// The name of a design column.
    pub fn name(&self, column: usize) -> &str {
        &self.design.columns()[column].name
    }

    /// Whether the design's columns are the number columns of a batch as they lie.
    pub(crate) fn in_place(&self, numbers: usize) -> bool {
        let planes = self.design.plain_numbers();
        planes.is_some_and(|planes| planes.len() == numbers && planes.iter().copied().eq(0..numbers))
    }

    /// Adds layout and design to a record.
    pub(crate) fn write(&self, record: &mut Record) -> Result<()> {
        self.layout.write(record, "layout")?;
        self.design.write(record, "design")
    }

    /// What was added to a record.
    pub(crate) fn read(record: &Record) -> Result<Self> {
        let layout = Arc::new(Layout::read(record, "layout")?);
        Self::read_design(record, &layout)
    }

    /// The design that was added to a record, over a layout that is known.
    pub(super) fn read_design(record: &Record, layout: &Arc<Layout>) -> Result<Self> {
        let design = Design::read(record, "design", layout)?;
        if design.has_offset() || !design.words().is_empty() || !design.intercept() {
            return Err(crate::record::fault("the design is none of columns side by side"));
        }
        Self::of(layout, design)
    }

    /// What is said of rows with gaps that were left out.
    pub(crate) fn excluded_notice(excluded: u64, used: u64) -> Option<Notice> {
        let total = used + excluded;
        let share = 100.0 * excluded as f64 / total as f64;
        let text = format!("{excluded} of {total} rows ({share:.1} %) excluded for missing values");
        (excluded > 0).then(|| Notice::new(notice::MISSING_VALUES, text))
    }

    /// What is said of a column that does not vary.
    pub(crate) fn constant_notice(&self, column: usize, value: f64) -> Notice {
        let text = format!("is {value} in every row; it says nothing about the class and was left out");
        Notice::new(notice::CONSTANT_COLUMN, text).column(self.name(column))
    }
}
