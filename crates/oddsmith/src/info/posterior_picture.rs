//! The picture of a comparison by evidence: how likely each model was before, and is now.

use super::ModelPosterior;
use crate::picture::{Axis, AxisScale, Column, Mark, Panel, Picture, Role};

/// Bars of the posterior, with a point where each model stood before.
pub fn posterior_picture(posterior: &ModelPosterior) -> Picture {
    let (candidates, now) = (posterior.candidates(), posterior.posterior());
    let total: f64 = candidates.iter().map(|candidate| candidate.prior).sum();
    let before: Vec<f64> = candidates.iter().map(|candidate| candidate.prior / total).collect();
    let place = |at: usize| (candidates.len() - 1 - at) as f64;
    let bars = now.iter().enumerate().map(|(at, p)| (place(at), 0.0, *p)).collect();
    let points = before.iter().enumerate().map(|(at, p)| (*p, place(at))).collect();
    // Bars have no name of their own: blocks without any say what their colour stands for.
    let marks = vec![
        Mark::Blocks { role: Role::Other, name: "after what was seen".into(), blocks: Vec::new() },
        Mark::Bars { role: Role::Other, bars },
        Mark::Points { role: Role::Event, name: "before".into(), points },
    ];
    let cells = |values: &[f64]| values.iter().rev().map(|p| format!("{p:.4}")).collect::<Vec<String>>();
    let y = Axis {
        scale: AxisScale::Categories,
        categories: candidates.iter().rev().map(|candidate| candidate.name.clone()).collect(),
        columns: vec![
            Column { title: "after".into(), cells: cells(now), optional: false },
            Column { title: "before".into(), cells: cells(&before), optional: true },
        ],
        ..Axis::default()
    };
    let most = posterior.most_probable();
    let (name, from, to) = (&candidates[most].name, before[most], now[most]);
    Picture {
        name: "posterior".into(),
        title: "How likely each model is".into(),
        summary: format!("{name} is the most probable of {} models: {to:.4}, and {from:.4} before.", candidates.len()),
        panels: vec![Panel { x: Axis { label: "probability".into(), scale: AxisScale::Proportion, ..Axis::default() }, y, marks }],
    }
}
