//! Tests of the whole program with a game that it does not know.
