//! What there is to say about a tree: its nodes as indented text, counts, probabilities and what every split gains.

use super::impurity::Criterion;
use super::model::{TreeModel, parents};
use super::nodes::{Question, Tree};
use crate::card::{Card, Cell, Summary, Table};
use crate::data::Layout;
use crate::model::Classifier;
use crate::picture::{Mark, Panel, Picture, Role};

/// Nodes that people are shown at once.
const MOST_LINES: usize = 63;
/// Classes that have a column of their own for people.
const MOST_CLASSES: usize = 6;
/// Levels that are spelled out.
const MOST_LEVELS: usize = 6;

/// The condition under which rows come to a node from its parent.
pub(super) fn condition_of(tree: &Tree, layout: &Layout, parents: &[usize], at: usize) -> String {
    match at {
        0 => "all rows".into(),
        _ => condition(tree, layout, parents, parents[at], parents[at] + 1 == at),
    }
}

/// Levels of a column that splits further up leave to the rows of a node.
fn levels_at(tree: &Tree, layout: &Layout, parents: &[usize], at: usize, feature: usize) -> Vec<usize> {
    let mut levels: Vec<usize> = (0..).take_while(|level| layout.level_name(feature, *level).is_some()).collect();
    let mut node = at;
    while node > 0 {
        let parent = parents[node];
        if let (true, Some(Question::In(left))) = (tree.feature(parent) == Some(feature), tree.question(parent, layout)) {
            levels.retain(|level| left.contains(level) == (parent + 1 == node));
        }
        node = parent;
    }
    levels
}

/// The condition under which a row goes to the left or right child of a node. Of levels it names those that splits further up leave.
pub(super) fn condition(tree: &Tree, layout: &Layout, parents: &[usize], at: usize, left: bool) -> String {
    let (Some(feature), Some(question)) = (tree.feature(at), tree.question(at, layout)) else { return String::new() };
    let name = &layout.features()[feature].name;
    let told = match question {
        Question::Missing => return format!("{name} is {}", if left { "missing" } else { "present" }),
        Question::Below(threshold) => format!("{name} {} {}", if left { "<" } else { "≥" }, short(threshold)),
        Question::In(levels) => {
            let here = levels_at(tree, layout, parents, at, feature);
            let (side, other): (Vec<usize>, Vec<usize>) = here.into_iter().partition(|level| levels.contains(level) == left);
            let names = |levels: &[usize]| {
                let shown = levels.iter().take(MOST_LEVELS).filter_map(|level| layout.level_name(feature, *level)).collect::<Vec<_>>();
                let more = if levels.len() > MOST_LEVELS { format!(" and {} more", levels.len() - MOST_LEVELS) } else { String::new() };
                format!("{}{more}", shown.join(", "))
            };
            match (&side[..], other.len() < side.len() && side.len() > MOST_LEVELS) {
                ([one], _) => format!("{name} = {}", names(&[*one])),
                (_, true) => format!("{name} not in {{{}}}", names(&other)),
                _ => format!("{name} in {{{}}}", names(&side)),
            }
        }
    };
    if tree.gaps(at) == Some(left) { format!("{told} or missing") } else { told }
}

/// A threshold with six digits.
fn short(x: f64) -> String {
    format!("{x:.5e}").parse::<f64>().unwrap_or(x).to_string()
}

impl TreeModel {
    fn criterion(&self) -> Criterion {
        self.head.criterion.parse().unwrap_or_default()
    }

    /// The condition of every node, seen from its parent.
    fn conditions(&self) -> Vec<String> {
        let parents = parents(&self.tree);
        (0..self.tree.len()).map(|at| condition_of(&self.tree, &self.layout, &parents, at)).collect()
    }

    /// The weight of the rows of a node.
    pub(super) fn weight(&self, at: usize) -> f64 {
        self.weights[at * self.class_count()..][..self.class_count()].iter().sum()
    }

    /// The gain of a node's split, in bits or Gini's index, times the weight; nothing at a leaf.
    fn gain(&self, at: usize) -> Cell {
        if self.tree.children(at).is_some() { (self.gains[at] / self.criterion().unit()).into() } else { Cell::Empty }
    }

    /// What gains are called.
    fn gain_name(&self) -> &'static str {
        match self.criterion() {
            Criterion::Information => "bits",
            Criterion::Gini => "gini",
        }
    }

    fn weight_cell(&self, at: usize) -> Cell {
        let weight = self.weight(at);
        if weight.fract() == 0.0 && weight < 1e15 { Cell::Count(weight as u64) } else { weight.into() }
    }

    /// All levels that go left at a node, as a list that programs can read.
    fn left_levels(&self, at: usize, parents: &[usize]) -> Cell {
        let (Some(feature), Some(Question::In(left))) = (self.tree.feature(at), self.tree.question(at, &self.layout)) else {
            return Cell::Empty;
        };
        let here = levels_at(&self.tree, &self.layout, parents, at, feature);
        let names = here.into_iter().filter(|level| left.contains(level)).filter_map(|level| self.layout.level_name(feature, level));
        serde_json::to_string(&names.collect::<Vec<_>>()).map_or(Cell::Empty, Cell::from)
    }

    /// Every node with all that is known of it.
    fn tidy(&self) -> Table {
        let (parents, depths, conditions) = (parents(&self.tree), self.depths(), self.conditions());
        let labels = self.layout.classes().labels();
        let fixed = ["node", "parent", "depth", "condition", "column", "threshold", "left_levels", "missing", "weight", self.gain_name()];
        let of_classes = labels.iter().flat_map(|label| [format!("weight_{label}"), format!("p_{label}")]);
        let columns: Vec<String> = fixed.iter().map(|name| (*name).to_owned()).chain(of_classes).collect();
        Table::tabulate("tidy", columns, self.tree.len(), |at, column| match column {
            0 => (at + 1).into(),
            1 if at == 0 => Cell::Empty,
            1 => (parents[at] + 1).into(),
            2 => depths[at].into(),
            3 => conditions[at].as_str().into(),
            4 => self.tree.feature(at).map_or(Cell::Empty, |j| self.layout.features()[j].name.as_str().into()),
            5 => match self.tree.question(at, &self.layout) {
                Some(Question::Below(threshold)) => threshold.into(),
                _ => Cell::Empty,
            },
            6 => self.left_levels(at, &parents),
            7 => self.tree.gap_goes_left(at).map_or(Cell::Empty, |left| if left { "left" } else { "right" }.into()),
            8 => self.weight(at).into(),
            9 => self.gain(at),
            of_class if (of_class - 10).is_multiple_of(2) => self.weights[at * labels.len() + (of_class - 10) / 2].into(),
            of_class => self.log_p(at)[(of_class - 11) / 2].exp().into(),
        })
    }

    /// The nodes nearest to the root, as many levels as people can read.
    fn shown(&self) -> Vec<usize> {
        let depths = self.depths();
        let up_to = |depth: usize| (0..self.tree.len()).filter(|at| depths[*at] <= depth).collect::<Vec<_>>();
        let deepest = (0..=self.depth()).rev().find(|depth| up_to(*depth).len() <= MOST_LINES).unwrap_or(0);
        up_to(deepest)
    }

    fn indented(&self) -> Summary {
        let (depths, conditions, shown) = (self.depths(), self.conditions(), self.shown());
        let labels = self.layout.classes().labels();
        let classes: Vec<usize> = match labels.len() {
            2 => vec![1],
            count if count <= MOST_CLASSES => (0..count).collect(),
            _ => Vec::new(),
        };
        let mut columns: Vec<String> = ["split", "rows"].map(str::to_owned).to_vec();
        columns.extend(classes.iter().map(|k| format!("p_{}", labels[*k])));
        columns.extend(classes.is_empty().then(|| "class".to_owned()));
        columns.push(self.gain_name().into());
        let last = columns.len() - 1;
        let table = Table::tabulate("tree", columns, shown.len(), |line, column| {
            let at = shown[line];
            match column {
                0 => format!("{}{}", "· ".repeat(depths[at]), conditions[at]).into(),
                1 => self.weight_cell(at),
                column if column == last => self.gain(at),
                column => match classes.get(column - 2) {
                    Some(k) => self.log_p(at)[*k].exp().into(),
                    None => {
                        let p = self.log_p(at);
                        labels[(0..p.len()).fold(0, |best, k| if p[k] > p[best] { k } else { best })].as_str().into()
                    }
                },
            }
        });
        let hidden = self.tree.len() - shown.len();
        let footnotes = if hidden > 0 {
            vec![format!("{hidden} nodes further down are not shown; the table of all nodes lists them")]
        } else {
            Vec::new()
        };
        let facts = vec![
            ("rows".into(), self.classes.total_rows().into()),
            ("leaves".into(), self.leaves().into()),
            ("depth".into(), self.depth().into()),
        ];
        Summary { facts, table: Some(table), footnotes }
    }

    /// Lines from nodes to their children, leaves side by side.
    fn picture(&self) -> Picture {
        let (depths, conditions, shown) = (self.depths(), self.conditions(), self.shown());
        let inner = |at: usize| self.tree.children(at).filter(|children| shown.contains(&children[0]));
        let (mut x, mut leaves) = (vec![0.0; self.tree.len()], 0.0);
        for at in shown.iter().rev() {
            x[*at] = match inner(*at) {
                Some([left, right]) => f64::midpoint(x[left], x[right]),
                None => {
                    leaves += 1.0;
                    -leaves
                }
            };
        }
        let place = |at: usize| (x[at], -(depths[at] as f64));
        let (mut marks, mut labels) = (Vec::new(), Vec::new());
        for at in &shown {
            for child in inner(*at).into_iter().flatten() {
                marks.push(Mark::Line { role: Role::Plain, name: String::new(), points: vec![place(*at), place(child)] });
            }
            let p: Vec<f64> = self.log_p(*at).iter().map(|log| log.exp()).collect();
            let most = (0..p.len()).fold(0, |best, k| if p[k] > p[best] { k } else { best });
            let text = format!("{}: {} rows, {} {:.2}", conditions[*at], self.weight(*at), self.layout.classes().label(most), p[most]);
            labels.push(Mark::Label { at: place(*at), text });
        }
        let leaf_places = shown.iter().filter(|at| inner(**at).is_none()).map(|at| place(*at)).collect();
        marks.push(Mark::Points { role: Role::Event, name: "leaves".into(), points: leaf_places });
        marks.extend(labels);
        let summary = format!(
            "A tree of {} leaves and depth {}; its first question is {}.",
            self.leaves(),
            self.depth(),
            condition(&self.tree, &self.layout, &parents(&self.tree), 0, true)
        );
        Picture { name: "tree".into(), title: "Decision tree".into(), summary, panels: vec![Panel { marks, ..Panel::default() }] }
    }
}

/// The card of a tree.
pub(super) fn card(model: &TreeModel) -> Card {
    let total = model.weight(0);
    let gained: f64 = model.gains.iter().sum::<f64>() / model.criterion().unit() / total;
    let mut facts: Vec<(String, Cell)> = vec![
        ("rows".into(), model.classes.total_rows().into()),
        ("criterion".into(), model.head.criterion.as_str().into()),
        ("leaves".into(), model.leaves().into()),
        ("depth".into(), model.depth().into()),
        ("smoothing".into(), model.head.smoothing.into()),
        (format!("{} gained per row", model.gain_name()), gained.into()),
        ("free parameters".into(), model.free_parameters().into()),
    ];
    if model.head.price > 0.0 {
        facts.push(("price of a leaf".into(), model.head.price.into()));
    }
    Card {
        title: "Decision tree".into(),
        facts,
        tidy: model.tidy(),
        summary: Some(model.indented()),
        pictures: vec![model.picture()],
        notices: model.notices(),
        ..Card::default()
    }
}
