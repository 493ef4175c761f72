//! Tests of the terms as tables.

use crate::card::{Cell, FixedTable, Table};
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
        [self.drop1(), self.anova()].into_iter().filter(|table| !table.rows().is_empty()).collect()
    }

    fn drop1(&self) -> Table {
        let mut table = FixedTable::new("drop1", WITHOUT);
        let full = self.account.aic(self.free_parameters());
        for test in &self.account.tests {
            let [term, df, chi2, p, log_p, deviance] = ratio_cells(test);
            // A penalised likelihood is compared by its ratio alone.
            let aic = (self.account.method == Method::Likelihood).then_some(full + test.statistic - 2.0 * test.freedom);
            let aic = aic.map_or(Cell::Empty, Cell::from);
            let [wald, score] = [test.wald, test.score].map(|statistic| statistic.map_or(Cell::Empty, Cell::from));
            let p_value = |statistic: Option<f64>| statistic.map_or(Cell::Empty, |chi2| finite(chi_squared::sf(chi2, test.freedom)));
            let [wald_p, score_p] = [test.wald, test.score].map(p_value);
            table.push([term, df, chi2, p, log_p, deviance, aic, wald, wald_p, score, score_p]);
        }
        table.into()
    }

    fn anova(&self) -> Table {
        let mut table = FixedTable::new("anova", IN_ORDER);
        let outputs = self.parameters.outputs();
        let mut parameters = if self.parameters.intercept { outputs } else { 0 };
        for test in &self.account.sequence {
            parameters += test.freedom as usize;
            let [term, df, chi2, p, log_p, deviance] = ratio_cells(test);
            table.push([term, df, chi2, p, log_p, deviance, self.account.residual_freedom(parameters, outputs).into()]);
        }
        table.into()
    }
}

/// What all tests have; a term without a degree of freedom has no p-value.
fn ratio_cells(test: &RatioTest) -> [Cell; 6] {
    let [df, chi2, p, log_p, deviance] = [test.freedom, test.statistic, test.p_value(), test.log_p_value(), test.deviance].map(finite);
    [test.label.as_str().into(), df, chi2, p, log_p, deviance]
}
