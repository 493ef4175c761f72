//! Tests of the terms as tables.

use crate::card::{Cell, Table};
use crate::model::Classifier;
use crate::model::linear::describe::card::finite;
use crate::model::linear::infer::account::{Method, RatioTest};
use crate::model::linear::model::LogisticModel;
use crate::num::special::chi_squared;

/// Of a term against the model without it: the deviance and AIC are those of the smaller model.
const WITHOUT: [&str; 11] =
    ["term", "df", "chi2", "p_value", "log_p_value", "deviance", "aic", "wald_chi2", "wald_p", "score_chi2", "score_p"];
/// Of a term added to those before it: deviance and degrees of freedom that are left.
const IN_ORDER: [&str; 7] = ["term", "df", "chi2", "p_value", "log_p_value", "deviance", "df_residual"];

impl LogisticModel {
    /// Tests of terms and the sequence of the formula.
    pub(crate) fn test_tables(&self) -> Vec<Table> {
        [self.drop1(), self.anova()].into_iter().filter(|table| !table.rows.is_empty()).collect()
    }

    fn drop1(&self) -> Table {
        let mut table = Table::new("drop1", &WITHOUT);
        let full = self.account.aic(self.free_parameters());
        for test in &self.account.tests {
            let mut row = ratio_cells(test);
            // A penalised likelihood is compared by its ratio alone.
            let aic = (self.account.method == Method::Likelihood).then_some(full + test.statistic - 2.0 * test.freedom);
            row.push(aic.map_or(Cell::Empty, Cell::from));
            for statistic in [test.wald, test.score] {
                row.push(statistic.map_or(Cell::Empty, Cell::from));
                row.push(statistic.map_or(Cell::Empty, |chi2| finite(chi_squared::sf(chi2, test.freedom))));
            }
            table.push(row);
        }
        table
    }

    fn anova(&self) -> Table {
        let mut table = Table::new("anova", &IN_ORDER);
        let outputs = self.parameters.outputs();
        let mut parameters = if self.parameters.intercept { outputs } else { 0 };
        for test in &self.account.sequence {
            parameters += test.freedom as usize;
            let mut row = ratio_cells(test);
            row.push(self.account.residual_freedom(parameters, outputs).into());
            table.push(row);
        }
        table
    }
}

/// What all tests have; a term without a degree of freedom has no p-value.
fn ratio_cells(test: &RatioTest) -> Vec<Cell> {
    let numbers = [test.freedom, test.statistic, test.p_value(), test.log_p_value(), test.deviance];
    std::iter::once(test.label.as_str().into()).chain(numbers.map(finite)).collect()
}
