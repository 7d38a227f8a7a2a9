//! What a person runs besides a GUI.
