//! Compiles a formula against a layout: resolves names, chooses codings, names columns, and plans how cells are written.

use std::collections::{BTreeMap, BTreeSet};

use super::coding::full_codings;
use super::column::{DesignColumn, DesignTerm};
use super::contrast::{self, Coding, CodingCells};
use super::facts::Facts;
use super::intake::NumberColumn;
use super::intake_plan::IntakePlan;
use super::lookup::Lookup;
use super::marked::Marking;
use super::offset::OffsetPart;
use super::product::{Dense, Indicators, Product};
use super::step::Step;
use super::variables::{Resolved, resolve};
use super::writer::Writer;
use super::{Design, DesignOptions, MissingPolicy};
use crate::data::Layout;
use crate::data::formula::{Contrast, Expr, Fault, Formula, Place, Variable};
use crate::error::{Error, Result};

/// The most dense columns of a design.
const MOST_COLUMNS: usize = 1 << 20;

/// What a missing category is called as a level.
pub(crate) const MISSING_LEVEL: &str = "(missing)";

/// Compiles an expanded formula.
pub(super) fn compile(formula: Formula, layout: &Layout, options: &DesignOptions, facts: Facts) -> Result<Design> {
    check_references(layout, options)?;
    let lookup = Lookup::new(layout);
    let in_text = |fault: Fault| formula.error(fault);
    let variables: Vec<Resolved> = formula
        .variables()
        .iter()
        .enumerate()
        .map(|(at, v)| resolve(at, v, &lookup, options, &facts))
        .collect::<Result<_, _>>()
        .map_err(in_text)?;
    let mut compiler = Compiler {
        formula: &formula,
        lookup: &lookup,
        variables: &variables,
        plan: IntakePlan::new(&lookup, options.missing == MissingPolicy::Error),
        registers: BTreeMap::new(),
        columns: Vec::new(),
        names: BTreeSet::new(),
        terms: Vec::new(),
        products: Vec::new(),
        words: Vec::new(),
        offsets: Vec::new(),
    };
    compiler.add_terms().map_err(in_text)?;
    let classes = layout.classes().len();
    for parts in formula.offsets() {
        if parts.len() != 1 && parts.len() != classes {
            let accepted = format!("offset() of one part, or of one part for each of the {classes} classes");
            return Err(Error::option("formula", formula.text(), accepted));
        }
        let parts = parts.iter().map(|part| compiler.offset_part(part)).collect::<Result<_, _>>();
        compiler.offsets.push(parts.map_err(in_text)?);
    }
    for feature in compiler.plan.fill_gaps(options.missing, &facts) {
        compiler.add_missing_indicator(feature);
    }
    let Compiler { plan, columns, terms, products, words, offsets, .. } = compiler;
    let intake = plan.finish();
    let is_plain = products.is_empty() && offsets.is_empty() && intake.codes.is_empty();
    let is_copy = |n: &NumberColumn| n.stand_in.is_none() && n.register.is_none() && n.copy.is_some();
    let plain = (is_plain && intake.numbers.iter().all(is_copy)).then(|| intake.numbers.iter().map(|n| n.plane).collect());
    let widths: Vec<usize> = products.iter().map(|product| terms[columns[product.column].term].columns.len()).collect();
    let writer = Writer::new(intake, products, columns.len());
    let marking = Marking::new(&writer, &widths, columns.len());
    let intercept = formula.intercept();
    // References of columns that the formula does not use say nothing about this design.
    let used = formula.columns();
    let references = options.references.iter().filter(|(column, _)| used.contains(column)).cloned().collect();
    let options = DesignOptions { references, ..*options };
    let outputs = classes.saturating_sub(1).max(1);
    Ok(Design { formula, options, facts, intercept, columns, terms, words, writer, marking, offsets, outputs, plain })
}

/// Reference levels given as options must name a category of the layout and one of its levels.
fn check_references(layout: &Layout, options: &DesignOptions) -> Result<()> {
    for (column, level) in &options.references {
        let feature = layout.index(column)?;
        match &layout.features()[feature].space {
            crate::data::Space::Levels { levels, .. } => {
                if levels.code(level).is_none() {
                    return Err(crate::ErrorKind::Unknown { noun: "level", name: level.clone(), known: levels.names().to_vec() }.into());
                }
            }
            _ => {
                return Err(Error::option(
                    "the reference of a column",
                    format!("{column}={level}"),
                    "reference levels belong to categories",
                ));
            }
        }
    }
    Ok(())
}

struct Compiler<'a> {
    formula: &'a Formula,
    lookup: &'a Lookup<'a>,
    variables: &'a [Resolved],
    plan: IntakePlan<'a>,
    /// First registers by variable, and by whether all its levels have columns.
    registers: BTreeMap<(usize, bool), usize>,
    columns: Vec<DesignColumn>,
    names: BTreeSet<String>,
    terms: Vec<DesignTerm>,
    products: Vec<Product>,
    words: Vec<usize>,
    offsets: Vec<Vec<OffsetPart>>,
}

/// The columns of one variable in one term.
struct TermPart {
    label: String,
    /// Behind the label, per column; a single empty one for a number.
    suffixes: Vec<String>,
    source: PartSource,
}

enum PartSource {
    Indicators { codes: usize, columns: Vec<Option<usize>> },
    Registers { first: usize },
}

impl Compiler<'_> {
    fn add_terms(&mut self) -> Result<(), Fault> {
        let is_text = |v: usize| matches!(self.variables[v], Resolved::Text { .. });
        let (texts, dense): (Vec<&Vec<usize>>, Vec<&Vec<usize>>) =
            self.formula.terms().iter().partition(|term| term.iter().any(|&v| is_text(v)));
        for term in texts {
            self.add_text(term)?;
        }
        let dense: Vec<Vec<usize>> = dense.into_iter().cloned().collect();
        let is_category: Vec<bool> = self.variables.iter().map(|v| matches!(v, Resolved::Category { .. } | Resolved::Cut { .. })).collect();
        let codings = full_codings(&dense, &is_category, self.formula.intercept());
        for (term, full) in dense.iter().zip(&codings) {
            self.add_term(term, full)?;
        }
        Ok(())
    }

    /// Sparse blocks follow the dense columns, so a text column is a term of its own or none.
    fn add_text(&mut self, term: &[usize]) -> Result<(), Fault> {
        for &variable in term {
            let (Resolved::Text { plane, feature }, Variable::Column(column)) =
                (&self.variables[variable], &self.formula.variables()[variable])
            else {
                continue;
            };
            if term.len() > 1 {
                let what = format!("the text column `{}` cannot be part of an interaction", column.name);
                return Err(Fault::new(column.place, what, "text columns are added with `+`"));
            }
            self.words.push(*plane);
            self.plan.text(*feature);
        }
        Ok(())
    }

    fn add_term(&mut self, term: &[usize], full: &[bool]) -> Result<(), Fault> {
        let first = self.columns.len();
        if let ([variable], Resolved::Number { feature }) = (term, &self.variables[term[0]]) {
            self.plan.number(*feature).copy = Some(first);
            let name = self.lookup.name(*feature).to_owned();
            self.push_column(name.clone(), vec![(name.clone(), None)]);
            return self.push_term(name, first, vec![*variable], Vec::new());
        }
        let mut parts = Vec::with_capacity(term.len());
        let mut reference = Vec::new();
        for (&variable, &full) in term.iter().zip(full) {
            let (part, left_out) = self.part(variable, full)?;
            if term.len() == 1 {
                reference.extend(left_out.map(|level| (part.label.clone(), level)));
            }
            parts.push(part);
        }
        let width = parts.iter().try_fold(1usize, |width, part| width.checked_mul(part.suffixes.len()));
        let width = width.filter(|width| first + width <= MOST_COLUMNS).ok_or_else(|| self.too_wide(term))?;
        self.name_columns(&parts, width);
        if width > 0 {
            self.products.push(product(first, &parts));
        }
        let label = parts.iter().map(|part| part.label.as_str()).collect::<Vec<_>>().join(":");
        self.push_term(label, first, term.to_vec(), reference)
    }

    fn too_wide(&self, term: &[usize]) -> Fault {
        let mut place = Place::default();
        self.formula.variables()[term[0]].visit_columns(&mut |column| place = column.place);
        Fault::new(place, "with this term the design has too many columns", format!("up to {MOST_COLUMNS}"))
    }

    /// One column per combination, the first variable varying fastest.
    fn name_columns(&mut self, parts: &[TermPart], width: usize) {
        for combination in 0..width {
            let mut rest = combination;
            let mut labels = Vec::with_capacity(parts.len());
            for part in parts {
                let suffix = &part.suffixes[rest % part.suffixes.len()];
                rest /= part.suffixes.len();
                labels.push((part.label.clone(), (!suffix.is_empty()).then(|| suffix.clone())));
            }
            let names: Vec<String> = labels.iter().map(|(label, suffix)| format!("{label}{}", suffix.as_deref().unwrap_or(""))).collect();
            self.push_column(names.join(":"), labels);
        }
    }

    fn push_column(&mut self, name: String, labels: Vec<(String, Option<String>)>) {
        let mut unique = name.clone();
        let mut copy = 0;
        while !self.names.insert(unique.clone()) {
            copy += 1;
            unique = format!("{name}.{copy}");
        }
        self.columns.push(DesignColumn { name: unique, term: self.terms.len(), labels });
    }

    fn push_term(&mut self, label: String, first: usize, variables: Vec<usize>, reference: Vec<(String, String)>) -> Result<(), Fault> {
        let mut features = BTreeSet::new();
        for &variable in &variables {
            self.formula.variables()[variable].visit_columns(&mut |column| {
                features.extend(self.lookup.feature(column).ok());
            });
        }
        let columns = first..self.columns.len();
        self.terms.push(DesignTerm { label, columns, features: features.into_iter().collect(), reference, variables });
        Ok(())
    }

    fn offset_part(&mut self, value: &Expr) -> Result<OffsetPart, Fault> {
        let mut features = BTreeSet::new();
        value.visit_columns(&mut |column| features.extend(self.lookup.feature(column).ok()));
        Ok(OffsetPart { register: self.plan.checked_value(value)?, features: features.into_iter().collect() })
    }

    /// The columns of a variable in a term, and the level that has none.
    fn part(&mut self, variable: usize, full: bool) -> Result<(TermPart, Option<String>), Fault> {
        let written = &self.formula.variables()[variable];
        match &self.variables[variable] {
            Resolved::Number { feature } => {
                let first = self.plan.number_register(*feature);
                let label = self.lookup.name(*feature).to_owned();
                Ok((TermPart { label, suffixes: vec![String::new()], source: PartSource::Registers { first } }, None))
            }
            Resolved::Computed { expr } => {
                let first = self.variable_register((variable, false), |plan| plan.checked_value(expr))?;
                Ok((TermPart { label: written.to_string(), suffixes: vec![String::new()], source: PartSource::Registers { first } }, None))
            }
            Resolved::Category { feature, levels, places, contrast, reference } => {
                let coding = coded(*contrast, levels, *reference, full);
                self.category_part(variable, *feature, levels.len(), coding.at_places(places))
            }
            Resolved::Cut { cut, contrast, reference } => {
                let names = cut.names();
                let coding = coded(*contrast, &names, *reference, full);
                let (width, table) = (coding.suffixes.len(), coding.table(names.len()));
                let first = self.variable_register((variable, full), |plan| plan.cut(cut, table, width))?;
                let part = TermPart { label: written.to_string(), suffixes: coding.suffixes, source: PartSource::Registers { first } };
                Ok((part, coding.reference))
            }
            Resolved::Basis { of, basis } => {
                let width = basis.width();
                let first = self.variable_register((variable, false), |plan| {
                    let registers = of.iter().map(|of| plan.checked_value(of)).collect::<Result<Vec<_>, _>>()?;
                    let first = plan.step(width, |out| Step::Basis { of: registers, basis: basis.clone(), out });
                    plan.check(first, width, &of[0], &written.to_string())?;
                    Ok(first)
                })?;
                let suffixes = if width == 1 { vec![String::new()] } else { (1..=width).map(|at| at.to_string()).collect() };
                Ok((TermPart { label: written.to_string(), suffixes, source: PartSource::Registers { first } }, None))
            }
            Resolved::Text { .. } => Err(Fault::new(Place::default(), "a text column has no dense columns", "`+`")),
        }
    }

    fn category_part(
        &mut self,
        variable: usize,
        feature: usize,
        levels: usize,
        coding: Coding,
    ) -> Result<(TermPart, Option<String>), Fault> {
        let codes = self.plan.code(feature);
        let label = self.lookup.name(feature).to_owned();
        let width = coding.suffixes.len();
        let source = match coding.cells {
            CodingCells::Indicators(columns) => PartSource::Indicators { codes, columns },
            CodingCells::Table(_) if width == 0 => PartSource::Registers { first: 0 },
            CodingCells::Table(table) => {
                let step = |plan: &mut IntakePlan<'_>| Ok(plan.step(width, |out| Step::Table { codes, table, levels, out }));
                PartSource::Registers { first: self.variable_register((variable, false), step)? }
            }
        };
        Ok((TermPart { label, suffixes: coding.suffixes, source }, coding.reference))
    }

    /// The first register of a variable, which may be part of several terms.
    fn variable_register(
        &mut self,
        variable: (usize, bool),
        compute: impl FnOnce(&mut IntakePlan<'_>) -> Result<usize, Fault>,
    ) -> Result<usize, Fault> {
        if let Some(register) = self.registers.get(&variable) {
            return Ok(*register);
        }
        let register = compute(&mut self.plan)?;
        self.registers.insert(variable, register);
        Ok(register)
    }

    /// The column `missing(x)`.
    fn add_missing_indicator(&mut self, feature: usize) {
        let first = self.columns.len();
        let number = self.plan.number(feature);
        number.indicator = Some(first);
        let name = format!("missing({})", number.name);
        self.push_column(name.clone(), vec![(name.clone(), None)]);
        let columns = first..first + 1;
        self.terms.push(DesignTerm { label: name, columns, features: vec![feature], reference: Vec::new(), variables: Vec::new() });
    }
}

/// The columns of a category: of all its levels, or of a contrast.
fn coded(contrast: Contrast, levels: &[String], reference: Option<usize>, full: bool) -> Coding {
    match full {
        true => contrast::all_levels(levels, reference.filter(|_| contrast == Contrast::Treatment)),
        false => contrast::coding(contrast, levels, reference),
    }
}

fn product(column: usize, parts: &[TermPart]) -> Product {
    let mut stride = 1;
    let mut product = Product { column, indicators: Vec::new(), dense: Vec::new() };
    for part in parts {
        match &part.source {
            PartSource::Indicators { codes, columns } => product.indicators.push(Indicators::new(*codes, columns, stride)),
            PartSource::Registers { first } => product.dense.push(Dense { register: *first, width: part.suffixes.len(), stride }),
        }
        stride *= part.suffixes.len();
    }
    product
}
