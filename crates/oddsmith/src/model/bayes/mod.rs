//! Naive Bayes: features that are independent within a class.
