//! In which order levels and classes stand, where that is declared.
//!
//! The first level of a category is the one that others are compared with, and the last of two classes is the event. Sorted text puts
//! `120+` before `40-79` and makes `control` the event of `case` and `control`; an order says what is meant.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::{Classes, Feature, Layout, Levels, Space};
use crate::error::{DataFault, Error, ErrorKind, Result};

/// A declared order.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Order {
    /// The levels of categories, and the classes of the target, by column. Every value of the column must be among them; those without
    /// a row are left out.
    pub levels: BTreeMap<String, Vec<String>>,
    /// The class that is the event, where there are two.
    pub event: Option<String>,
}

impl Order {
    /// Whether nothing is declared.
    pub fn is_empty(&self) -> bool {
        self.levels.is_empty() && self.event.is_none()
    }

    /// The declared levels of a column.
    pub fn of(&self, column: &str) -> Option<&[String]> {
        self.levels.get(column).map(Vec::as_slice)
    }

    /// Refuses a list that cannot be an order.
    pub fn check(&self) -> Result<()> {
        for (column, levels) in &self.levels {
            let mut seen = BTreeSet::new();
            if let Some(twice) = levels.iter().find(|level| !seen.insert(*level)) {
                return Err(Error::option("levels", column, format!("the level `{}` is listed twice", crate::error::visible(twice))));
            }
        }
        Ok(())
    }

    /// The values that occur in a column, in the declared order; `None` for a column without one. A value that is not listed is a fault.
    pub fn arranged(&self, column: &str, values: &[String]) -> Result<Option<Levels>, Box<DataFault>> {
        let Some(listed) = self.of(column) else { return Ok(None) };
        if let Some(other) = values.iter().find(|value| !listed.contains(value)) {
            let fault = DataFault::new("is not among the declared levels:").column(column).value(other);
            return Err(Box::new(fault.accepted(format!("declared are {}; list every level, or mark it as missing", listed.join(" < ")))));
        }
        let occurring: BTreeSet<&String> = values.iter().collect();
        Ok(Some(Levels::in_order(listed.iter().filter(|level| occurring.contains(level)).cloned().collect())))
    }

    /// Labels of classes with the event last.
    pub fn with_event(&self, target: &str, labels: &Levels) -> Result<Levels> {
        let (Some(event), names) = (&self.event, labels.names()) else { return Ok(labels.clone()) };
        if labels.code(event).is_none() {
            return Err(ErrorKind::Unknown { noun: "class", name: event.clone(), known: names.to_vec() }.into());
        }
        match names {
            [first, second] => {
                let other = if first == event { second } else { first };
                Ok(Levels::in_order(vec![other.clone(), event.clone()]))
            }
            _ => {
                let accepted = format!("one of two classes is the event, and `{target}` has {}; their order can be declared", names.len());
                Err(Error::option("event", event, accepted))
            }
        }
    }

    /// A layout whose levels and classes stand in the declared order.
    pub fn applied(&self, layout: &Layout) -> Result<Layout> {
        self.check()?;
        if let Some(unknown) = self.levels.keys().find(|column| *column != layout.target() && layout.index(column).is_err()) {
            layout.index(unknown)?;
        }
        let feature = |feature: &Feature| match &feature.space {
            Space::Levels { levels, .. } => Ok(match self.arranged(&feature.name, levels.names())? {
                Some(levels) => Feature::category(&feature.name, levels),
                None => feature.clone(),
            }),
            Space::Number | Space::Words { .. } if self.of(&feature.name).is_some() => {
                let accepted = format!("its levels cannot be ordered, because it is a {} column", feature.kind().name());
                Err(Error::option("levels", &feature.name, accepted))
            }
            _ => Ok(feature.clone()),
        };
        let features = layout.features().iter().map(feature).collect::<Result<Vec<_>>>()?;
        let labels = layout.classes().labels();
        let labels = self.arranged(layout.target(), labels)?.unwrap_or_else(|| Levels::in_order(labels.to_vec()));
        let labels = self.with_event(layout.target(), &labels)?;
        let classes = Classes::new(labels.names().to_vec())?;
        Ok(Layout::new(layout.target(), features, classes, layout.weighting())?.with_keys(layout.keys().to_vec()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Weighting;

    fn texts(names: &str) -> Vec<String> {
        names.split(' ').map(String::from).collect()
    }

    fn order(column: &str, levels: &str) -> Order {
        Order { levels: [(column.to_owned(), texts(levels))].into(), event: None }
    }

    #[test]
    fn declared_order_is_kept_and_other_values_are_refused() {
        let order = order("alc", "0-39 40-79 80-119 120+");
        let arranged = order.arranged("alc", &texts("120+ 0-39 40-79")).unwrap().unwrap();
        assert_eq!(arranged.names().join(" "), "0-39 40-79 120+");
        assert!(order.arranged("tob", &texts("a")).unwrap().is_none());
        let fault = Error::from(order.arranged("alc", &texts("0-39 40")).unwrap_err()).to_string();
        assert!(fault.contains("`alc`") && fault.contains("40") && fault.contains("0-39 < 40-79 < 80-119 < 120+"), "{fault}");
    }

    #[test]
    fn the_event_comes_last() {
        let event = |event: &str| Order { event: Some(event.into()), ..Order::default() };
        let labels = Levels::in_order(texts("case control"));
        assert_eq!(event("case").with_event("y", &labels).unwrap().names().join(" "), "control case");
        assert_eq!(event("control").with_event("y", &labels).unwrap().names().join(" "), "case control");
        assert!(event("cases").with_event("y", &labels).unwrap_err().to_string().contains("did you mean `case`"));
        let three = Levels::in_order(texts("a b c"));
        assert!(event("c").with_event("y", &three).unwrap_err().to_string().contains("`y` has 3"));
    }

    #[test]
    fn a_layout_takes_the_order() {
        let features = vec![Feature::category("x", Levels::sorted(texts("high low mid"))), Feature::number("n")];
        let layout = Layout::new("y", features, Classes::new(texts("no yes")).unwrap(), Weighting::None).unwrap();
        let declared = Order { event: Some("no".into()), ..order("x", "low mid high") };
        let ordered = declared.applied(&layout).unwrap();
        assert_eq!((ordered.level_name(0, 2).as_deref(), ordered.classes().labels().join(" ").as_str()), (Some("high"), "yes no"));
        assert!(order("n", "1 2").applied(&layout).unwrap_err().to_string().contains("number column"));
        assert!(order("m", "1 2").applied(&layout).unwrap_err().to_string().contains("no column `m`"));
        assert_eq!(order("x", "a b a").check().unwrap_err().to_string(), "levels = x is not accepted: the level `a` is listed twice");
    }
}
