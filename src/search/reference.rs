//! The article's searches over any game: minimax, alpha-beta, selective deepening at the root.
