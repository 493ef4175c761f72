//! Counts of an outcome by an exposure, in every stratum, with the names of everything.

use super::super::strata::StratifiedTable;
use super::super::table::Table2x2;
use crate::data::Weighting;
use crate::error::{DataFault, Error, Result, visible};

/// Most names of levels in a message.
const MOST_NAMED: usize = 6;

/// A table of counts: the last class is the event, the first level is what the others are compared with.
#[derive(Debug, Clone, PartialEq)]
pub struct CrossTable {
    /// The outcome's column.
    pub outcome: String,
    /// Its classes.
    pub classes: Vec<String>,
    /// The exposure's column.
    pub exposure: String,
    /// Its levels.
    pub levels: Vec<String>,
    /// Columns of the strata; none when there is one table.
    pub by: Vec<String>,
    /// Names of the strata.
    pub strata: Vec<String>,
    /// Counts by stratum, level and class.
    pub counts: Vec<f64>,
    /// Rows without a value of the exposure, which do not count.
    pub excluded: u64,
    /// What the counts are sums of.
    pub weighting: Weighting,
    /// Whether somebody gave the counts: no row was read, and columns and levels have no names of their own.
    pub given: bool,
}

impl CrossTable {
    /// Four counts that somebody gave: exposed cases, exposed others, cases and others that were not exposed.
    pub fn of_cells(cells: [f64; 4]) -> Result<Self> {
        let table = Table2x2::new(cells)?;
        let names = |texts: [&str; 2]| texts.map(str::to_owned).to_vec();
        Ok(CrossTable {
            outcome: "outcome".into(),
            classes: names(["other", "case"]),
            exposure: "exposure".into(),
            levels: names(["not exposed", "exposed"]),
            by: Vec::new(),
            strata: vec![String::new()],
            counts: vec![table.d, table.c, table.b, table.a],
            excluded: 0,
            weighting: Weighting::None,
            given: true,
        })
    }

    /// The count of a level and a class in a stratum.
    pub fn count(&self, stratum: usize, level: usize, class: usize) -> f64 {
        self.counts[(stratum * self.levels.len() + level) * self.classes.len() + class]
    }

    /// Counts by level and class over all strata.
    pub fn all(&self) -> Vec<f64> {
        let mut all = vec![0.0; self.levels.len() * self.classes.len()];
        for own in self.counts.chunks_exact(all.len().max(1)) {
            all.iter_mut().zip(own).for_each(|(sum, count)| *sum += count);
        }
        all
    }

    /// A level against the first, in one stratum.
    pub fn two_by_two(&self, stratum: usize, level: usize) -> Table2x2 {
        let event = self.classes.len() - 1;
        let others = |level: usize| (0..event).map(|class| self.count(stratum, level, class)).sum();
        Table2x2 { a: self.count(stratum, level, event), b: others(level), c: self.count(stratum, 0, event), d: others(0) }
    }

    /// The last level against the first, by stratum.
    pub fn stratified(&self) -> StratifiedTable {
        StratifiedTable { strata: (0..self.strata.len()).map(|stratum| self.two_by_two(stratum, self.levels.len() - 1)).collect() }
    }

    /// The same without levels that occur in no row that counts.
    #[must_use]
    pub fn occurring(mut self) -> Self {
        let (classes, all) = (self.classes.len(), self.all());
        let kept: Vec<bool> = all.chunks(classes).map(|counts| counts.iter().sum::<f64>() > 0.0).collect();
        if kept.iter().all(|kept| *kept) {
            return self;
        }
        let counted = self.counts.chunks(classes).zip(kept.iter().cycle()).filter(|(_, kept)| **kept);
        self.counts = counted.flat_map(|(counts, _)| counts.to_vec()).collect();
        let mut kept = kept.iter();
        self.levels.retain(|_| kept.next() == Some(&true));
        self
    }

    /// Refuses what no table can be made of.
    pub fn check(&self) -> Result<()> {
        let all = self.all();
        if all.iter().sum::<f64>() <= 0.0 {
            return Err(Error::data("no row has a value of the outcome, of the exposure and of every stratum"));
        }
        if self.weighting == Weighting::Sampling {
            let accepted = "a table counts rows: give weights that are numbers of equal rows (frequency)";
            return Err(Error::option("weight kind", "sampling", accepted));
        }
        if self.levels.len() < 2 {
            let what = format!("the exposure is {} in every row that counts", self.listed(&self.levels));
            return Err(DataFault::new(what).column(&self.exposure).accepted("an exposure needs two levels that occur").into());
        }
        let numbers = |labels: &[String]| labels.iter().all(|label| label.trim().parse::<f64>().is_ok());
        if self.classes.len() > MOST_CLASSES && numbers(&self.classes) {
            let what = format!("a numeric outcome, not classes: {} different numbers", self.classes.len());
            return Err(DataFault::new(what)
                .column(&self.outcome)
                .accepted("an outcome of two classes; cut numbers into classes first")
                .into());
        }
        let rows = all.iter().sum::<f64>();
        if self.levels.len() > MOST_CLASSES && rows < ROWS_PER_LEVEL * self.levels.len() as f64 && numbers(&self.levels) {
            let what = format!("a numeric exposure, not levels: {} different numbers in {rows} rows", self.levels.len());
            return Err(DataFault::new(what)
                .column(&self.exposure)
                .accepted("an exposure of few levels; cut numbers into ranges first, or fit a regression")
                .into());
        }
        let occurs = |class: &usize| all.iter().skip(*class).step_by(self.classes.len()).sum::<f64>() > 0.0;
        if (0..self.classes.len()).filter(occurs).count() < 2 {
            let what = "all rows that count have the same outcome".to_owned();
            return Err(DataFault::new(what).column(&self.outcome).accepted("an outcome needs two classes that occur").into());
        }
        if !self.by.is_empty() && self.levels.len() > 2 {
            let what = format!("the exposure has {} levels ({}), and strata compare two", self.levels.len(), self.listed(&self.levels));
            let accepted = "read the rows of two levels only, or join levels; without strata every level is compared with the first";
            return Err(DataFault::new(what).column(&self.exposure).accepted(accepted).into());
        }
        if !self.by.is_empty() && self.classes.len() > 2 {
            let what = format!("the outcome has {} classes ({}), and strata compare two", self.classes.len(), self.listed(&self.classes));
            return Err(DataFault::new(what).column(&self.outcome).accepted("read the rows of two classes only, or join classes").into());
        }
        Ok(())
    }

    fn listed(&self, names: &[String]) -> String {
        let shown: Vec<String> = names.iter().take(MOST_NAMED).map(|name| format!("`{}`", visible(name))).collect();
        let more = if names.len() > MOST_NAMED { ", …" } else { "" };
        format!("{}{more}", shown.join(", "))
    }
}

/// From here up, classes that are numbers are taken for a measurement; so are levels of the exposure with fewer rows each than this.
const MOST_CLASSES: usize = 12;
const ROWS_PER_LEVEL: f64 = 10.0;
