//! Plans an intake: which columns are read, where their values go, and which steps compute the values of a formula.

use std::collections::BTreeMap;

use super::MissingPolicy;
use super::facts::Facts;
use super::intake::{CodeColumn, Computed, Intake, NumberColumn, TextColumn};
use super::lookup::Lookup;
use super::step::Step;
use crate::data::formula::{Expr, Fault};

/// An intake that grows.
pub(super) struct IntakePlan<'a> {
    lookup: &'a Lookup<'a>,
    intake: Intake,
    /// Positions in the intake by feature.
    numbers: BTreeMap<usize, usize>,
    codes: BTreeMap<usize, usize>,
}

impl<'a> IntakePlan<'a> {
    /// Nothing to read yet.
    pub(super) fn new(lookup: &'a Lookup<'a>, refuse_missing: bool) -> Self {
        IntakePlan { lookup, intake: Intake::new(refuse_missing), numbers: BTreeMap::new(), codes: BTreeMap::new() }
    }

    /// The finished intake.
    pub(super) fn finish(mut self) -> Intake {
        self.intake.plan_copies();
        self.intake
    }

    fn name(&self, feature: usize) -> String {
        self.lookup.name(feature).to_owned()
    }

    /// The number column of a feature.
    pub(super) fn number(&mut self, feature: usize) -> &mut NumberColumn {
        let at = match self.numbers.get(&feature) {
            Some(at) => *at,
            None => {
                let (plane, name) = (self.lookup.place_in_plane(feature), self.name(feature));
                let unused = NumberColumn { plane, feature, name, stand_in: None, register: None, copy: None, indicator: None };
                self.intake.numbers.push(unused);
                self.numbers.insert(feature, self.intake.numbers.len() - 1);
                self.intake.numbers.len() - 1
            }
        };
        &mut self.intake.numbers[at]
    }

    /// The register that holds a number feature.
    pub(super) fn number_register(&mut self, feature: usize) -> usize {
        if let Some(register) = self.number(feature).register {
            return register;
        }
        let register = self.new_registers(1);
        self.number(feature).register = Some(register);
        register
    }

    /// The code column of a category feature.
    pub(super) fn code(&mut self, feature: usize) -> usize {
        if let Some(at) = self.codes.get(&feature) {
            return *at;
        }
        let plane = self.lookup.place_in_plane(feature);
        let levels = self.lookup.levels(feature).len() as u32;
        self.intake.codes.push(CodeColumn { plane, feature, name: self.name(feature), levels, missing_level: false });
        self.codes.insert(feature, self.intake.codes.len() - 1);
        self.intake.codes.len() - 1
    }

    /// A text column whose gaps count.
    pub(super) fn text(&mut self, feature: usize) {
        let column = TextColumn { plane: self.lookup.place_in_plane(feature), feature, name: self.name(feature) };
        self.intake.texts.push(column);
    }

    /// The first of some new registers.
    pub(super) fn new_registers(&mut self, count: usize) -> usize {
        self.intake.registers += count;
        self.intake.registers - count
    }

    /// Adds a step that writes `width` new registers, and gives the first of them.
    pub(super) fn step(&mut self, width: usize, step: impl FnOnce(usize) -> Step) -> usize {
        let out = self.new_registers(width);
        self.intake.steps.push(step(out));
        out
    }

    /// The register of a value that must turn out finite.
    pub(super) fn checked_value(&mut self, expr: &Expr) -> Result<usize, Fault> {
        let register = self.value(expr)?;
        if !matches!(expr, Expr::Column(_)) {
            self.check(register, 1, expr, &expr.to_string())?;
        }
        Ok(register)
    }

    /// Asks for finite values in registers that are computed from the columns of `expr`.
    pub(super) fn check(&mut self, first: usize, width: usize, expr: &Expr, text: &str) -> Result<(), Fault> {
        let mut columns = Vec::new();
        expr.visit_columns(&mut |column| columns.push(column));
        if let Some(column) = columns.first() {
            let feature = self.lookup.number(column)?;
            self.number_register(feature);
            let number = self.numbers[&feature];
            self.intake.computed.extend((first..first + width).map(|register| Computed { register, text: text.to_owned(), number }));
        }
        Ok(())
    }

    /// The register of a value.
    fn value(&mut self, expr: &Expr) -> Result<usize, Fault> {
        Ok(match expr {
            Expr::Column(column) => {
                let feature = self.lookup.number(column)?;
                self.number_register(feature)
            }
            Expr::Number(value) => self.step(1, |out| Step::Constant { value: *value, out }),
            Expr::Negative(inner) => {
                let of = self.value(inner)?;
                self.step(1, |out| Step::Negative { of, out })
            }
            Expr::Binary(operator, left, right) => {
                let (left, right) = (self.value(left)?, self.value(right)?);
                self.step(1, |out| Step::Binary { operator: *operator, left, right, out })
            }
            Expr::Call(function, inner) => {
                let of = self.value(inner)?;
                self.step(1, |out| Step::Call { function: *function, of, out })
            }
        })
    }

    /// Fills gaps as the policy asks, with what is known of the data: gives the number features that want a column
    /// `missing(x)`.
    pub(super) fn fill_gaps(&mut self, policy: MissingPolicy, facts: &Facts) -> Vec<usize> {
        let had_gaps = |name: &String| policy == MissingPolicy::Indicator && facts.gaps.contains(name);
        let mut indicated = Vec::new();
        for number in &mut self.intake.numbers {
            if policy == MissingPolicy::Mean || had_gaps(&number.name) {
                number.stand_in = facts.means.get(&number.name).copied();
            }
            if had_gaps(&number.name) && number.stand_in.is_some() {
                indicated.push(number.feature);
            }
        }
        for code in &mut self.intake.codes {
            code.missing_level = had_gaps(&code.name);
        }
        indicated
    }
}
