//! The settled order of a column's levels: as it was declared, as its dictionary has it, or sorted.

use oddsmith::Result;
use oddsmith::data::{Levels, MISSING, Order};
use oddsmith::error::{DataFault, visible};
use oddsmith::notice::{self, Notice};

use crate::interner::Interner;

/// What is known about the order of a column's levels.
pub(crate) struct Declared<'a> {
    /// The column.
    pub(crate) column: &'a str,
    /// What the caller declared.
    pub(crate) order: &'a Order,
    /// The order of the column's dictionary, where it has one that means something.
    pub(crate) dictionary: Option<Levels>,
}

impl Declared<'_> {
    /// Whether the caller listed the levels.
    pub(crate) fn is_listed(&self) -> bool {
        self.order.of(self.column).is_some()
    }

    /// The levels that occur, in their order.
    pub(crate) fn arrange(&self, names: &[String]) -> Result<Levels, Box<DataFault>> {
        if let Some(levels) = self.order.arranged(self.column, names)? {
            return Ok(levels);
        }
        let Some(known) = &self.dictionary else { return Ok(Levels::sorted(names.to_vec())) };
        if known.names() == names {
            return Ok(known.clone());
        }
        let mut met = Interner::default();
        names.iter().for_each(|name| _ = met.intern(name.as_bytes()));
        let occurring: Vec<String> = known.names().iter().filter(|name| met.get(name.as_bytes()).is_some()).cloned().collect();
        // Values that stand in no dictionary cannot be put among those that do.
        Ok(if occurring.len() == met.len() { Levels::in_order(occurring) } else { Levels::sorted(names.to_vec()) })
    }

    /// The listed levels that are not among those that occur.
    pub(crate) fn unused(&self, levels: &Levels) -> Vec<Notice> {
        let listed = self.order.of(self.column).unwrap_or_default();
        let told = |name: &String| {
            Notice::new(notice::UNUSED_LEVEL, format!("the level `{}` occurs in no row and is left out", visible(name)))
                .column(self.column)
                .level(name)
        };
        listed.iter().filter(|name| levels.code(name).is_none()).map(told).collect()
    }
}

/// The number of each name among the levels.
pub(crate) fn codes(levels: &Levels, names: &[String]) -> Vec<u32> {
    if levels.names() == names {
        return (0..names.len() as u32).collect();
    }
    let mut index = Interner::default();
    levels.names().iter().for_each(|name| _ = index.intern(name.as_bytes()));
    names.iter().map(|name| index.get(name.as_bytes()).unwrap_or(MISSING)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(names: &str) -> Vec<String> {
        names.split(' ').map(String::from).collect()
    }

    #[test]
    fn a_dictionary_orders_what_it_holds_unless_the_caller_says_otherwise() {
        let nothing = Order::default();
        let declared = Declared { column: "x", order: &nothing, dictionary: Some(Levels::in_order(texts("low mid high"))) };
        let arranged = |declared: &Declared<'_>, names| declared.arrange(&texts(names)).unwrap().names().join(" ");
        assert_eq!(arranged(&declared, "high low"), "low high");
        assert_eq!(arranged(&declared, "high other low"), "high low other");
        let listed = Order { levels: [("x".to_owned(), texts("high mid low"))].into(), event: None };
        let declared = Declared { order: &listed, ..declared };
        assert_eq!(arranged(&declared, "low high"), "high low");
        assert_eq!(declared.unused(&declared.arrange(&texts("low high")).unwrap())[0].level.as_deref(), Some("mid"));
        assert!(declared.arrange(&texts("low other")).is_err());
    }

    #[test]
    fn codes_are_places_among_the_levels() {
        assert_eq!(codes(&Levels::in_order(texts("b a")), &texts("a b a")), [1, 0, 1]);
    }
}
