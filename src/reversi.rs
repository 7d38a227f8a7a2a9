//! The game of reversi: rules, notation, evaluation and search.
