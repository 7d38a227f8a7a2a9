//! Whole games over UGI between two processes, refereed by a third: the small runner below knows
//! no game, it asks.

use crate::child_engine::ChildEngine;

/// A process that speaks UGI.
struct UgiProcess(ChildEngine);

impl UgiProcess {
    fn start(game: &str, options: &[(&str, &str)]) -> UgiProcess {
        let mut engine = UgiProcess(ChildEngine::start(&[]));
        engine.send("ugi");
        engine.answer("ugiok");
        engine.send(&format!("setoption name Game value {game}"));
        for (name, value) in options {
            engine.send(&format!("setoption name {name} value {value}"));
        }
        engine.send("isready");
        engine.answer("readyok");
        engine.send("uginewgame");
        engine
    }

    fn send(&mut self, line: &str) {
        self.0.say(line);
    }

    /// The next line that begins with `word`; no remark may come before it.
    fn answer(&mut self, word: &str) -> String {
        loop {
            let line = self.0.lines.next().expect("an answer");
            assert!(!line.starts_with("info string") || line.contains("exact result"), "{line}");
            if line.split(' ').next() == Some(word) {
                return line;
            }
        }
    }

    fn ask(&mut self, question: &str) -> String {
        self.send(question);
        self.answer("response")
    }

    fn best_move(&mut self, position: &str, go: &str) -> String {
        self.send(position);
        self.send(go);
        let line = self.answer("bestmove");
        let words: Vec<&str> = line.split(' ').collect();
        assert_eq!(words.len(), 2, "a bestmove of two words: {line}");
        words[1].to_string()
    }
}

impl Drop for UgiProcess {
    fn drop(&mut self) {
        self.send("quit");
        let _ = self.0.child.wait();
    }
}

/// Plays a game from its start; its moves and the result.
fn play(game: &str, options: &[(&str, &str)], go: &str, longest: usize) -> (Vec<String>, String) {
    let mut players = [UgiProcess::start(game, options), UgiProcess::start(game, options)];
    let mut referee = UgiProcess::start(game, options);
    let mut moves: Vec<String> = Vec::new();
    loop {
        let position = match moves.as_slice() {
            [] => "position startpos".to_string(),
            moves => format!("position startpos moves {}", moves.join(" ")),
        };
        referee.send(&position);
        if referee.ask("query gameover") == "response true" {
            // Both players know that there is nothing to play any more. (A game of shogi that ends
            // by repetition or by its length still has moves to analyse.)
            for player in players.iter_mut().filter(|_| game != "shogi") {
                assert_eq!(player.best_move(&position, go), "none");
            }
            return (moves, referee.ask("query result"));
        }
        assert_eq!(referee.ask("query result"), "response none");
        assert!(moves.len() < longest, "{game} does not end: {moves:?}");
        let turn = match referee.ask("query p1turn").as_str() {
            "response true" => 0,
            "response false" => 1,
            other => panic!("{other}"),
        };
        moves.push(players[turn].best_move(&position, go));
    }
}

fn check(game: &str, options: &[(&str, &str)], go: &str, longest: usize) {
    let (moves, result) = play(game, options, go, longest);
    assert!(["response p1win", "response p2win", "response draw"].contains(&result.as_str()), "{result}");
    println!("{game}: {} after {}", result, moves.join(" "));
}

#[test]
fn a_game_of_sygo_is_played_to_its_end() {
    check("sygo", &[("BoardSize", "5")], "go nodes 300", 2 * 25 + 2);
}

#[test]
fn a_game_of_reversi_is_played_to_its_end() {
    check("reversi", &[], "go p1time 2000 p2time 2000 p1inc 20 p2inc 20", 2 * 60 + 2);
}

#[test]
fn a_game_of_shogi_is_played_to_its_end() {
    check("shogi", &[("MaxMovesToDraw", "120")], "go nodes 300", 121);
}
