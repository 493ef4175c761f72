//! A probability is a code length: labels that are coded by a model take the bits of its log loss, and come back.

use oddsmith::data::Features;
use oddsmith::model::Scale;
use oddsmith::persist;
use oddsmith::train::{LabelReader, LabelWriter};

use crate::table::Encoded;
use crate::table::ample::ample;
use crate::table::conduct::{Kept, ensure, fit, hold, log_probabilities};

#[test]
fn labels_take_the_bits_of_the_log_loss_and_come_back() {
    hold(4, ample(), 0.7, |variant, table| {
        let model = match fit(variant, table)? {
            Ok(model) => model,
            Err(reason) => return Ok(Kept::NoModel(reason)),
        };
        if model.scale() == Scale::Margin {
            return Ok(Kept::Model);
        }
        let labelled: Vec<_> = table.rows.iter().filter(|row| row.class.is_some()).cloned().collect();
        let layout = std::sync::Arc::new(model.layout().clone());
        let encoded = Encoded::new(&labelled, &layout, false);
        let words = encoded.words();
        let features: Features<'_> = encoded.features(&words);
        let bytes = persist::save_model(&*model).map_err(|error| error.to_string())?;

        let mut writer = LabelWriter::new(&*model);
        writer.push(&features, &encoded.labels, 0).map_err(|error| error.to_string())?;
        let sent = writer.finish(&bytes);

        // The likelihood by another road: all rows at once, from scores. From it the whole numbers that code, by their definition.
        let (by_label, classes) = (log_probabilities(&*model, &labelled), layout.classes());
        let (mut likelihood, mut integers) = (0.0, 0.0);
        for (i, &label) in encoded.labels.iter().enumerate() {
            let log_p: Vec<f64> = classes.labels().iter().map(|label| by_label[label][i]).collect();
            // A row without a prediction has equal probabilities.
            let silent = log_p.iter().any(|log_p| log_p.is_nan());
            likelihood += if silent { (classes.len() as f64).log2() } else { -log_p[label as usize] * std::f64::consts::LOG2_E };
            let p: Vec<f64> = log_p.iter().map(|log_p| if silent { 1.0 } else { log_p.exp() }).collect();
            integers += integer_bits(&p, label as usize);
        }
        let (stream, bound) = (sent.stream_bits() as f64, 64.0 + labelled.len() as f64 / 1000.0);
        ensure((0.0..=bound).contains(&(stream - sent.ideal_bits)), || format!("{stream} bits for {} of the integers", sent.ideal_bits))?;
        // Rows one by one and all at once round otherwise, which may move a small whole number by one.
        ensure((sent.ideal_bits - integers).abs() <= 1.0 + 1e-6 * integers, || format!("{} {integers}", sent.ideal_bits))?;
        ensure((-1.0..=bound).contains(&(stream - integers)), || format!("{stream} bits for {integers} of the integers"))?;
        // What whole numbers lose, or save where a label is all but impossible, is told apart.
        let loss = sent.log_loss_bits;
        ensure(loss == likelihood || (loss - likelihood).abs() <= 1e-6 * (1.0 + likelihood), || format!("{loss} {likelihood}"))?;
        ensure(sent.rounding_bits() == sent.ideal_bits - loss, || format!("{} bits by rounding", sent.rounding_bits()))?;

        // The other end reads the rows in other batches, and the file from its bytes.
        let file = persist::LabelFile::from_bytes(&sent.file.to_bytes()).map_err(|error| error.to_string())?;
        file.check_model(&bytes, classes.len()).map_err(|error| error.to_string())?;
        let loaded = persist::load_model(&bytes).map_err(|error| error.to_string())?;
        let mut reader = LabelReader::new(&*loaded, &file);
        let mut cut = Vec::new();
        for lo in (0..labelled.len()).step_by(37) {
            reader.push(&features.slice(lo, (lo + 37).min(labelled.len()), &mut cut)).map_err(|error| error.to_string())?;
        }
        let read = reader.finish().map_err(|error| error.to_string())?;
        ensure(read == encoded.labels, || "other labels came back".into())?;
        Ok(Kept::Model)
    });
}

/// Bits of a class by its definition: one decision after the other, each a whole number of 2⁻³² from 1 to 2³² − 1.
fn integer_bits(p: &[f64], class: usize) -> f64 {
    let one = 4_294_967_296.0;
    let decision = |k: usize| {
        let rest: f64 = p[k..].iter().rev().sum();
        let share: f64 = if rest > 0.0 { p[k] / rest } else { 0.5 };
        (one * share).round().clamp(1.0, one - 1.0) / one
    };
    let before: f64 = (0..class).map(|k| -(-decision(k)).ln_1p() * std::f64::consts::LOG2_E).sum();
    before + if class + 1 < p.len() { -decision(class).log2() } else { 0.0 }
}
