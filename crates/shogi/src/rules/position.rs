//! The position: board, hands, whose turn it is, and the way that led here.

use crate::rules::attacks::{
    attacks, between, bishop_attacks, bishop_rays, lance_attacks, lance_ray, rook_attacks, rook_rays,
    step_attacks,
};
use crate::rules::bitboard::Bitboard;
use crate::rules::hand::Hand;
use crate::rules::material;
use crate::rules::types::{Move, Piece, PieceKind, Square};
use crate::rules::zobrist;
use kaeshi_core::game::Side;

/// A shogi position with the history its rules need.
#[derive(Clone, Debug)]
pub struct ShogiPosition {
    kinds: [Bitboard; 16],
    sides: [Bitboard; 2],
    board: [Piece; 128],
    hands: [Hand; 2],
    kings: [Square; 2],
    side: Side,
    first_number: u32,
    board_key: u64,
    hand_key: u64,
    checkers: Bitboard,
    pinned: Bitboard,
    /// For each side twice the number of its latest moves that were checks without a break.
    check_runs: [u16; 2],
    past: Vec<Past>,
}

/// The state before a move, by which it is taken back and repetitions are found.
#[derive(Clone, Copy, Debug)]
pub struct Past {
    pub(crate) board_key: u64,
    hand_key: u64,
    checkers: Bitboard,
    pinned: Bitboard,
    pub hands: [Hand; 2],
    check_runs: [u16; 2],
    /// The move made in that position; none for a pass.
    pub played: Move,
    /// The piece that moved, as it then stood; none for a pass.
    pub moved: Piece,
    pub captured: Piece,
}

impl Past {
    /// Key of the whole position without its history.
    #[inline(always)]
    pub fn key(&self) -> u64 {
        self.board_key.wrapping_add(self.hand_key)
    }
}

impl Default for ShogiPosition {
    /// The board without any piece, Black to move.
    fn default() -> ShogiPosition {
        ShogiPosition {
            kinds: [Bitboard::EMPTY; 16],
            sides: [Bitboard::EMPTY; 2],
            board: [Piece::NONE; 128],
            hands: [Hand::EMPTY; 2],
            kings: [Square::NONE; 2],
            side: Side::First,
            first_number: 1,
            board_key: 0,
            hand_key: 0,
            checkers: Bitboard::EMPTY,
            pinned: Bitboard::EMPTY,
            check_runs: [0; 2],
            past: Vec::new(),
        }
    }
}

impl ShogiPosition {
    /// The side to move.
    #[inline(always)]
    pub fn side_to_move(&self) -> Side {
        self.side
    }

    /// The piece on `square`; [`Piece::NONE`] on an empty one.
    #[inline(always)]
    pub fn piece_on(&self, square: Square) -> Piece {
        self.board[square.index()]
    }

    /// The piece on each square, by its index; [`Piece::NONE`] behind the last square.
    #[inline(always)]
    pub fn board(&self) -> &[Piece; 128] {
        &self.board
    }

    /// The squares of all pieces of `kind`.
    #[inline(always)]
    pub fn kind(&self, kind: PieceKind) -> Bitboard {
        self.kinds[kind.index()]
    }

    /// The squares of `side`'s pieces.
    #[inline(always)]
    pub fn of(&self, side: Side) -> Bitboard {
        self.sides[side as usize]
    }

    /// The squares of `side`'s pieces of `kind`.
    #[inline(always)]
    pub fn pieces(&self, side: Side, kind: PieceKind) -> Bitboard {
        self.kinds[kind.index()] & self.sides[side as usize]
    }

    /// The squares of golds and of what moves like them.
    #[inline(always)]
    pub fn goldlike(&self) -> Bitboard {
        self.kind(PieceKind::GOLD)
            | self.kind(PieceKind::TOKIN)
            | self.kind(PieceKind::PRO_LANCE)
            | self.kind(PieceKind::PRO_KNIGHT)
            | self.kind(PieceKind::PRO_SILVER)
    }

    /// All occupied squares.
    #[inline(always)]
    pub fn occupied(&self) -> Bitboard {
        self.sides[0] | self.sides[1]
    }

    /// The pieces in hand of `side`.
    #[inline(always)]
    pub fn hand(&self, side: Side) -> Hand {
        self.hands[side as usize]
    }

    /// The pieces in hand of both sides.
    #[inline(always)]
    pub fn hands(&self) -> [Hand; 2] {
        self.hands
    }

    /// Where `side`'s king stands; [`Square::NONE`] if it has none.
    #[inline(always)]
    pub fn king(&self, side: Side) -> Square {
        self.kings[side as usize]
    }

    /// The pieces that give check to the side to move.
    #[inline(always)]
    pub fn checkers(&self) -> Bitboard {
        self.checkers
    }

    /// Whether the side to move is in check.
    #[inline(always)]
    pub fn in_check(&self) -> bool {
        self.checkers.any()
    }

    /// The pieces of the side to move that shield their king from a slider.
    #[inline(always)]
    pub fn pinned(&self) -> Bitboard {
        self.pinned
    }

    /// Key of board and side to move, without hands.
    #[inline(always)]
    pub fn board_key(&self) -> u64 {
        self.board_key
    }

    /// Key of the whole position without its history.
    #[inline(always)]
    pub fn key(&self) -> u64 {
        self.board_key.wrapping_add(self.hand_key)
    }

    /// Number of the next move; 1 at the start of a game.
    pub fn move_number(&self) -> u32 {
        self.first_number + self.past.len() as u32
    }

    /// How many moves were made since the position was set up.
    #[inline(always)]
    pub fn plies_made(&self) -> usize {
        self.past.len()
    }

    /// The move that led here; none at the first position and after a pass.
    #[inline(always)]
    pub fn last_move(&self) -> Move {
        self.past.last().map_or(Move::NONE, |past| past.played)
    }

    /// The piece that the last move captured.
    #[inline(always)]
    pub fn last_captured(&self) -> Piece {
        self.past.last().map_or(Piece::NONE, |past| past.captured)
    }

    #[inline(always)]
    pub fn past(&self) -> &[Past] {
        &self.past
    }

    /// Twice the number of `side`'s latest moves that were checks without a break.
    #[inline(always)]
    pub(crate) fn check_run(&self, side: Side) -> usize {
        usize::from(self.check_runs[side as usize])
    }

    pub fn set_move_number(&mut self, number: u32) {
        self.first_number = number;
    }

    pub(crate) fn set_side_to_move(&mut self, side: Side) {
        if side != self.side {
            self.side = side;
            self.board_key ^= zobrist::white_to_move();
        }
    }

    pub(crate) fn put_in_hand(&mut self, side: Side, kind: PieceKind) {
        self.hands[side as usize] = self.hands[side as usize].with(kind);
        self.hand_key = self.hand_key.wrapping_add(zobrist::in_hand(side, kind));
    }

    #[inline(always)]
    fn take_from_hand(&mut self, side: Side, kind: PieceKind) {
        self.hands[side as usize] = self.hands[side as usize].without(kind);
        self.hand_key = self.hand_key.wrapping_sub(zobrist::in_hand(side, kind));
    }

    /// Puts a piece on an empty square; [`ShogiPosition::refresh`] must follow.
    pub fn put(&mut self, piece: Piece, square: Square) {
        self.toggle(piece, square);
        self.board[square.index()] = piece;
        if piece.kind() == PieceKind::KING {
            self.kings[piece.side() as usize] = square;
        }
    }

    #[inline(always)]
    fn toggle(&mut self, piece: Piece, square: Square) {
        let bit = Bitboard::of(square);
        self.kinds[piece.kind().index()] ^= bit;
        self.sides[piece.side() as usize] ^= bit;
        self.board_key ^= zobrist::on_board(piece, square);
    }

    #[inline(always)]
    fn toggle_keyless(&mut self, piece: Piece, square: Square) {
        let bit = Bitboard::of(square);
        self.kinds[piece.kind().index()] ^= bit;
        self.sides[piece.side() as usize] ^= bit;
    }

    /// Recomputes checkers and pins, and clears the history.
    pub fn refresh(&mut self) {
        self.past.clear();
        self.check_runs = [0; 2];
        let king = self.king(self.side);
        let (_, pinned) = self.sliders_at(self.side);
        self.pinned = pinned;
        self.checkers = if king.is_some() {
            self.attackers(self.side.other(), king, self.occupied())
        } else {
            Bitboard::EMPTY
        };
    }

    /// The pieces of `side` that attack `square`, given the occupied squares.
    #[inline(always)]
    pub fn attackers(&self, side: Side, square: Square, occupied: Bitboard) -> Bitboard {
        let seen = side.other();
        let dragons = self.kind(PieceKind::DRAGON);
        let horses = self.kind(PieceKind::HORSE);
        let found = (step_attacks(seen, PieceKind::PAWN, square) & self.kind(PieceKind::PAWN))
            | (lance_attacks(seen, square, occupied) & self.kind(PieceKind::LANCE))
            | (step_attacks(seen, PieceKind::KNIGHT, square) & self.kind(PieceKind::KNIGHT))
            | (step_attacks(seen, PieceKind::SILVER, square) & self.kind(PieceKind::SILVER))
            | (step_attacks(seen, PieceKind::GOLD, square) & self.goldlike())
            | (step_attacks(seen, PieceKind::KING, square) & (self.kind(PieceKind::KING) | horses | dragons))
            | (bishop_attacks(square, occupied) & (self.kind(PieceKind::BISHOP) | horses))
            | (rook_attacks(square, occupied) & (self.kind(PieceKind::ROOK) | dragons));
        found & self.of(side)
    }

    /// Whether `side` attacks `square`, given the occupied squares.
    #[inline(always)]
    pub fn is_attacked(&self, side: Side, square: Square, occupied: Bitboard) -> bool {
        self.attackers(side, square, occupied).any()
    }

    /// The squares that the piece on `square` attacks.
    #[inline(always)]
    pub fn attacks_from(&self, square: Square) -> Bitboard {
        let piece = self.piece_on(square);
        attacks(piece.side(), piece.kind(), square, self.occupied())
    }

    /// Enemy sliders that would attack `side`'s king on an empty board.
    #[inline(always)]
    pub(crate) fn snipers(&self, side: Side) -> Bitboard {
        let king = self.king(side);
        let found = (rook_rays(king) & (self.kind(PieceKind::ROOK) | self.kind(PieceKind::DRAGON)))
            | (bishop_rays(king) & (self.kind(PieceKind::BISHOP) | self.kind(PieceKind::HORSE)))
            | (lance_ray(side, king) & self.kind(PieceKind::LANCE));
        found & self.of(side.other())
    }

    /// Sliders that check `side`'s king, and the pieces of `side` that alone stand in a slider's way.
    #[inline(always)]
    fn sliders_at(&self, side: Side) -> (Bitboard, Bitboard) {
        let king = self.king(side);
        let (mut checkers, mut pinned) = (Bitboard::EMPTY, Bitboard::EMPTY);
        if !king.is_some() {
            return (checkers, pinned);
        }
        for sniper in self.snipers(side) {
            let shield = between(king, sniper) & self.occupied();
            if shield.is_empty() {
                checkers |= Bitboard::of(sniper);
            } else if !shield.many() {
                pinned |= shield & self.of(side);
            }
        }
        (checkers, pinned)
    }

    /// Pieces of either side that alone stand between `side`'s king and an enemy slider.
    pub(crate) fn shields(&self, side: Side) -> Bitboard {
        let king = self.king(side);
        let mut shields = Bitboard::EMPTY;
        if king.is_some() {
            for sniper in self.snipers(side) {
                let shield = between(king, sniper) & self.occupied();
                if !shield.many() {
                    shields |= shield;
                }
            }
        }
        shields
    }

    /// The immediate gain of `mv` in material, in centipawns for its side: the captured piece, which also goes into the
    /// hand, and the promotion.
    #[inline(always)]
    pub fn gain(&self, mv: Move) -> i32 {
        if mv.is_drop() {
            return 0;
        }
        let captured = self.piece_on(mv.to());
        let mut gain = 0;
        if captured.is_some() {
            let kind = captured.kind();
            gain += material::ON_BOARD[kind.index()] + material::IN_HAND[kind.plain().index()];
        }
        if mv.is_promotion() {
            let kind = self.piece_on(mv.from()).kind();
            gain += material::ON_BOARD[kind.promoted().index()] - material::ON_BOARD[kind.index()];
        }
        gain
    }

    /// Makes a legal move.
    #[inline(always)]
    pub fn make(&mut self, mv: Move) {
        let us = self.side;
        let them = us.other();
        let to = mv.to();
        let captured = self.board[to.index()];
        let piece = if mv.is_drop() { Piece::new(us, mv.dropped()) } else { self.board[mv.from().index()] };
        let moved = if mv.is_promotion() { Piece::new(us, piece.kind().promoted()) } else { piece };
        self.past.push(Past {
            board_key: self.board_key,
            hand_key: self.hand_key,
            checkers: self.checkers,
            pinned: self.pinned,
            hands: self.hands,
            check_runs: self.check_runs,
            played: mv,
            moved,
            captured,
        });
        if mv.is_drop() {
            self.take_from_hand(us, mv.dropped());
        } else {
            let from = mv.from();
            if captured.is_some() {
                self.toggle(captured, to);
                self.put_in_hand(us, captured.kind().plain());
            }
            self.toggle(piece, from);
            self.board[from.index()] = Piece::NONE;
            if piece.kind() == PieceKind::KING {
                self.kings[us as usize] = to;
            }
        }
        self.toggle(moved, to);
        self.board[to.index()] = moved;
        self.side = them;
        self.board_key ^= zobrist::white_to_move();

        let king = self.king(them);
        let (sliding, pinned) = self.sliders_at(them);
        let direct =
            if step_attacks(us, moved.kind(), to).has(king) { Bitboard::of(to) } else { Bitboard::EMPTY };
        self.checkers = sliding | direct;
        self.pinned = pinned;
        let run = &mut self.check_runs[us as usize];
        *run = if self.checkers.any() { run.saturating_add(2) } else { 0 };
    }

    /// Takes the last move back.
    #[inline(always)]
    pub fn unmake(&mut self) {
        let Some(past) = self.past.pop() else { return };
        let us = self.side.other();
        let mv = past.played;
        let to = mv.to();
        let moved = self.board[to.index()];
        self.toggle_keyless(moved, to);
        self.board[to.index()] = past.captured;
        if !mv.is_drop() {
            let from = mv.from();
            let piece = if mv.is_promotion() { Piece::new(us, moved.kind().plain()) } else { moved };
            self.toggle_keyless(piece, from);
            self.board[from.index()] = piece;
            if past.captured.is_some() {
                self.toggle_keyless(past.captured, to);
            }
            if piece.kind() == PieceKind::KING {
                self.kings[us as usize] = from;
            }
        }
        self.side = us;
        self.restore(&past);
    }

    /// Passes; the side to move must not be in check.
    pub(crate) fn make_pass(&mut self) {
        self.past.push(Past {
            board_key: self.board_key,
            hand_key: self.hand_key,
            checkers: self.checkers,
            pinned: self.pinned,
            hands: self.hands,
            check_runs: self.check_runs,
            played: Move::NONE,
            moved: Piece::NONE,
            captured: Piece::NONE,
        });
        self.side = self.side.other();
        self.board_key ^= zobrist::white_to_move();
        self.checkers = Bitboard::EMPTY;
        self.pinned = self.sliders_at(self.side).1;
        self.check_runs = [0; 2];
    }

    /// Takes a pass back.
    pub(crate) fn unmake_pass(&mut self) {
        let Some(past) = self.past.pop() else { return };
        self.side = self.side.other();
        self.restore(&past);
    }

    #[inline(always)]
    fn restore(&mut self, past: &Past) {
        self.board_key = past.board_key;
        self.hand_key = past.hand_key;
        self.checkers = past.checkers;
        self.pinned = past.pinned;
        self.hands = past.hands;
        self.check_runs = past.check_runs;
    }
}
