//! What a search saw at a point: the parameters there, the loss, and its slopes.

/// A point at which a pass of a search looked and from which the search goes on. Loss and slopes are means over the weight of the rows (sums over sets
/// where rows have no loss of their own), penalties included: a step of gradient descent is the rate times the slope.
#[derive(Debug, Clone, PartialEq)]
pub struct Look {
    /// Which search it belongs to, where several run side by side: the class, for one regression per class.
    pub search: Option<String>,
    /// What is made small; nothing where the pass did not sum it up.
    pub loss: Option<f64>,
    /// The parameters, in the order in which people read them.
    pub parameters: Vec<LookedParameter>,
}

/// A parameter at a point.
#[derive(Debug, Clone, PartialEq)]
pub struct LookedParameter {
    /// The class whose score it belongs to; empty for one that belongs to no single class.
    pub class: String,
    /// The column or the unit that it weighs.
    pub term: String,
    /// Its value: in the units of the table where the parameters of the model are.
    pub value: f64,
    /// How fast the loss rises with it; nothing where the pass did not sum it up.
    pub slope: Option<f64>,
}
