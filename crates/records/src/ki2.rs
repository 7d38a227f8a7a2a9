//! KI2: shogi moves without origin, `▲７六歩 △３四歩`, distinguished by the rules.

use super::kif::{self, KifHeader, KifLineRole, divide};
use super::text::{TextLine, is_blank, lines, shown};
use super::{GameRecord, Item, RecordFault, RecordFormat, shogi_line};
use crate::referee::ending::EndCause;
use kaeshi_core::game::end_words::{NO_PASSES_IN_SHOGI, is_pass};
use kaeshi_core::game::{GameError, Side};
use kaeshi_engine::games::GameName;
use kaeshi_shogi::rules::japanese::{self, Motion};
use kaeshi_shogi::rules::position::ShogiPosition;
use kaeshi_shogi::rules::types::{Move, PieceKind, Square};
use thiserror::Error;

/// The only game of this form.
pub const GAME: GameName = GameName::Shogi;

/// Moves of a line that is written.
const MOVES_A_LINE: usize = 6;

const MARKS: [char; 6] = ['▲', '△', '☗', '☖', '▼', '▽'];

/// Whether a line begins with a move as KI2 writes it.
pub fn is_ki2_line(line: &str) -> bool {
    line.strip_prefix(MARKS)
        .is_some_and(|rest| rest.starts_with('同') || japanese::take_square(rest).is_some())
}

/// Reads all games of a KI2 text. Variations are passed over.
pub fn read(text: &str) -> Vec<Item> {
    // Moves have come, and behind them a header that only a new game has.
    let (mut moves, mut headed) = (false, false);
    let parts: Vec<(TextLine<'_>, KifLineRole)> = lines(text)
        .map(|line| {
            let part = match part(line.text, moves) {
                KifLineRole::Moves if std::mem::take(&mut headed) => KifLineRole::FirstMove,
                part => part,
            };
            headed |= moves && part == KifLineRole::Header && kif::heads_game(line.text);
            moves |= matches!(part, KifLineRole::Moves | KifLineRole::FirstMove);
            (line, part)
        })
        .collect();
    let mut items = Vec::new();
    for game in divide(&parts) {
        let mut rest = game.as_slice();
        loop {
            let (item, read) = read_game(rest);
            items.push(item);
            rest = rest.get(read..).unwrap_or_default();
            if rest.is_empty() {
                break;
            }
        }
    }
    items
}

fn part(line: &str, moves: bool) -> KifLineRole {
    let bare = line.trim_start_matches(is_blank);
    if bare.starts_with(MARKS) || moves && kif::variation(bare).is_some() {
        return KifLineRole::Moves;
    }
    let header = bare.starts_with(['|', '#']) || kif::header(bare).is_some();
    if header && !bare.starts_with('*') { KifLineRole::Header } else { KifLineRole::Other }
}

/// Reads a game, and says how many of the lines belong to it: a game without headers may begin behind its end.
fn read_game(game: &[TextLine<'_>]) -> (Item, usize) {
    let begin = game.first().map_or(1, |line| line.number);
    let bare = |line: &TextLine<'_>| is_ki2_line(line.text.trim_start_matches(is_blank));
    let mut reader = Ki2Parser {
        record: GameRecord::new(GAME, RecordFormat::Ki2, begin, "startpos"),
        head: KifHeader::new(),
        position: None,
        illegal: None,
        closed: false,
        last_moves: game.iter().rposition(bare).and_then(|last| game.get(last)).map_or(0, |line| line.number),
    };
    let mut behind_blank = false;
    for (index, &line) in game.iter().enumerate() {
        let bare = line.text.trim_start_matches(is_blank);
        if kif::variation(bare).is_some() {
            if reader.position.is_some() {
                break;
            }
            continue;
        }
        if reader.is_fresh_game(bare, behind_blank) {
            return (reader.finish(begin), index);
        }
        behind_blank = bare.is_empty();
        if let Err(fault) = reader.read(line, bare) {
            if reader.position.is_none() {
                return (Err(fault), game.len());
            }
            reader.record.fault = Some(fault);
            break;
        }
    }
    (reader.finish(begin), game.len())
}

struct Ki2Parser {
    record: GameRecord,
    head: KifHeader,
    /// The board behind the moves so far; `None` before the first one.
    position: Option<ShogiPosition>,
    /// Why the last move cannot be played: it may be the foul that ends the game.
    illegal: Option<RecordFault>,
    /// The closing sentence has come.
    closed: bool,
    /// The last line of moves.
    last_moves: usize,
}

impl Ki2Parser {
    /// Whether a line of moves begins a new game, without a header: its first move is one of the usual start,
    /// and behind an end it follows an empty line or continues nothing; without an end, both.
    fn is_fresh_game(&self, bare: &str, behind_blank: bool) -> bool {
        let Some(board) = &self.position else { return false };
        let Some(first) = bare.strip_prefix(['▲', '☗']) else { return false };
        let (moved, _) = split_words(first.split(MARKS).next().unwrap_or_default());
        let start = shogi_line::position("startpos").is_ok_and(|start| find(&start, moved).is_ok());
        let continues = self.illegal.is_none() && find(board, moved).is_ok();
        let ended = self.record.end.is_some();
        start && (behind_blank && (ended || !continues) || ended && !continues)
    }

    /// Reads one line, which begins with `bare` behind its blanks.
    fn read(&mut self, line: TextLine<'_>, bare: &str) -> Result<(), RecordFault> {
        if let Some(comment) = bare.strip_prefix('*') {
            self.record.comment(0, comment);
        }
        if bare.is_empty() || bare.starts_with(['*', '&', '#']) {
            return Ok(());
        }
        if let Some(end) = bare.strip_prefix("まで").filter(|_| !self.closed) {
            self.close(end);
            return Ok(());
        }
        if self.record.end.is_some() {
            if bare.starts_with(MARKS) && is_ki2_line(bare) {
                let reason = format!("'{}' after the end of the game", shown(bare));
                return Err(RecordFault::new(line.number, reason));
            }
            self.record.pass_over(line.number, bare);
            return Ok(());
        }
        if !bare.starts_with(MARKS) {
            let word = bare.trim_end_matches(is_blank);
            if kif::is_known_end(word) && kif::header(word).is_none() {
                self.end(word);
                return Ok(());
            }
            if self.position.is_none() {
                return self.head.read(line, &mut self.record);
            }
            // A word that is not known ends the game if no moves follow.
            if line.number > self.last_moves && kif::end_word(word) == Some(word) {
                self.end(word);
                return Ok(());
            }
            return Err(RecordFault::new(line.number, format!("'{}' is no move", shown(bare))));
        }
        if self.position.is_none() {
            self.record.start = self.head.start(line.number)?;
            let board = shogi_line::position(&self.record.start);
            self.position = Some(board.map_err(|reason| RecordFault::new(line.number, reason))?);
        }
        self.moves(line, bare)
    }

    /// The moves of a line, and the end that may stand behind the last one: `▲５二金まで1手詰`.
    fn moves(&mut self, line: TextLine<'_>, bare: &str) -> Result<(), RecordFault> {
        let (moves, end) = match bare.split_once("まで") {
            Some((moves, end)) => (moves, Some(end)),
            None => (bare, None),
        };
        let behind = end.map_or(0, |end| end.len() + "まで".len());
        let mut rest = moves;
        while let Some(after) = rest.strip_prefix(MARKS) {
            let next = after.find(MARKS).unwrap_or(after.len());
            let (word, tail) = after.split_at(next);
            if let Some(fault) = self.illegal.take() {
                return Err(fault);
            }
            let Some(board) = &mut self.position else { break };
            let word = word.trim_end_matches(is_blank);
            let (moved, words) = split_words(word);
            let said = kif::end_word(words).filter(|&said| said == words && tail.is_empty());
            if is_pass(moved) {
                return Err(RecordFault::new(line.number, NO_PASSES_IN_SHOGI));
            }
            match find(board, if said.is_some() { moved } else { word }) {
                Ok(mv) => {
                    let kept = said.map_or(0, |_| after.len() - tail.len() - moved.len());
                    let end = line.start + line.text.len() - behind - tail.len() - kept;
                    self.record.push(mv.to_string(), line.number, end)?;
                    board.make(mv);
                }
                Err(reason) => self.illegal = Some(RecordFault::new(line.number, reason.to_string())),
            }
            if let Some(said) = said {
                self.end(said);
            }
            rest = tail;
        }
        if let Some(end) = end {
            self.close(end);
        }
        Ok(())
    }

    /// The closing sentence has come, without its first word. Behind a word that ended the game it adds a foul.
    fn close(&mut self, sentence: &str) {
        self.closed = true;
        let said = sentence.trim_matches(is_blank);
        if self.record.end.is_none() {
            self.end(said);
        } else if let Some(end) = kif::closing(said, self.mover())
            && (self.record.ending.is_none() || end.cause == Some(EndCause::Illegal))
        {
            self.record.ending = Some(end);
            self.blame();
        }
    }

    /// The side that made the illegal move, or is to move.
    fn mover(&self) -> Side {
        shogi_line::mover(&self.record, self.record.plies.len())
    }

    /// The game ends with these words.
    fn end(&mut self, said: &str) {
        let to_move = self.mover();
        self.record.end = Some(said.to_owned());
        self.record.ending = kif::ending(said, to_move).or_else(|| kif::closing(said, to_move));
        self.blame();
    }

    /// Makes an illegal last move the foul that ended the game, if a foul did.
    fn blame(&mut self) {
        let offender = self.mover();
        if let Some(end) = self.record.ending.as_mut().filter(|end| end.cause == Some(EndCause::Illegal))
            && let Some(fault) = self.illegal.take()
        {
            (end.winner, end.detail) = (Some(offender.other()), fault.reason);
        }
    }

    /// The record; `begin` is its first line.
    fn finish(mut self, begin: usize) -> Item {
        if self.position.is_none() {
            self.record.start = self.head.start(begin)?;
        }
        if self.illegal.is_some() && self.record.fault.is_none() {
            self.record.fault = self.illegal;
        }
        kif::take_headings(&mut self.record);
        Ok(self.record)
    }
}

/// The move that begins a text, and the words behind it: `３四歩 投了`.
fn split_words(text: &str) -> (&str, &str) {
    let rest = match (text.strip_prefix('同'), japanese::take_square(text)) {
        (Some(rest), _) | (None, Some((_, rest))) => rest.trim_start_matches(is_blank),
        (None, None) => text,
    };
    let end = text.len() - rest.len() + rest.find(is_blank).unwrap_or(rest.len());
    let (moved, words) = text.split_at(end);
    (moved, words.trim_matches(is_blank))
}

/// One game, six moves a line, comments behind their move.
///
/// # Errors
/// A record that is not legal shogi.
pub fn write(record: &GameRecord) -> Result<String, GameError> {
    let mut text = kif::write_head(record)? + "\n" + &kif::starred(&record.comments);
    let mut number = 0;
    let last = shogi_line::walk(record, |ply, position, mv| {
        number += 1;
        text += &japanese::format_move(position, mv);
        let comments =
            ply.remarks.as_ref().map_or_else(String::new, |remarks| kif::starred(&remarks.comments));
        match number % MOVES_A_LINE {
            _ if !comments.is_empty() => text += &format!("\n{comments}"),
            0 => text.push('\n'),
            _ => text.push(' '),
        }
    })?;
    text.truncate(text.trim_end().len());
    text.push('\n');
    let sentence = match &record.ending {
        Some(end) => {
            let names = kif::side_names(&shogi_line::position(&record.start)?);
            Some(kif::end_words(end, last.side_to_move(), names).1)
        }
        None => kif::kept_end(record),
    };
    if let Some(sentence) = sentence {
        text += &format!("まで{number}手で{sentence}\n");
        text += &kif::starred(record.end_remarks.as_ref().map_or(&[], |remarks| &remarks.comments));
    }
    Ok(text)
}

/// The qualifiers of a KI2 move besides square and piece.
#[derive(Default)]
struct Ki2Qualifiers {
    drop: bool,
    promote: bool,
    motion: Option<Motion>,
    straight: bool,
    left: bool,
    right: bool,
}

/// Why a text is no move of KI2 in a position. Each has the text, shortened.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Ki2MoveError {
    /// `同` needs a move before it.
    #[error("'{0}' follows no move")]
    FollowsNoMove(String),
    /// The text does not begin with a square.
    #[error("'{0}' names no square")]
    NoSquare(String),
    /// No piece stands behind the square.
    #[error("'{0}' names no piece")]
    NoPiece(String),
    /// Something stands behind the piece that is no qualifier.
    #[error("'{0}' ends in words that are not known")]
    UnknownWords(String),
    /// Several pieces can make the move.
    #[error("'{0}' may mean several moves")]
    Ambiguous(String),
    /// The move is not legal.
    #[error("'{0}' is not legal here")]
    Illegal(String),
}

/// The one legal move that `text` (without its mark) means.
///
/// # Errors
/// If it is no move, no legal one, or several.
pub fn find(position: &ShogiPosition, text: &str) -> Result<Move, Ki2MoveError> {
    let refuse = |why: fn(String) -> Ki2MoveError| why(shown(text));
    let (to, rest) = match text.strip_prefix('同') {
        Some(rest) => {
            let last = position.last_move();
            let to = last.is_some().then(|| last.to()).ok_or_else(|| refuse(Ki2MoveError::FollowsNoMove))?;
            (to, rest.trim_start_matches(is_blank))
        }
        None => {
            let ((file, rank), rest) =
                japanese::take_square(text).ok_or_else(|| refuse(Ki2MoveError::NoSquare))?;
            (Square::new(file - 1, rank - 1), rest.trim_start_matches(is_blank))
        }
    };
    let ((letter, promoted), rest) = japanese::take_man(rest).ok_or_else(|| refuse(Ki2MoveError::NoPiece))?;
    let plain = PieceKind::from_letter(letter).ok_or_else(|| refuse(Ki2MoveError::NoPiece))?;
    let kind = if promoted { plain.promoted() } else { plain };
    let said = read_words(rest).ok_or_else(|| refuse(Ki2MoveError::UnknownWords))?;
    let rivals = japanese::rivals(position, kind, to);
    if said.drop || rivals.is_empty() {
        let mv = Move::drop(plain, to);
        if promoted || plain == PieceKind::KING || !position.is_legal(mv) {
            return Err(refuse(Ki2MoveError::Illegal));
        }
        return Ok(mv);
    }
    let origin = choose(position, kind, &rivals, &said).ok_or_else(|| refuse(Ki2MoveError::Ambiguous))?;
    let mv = Move::step(origin, to, said.promote);
    if position.is_legal(mv) { Ok(mv) } else { Err(refuse(Ki2MoveError::Illegal)) }
}

fn read_words(text: &str) -> Option<Ki2Qualifiers> {
    let mut said = Ki2Qualifiers::default();
    let mut rest = text;
    while let Some(sign) = rest.chars().next() {
        if let Some(after) = rest.strip_prefix("不成").or_else(|| rest.strip_prefix("生")) {
            rest = after;
            continue;
        }
        match sign {
            '打' => said.drop = true,
            '成' => said.promote = true,
            '上' | '行' | '入' => said.motion = Some(Motion::Forward),
            '寄' => said.motion = Some(Motion::Sideways),
            '引' | '下' => said.motion = Some(Motion::Back),
            '直' => said.straight = true,
            '左' => said.left = true,
            '右' => said.right = true,
            _ => return None,
        }
        rest = rest.get(sign.len_utf8()..)?;
    }
    Some(said)
}

/// The origin that fits the words; `None` if several do.
fn choose(
    position: &ShogiPosition,
    kind: PieceKind,
    rivals: &[Move],
    said: &Ki2Qualifiers,
) -> Option<Square> {
    let side = position.side_to_move();
    let fits = |mv: &Move| {
        said.motion.is_none_or(|motion| japanese::motion(side, *mv) == motion)
            && (!said.straight || japanese::is_straight(side, *mv, kind))
    };
    let mut left: Vec<Move> = rivals.iter().copied().filter(fits).collect();
    let leftness = |mv: &Move| japanese::leftness(side, *mv);
    let extreme = if said.left {
        left.iter().map(leftness).max()
    } else if said.right {
        left.iter().map(leftness).min()
    } else {
        None
    };
    if let Some(extreme) = extreme {
        left.retain(|mv| leftness(mv) == extreme);
    }
    match *left.as_slice() {
        [only] => Some(only.from()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::RecordPly;
    use crate::referee::ending::Ending;
    use kaeshi_shogi::rules::sfen;

    /// The first game of a text.
    fn read(text: &str) -> Item {
        super::read(text).remove(0)
    }

    #[test]
    fn a_game_is_read() {
        let text = "手合割：平手\n先手：a\n後手：b\n\n▲７六歩 △３四歩 ▲２二角成\n△同　銀 ▲４五角\nまで5手で先手の勝ち\n";
        let record = read(text).unwrap();
        let turns: Vec<_> = record.plies.iter().map(|ply| ply.turn.as_str()).collect();
        assert_eq!(turns, ["7g7f", "3c3d", "8h2b+", "3a2b", "B*4e"]);
        assert_eq!(record.fault, None);
        assert_eq!(record.end.as_deref(), Some("5手で先手の勝ち"));
        assert!(text[..record.plies[0].end].ends_with("▲７六歩 "));
        assert_eq!(record.plies[3].line, 6);
    }

    /// Writing and reading are independent of each other, so each checks the other.
    #[test]
    fn every_legal_move_is_found_by_its_official_name() {
        for sfen in [
            kaeshi_shogi::rules::handicap::START,
            "R8/2K1S1SSk/4B4/9/9/9/9/9/1L1L1L3 b RBGSNLP3g3n17p 1",
            "4k4/9/9/3G1G3/3GG4/9/9/9/4K4 b 2r2b4s4n4l18p 1",
            "4k4/9/9/3+P1+P3/3+P+P+P3/9/9/9/4K4 b 2r2b4g4s4n4l13p 1",
            "4k4/9/3s1s3/9/3s1s3/9/9/9/4K4 w 2r2b4g4n4l18p 1",
            "8k/4+R4/9/9/4+R4/9/9/3+B5/4K2+B1 b 4g4s4n4l18p 1",
            "8k/9/9/2+R1+R4/9/9/9/4K4/9 b 2b4g4s4n4l18p 1",
        ] {
            let position = sfen::parse(sfen).unwrap();
            let mut names = std::collections::HashMap::new();
            for mv in position.legal_moves() {
                let name = japanese::format_move(&position, mv);
                let bare = name.trim_start_matches(MARKS).to_owned();
                assert_eq!(find(&position, &bare), Ok(mv), "{sfen}: {mv} is {bare}");
                assert_eq!(names.insert(bare, mv), None, "{sfen}: {mv}");
            }
        }
    }

    #[test]
    fn golds_are_distinguished_as_the_federation_does() {
        let position = sfen::parse("4k4/9/9/9/9/9/4P4/3G1G3/4K4 b 2r2b2g4s4n4l17p 1").unwrap();
        let name = |usi: &str| {
            japanese::format_move(
                &position,
                kaeshi_shogi::rules::notation::parse_move(&position, usi).unwrap(),
            )
        };
        assert_eq!(name("6h5h"), "▲５八金左");
        assert_eq!(name("4h5h"), "▲５八金右");
        assert_eq!(name("6h6g"), "▲６七金");
        let position = sfen::parse("4k4/9/9/9/9/9/3GGG3/9/4K4 b 2r2bg4s4n4l18p 1").unwrap();
        let name = |usi: &str| {
            japanese::format_move(
                &position,
                kaeshi_shogi::rules::notation::parse_move(&position, usi).unwrap(),
            )
        };
        assert_eq!(
            (name("6g5f"), name("5g5f"), name("4g5f")),
            ("▲５六金左".to_owned(), "▲５六金直".to_owned(), "▲５六金右".to_owned())
        );
    }

    #[test]
    fn what_means_nothing_or_too_much_is_refused() {
        let position = sfen::parse("4k4/9/9/9/9/9/4P4/3G1G3/4K4 b 2r2b2g4s4n4l17p 1").unwrap();
        for (text, why) in [
            ("５八金", "several"),
            ("５八銀", "not legal"),
            ("同　歩", "follows no move"),
            ("五", "no square"),
            ("５八", "no piece"),
            ("５八金右右右x", "not known"),
            ("５六王打", "not legal"),
        ] {
            assert!(find(&position, text).is_err_and(|reason| reason.to_string().contains(why)), "{text}");
        }
        let record = read("▲７六歩 △３四歩\n▲８八角\n").unwrap();
        assert_eq!(record.fault.map(|fault| fault.line), Some(2));
        assert_eq!(record.plies.len(), 2);
    }

    #[test]
    fn only_plain_pieces_are_dropped() {
        let position = sfen::parse("4k4/9/9/9/9/9/9/9/4K4 b P 1").unwrap();
        assert!(find(&position, "５五歩").is_ok() && find(&position, "５五歩打").is_ok());
        assert!(find(&position, "５五と").is_err_and(|reason| reason.to_string().contains("not legal")));
    }

    #[test]
    fn lines_of_moves_are_known() {
        for line in ["▲７六歩", "△同　銀", "☗７六歩 ☖３四歩"] {
            assert!(is_ki2_line(line), "{line}");
        }
        for line in ["", "▲", "▲x", "７六歩", "先手：a"] {
            assert!(!is_ki2_line(line), "{line}");
        }
    }

    #[test]
    fn what_surrounds_the_moves_is_passed_over() {
        let text = "*no move yet\n\n▲７六歩\n*good\n# a remark\n&栞\n\n△３四歩\nまで2手で中断\n▲２六歩\n";
        let record = read(text).unwrap();
        assert_eq!((record.plies.len(), record.end.as_deref()), (2, Some("2手で中断")));
        assert_eq!(record.plies[0].remarks.as_ref().unwrap().comments, ["good"]);
        assert!(record.ending.is_none() && record.plies[1].remarks.is_none());
        assert!(record.fault.is_some_and(|fault| fault.line == 10 && fault.reason.contains("after the end")));
        assert_eq!(record.comments, ["no move yet"]);
        for variation in ["変化：1手", "変化:1手"] {
            let before = read(&format!("{variation}\n手合割：平手\n▲７六歩 △３四歩\n")).unwrap();
            assert_eq!((before.plies.len(), before.fault), (2, None));
            let record = read(&format!("▲７六歩\n{variation}\n△３四歩\n")).unwrap();
            assert_eq!((record.plies.len(), record.fault), (1, None));
        }
        let broken = read("▲７六歩\nnonsense\n△３四歩\n").unwrap();
        assert_eq!((broken.plies.len(), broken.fault.map(|fault| fault.line)), (1, Some(2)));
        assert!(read("先手の持駒：歩\n▲７六歩\n").is_err());
        assert!(read("先手の持駒：歩\n").is_err());
    }

    #[test]
    fn the_end_may_stand_behind_the_last_move() {
        let start = "sfen 4k4/9/4P4/9/9/9/9/9/4K4 b G 1";
        let board = japanese::diagram(&shogi_line::position(start).unwrap());
        let text = format!("{board}\n▲５二金まで1手詰\n");
        let record = read(&text).unwrap();
        assert_eq!((record.plies[0].turn.as_str(), record.end.as_deref()), ("G*5b", Some("1手詰")));
        assert_eq!(record.ending, Some(Ending::new(Some(Side::First), EndCause::Mate)));
        assert!(text[..record.plies[0].end].ends_with("▲５二金") && record.fault.is_none());
        let record = read("▲７六歩 △３四歩まで2手で後手の勝ち\n").unwrap();
        assert_eq!((record.plies.len(), record.ending.unwrap().winner), (2, Some(Side::Second)));
    }

    #[test]
    fn several_games_are_several_records_and_other_text_is_reported() {
        let game = "先手：a\n後手：b\n手合割：平手\n\n▲７六歩 △３四歩\nまで2手で後手の勝ち\n\n";
        let games: Vec<GameRecord> = super::read(&game.repeat(3)).into_iter().map(Result::unwrap).collect();
        let lines: Vec<_> =
            games.iter().map(|game| (game.line, game.plies.len(), game.players[0].as_str())).collect();
        assert_eq!(lines, [(1, 2, "a"), (8, 2, "a"), (15, 2, "a")]);
        let signed = read(&format!("{game}-- \nTaro\n")).unwrap();
        assert_eq!((signed.plies.len(), signed.fault, signed.warnings[0].line), (2, None, 8));
        let kept = read("▲７六歩 △３四歩\nまで2手で中断\n*why\n").unwrap();
        assert!(write(&kept).unwrap().ends_with("まで2手で中断\n*why\n"));
    }

    fn all(text: &str) -> Vec<GameRecord> {
        super::read(text).into_iter().map(Result::unwrap).collect()
    }

    #[test]
    fn a_second_game_needs_no_handicap_line() {
        let ended = "▲７六歩 △３四歩\nまで2手で先手の勝ち\n\n";
        for text in [
            format!("先手：a\n後手：b\n\n{ended}先手：c\n後手：d\n\n▲２六歩 △８四歩\nまで2手で先手の勝ち\n"),
            format!("{ended}先手：c\n▲２六歩 △８四歩\n"),
            format!("{ended}▲２六歩 △８四歩\n"),
            "▲７六歩 △３四歩 投了\n\n▲２六歩 △８四歩\n投了\n".to_owned(),
            // Without an end, and without an empty line.
            "▲７六歩 △３四歩\n先手：c\n▲２六歩 △８四歩\n".to_owned(),
            "▲７六歩\n\n▲２六歩 △８四歩\n".to_owned(),
            "▲７六歩 投了\n▲２六歩 △８四歩\n".to_owned(),
        ] {
            let games = all(&text);
            assert_eq!(games.len(), 2, "{text}");
            assert!(games.iter().all(|game| game.fault.is_none() && game.warnings.is_empty()), "{text}");
            assert_eq!(games[1].plies[0].turn, "2g2f", "{text}");
            assert!(!games[0].plies.is_empty() && games[1].plies.len() == 2, "{text}");
            assert!(games[1].line > games[0].line);
        }
        // Moves that go on behind an empty line are of the same game.
        assert_eq!(all("▲７六歩 △３四歩\n\n▲２六歩 △８四歩\n").len(), 1);
        // Faulty moves of a variation, too.
        assert_eq!(
            all("▲７六歩 △３四歩\nまで2手で先手の勝ち\n\n変化：2手\n△８四歩\nまで2手で中断\n").len(),
            1
        );
    }

    #[test]
    fn a_word_behind_the_moves_ends_the_game() {
        use EndCause::{Illegal, Resign};
        for (text, moves, word, ending) in [
            ("▲７六歩 △３四歩 投了\n", 2, "投了", Some((Side::Second, Resign))),
            ("▲７六歩　△３四歩　投了\nまで2手で後手の勝ち\n", 2, "投了", Some((Side::Second, Resign))),
            ("▲７六歩 △３四歩\n投了\n", 2, "投了", Some((Side::Second, Resign))),
            ("▲７六歩 △３四歩 ▲２二角成 △同　銀 投了\n", 4, "投了", Some((Side::Second, Resign))),
            ("▲７六歩 △３四歩 Resign\n", 2, "Resign", None),
            ("▲７六歩 △３四歩\n時間切れ\n", 2, "時間切れ", None),
            // The foul is White's second move.
            ("▲７六歩 △３五歩\n反則負け\n", 1, "反則負け", Some((Side::First, Illegal))),
            ("▲７六歩 △３五歩\n反則勝ち\n", 1, "反則勝ち", Some((Side::First, Illegal))),
            ("▲７六歩 △３五歩 反則負け\n", 1, "反則負け", Some((Side::First, Illegal))),
            ("▲７六歩 △３五歩 反則勝ち\n", 1, "反則勝ち", Some((Side::First, Illegal))),
            (
                "▲７六歩 △３五歩\nまで2手で先手の反則勝ち\n",
                1,
                "2手で先手の反則勝ち",
                Some((Side::First, Illegal)),
            ),
            (
                "▲７六歩 △３五歩\nまで2手で反則により先手の勝ち\n",
                1,
                "2手で反則により先手の勝ち",
                Some((Side::First, Illegal)),
            ),
            ("▲７六歩 △３五歩 反則手\nまで2手で先手の反則勝ち\n", 1, "反則手", Some((Side::First, Illegal))),
        ] {
            let record = read(text).unwrap();
            assert_eq!(
                (record.fault, record.plies.len(), record.end.as_deref()),
                (None, moves, Some(word)),
                "{text}"
            );
            let got = record.ending.map(|end| (end.winner.unwrap(), end.cause.unwrap()));
            assert_eq!((got, record.warnings.is_empty()), (ending, true), "{text}");
            let before = record.plies.last().unwrap().end;
            assert!(before == text.len() || !text[..before].contains(word), "{text}");
        }
    }

    #[test]
    fn a_pass_has_its_message() {
        for text in ["▲７六歩 △パス\n", "▲７六歩 △パス ▲２六歩\nまで3手で先手の勝ち\n"]
        {
            let record = read(text).unwrap();
            assert_eq!((record.plies.len(), record.fault.unwrap().reason.as_str()), (1, NO_PASSES_IN_SHOGI));
        }
    }

    #[test]
    fn the_closing_sentence_tells_the_end() {
        use EndCause::*;
        for (said, end) in [
            ("先手の勝ち", Some((Some(Side::First), Resign))),
            ("時間切れにより先手の勝ち", Some((Some(Side::First), Time))),
            ("後手の反則負け", Some((Some(Side::First), Illegal))),
            ("先手の反則負け", Some((Some(Side::Second), Illegal))),
            ("後手の入玉勝ち", Some((Some(Side::Second), Declare))),
            ("千日手", Some((None, Repetition))),
            ("持将棋", Some((None, Impasse))),
            ("中断", None),
        ] {
            for sentence in [said.to_owned(), format!("1手で{said}")] {
                let record = read(&format!("▲７六歩\nまで{sentence}\n")).unwrap();
                assert_eq!(
                    record.ending,
                    end.map(|(winner, cause)| Ending::new(winner, cause)),
                    "{sentence}"
                );
            }
        }
    }

    #[test]
    fn six_moves_are_written_on_a_line_and_comments_behind_theirs() {
        let turns = ["7g7f", "3c3d", "2g2f", "8c8d", "2f2e", "8d8e", "6i7h"];
        let mut record = GameRecord::new(GAME, RecordFormat::Ki2, 1, "startpos");
        record.plies = turns.into_iter().map(RecordPly::new).collect();
        record.plies[2].remarks_mut().comments = vec!["one\ntwo".into()];
        record.ending = Some(Ending::new(Some(Side::First), EndCause::Resign));
        let wanted = "\
手合割：平手
先手：
後手：

▲７六歩 △３四歩 ▲２六歩
*one two
△８四歩 ▲２五歩 △８五歩
▲７八金
まで7手で先手の勝ち
";
        assert_eq!(write(&record).unwrap(), wanted);
    }
}
