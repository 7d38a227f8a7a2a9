//! The command line of `kaeshi play`.

use std::io::{self, IsTerminal as _};
use std::net::{IpAddr, Ipv4Addr};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use anyhow::{Context, bail};

use super::engine_thread::EngineKind;
use super::library::{self, Library};
use super::qr_code;
use super::record_file::RecordFile;
use super::room::{LoadedFile, Means, NewGame, Room};
use super::server::PlayServer;
use super::service::Begin;
use super::static_page;
use super::terminal;
use super::terminal_board::BoardStyle;
use kaeshi_analysis::store;
use kaeshi_core::files::FileKind;
use kaeshi_core::stderr::draw;
use kaeshi_core::threads::spawn_free;
use kaeshi_engine::games::GameName;
use kaeshi_records::referee::impasse::PointRule;
use kaeshi_records::referee::{self, ENTERING_KING_RULE};
use kaeshi_report::web::{self, Guard};
use kaeshi_system::output::{print, remark};

// Headings of `kaeshi play --help`.
const GAME: &str = "The game";
const SERVER: &str = "Browser and server";
const TERMINAL: &str = "Terminal";
const EXPORT: &str = "The page as files";

/// The port that is tried first: with the same port, a browser finds the data that it stored for an earlier game.
const USUAL_PORT: u16 = 4390;
/// How long after the last tab the program ends.
const IDLE_TIMEOUT: Duration = Duration::from_secs(20);
/// The same for tabs on other machines, which may sleep.
const REMOTE_IDLE_TIMEOUT: Duration = Duration::from_secs(30 * 60);
/// The same with `--once`.
const ONCE_IDLE_TIMEOUT: Duration = Duration::from_secs(3);

/// Play against Kaeshi, or another person, on a board in the browser
#[derive(Debug, clap::Args)]
pub struct PlayArgs {
    /// The game [default: shogi]
    #[arg(long, value_enum, help_heading = GAME)]
    game: Option<GameName>,
    /// Rows and columns of the board, where a game has several sizes [default: the usual one; 9 for Sygo]
    #[arg(long, help_heading = GAME)]
    size: Option<u8>,
    /// An uneven start by name, such as 2-piece (shogi)
    #[arg(long, value_name = "NAME", help_heading = GAME)]
    handicap: Option<String>,
    /// Draw by lot who moves first, in shogi by throwing five pawns; else you do
    #[arg(long, visible_alias = "furigoma", help_heading = GAME)]
    lot: bool,
    /// What points decide when players agree on an impasse of shogi: 24 (fewer loses) or 27 (more wins) [default: 24]
    #[arg(long, value_name = "POINTS", value_parser = points, help_heading = GAME)]
    impasse: Option<PointRule>,
    /// How strong Kaeshi plays: 1 to 20, and 21 for full strength
    #[arg(long, default_value_t = 4, value_parser = clap::value_parser!(u8).range(1..=21), help_heading = GAME)]
    level: u8,
    /// Read the game from FILE if it is there, and write it to FILE after each turn; the ending says the form
    #[arg(long, value_name = "FILE", help_heading = GAME)]
    record: Option<PathBuf>,
    /// Keep the games in FOLDER [default: kaeshi/games in the user's data folder]
    #[arg(long, value_name = "FOLDER", help_heading = GAME)]
    games: Option<PathBuf>,
    /// Search threads of each engine
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=256), help_heading = SERVER)]
    threads: u16,
    /// The port [default: 4390, or another one if it is taken]
    #[arg(long, conflicts_with = "terminal", help_heading = SERVER)]
    port: Option<u16>,
    /// Answer on another address than 127.0.0.1; the link then has a token, without which no request is answered
    #[arg(long, value_name = "ADDRESS", conflicts_with = "terminal", help_heading = SERVER)]
    listen: Option<IpAddr>,
    /// Do not open a browser
    #[arg(long, help_heading = SERVER)]
    no_open: bool,
    /// Write the page to FOLDER as files for any file server, with the engine in WebAssembly
    #[arg(long, value_name = "FOLDER", conflicts_with_all = ["terminal", "record", "games", "port", "listen", "handicap", "size"], help_heading = EXPORT)]
    export: Option<PathBuf>,
    /// The engine of --export, kaeshi-play.wasm [default: beside the program, or in ../share/kaeshi]
    #[arg(long, value_name = "FILE", requires = "export", conflicts_with = "terminal", help_heading = EXPORT)]
    engine: Option<PathBuf>,
    /// End as soon as the last tab is closed
    #[arg(long, help_heading = SERVER)]
    once: bool,
    /// Play in the terminal
    #[arg(long, help_heading = TERMINAL)]
    terminal: bool,
    /// Pieces of shogi as kanji in the terminal
    #[arg(long, requires = "terminal", help_heading = TERMINAL)]
    kanji: bool,
}

/// The game in the file of `--record`; `None` if the file does not exist or is empty. A text that fits several games is
/// read as one of `game`.
///
/// # Errors
/// The file cannot be read, holds more than one game or none, or there is no folder for it.
fn recorded_game(path: &Path, game: GameName) -> anyhow::Result<Option<(GameName, Vec<u8>)>> {
    let shown = path.display();
    if !path.exists() {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        return match folder {
            Some(folder) if !folder.is_dir() => {
                bail!("--record {shown}: there is no folder {}", folder.display())
            }
            _ => Ok(None),
        };
    }
    let bytes =
        kaeshi_core::files::read(path, FileKind::RECORDS).with_context(|| format!("cannot read {shown}"))?;
    // A game without turns is an empty line in some forms.
    if bytes.trim_ascii().is_empty() {
        return Ok(None);
    }
    match Room::load(library::new_id(), &bytes, game, None, Means::default()) {
        Ok(LoadedFile::Room(room)) => Ok(Some((room.game(), bytes))),
        Ok(LoadedFile::Games(games)) => bail!(
            "--record {shown}: it holds {} games, of which one would be kept; give each a file of its own, or open it \
             on the page",
            games.len()
        ),
        Err(reason) => {
            let reason = reason.text.unwrap_or_else(|| "there is no game in it".into());
            bail!("{shown}: {reason}")
        }
    }
}

/// A point rule by its number.
fn points(text: &str) -> Result<PointRule, String> {
    let points: u32 = text.parse().map_err(|_| format!("'{text}' is neither 24 nor 27"))?;
    PointRule::try_from(points).map_err(|refused| refused.to_string())
}

impl PlayArgs {
    /// Plays until the last tab is closed, or the program is interrupted.
    ///
    /// # Errors
    /// Invalid options, or an address that cannot be used.
    pub fn run(self) -> anyhow::Result<()> {
        let name = self.game.unwrap_or(GameName::USUAL);
        if let Some(folder) = &self.export {
            return static_page::write(folder, name, self.engine.as_deref());
        }
        let game = self.new_game(name)?;
        let library = Arc::new(self.library()?);
        let loaded = match self.record.as_deref() {
            Some(path) => self.loaded(path, name)?,
            None => None,
        };
        let record = self.record.as_deref().map(|path| RecordFile::new(path, loaded.clone()));
        let engines = EngineKind::Threads(store::reader::open);
        let means = Means { threads: usize::from(self.threads), record: record.clone(), library, engines };
        if self.terminal {
            return terminal::play(&game, &means, loaded, BoardStyle::of_terminal(self.kanji));
        }
        let ip = self.listen.unwrap_or(IpAddr::V4(Ipv4Addr::LOCALHOST));
        let listener = web::bind(ip, self.port, USUAL_PORT)?;
        let address = listener.local_addr().context("the address is not known")?;
        let token = self.listen.filter(|ip| !ip.is_loopback()).map(|_| library::new_id());
        let query = token.as_ref().map_or(String::new(), |token| format!("?token={token}"));
        let link = format!("http://{}/{query}", web::reachable(address));
        let asked = self.game.is_some() || self.handicap.is_some() || self.size.is_some() || self.lot;
        let folder = means.library.folder().map(Path::to_owned);
        let begin = Begin { game, asked, loaded, means };
        let server = PlayServer::new(Guard::new(address, token.clone()), begin);
        print(&link)?;
        if token.is_some() && io::stderr().is_terminal() {
            draw(format_args!(
                "{}Another device of the network opens the page by this code.",
                qr_code::drawn(&link)
            ));
        }
        let answering = Arc::clone(&server);
        spawn_free(move || web::serve(&answering, &listener))?;
        if !self.no_open && !web::open_browser(&link) {
            remark("No browser was found: open the address above in one.");
        }
        let timeout = match (self.once, self.listen) {
            (true, _) => ONCE_IDLE_TIMEOUT,
            (false, Some(ip)) if !ip.is_loopback() => REMOTE_IDLE_TIMEOUT,
            (false, _) => IDLE_TIMEOUT,
        };
        let seconds = timeout.as_secs();
        remark(format!("Ctrl-C ends the program; without an open page it ends by itself after {seconds} s."));
        if let Some(folder) = &folder {
            remark(format!("Every game is kept in {}.", folder.display()));
        }
        while !server.is_deserted(timeout) {
            thread::sleep(Duration::from_millis(200));
        }
        remark("The last page was closed: kaeshi play has ended. Start it again to go on with your games.");
        match record.and_then(|record| record.failure()) {
            Some(failure) => bail!("{failure}"),
            None => Ok(()),
        }
    }

    /// The game of `--record`, if there is one, which goes on as it began.
    ///
    /// # Errors
    /// See [`recorded_game`]; or it is a game of another name than `--game` says, or the name of the file ends with
    /// no form of the game.
    fn loaded(&self, path: &Path, name: GameName) -> anyhow::Result<Option<Vec<u8>>> {
        let recorded = recorded_game(path, name)?;
        let shown = path.display();
        let game = recorded.as_ref().map(|(game, _)| *game).or(self.game);
        let games = game.map_or_else(|| GameName::ALL.to_vec(), |game| vec![game]);
        RecordFile::new(path, None).check_form(&games)?;
        let Some((game, bytes)) = recorded else { return Ok(None) };
        if let Some(asked) = self.game.filter(|&asked| asked != game) {
            bail!(
                "--record {shown}: it holds a game of {}, and --game asks for {}",
                game.name(),
                asked.name()
            );
        }
        let starts =
            [("--size", self.size.is_some()), ("--handicap", self.handicap.is_some()), ("--lot", self.lot)];
        let unused: Vec<&str> =
            starts.iter().filter(|(_, is_given)| *is_given).map(|&(name, _)| name).collect();
        if !unused.is_empty() {
            let unused = unused.join(", ");
            remark(format!("The game in {shown} goes on as it began; not used: {unused}."));
        }
        Ok(Some(bytes))
    }

    /// The folder of the games; where it cannot be written, games are played without being kept.
    fn library(&self) -> anyhow::Result<Library> {
        let asked = self.games.is_some();
        let Some(folder) = self.games.clone().or_else(Library::usual_folder) else {
            remark("No folder for games is known: give one with --games, or games are not kept.");
            return Ok(Library::default());
        };
        match Library::open(&folder) {
            Ok(library) => Ok(library),
            Err(error) if asked => {
                Err(error).with_context(|| format!("cannot write to {}", folder.display()))
            }
            Err(error) => {
                remark(format!("Games are not kept: cannot write to {}: {error}", folder.display()));
                Ok(Library::default())
            }
        }
    }

    /// The game of the first tab.
    fn new_game(&self, game: GameName) -> anyhow::Result<NewGame> {
        let facts = game.facts();
        if let Some(size) = self.size.filter(|size| !facts.boards.sizes.contains(size)) {
            bail!(
                "--size {size}: {} has boards from {} to {}",
                facts.title,
                facts.boards.sizes.start(),
                facts.boards.sizes.end()
            );
        }
        if let Some(name) = &self.handicap
            && facts.boards.handicap(name).is_none()
        {
            let known: Vec<&str> = facts.boards.handicaps.iter().map(|handicap| handicap.name).collect();
            match known.is_empty() {
                true => bail!("--handicap {name}: {} has no handicaps", facts.title),
                false => bail!("--handicap {name} is none of {}", known.join(", ")),
            }
        }
        if self.impasse.is_some() && !referee::rules(game, &[])?.has_option(ENTERING_KING_RULE) {
            bail!("--impasse: {} has no kings", facts.title);
        }
        let usual = NewGame::usual(game, self.level);
        Ok(NewGame {
            handicap: self.handicap.clone().unwrap_or_default(),
            size: self.size.unwrap_or(usual.size),
            lot: self.lot,
            impasse: self.impasse.unwrap_or_default(),
            ..usual
        })
    }
}
