//! A turn in the making, as the page shows it: the stones that may follow, and why others are refused.

use std::collections::BTreeMap;

use serde::Serialize;

/// The reason of a refusal, which a page shows in the language of its reader.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Reason {
    /// Key of the text in `crates/report/src/words.json`.
    pub code: &'static str,
    /// The point or square that it names.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub point: Option<String>,
    /// A second point or square.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub other: Option<String>,
    /// Further text, in English.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

impl Reason {
    /// A reason without further fields.
    pub fn new(code: &'static str) -> Reason {
        Reason { code, ..Reason::default() }
    }

    /// A reason that names a point.
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
    /// The stones placed so far, in the order of the clicks.
    pub stones: Vec<String>,
    /// Enemy stones that they capture.
    pub captured: Vec<String>,
    /// For each point, the effect of a stone there, as a key of the page's words.
    pub points: BTreeMap<String, &'static str>,
    /// For each point without a legal stone, the reason.
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
