//! One format of a shogi book into another.

use std::collections::{BTreeMap, HashSet, VecDeque};
use std::path::Path;

use anyhow::bail;

use kaeshi_shogi::book::{BookFormat, LegalMoves, ShogiBook, ShogiBookMove, apery, format, sbk, ybb};
use kaeshi_shogi::rules::handicap::START;
use kaeshi_shogi::rules::notation::parse_move;
use kaeshi_shogi::rules::position::ShogiPosition;
use kaeshi_shogi::rules::sfen;
use kaeshi_shogi::rules::types::Move;
use kaeshi_system::output::{remark, write_whole};

/// A position with its legal moves.
pub(super) type ConvertedPosition = (ShogiPosition, Vec<(Move, ShogiBookMove)>);

/// Reads `from` and writes `out`, each in the format that its name states.
///
/// # Errors
/// A book that cannot be read, or that has no legal move in a known position; or a file that cannot be written.
pub(super) fn run(from: &Path, out: &Path) -> anyhow::Result<()> {
    let book = ShogiBook::read(from)?;
    if book.is_empty() {
        bail!("{} knows no position", from.display());
    }
    let (positions, faults) = positions(&book);
    if positions.iter().all(|(_, moves)| moves.is_empty()) {
        say_left_out(&book, positions.len(), faults);
        bail!("no move of {} is left for the book", from.display());
    }
    write(out, &positions, &format!("kaeshi book --game shogi --from {}", from.display()))?;
    say_left_out(&book, positions.len(), faults);
    Ok(())
}

/// Says which part of a book was left out.
pub(super) fn say_left_out(book: &ShogiBook, kept: usize, faults: usize) {
    let lost = book.len().saturating_sub(kept);
    if lost > 0 {
        remark(format_args!(
            "left out: {lost} positions that are not reached from the start, or are not unique"
        ));
    }
    if faults > 0 {
        remark(format_args!("left out: {faults} illegal moves or positions"));
    }
}

/// Writes a book in the format that the name of the file states; `made_by` is kept where it has a place.
///
/// # Errors
/// The file cannot be written.
pub(super) fn write(out: &Path, positions: &[ConvertedPosition], made_by: &str) -> anyhow::Result<()> {
    let known = positions.iter().map(|(position, moves)| (position, &moves[..]));
    let bytes = match BookFormat::of(out) {
        BookFormat::Apery => apery::write(known),
        BookFormat::Ybb => ybb::write(known),
        BookFormat::Sbk => sbk::write(known),
        BookFormat::Text => {
            let moves = |moves: &LegalMoves| moves.iter().map(|(_, known)| known.clone()).collect();
            let known: BTreeMap<String, Vec<ShogiBookMove>> =
                known.map(|(position, known)| (sfen::format(position), moves(known))).collect();
            format(made_by, known.iter()).into_bytes()
        }
    };
    write_whole(out, &bytes)?;
    remark(format_args!("{}: {} positions", out.display(), positions.len()));
    Ok(())
}

/// The positions of the book, and the number of illegal moves. A book of keys instead of positions is traversed from
/// the start of the game.
pub(super) fn positions(book: &ShogiBook) -> (Vec<ConvertedPosition>, usize) {
    let mut faults = 0;
    let mut legal = |position: &ShogiPosition, moves: Vec<ShogiBookMove>| -> Vec<(Move, ShogiBookMove)> {
        let all = moves.len();
        let known = moves.into_iter();
        let moves: Vec<_> =
            known.filter_map(|known| Some((parse_move(position, &known.turn).ok()?, known))).collect();
        faults += all - moves.len();
        moves
    };
    let mut found: Vec<ConvertedPosition> = Vec::new();
    let mut seen: HashSet<u64> = HashSet::new();
    match book.positions() {
        Some(positions) => {
            for (text, moves) in positions {
                // A position without a number of the move is one at the start of a game.
                let position = sfen::parse(text).or_else(|_| sfen::parse(&format!("{text} 1")));
                let Ok(position) = position else { continue };
                if seen.insert(apery::key(&position)) {
                    let moves = legal(&position, moves);
                    found.push((position, moves));
                }
            }
        }
        None => {
            let mut ahead: VecDeque<ShogiPosition> = sfen::parse(START).into_iter().collect();
            while let Some(position) = ahead.pop_front() {
                if !seen.insert(apery::key(&position)) {
                    continue;
                }
                let Some(moves) = book.moves_here(&position) else { continue };
                let moves = legal(&position, moves);
                for &(turn, _) in &moves {
                    let mut next = position.clone();
                    next.make(turn);
                    ahead.push_back(next);
                }
                found.push((position, moves));
            }
        }
    }
    (found, faults)
}

#[cfg(test)]
mod tests {
    use super::*;
    use kaeshi_core::random::SplitMix;

    /// A book of `wanted` positions, all of which its moves reach; without replies.
    fn large(wanted: usize, values: bool, depths: bool, counts: bool) -> String {
        let mut random = SplitMix::new(24);
        let mut known: BTreeMap<String, Vec<ShogiBookMove>> = BTreeMap::new();
        let mut seen = HashSet::new();
        let mut ahead: VecDeque<ShogiPosition> = sfen::parse(START).into_iter().collect();
        while let Some(position) = ahead.pop_front().filter(|_| known.len() < wanted) {
            if !seen.insert(apery::key(&position)) {
                continue;
            }
            let mut moves = Vec::new();
            for &turn in position.legal_moves().iter() {
                if random.below(4) > 0 {
                    continue;
                }
                let mut next = position.clone();
                next.make(turn);
                ahead.push_back(next);
                let value = if values { random.below(2_000) as i32 - 1_000 } else { 0 };
                let count = if counts { 1 + u64::from(random.below(60_000)) } else { 0 };
                let depth = if depths { random.below(40) as u16 } else { 0 };
                moves.push(ShogiBookMove { turn: turn.to_string(), reply: None, value, depth, count });
            }
            if !moves.is_empty() {
                known.insert(sfen::format(&position), moves);
            }
        }
        assert_eq!(known.len(), wanted);
        format("made by a test", known.iter())
    }

    /// Converts a book of 10,000 positions to the format of this name and back: nothing is to be lost.
    fn comes_back(book: &str, middle: &str) {
        let folder = tempfile::tempdir().expect("a folder");
        let at = |name: &str| folder.path().join(name);
        std::fs::write(at("first.db"), book).expect("a book");
        run(&at("first.db"), &at(middle)).expect("to the other format");
        run(&at(middle), &at("last.db")).expect("and back");
        let positions = |name: &str| {
            let book = ShogiBook::read(&at(name)).expect("a book");
            let positions = book.positions().expect("positions");
            positions.map(|(text, moves)| (text.to_owned(), moves)).collect::<Vec<_>>()
        };
        assert!(positions("first.db") == positions("last.db"), "the books differ");
        let (text, binary) =
            (ShogiBook::read(&at("first.db")).expect("text"), ShogiBook::read(&at(middle)).expect("binary"));
        assert_eq!(text.len(), binary.len());
        for (sfen, moves) in text.positions().expect("positions").take(100) {
            assert_eq!(binary.moves(&sfen::parse(sfen).expect("a position")), moves, "{sfen}");
        }
    }

    #[test]
    fn ten_thousand_positions_come_back_through_aperys_format() {
        comes_back(&large(10_000, true, false, true), "middle.bin");
    }

    #[test]
    fn ten_thousand_positions_come_back_through_yaneuraous_binary_format() {
        comes_back(&large(10_000, true, true, false), "middle.ybb");
        comes_back(&large(500, true, false, false), "middle.ybb");
    }

    #[test]
    fn ten_thousand_positions_come_back_through_shogihomes_format() {
        comes_back(&large(10_000, false, false, true), "middle.sbk");
    }

    #[test]
    fn damaged_books_are_refused_or_read_but_never_believed_beyond_their_end() {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join("first.db"), large(40, true, true, true)).expect("a book");
        for name in ["book.ybb", "book.sbk", "book.bin"] {
            let path = folder.path().join(name);
            run(&folder.path().join("first.db"), &path).expect("a book");
            let good = std::fs::read(&path).expect("a book");
            let mut random = SplitMix::new(7);
            for trial in 0..400 {
                let mut bad = good.clone();
                if trial % 4 == 0 {
                    bad.truncate(random.below(bad.len() as u32) as usize);
                } else {
                    let place = random.below(bad.len() as u32) as usize;
                    bad[place] ^= 1 << random.below(8);
                }
                std::fs::write(&path, bad).expect("a book");
                let _ = ShogiBook::read(&path);
            }
        }
    }

    #[test]
    fn a_book_of_which_nothing_is_left_replaces_no_other() {
        let folder = tempfile::tempdir().expect("a folder");
        let (from, out) = (folder.path().join("from.db"), folder.path().join("out.db"));
        let start = START.strip_prefix("sfen ").unwrap_or(START);
        for (position, turn) in [("x b - 1", "7g7f"), (start, "7g7e")] {
            let text = format!("#YANEURAOU-DB2016 1.00\nsfen {position}\n{turn} none 0 1 1\n");
            std::fs::write(&from, text).expect("a book");
            std::fs::write(&out, "before").expect("a file");
            let refused = run(&from, &out).expect_err(position).to_string();
            assert!(refused.contains("no move of"), "{refused}");
            assert_eq!(std::fs::read_to_string(&out).expect("a file"), "before");
        }
    }
}
