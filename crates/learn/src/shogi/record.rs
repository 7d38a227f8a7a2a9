//! Files of self-played games: the game record and its encoding.
//!
//! A file is a sequence of [`crate::blocks`]. The first one holds, behind the letter `H`, the
//! [`ShogiFileHeader`] as JSON. Every other one holds consecutive games behind the letter `G`, or `Z` if
//! they are compressed by LZ4 (a little-endian `u32` of their length comes first). Games lie in
//! columns, since bytes of one sort compress better: for each game the numbers of unscored and of
//! scored plies (`u8`, `u16`) and its [`ShogiGameEnd`] (`u8`); then the moves of all games ([`Move::bits`]),
//! then the scores of all games seen by Black (`i16`), low bytes first.

use std::io;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::blocks::{Appender, BlockMagic, Blocks, Tail};
use kaeshi_core::files::{self, FileKind};
use kaeshi_core::game::Side;
use kaeshi_core::game::score::Score;
use kaeshi_core::random;
use kaeshi_shogi::rules::types::Move;
use kaeshi_shogi::search::value::{MATE, MATE_BOUND};

/// How file names of self-played shogi games end.
pub const EXTENSION: &str = "ksg";

const MARK: BlockMagic = *b"KSG1";
const HEADER: u8 = b'H';
const GAMES: u8 = b'G';
const COMPRESSED: u8 = b'Z';
/// No block is longer when decompressed.
const LONGEST_BLOCK: usize = 1 << 24;

/// How the games of a file were made: with the same program, equal headers mean equal games.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShogiFileHeader {
    /// The seed of the games.
    pub seed: u64,
    /// Number of the file's first game; the others follow it.
    pub first: u64,
    /// Nodes after which no deeper search of a move begins.
    pub nodes: u64,
    /// Fewest and most random plies from the usual start position.
    pub random: (u32, u32),
    /// The score at which a game is given up, in centipawns.
    pub adjudicate: i16,
    /// The label of the evaluation.
    pub weights: String,
}

impl ShogiFileHeader {
    /// Identifies the file's `index`-th game among all games, also from those of other seeds.
    pub fn game(&self, index: usize) -> u64 {
        random::mix(self.seed.wrapping_add(1)).wrapping_add(self.first + index as u64)
    }
}

/// Why a game ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ShogiEndCause {
    /// The loser has no legal move.
    Mate,
    /// The search saw a mate.
    MateSeen,
    /// The score was clear for several plies.
    Score,
    /// Fourfold repetition.
    Repetition,
    /// Fourfold repetition in which the loser gave check with every move.
    PerpetualCheck,
    /// The winner declared.
    EnteringKing,
    /// The game became too long.
    MaxPlies,
}

impl ShogiEndCause {
    /// All causes.
    pub const ALL: [ShogiEndCause; 7] = [
        ShogiEndCause::Mate,
        ShogiEndCause::MateSeen,
        ShogiEndCause::Score,
        ShogiEndCause::Repetition,
        ShogiEndCause::PerpetualCheck,
        ShogiEndCause::EnteringKing,
        ShogiEndCause::MaxPlies,
    ];

    /// Its name in reports.
    pub fn text(self) -> &'static str {
        match self {
            ShogiEndCause::Mate => "mate",
            ShogiEndCause::MateSeen => "mate seen",
            ShogiEndCause::Score => "score",
            ShogiEndCause::Repetition => "repetition",
            ShogiEndCause::PerpetualCheck => "perpetual check",
            ShogiEndCause::EnteringKing => "entering king",
            ShogiEndCause::MaxPlies => "too long",
        }
    }
}

/// How a game ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShogiGameEnd {
    /// `None` for a draw.
    pub winner: Option<Side>,
    /// Why.
    pub cause: ShogiEndCause,
}

impl ShogiGameEnd {
    /// 1 if `side` won, -1 if it lost, 0 for a draw.
    pub fn result(self, side: Side) -> i8 {
        match self.winner {
            None => 0,
            Some(winner) if winner == side => 1,
            Some(_) => -1,
        }
    }

    fn code(self) -> u8 {
        let cause = ShogiEndCause::ALL.iter().position(|&cause| cause == self.cause).unwrap_or(0) as u8;
        cause << 2 | self.winner.map_or(0, |winner| 1 + winner.index() as u8)
    }

    fn from_code(code: u8) -> Option<ShogiGameEnd> {
        let winner = match code & 3 {
            0 => None,
            1 => Some(Side::First),
            2 => Some(Side::Second),
            _ => return None,
        };
        Some(ShogiGameEnd { winner, cause: *ShogiEndCause::ALL.get(usize::from(code >> 2))? })
    }
}

/// One game from the usual start position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShogiGameRecord {
    /// All moves.
    pub moves: Vec<Move>,
    /// The score that the search found before each of the last moves, for the side to move, as [`packed`] writes it.
    /// The first moves were not searched: they have no score.
    pub scores: Vec<i16>,
    /// How it ended.
    pub end: ShogiGameEnd,
}

impl ShogiGameRecord {
    /// How many plies at the beginning were not searched.
    pub fn unscored(&self) -> usize {
        self.moves.len() - self.scores.len()
    }
}

/// A score in 16 bits: centipawns, or 32000 less the plies to the mate.
pub fn packed(score: Score) -> i16 {
    let value = match score {
        Score::Cp(value) | Score::Exact(value) => value.clamp(1 - MATE_BOUND, MATE_BOUND - 1),
        Score::MateIn(plies) => MATE - i32::from(plies),
        Score::MatedIn(plies) => i32::from(plies) - MATE,
    };
    value as i16
}

/// The body of a block of at most 65,535 games.
fn encode(games: &[ShogiGameRecord]) -> Vec<u8> {
    let mut plain = (games.len() as u16).to_le_bytes().to_vec();
    for game in games {
        plain.push(game.unscored() as u8);
        plain.extend_from_slice(&(game.scores.len() as u16).to_le_bytes());
        plain.push(game.end.code());
    }
    plain.extend(games.iter().flat_map(|game| &game.moves).flat_map(|mv| mv.bits().to_le_bytes()));
    let scores: Vec<i16> = games.iter().flat_map(|game| turned(game.unscored(), &game.scores)).collect();
    plain.extend(scores.iter().map(|&score| score as u8));
    plain.extend(scores.iter().map(|&score| (score >> 8) as u8));
    let small = lz4_flex::compress_prepend_size(&plain);
    let (kind, content) = if small.len() < plain.len() { (COMPRESSED, small) } else { (GAMES, plain) };
    let mut body = vec![kind];
    body.extend_from_slice(&content);
    body
}

/// Scores from the ply `first` on, turned from the side to move to Black or back.
fn turned(first: usize, scores: &[i16]) -> impl Iterator<Item = i16> {
    (first..).zip(scores).map(|(ply, &score)| if ply % 2 == 0 { score } else { score.wrapping_neg() })
}

/// The games of a block; `None` if its content makes no sense.
fn decode(body: &[u8]) -> Option<Vec<ShogiGameRecord>> {
    let (&kind, content) = body.split_first()?;
    match kind {
        GAMES => columns(content),
        COMPRESSED => {
            let length = u32::from_le_bytes(*content.first_chunk()?) as usize;
            if length > LONGEST_BLOCK {
                return None;
            }
            columns(&lz4_flex::decompress_size_prepended(content).ok()?)
        }
        _ => None,
    }
}

fn columns(plain: &[u8]) -> Option<Vec<ShogiGameRecord>> {
    let (count, rest) = plain.split_first_chunk::<2>()?;
    let (heads, rest) = rest.split_at_checked(4 * usize::from(u16::from_le_bytes(*count)))?;
    let heads: Vec<(usize, usize, ShogiGameEnd)> = heads
        .chunks_exact(4)
        .map(|head| {
            let scored = usize::from(u16::from_le_bytes([head[1], head[2]]));
            Some((usize::from(head[0]), scored, ShogiGameEnd::from_code(head[3])?))
        })
        .collect::<Option<_>>()?;
    let moves: usize = heads.iter().map(|(unscored, scored, _)| unscored + scored).sum();
    let scores: usize = heads.iter().map(|(_, scored, _)| scored).sum();
    let (mut moves, rest) = rest.split_at_checked(2 * moves)?;
    let (mut low, mut high) = rest.split_at_checked(scores)?;
    if high.len() != scores {
        return None;
    }
    let mut games = Vec::with_capacity(heads.len());
    for (unscored, scored, end) in heads {
        let (of_game, rest) = moves.split_at(2 * (unscored + scored));
        moves = rest;
        let moves = of_game.chunks_exact(2).map(|b| Move::from_bits(u16::from_le_bytes([b[0], b[1]])));
        let score = |(&low, &high)| i16::from_le_bytes([low, high]);
        let by_black: Vec<i16> = low.iter().zip(high).take(scored).map(score).collect();
        (low, high) = (&low[scored..], &high[scored..]);
        games.push(ShogiGameRecord {
            moves: moves.collect(),
            scores: turned(unscored, &by_black).collect(),
            end,
        });
    }
    Some(games)
}

/// The content of a file.
#[derive(Clone, Debug)]
pub struct ShogiFileContent {
    /// How the games were made.
    pub header: ShogiFileHeader,
    /// The games of all whole blocks.
    pub games: Vec<ShogiGameRecord>,
    /// Bytes behind them, which an interruption left.
    pub lost: usize,
}

fn content(bytes: &[u8]) -> Result<Option<ShogiFileContent>, String> {
    let mut blocks = Blocks::new(MARK, bytes);
    let Some(first) = blocks.next() else { return Ok(None) };
    let header = first.strip_prefix(&[HEADER]).ok_or("its first block is no header")?;
    let header = serde_json::from_slice(header).map_err(|error| format!("its header: {error}"))?;
    let mut games = Vec::new();
    for body in blocks.by_ref() {
        games.extend(decode(body).ok_or("a block with a good checksum makes no sense")?);
    }
    let lost = match blocks.tail() {
        Tail::Empty => 0,
        Tail::Torn(bytes) => bytes,
        Tail::Damaged => return Err(format!("it is damaged at byte {}", bytes.len() - blocks.rest().len())),
    };
    Ok(Some(ShogiFileContent { header, games, lost }))
}

/// Reads a file.
///
/// # Errors
/// The file cannot be read, is damaged, or has no whole header.
pub fn read(path: &Path) -> io::Result<ShogiFileContent> {
    let content = content(&files::read(path, FileKind::GAMES)?).map_err(io::Error::other)?;
    content.ok_or_else(|| io::Error::other("this file has no whole header of self-played shogi games"))
}

/// A file that games are appended to.
#[derive(Debug)]
pub struct ShogiRecordWriter(Appender);

impl ShogiRecordWriter {
    /// Opens or creates a file; what an interruption left incomplete is cut off. Also gives the
    /// games that are there.
    ///
    /// # Errors
    /// The file cannot be read or written, or was made in another way than `header` says.
    pub fn open(
        path: &Path,
        header: &ShogiFileHeader,
    ) -> io::Result<(ShogiRecordWriter, Vec<ShogiGameRecord>)> {
        let (mut file, bytes) = Appender::open(path, MARK)?;
        match content(&bytes).map_err(io::Error::other)? {
            Some(known) if known.header == *header => Ok((ShogiRecordWriter(file), known.games)),
            Some(known) => Err(io::Error::other(format!(
                "this file was made with other settings:\n  there {}\n  here  {}",
                serde_json::to_string(&known.header)?,
                serde_json::to_string(header)?
            ))),
            None => {
                let mut body = vec![HEADER];
                serde_json::to_writer(&mut body, header)?;
                file.append(&body)?;
                Ok((ShogiRecordWriter(file), Vec::new()))
            }
        }
    }

    /// Appends games as one block; returns when they are on the disk.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn append(&mut self, games: &[ShogiGameRecord]) -> io::Result<()> {
        self.0.append(&encode(games))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn header(seed: u64) -> ShogiFileHeader {
        let weights = "hand".to_owned();
        ShogiFileHeader { seed, first: 500, nodes: 100, random: (7, 8), adjudicate: 2_500, weights }
    }

    prop_compose! {
        fn game()(
            moves in prop::collection::vec(1u16..=u16::MAX, 0..400),
            scores in prop::collection::vec(-32_000i16..=32_000, 0..400),
            unscored in 0usize..=255,
            cause in prop::sample::select(ShogiEndCause::ALL.to_vec()),
            winner in prop::sample::select(vec![None, Some(Side::First), Some(Side::Second)]),
        ) -> ShogiGameRecord {
            let scored = scores.len().min(moves.len()).max(moves.len().saturating_sub(unscored));
            let mut scores = scores;
            scores.resize(scored, -7);
            ShogiGameRecord { moves: moves.into_iter().map(Move::from_bits).collect(), scores, end: ShogiGameEnd { winner, cause } }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn games_are_read_as_they_were_written(games in prop::collection::vec(game(), 0..12)) {
            prop_assert_eq!(decode(&encode(&games)), Some(games));
        }

        #[test]
        fn no_bytes_upset_the_reader(mut bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let _ = decode(&bytes);
            bytes.insert(0, GAMES);
            let _ = decode(&bytes);
            let _ = columns(&bytes[1..]);
        }
    }

    #[test]
    fn a_file_goes_on_under_the_same_header_only() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("games.ksg");
        let end = ShogiGameEnd { winner: Some(Side::Second), cause: ShogiEndCause::Score };
        let game = ShogiGameRecord { moves: vec![Move::from_bits(9); 30], scores: vec![-3_100; 23], end };
        let (mut writer, found) = ShogiRecordWriter::open(&path, &header(4)).expect("a new file");
        assert!(found.is_empty());
        writer.append(&[game.clone(), game.clone()]).expect("room");
        drop(writer);
        let (_, found) = ShogiRecordWriter::open(&path, &header(4)).expect("the same file");
        assert_eq!(found, [game.clone(), game.clone()]);
        let said = ShogiRecordWriter::open(&path, &header(5)).expect_err("another seed").to_string();
        assert!(said.contains("\"seed\":4") && said.contains("\"seed\":5"), "{said}");
        let content = read(&path).expect("readable");
        assert_eq!((content.header, content.games, content.lost), (header(4), vec![game.clone(), game], 0));
    }

    #[test]
    fn mates_keep_their_length() {
        assert_eq!(packed(Score::MateIn(3)), 31_997);
        assert_eq!(packed(Score::MatedIn(0)), -32_000);
        assert_eq!(packed(Score::Cp(-70_000)), -30_999);
    }
}
