//! Trees: from left to right where there is room, as an indented list where there is none.
//!
//! A leaf has a row of its own, and a node stands in the middle of its children. Nothing overlaps, because every text is cut to the room of its column.

use oddsmith::picture::{Role, TreeNode};

use super::canvas::Canvas;
use super::ink::Ink;
use super::text::{Anchor, Style, fitted, with_last_words};

/// Narrowest column in which a question can be read.
const NARROWEST: f64 = 130.0;
/// Height of a leaf, and of a row of the list.
const LEAF: f64 = 58.0;
const ROW: f64 = 30.0;
/// Most nodes that are drawn.
const MOST: usize = 127;
/// Radius of a node of which nothing is said.
const DOT: f64 = 4.0;
/// Length of the bar of class proportions.
const BAR: f64 = 64.0;

/// Draws the tree from `top` down; comes back with where it ends.
pub(super) fn draw(classes: &[String], nodes: &[TreeNode], width: f64, top: f64, canvas: &mut Canvas) -> f64 {
    let nodes = &nodes[..nodes.len().min(MOST)];
    let depths = depths(nodes);
    let columns = depths.iter().max().map_or(1, |deepest| deepest + 1) as f64;
    let top = key(classes, nodes, width, top, canvas);
    match width / columns >= NARROWEST {
        true => sideways(nodes, &depths, (width, width / columns), top, canvas),
        false => listed(nodes, &depths, width, top, canvas),
    }
}

/// How far below the root each node is; a parent that does not stand before its child does not count.
fn depths(nodes: &[TreeNode]) -> Vec<usize> {
    let mut depths = vec![0; nodes.len()];
    for at in 0..nodes.len() {
        depths[at] = parent(nodes, at).map_or(0, |parent| depths[parent] + 1);
    }
    depths
}

fn parent(nodes: &[TreeNode], at: usize) -> Option<usize> {
    nodes[at].parent.filter(|parent| *parent < at)
}

/// The classes of the bars.
fn key(classes: &[String], nodes: &[TreeNode], width: f64, top: f64, canvas: &mut Canvas) -> f64 {
    if nodes.iter().all(|node| node.proportions.is_empty()) {
        return top + 6.0;
    }
    let (mut x, mut y) = (4.0, top + 12.0);
    for (k, name) in classes.iter().enumerate().take(8) {
        let name = fitted(name, 160.0);
        let room = 16.0 + Style::plain().width(&name) + 18.0;
        if x + room > width && x > 4.0 {
            (x, y) = (4.0, y + 18.0);
        }
        canvas.rect(Ink::Fill(Role::of_class(k, classes.len())), (x, y - 9.0), (x + 10.0, y + 1.0));
        canvas.text(&Style::plain(), (x + 16.0, y), &name);
        x += room;
    }
    y + 12.0
}

fn sideways(nodes: &[TreeNode], depths: &[usize], (width, column): (f64, f64), top: f64, canvas: &mut Canvas) -> f64 {
    let mut children: Vec<Vec<usize>> = vec![Vec::new(); nodes.len()];
    (0..nodes.len()).filter_map(|at| Some((parent(nodes, at)?, at))).for_each(|(parent, at)| children[parent].push(at));
    let mut y = vec![0.0; nodes.len()];
    let mut leaves = 0.0;
    // Depth first, so that leaves stand in the order in which they are reached.
    let mut order = Vec::new();
    let mut open: Vec<usize> = (0..nodes.len()).rev().filter(|&at| parent(nodes, at).is_none()).collect();
    while let Some(at) = open.pop() {
        order.push(at);
        open.extend(children[at].iter().rev());
        if children[at].is_empty() {
            y[at] = top + (leaves + 0.5) * LEAF;
            leaves += 1.0;
        }
    }
    for &at in order.iter().rev().filter(|at| !children[**at].is_empty()) {
        y[at] = children[at].iter().map(|&child| y[child]).sum::<f64>() / children[at].len() as f64;
    }
    let x = |at: usize| 6.0 + depths[at] as f64 * column;
    for at in 0..nodes.len() {
        if let Some(above) = parent(nodes, at) {
            let start = (x(above) + reach(&nodes[above], column - 32.0), y[above]);
            let bend = x(at) - 14.0;
            canvas.lines(Ink::Thin(Role::Reference), &[vec![start, (bend, start.1), (bend, y[at]), (x(at) - 2.0, y[at])]]);
        }
        // Right of a leaf its row is empty.
        let room = if children[at].is_empty() { (width - x(at) - 8.0) / 1.05 } else { column - 32.0 };
        draw_node(&nodes[at], (x(at), y[at]), room, canvas);
    }
    top + leaves * LEAF + 6.0
}

/// Texts of a node: the question in bold, and what is said.
fn texts(node: &TreeNode) -> Vec<(&str, bool)> {
    let edge = (!node.edge.is_empty()).then_some((node.edge.as_str(), true));
    edge.into_iter().chain(node.lines.iter().take(2).map(|line| (line.as_str(), false))).collect()
}

fn text_style(bold: bool) -> Style {
    Style { bold, ..Style::plain().small() }
}

/// How far a node reaches to the right, so that its branches begin beside it.
fn reach(node: &TreeNode, room: f64) -> f64 {
    let bar = if node.proportions.is_empty() { 2.0 * DOT } else { BAR };
    texts(node).into_iter().map(|(text, bold)| text_style(bold).width(text)).fold(bar, f64::max).min(room) + 6.0
}

/// The question, what is said, and a bar of the class proportions, around the middle of its row.
fn draw_node(node: &TreeNode, (x, y): (f64, f64), room: f64, canvas: &mut Canvas) {
    let texts = texts(node);
    let barred = !node.proportions.is_empty();
    let height = 14.0 * texts.len() as f64 + if barred { 9.0 } else { 0.0 };
    if texts.is_empty() && !barred {
        canvas.circle(Ink::Fill(Role::Reference), (x + DOT, y), DOT);
    }
    let mut line = y - height / 2.0 + 11.0;
    for (text, bold) in texts {
        let style = text_style(bold);
        canvas.titled(&style, (x, line), &with_last_words(text, room * 1.05), Some(text));
        line += 14.0;
    }
    if barred {
        bar(&node.proportions, (x, line - 8.0), room.min(BAR), canvas);
    }
}

fn bar(proportions: &[f64], (x, y): (f64, f64), length: f64, canvas: &mut Canvas) {
    let total: f64 = proportions.iter().filter(|share| share.is_finite()).sum();
    let mut left = x;
    for (k, share) in proportions.iter().enumerate().filter(|(_, share)| share.is_finite() && **share > 0.0) {
        let right = left + length * share / total.max(f64::MIN_POSITIVE);
        canvas.rect(Ink::Fill(Role::of_class(k, proportions.len())), (left, y), (right, y + 6.0));
        left = right;
    }
}

fn listed(nodes: &[TreeNode], depths: &[usize], width: f64, top: f64, canvas: &mut Canvas) -> f64 {
    let step = (0.35 * width / (depths.iter().max().copied().unwrap_or(0) as f64 + 1.0)).min(16.0);
    for (row, (node, depth)) in nodes.iter().zip(depths).enumerate() {
        let y = top + row as f64 * ROW;
        let x = 6.0 + *depth as f64 * step;
        if row % 2 == 1 {
            canvas.rect(Ink::Zebra, (0.0, y), (width, y + ROW));
        }
        let room = width - BAR - 16.0 - x;
        let style = Style { bold: true, ..Style::plain().small() };
        let edge = if node.edge.is_empty() { "all" } else { &node.edge };
        canvas.titled(&style, (x, y + 12.0), &with_last_words(edge, room), Some(edge));
        let said = node.lines.join(" · ");
        canvas.titled(&Style::muted().small(), (x, y + 25.0), &with_last_words(&said, room), Some(&said));
        if node.proportions.is_empty() {
            continue;
        }
        bar(&node.proportions, (width - BAR - 8.0, y + 12.0), BAR, canvas);
    }
    if nodes.is_empty() {
        canvas.text(&Style::muted().at(Anchor::Start), (6.0, top + 14.0), "There is no tree.");
    }
    top + nodes.len().max(1) as f64 * ROW + 6.0
}
