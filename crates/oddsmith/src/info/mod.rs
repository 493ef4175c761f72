//! Information: entropy and its kin, channels, codes, lengths of descriptions, and models compared by their evidence.
//!
//! Logarithms are natural throughout; what is told in bits says so in its name. Plain functions of numbers: what is summed over rows to get
//! there belongs to the analyses of `study`.

mod belief;
mod channel;
pub mod code;
mod conjugate;
mod description_length;
mod distribution;
mod entropy;
mod gaussian;
mod joint;
mod model_posterior;
mod neighbour_information;
mod non_centrality;
mod number_pair;
mod polynomial;
mod polynomial_picture;
mod posterior_picture;
mod two_part_picture;

pub use crate::num::mdl_cuts;
pub use belief::{Belief, ParameterBelief};
pub use channel::{Capacity, Channel};
pub use conjugate::{BetaBernoulli, DirichletMultinomial, NormalInverseGamma};
pub use description_length::{TwoPart, krichevsky_trofimov_bits, multinomial_complexity, normalized_likelihood_bits};
pub use distribution::Distribution;
pub(crate) use distribution::phi;
pub use entropy::entropy;
pub use gaussian::Gaussian;
pub use joint::{Joint, MutualInformation, conditional_inference, conditional_mutual_information};
pub use model_posterior::{BayesFactor, Candidate, ModelPosterior};
pub use neighbour_information::{NeighbourInformation, neighbour_information};
pub use non_centrality::non_centrality_limits;
pub use number_pair::{NumberPair, number_pair};
pub use polynomial::{PolynomialFit, polynomial_fits, polynomial_residuals};
pub use polynomial_picture::polynomial_picture;
pub use posterior_picture::posterior_picture;
pub use two_part_picture::two_part_picture;
