//! Models compared by their evidence: the probability of the data with the parameters integrated out.
//!
//! Evidences compare only where they are of the same data: p(x, y) of models of classes and columns, p(y | x) of models of the classes alone.
//! Within each kind the posterior of a model is its prior times its evidence over their sum; a model without evidence has none.

use crate::card::{Cell, FixedTable, Table};
use crate::error::Result;
use crate::info::{Candidate as Compared, ModelPosterior};
use crate::model::{Evidence, EvidenceOf};

/// A model and its evidence, or why it has none.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelEvidence {
    /// The model.
    pub name: String,
    /// Its evidence.
    pub evidence: std::result::Result<Evidence, String>,
}

/// The models of one kind of evidence with their posterior probabilities.
#[derive(Debug, Clone, PartialEq)]
pub struct EvidenceGroup {
    /// What the evidence is of.
    pub of: EvidenceOf,
    /// Where the models stand in the list that was compared.
    pub members: Vec<usize>,
    /// The comparison, all models equally likely before.
    pub posterior: ModelPosterior,
}

/// Compares within each kind of evidence.
pub fn evidence_groups(models: &[ModelEvidence]) -> Result<Vec<EvidenceGroup>> {
    let mut groups = Vec::new();
    for of in [EvidenceOf::Classes, EvidenceOf::Joint] {
        let members: Vec<(usize, f64)> = models
            .iter()
            .enumerate()
            .filter_map(|(at, model)| model.evidence.as_ref().ok().filter(|evidence| evidence.of == of).map(|evidence| (at, evidence.ln)))
            .collect();
        if members.is_empty() {
            continue;
        }
        let compared = |(at, ln): &(usize, f64)| Compared { name: models[*at].name.clone(), prior: 1.0, log_evidence: *ln };
        let posterior = ModelPosterior::new(members.iter().map(compared).collect())?;
        groups.push(EvidenceGroup { of, members: members.into_iter().map(|(at, _)| at).collect(), posterior });
    }
    Ok(groups)
}

/// One row per model: those of the same kind of evidence together, then those without.
pub fn evidence_table(models: &[ModelEvidence]) -> Result<Table> {
    let columns = ["model", "evidence_of", "method", "log_evidence", "posterior", "bayes_factor", "bits", "decibans", "note"];
    let mut table = FixedTable::new("evidence", columns);
    for group in evidence_groups(models)? {
        let best = group.posterior.most_likely();
        for (place, &at) in group.members.iter().enumerate() {
            let factor = group.posterior.bayes_factor(place, best);
            let method = models[at].evidence.as_ref().map_or("", Evidence::method);
            table.push([
                models[at].name.as_str().into(),
                group.of.name().into(),
                method.into(),
                group.posterior.candidates()[place].log_evidence.into(),
                group.posterior.posterior()[place].into(),
                factor.odds().into(),
                factor.bits().into(),
                factor.decibans().into(),
                Cell::Empty,
            ]);
        }
    }
    for ModelEvidence { name, evidence } in models {
        if let Err(reason) = evidence {
            let mut row = [const { Cell::Empty }; 9];
            (row[0], row[8]) = (name.as_str().into(), reason.as_str().into());
            table.push(row);
        }
    }
    Ok(table.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn evidences_of_different_data_are_not_compared() {
        let of = |name: &str, ln: f64, of| ModelEvidence { name: name.into(), evidence: Ok(Evidence { ln, of, is_laplace: false }) };
        let none = ModelEvidence { name: "d".into(), evidence: Err("none".into()) };
        let models =
            [of("a", -10.0, EvidenceOf::Joint), of("b", -3.0, EvidenceOf::Classes), of("c", -10.0 - 9f64.ln(), EvidenceOf::Joint), none];
        let groups = evidence_groups(&models).unwrap();
        assert_eq!(groups.iter().map(|group| group.members.clone()).collect::<Vec<_>>(), [vec![1], vec![0, 2]]);
        assert_eq!(groups[0].posterior.posterior(), [1.0]);
        assert!((groups[1].posterior.posterior()[0] - 0.9).abs() < 1e-15);
        let table = evidence_table(&models).unwrap();
        assert_eq!(table.rows().len(), 4);
        assert_eq!(table.rows()[3][8], Cell::from("none"));
    }
}
