//! Averages of models: their weights, what they predict, and what cannot be averaged.

use crate::support::{Csv, Frame, close};
use oddsmith::card::Cell;
use oddsmith::control::Control;
use oddsmith::data::Kind;
use oddsmith::model::{Classifier, EvidenceOf, Predictions, Predictor};
use oddsmith::{persist, registry, train};

fn table(name: &str) -> Csv {
    Csv::load(&std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../testdata/golden/data/{name}.csv")))
}

fn fitted(model: &str, frame: &Frame) -> oddsmith::Result<Box<dyn Classifier>> {
    let (entry, params) = registry::parse(model)?;
    Ok(train::fit(&(entry.build)(&params)?, &frame.source(), None, &Control::new())?.model)
}

fn probabilities(model: &dyn Classifier, frame: &Frame) -> Vec<f64> {
    let mut out = Predictions::new();
    Predictor::new(model).predict(&frame.features(), &mut out).unwrap();
    out.probabilities().to_vec()
}

fn weights(model: &dyn Classifier) -> Vec<f64> {
    let number = |cell: &Cell| if let Cell::Number(value) = cell { *value } else { panic!("{cell:?} is no weight") };
    model.card().tidy.column("weight").unwrap().map(number).collect()
}

#[test]
fn averages_weigh_by_evidence_or_by_rows_held_back() {
    let frame = Frame::new(&table("iris"), "Species", &[("Sepal.Length", Kind::Number), ("Sepal.Width", Kind::Number)]);
    let names = ["nb(predictive)", "lda(predictive)", "qda(predictive)"];
    let models: Vec<Box<dyn Classifier>> = names.iter().map(|name| fitted(name, &frame).unwrap()).collect();
    let logs: Vec<f64> = models.iter().map(|model| model.evidence().unwrap().ln).collect();
    assert!(models.iter().all(|model| model.evidence().unwrap().of == EvidenceOf::Joint));
    // Posterior probabilities by hand, and the mixture of the probabilities of models fitted alone.
    let most = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let total: f64 = logs.iter().map(|ln| (ln - most).exp()).sum();
    let average = fitted(&format!("average(models=\"{}\")", names.join(",")), &frame).unwrap();
    let found = weights(&*average);
    for (weight, ln) in found.iter().zip(&logs) {
        close(*weight, (ln - most).exp() / total, 1e-12);
    }
    close(average.evidence().unwrap().ln, most + total.ln() - 3f64.ln(), 1e-9);
    let each: Vec<Vec<f64>> = models.iter().map(|model| probabilities(&**model, &frame)).collect();
    for (at, p) in probabilities(&*average, &frame).into_iter().enumerate() {
        close(p, (0..3).map(|m| found[m] * each[m][at]).sum(), 1e-12);
    }
    // Without evidence of the same data the rows held back decide, and the mixture is that of models of all rows.
    let stacked = fitted("average(models=\"nb,lda,logistic(prior-sd=2)\")", &frame).unwrap();
    let found = weights(&*stacked);
    close(found.iter().sum(), 1.0, 1e-12);
    assert!(stacked.evidence().is_none() && stacked.card().facts.contains(&("weights by".into(), Cell::from("stacking"))));
    let each: Vec<Vec<f64>> =
        ["nb", "lda", "logistic(prior-sd=2)"].iter().map(|name| probabilities(&*fitted(name, &frame).unwrap(), &frame)).collect();
    for (at, p) in probabilities(&*stacked, &frame).into_iter().enumerate() {
        close(p, (0..3).map(|m| found[m] * each[m][at]).sum(), 1e-9);
    }
    // Files hold the models, and say the same.
    let read = persist::load_model(&persist::save_model(&*stacked).unwrap()).unwrap();
    assert_eq!(probabilities(&*read, &frame), probabilities(&*stacked, &frame));
    assert_eq!(read.card(), stacked.card());
}

#[test]
fn what_cannot_be_averaged_is_refused() {
    let frame = Frame::new(&table("iris"), "Species", &[("Sepal.Length", Kind::Number)]);
    let refused = |model: &str| fitted(model, &frame).err().unwrap().to_string();
    assert!(refused("average(models=\"nb,perceptron\")").contains("be averaged"));
    assert!(refused("average(models=\"nb,average\")").contains("other models than averages"));
    assert!(refused("average(models=\"nb,nb\")").contains("every one once"));
    assert!(refused("average(models=\"\")").contains("one model at least"));
    assert!(refused("average(models=\"shrub\")").contains("there is no model `shrub`"));
    let text = refused("average(models=\"nb(predictive),logistic(prior-sd=1)\", weigh-by=evidence)");
    assert!(text.contains("evidence of different data") && text.contains("weigh-by"), "{text}");
    assert!(refused("average(models=\"nb,lda\", weigh-by=evidence)").contains("nb has no evidence"));
    let alone = fitted("average(models=\"lda\")", &frame).unwrap();
    assert_eq!(weights(&*alone), [1.0]);
}
