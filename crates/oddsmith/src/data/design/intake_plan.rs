//! Plans an intake: which columns are read, where their values go, and which steps compute the values of a formula.

use std::collections::BTreeMap;

use super::MissingPolicy;
use super::compile::MISSING_LEVEL;
use super::facts::Facts;
use super::intake::{CodeColumn, Computed, Intake, NumberColumn, TextColumn};
use super::lookup::{Lookup, plural};
use super::step::Step;
use crate::data::Kind;
use crate::data::formula::{Cut, Expr, Fault, Operator, ReadAs};

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
        if !matches!(expr, Expr::Column(_)) && !expr.is_logical() {
            self.check(register, 1, expr, &expr.to_string())?;
        }
        Ok(register)
    }

    /// Asks for finite values in registers that are computed from the columns of `expr`.
    pub(super) fn check(&mut self, first: usize, width: usize, expr: &Expr, text: &str) -> Result<(), Fault> {
        if let Some(number) = self.first_number(expr)? {
            self.intake.computed.extend((first..first + width).map(|register| Computed { register, text: text.to_owned(), number }));
        }
        Ok(())
    }

    /// The first column that a value reads as a number, as a position among the number columns.
    fn first_number(&mut self, expr: &Expr) -> Result<Option<usize>, Fault> {
        let mut columns = Vec::new();
        expr.visit_reads(ReadAs::Number, &mut |column, read| columns.extend((read == ReadAs::Number).then_some(column)));
        let Some(column) = columns.first() else { return Ok(None) };
        let feature = self.lookup.number(column)?;
        self.number_register(feature);
        Ok(Some(self.numbers[&feature]))
    }

    /// The first of the registers that hold the columns of a value's interval. A row outside of all intervals has none.
    pub(super) fn cut(&mut self, cut: &Cut, table: Vec<f64>, width: usize) -> Result<usize, Fault> {
        let of = self.checked_value(&cut.of)?;
        let first = self.step(width, |out| Step::Cut { of, cut: cut.clone(), table, out });
        if let Some(number) = self.first_number(&cut.of)?.filter(|_| width > 0) {
            self.intake.cuts.push((first, number));
        }
        Ok(first)
    }

    /// The register of a value.
    fn value(&mut self, expr: &Expr) -> Result<usize, Fault> {
        Ok(match expr {
            Expr::Column(column) => {
                let feature = self.lookup.number(column)?;
                self.number_register(feature)
            }
            Expr::Number(value) => self.step(1, |out| Step::Constant { value: *value, out }),
            Expr::Text(text) => return Err(Fault::new(text.place, "a text is no value", "a comparison with a column")),
            Expr::Negative(inner) => {
                let of = self.value(inner)?;
                self.step(1, |out| Step::Negative { of, out })
            }
            Expr::Not(inner) => {
                let of = self.truth(inner)?;
                self.step(1, |out| Step::Not { of, out })
            }
            Expr::Binary(operator, left, right) => {
                if let Some(register) = self.labels_compared(*operator, left, right)? {
                    return Ok(register);
                }
                let mut operand = |expr: &Expr| match operator {
                    Operator::And | Operator::Or => self.truth(expr),
                    // What has no finite value is not simply different from a number.
                    _ if operator.compares() => self.checked_value(expr),
                    _ => self.value(expr),
                };
                let (left, right) = (operand(left)?, operand(right)?);
                self.step(1, |out| Step::Binary { operator: *operator, left, right, out })
            }
            Expr::Call(function, inner) => {
                let of = self.value(inner)?;
                self.step(1, |out| Step::Call { function: *function, of, out })
            }
        })
    }

    /// The register of something that is true or false: a boolean column, or any value.
    fn truth(&mut self, expr: &Expr) -> Result<usize, Fault> {
        match expr {
            Expr::Column(column) if self.lookup.kind(self.lookup.feature(column)?) == Kind::Boolean => {
                let feature = self.lookup.feature(column)?;
                Ok(self.by_level(feature, |level| level == "true"))
            }
            _ => self.checked_value(expr),
        }
    }

    /// The register of a category that is compared with a text, or with a number that its levels spell; `None` for numbers.
    fn labels_compared(&mut self, operator: Operator, left: &Expr, right: &Expr) -> Result<Option<usize>, Fault> {
        let ((Expr::Column(column), other) | (other, Expr::Column(column))) = (left, right) else { return Ok(None) };
        if !operator.compares() {
            return Ok(None);
        }
        let feature = self.lookup.feature(column)?;
        let kind = self.lookup.kind(feature);
        let wanted = operator == Operator::Equal;
        match (kind, other) {
            (Kind::Category | Kind::Boolean, Expr::Text(_) | Expr::Number(_))
                if !matches!(operator, Operator::Equal | Operator::Unequal) =>
            {
                let what = format!("`{}` holds {}, which are not compared by size", column.name, plural(kind));
                Err(Fault::new(column.place, what, "== or !=, or a number column"))
            }
            (Kind::Category | Kind::Boolean, Expr::Text(text)) => Ok(Some(self.by_level(feature, |level| (level == text.text) == wanted))),
            (Kind::Boolean, Expr::Number(number)) => {
                let value = |level: &str| f64::from(u8::from(level == "true"));
                Ok(Some(self.by_level(feature, |level| (value(level) == *number) == wanted)))
            }
            (Kind::Category, Expr::Number(number)) => {
                Ok(Some(self.by_level(feature, |level| level.parse().is_ok_and(|value: f64| value == *number) == wanted)))
            }
            (Kind::Number | Kind::Text, Expr::Text(text)) => {
                let what = format!("`{}` holds {}, and this is a text", column.name, plural(kind));
                Err(Fault::new(text.place, what, "a category, or a number without quotes"))
            }
            _ => Ok(None),
        }
    }

    /// The register that is 1 where the level of a category is chosen.
    fn by_level(&mut self, feature: usize, chosen: impl Fn(&str) -> bool) -> usize {
        let codes = self.code(feature);
        let mut table: Vec<f64> = self.lookup.levels(feature).iter().map(|level| f64::from(u8::from(chosen(level)))).collect();
        // Where a missing value is a level of its own, it is none of those that a text names.
        table.push(f64::from(u8::from(chosen(MISSING_LEVEL))));
        let levels = table.len();
        self.step(1, |out| Step::Table { codes, table, levels, out })
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
