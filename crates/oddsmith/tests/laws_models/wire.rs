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

        // The likelihood by another road: all rows at once, from scores.
        let (by_label, classes) = (log_probabilities(&*model, &labelled), layout.classes());
        let even = (classes.len() as f64).log2();
        let bits = |(i, label): (usize, &u32)| {
            let log_p = by_label[classes.label(*label as usize)][i];
            // 32 bits are the most that one decision of an integer code costs.
            if log_p.is_nan() { even } else { (-log_p * std::f64::consts::LOG2_E).min(64.0) }
        };
        let likelihood: f64 = encoded.labels.iter().enumerate().map(bits).sum();
        let impossible = by_label.values().flatten().filter(|log_p| **log_p < -22.0).count();
        let (stream, bound) = (sent.stream_bits() as f64, 64.0 + labelled.len() as f64 / 1000.0);
        ensure((0.0..=bound).contains(&(stream - sent.ideal_bits)), || format!("{stream} bits for {} of the integers", sent.ideal_bits))?;
        if impossible == 0 {
            ensure((stream - likelihood).abs() <= bound, || format!("{stream} bits for a likelihood of {likelihood}"))?;
            ensure((sent.log_loss_bits - likelihood).abs() <= 1e-6 * (1.0 + likelihood), || {
                format!("{} {likelihood}", sent.log_loss_bits)
            })?;
        }

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
