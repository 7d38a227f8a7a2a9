//! Shogi as it is written in Japan: names of squares and pieces, and the official notation of a move.

use crate::rules::position::ShogiPosition;
use crate::rules::types::{Move, PieceKind, Square};
use kaeshi_core::game::Side;

/// The letters of pieces in hand, in the order of diagrams.
pub const HAND: [char; 7] = ['R', 'B', 'G', 'S', 'N', 'L', 'P'];
const WIDE: [char; 9] = ['１', '２', '３', '４', '５', '６', '７', '８', '９'];
const KANJI: [char; 9] = ['一', '二', '三', '四', '五', '六', '七', '八', '九'];

/// Names of pieces with their letters, two-sign names first.
const PIECES: [(&str, char, bool); 22] = [
    ("成香", 'L', true),
    ("成桂", 'N', true),
    ("成銀", 'S', true),
    ("歩", 'P', false),
    ("香", 'L', false),
    ("桂", 'N', false),
    ("銀", 'S', false),
    ("金", 'G', false),
    ("角", 'B', false),
    ("飛", 'R', false),
    ("玉", 'K', false),
    ("王", 'K', false),
    ("と", 'P', true),
    ("馬", 'B', true),
    ("龍", 'R', true),
    ("竜", 'R', true),
    ("杏", 'L', true),
    ("圭", 'N', true),
    ("全", 'S', true),
    ("步", 'P', false),
    ("个", 'P', true),
    ("ト", 'P', true),
];

/// Letter and promotion of a piece by its whole name.
pub fn man(name: &str) -> Option<(char, bool)> {
    PIECES.iter().find(|(known, ..)| *known == name).map(|&(_, letter, promoted)| (letter, promoted))
}

/// The piece whose name begins `text`, and what follows.
pub fn take_man(text: &str) -> Option<((char, bool), &str)> {
    PIECES.iter().find_map(|&(name, letter, promoted)| Some(((letter, promoted), text.strip_prefix(name)?)))
}

/// The number of a digit of any width or a numeral, from 1 to 9.
pub fn digit(sign: char) -> Option<u8> {
    let number = |found: usize| u8::try_from(found + 1).ok();
    match sign {
        '1'..='9' => u8::try_from(sign.to_digit(10)?).ok(),
        _ => WIDE
            .iter()
            .position(|&wide| wide == sign)
            .or_else(|| KANJI.iter().position(|&kanji| kanji == sign))
            .and_then(number),
    }
}

/// The square (file, rank) that begins `text`, and what follows.
pub fn take_square(text: &str) -> Option<((u8, u8), &str)> {
    let mut signs = text.chars();
    let file = digit(signs.next()?)?;
    let rank = digit(signs.next()?)?;
    Some(((file, rank), signs.as_str()))
}

/// A count as hands write it: up to 十八.
pub fn count(text: &str) -> Option<u8> {
    match text {
        "" => return Some(1),
        "十" => return Some(10),
        _ => {}
    }
    let mut signs = text.chars();
    let (first, second) = (signs.next()?, signs.next());
    match (first, second) {
        ('十', Some(unit)) => Some(10 + digit(unit)?),
        (only, None) => digit(only),
        _ => text.parse().ok().filter(|&number| number <= 18),
    }
}

/// `７六`.
pub fn square_name(square: Square) -> String {
    let sign = |row: [char; 9], index: u8| row.get(usize::from(index)).copied().unwrap_or('？');
    [sign(WIDE, square.file()), sign(KANJI, square.rank())].iter().collect()
}

/// `歩`, `成銀`, `龍` …
pub fn piece_name(kind: PieceKind) -> &'static str {
    PIECES
        .iter()
        .find(|(_, letter, promoted)| *letter == kind.letter() && *promoted == kind.is_promoted())
        .map_or("？", |&(name, ..)| name)
}

/// The one sign of a piece in a diagram: `歩`, `全`, `龍` …
fn piece_sign(kind: PieceKind) -> &'static str {
    let of_kind = PIECES
        .iter()
        .filter(|(_, letter, promoted)| *letter == kind.letter() && *promoted == kind.is_promoted());
    of_kind.map(|&(name, ..)| name).find(|name| name.chars().count() == 1).unwrap_or("？")
}

/// A board diagram (BOD) with the hands, and a line for White to move.
pub fn diagram(position: &ShogiPosition) -> String {
    let hand = |side: Side| hand_text(position, side);
    let mut text = format!("後手の持駒：{}\n", hand(Side::Second));
    text += "  ９ ８ ７ ６ ５ ４ ３ ２ １\n+---------------------------+\n";
    for (rank, number) in (0u8..).zip(KANJI) {
        text.push('|');
        for file in (0..9).rev() {
            match position.piece_on(Square::new(file, rank)).some() {
                None => text += " ・",
                Some(piece) => {
                    text.push(if piece.side() == Side::First { ' ' } else { 'v' });
                    text += piece_sign(piece.kind());
                }
            }
        }
        text += &format!("|{number}\n");
    }
    text += &format!("+---------------------------+\n先手の持駒：{}\n", hand(Side::First));
    if position.side_to_move() == Side::Second {
        text += "後手番\n";
    }
    text
}

/// A hand as diagrams write it: `飛　歩十一　`, or `なし`.
fn hand_text(position: &ShogiPosition, side: Side) -> String {
    let mut text = String::new();
    for kind in HAND.into_iter().filter_map(PieceKind::from_letter) {
        let count = position.hand(side).count(kind);
        if count > 0 {
            text += &format!("{}{}　", piece_name(kind), number_name(count));
        }
    }
    if text.is_empty() { "なし".to_owned() } else { text }
}

/// The number of pieces in a hand from 1 to 18; one is not written.
fn number_name(count: u32) -> String {
    let ones = usize::try_from(count % 10).ok().and_then(|ones| KANJI.get(ones.wrapping_sub(1)));
    match (count, ones) {
        (1, _) => String::new(),
        (10.., Some(ones)) => format!("十{ones}"),
        (10.., None) => "十".to_owned(),
        (_, ones) => ones.map(char::to_string).unwrap_or_default(),
    }
}

/// The kind of the piece that `mv` moves, before it promotes.
pub fn mover(position: &ShogiPosition, mv: Move) -> PieceKind {
    if mv.is_drop() { mv.dropped() } else { position.piece_on(mv.from()).kind() }
}

/// Which way a move goes, as the mover sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Motion {
    /// 上
    Forward,
    /// 寄
    Sideways,
    /// 引
    Back,
}

/// Which way a move on the board goes, for `side`.
pub fn motion(side: Side, mv: Move) -> Motion {
    let (from, to) = (mv.from().seen_by(side), mv.to().seen_by(side));
    match to.rank().cmp(&from.rank()) {
        std::cmp::Ordering::Less => Motion::Forward,
        std::cmp::Ordering::Equal => Motion::Sideways,
        std::cmp::Ordering::Greater => Motion::Back,
    }
}

/// Whether a move steps straight ahead from below, which gold and silver call 直.
pub fn is_straight(side: Side, mv: Move, kind: PieceKind) -> bool {
    let whole_line = matches!(kind, PieceKind::HORSE | PieceKind::DRAGON);
    !whole_line && mv.from().file() == mv.to().file() && motion(side, mv) == Motion::Forward
}

/// Whether `side` may promote a piece of this kind with this move.
pub fn may_promote(side: Side, kind: PieceKind, mv: Move) -> bool {
    let deep = |square: Square| square.seen_by(side).rank() < 3;
    kind.can_promote() && (deep(mv.from()) || deep(mv.to()))
}

/// How far to the left of the mover a move begins.
pub fn leftness(side: Side, mv: Move) -> u8 {
    mv.from().seen_by(side).file()
}

/// The legal moves on the board that bring a piece of `kind` to `to`, one for each origin.
pub fn rivals(position: &ShogiPosition, kind: PieceKind, to: Square) -> Vec<Move> {
    let mut moves: Vec<Move> = Vec::new();
    for mv in position.legal_moves() {
        let same = !mv.is_drop() && mv.to() == to && position.piece_on(mv.from()).kind() == kind;
        if same && moves.iter().all(|other| other.from() != mv.from()) {
            moves.push(mv);
        }
    }
    moves
}

/// A legal move in official notation: `▲７六歩`, `△同　銀`, `▲５八金右`, `△４五角打`.
pub fn format_move(position: &ShogiPosition, mv: Move) -> String {
    let side = position.side_to_move();
    let kind = mover(position, mv);
    let mut text = String::from(if side == Side::First { "▲" } else { "△" });
    let last = position.last_move();
    let name = piece_name(kind);
    if last.is_some() && last.to() == mv.to() {
        text.push('同');
        if name.chars().nth(1).is_none() {
            text.push('\u{3000}');
        }
    } else {
        text.push_str(&square_name(mv.to()));
    }
    text.push_str(name);
    let rivals = rivals(position, kind, mv.to());
    if mv.is_drop() {
        if !rivals.is_empty() {
            text.push('打');
        }
        return text;
    }
    text.push_str(&distinction(side, kind, mv, &rivals));
    if mv.is_promotion() {
        text.push('成');
    } else if may_promote(side, kind, mv) {
        text.push_str("不成");
    }
    text
}

/// The suffix that distinguishes `mv` from its rivals: nothing, 上, 寄, 引, 直, 左, 右, or two of them.
fn distinction(side: Side, kind: PieceKind, mv: Move, rivals: &[Move]) -> String {
    let others = || rivals.iter().copied().filter(|rival| rival.from() != mv.from());
    if others().next().is_none() {
        return String::new();
    }
    let way = match motion(side, mv) {
        Motion::Forward => "上",
        Motion::Sideways => "寄",
        Motion::Back => "引",
    };
    if others().all(|rival| motion(side, rival) != motion(side, mv)) {
        return way.to_owned();
    }
    if is_straight(side, mv, kind) {
        return "直".to_owned();
    }
    let left = leftness(side, mv);
    if others().all(|rival| leftness(side, rival) < left) {
        return "左".to_owned();
    }
    if others().all(|rival| leftness(side, rival) > left) {
        return "右".to_owned();
    }
    let alike = || others().filter(|&rival| motion(side, rival) == motion(side, mv));
    let hand = if alike().all(|rival| leftness(side, rival) < left) { "左" } else { "右" };
    format!("{hand}{way}")
}
