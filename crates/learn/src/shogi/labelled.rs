//! Positions with labels, in the forms that other programs train on: PSV (`PackedSfenValue` of YaneuraOu, 40 bytes)
//! and hcpe (`HuffmanCodedPosAndEval` of Apery and dlshogi, 38 bytes).
//!
//! Both are records of one size without a header. Numbers are little-endian; a value is for the side to move.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use std::path::Path;

use kaeshi_core::game::{GameError, Side};
use kaeshi_shogi::book::{apery, ybb};
use kaeshi_shogi::rules::packed::{Coding, PackedPosition, pack, unpack};
use kaeshi_shogi::rules::position::ShogiPosition;
use kaeshi_shogi::rules::types::Move;

/// A position that was searched.
#[derive(Clone, Debug)]
pub struct Labelled {
    /// The position; its number of the move is that of the game where the form has one.
    pub position: ShogiPosition,
    /// The value found, in centipawns.
    pub value: i16,
    /// The move found or played.
    pub best: Move,
    /// How the game ended for the side to move: 1 won, 0 drawn, -1 lost.
    pub result: i8,
}

/// A form of such records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LabelledFormat {
    /// Position, value (`i16`), move (`u16`), number of the move (`u16`), result for the side to move (`i8`), a
    /// byte without meaning.
    Psv,
    /// Position, value (`i16`), move (`u16`), 1 where Black won and 2 where White did (`u8`), a byte without meaning.
    Hcpe,
}

/// Bytes of a packed position, with which every record begins.
pub const POSITION: usize = size_of::<PackedPosition>();

impl LabelledFormat {
    /// The form of a file, by its extension.
    ///
    /// # Errors
    /// If it says nothing.
    pub fn of(path: &Path) -> Result<LabelledFormat, GameError> {
        match path.extension().and_then(|extension| extension.to_str()) {
            Some("psv" | "bin") => Ok(LabelledFormat::Psv),
            Some("hcpe") => Ok(LabelledFormat::Hcpe),
            _ => Err(GameError::file(format!(
                "{}: the extension names the form: .psv or .bin for PackedSfenValue, .hcpe for hcpe",
                path.display()
            ))),
        }
    }

    /// Bytes of a record.
    pub const fn size(self) -> usize {
        match self {
            LabelledFormat::Psv => 40,
            LabelledFormat::Hcpe => 38,
        }
    }

    /// Reads a record of [`LabelledFormat::size`] bytes.
    ///
    /// # Errors
    /// An invalid position, move or result.
    pub fn read(self, record: &[u8]) -> Result<Labelled, GameError> {
        let short = || GameError::file("the record is cut off");
        let (packed, rest) = record.split_first_chunk::<POSITION>().ok_or_else(short)?;
        let &[v0, v1, m0, m1, ref rest @ ..] = rest else { return Err(short()) };
        let (value, bits) = (i16::from_le_bytes([v0, v1]), u16::from_le_bytes([m0, m1]));
        let (position, best, result) = match (self, rest) {
            (LabelledFormat::Psv, &[n0, n1, result, _]) => {
                let mut position = unpack(packed, Coding::YaneuraOu)?;
                position.set_move_number(u16::from_le_bytes([n0, n1]).max(1).into());
                (position, ybb::decoded(bits), i8::from_le_bytes([result]))
            }
            (LabelledFormat::Hcpe, &[result, _]) => {
                let position = unpack(packed, Coding::Apery)?;
                // Other bits say how the game ended.
                let for_black = match result & 3 {
                    1 => 1,
                    2 => -1,
                    _ => 0,
                };
                let black = position.side_to_move() == Side::First;
                (position, apery::decoded(bits), if black { for_black } else { -for_black })
            }
            _ => return Err(short()),
        };
        if !(-1..=1).contains(&result) {
            return Err(GameError::file(format!("{result} is no result: 1, 0 or -1")));
        }
        let best = best.ok_or_else(|| GameError::turn(format!("{bits:#06x} is no move")))?;
        position.check(best).map_err(|reason| GameError::turn(format!("{best} is illegal: {reason}")))?;
        Ok(Labelled { position, value, best, result })
    }

    /// Writes a record behind `out`.
    ///
    /// # Errors
    /// A position without both kings.
    pub fn write(self, labelled: &Labelled, out: &mut Vec<u8>) -> Result<(), GameError> {
        let Labelled { position, value, best, result } = labelled;
        match self {
            LabelledFormat::Psv => {
                out.extend(pack(position, Coding::YaneuraOu)?);
                out.extend(value.to_le_bytes());
                out.extend(ybb::encoded(*best).to_le_bytes());
                out.extend(u16::try_from(position.move_number()).unwrap_or(u16::MAX).to_le_bytes());
                out.extend(result.to_le_bytes());
            }
            LabelledFormat::Hcpe => {
                out.extend(pack(position, Coding::Apery)?);
                out.extend(value.to_le_bytes());
                out.extend(apery::encoded(*best).to_le_bytes());
                out.push(match (result, position.side_to_move()) {
                    (0, _) => 0,
                    (1.., Side::First) | (..0, Side::Second) => 1,
                    (1.., Side::Second) | (..0, Side::First) => 2,
                });
            }
        }
        out.push(0);
        Ok(())
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::indexing_slicing)]
mod tests {
    use super::*;
    use kaeshi_core::random::SplitMix;
    use kaeshi_shogi::rules::sfen;

    fn samples() -> Vec<Labelled> {
        let mut random = SplitMix::new(8);
        let mut position = sfen::parse(kaeshi_shogi::rules::handicap::START).unwrap();
        let mut found = Vec::new();
        for ply in 0..150 {
            let moves = position.legal_moves();
            let Some(&best) = moves.get(random.below(moves.len().max(1) as u32) as usize) else { break };
            let (value, result) = (ply * 37 - 2_000, (ply % 3) as i8 - 1);
            found.push(Labelled { position: position.clone(), value, best, result });
            position.make(best);
        }
        found
    }

    #[test]
    fn records_come_back_in_either_form() {
        for form in [LabelledFormat::Psv, LabelledFormat::Hcpe] {
            for sample in samples() {
                let mut bytes = Vec::new();
                form.write(&sample, &mut bytes).unwrap();
                assert_eq!(bytes.len(), form.size());
                let again = form.read(&bytes).unwrap();
                assert_eq!(again.position.key(), sample.position.key());
                assert_eq!(
                    (again.value, again.best, again.result),
                    (sample.value, sample.best, sample.result)
                );
                if form == LabelledFormat::Psv {
                    assert_eq!(again.position.move_number(), sample.position.move_number());
                }
            }
        }
    }

    /// Records of one position as cshogi 1.1.0 writes them (`Board.to_psfen`, `Board.to_hcp`): White to move, P*3d
    /// at -321, Black has won.
    #[test]
    fn records_of_cshogi_are_read_and_written() {
        let sfen = "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w RGgsn5p 46";
        let psv = "2381510a86f515e900473c3ed5010020c52758530004cb48123fc3f99024ebbcbffe95402e00ff00";
        let hcpe = "2381490986eb1565014b3cbee40200a0c417b84a0004c744113fc3f9912467bdbffe95280100";
        for (form, text) in [(LabelledFormat::Psv, psv), (LabelledFormat::Hcpe, hcpe)] {
            let byte = |at: usize| u8::from_str_radix(&text[2 * at..2 * at + 2], 16).unwrap();
            let bytes: Vec<u8> = (0..form.size()).map(byte).collect();
            let read = form.read(&bytes).unwrap();
            let mut expected = sfen::parse(sfen).unwrap();
            if form == LabelledFormat::Hcpe {
                expected.set_move_number(read.position.move_number());
            }
            assert_eq!(sfen::format(&read.position), sfen::format(&expected));
            assert_eq!((read.value, read.best.to_string().as_str(), read.result), (-321, "P*3d", -1));
            let mut again = Vec::new();
            form.write(&read, &mut again).unwrap();
            assert_eq!(again, bytes);
        }
    }

    #[test]
    fn what_is_no_record_is_refused() {
        let mut bytes = Vec::new();
        LabelledFormat::Psv.write(&samples()[0], &mut bytes).unwrap();
        for (at, value, reason) in [(38, 2, "is no result"), (34, 0xff, "is no move"), (0, 0xff, "")] {
            let mut bad = bytes.clone();
            bad[at] = value;
            let said = LabelledFormat::Psv.read(&bad).unwrap_err().to_string();
            assert!(said.contains(reason), "{said}");
        }
        assert!(LabelledFormat::Psv.read(&bytes[..39]).is_err());
        assert!(LabelledFormat::of(Path::new("a.txt")).is_err());
    }

    #[test]
    fn no_bytes_upset_the_reader() {
        let mut random = SplitMix::new(9);
        for _ in 0..2_000 {
            let bytes: Vec<u8> = (0..40).map(|_| random.draw() as u8).collect();
            let _ = LabelledFormat::Psv.read(&bytes);
            let _ = LabelledFormat::Hcpe.read(&bytes[..38]);
        }
    }
}
