//! What the variables of a formula are, given the columns of a layout.

use super::basis::{self, Basis};
use super::compile::MISSING_LEVEL;
use super::facts::Facts;
use super::lookup::{Lookup, plural};
use super::{DesignOptions, MissingPolicy};
use crate::data::Kind;
use crate::data::formula::{Category, Contrast, Cut, Expr, Fault, Variable, Word};

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
        /// Names of its levels in their order, `(missing)` last where that is one.
        levels: Vec<String>,
        /// For each code of the layout the place of its level among them.
        places: Vec<usize>,
        /// Its contrast.
        contrast: Contrast,
        /// Position of its reference level, where one is chosen.
        reference: Option<usize>,
    },
    /// The interval of a value.
    Cut {
        /// The value and its intervals.
        cut: Cut,
        /// Its contrast.
        contrast: Contrast,
        /// Position of its reference interval, where one is chosen.
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
        Variable::Cut(cut) => {
            let contrast = settled_contrast(cut.contrast, options.contrast, cut.reference.is_some());
            let reference =
                cut.reference.as_ref().map(|level| place_of(level, &cut.names(), contrast, &variable.to_string())).transpose()?;
            Ok(Resolved::Cut { cut: cut.clone(), contrast, reference })
        }
        Variable::MdlBins(bins) => {
            let cuts = facts.bases.get(&at).map_or(&[][..], Vec::as_slice);
            if cuts.is_empty() || !cuts.windows(2).all(|pair| pair[0] < pair[1]) {
                return Err(basis_fault(variable, "its cuts are not known"));
            }
            let contrast = settled_contrast(bins.contrast, options.contrast, false);
            Ok(Resolved::Cut { cut: bins.cut(cuts), contrast, reference: None })
        }
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
    let (mut levels, mut places) = arranged(lookup.levels(feature), chosen, name)?;
    let chosen_level = chosen.and_then(|category| category.reference.as_ref());
    let optional_level = options.references.iter().find(|(column, _)| column == name).map(|(_, level)| level);
    let has_reference = chosen_level.is_some() || optional_level.is_some();
    let contrast = settled_contrast(chosen.and_then(|category| category.contrast), options.contrast, has_reference);
    let reference = match chosen_level {
        Some(level) => Some(place_of(level, &levels, contrast, name)?),
        None => optional_level.and_then(|level| levels.iter().position(|known| known == level)),
    };
    if options.missing == MissingPolicy::Indicator && facts.gaps.contains(name) {
        places.push(levels.len());
        levels.push(MISSING_LEVEL.to_owned());
    }
    Ok(Resolved::Category { feature, levels, places, contrast, reference })
}

/// The contrast of a category, chosen or by default.
fn settled_contrast(chosen: Option<Contrast>, default: Contrast, has_reference: bool) -> Contrast {
    match (chosen, default) {
        (Some(contrast), _) => contrast,
        // Whoever names a reference level wants the others compared with it.
        (None, Contrast::Poly) if has_reference => Contrast::Treatment,
        (None, contrast) => contrast,
    }
}

/// The place of a chosen reference level.
fn place_of(level: &Word, levels: &[String], contrast: Contrast, name: &str) -> Result<usize, Fault> {
    if contrast == Contrast::Poly {
        return Err(Fault::new(level.place, "polynomial contrasts have no reference level", "contrast = treatment or sum"));
    }
    let at = levels.iter().position(|known| *known == level.text);
    at.ok_or_else(|| Fault::unknown(level.place, &format!("level of `{name}` called"), &level.text, levels))
}

/// The levels of a column in the order that the formula gives them, and the place of each. Listed levels that the table does not have
/// are left out; every level that it has must be listed.
fn arranged(known: &[String], chosen: Option<&Category>, name: &str) -> Result<(Vec<String>, Vec<usize>), Fault> {
    let Some((category, listed)) = chosen.and_then(|category| Some((category, category.levels.as_ref()?))) else {
        return Ok((known.to_vec(), (0..known.len()).collect()));
    };
    let levels: Vec<String> = listed.iter().filter(|level| known.contains(level)).cloned().collect();
    let place = |level: &String| {
        let what = || format!("`levels` does not list `{}`, a level of `{name}`", crate::error::visible(level));
        let fault = || Fault::new(category.column.place, what(), format!("every level: {}", known.join(", ")));
        levels.iter().position(|listed| listed == level).ok_or_else(fault)
    };
    let places = known.iter().map(place).collect::<Result<_, _>>()?;
    Ok((levels, places))
}

/// The fault that a basis cannot be made.
pub(super) fn basis_fault(variable: &Variable, what: &str) -> Fault {
    let mut place = None;
    variable.visit_columns(&mut |column| place = place.or(Some(column.place)));
    Fault::new(place.unwrap_or_default(), format!("`{variable}` cannot be computed: {what}"), "change its arguments or leave it out")
}
