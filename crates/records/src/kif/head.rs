//! The lines in front of the moves of KIF and KI2: headers, handicap, board diagram (BOD).

use super::header;
use crate::setup::{self, ShogiSetup};
use crate::text::is_blank;
use crate::text::{TextLine, shown};
use crate::{GameRecord, RecordFault};
use kaeshi_core::game::Side;
use kaeshi_shogi::rules::japanese;

/// The start position by the headers, shared with KI2.
pub struct KifHeader {
    /// The board as far as it is known.
    setup: ShogiSetup,
    /// Whether a diagram sets it.
    custom: bool,
    rank: u8,
    /// Whether a line stated the side to move.
    side_stated: bool,
    /// Whether the sides are called 上手 and 下手.
    uneven: bool,
    /// A handicap that is not known, which a diagram can make up for.
    unknown_handicap: Option<RecordFault>,
    /// The number of a variation that was announced before there were moves.
    pub first: Option<usize>,
}

impl KifHeader {
    /// The state before the first header: the even start.
    pub fn new() -> KifHeader {
        KifHeader {
            setup: ShogiSetup::even(),
            custom: false,
            rank: 0,
            side_stated: false,
            uneven: false,
            unknown_handicap: None,
            first: None,
        }
    }

    /// Reads one line before the moves; headers go to `record`.
    ///
    /// # Errors
    /// If a board, a hand or a handicap cannot be read.
    pub fn read(&mut self, line: TextLine<'_>, record: &mut GameRecord) -> Result<(), RecordFault> {
        let refuse = |reason: String| Err(RecordFault::new(line.number, reason));
        let text = line.text.trim_end_matches(is_blank);
        let bare = text.trim_start_matches(is_blank);
        if bare.starts_with('|') {
            self.customise();
            self.rank += 1;
            if self.rank > 9 || self.setup.read_bod_row(bare, self.rank).is_none() {
                return refuse(format!("'{}' is no row of a board", shown(bare)));
            }
            return Ok(());
        }
        match bare {
            "先手番" | "下手番" => self.state_side(Side::First),
            "後手番" | "上手番" => self.state_side(Side::Second),
            _ => {
                let Some((key, value)) = header(text) else { return Ok(()) };
                self.uneven |= key.starts_with("上手") || key.starts_with("下手");
                let hand = match key {
                    "先手の持駒" | "下手の持駒" | "先手の持ち駒" | "下手の持ち駒" => {
                        Some(Side::First)
                    }
                    "後手の持駒" | "上手の持駒" | "後手の持ち駒" | "上手の持ち駒" => {
                        Some(Side::Second)
                    }
                    _ => None,
                };
                if let Some(side) = hand {
                    self.customise();
                    return match self.read_hand(side, value) {
                        Some(()) => Ok(()),
                        None => refuse(format!("'{}' is no hand", shown(value))),
                    };
                }
                if key == "手合割" && !value.is_empty() && !value.starts_with("その他") {
                    match setup::handicap(value) {
                        // A diagram decides the board, the handicap decides who begins.
                        Some(setup) if self.custom && !self.side_stated => self.setup.side = setup.side,
                        Some(_) if self.custom => {}
                        Some(setup) => self.setup = setup,
                        None => {
                            let reason = format!("handicap '{}' is not known", shown(value));
                            self.unknown_handicap = Some(RecordFault::new(line.number, reason));
                        }
                    }
                }
                record.tags.push((key.to_owned(), value.to_owned()));
            }
        }
        Ok(())
    }

    fn state_side(&mut self, side: Side) {
        self.setup.side = side;
        self.side_stated = true;
    }

    /// A diagram begins, with its first row or with the hand above it.
    fn customise(&mut self) {
        if !self.custom {
            let side = self.setup.side;
            self.setup = ShogiSetup::empty();
            self.setup.side = side;
            self.custom = true;
        }
    }

    fn read_hand(&mut self, side: Side, text: &str) -> Option<()> {
        if matches!(text, "なし" | "") {
            return Some(());
        }
        let mut rest = text.trim_start_matches(is_blank);
        // Blanks between the pieces may be lost.
        while !rest.is_empty() {
            let ((letter, promoted), after) = japanese::take_man(rest)?;
            let end = after.find(|sign| is_blank(sign) || japanese::man(&sign.to_string()).is_some());
            let (count, after) = after.split_at(end.unwrap_or(after.len()));
            let held = !promoted && self.setup.hold(side, letter, japanese::count(count)?);
            held.then_some(())?;
            rest = after.trim_start_matches(is_blank);
        }
        Some(())
    }

    /// The start position; `line` is where the moves begin.
    ///
    /// # Errors
    /// If a board was begun and not finished, or a handicap without a board is not known.
    pub fn start(&self, line: usize) -> Result<String, RecordFault> {
        match (self.rank, &self.unknown_handicap) {
            (0, _) if self.custom => Err(RecordFault::new(line, "there are hands, but no board")),
            (0, Some(fault)) => Err(fault.clone()),
            (0, None) => Ok(self.setup.text()),
            (9, _) => Ok(self.position().text()),
            (rows, _) => Err(RecordFault::new(line, format!("the board has {rows} rows instead of 9"))),
        }
    }

    /// The diagram. In the board of a handicap the giver begins if nothing else is said.
    fn position(&self) -> ShogiSetup {
        let mut setup = self.setup.clone();
        if self.uneven && !self.side_stated {
            let black = setup.side;
            setup.side = Side::Second;
            let text = setup.text();
            if text.strip_prefix("sfen ").and_then(setup::handicap_name).is_none() {
                setup.side = black;
            }
        }
        setup
    }
}
