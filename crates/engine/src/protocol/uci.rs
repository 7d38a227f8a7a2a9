//! UCI for shogi and Reversi, as Fairy-Stockfish and its clients speak it: `UCI_Variant` names the game.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, clippy::todo)]

use std::collections::VecDeque;
use std::io::{self, Write};

use crate::games::GameName;
use crate::protocol::record::GameHistory;
use crate::protocol::usi::{write_identity, write_shared};
use crate::protocol::vocabulary::{CommandWord, UCI};
use crate::protocol::{Protocol, ProtocolCommand, go_words, tokens, words};
use kaeshi_core::driver::event::{Best, EngineEvent, Info};
use kaeshi_core::game::GameError;
use kaeshi_core::game::options::{OptionKind, OptionLine};
use kaeshi_core::game::score::Score;
use kaeshi_core::time::Instant;
use kaeshi_reversi::rules::notation as reversi_notation;
use kaeshi_reversi::rules::position::ReversiPosition;

use notation::Variant;

pub mod notation;

/// Options of Fairy-Stockfish that the engine has under another name.
const RENAMED: [(&str, &str); 2] = [("Skill Level", "SkillLevel"), ("UCI_AnalyseMode", "ConsiderationMode")];

/// A speaker of UCI.
#[derive(Debug)]
pub struct UciProtocol {
    /// The game and the position that were sent last.
    now: SentPosition,
    /// Positions of the unanswered searches: other positions may have been sent since.
    searched: VecDeque<SentPosition>,
    /// The moves of the last `position` as they were sent: messages about a faulty move quote this word.
    sent: Vec<String>,
}

/// The position by which moves are translated.
#[derive(Clone, Copy, Debug)]
struct SentPosition {
    /// `None` for a game that UCI has no name for: its own words are passed on.
    variant: Option<Variant>,
    /// The position of Reversi: a pass is named after a disc on the board.
    reversi: ReversiPosition,
}

impl Protocol for UciProtocol {
    fn parse(&mut self, line: &str, received: Instant) -> Result<ProtocolCommand, GameError> {
        if let Some(command) = words::parse_shared(line) {
            return self.with_engine_names(command?);
        }
        let mut rest = line.split_whitespace();
        let Some(first) = rest.next() else { return Ok(ProtocolCommand::Nothing) };
        match UCI.command_word(first) {
            Some(CommandWord::Hello) => Ok(ProtocolCommand::Hello),
            Some(CommandWord::NewGame) => Ok(ProtocolCommand::NewGame),
            Some(CommandWord::Position) => Ok(self.with_engine_turns(tokens::position(rest))),
            Some(CommandWord::Go) => Ok(self.with_engine_turns(go_words::go(rest, &UCI.go, received))),
            Some(CommandWord::PonderHit) => Ok(go_words::ponder_hit(rest, &UCI.go, received)),
            Some(CommandWord::GetOption) => Ok(tokens::get_option(rest)),
            Some(CommandWord::GameOver | CommandWord::Query) | None => {
                tokens::debug_word(&UCI, first, rest).unwrap_or_else(|| Err(tokens::unknown(line)))
            }
        }
    }

    fn write(&mut self, event: &EngineEvent, out: &mut dyn Write) -> io::Result<()> {
        match event {
            EngineEvent::Hello(options) => hello(options, out),
            EngineEvent::Info(info) => {
                let pv = self.answered().words(&info.pv);
                let info = Info { score: in_moves(info.score), pv, ..info.clone() };
                writeln!(out, "{}", words::info(&info))
            }
            EngineEvent::Best(best) => {
                let answered = self.answered();
                self.searched.pop_front();
                write_best(best, &answered, out)
            }
            EngineEvent::Message(text) => writeln!(out, "{}", words::info_string(text)),
            EngineEvent::Text(text) => {
                writeln!(out, "{text}")?;
                let fen =
                    self.now.variant.and_then(|variant| text.lines().find_map(|line| variant.fen(line)));
                // Clients look for this line in the answer to `d`.
                fen.map_or(Ok(()), |fen| writeln!(out, "Fen: {fen}"))
            }
            other => write_shared(other, out),
        }
    }

    fn reworded(&self, reason: GameError) -> GameError {
        reason.map_reason(|text| self.refusal(&text).unwrap_or(text))
    }
}

fn hello(options: &[OptionLine], out: &mut dyn Write) -> io::Result<()> {
    write_identity(out)?;
    for OptionLine { name, kind, .. } in options {
        match kind {
            OptionKind::Combo(game, _) if *name == "Game" => {
                let shown = Variant::of_game(game).map_or(*game, Variant::name);
                let kind = OptionKind::Combo(shown, Variant::NAMES.to_vec());
                writeln!(out, "{}", words::option("UCI_Variant", &kind))?;
            }
            // UCI has no type for files, and libraries refuse unknown types.
            OptionKind::File(default) => {
                writeln!(out, "{}", words::option(name, &OptionKind::Text(default)))?;
            }
            kind => writeln!(out, "{}", words::option(name, kind))?,
        }
    }
    writeln!(out, "{}", UCI.hello_done)
}

fn write_best(best: &Best, answered: &SentPosition, out: &mut dyn Write) -> io::Result<()> {
    match best {
        Best::Turn { turn, ponder } => {
            let turns: Vec<String> = [turn.clone()].into_iter().chain(ponder.clone()).collect();
            let mut words = answered.words(&turns).into_iter();
            let best = Best::Turn { turn: words.next().unwrap_or_default(), ponder: words.next() };
            writeln!(out, "{}", UCI.best_move(&best))
        }
        // UCI has no word for them, and a client would take one for a move.
        Best::Resign => without_move("resigns", out),
        Best::Win => without_move("declares the win", out),
        Best::None => writeln!(out, "{}", UCI.best_move(best)),
    }
}

impl UciProtocol {
    /// A speaker about `game`.
    pub fn new(game: &str) -> UciProtocol {
        let now = SentPosition { variant: Variant::of_game(game), reversi: ReversiPosition::START };
        UciProtocol { now, searched: VecDeque::new(), sent: Vec::new() }
    }

    /// The position of the oldest unanswered search.
    fn answered(&self) -> SentPosition {
        self.searched.front().copied().unwrap_or(self.now)
    }

    /// An option by the engine's name.
    fn with_engine_names(&mut self, command: ProtocolCommand) -> Result<ProtocolCommand, GameError> {
        let ProtocolCommand::SetOption { name, value } = command else { return Ok(command) };
        if name.eq_ignore_ascii_case("UCI_Variant") {
            let variant = Variant::by_name(&value).ok_or_else(|| {
                let (value, names) = (words::abbreviated(&value), Variant::NAMES.join(" "));
                GameError::option(format!("option UCI_Variant: '{value}' is not one of: {names}"))
            })?;
            if self.now.variant != Some(variant) {
                self.now = SentPosition { variant: Some(variant), reversi: ReversiPosition::START };
            }
            return Ok(ProtocolCommand::SetOption {
                name: "Game".to_owned(),
                value: variant.game().to_owned(),
            });
        }
        if name.eq_ignore_ascii_case("Game")
            && let Some(game) =
                GameName::ALL.iter().find(|game| game.name().eq_ignore_ascii_case(value.trim()))
        {
            self.now =
                SentPosition { variant: Variant::of_game(game.name()), reversi: ReversiPosition::START };
        }
        let renamed = RENAMED.iter().find(|(known, _)| known.eq_ignore_ascii_case(&name));
        let name = renamed.map_or(name, |(_, ours)| (*ours).to_owned());
        // Fairy-Stockfish has levels below 0, too.
        let below = name == "SkillLevel" && value.starts_with('-');
        Ok(ProtocolCommand::SetOption { name, value: if below { "0".to_owned() } else { value } })
    }

    /// The command with position and moves in the notation of the game.
    fn with_engine_turns(&mut self, command: ProtocolCommand) -> ProtocolCommand {
        if let ProtocolCommand::Batch(commands) = command {
            let commands = commands.into_iter().map(|each| self.with_engine_turns(each));
            return ProtocolCommand::Batch(commands.collect());
        }
        if let ProtocolCommand::Go(_) = &command {
            self.searched.push_back(self.now);
        }
        let Some(variant) = self.now.variant else { return command };
        match command {
            ProtocolCommand::Position { text, turns } => {
                let text = variant.position(&text);
                self.sent = turns;
                let turns: Vec<String> = self.sent.iter().map(|turn| variant.turn(turn)).collect();
                if variant == Variant::Othello {
                    let mut record =
                        reversi_notation::parse_position(&text).map(GameHistory::from).unwrap_or_default();
                    // The engine plays them, too, and reports faults.
                    let _ = turns.iter().try_for_each(|turn| record.play(None, turn));
                    self.now.reversi = *record.now();
                }
                ProtocolCommand::Position { text, turns }
            }
            ProtocolCommand::Go(mut limits) => {
                for turn in &mut limits.turns {
                    *turn = variant.turn(turn);
                }
                ProtocolCommand::Go(limits)
            }
            other => other,
        }
    }

    /// A text that refuses a move of the last `position`, with the word that was sent.
    fn refusal(&self, text: &str) -> Option<String> {
        let variant = self.now.variant?;
        let (_, rest) = text.split_once("move ")?;
        let number: usize = rest.split(' ').next()?.parse().ok()?;
        let sent = self.sent.get(number.checked_sub(1)?)?;
        let turn = variant.turn(sent);
        let refused = turn != *sent && rest.starts_with(&format!("{number} '{turn}'"));
        refused.then(|| variant.reworded(text, &turn, sent))
    }
}

impl SentPosition {
    /// A line of the game in the words of UCI.
    fn words(&self, turns: &[String]) -> Vec<String> {
        let Some(variant) = self.variant else { return turns.to_vec() };
        match variant {
            Variant::Shogi => turns.iter().map(|turn| variant.word(turn)).collect(),
            Variant::Othello => {
                let mut record = GameHistory::from(self.reversi);
                let word = |turn: &String| {
                    let passes = turn == "pass";
                    let word = if passes { notation::pass(record.now().board) } else { variant.word(turn) };
                    record.play(None, turn).ok().map(|()| word)
                };
                turns.iter().map_while(word).collect()
            }
        }
    }
}

/// UCI counts mates in moves, not in plies.
fn in_moves(score: Score) -> Score {
    match score {
        Score::MateIn(plies) => Score::MateIn(plies.div_ceil(2)),
        Score::MatedIn(plies) => Score::MatedIn(plies.div_ceil(2)),
        Score::Cp(_) | Score::Exact(_) => score,
    }
}

fn without_move(why: &str, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "{}", words::info_string(why))?;
    writeln!(out, "bestmove (none)")
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::panic)]
mod tests {
    use super::*;

    fn shogi() -> UciProtocol {
        UciProtocol::new("shogi")
    }

    fn othello() -> UciProtocol {
        UciProtocol::new("reversi")
    }

    fn written(uci: &mut UciProtocol, event: &EngineEvent) -> String {
        let mut out = Vec::new();
        uci.write(event, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    fn best(turn: &str, ponder: Option<&str>) -> EngineEvent {
        EngineEvent::Best(Best::Turn { turn: turn.into(), ponder: ponder.map(Into::into) })
    }

    #[test]
    fn the_variant_chooses_the_game() {
        let mut uci = shogi();
        let mut set = |line: &str| uci.parse(line, Instant::now());
        let game = |game: &str| Ok(ProtocolCommand::SetOption { name: "Game".into(), value: game.into() });
        assert_eq!(set("setoption name UCI_Variant value flipello"), game("reversi"));
        assert_eq!(set("setoption name uci_variant value Othello"), game("reversi"));
        assert_eq!(set("setoption name UCI_Variant value shogi"), game("shogi"));
        let game_option = |game: &str| {
            let mut uci = shogi();
            uci.parse(&format!("setoption name game value {game}"), Instant::now()).unwrap();
            uci.now.variant
        };
        assert_eq!(game_option("Reversi"), Some(Variant::Othello));
        assert_eq!(game_option("sygo"), None);
        assert_eq!(game_option("chess"), Some(Variant::Shogi), "the engine refuses it");
        let refused = set("setoption name UCI_Variant value chess").unwrap_err().to_string();
        assert!(refused.contains("'chess' is not one of: shogi flipello othello"), "{refused}");
        let level =
            |value: &str| Ok(ProtocolCommand::SetOption { name: "SkillLevel".into(), value: value.into() });
        assert_eq!(set("setoption name Skill Level value 7"), level("7"));
        assert_eq!(set("setoption name Skill Level value -9"), level("0"));
    }

    #[test]
    fn what_comes_in_is_in_the_words_of_the_game() {
        let mut uci = shogi();
        let line = "position startpos moves c3c4 g7g6 b2h8+";
        let Ok(ProtocolCommand::Position { turns, .. }) = uci.parse(line, Instant::now()) else {
            panic!("{line}")
        };
        assert_eq!(turns, ["7g7f", "3c3d", "8h2b+"]);
        let line = "go wtime 1000 btime 2000 winc 10 binc 20 searchmoves c3c4 P@e5";
        let Ok(ProtocolCommand::Go(limits)) = uci.parse(line, Instant::now()) else { panic!("{line}") };
        assert_eq!(limits.turns, ["7g7f", "P*5e"]);
        assert_eq!(limits.clocks.unwrap().map(|clock| clock.left.as_millis()), [1000, 2000]);
        let Ok(ProtocolCommand::Go(limits)) = uci.parse("go mate 3 nodes 9", Instant::now()) else {
            panic!("mate")
        };
        assert_eq!((limits.depth, limits.nodes, limits.mate), (Some(5), Some(9), None));
    }

    #[test]
    fn what_goes_out_is_in_the_words_of_uci() {
        let mut uci = shogi();
        assert_eq!(written(&mut uci, &best("7g7f", Some("3c3d"))), "bestmove c3c4 ponder g7g6\n");
        assert_eq!(written(&mut uci, &best("P*5e", None)), "bestmove P@e5\n");
        let resigned = written(&mut uci, &EngineEvent::Best(Best::Resign));
        assert_eq!(resigned, "info string resigns\nbestmove (none)\n");
        assert_eq!(in_moves(Score::MateIn(5)), Score::MateIn(3));
        assert_eq!(in_moves(Score::MatedIn(4)), Score::MatedIn(2));
    }

    #[test]
    fn a_refusal_has_the_word_that_was_sent() {
        let mut uci = shogi();
        let said = |uci: &mut UciProtocol, moves: &str, text: &str| {
            uci.parse(&format!("position startpos moves {moves}"), Instant::now()).unwrap();
            uci.reworded(GameError::turn(text)).reason().to_owned()
        };
        let text = "move 2 'P*5e': P*5e is illegal: there is no pawn in hand";
        let shown = "move 2 'P@e5': P@e5 is illegal: there is no pawn in hand";
        assert_eq!(said(&mut uci, "c3c4 P@e5", text), shown);
        let text = "move 1 '7g7e': 7g7e is illegal: the pawn does not reach 7e";
        let shown = "move 1 'c3c5': c3c5 is illegal: the pawn does not reach c5";
        assert_eq!(said(&mut uci, "c3c5", text), shown);
        // Words that are no moves of UCI, and other messages, stay unchanged.
        for text in ["move 1 '7g7e': 7g7e is illegal", "move 3 '7g7e'", "move", "book.db: 7g7e is illegal"] {
            assert_eq!(said(&mut uci, "7g7e", text), text);
        }
        let text = "move 1 'a8': a8 turns no disc over";
        assert_eq!(said(&mut othello(), "P@a1", text), "move 1 'P@a1': P@a1 turns no disc over");
        let text = "move 1 'pass': a side that can move may not pass";
        let shown = "move 1 '0000': a side that can move may not pass";
        assert_eq!(said(&mut othello(), "0000", text), shown);
    }

    #[test]
    fn a_pass_is_named_after_a_disc() {
        let mut uci = othello();
        // The only empty square is h8, from which nothing can be turned over by the side to move.
        let fen = "ppppppp1/pppppppP/pppppppP/pppppppP/pppppppP/pppppppP/pppppppP/pppppppp w 0 1";
        uci.parse(&format!("position fen {fen}"), Instant::now()).unwrap();
        assert!(uci.now.reversi.board.moves() == 0, "{:?}", uci.now);
        assert_eq!(written(&mut uci, &best("pass", Some("h1"))), "bestmove h2h2 ponder P@h8\n");
    }

    #[test]
    fn hello_offers_the_variants() {
        let options = [OptionLine::new("Game", OptionKind::Combo("reversi", vec!["shogi", "reversi"]), "")];
        let mut uci = othello();
        let hello = written(&mut uci, &EngineEvent::Hello(options.to_vec()));
        assert!(
            hello.ends_with("option name UCI_Variant type combo default flipello var shogi var flipello var othello\nuciok\n"),
            "{hello}"
        );
    }

    #[test]
    fn an_answer_is_about_the_position_that_was_searched() {
        let mut uci = shogi();
        let mut read = |line: &str| drop(uci.parse(line, Instant::now()).unwrap());
        read("go infinite");
        read("setoption name UCI_Variant value othello");
        read("position startpos moves P@d6");
        read("go depth 1");
        read("position startpos");
        assert_eq!(written(&mut uci, &best("7g7f", None)), "bestmove c3c4\n");
        // White's reply to d6 of UCI, d3 of the game: not legal at the start.
        assert_eq!(written(&mut uci, &best("c3", None)), "bestmove P@c6\n");
        assert_eq!(written(&mut uci, &best("d3", None)), "bestmove P@d6\n", "nothing is asked");
    }
}
