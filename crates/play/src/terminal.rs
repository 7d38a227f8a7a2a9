//! `kaeshi play --terminal`: the same room without a browser.

use std::io::{self, Write as _};
use std::path::Path;
use std::time::Duration;

use anyhow::{Context, bail};
use crossbeam_channel::Receiver;
use serde_json::Value;

use super::library::new_id;
use super::record_file::RecordFile;
use super::room::{
    self, FULL, LoadedFile, Means, NewGame, PageEvent, Room, RoomEnvelope, RoomHandle, RoomMessage,
    RoomRequest,
};
use super::terminal_board::{BoardStyle, board};
use super::view::Reason;
use kaeshi_core::files;
use kaeshi_core::game::GameError;
use kaeshi_engine::games::GameName;
use kaeshi_system::output::{Stdout, draw, print};

const HELP: &str = "\
a turn, as the game writes it: 7g7f, P*5e, 8h2b+, P-7f or ７六歩; f5; d4, +d5,e6, +d5@k3, pass
  undo        take your last turn back
  hint        the three best turns
  turns       all turns that you may make
  resign      give up
  claim       claim the win by the entering king
  count       agree on an impasse, and count the points
  resume      let Kaeshi search again after it could not
  replay      replay the game after a repetition or a drawn impasse
  new         begin anew
  level N     how strong Kaeshi plays from now on: 1 to 21
  save FILE   write the game; the ending of FILE says the form; save! FILE replaces a file
  help, quit";

/// Plays until `quit` or the end of the input. The game in the bytes `loaded` goes on between people.
///
/// # Errors
/// If the game cannot begin, or the terminal is gone.
pub(super) fn play(
    game: &NewGame,
    means: &Means,
    loaded: Option<Vec<u8>>,
    style: BoardStyle,
) -> anyhow::Result<()> {
    let mut table = match loaded {
        Some(bytes) => TerminalGame::load(&bytes, game, means.clone(), style)?,
        None => TerminalGame::new(game, means.clone(), style)?,
    };
    print(format_args!("{HELP}\n"))?;
    table.wait_for_person();
    table.show()?;
    let prompt = || {
        Stdout.write_all(b"> ")?;
        Stdout.flush()
    };
    prompt()?;
    for line in files::lines(io::stdin().lock()) {
        let line = line.context("cannot read the terminal")?;
        let line = String::from_utf8_lossy(&line);
        let words: Vec<&str> = line.split_whitespace().collect();
        match words[..] {
            [] => {}
            ["quit" | "exit"] => break,
            ["help" | "?"] => print(HELP)?,
            ["turns"] => table.show_turns()?,
            ["hint"] => table.hint()?,
            ["new"] => {
                // The game played so far stays in its file, and in that of --record.
                let record = if table.is_empty() { means.record.clone() } else { None };
                table = TerminalGame::new(game, Means { record, ..means.clone() }, style)?;
                table.wait_for_person();
                table.show()?;
            }
            ["undo"] => table.request(&serde_json::json!({ "op": "take-back" }))?,
            ["replay"] => table.replay()?,
            [word @ ("save" | "save!"), _, ..] => {
                // Names of files may hold blanks.
                let path = line.trim_start().strip_prefix(word).unwrap_or_default().trim();
                table.save(Path::new(path), word == "save!")?;
            }
            [word @ ("save" | "save!")] => print(format_args!("Write '{word} FILE'."))?,
            ["level"] => print("Write 'level N'.")?,
            ["level", level] => table.set_level(level)?,
            [word @ ("resign" | "claim" | "count" | "resume")] => {
                table.request(&serde_json::json!({ "op": word }))?
            }
            [turn] => table.request(&serde_json::json!({ "op": "turn", "turn": turn }))?,
            _ => print("One turn or word at a time; 'help' lists them.")?,
        }
        prompt()?;
    }
    match means.record.as_ref().and_then(RecordFile::failure) {
        Some(failure) => bail!("{failure}"),
        None => Ok(()),
    }
}

struct TerminalGame {
    handle: RoomHandle,
    events: Receiver<PageEvent>,
    state: Value,
    style: BoardStyle,
}

impl TerminalGame {
    /// A new game.
    fn new(game: &NewGame, means: Means, style: BoardStyle) -> anyhow::Result<TerminalGame> {
        let room = match Room::new(new_id(), game, means) {
            Ok(room) => room,
            Err(reason) => bail!("{reason}"),
        };
        Ok(TerminalGame::of(room, style)?)
    }

    /// The game in these bytes, between people.
    fn load(bytes: &[u8], game: &NewGame, means: Means, style: BoardStyle) -> anyhow::Result<TerminalGame> {
        let name = GameName::parse(&game.game).unwrap_or(GameName::USUAL);
        let room = match Room::load(new_id(), bytes, name, Some(0), means) {
            Ok(LoadedFile::Room(room)) => room.with_impasse_rule(game.impasse),
            Ok(LoadedFile::Games(_)) => bail!("there is no game in it"),
            Err(reason) => bail!("{}", sentence(&reason)),
        };
        let table = TerminalGame::of(room, style)?;
        let _ = table.handle.ask(|answer| RoomMessage::Asked(RoomEnvelope::now(RoomRequest::Resume), answer));
        Ok(table)
    }

    fn of(room: Room, style: BoardStyle) -> Result<TerminalGame, GameError> {
        let handle = room.open()?;
        let (listener, events) = room::listening();
        handle.send(RoomMessage::Listen(listener));
        Ok(TerminalGame { handle, events, state: Value::Null, style })
    }

    /// Replays a game that ended without a result.
    fn replay(&mut self) -> io::Result<()> {
        match self.handle.ask(|answer| RoomMessage::Replay(new_id(), answer)) {
            Some(Ok(room)) => match TerminalGame::of(*room, self.style) {
                Ok(table) => {
                    *self = table;
                    self.wait_for_person();
                    self.show()
                }
                Err(reason) => print(reason),
            },
            Some(Err(reason)) => print(sentence(&reason)),
            None => print("The game is gone."),
        }
    }

    /// Writes the game to a file, in the form that its name ends with. A file that is there is left alone unless
    /// `replace`.
    fn save(&self, path: &Path, replace: bool) -> io::Result<()> {
        if !replace && path.is_file() {
            let shown = path.display();
            return print(format_args!("{shown} is there already; 'save! {shown}' replaces it."));
        }
        let game = self.state["game"].as_str().and_then(GameName::parse).unwrap_or(GameName::USUAL);
        let form = RecordFile::new(path, None).form(game);
        match self.handle.ask(|answer| RoomMessage::Record(form, answer)) {
            Some(Ok((_, bytes))) => match kaeshi_system::output::write_whole(path, &bytes) {
                Ok(()) => print(format_args!("The game is in {}.", path.display())),
                Err(error) => print(format_args!("{error:#}")),
            },
            Some(Err(reason)) => print(sentence(&reason)),
            None => print("The game is gone."),
        }
    }

    /// Sets how strong Kaeshi plays.
    fn set_level(&mut self, level: &str) -> io::Result<()> {
        match level.parse::<u8>() {
            Ok(level) if (1..=FULL).contains(&level) => {
                self.request(&serde_json::json!({ "op": "level", "level": level }))
            }
            _ => print(format_args!("Levels are numbers from 1 to {FULL}.")),
        }
    }

    /// Whether no turn was made.
    fn is_empty(&self) -> bool {
        self.state["nodes"].as_array().is_none_or(|nodes| nodes.len() < 2)
    }

    /// Asks for something, waits until it is the person's turn again, and shows the board.
    fn request(&mut self, request: &Value) -> io::Result<()> {
        let asked: RoomEnvelope = match serde_json::from_value(request.clone()) {
            Ok(asked) => asked,
            Err(error) => return print(error),
        };
        match self.handle.ask(|answer| RoomMessage::Asked(asked, answer)) {
            Some(Ok(state)) => {
                self.take(&state);
                self.wait_for_person();
                self.show()
            }
            Some(Err(reason)) => print(sentence(&reason)),
            None => print("The game is gone."),
        }
    }

    fn take(&mut self, state: &str) {
        if let Ok(state) = serde_json::from_str::<Value>(state)
            && state["v"].as_u64() >= self.state["v"].as_u64()
        {
            self.state = state;
        }
    }

    /// Whether the program has something to do before the person.
    fn is_waiting(&self) -> bool {
        let side = self.state["side"].as_u64().unwrap_or(0) as usize;
        let goes_on = self.state["over"].is_null() && self.state["paused"] != true;
        goes_on && self.state["seats"][side]["kind"] == "engine" || self.state.is_null()
    }

    fn wait_for_person(&mut self) {
        while self.is_waiting() {
            match self.events.recv_timeout(Duration::from_secs(3600)) {
                Ok(("state", state)) => self.take(&state),
                Ok(_) => {}
                Err(_) => return,
            }
        }
    }

    fn hint(&mut self) -> io::Result<()> {
        while self.events.try_recv().is_ok() {}
        let Ok(asked) = serde_json::from_value::<RoomEnvelope>(serde_json::json!({ "op": "hint" })) else {
            return Ok(());
        };
        if self.handle.ask(|answer| RoomMessage::Asked(asked, answer)).is_none() {
            return Ok(());
        }
        while let Ok((name, report)) = self.events.recv_timeout(Duration::from_secs(30)) {
            let Ok(report) = serde_json::from_str::<Value>(&report) else { continue };
            if name != "search" || report["done"] != true {
                continue;
            }
            for line in report["lines"].as_array().into_iter().flatten() {
                let turns: Vec<&str> =
                    line["t"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
                print(format_args!("{:>8}  {}", shown(line["s"].as_i64().unwrap_or(0)), turns.join(" ")))?;
            }
            break;
        }
        Ok(())
    }

    fn show_turns(&self) -> io::Result<()> {
        let choices = self.state["choices"].as_array().into_iter().flatten();
        let turns: Vec<&str> = choices
            .flat_map(|choice| choice["turns"].as_array())
            .flatten()
            .filter_map(Value::as_str)
            .collect();
        let points = self.state["draft"]["points"].as_object().into_iter().flatten();
        let points: Vec<String> = points
            .map(|(point, kind)| if kind == "grow" { format!("+{point}") } else { point.clone() })
            .collect();
        print(if turns.is_empty() { points.join(" ") } else { turns.join(" ") })
    }

    fn show(&self) -> io::Result<()> {
        draw(board(&self.state, self.style))?;
        if let Some(text) = self.state.get("unkept").filter(|text| text.is_string()) {
            print(words("unkept", &[("text", text)]))?;
        }
        let over = &self.state["over"];
        let facts = self.state["game"].as_str().and_then(GameName::facts_of);
        let names = facts.map_or(["The first side", "The second side"], |facts| facts.colours);
        let [first_side, second_side] = names.map(Value::from);
        let sides = [("firstSide", &first_side), ("secondSide", &second_side)];
        if !over.is_null() {
            let winner = over["winner"].as_u64().map(|side| names[side as usize % 2]);
            let result = winner.map_or_else(|| "Draw".into(), |winner| format!("{winner} wins"));
            print(format_args!("{result} ({}).", over["cause"].as_str().unwrap_or_default()))?;
            if self.state["may"]["replay"] == true {
                print("'replay' begins it anew.")?;
            }
        } else {
            let side = self.state["side"].as_u64().unwrap_or(0) as usize;
            let written = if self.style.kanji { "j" } else { "t" };
            let last = self.state["nodes"]
                .as_array()
                .and_then(|nodes| nodes.last()?[written].as_str().or(nodes.last()?["t"].as_str()))
                .unwrap_or_default();
            print(format_args!("{last}\n{} to move.", names[side % 2]))?;
            if let Some([first, second]) = self.state["points"].as_array().map(Vec::as_slice) {
                let points = [("first", first), ("second", second)];
                print(words("impasse-points", &[sides, points].concat()))?;
            }
        }
        let note = &self.state["note"];
        if let Some(code) = note["code"].as_str() {
            let colour =
                note["values"]["side"].as_str().and_then(|side| names.get(side.parse::<usize>().ok()?));
            let colour = colour.map_or(Value::Null, |&name| name.into());
            let values = note["values"].as_object().into_iter().flatten();
            let values: Vec<(&str, &Value)> =
                values.map(|(name, value)| (name.as_str(), value)).chain([("colour", &colour)]).collect();
            print(words(code, &[&sides[..], &values].concat()))?;
        }
        Ok(())
    }
}

/// A value in hundredths as people read it.
fn shown(value: i64) -> String {
    if value.abs() > 100_000 {
        format!("mate {}", value.signum() * (200_000 - value.abs()))
    } else {
        format!("{:+.2}", value as f64 / 100.0)
    }
}

/// A sentence of the page, with these values filled in.
fn words(code: &str, values: &[(&str, &Value)]) -> String {
    let text = kaeshi_report::files::word(code).unwrap_or_else(|| code.to_owned());
    values.iter().fold(text, |text, (name, value)| {
        let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        text.replace(&format!("{{{name}}}"), &value)
    })
}

/// The refusal as a sentence.
fn sentence(reason: &Reason) -> String {
    let [point, other, text] = [&reason.point, &reason.other, &reason.text]
        .map(|value| Value::from(value.as_deref().unwrap_or_default()));
    words(reason.code, &[("point", &point), ("other", &other), ("text", &text)])
}
