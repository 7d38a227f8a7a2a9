//! A game with its variations: positions by the rules of the game, behind one object for all games.

use std::collections::BTreeMap;

use super::view::{Better, Claim, GameOver, PlyView, Reason, TryOutFrame, TurnChoice, TurnDraft};
use kaeshi_core::game::facts::GameInfo;
use kaeshi_core::game::picture::{Picture, TurnPicture};
use kaeshi_core::game::{Game, GameError, GameOutcome, Side};

/// Origin and destination of a turn.
fn ends(picture: &Picture, turn: &TurnPicture) -> (Option<String>, Option<String>) {
    let name = |cell: u16| picture.names.get(usize::from(cell)).cloned();
    let held = |kind: &'static str| match picture.to_move {
        Side::First => kind.to_owned(),
        Side::Second => kind.to_ascii_lowercase(),
    };
    (turn.from.and_then(name).or(turn.dropped.map(held)), turn.to.first().copied().and_then(name))
}

/// A turn in Japanese without the signs of the sides and blanks, all numbers as ASCII digits.
fn plain(text: &str) -> String {
    let digit = |sign: char| {
        "一二三四五六七八九".chars().chain("１２３４５６７８９".chars()).position(|one| one == sign)
    };
    let sign = |sign: char| match sign {
        '▲' | '△' | '▼' | '▽' | '☗' | '☖' => None,
        '竜' => Some('龍'),
        '王' => Some('玉'),
        _ if sign.is_whitespace() => None,
        _ => Some(digit(sign).map_or(sign, |place| char::from(b'1' + (place % 9) as u8))),
    };
    text.chars().filter_map(sign).collect()
}

/// The square where a turn of shogi ends, as [`plain`] writes it: `76` for `7g7f`.
fn plain_square(turn: &str) -> String {
    let square = turn.trim_end_matches('+').as_bytes();
    match square {
        [.., file @ b'1'..=b'9', rank @ b'a'..=b'i'] => {
            [char::from(*file), char::from(b'1' + rank - b'a')].iter().collect()
        }
        _ => String::new(),
    }
}

/// A game with its variations. Node 0 is the start; the first child of a node is its main line.
pub(super) trait AnyGameTree: Send {
    fn facts(&self) -> &'static GameInfo;
    /// The start, for [`kaeshi_core::game::GameNotation::parse_position`].
    fn start(&self) -> &str;
    /// All turns; the first is none.
    fn plies(&self) -> &[PlyView];
    fn side(&self, node: usize) -> Side;
    fn outcome(&self, node: usize) -> Option<GameOutcome>;
    /// Plays a turn, or goes to where it was played already.
    ///
    /// # Errors
    /// Why it is illegal.
    fn play(&mut self, node: usize, turn: &str) -> Result<usize, GameError>;
    /// Removes a node and everything behind it; returns the new number of its parent.
    fn remove(&mut self, node: usize) -> usize;
    /// Makes the line that leads to `node` the main one; returns its new number.
    fn promote(&mut self, node: usize) -> usize;
    fn picture(&self, node: usize) -> Picture;
    /// Squares that the last turn touched, and those it turned over.
    fn last(&self, node: usize) -> (Vec<String>, Vec<String>);
    fn position(&self, node: usize) -> String;
    /// Turns by where they begin and end; none where turns are put together stone by stone.
    fn choices(&self, node: usize) -> Vec<TurnChoice>;
    fn effects(&self, node: usize) -> BTreeMap<String, [usize; 2]>;
    fn draft(&self, node: usize, stones: &[String]) -> Option<(TurnDraft, Picture)>;
    fn drafted(&self, stones: &[String]) -> Option<String>;
    fn may_pass(&self, node: usize) -> bool;
    fn must_pass(&self, node: usize) -> bool;
    fn may_claim(&self, node: usize) -> bool;
    fn claim(&self, node: usize) -> Option<Claim>;
    fn impasse_points(&self, node: usize) -> Option<[u32; 2]>;
    /// A line of turns as people write it, as far as it is legal: in Japanese and in Western notation, where that
    /// is otherwise than protocols do.
    fn written_line(&self, node: usize, turns: &[String]) -> [Option<String>; 2];
    /// The legal turn that a person wrote in the local language (`７六歩`, `同銀`, `45角打`), in the words of the protocol.
    fn local_turn(&self, node: usize, text: &str) -> Option<String>;
    /// Sets the value of the position at `node` in hundredths for the first side, and whether it is proven.
    fn set_value(&mut self, node: usize, value: Option<(i32, bool)>);
    /// Sets the grade of the turn to `node` (1 to 3, the worst), and a better turn.
    fn set_grade(&mut self, node: usize, grade: Option<u8>, better: Option<Better>);
    /// Sets the end after the turn to `node` that the rules do not see.
    fn set_end(&mut self, node: usize, end: Option<GameOver>);
    /// Sets the comment on the turn to `node`, and the milliseconds that were used for it.
    fn set_remarks(&mut self, node: usize, comment: Option<String>, used: Option<u64>);
    /// Whether a line of turns can be played from `node`.
    ///
    /// # Errors
    /// Why the first turn that cannot be played is refused.
    fn check_line(&self, node: usize, turns: &[String]) -> Result<(), GameError>;
    /// The positions of a line of turns, as far as it is legal.
    fn frames(&self, node: usize, turns: &[String]) -> Vec<TryOutFrame>;

    /// The turns from the start to `node`.
    fn turns(&self, node: usize) -> Vec<String> {
        self.path(node).into_iter().map(|id| self.plies()[id].t.clone()).collect()
    }

    /// The nodes from the start to `node`, the start left out.
    fn path(&self, node: usize) -> Vec<usize> {
        let mut path = Vec::new();
        let mut id = node;
        while id > 0 {
            path.push(id);
            id = self.plies()[id].parent;
        }
        path.reverse();
        path
    }

    /// The end of the main line behind `node`.
    fn main_end(&self, node: usize) -> usize {
        let mut at = node;
        while let Some(next) = self.child(at) {
            at = next;
        }
        at
    }

    /// The other turns at the place of the turn to `node`, if that is the first one there.
    fn siblings(&self, node: usize) -> Vec<usize> {
        let parent = self.plies()[node].parent;
        if self.child(parent) != Some(node) {
            return Vec::new();
        }
        let same = |id: &usize| *id != node && self.plies()[*id].parent == parent;
        (1..self.plies().len()).filter(same).collect()
    }

    /// The first turn after `node`.
    fn child(&self, node: usize) -> Option<usize> {
        self.plies().iter().enumerate().skip(1).find(|(_, ply)| ply.parent == node).map(|(id, _)| id)
    }
}

/// The tree of a known game.
pub(super) struct GameTree<G: Game> {
    game: G,
    start: String,
    plies: Vec<PlyView>,
    positions: Vec<G::Position>,
    turns: Vec<Option<G::Turn>>,
}

impl<G: Game> GameTree<G> {
    /// A tree that begins at `start`; at the usual start of this size for `None`.
    ///
    /// # Errors
    /// The position is invalid.
    pub(super) fn new(start: Option<&str>, size: u8) -> Result<GameTree<G>, GameError> {
        let game = G::load(&G::Settings::default())?;
        let position = match start {
            Some(text) => game.parse_position(text)?,
            None => game.start_of_size(size),
        };
        let start = G::FACTS.notation.position_argument(&game.format_position(&position));
        Ok(GameTree {
            game,
            start,
            plies: vec![PlyView::default()],
            positions: vec![position],
            turns: vec![None],
        })
    }

    /// Squares that a turn touches, and those that it turns over.
    fn touched(&self, before: &G::Position, turn: &G::Turn) -> (Vec<String>, Vec<String>) {
        let (picture, shown) = (self.game.picture(before), self.game.turn_picture(before, turn));
        let names = |cells: &[u16]| -> Vec<String> {
            cells.iter().filter_map(|&cell| picture.names.get(usize::from(cell)).cloned()).collect()
        };
        let (from, _) = ends(&picture, &shown);
        (from.into_iter().chain(names(&shown.to)).collect(), names(&shown.captured))
    }

    /// Keeps these nodes in this order; returns the new number of each old one.
    fn keep(&mut self, order: &[usize]) -> Vec<Option<usize>> {
        let mut numbers = vec![None; self.plies.len()];
        for (new, &old) in order.iter().enumerate() {
            numbers[old] = Some(new);
        }
        self.plies = order.iter().map(|&old| self.plies[old].clone()).collect();
        for ply in &mut self.plies {
            ply.parent = numbers[ply.parent].unwrap_or(0);
        }
        self.positions = order.iter().map(|&old| self.positions[old].clone()).collect();
        self.turns = order.iter().map(|&old| self.turns[old].clone()).collect();
        numbers
    }
}

impl<G: Game> AnyGameTree for GameTree<G> {
    fn facts(&self) -> &'static GameInfo {
        G::FACTS
    }

    fn start(&self) -> &str {
        &self.start
    }

    fn plies(&self) -> &[PlyView] {
        &self.plies
    }

    fn side(&self, node: usize) -> Side {
        self.game.side_to_move(&self.positions[node])
    }

    fn outcome(&self, node: usize) -> Option<GameOutcome> {
        self.game.outcome(&self.positions[node])
    }

    fn play(&mut self, node: usize, text: &str) -> Result<usize, GameError> {
        let before = &self.positions[node];
        let turn = self.game.parse_turn(before, text)?;
        let known = self.plies.iter().enumerate().skip(1);
        for (id, ply) in known {
            if ply.parent == node && self.turns[id].as_ref() == Some(&turn) {
                return Ok(id);
            }
        }
        let ply = PlyView {
            parent: node,
            ply: self.plies[node].ply + 1,
            by: self.game.side_to_move(before).index(),
            t: self.game.format_turn(before, &turn),
            j: self.game.local_text(before, &turn),
            w: self.game.western_text(before, &turn),
            ..PlyView::default()
        };
        let mut after = before.clone();
        self.game.play(&mut after, &turn);
        self.plies.push(ply);
        self.positions.push(after);
        self.turns.push(Some(turn));
        Ok(self.plies.len() - 1)
    }

    fn remove(&mut self, node: usize) -> usize {
        let parent = self.plies[node].parent;
        if node == 0 {
            return 0;
        }
        let order: Vec<usize> = (0..self.plies.len()).filter(|&id| !self.path(id).contains(&node)).collect();
        self.keep(&order)[parent].unwrap_or(0)
    }

    fn promote(&mut self, node: usize) -> usize {
        let path = self.path(node);
        let mut order = vec![0];
        order.extend(&path);
        order.extend((1..self.plies.len()).filter(|id| !path.contains(id)));
        self.keep(&order)[node].unwrap_or(0)
    }

    fn picture(&self, node: usize) -> Picture {
        self.game.picture(&self.positions[node])
    }

    fn last(&self, node: usize) -> (Vec<String>, Vec<String>) {
        let Some(turn) = &self.turns[node] else { return Default::default() };
        self.touched(&self.positions[self.plies[node].parent], turn)
    }

    fn position(&self, node: usize) -> String {
        G::FACTS.notation.position_argument(&self.game.format_position(&self.positions[node]))
    }

    fn choices(&self, node: usize) -> Vec<TurnChoice> {
        if G::FACTS.rules.drafts {
            return Vec::new();
        }
        let position = &self.positions[node];
        let picture = self.game.picture(position);
        let mut choices: Vec<TurnChoice> = Vec::new();
        for turn in self.game.turns(position) {
            let (from, to) = ends(&picture, &self.game.turn_picture(position, &turn));
            let Some(to) = to else { continue };
            let text = self.game.format_turn(position, &turn);
            match choices.iter_mut().find(|choice| choice.from == from && choice.to == to) {
                Some(choice) => choice.turns.push(text),
                None => choices.push(TurnChoice { from, to, turns: vec![text] }),
            }
        }
        choices
    }

    fn effects(&self, node: usize) -> BTreeMap<String, [usize; 2]> {
        self.game.effects(&self.positions[node])
    }

    fn draft(&self, node: usize, stones: &[String]) -> Option<(TurnDraft, Picture)> {
        self.game.draft(&self.positions[node], stones)
    }

    fn drafted(&self, stones: &[String]) -> Option<String> {
        self.game.drafted(stones)
    }

    fn may_pass(&self, node: usize) -> bool {
        self.game.may_pass(&self.positions[node])
    }

    fn must_pass(&self, node: usize) -> bool {
        let position = &self.positions[node];
        self.game.may_pass(position) && self.game.draft(position, &[]).is_none()
    }

    fn may_claim(&self, node: usize) -> bool {
        self.game.may_claim_win(&self.positions[node])
    }

    fn claim(&self, node: usize) -> Option<Claim> {
        self.game.claim(&self.positions[node])
    }

    fn impasse_points(&self, node: usize) -> Option<[u32; 2]> {
        self.game.impasse_points(&self.positions[node])
    }

    fn written_line(&self, node: usize, turns: &[String]) -> [Option<String>; 2] {
        let mut position = self.positions[node].clone();
        let (mut local, mut western) = (Vec::new(), Vec::new());
        for text in turns {
            let Ok(turn) = self.game.parse_turn(&position, text) else { break };
            local.extend(self.game.local_text(&position, &turn));
            western.extend(self.game.western_text(&position, &turn));
            self.game.play(&mut position, &turn);
        }
        [local, western].map(|texts| (!texts.is_empty()).then(|| texts.join(" ")))
    }

    fn local_turn(&self, node: usize, text: &str) -> Option<String> {
        let (position, wanted) = (&self.positions[node], plain(text));
        self.game.turns(position).iter().find_map(|turn| {
            let known = plain(&self.game.local_text(position, turn)?);
            let written = self.game.format_turn(position, turn);
            let named = known.replace('同', &plain_square(&written));
            let same =
                |known: &str| known == wanted || written.contains('*') && known.to_owned() + "打" == wanted;
            (same(&known) || same(&named)).then_some(written)
        })
    }

    fn set_value(&mut self, node: usize, value: Option<(i32, bool)>) {
        let ply = &mut self.plies[node];
        (ply.s, ply.x) = (value.map(|(value, _)| value), value.is_some_and(|(_, proven)| proven));
    }

    fn set_grade(&mut self, node: usize, grade: Option<u8>, better: Option<Better>) {
        let ply = &mut self.plies[node];
        (ply.g, ply.b) = (grade, better);
    }

    fn set_end(&mut self, node: usize, end: Option<GameOver>) {
        self.plies[node].e = end;
    }

    fn set_remarks(&mut self, node: usize, comment: Option<String>, used: Option<u64>) {
        let ply = &mut self.plies[node];
        (ply.c, ply.u) = (comment, used);
    }

    fn check_line(&self, node: usize, turns: &[String]) -> Result<(), GameError> {
        let mut position = self.positions[node].clone();
        for text in turns {
            let turn = self.game.parse_turn(&position, text)?;
            self.game.play(&mut position, &turn);
        }
        Ok(())
    }

    fn frames(&self, node: usize, turns: &[String]) -> Vec<TryOutFrame> {
        let mut position = self.positions[node].clone();
        let mut frames = Vec::new();
        for text in turns {
            let Ok(turn) = self.game.parse_turn(&position, text) else { break };
            let (last, turned) = self.touched(&position, &turn);
            let (t, j) = (self.game.format_turn(&position, &turn), self.game.local_text(&position, &turn));
            let w = self.game.western_text(&position, &turn);
            self.game.play(&mut position, &turn);
            frames.push(TryOutFrame { picture: self.game.picture(&position), last, turned, t, j, w });
        }
        frames
    }
}

/// Why a turn that was typed is refused.
pub(super) fn illegal(rejected: GameError) -> Reason {
    Reason::with_text("illegal", rejected)
}
