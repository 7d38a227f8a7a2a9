//! The entering king: who may declare a win by which rule, and the point counts.

use std::fmt;

use crate::rules::bitboard::Bitboard;
use crate::rules::position::ShogiPosition;
use crate::rules::types::{Move, PieceKind, Square};
use kaeshi_core::game::Side;

/// How a game may be won by bringing the king into the enemy camp.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum EnteringKingRule {
    /// Not at all.
    None,
    /// Declaration with 31 points.
    Csa24,
    /// As [`EnteringKingRule::Csa24`]; pieces missing in a handicap count for White, the giver.
    Csa24Handicap,
    /// Declaration with 28 points for Black and 27 for White.
    #[default]
    Csa27,
    /// As [`EnteringKingRule::Csa27`]; pieces missing in a handicap count for White, the giver.
    Csa27Handicap,
    /// The king moves to the place where the enemy king began.
    Try,
}

impl EnteringKingRule {
    /// The names under which USI knows the rules.
    pub const NAMES: [&'static str; 6] =
        ["NoEnteringKing", "CSARule24", "CSARule24H", "CSARule27", "CSARule27H", "TryRule"];
    const ALL: [EnteringKingRule; 6] = [
        EnteringKingRule::None,
        EnteringKingRule::Csa24,
        EnteringKingRule::Csa24Handicap,
        EnteringKingRule::Csa27,
        EnteringKingRule::Csa27Handicap,
        EnteringKingRule::Try,
    ];

    /// The rule of this name.
    pub fn from_name(name: &str) -> Option<EnteringKingRule> {
        EnteringKingRule::NAMES
            .iter()
            .zip(EnteringKingRule::ALL)
            .find_map(|(known, rule)| known.eq_ignore_ascii_case(name).then_some(rule))
    }

    /// Points that `side` needs; `missing` is what board and hands lack of a whole set.
    fn threshold(self, side: Side, missing: u32) -> Option<u32> {
        let handicap = if side == Side::Second { missing } else { 0 };
        match (self, side) {
            (EnteringKingRule::None | EnteringKingRule::Try, _) => None,
            (EnteringKingRule::Csa24, _) => Some(31),
            (EnteringKingRule::Csa24Handicap, _) => Some(31u32.saturating_sub(handicap)),
            (EnteringKingRule::Csa27, Side::First) | (EnteringKingRule::Csa27Handicap, Side::First) => {
                Some(28)
            }
            (EnteringKingRule::Csa27, Side::Second) => Some(27),
            (EnteringKingRule::Csa27Handicap, Side::Second) => Some(27u32.saturating_sub(handicap)),
        }
    }
}

impl fmt::Display for EnteringKingRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(EnteringKingRule::NAMES[*self as usize])
    }
}

/// Points that a whole set has, the kings not counted.
const SET_POINTS: u32 = 54;
/// Own pieces besides the king that must have entered.
const PIECES_ENTERED: u32 = 10;

/// Whether the side to move may declare a win here. Under [`EnteringKingRule::Try`] nothing is
/// declared: the winning move is played, see [`try_move`].
pub fn may_declare(position: &ShogiPosition, rule: EnteringKingRule) -> bool {
    let us = position.side_to_move();
    let camp = Bitboard::promotion_zone(us);
    let king = position.king(us);
    if matches!(rule, EnteringKingRule::None | EnteringKingRule::Try)
        || !king.is_some()
        || !camp.has(king)
        || position.in_check()
    {
        return false;
    }
    let entered = (position.of(us) & camp).count() - 1;
    if entered < PIECES_ENTERED {
        return false;
    }
    let missing = SET_POINTS.saturating_sub(total_points(position));
    rule.threshold(us, missing).is_some_and(|needed| declared_points(position, us) >= needed)
}

/// How far the side to move is from a declaration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DeclarationPoints {
    /// Points that count: of pieces in the enemy camp and in hand.
    pub points: u32,
    /// Points that are needed.
    pub needed: u32,
    /// Own pieces in the enemy camp beside the king; ten are needed.
    pub entered: u32,
}

/// The count of the side to move; `None` by rules without a declaration.
pub fn count(position: &ShogiPosition, rule: EnteringKingRule) -> Option<DeclarationPoints> {
    let us = position.side_to_move();
    let camp = Bitboard::promotion_zone(us) & position.of(us);
    let king = u32::from(camp.meets(position.kind(PieceKind::KING)));
    let missing = SET_POINTS.saturating_sub(total_points(position));
    let needed = rule.threshold(us, missing)?;
    Some(DeclarationPoints { points: declared_points(position, us), needed, entered: camp.count() - king })
}

/// The king's move that wins under the try rule, if there is one.
pub fn try_move(position: &ShogiPosition) -> Option<Move> {
    let us = position.side_to_move();
    let king = position.king(us);
    let goal = try_square(us);
    if !king.is_some() || king.distance(goal) != 1 {
        return None;
    }
    let mv = Move::step(king, goal, false);
    position.is_legal(mv).then_some(mv)
}

/// Where `side`'s king must go under the try rule.
pub fn try_square(side: Side) -> Square {
    Square::new(4, 0).seen_by(side)
}

/// Points that count in a declaration: pieces in the enemy camp and in hand.
pub fn declared_points(position: &ShogiPosition, side: Side) -> u32 {
    let camp = Bitboard::promotion_zone(side) & position.of(side);
    let big = camp & big_pieces(position);
    let king = u32::from(camp.meets(position.kind(PieceKind::KING)));
    camp.count() - king + 4 * big.count() + hand_points(position, side)
}

/// All points of `side` on board and in hand, as an impasse by agreement counts them: a
/// professional with less than 24 loses, an amateur with 27 wins (White at 27 to 27).
pub fn points(position: &ShogiPosition, side: Side) -> u32 {
    let own = position.of(side);
    (own & !position.kind(PieceKind::KING)).count()
        + 4 * (own & big_pieces(position)).count()
        + hand_points(position, side)
}

/// The points of both sides where both kings stand in the enemy camp, as counted by players who agree that neither side
/// will mate. Pieces missing in a handicap count for White, the giver (Japan Shogi Association, "Impasse" in the rules
/// of the game, <https://www.shogi.or.jp/faq/rules/>).
pub fn impasse_points(position: &ShogiPosition) -> Option<[u32; 2]> {
    let has_entered = |side| {
        let king = position.king(side);
        king.is_some() && Bitboard::promotion_zone(side).has(king)
    };
    if !Side::BOTH.into_iter().all(has_entered) {
        return None;
    }
    let [black, white] = Side::BOTH.map(|side| points(position, side));
    Some([black, white + SET_POINTS.saturating_sub(black + white)])
}

fn big_pieces(position: &ShogiPosition) -> Bitboard {
    position.kind(PieceKind::ROOK)
        | position.kind(PieceKind::BISHOP)
        | position.kind(PieceKind::HORSE)
        | position.kind(PieceKind::DRAGON)
}

fn hand_points(position: &ShogiPosition, side: Side) -> u32 {
    let hand = position.hand(side);
    hand.total() + 4 * (hand.count(PieceKind::ROOK) + hand.count(PieceKind::BISHOP))
}

fn total_points(position: &ShogiPosition) -> u32 {
    points(position, Side::First) + points(position, Side::Second)
}

#[cfg(test)]
mod tests {
    use super::EnteringKingRule::*;
    use super::*;
    use crate::rules::sfen::parse;

    #[track_caller]
    fn wins(sfen: &str, expected: &[EnteringKingRule]) {
        let position = parse(sfen).unwrap();
        for rule in [None, Csa24, Csa24Handicap, Csa27, Csa27Handicap] {
            assert_eq!(may_declare(&position, rule), expected.contains(&rule), "{rule}: {sfen}");
        }
    }

    #[test]
    fn black_needs_28_or_31_points_ten_pieces_and_a_king_out_of_check() {
        let a = "+P+P+P+P1+R+BK1/+N+N+L+L5/9/9/9/9/9/4k4/9 b ";
        wins(&format!("{a}R5P 1"), &[Csa27, Csa27Handicap]);
        wins(&format!("{a}R4P 1"), &[]);
        wins(&format!("{a}R8P 1"), &[Csa24, Csa24Handicap, Csa27, Csa27Handicap]);
        wins("+P+P+P+P1+R+BK1/+N+N+L6/9/9/9/9/9/4k4/9 b R6P 1", &[]);
        wins("+P+P+P+P1+R+BK1/+N+N+L6/9/+L8/9/9/9/4k4/9 b R6P 1", &[]);
        wins("+P+P+P+P1+R+B2/+N+N+L+L5/9/7K1/9/9/9/4k4/9 b R8P 1", &[]);
        wins("+P+P+P+P1+R+BKr/+N+N+L+L5/9/9/9/9/9/4k4/9 b 6P 1", &[]);
    }

    #[test]
    fn white_needs_27_points_and_the_handicap_counts_for_it() {
        let b = "9/4K4/9/9/9/9/9/5+l+l+n+n/1k+b+r1+p+p+p+p w ";
        wins(&format!("{b}r4p 1"), &[Csa24Handicap, Csa27, Csa27Handicap]);
        // A diagram that shows only part of the set is taken for a handicap game.
        wins(&format!("{b}r3p 1"), &[Csa24Handicap, Csa27Handicap]);
    }

    #[test]
    fn only_the_camp_and_the_hand_count_and_the_king_never() {
        // 28 points; the rook in hand stood outside, at 23, or in the camp, at 28.
        let all = &[Csa27, Csa27Handicap];
        wins("+P+P+P+P1+R+BK1/+N+N+L+L5/9/9/9/9/9/4k4/9 b R5P 1", all);
        wins("+P+P+P+P1+R+BK1/+N+N+L+L5/9/R8/9/9/9/4k4/9 b 5P 1", &[]);
        wins("+P+P+P+P1+R+BK1/+N+N+L+L5/R8/9/9/9/9/4k4/9 b 5P 1", all);
        // Enemy pieces in the camp are neither entered pieces nor points.
        wins("+P+P+P+P1+R+BK1/+N+N+L1b4/9/9/9/9/9/4k4/9 b R6P 1", &[]);
        let position = parse("+P+P+P+P1+R+BK1/+N+N+L1b4/9/8P/9/9/9/4k4/9 b R6P 1").unwrap();
        assert_eq!(declared_points(&position, Side::First), 7 + 5 + 5 + 5 + 6);
        // Nine pieces and the king are not ten.
        wins("1+P+P+P1+R+BK1/+N+N+L+L5/9/9/9/9/9/4k4/9 b R9P 1", &[]);
    }

    #[test]
    fn in_an_even_game_nothing_is_missing() {
        let game = |ours: &str, theirs: &str| {
            format!("9/4K4/9/9/9/9/9/5+l+l+n+n/1k1gs+p+p+p+p w RB3G3S2N2L{theirs}rb{ours} 1")
        };
        assert_eq!(total_points(&parse(&game("6p", "8P")).unwrap()), SET_POINTS);
        assert_eq!(total_points(&parse(crate::rules::handicap::START).unwrap()), SET_POINTS);
        wins(&game("6p", "8P"), &[]);
        wins(&game("7p", "7P"), &[Csa27, Csa27Handicap]);
        wins(&game("10p", "4P"), &[Csa27, Csa27Handicap]);
        wins(&game("11p", "3P"), &[Csa24, Csa24Handicap, Csa27, Csa27Handicap]);
    }

    /// A set without a rook and a bishop: 44 points.
    #[test]
    fn what_the_giver_of_a_handicap_gave_away_counts_for_him() {
        let game = |ours: &str, theirs: &str| {
            format!("9/4K4/9/9/9/9/9/5+l+l+n+n/1k1gs+p+p+p+p w RB3G3S2N2L{theirs}{ours} 1")
        };
        let short = parse(&game("6p", "8P")).unwrap();
        assert_eq!(total_points(&short), SET_POINTS - 10);
        assert_eq!(declared_points(&short, Side::Second), 16);
        wins(&game("6p", "8P"), &[]);
        wins(&game("7p", "7P"), &[Csa27Handicap]);
        wins(&game("11p", "3P"), &[Csa24Handicap, Csa27Handicap]);
        wins(&game("10p", "4P"), &[Csa27Handicap]);
        // Black, who got the handicap, needs as much as ever.
        let black = |rest: &str| format!("+P+P+P+P1+R+BK1/+N+N+L+L5/9/9/9/9/9/4k4/9 b {rest} 1");
        wins(&black("9P4g4s2n2l5p"), &[]);
        wins(&black("10P4g4s2n2l4p"), &[Csa27, Csa27Handicap]);
    }

    #[test]
    fn the_try_is_a_king_move_to_a_safe_place() {
        let position = parse("9/4K4/9/9/9/9/4k4/9/9 b 2r2b4g4s4n4l18p 1").unwrap();
        assert_eq!(try_move(&position).map(|mv| mv.to_string()), Some("5b5a".to_owned()));
        assert_eq!(try_move(&parse("8r/4K4/9/9/9/9/4k4/9/9 b r2b4g4s4n4l18p 1").unwrap()), Option::None);
        assert_eq!(try_move(&parse("4G4/4K4/9/9/9/9/4k4/9/9 b - 1").unwrap()), Option::None);
        let far = parse("9/4K4/9/9/9/9/9/4k4/9 b 2r2b4g4s4n4l18p 1").unwrap();
        assert_eq!(try_move(&far).map(|mv| mv.to_string()), Some("5b5a".to_owned()));
        assert_eq!(try_move(&parse("8r/4K4/9/9/9/9/9/4k4/9 b r2b4g4s4n4l18p 1").unwrap()), Option::None);
        let white = parse("9/9/9/9/9/9/9/3k5/6K2 w - 1").unwrap();
        assert_eq!(try_move(&white).map(|mv| mv.to_string()), Some("6h5i".to_owned()));
        // In check, too.
        let checked = parse("9/4K4/9/9/9/9/4r4/9/4k4 b - 1").unwrap();
        assert!(checked.in_check() && try_move(&checked).is_none(), "5a is on the rook's file");
        let checked = parse("9/r3K4/9/9/9/9/9/9/4k4 b - 1").unwrap();
        assert!(checked.in_check() && try_move(&checked).is_some());
    }

    #[test]
    fn points_by_agreement_count_the_whole_board() {
        let start = parse(crate::rules::handicap::START).unwrap();
        assert_eq!(points(&start, Side::First), 27);
        assert_eq!(points(&start, Side::Second), 27);
    }

    #[test]
    fn an_impasse_is_counted_where_both_kings_have_entered() {
        let table = [
            // Both entered: all men count, wherever they stand.
            ("K8/9/9/9/9/9/9/9/8k b 2R2B4G4S4N4L18P 1", Some([54, 0])),
            ("4K4/9/4R4/9/9/9/4r4/9/4k4 b B2G2S2N2L9Pb2g2s2n2l9p 1", Some([27, 27])),
            ("4K4/9/4+R4/9/9/9/4+r4/9/4k4 w B2G2S2N2L6Pb2g2s2n2l12p 1", Some([24, 30])),
            // A king on its fourth rank has not entered.
            ("9/9/9/K8/9/9/9/9/8k b 2R2B4G4S4N4L18P 1", Option::None),
            ("K8/9/9/9/9/k8/9/9/9 b 2R2B4G4S4N4L18P 1", Option::None),
            ("K8/9/9/9/9/9/9/9/9 b 2R2B4G4S4N4L18P 1", Option::None),
            // Without White's rook and bishop, as after a handicap of two pieces.
            ("4K4/9/9/9/9/9/9/9/4k4 b RB2G2S2N2L9P2g2s2n2l9p 1", Some([27, 27])),
        ];
        for (sfen, counted) in table {
            assert_eq!(impasse_points(&parse(sfen).unwrap()), counted, "{sfen}");
        }
        assert_eq!(impasse_points(&parse(crate::rules::handicap::START).unwrap()), Option::None);
    }

    #[test]
    fn names_are_read_back() {
        for rule in EnteringKingRule::ALL {
            assert_eq!(EnteringKingRule::from_name(&rule.to_string()), Some(rule));
        }
        assert_eq!(EnteringKingRule::from_name("CSARule28"), Option::None);
    }
}
