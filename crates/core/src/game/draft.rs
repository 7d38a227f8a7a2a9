//! What a person sees who makes a turn: what may follow, and what is refused.

use std::collections::BTreeMap;

use serde::Serialize;

/// Why something is refused, as a page says it in the language of its reader.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Reason {
    /// Key of the text in `src/page/words.json`.
    pub code: &'static str,
    /// The point or square that it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub point: Option<String>,
    /// Another one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub other: Option<String>,
    /// The rest, in English.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

impl Reason {
    /// A reason that needs nothing else.
    pub fn new(code: &'static str) -> Reason {
        Reason { code, ..Reason::default() }
    }

    /// The same about a point.
    pub fn at(code: &'static str, point: impl ToString) -> Reason {
        Reason { code, point: Some(point.to_string()), ..Reason::default() }
    }

    /// A reason in words.
    pub fn with_text(code: &'static str, text: impl ToString) -> Reason {
        Reason { code, text: Some(text.to_string()), ..Reason::default() }
    }
}

/// A turn of many stones that is not complete.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct TurnDraft {
    /// Put so far, in the order of the clicks.
    pub stones: Vec<String>,
    /// Enemy stones that they capture.
    pub captured: Vec<String>,
    /// What a stone on a point would be, as a key of the page's words.
    pub points: BTreeMap<String, &'static str>,
    /// Why there can be none.
    pub refused: BTreeMap<String, Reason>,
    /// The stones of each own group that can still grow.
    pub groups: Vec<Vec<String>>,
    /// How many groups have grown.
    pub grown: usize,
    /// Why the turn cannot end like this.
    pub open: Option<Reason>,
}

/// How far a king is from the win by entering.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Claim {
    /// Points that count.
    pub points: u32,
    /// Points that are needed.
    pub needed: u32,
    /// Pieces beside the king in the enemy camp.
    pub entered: u32,
}
