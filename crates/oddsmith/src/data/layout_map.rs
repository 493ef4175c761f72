//! Where the classes, columns, levels and words of one layout stand in another.

use std::collections::BTreeMap;

use super::{Feature, Layout, Levels, Plane, Space, Vocabulary};
use crate::error::{DataFault, Error, Result, beginning};

/// The way from one layout to another that has all its classes and, for each feature that both have, all its levels.
pub(crate) struct LayoutMap {
    /// By class.
    pub(crate) classes: Vec<usize>,
    /// By number column; `None` for those that the other has not.
    pub(crate) numbers: Vec<Option<usize>>,
    /// By code column, with the place of every level.
    pub(crate) codes: Vec<Option<(usize, Vec<usize>)>>,
    /// By text column, with the place of every word that the other knows.
    pub(crate) words: Vec<Option<(usize, Vec<Option<usize>>)>>,
}

impl LayoutMap {
    /// The map; that of words stays empty unless they are asked for, because a hashed width needs no memory of its own.
    pub(crate) fn between(from: &Layout, to: &Layout, with_words: bool) -> Result<LayoutMap> {
        let place = |label: &String| {
            let unknown = || DataFault::new("the class was not there before:").column(from.target()).value(label);
            to.classes().index(label).map_err(|_| Error::from(unknown().accepted(there_were(to.classes().labels()))))
        };
        let classes = from.classes().labels().iter().map(place).collect::<Result<_>>()?;
        let targets: BTreeMap<&str, usize> = to.features().iter().enumerate().map(|(j, f)| (f.name.as_str(), j)).collect();
        let mut map = LayoutMap { classes, numbers: Vec::new(), codes: Vec::new(), words: Vec::new() };
        for (j, feature) in from.features().iter().enumerate() {
            let target = targets.get(feature.name.as_str()).map(|&t| (to.plane(t), &to.features()[t]));
            match (from.plane(j), target) {
                (Plane::Numbers(_), Some((Plane::Numbers(t), _))) => map.numbers.push(Some(t)),
                (Plane::Numbers(_), None) => map.numbers.push(None),
                (Plane::Codes(_), Some((Plane::Codes(t), other))) => map.codes.push(Some((t, level_map(feature, &other.space)?))),
                (Plane::Codes(_), None) => map.codes.push(None),
                (Plane::Words(_), Some((Plane::Words(t), other))) => {
                    let columns = if with_words { word_map(feature, &other.space)? } else { Vec::new() };
                    map.words.push(Some((t, columns)));
                }
                (Plane::Words(_), None) => map.words.push(None),
                (_, Some((_, other))) => {
                    let fault = DataFault::new(format!("is a {} column", feature.kind().name())).column(&feature.name);
                    return Err(fault.accepted(format!("it was a {} column before", other.kind().name())).into());
                }
            }
        }
        Ok(map)
    }
}

fn there_were(names: &[String]) -> String {
    format!("there were {}", beginning(names))
}

fn level_map(from: &Feature, to: &Space) -> Result<Vec<usize>> {
    let (Space::Levels { levels, .. }, Space::Levels { levels: to, .. }) = (&from.space, to) else {
        return Err(Error::internal("levels are mapped to something else"));
    };
    level_places(&from.name, levels, to)
}

/// The place of every level of a column among other levels, which must have them all.
pub(super) fn level_places(column: &str, from: &Levels, to: &Levels) -> Result<Vec<usize>> {
    let index: BTreeMap<&String, usize> = to.names().iter().enumerate().map(|(code, name)| (name, code)).collect();
    let lost = |name: &String| DataFault::new("the level was not there before:").column(column).value(name);
    from.names().iter().map(|name| index.get(name).copied().ok_or_else(|| lost(name).accepted(there_were(to.names())).into())).collect()
}

fn word_map(from: &Feature, to: &Space) -> Result<Vec<Option<usize>>> {
    let (Space::Words { vocabulary, form, .. }, Space::Words { vocabulary: to, form: to_form, .. }) = (&from.space, to) else {
        return Err(Error::internal("words are mapped to something else"));
    };
    if form != to_form {
        let fault = DataFault::new("its texts are cut into other terms, or weighed by tf-idf over other rows").column(&from.name);
        return Err(fault.accepted("the same text options everywhere, and counts where rows are in several places").into());
    }
    match (vocabulary, to) {
        (Vocabulary::Hashed(a), Vocabulary::Hashed(b)) if a == b => Ok((0..*a).map(Some).collect()),
        (Vocabulary::Listed(from), Vocabulary::Listed(to)) => {
            let index: BTreeMap<&String, usize> = to.iter().enumerate().map(|(column, word)| (word, column)).collect();
            Ok(from.iter().map(|word| index.get(word).copied()).collect())
        }
        _ => {
            let fault = DataFault::new("its words are hashed to another width, or listed in one place and hashed in the other");
            Err(fault.column(&from.name).accepted("the same text options everywhere").into())
        }
    }
}
