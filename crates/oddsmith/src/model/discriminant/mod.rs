//! Discriminants: Gaussian classes with full covariance.
