//! The tree of a prefix-free code as a picture: 0 and 1 on its edges, symbols at its leaves.

use crate::error::visible;
use crate::picture::{Mark, Panel, Picture, TreeNode};

/// Most words that are drawn.
const MOST: usize = 60;

/// The tree of words; symbols without a word are left out, and so are those beyond the first sixty.
pub fn code_picture(title: &str, names: &[String], probabilities: &[f64], words: &[Option<Vec<bool>>]) -> Picture {
    // A node is known by the bits that lead to it; in order, parents stand before their children and 0 before 1.
    let mut nodes: Vec<(Vec<bool>, TreeNode)> = Vec::new();
    let coded = words.iter().enumerate().filter_map(|(symbol, word)| Some((symbol, word.as_ref()?))).take(MOST);
    for (symbol, word) in coded {
        for length in 0..=word.len() {
            let path = word[..length].to_vec();
            let edge = path.last().map_or_else(String::new, |bit| u8::from(*bit).to_string());
            if !nodes.iter().any(|(known, _)| *known == path) {
                nodes.push((path, TreeNode { edge, ..TreeNode::default() }));
            }
        }
        if let Some((_, leaf)) = nodes.iter_mut().find(|(path, _)| path == word) {
            let text: String = word.iter().map(|bit| if *bit { '1' } else { '0' }).collect();
            let chance = probabilities.get(symbol).map_or_else(String::new, |p| format!(", p {}", four_places(*p)));
            leaf.lines = vec![format!("{}{chance}", names.get(symbol).map_or_else(String::new, |name| visible(name))), text];
        }
    }
    nodes.sort_by(|a, b| a.0.cmp(&b.0));
    let paths: Vec<Vec<bool>> = nodes.iter().map(|(path, _)| path.clone()).collect();
    let placed = nodes.into_iter().map(|(path, node)| {
        let above = path.split_last().map(|(_, above)| above.to_vec());
        TreeNode { parent: above.and_then(|above| paths.iter().position(|path| *path == above)), ..node }
    });
    let lengths: Vec<String> =
        words.iter().zip(names).filter_map(|(word, name)| Some(format!("{} {}", visible(name), word.as_ref()?.len()))).take(12).collect();
    let summary = format!("A step along 0 or 1 for every bit of a word; lengths in bits: {}.", lengths.join(", "));
    let marks = vec![Mark::Tree { classes: Vec::new(), nodes: placed.collect() }];
    Picture { name: "tree".into(), title: title.into(), summary, panels: vec![Panel { marks, ..Panel::default() }] }
}

/// A probability with four decimals at most, and by its power of ten where they would say nothing.
fn four_places(p: f64) -> String {
    if p > 0.0 && p < 1e-3 { format!("{p:.1e}") } else { format!("{}", (1e4 * p).round() / 1e4) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_lead_to_their_symbols() {
        let word = |text: &str| Some(text.chars().map(|c| c == '1').collect::<Vec<bool>>());
        let names = ["a", "b", "c", "none"].map(str::to_owned);
        let picture = code_picture("code", &names, &[0.5, 0.25, 0.25, 0.0], &[word("0"), word("10"), word("11"), None]);
        let Mark::Tree { nodes, .. } = &picture.panels[0].marks[0] else { panic!("a tree is drawn as one") };
        let edges: Vec<(&str, Option<usize>)> = nodes.iter().map(|node| (node.edge.as_str(), node.parent)).collect();
        assert_eq!(edges, [("", None), ("0", Some(0)), ("1", Some(0)), ("0", Some(2)), ("1", Some(2))]);
        assert_eq!([0.4, 1.0 / 3.0, 2e-5, 0.0].map(four_places), ["0.4", "0.3333", "2.0e-5", "0"]);
        assert_eq!(nodes[3].lines, ["b, p 0.25", "10"]);
    }
}
