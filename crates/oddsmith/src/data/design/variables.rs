//! What the variables of a formula are, given the columns of a layout.

use super::basis::{self, Basis};
use super::compile::MISSING_LEVEL;
use super::facts::Facts;
use super::lookup::{Lookup, plural};
use super::{DesignOptions, MissingPolicy};
use crate::data::Kind;
use crate::data::formula::{Category, Contrast, Expr, Fault, Variable};

/// A variable with its columns found.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Resolved {
    /// A number column as it is.
    Number {
        /// Index of the layout.
        feature: usize,
    },
    /// A value computed from number columns.
    Computed {
        /// How.
        expr: Expr,
    },
    /// A category or boolean.
    Category {
        /// Index of the layout.
        feature: usize,
        /// Names of its levels, `(missing)` last where that is one.
        levels: Vec<String>,
        /// Its contrast.
        contrast: Contrast,
        /// Position of its reference level, where one is chosen.
        reference: Option<usize>,
    },
    /// A basis of several columns.
    Basis {
        /// The values it is computed from.
        of: Vec<Expr>,
        /// How.
        basis: Basis,
    },
    /// A text column.
    Text {
        /// Its sparse block.
        plane: usize,
        /// Index of the layout.
        feature: usize,
    },
}

/// Finds the columns of variable number `at`.
pub(super) fn resolve(
    at: usize,
    variable: &Variable,
    lookup: &Lookup<'_>,
    options: &DesignOptions,
    facts: &Facts,
) -> Result<Resolved, Fault> {
    match variable {
        Variable::Column(column) => {
            let feature = lookup.feature(column)?;
            match lookup.kind(feature) {
                Kind::Number => Ok(Resolved::Number { feature }),
                Kind::Category | Kind::Boolean => category(feature, None, lookup, options, facts),
                Kind::Text => Ok(Resolved::Text { plane: lookup.place_in_plane(feature), feature }),
            }
        }
        Variable::Category(chosen) => {
            let feature = lookup.feature(&chosen.column)?;
            match lookup.kind(feature) {
                Kind::Category | Kind::Boolean => category(feature, Some(chosen), lookup, options, facts),
                kind => {
                    let what = format!("C() takes a category, and `{}` holds {}", chosen.column.name, plural(kind));
                    Err(Fault::new(chosen.column.place, what, "read the column as a category"))
                }
            }
        }
        Variable::Number(expr) => Ok(Resolved::Computed { expr: expr.clone() }),
        Variable::Poly(_) | Variable::Spline(_) | Variable::Rbf(_) => {
            let parameters = facts.bases.get(&at).map_or(&[][..], Vec::as_slice);
            let basis = Basis::new(variable, parameters).map_err(|what| basis_fault(variable, &what))?;
            Ok(Resolved::Basis { of: basis::arguments(variable).into_iter().cloned().collect(), basis })
        }
    }
}

fn category(
    feature: usize,
    chosen: Option<&Category>,
    lookup: &Lookup<'_>,
    options: &DesignOptions,
    facts: &Facts,
) -> Result<Resolved, Fault> {
    let name = lookup.name(feature);
    let mut levels = lookup.levels(feature).to_vec();
    let chosen_level = chosen.and_then(|category| category.reference.as_ref());
    let optional_level = options.references.iter().find(|(column, _)| column == name).map(|(_, level)| level);
    let has_reference = chosen_level.is_some() || optional_level.is_some();
    let contrast = match (chosen.and_then(|category| category.contrast), options.contrast) {
        (Some(contrast), _) => contrast,
        // Whoever names a reference level wants the others compared with it.
        (None, Contrast::Poly) if has_reference => Contrast::Treatment,
        (None, contrast) => contrast,
    };
    let reference = match chosen_level {
        Some(level) if contrast == Contrast::Poly => {
            return Err(Fault::new(level.place, "polynomial contrasts have no reference level", "contrast = treatment or sum"));
        }
        Some(level) => {
            let at = levels.iter().position(|known| *known == level.text);
            Some(at.ok_or_else(|| Fault::unknown(level.place, &format!("level of `{name}` called"), &level.text, &levels))?)
        }
        None => optional_level.and_then(|level| levels.iter().position(|known| known == level)),
    };
    if options.missing == MissingPolicy::Indicator && facts.gaps.contains(name) {
        levels.push(MISSING_LEVEL.to_owned());
    }
    Ok(Resolved::Category { feature, levels, contrast, reference })
}

/// The fault that a basis cannot be made.
pub(super) fn basis_fault(variable: &Variable, what: &str) -> Fault {
    let mut place = None;
    variable.visit_columns(&mut |column| place = place.or(Some(column.place)));
    Fault::new(place.unwrap_or_default(), format!("`{variable}` cannot be computed: {what}"), "change its arguments or leave it out")
}
