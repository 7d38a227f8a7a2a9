//! The game of sygo: rules, notation, evaluation and search.
