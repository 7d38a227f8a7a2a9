//! The games as they are kept: CSA files named as the server names its games.

use std::path::{Path, PathBuf};

use anyhow::Context;

use super::clock::CsaTimeControl;
use super::summary::CsaGameSummary;
use kaeshi_records::referee::ending::Ending;
use kaeshi_records::{GameRecord, PlyRemarks, RecordFormat, RecordPly, csa};
use kaeshi_system::output::write_whole;

/// Longest name of a file without its ending, in bytes.
const LONGEST: usize = 200;

/// A game that has begun, and the file in which it is kept.
#[derive(Clone, Debug)]
pub struct CsaGameFile {
    /// The game as far as the server has confirmed it.
    pub record: GameRecord,
    version: csa::CsaVersion,
    path: PathBuf,
}

impl CsaGameFile {
    /// A game that begins now, in a new file of `folder`. `date` is as [`GameRecord::date`].
    pub fn begin(folder: &Path, summary: &CsaGameSummary, date: String) -> CsaGameFile {
        let mut record = GameRecord::new(csa::GAME, RecordFormat::Csa, 1, summary.start.as_str());
        record.players.clone_from(&summary.names);
        record.event.clone_from(&summary.id);
        record.date = date;
        let [black, white] = summary.terms;
        if black == white {
            record.limit = black.limit().to_string();
        }
        record.plies = summary.made.iter().map(|(turn, used)| ply(turn, *used, &black)).collect();
        // Only the newer version has fractions of a second.
        let fractions = summary.terms.iter().any(|terms| terms.unit_us % 1_000_000 != 0);
        let version = if fractions { csa::CsaVersion::V3 } else { csa::CsaVersion::V2 };
        CsaGameFile { record, version, path: free_path(folder, &summary.id) }
    }

    /// Whether the game that the server proposes is this one: the same players and start, and the moves that we
    /// know. A server that calls it by another name must know them all.
    pub fn goes_on_as(&self, summary: &CsaGameSummary) -> bool {
        let (known, theirs) = (self.record.plies.len(), summary.made.len());
        let alike = self.record.start == summary.start && self.record.players == summary.names;
        let begins = self.record.plies.iter().zip(summary.turns()).all(|(ply, turn)| ply.turn == turn);
        let same = if self.record.event == summary.id {
            (known == 0) == (theirs == 0)
        } else {
            known > 0 && theirs >= known
        };
        alike && begins && same
    }

    /// Takes over the moves that the server has; what is known of the common ones stays.
    pub fn go_on(&mut self, summary: &CsaGameSummary) {
        self.record.plies.truncate(summary.made.len());
        let known = self.record.plies.len();
        let more = summary.made.iter().skip(known).map(|(turn, used)| ply(turn, *used, &summary.terms[0]));
        self.record.plies.extend(more);
    }

    /// Adds a move that took `used` units of `terms`, with what the engine said of it.
    pub fn add(&mut self, turn: &str, used: u64, terms: &CsaTimeControl, remarks: Option<PlyRemarks>) {
        let remarks = PlyRemarks { used_us: Some(terms.micros(used)), ..remarks.unwrap_or_default() };
        self.record.plies.push(RecordPly { remarks: Some(Box::new(remarks)), ..RecordPly::new(turn) });
    }

    /// Writes the file; without an ending the game was interrupted.
    ///
    /// # Errors
    /// The file cannot be written; names it.
    pub fn write(&mut self, ending: Option<Ending>) -> anyhow::Result<&Path> {
        self.record.ending = ending;
        let text = csa::write(&self.record, self.version)?;
        let folder = self.path.parent().unwrap_or(Path::new("."));
        std::fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))?;
        write_whole(&self.path, text.as_bytes())?;
        Ok(&self.path)
    }
}

fn ply(turn: &str, used: u64, terms: &CsaTimeControl) -> RecordPly {
    let remarks = PlyRemarks { used_us: Some(terms.micros(used)), ..PlyRemarks::default() };
    RecordPly { remarks: Some(Box::new(remarks)), ..RecordPly::new(turn) }
}

/// The file of a game; with a number where a former game had the same name.
fn free_path(folder: &Path, id: &str) -> PathBuf {
    let name = file_name(id);
    let path = |number: u32| match number {
        1 => folder.join(format!("{name}.csa")),
        _ => folder.join(format!("{name}-{number}.csa")),
    };
    (1..).map(path).find(|path| !path.exists()).unwrap_or_else(|| path(1))
}

/// What a server calls a game, as the name of a file.
fn file_name(id: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || "-_.+@,".contains(c) { c } else { '_' };
    let mut name: String = id.chars().take(LONGEST).map(plain).collect();
    if name.starts_with('.') || name.is_empty() {
        name.insert(0, '_');
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::csa::message::LARGEST;
    use kaeshi_core::game::Side;
    use kaeshi_records::referee::ending::EndCause;

    fn summary(id: &str, made: &[&str]) -> CsaGameSummary {
        CsaGameSummary {
            id: id.into(),
            names: ["a".into(), "b".into()],
            me: Side::First,
            terms: [CsaTimeControl { total: 10, ..CsaTimeControl::default() }; 2],
            max_moves: None,
            start: "startpos".into(),
            made: made.iter().map(|turn| ((*turn).to_owned(), 1)).collect(),
        }
    }

    #[test]
    fn files_are_named_after_games_and_stay_in_their_folder() {
        assert_eq!(file_name("w+floodgate-300-10F+a+b+20261123"), "w+floodgate-300-10F+a+b+20261123");
        assert_eq!(file_name("../../etc/x y"), "_.._.._etc_x_y");
        assert_eq!((file_name("..").as_str(), file_name("").as_str()), ("_..", "_"));
        assert_eq!(file_name(&"x".repeat(900)).len(), LONGEST);
    }

    #[test]
    fn a_game_is_written_again_when_it_goes_on() {
        let folder = tempfile::tempdir().unwrap();
        let mut kept = CsaGameFile::begin(folder.path(), &summary("g", &[]), "2026-11-23T05:00:00Z".into());
        kept.add("7g7f", 3, &CsaTimeControl::default(), None);
        let path = kept.write(None).unwrap().to_owned();
        assert!(std::fs::read_to_string(&path).unwrap().ends_with("+7776FU\nT3\n%CHUDAN\n"));
        let more = summary("h", &["7g7f", "3c3d"]);
        assert!(kept.goes_on_as(&more) && !kept.goes_on_as(&summary("g", &["2g2f"])));
        assert!(!kept.goes_on_as(&summary("g", &[])) && !kept.goes_on_as(&summary("h", &[])));
        kept.go_on(&more);
        let ending = Ending::new(Some(Side::Second), EndCause::Resign);
        assert_eq!(kept.write(Some(ending)).unwrap(), path);
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(text.contains("$EVENT:g\n$START_TIME:2026/11/23 05:00:00\n"), "{text}");
        assert!(text.ends_with("+7776FU\nT3\n-3334FU\nT1\n%TORYO\n"), "{text}");
        let other = CsaGameFile::begin(folder.path(), &summary("g", &[]), String::new());
        assert!(other.path.ends_with("g-2.csa"));
    }

    #[test]
    fn a_time_beyond_all_bounds_is_the_longest_one() {
        let terms = CsaTimeControl { unit_us: 60_000 * 60_000_000, ..CsaTimeControl::default() };
        let much = CsaGameSummary { terms: [terms; 2], ..summary("g", &["7g7f"]) };
        let much = CsaGameSummary { made: vec![("7g7f".into(), LARGEST)], ..much };
        let folder = tempfile::tempdir().unwrap();
        let mut kept = CsaGameFile::begin(folder.path(), &much, String::new());
        kept.add("3c3d", LARGEST, &terms, None);
        let used = |ply: &RecordPly| ply.remarks.as_ref().and_then(|remarks| remarks.used_us);
        assert!(kept.record.plies.iter().all(|ply| used(ply) == Some(u64::MAX)), "{:?}", kept.record.plies);
        kept.write(None).unwrap();
    }
}
