//! A growing or grown tree as coded rows walk it: a node within a line of memory, nodes where the grown tree has them.

use std::collections::BTreeSet;

use super::code_set::CodeSet;
use super::code_table::CodeTable;
use super::growth::GrownNode;
use crate::error::Result;
use crate::record::{Record, fault};

/// The column of a node that has no split.
const LEAF: u32 = u32::MAX;

#[derive(Debug, Clone, Copy, PartialEq)]
struct CodedNode {
    /// Codes that go left.
    left: CodeSet,
    feature: u32,
    children: [u32; 2],
}

impl CodedNode {
    const LEAF: CodedNode = CodedNode { left: CodeSet::NONE, feature: LEAF, children: [0; 2] };
}

/// A tree for coded rows.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct CodedTree {
    nodes: Vec<CodedNode>,
}

impl CodedTree {
    /// Nothing but a root.
    pub(super) fn root() -> Self {
        CodedTree { nodes: vec![CodedNode::LEAF] }
    }

    /// Of a grown tree.
    pub(super) fn new(grown: &[GrownNode]) -> Self {
        let node = |grown: &GrownNode| match &grown.split {
            Some(split) => {
                CodedNode { left: split.left, feature: split.feature as u32, children: grown.children.map(|child| child as u32) }
            }
            None => CodedNode::LEAF,
        };
        CodedTree { nodes: grown.iter().map(node).collect() }
    }

    /// Splits a leaf; its children are the two nodes that come next.
    pub(super) fn split(&mut self, at: usize, feature: usize, left: CodeSet) {
        let first = self.nodes.len() as u32;
        self.nodes[at] = CodedNode { left, feature: feature as u32, children: [first, first + 1] };
        self.nodes.extend([CodedNode::LEAF; 2]);
    }

    /// Number of nodes.
    pub(super) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether a node is there and has no split.
    pub(super) fn is_leaf(&self, at: usize) -> bool {
        self.nodes.get(at).is_some_and(|node| node.feature == LEAF)
    }

    /// The columns that splits ask for, in their order.
    pub(super) fn columns(&self) -> Vec<usize> {
        let asked: BTreeSet<u32> = self.nodes.iter().map(|node| node.feature).filter(|feature| *feature != LEAF).collect();
        asked.into_iter().map(|feature| feature as usize).collect()
    }

    /// The leaf of a coded row.
    #[inline]
    pub(super) fn leaf(&self, row: &[u8]) -> usize {
        let mut at = 0;
        loop {
            let node = &self.nodes[at];
            if node.feature == LEAF {
                return at;
            }
            at = node.children[usize::from(!node.left.has(row[node.feature as usize]))] as usize;
        }
    }

    /// The leaves of the rows at some places, several at a time: each waits for memory while the others do.
    pub(super) fn leaves(&self, table: &CodeTable<'_>, places: &[u32]) -> Vec<u32> {
        const TOGETHER: usize = 8;
        let mut found = Vec::with_capacity(places.len());
        let (groups, rest) = places.as_chunks::<TOGETHER>();
        for group in groups {
            let rows = group.map(|place| table.row(place));
            let (mut at, mut walking) = ([0u32; TOGETHER], true);
            while walking {
                walking = false;
                for (at, row) in at.iter_mut().zip(rows) {
                    let node = &self.nodes[*at as usize];
                    if node.feature != LEAF {
                        *at = node.children[usize::from(!node.left.has(row[node.feature as usize]))];
                        walking = true;
                    }
                }
            }
            found.extend_from_slice(&at);
        }
        found.extend(rest.iter().map(|place| self.leaf(table.row(*place)) as u32));
        found
    }

    /// Writes the tree down.
    pub(super) fn write(&self, point: &mut Record, prefix: &str) {
        let splits = self.nodes.iter().flat_map(|node| [node.feature, node.children[0], node.children[1]]).map(u64::from);
        point.put_counts(format!("{prefix}splits"), &splits.collect::<Vec<_>>());
        point.put_counts(format!("{prefix}left"), &self.nodes.iter().flat_map(|node| node.left.words()).collect::<Vec<_>>());
    }

    /// Reads a tree over `width` columns; children stand behind their parents, so every walk ends.
    pub(super) fn read(point: &Record, prefix: &str, width: usize) -> Result<Self> {
        let splits = point.counts(&format!("{prefix}splits"))?;
        let count = splits.len() / 3;
        let left = point.counts_of(&format!("{prefix}left"), count * 4)?;
        if count == 0 || splits.len() != count * 3 || u32::try_from(count).is_err() {
            return Err(fault(format!("`{prefix}splits` are no tree")));
        }
        let mut nodes = Vec::with_capacity(count);
        for (at, (split, words)) in splits.chunks_exact(3).zip(left.chunks_exact(4)).enumerate() {
            if split[0] == u64::from(LEAF) {
                nodes.push(CodedNode::LEAF);
                continue;
            }
            let below = |child: u64| child > at as u64 && child < count as u64;
            if split[0] >= width as u64 || !below(split[1]) || !below(split[2]) {
                return Err(fault(format!("`{prefix}splits` has a node without its children or its column")));
            }
            let left = CodeSet::from_words([words[0], words[1], words[2], words[3]]);
            nodes.push(CodedNode { left, feature: split[0] as u32, children: [split[1] as u32, split[2] as u32] });
        }
        Ok(CodedTree { nodes })
    }
}
