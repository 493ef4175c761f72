//! What the variables of a formula are, given the columns of a layout.

use super::basis::{self, Basis};
use super::compile::MISSING_LEVEL;
use super::facts::Facts;
use super::{DesignOptions, MissingPolicy};
use crate::data::formula::{Category, ColumnName, Contrast, Expr, Fault, Variable};
use crate::data::{Kind, Layout, Plane, Space};

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
pub(super) fn resolve(at: usize, variable: &Variable, layout: &Layout, options: &DesignOptions, facts: &Facts) -> Result<Resolved, Fault> {
    match variable {
        Variable::Column(column) => {
            let feature = feature(column, layout)?;
            match (&layout.features()[feature].space, layout.plane(feature)) {
                (Space::Number, _) => Ok(Resolved::Number { feature }),
                (Space::Levels { .. }, _) => category(feature, None, layout, options, facts),
                (Space::Words { .. }, Plane::Words(plane) | Plane::Numbers(plane) | Plane::Codes(plane)) => {
                    Ok(Resolved::Text { plane, feature })
                }
            }
        }
        Variable::Category(chosen) => {
            let feature = feature(&chosen.column, layout)?;
            match layout.features()[feature].kind() {
                Kind::Category | Kind::Boolean => category(feature, Some(chosen), layout, options, facts),
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

fn category(feature: usize, chosen: Option<&Category>, layout: &Layout, options: &DesignOptions, facts: &Facts) -> Result<Resolved, Fault> {
    let name = &layout.features()[feature].name;
    let mut levels = match &layout.features()[feature].space {
        Space::Levels { levels, .. } => levels.names().to_vec(),
        Space::Number | Space::Words { .. } => Vec::new(),
    };
    let contrast = chosen.and_then(|category| category.contrast).unwrap_or(options.contrast);
    let named = match chosen.and_then(|category| category.reference.as_ref()) {
        Some(level) => {
            let at = levels.iter().position(|known| *known == level.text);
            let at = at.ok_or_else(|| Fault::unknown(level.place, &format!("level of `{name}` called"), &level.text, &levels))?;
            if contrast == Contrast::Poly {
                return Err(Fault::new(level.place, "polynomial contrasts have no reference level", "contrast = treatment or sum"));
            }
            Some(at)
        }
        None => options.references.iter().find(|(column, _)| column == name).and_then(|(_, level)| levels.iter().position(|l| l == level)),
    };
    if options.missing == MissingPolicy::Indicator && facts.gaps.contains(&feature) {
        levels.push(MISSING_LEVEL.to_owned());
    }
    Ok(Resolved::Category { feature, levels, contrast, reference: named })
}

/// The fault that a basis cannot be made.
pub(super) fn basis_fault(variable: &Variable, what: &str) -> Fault {
    let mut place = None;
    variable.visit_columns(&mut |column| place = place.or(Some(column.place)));
    Fault::new(place.unwrap_or_default(), format!("`{variable}` cannot be computed: {what}"), "change its arguments or leave it out")
}

/// The index of a column.
pub(super) fn feature(column: &ColumnName, layout: &Layout) -> Result<usize, Fault> {
    layout.index(&column.name).map_err(|_| Fault::unknown(column.place, "column", &column.name, &layout.names()))
}

/// The index of a column that must hold numbers.
pub(super) fn number_feature(column: &ColumnName, layout: &Layout) -> Result<usize, Fault> {
    let feature = feature(column, layout)?;
    match layout.features()[feature].kind() {
        Kind::Number => Ok(feature),
        kind => {
            let what = format!("arithmetic takes numbers, and `{}` holds {}", column.name, plural(kind));
            Err(Fault::new(column.place, what, "a number column"))
        }
    }
}

fn plural(kind: Kind) -> &'static str {
    match kind {
        Kind::Number => "numbers",
        Kind::Category => "categories",
        Kind::Boolean => "booleans",
        Kind::Text => "texts",
    }
}
