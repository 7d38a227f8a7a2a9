//! USI, UGI and UCI: the protocols with `position`, `go` and `bestmove`.

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use kaeshi_core::game::Side;

use super::{
    ClockConvention, DialogueError, GameStart, GoAnswer, Identity, ProtocolClient, ProtocolQuirks, Times,
    await_line,
};
use crate::dialogue::engine_process::EngineProcess;
use crate::dialogue::engine_process::reader::OutputLine;
use crate::dialogue::info;
use crate::dialogue::limits::ThinkingLimit;
use crate::dialogue::moved::JournalMove;
use kaeshi_core::driver::clock::{Limits, SideClock};
use kaeshi_core::driver::event::Best;
use kaeshi_engine::protocol::option_line::Declared;
use kaeshi_engine::protocol::uci::notation::{Translator, Variant};
use kaeshi_engine::protocol::vocabulary::{UCI, USI, Vocabulary, read_best_move};
use kaeshi_records::referee::ending::GameResult;

/// A speaker of USI, UGI or UCI.
#[derive(Debug)]
pub struct UsiUgiClient {
    words: &'static Vocabulary,
    quirks: ProtocolQuirks,
    /// `position … moves …`, grown turn by turn.
    position: String,
    has_turns: bool,
    /// Turns in the words of UCI.
    translator: Option<Translator>,
}

impl UsiUgiClient {
    /// Speaks USI, UGI or UCI by its vocabulary.
    pub fn new(words: &'static Vocabulary, quirks: ProtocolQuirks) -> UsiUgiClient {
        UsiUgiClient { words, quirks, position: String::new(), has_turns: false, translator: None }
    }

    fn is_usi(&self) -> bool {
        self.words.hello == USI.hello
    }

    fn add_turn(&mut self, turn: &str) {
        if !self.has_turns {
            self.position.push_str(" moves");
            self.has_turns = true;
        }
        self.position.push(' ');
        match &mut self.translator {
            Some(translator) => self.position.push_str(&translator.next(turn)),
            None => self.position.push_str(turn),
        }
    }

    /// Clock of `side` without byoyomi; its main time in whole milliseconds.
    fn clock(&self, times: &Times, side: Side) -> SideClock {
        let increment = match times.limits[side.index()] {
            ThinkingLimit::Clock { increment, .. } => increment,
            _ => Duration::ZERO,
        };
        let rest = times.rest_us[side.index()];
        let rest = if self.is_usi() && self.quirks.reading == ClockConvention::Book {
            rest.saturating_sub(increment.as_micros() as u64)
        } else {
            rest
        };
        SideClock { left: Duration::from_millis(rest / 1000), increment, byoyomi: Duration::ZERO }
    }

    /// The limits to send with `go`.
    fn limits(&self, times: &Times) -> Limits {
        let own = times.limits[times.me.index()];
        let mut clocks = Side::BOTH.map(|side| self.clock(times, side));
        let spent = clocks[times.me.index()].left.is_zero();
        if self.is_usi() && self.quirks.reading == ClockConvention::WhiteFirst {
            clocks.swap(0, 1);
        }
        let shortest = |time: Duration| time.max(Duration::from_millis(1));
        match own {
            ThinkingLimit::Nodes(nodes) => Limits { nodes: Some(nodes), ..Limits::none() },
            ThinkingLimit::Depth(depth) => {
                Limits { depth: Some(u16::try_from(depth).unwrap_or(u16::MAX)), ..Limits::none() }
            }
            // USI has no word for it.
            ThinkingLimit::MoveTime(time) if self.is_usi() => {
                let clock = SideClock { byoyomi: shortest(time), ..SideClock::default() };
                Limits { clocks: Some([clock; 2]), ..Limits::none() }
            }
            ThinkingLimit::MoveTime(time) => Limits { movetime: Some(shortest(time)), ..Limits::none() },
            ThinkingLimit::Clock { increment, byoyomi, .. } if self.is_usi() => {
                for clock in &mut clocks {
                    if increment.is_zero() {
                        (clock.increment, clock.byoyomi) = (Duration::ZERO, byoyomi);
                    }
                }
                Limits { clocks: Some(clocks), ..Limits::none() }
            }
            // UGI and UCI have no byoyomi.
            ThinkingLimit::Clock { byoyomi, .. } if spent && !byoyomi.is_zero() => {
                Limits { movetime: Some(byoyomi), ..Limits::none() }
            }
            ThinkingLimit::Clock { byoyomi, .. } => {
                clocks[times.me.index()].left += Duration::from_millis(byoyomi.as_millis() as u64);
                Limits { clocks: Some(clocks), ..Limits::none() }
            }
        }
    }

    fn go(&self, times: &Times, ponder: bool) -> String {
        let limits = Limits { ponder, ..self.limits(times) };
        self.words.go.line(&limits, times.moves_to_go[times.me.index()]) + "\n"
    }
}

impl ProtocolClient for UsiUgiClient {
    fn greet(&mut self, engine: &mut EngineProcess, deadline: Instant) -> Result<Identity, DialogueError> {
        engine.send(format!("{}\n", self.words.hello).as_bytes(), deadline)?;
        let mut name = String::new();
        let mut options = Vec::new();
        await_line(engine, deadline, |line| {
            if let Some(given) = line.strip_prefix("id name ") {
                name = given.trim().to_owned();
            } else if let Some(option) = Declared::parse(line) {
                options.push(option);
            }
            (line == self.words.hello_done).then_some(())
        })?;
        Ok(Identity { name, options: Some(options) })
    }

    fn set_option(
        &mut self,
        engine: &mut EngineProcess,
        name: &str,
        value: &str,
        deadline: Instant,
    ) -> Result<(), DialogueError> {
        let line = if value.is_empty() {
            format!("setoption name {name}\n")
        } else {
            format!("setoption name {name} value {value}\n")
        };
        Ok(engine.send(line.as_bytes(), deadline)?)
    }

    fn ready(&mut self, engine: &mut EngineProcess, deadline: Instant) -> Result<(), DialogueError> {
        engine.send(b"isready\n", deadline)?;
        await_line(engine, deadline, |line| (line == "readyok").then_some(()))
    }

    fn new_game(
        &mut self,
        engine: &mut EngineProcess,
        start: &GameStart,
        _times: &Times,
        deadline: Instant,
    ) -> Result<(), DialogueError> {
        let new_game = format!("{}\n", self.words.new_game);
        if self.is_usi() {
            self.ready(engine, deadline)?;
            engine.send(new_game.as_bytes(), deadline)?;
        } else {
            engine.send(new_game.as_bytes(), deadline)?;
            self.ready(engine, deadline)?;
        }
        self.position.clear();
        self.has_turns = false;
        let position = start.position.as_deref();
        let variant = Variant::of_game(start.game).filter(|_| self.words.hello == UCI.hello);
        self.translator = variant.map(|variant| Translator::new(variant, position));
        match &start.position {
            None => self.position.push_str("position startpos"),
            Some(text) => {
                let word = self.words.position;
                let fen = self.translator.as_ref().and_then(|known| known.variant().fen_of(text));
                let written = write!(self.position, "position {word} {}", fen.as_deref().unwrap_or(text));
                debug_assert!(written.is_ok(), "a string takes every character");
            }
        }
        for (_, turn) in &start.turns {
            self.add_turn(turn);
        }
        Ok(())
    }

    fn played(&mut self, _side: Side, turn: &str, _own: bool) {
        self.add_turn(turn);
    }

    fn compose(&mut self, times: &Times, guess: Option<&str>, before: &mut Vec<u8>, go: &mut Vec<u8>) {
        before.extend_from_slice(self.position.as_bytes());
        if let Some(guess) = guess {
            before.extend_from_slice(if self.has_turns { b" " } else { b" moves " });
            before.extend_from_slice(guess.as_bytes());
        }
        before.push(b'\n');
        go.extend_from_slice(self.go(times, guess.is_some()).as_bytes());
    }

    fn understand(&mut self, line: &OutputLine, record: &mut JournalMove) -> Option<GoAnswer> {
        let best = read_best_move(&line.text)?;
        info::fill(record, &line.info);
        let played = line.text.split_ascii_whitespace().nth(1).unwrap_or_default();
        info::fill_totals(record, &line.totals, played);
        let in_our_words = |turn: &str| match &self.translator {
            Some(translator) => translator.variant().turn(turn),
            None => turn.to_owned(),
        };
        if self.translator.is_some() {
            record.pv.iter_mut().for_each(|turn| *turn = in_our_words(turn));
            // UCI counts moves to mate, the journal plies.
            record.mate = record
                .mate
                .map(|moves| if moves > 0 { moves.saturating_mul(2) - 1 } else { moves.saturating_mul(2) });
        }
        Some(match best {
            Best::Resign => GoAnswer::Resign,
            Best::Win => GoAnswer::Win,
            Best::None => GoAnswer::Nonsense(line.text.clone()),
            Best::Turn { turn, ponder } => {
                GoAnswer::Turn(in_our_words(&turn), ponder.map(|reply| in_our_words(&reply)))
            }
        })
    }

    fn stop_word(&self) -> Option<&'static str> {
        Some("stop\n")
    }

    fn ponder_word(&self) -> Option<&'static str> {
        self.is_usi().then_some("ponderhit\n")
    }

    fn send_result(&mut self, result: GameResult, me: Side) -> Option<&'static str> {
        self.is_usi().then_some(match result.half_points(me) {
            0 => "gameover lose\n",
            1 => "gameover draw\n",
            _ => "gameover win\n",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kaeshi_engine::protocol::vocabulary::UGI;

    fn times(me: Side, limit: ThinkingLimit, rest_ms: [u64; 2]) -> Times {
        Times { me, limits: [limit, limit], rest_us: rest_ms.map(|rest| rest * 1000), moves_to_go: [None; 2] }
    }

    fn go(speaker: &UsiUgiClient, times: &Times) -> String {
        speaker.go(times, false)
    }

    #[test]
    fn fischer_by_the_book_leaves_the_increment_out_of_btime() {
        let limit = ThinkingLimit::parse_tc("10+1").unwrap();
        let times = times(Side::First, limit, [11_000, 8_500]);
        let book = UsiUgiClient::new(&USI, ProtocolQuirks::default());
        assert_eq!(go(&book, &times), "go btime 10000 wtime 7500 binc 1000 winc 1000\n");
        let chess = UsiUgiClient::new(
            &USI,
            ProtocolQuirks { reading: ClockConvention::Chess, ..ProtocolQuirks::default() },
        );
        assert_eq!(go(&chess, &times), "go btime 11000 wtime 8500 binc 1000 winc 1000\n");
        let swapped = UsiUgiClient::new(
            &USI,
            ProtocolQuirks { reading: ClockConvention::WhiteFirst, ..ProtocolQuirks::default() },
        );
        assert_eq!(go(&swapped, &times), "go btime 8500 wtime 11000 binc 1000 winc 1000\n");
        let ugi = UsiUgiClient::new(&UGI, ProtocolQuirks::default());
        assert_eq!(go(&ugi, &times), "go p1time 11000 p2time 8500 p1inc 1000 p2inc 1000\n");
    }

    #[test]
    fn byoyomi_is_sent_in_each_protocol() {
        let limit = ThinkingLimit::parse_tc("10").unwrap().with_byoyomi(Duration::from_secs(2)).unwrap();
        let rich = times(Side::Second, limit, [4_000, 3_000]);
        let poor = times(Side::Second, limit, [4_000, 0]);
        let usi = UsiUgiClient::new(&USI, ProtocolQuirks::default());
        assert_eq!(go(&usi, &rich), "go btime 4000 wtime 3000 byoyomi 2000\n");
        let ugi = UsiUgiClient::new(&UGI, ProtocolQuirks::default());
        assert_eq!(go(&ugi, &rich), "go p1time 4000 p2time 5000 p1inc 0 p2inc 0\n");
        assert_eq!(go(&ugi, &poor), "go movetime 2000\n");
    }

    #[test]
    fn uci_has_clocks_turns_and_mates_of_its_own() {
        let limit = ThinkingLimit::parse_tc("10+1").unwrap();
        let mut uci = UsiUgiClient::new(&UCI, ProtocolQuirks::default());
        let times = times(Side::First, limit, [11_000, 8_500]);
        assert_eq!(go(&uci, &times), "go wtime 11000 btime 8500 winc 1000 binc 1000\n");
        uci.translator = Some(Translator::new(Variant::of_game("shogi").unwrap(), None));
        uci.position.push_str("position startpos");
        uci.played(Side::First, "7g7f", true);
        assert_eq!(uci.position, "position startpos moves c3c4");
        let line = OutputLine {
            stamp: Instant::now(),
            text: "bestmove g7g6 ponder P@e5".into(),
            info: "info depth 3 score mate -2 pv g7g6 b2h8+".into(),
            totals: String::new(),
        };
        let mut record = JournalMove::default();
        let said = uci.understand(&line, &mut record);
        assert_eq!(said, Some(GoAnswer::Turn("3c3d".into(), Some("P*5e".into()))));
        assert_eq!((record.mate, record.pv), (Some(-4), vec!["3c3d".to_owned(), "8h2b+".to_owned()]));
    }

    #[test]
    fn moves_to_go_are_sent_where_there_are_periods() {
        let limit = ThinkingLimit::parse_tc("40/60+1").unwrap();
        let times = Times { moves_to_go: [Some(7), Some(8)], ..times(Side::Second, limit, [9_000, 9_000]) };
        let ugi = UsiUgiClient::new(&UGI, ProtocolQuirks::default());
        assert_eq!(go(&ugi, &times), "go p1time 9000 p2time 9000 p1inc 1000 p2inc 1000 movestogo 8\n");
    }

    #[test]
    fn pondering_asks_about_the_position_after_the_guess() {
        let mut usi = UsiUgiClient::new(&USI, ProtocolQuirks::default());
        usi.position.push_str("position startpos");
        let times = times(Side::First, ThinkingLimit::parse_tc("60").unwrap(), [60_000, 60_000]);
        let (mut before, mut go) = (Vec::new(), Vec::new());
        usi.compose(&times, Some("3c3d"), &mut before, &mut go);
        assert_eq!(before, b"position startpos moves 3c3d\n");
        assert_eq!(go, b"go ponder btime 60000 wtime 60000 byoyomi 0\n");
        assert_eq!(usi.position, "position startpos");
    }

    #[test]
    fn answers() {
        let said = |text: &str| {
            let line = OutputLine {
                stamp: Instant::now(),
                text: text.into(),
                info: String::new(),
                totals: String::new(),
            };
            UsiUgiClient::new(&USI, ProtocolQuirks::default()).understand(&line, &mut JournalMove::default())
        };
        assert_eq!(
            said("bestmove 7g7f ponder 3c3d"),
            Some(GoAnswer::Turn("7g7f".into(), Some("3c3d".into())))
        );
        assert_eq!(said("bestmove 7g7f ponder"), Some(GoAnswer::Turn("7g7f".into(), None)));
        assert_eq!(said("bestmove win"), Some(GoAnswer::Win));
        assert_eq!(said("bestmove resign"), Some(GoAnswer::Resign));
        assert!(matches!(said("bestmove"), Some(GoAnswer::Nonsense(_))));
        assert!(matches!(said("bestmove (none)"), Some(GoAnswer::Nonsense(_))));
        assert_eq!(said("readyok"), None);
    }
}
