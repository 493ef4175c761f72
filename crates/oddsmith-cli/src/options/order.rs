//! In which order levels and classes stand.

use clap::Args;
use oddsmith::Error;
use oddsmith::data::Order;

use crate::exit::Failure;

/// Flags about the order of levels and classes.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Columns")]
pub(crate) struct OrderArgs {
    /// The order of the levels of a category or of the target's classes, such as 'dose=low<mid<high' or 'age=["<50", "50+"]'; may be
    /// repeated [default: the order of the table's own categories, or sorted].
    #[arg(long, value_name = "COLUMN=A<B<…")]
    levels: Vec<String>,

    /// The class whose probability and odds are told, where there are two [default: the last].
    #[arg(long, value_name = "LABEL")]
    event: Option<String>,
}

impl OrderArgs {
    /// The declared order.
    pub(crate) fn order(&self) -> Result<Order, Failure> {
        let mut order = Order { event: self.event.clone(), ..Order::default() };
        for given in &self.levels {
            let (column, levels) = listed(given).ok_or_else(|| {
                Error::option(
                    "levels",
                    given,
                    "a column and its levels from first to last, such as dose=low<mid<high or dose=[\"<5\", \"5+\"]",
                )
            })?;
            if order.levels.insert(column.clone(), levels).is_some() {
                return Err(Error::option("levels", given, format!("the levels of `{column}` are given twice")).into());
            }
        }
        order.check()?;
        Ok(order)
    }
}

/// A column and its levels: between `<` signs, or as a list in brackets where a level holds such a sign itself.
fn listed(text: &str) -> Option<(String, Vec<String>)> {
    let (column, list) = text.split_once('=')?;
    let levels: Vec<String> = match list.trim_start().starts_with('[') {
        true => serde_json::from_str(list).ok()?,
        false => list.split('<').map(|level| level.trim().to_owned()).collect(),
    };
    let given = !column.trim().is_empty() && !levels.is_empty() && levels.iter().all(|level| !level.is_empty());
    given.then(|| (column.trim().to_owned(), levels))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_stand_between_signs_or_in_brackets() {
        let levels = |text: &str| listed(text).map(|(column, levels)| format!("{column}: {}", levels.join("|")));
        assert_eq!(levels("dose=low<mid < high").as_deref(), Some("dose: low|mid|high"));
        assert_eq!(levels(r#"age=["<50", "50+"]"#).as_deref(), Some("age: <50|50+"));
        assert_eq!(levels("x=a=b<c").as_deref(), Some("x: a=b|c"));
        for odd in ["dose", "dose=", "=a<b", "dose=a<<b", "dose=[a]", "dose=[]"] {
            assert_eq!(levels(odd), None, "{odd}");
        }
    }
}
