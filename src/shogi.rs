//! The game of shogi: rules, notation, evaluation and search.
