//! Offsets: what is added to the scores as it is, part by part.

use super::Design;
use super::block::DesignBlock;

/// One value that is added up to an offset.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct OffsetPart {
    /// Where its values lie.
    pub(super) register: usize,
    /// The features that it is computed from; none for a constant.
    pub(super) features: Vec<usize>,
}

impl Design {
    /// Gives every addend of the offset of row `i` of an expanded block: the output (class but the first) that it is added to,
    /// the features that it is computed from, and its value. An offset of the first class is taken from all others.
    pub fn visit_offsets(&self, block: &DesignBlock, i: usize, mut visit: impl FnMut(usize, &[usize], f64)) {
        let value = |part: &OffsetPart| block.scratch.registers[part.register * block.rows() + i];
        for parts in &self.offsets {
            for output in 0..self.outputs {
                match &parts[..] {
                    [shared] => visit(output, &shared.features, value(shared)),
                    by_class => {
                        visit(output, &by_class[output + 1].features, value(&by_class[output + 1]));
                        visit(output, &by_class[0].features, -value(&by_class[0]));
                    }
                }
            }
        }
    }
}
