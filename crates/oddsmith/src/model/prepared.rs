//! Something that a model computes from its parameters once, when it is first needed.

use std::sync::OnceLock;

/// A value derived from the fields beside it. It takes no part in comparisons, and a copy derives its own.
#[derive(Debug)]
pub struct Prepared<T>(OnceLock<T>);

impl<T> Prepared<T> {
    /// The value, computed by `make` the first time.
    pub fn get(&self, make: impl FnOnce() -> T) -> &T {
        self.0.get_or_init(make)
    }
}

impl<T> Default for Prepared<T> {
    fn default() -> Self {
        Prepared(OnceLock::new())
    }
}

impl<T> Clone for Prepared<T> {
    fn clone(&self) -> Self {
        Prepared::default()
    }
}

impl<T> PartialEq for Prepared<T> {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}
