//! The tree of a prefix-free code: a step to the left for 0, to the right for 1, a symbol at every leaf.

/// A node: a leaf with its symbol, or the nodes that 0 and 1 lead to.
#[derive(Debug, Clone, PartialEq)]
enum Node {
    Leaf(usize),
    Fork([Option<usize>; 2]),
}

/// A tree of words; the first node is the root.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct CodeTree {
    nodes: Vec<Node>,
}

impl CodeTree {
    /// The tree of words of which none begins another.
    pub(super) fn of_words(words: &[Option<Vec<bool>>]) -> Self {
        let mut nodes = vec![Node::Fork([None, None])];
        for (symbol, word) in words.iter().enumerate().filter_map(|(symbol, word)| word.as_ref().map(|word| (symbol, word))) {
            let mut at = 0;
            for bit in word {
                let new = nodes.len();
                let Node::Fork(forks) = &mut nodes[at] else { break };
                at = *forks[usize::from(*bit)].get_or_insert(new);
                if at == new {
                    nodes.push(Node::Fork([None, None]));
                }
            }
            nodes[at] = Node::Leaf(symbol);
        }
        CodeTree { nodes }
    }

    /// Reads one word; `None` where the bits end or lead to no symbol.
    pub(super) fn read(&self, bits: &mut impl Iterator<Item = bool>) -> Option<usize> {
        let mut at = 0;
        loop {
            match &self.nodes[at] {
                Node::Leaf(symbol) => return Some(*symbol),
                Node::Fork(forks) => at = forks[usize::from(bits.next()?)]?,
            }
        }
    }

    /// The tree as lines of text.
    pub(super) fn lines(&self, name: impl Fn(usize) -> String) -> Vec<String> {
        // Depth first with a stack of its own: words may be as long as there are symbols.
        let mut lines = Vec::new();
        let mut open: Vec<(usize, String, String)> = vec![(0, String::new(), String::new())];
        while let Some((at, head, indent)) = open.pop() {
            match &self.nodes[at] {
                Node::Leaf(symbol) => lines.push(if head.is_empty() { name(*symbol) } else { format!("{head} {}", name(*symbol)) }),
                Node::Fork(forks) => {
                    let branches: Vec<(usize, usize)> = (0..2).filter_map(|bit| forks[bit].map(|to| (bit, to))).collect();
                    for (place, &(bit, to)) in branches.iter().enumerate().rev() {
                        let (first, last) = (place == 0, place + 1 == branches.len());
                        let joint = match (first, last) {
                            (true, false) => "┬",
                            (true, true) => "─",
                            _ => "└",
                        };
                        let before = if first { head.clone() } else { indent.clone() };
                        let below = if last { "  " } else { "│ " };
                        open.push((to, format!("{before}{joint}{bit}"), format!("{indent}{below}")));
                    }
                }
            }
        }
        lines
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tree_is_drawn_with_its_bits() {
        let word = |text: &str| Some(text.chars().map(|c| c == '1').collect::<Vec<bool>>());
        let tree = CodeTree::of_words(&[word("0"), word("10"), None, word("110"), word("111")]);
        let lines = tree.lines(|symbol| ["a", "b", "c", "d", "e"][symbol].to_owned());
        assert_eq!(lines, ["┬0 a", "└1┬0 b", "  └1┬0 d", "    └1 e"]);
        let single = CodeTree::of_words(&[Some(Vec::new())]);
        assert_eq!(single.lines(|_| "a".into()), ["a"]);
        assert_eq!(tree.read(&mut [true, true, false].into_iter()), Some(3));
        assert_eq!(tree.read(&mut [true, true].into_iter()), None);
    }
}
