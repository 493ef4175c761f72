//! The evidence of a fitted model: how probable its data are when its parameters are integrated out under their prior.

/// ln p(data | model), and of which data.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Evidence {
    /// Its natural logarithm.
    pub ln: f64,
    /// What it is the probability of. Only evidences of the same thing compare.
    pub of: EvidenceOf,
    /// Whether the integral is Laplace's approximation.
    pub is_laplace: bool,
}

/// What an evidence is the probability of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum EvidenceOf {
    /// p(x, y): classes and columns together.
    Joint,
    /// p(y | x): the classes, given the columns.
    Classes,
}

impl EvidenceOf {
    /// The name used in tables.
    pub fn name(self) -> &'static str {
        match self {
            EvidenceOf::Joint => "p(x, y)",
            EvidenceOf::Classes => "p(y|x)",
        }
    }
}

impl Evidence {
    /// How the integral was found.
    pub fn method(&self) -> &'static str {
        if self.is_laplace { "Laplace" } else { "exact" }
    }

    /// Bits that tell the data by this model: −log2 of the evidence.
    pub fn bits(&self) -> f64 {
        -self.ln * std::f64::consts::LOG2_E
    }
}
