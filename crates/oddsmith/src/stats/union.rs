//! Adding up summaries of tables that do not quite agree: other levels, other classes, other words.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::scales::CommonScales;
use super::{Parts, Statistics, TableStats};
use crate::data::{Classes, Feature, Layout, Levels, Space, Vocabulary};
use crate::error::{Error, ErrorKind, Result};
use crate::notice::{self, Notice};

/// A summary and the name under which messages speak of it.
pub struct Named<'a> {
    /// A file name or the like.
    pub name: &'a str,
    /// The summary.
    pub stats: &'a TableStats,
}

/// The sum of all summaries over the union of their layouts, with a notice for everything that differed. Kinds that
/// contradict each other are an error that names both.
pub fn unite(members: &[Named<'_>]) -> Result<(TableStats, Vec<Notice>)> {
    let mut union = Union::default();
    members.iter().try_for_each(|member| union.look(member))?;
    members.iter().try_for_each(|member| union.add(member.stats))?;
    union.finish()
}

/// Summaries that are added up one after the other, so that one of them is in memory at a time. All are looked at once, for the union of
/// their layouts, and then added in the same order.
#[derive(Default)]
pub struct Union {
    layout: Option<Arc<Layout>>,
    parts: Parts,
    /// Who brought each column first.
    owners: BTreeMap<String, String>,
    first: String,
    units: CommonScales,
    scales: Option<Vec<f64>>,
    total: Option<TableStats>,
    notices: Vec<Notice>,
}

impl Union {
    /// Looks at the layout of a summary.
    pub fn look(&mut self, member: &Named<'_>) -> Result<()> {
        let own = member.stats.layout();
        self.layout = Some(match &self.layout {
            None => {
                (self.parts, self.first) = (member.stats.parts(), member.name.to_owned());
                Arc::clone(own)
            }
            Some(_) if member.stats.parts() != self.parts => {
                let what = "they were gathered with different parts".to_owned();
                return Err(ErrorKind::Mismatch { left_name: self.first.clone(), right_name: member.name.into(), what }.into());
            }
            Some(layout) => {
                let mut differences = Vec::new();
                let union = union_of(&|column| self.owner(column), layout, member, &mut differences)?;
                self.notices.append(&mut differences);
                Arc::new(union)
            }
        });
        for name in own.names() {
            self.owners.entry(name).or_insert_with(|| member.name.to_owned());
        }
        self.units.look(member.stats);
        Ok(())
    }

    /// Who brought a column first; the first of all without one.
    fn owner(&self, column: Option<&str>) -> String {
        column.map_or_else(|| Some(&self.first), |column| self.owners.get(column)).map_or_else(|| "the others".into(), String::clone)
    }

    /// Adds a summary that was looked at before.
    pub fn add(&mut self, stats: &TableStats) -> Result<()> {
        let layout = self.layout.as_ref().ok_or_else(|| Error::internal("a summary is added that nobody looked at"))?;
        let scales = self.scales.get_or_insert_with(|| self.units.of(layout));
        let moved = in_units(stats, layout, scales)?;
        match &mut self.total {
            Some(total) => total.merge(&moved)?,
            none => *none = Some(moved),
        }
        Ok(())
    }

    /// The sum, and what differed.
    pub fn finish(self) -> Result<(TableStats, Vec<Notice>)> {
        let total = self.total.ok_or_else(|| Error::data("there is nothing to merge"))?;
        Ok((total, self.notices))
    }
}

/// The sums over another layout with the numbers in other units.
fn in_units(stats: &TableStats, layout: &Arc<Layout>, scales: &[f64]) -> Result<TableStats> {
    let mut moved = stats.project(Arc::clone(layout))?;
    moved.rescale(scales);
    Ok(moved)
}

/// What remains of `whole` without the rows of `part`, over the layout of the whole. A part that knows a class, column,
/// level or word that the whole does not know cannot be part of it.
pub fn separate(whole: &Named<'_>, part: &Named<'_>) -> Result<TableStats> {
    let layout = whole.stats.layout();
    let mismatch = |what: String| Error::from(ErrorKind::Mismatch { left_name: whole.name.into(), right_name: part.name.into(), what });
    if union_of(&|_| whole.name.to_owned(), layout, part, &mut Vec::new())? != **layout {
        return Err(mismatch(format!("{} has classes, columns, levels or words that {} does not have", part.name, whole.name)));
    }
    let mut units = CommonScales::default();
    [whole.stats, part.stats].into_iter().for_each(|stats| units.look(stats));
    let scales = units.of(layout);
    let mut rest = in_units(whole.stats, layout, &scales)?;
    rest.subtract(&in_units(part.stats, layout, &scales)?).map_err(|error| match error.into_kind() {
        ErrorKind::Mismatch { what, .. } => mismatch(what),
        other => other.into(),
    })?;
    Ok(rest)
}

/// The union of `left`, which is itself the union of earlier layouts, and the layout of `right`. `owner` says who brought a column, or was
/// the first of all.
fn union_of(owner: &dyn Fn(Option<&str>) -> String, left: &Layout, right: &Named<'_>, notices: &mut Vec<Notice>) -> Result<Layout> {
    let theirs = right.stats.layout();
    let mismatch = |left_name: String, what: String| Error::from(ErrorKind::Mismatch { left_name, right_name: right.name.into(), what });
    if left.target() != theirs.target() {
        let what = format!("the target is `{}` in one and `{}` in the other", left.target(), theirs.target());
        return Err(mismatch(owner(None), what));
    }
    if left.weighting() != theirs.weighting() {
        let what = format!("weights are {:?} in one and {:?} in the other", left.weighting(), theirs.weighting());
        return Err(mismatch(owner(None), what));
    }
    // The first who brought the column is the one to name.
    let contradiction = |column: &str, what: String| mismatch(owner(Some(column)), format!("column `{column}` {what}"));
    let note = |column: &str, what: String| Notice::new(notice::UNEQUAL_LAYOUTS, format!("{what}; merged over the union")).column(column);
    let classes = joined(left.classes().labels(), theirs.classes().labels());
    if let Some(classes) = &classes {
        let what = format!("{} has {}, the union {}", right.name, notice::counted(theirs.classes().len() as u64, "class"), classes.len());
        notices.push(note(left.target(), what));
    }
    let mut others: BTreeMap<&str, &Feature> = theirs.features().iter().map(|f| (f.name.as_str(), f)).collect();
    let mut features = Vec::new();
    for mine in left.features() {
        let Some(other) = others.remove(mine.name.as_str()) else {
            notices.push(note(&mine.name, format!("{} has no such column", right.name)));
            features.push(mine.clone());
            continue;
        };
        if mine.kind() != other.kind() {
            let what = format!("is a {} in one and a {} in the other", mine.kind().name(), other.kind().name());
            return Err(contradiction(&mine.name, what));
        }
        let (space, difference) = union_space(&mine.space, &other.space).map_err(|what| contradiction(&mine.name, what))?;
        notices.extend(difference.map(|what| note(&mine.name, format!("{}: {what}", right.name))));
        features.push(Feature { name: mine.name.clone(), space });
    }
    for extra in theirs.features().iter().filter(|f| others.contains_key(f.name.as_str())) {
        notices.push(note(&extra.name, format!("only {} has this column", right.name)));
        features.push(extra.clone());
    }
    let classes = classes.map_or_else(|| Ok(left.classes().clone()), Classes::new)?;
    Layout::new(left.target(), features, classes, left.weighting())
}

/// The union of two spaces of one kind and a phrase for their difference, or a phrase for their contradiction.
fn union_space(mine: &Space, other: &Space) -> Result<(Space, Option<String>), String> {
    match (mine, other) {
        (Space::Levels { levels, boolean }, Space::Levels { levels: others, .. }) => Ok(match joined(levels.names(), others.names()) {
            None => (mine.clone(), None),
            Some(union) => {
                let what = format!(
                    "{} here, {} before, {} in the union",
                    notice::counted(others.len() as u64, "level"),
                    levels.len(),
                    union.len()
                );
                (Space::Levels { levels: Levels::in_order(union), boolean: *boolean }, Some(what))
            }
        }),
        (Space::Words { vocabulary, value, form }, Space::Words { vocabulary: others, value: other_value, form: other_form }) => {
            if form.terms != other_form.terms {
                return Err("has other terms in one than in the other (words, runs of words or characters)".into());
            }
            if form.weights != other_form.weights {
                return Err("is weighed by tf-idf, whose weights depend on all rows; gather counts, or fit where all rows are".into());
            }
            if value != other_value {
                return Err("holds word counts in one and word presence in the other".into());
            }
            match (vocabulary, others) {
                (Vocabulary::Hashed(a), Vocabulary::Hashed(b)) if a == b => Ok((mine.clone(), None)),
                (Vocabulary::Listed(a), Vocabulary::Listed(b)) => Ok(match joined(a, b) {
                    None => (mine.clone(), None),
                    Some(union) => {
                        let what =
                            format!("{} here, {} before, {} in the union", notice::counted(b.len() as u64, "word"), a.len(), union.len());
                        (Space::Words { vocabulary: Vocabulary::Listed(union), value: *value, form: form.clone() }, Some(what))
                    }
                }),
                _ => Err("has vocabularies of different make (listed words, or other hash widths)".into()),
            }
        }
        _ => Ok((mine.clone(), None)),
    }
}

/// The union of two lists of names, or `None` when they are equal. A list that holds all names of the other keeps its
/// order, because the order of classes says which one is the event; otherwise the union keeps what both orders say, and is sorted where
/// they contradict each other.
fn joined(left: &[String], right: &[String]) -> Option<Vec<String>> {
    if left == right {
        return None;
    }
    let union: BTreeSet<&String> = left.iter().chain(right).collect();
    Some(match [left, right].into_iter().find(|list| list.len() == union.len()) {
        Some(longer) => longer.to_vec(),
        None => {
            let sorted = || Levels::sorted(union.into_iter().cloned().collect());
            Levels::joined(&[left, right]).unwrap_or_else(sorted).names().to_vec()
        }
    })
}
