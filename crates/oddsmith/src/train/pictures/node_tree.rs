//! The picture of a tree, from the table that lists its nodes.

use crate::card::{Cell, Table};
use crate::error::visible;
use crate::picture::{Mark, Panel, Picture, TreeNode};

/// Most nodes that are drawn; a deeper tree is drawn as far down as they go.
const MOST: usize = 31;

/// The tree of a table with columns `node`, `parent`, `condition`, `weight` and `p_` of every class; `None` for another table.
pub fn tree_picture(title: &str, nodes: &Table) -> Option<Picture> {
    let place = |name: &str| nodes.position(name);
    let (node, parent, condition, depth) = (place("node")?, place("parent")?, place("condition")?, place("depth")?);
    let weight = place("weight")?;
    let classes: Vec<(usize, String)> =
        nodes.columns().iter().enumerate().filter_map(|(at, name)| Some((at, name.strip_prefix("p_")?.to_owned()))).collect();
    let number = |cell: &Cell| match cell {
        Cell::Count(count) => *count as f64,
        Cell::Number(value) => *value,
        _ => f64::NAN,
    };
    let deepest = |limit: f64| nodes.rows().iter().filter(|row| number(&row[depth]) <= limit).count();
    let limit = (0..64).rev().map(f64::from).find(|limit| deepest(*limit) <= MOST).unwrap_or(0.0);
    let rows: Vec<&Vec<Cell>> = nodes.rows().iter().filter(|row| number(&row[depth]) <= limit).collect();
    let index = |cell: &Cell| rows.iter().position(|row| row[node] == *cell);
    let drawn: Vec<TreeNode> = rows
        .iter()
        .map(|row| {
            let proportions: Vec<f64> = classes.iter().map(|(at, _)| number(&row[*at])).collect();
            let most = (0..proportions.len()).fold(0, |best, k| if proportions[k] > proportions[best] { k } else { best });
            let weight = number(&row[weight]);
            let rows = if weight.fract() == 0.0 { format!("{weight}") } else { format!("{weight:.1}") };
            let said = classes
                .get(most)
                .map_or_else(String::new, |(_, label)| format!("{rows} rows, {} {:.0}%", visible(label), 100.0 * proportions[most]));
            let edge = match &row[condition] {
                Cell::Text(text) => visible(text),
                _ => String::new(),
            };
            TreeNode { parent: index(&row[parent]), edge, lines: vec![said], proportions }
        })
        .collect();
    let hidden = nodes.rows().len() - drawn.len();
    let rest = if hidden > 0 { format!(" {hidden} nodes further down are not drawn.") } else { String::new() };
    let first = drawn.get(1).map_or_else(String::new, |node| format!(" Its first question is {}.", node.edge));
    let leaves = drawn.iter().enumerate().filter(|(at, _)| !drawn.iter().any(|other| other.parent == Some(*at))).count();
    let summary = format!("A tree of {} nodes, {leaves} of them leaves here.{first}{rest}", nodes.rows().len());
    let marks = vec![Mark::Tree { classes: classes.into_iter().map(|(_, label)| visible(&label)).collect(), nodes: drawn }];
    Some(Picture { name: "tree".into(), title: title.into(), summary, panels: vec![Panel { marks, ..Panel::default() }] })
}
