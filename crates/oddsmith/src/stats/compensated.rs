//! The wire form of compensated sums: both of their parts.

use crate::codec::{Codec, Encode};
use crate::error::Result;
use crate::num::logspace::NeumaierSum;

impl Encode for [NeumaierSum] {
    fn encode(&mut self, codec: &mut Codec<'_>) -> Result<()> {
        let mut parts: Vec<f64> = self.iter().flat_map(NeumaierSum::parts).collect();
        codec.numbers("sums", &mut parts)?;
        for (sum, parts) in self.iter_mut().zip(parts.chunks_exact(2)) {
            *sum = NeumaierSum::from_parts([parts[0], parts[1]]);
        }
        Ok(())
    }
}

impl Encode for NeumaierSum {
    fn encode(&mut self, codec: &mut Codec<'_>) -> Result<()> {
        std::slice::from_mut(self).encode(codec)
    }
}
