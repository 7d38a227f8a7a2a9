use super::*;
use crate::tournament::summary::tests::journal;
use kaeshi_core::game::GameError;
use kaeshi_core::game::score::Score;
use kaeshi_records::read;
use kaeshi_records::referee::ending::{EndCause, GameResult};
use kaeshi_records::{csa, ggf, position_line, sygo_list, transcript};

/// A journal with one game of these turns, each with a score, a depth, nodes and a time.
pub(crate) fn one_game(game: &str, start: &str, turns: &str, result: GameResult, cause: EndCause) -> Journal {
    let mut journal = journal(&[[0, 1]], &["w"]);
    journal.open.single = true;
    journal.open.game = game.into();
    journal.open.engines[0].name = "engineA".into();
    journal.open.engines[1].name = "engineB".into();
    let first = if start.contains(" w") { 1 } else { 0 };
    let played = &mut journal.games[0];
    played.game.first = "engineA".into();
    played.game.second = "engineB".into();
    played.game.start = start.into();
    played.game.result = result;
    played.game.cause = cause;
    played.moves = turns
        .split(' ')
        .enumerate()
        .map(|(index, turn)| JournalMove {
            ply: index as u32 + 1,
            side: ((index + first) % 2) as u8,
            m: turn.into(),
            used_us: 1_600_000,
            cp: Some(55),
            depth: Some(9),
            nodes: Some(12_345),
            pv: vec![turn.into()],
            ..JournalMove::default()
        })
        .collect();
    journal
}

fn only(journal: &Journal) -> GameRecord {
    let rules = rules_by_name(&journal.open.game).unwrap();
    let played = &journal.games[0];
    record(journal, played, &replay(&*rules, played, |_| {}).unwrap()).unwrap()
}

const SHOGI: &str = "7g7f 3c3d 8h2b+ 3a2b B*4e";

#[test]
fn kif_is_written_as_its_specification_shows() {
    let mut journal = one_game("shogi", "startpos", SHOGI, GameResult::FirstWins, EndCause::Resign);
    journal.games[0].moves[0].pv.push("8c8d".into());
    for one in &mut journal.games[0].moves[1..] {
        (one.cp, one.depth, one.nodes) = (None, None, None);
    }
    let text = kif::write(&only(&journal)).unwrap();
    let wanted = "\
#KIF version=2.0 encoding=UTF-8
開始日時：2026/11/20 16:00:00
棋戦：kaeshi
持ち時間：tc=10+0.1
手合割：平手
先手：engineA
後手：engineB
手数----指手---------消費時間--
   1 ７六歩(77)   ( 0:01/00:00:01)
**評価値=55
**読み筋=△８四歩(83)
**深さ=9
**ノード数=12345
   2 ３四歩(33)   ( 0:01/00:00:01)
   3 ２二角成(88)   ( 0:02/00:00:03)
   4 同　銀(31)   ( 0:02/00:00:03)
   5 ４五角打   ( 0:01/00:00:04)
   6 投了   ( 0:00/00:00:03)
まで5手で先手の勝ち
";
    assert_eq!(text, wanted);
}

#[test]
fn another_start_is_drawn_and_white_may_begin() {
    let lance = "sfen lnsgkgsn1/1r5b1/ppppppp2/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w 2p 1";
    let journal = one_game("shogi", lance, "3c3d 7g7f", GameResult::SecondWins, EndCause::Time);
    let text = kif::write(&only(&journal)).unwrap();
    assert!(text.contains("手合割：その他\n後手の持駒：歩二　\n"), "{text}");
    assert!(text.contains("|v香v桂v銀v金v玉v金v銀v桂 ・|一\n"), "{text}");
    assert!(text.contains("先手の持駒：なし\n後手番\n"), "{text}");
    // White is to move after two plies and has won, because Black's time is over.
    assert!(text.contains("   3 反則勝ち ") && text.ends_with("まで2手で先手の反則負け\n"), "{text}");
    let csa = csa::write(&only(&journal), csa::CsaVersion::V2).unwrap();
    assert!(csa.contains("P1-KY-KE-GI-KI-OU-KI-GI-KE * \n"), "{csa}");
    assert!(csa.contains("P-00FU00FU\n-\n-3334FU\nT1\n'** -55 #12345\n+7776FU\n"), "{csa}");
}

#[test]
fn csa_names_the_piece_after_the_move() {
    let journal = one_game("shogi", "startpos", SHOGI, GameResult::FirstWins, EndCause::Resign);
    let text = csa::write(&only(&journal), csa::CsaVersion::V3).unwrap();
    assert!(text.contains("V3.0\nN+engineA\nN-engineB\n"), "{text}");
    assert!(text.contains("$TIME:10+0+0.1\nPI\n+\n+7776FU\nT1.600\n'** 55 #12345\n"), "{text}");
    assert!(
        text.contains("+8822UM\n") && text.contains("-3122GI\n") && text.ends_with("'** 55 #12345\n%TORYO\n")
    );
    let old = csa::write(&only(&journal), csa::CsaVersion::V2).unwrap();
    assert!(!old.contains("T1.600") && !old.contains("$TIME"), "{old}");
}

#[test]
fn ends_are_reported_from_the_right_side() {
    let ends = [
        (GameResult::FirstWins, EndCause::Time, "切れ負け", "%TIME_UP"),
        (GameResult::FirstWins, EndCause::Illegal, "反則負け", "%ILLEGAL_MOVE"),
        (GameResult::FirstWins, EndCause::Mate, "詰み", "%TSUMI"),
        (GameResult::SecondWins, EndCause::Declare, "入玉勝ち", "%KACHI"),
        (GameResult::SecondWins, EndCause::Perpetual, "反則勝ち", "%+ILLEGAL_ACTION"),
        (GameResult::FirstWins, EndCause::Perpetual, "反則負け", "%-ILLEGAL_ACTION"),
        (GameResult::FirstWins, EndCause::Crash, "反則負け", "%-ILLEGAL_ACTION"),
        (GameResult::Draw, EndCause::Repetition, "千日手", "%SENNICHITE"),
        (GameResult::Draw, EndCause::Impasse, "持将棋", "%JISHOGI"),
        (GameResult::SecondWins, EndCause::Impasse, "入玉勝ち", "%KACHI"),
        (GameResult::FirstWins, EndCause::Impasse, "投了", "%TORYO"),
        (GameResult::Draw, EndCause::MaxPlies, "持将棋", "%MAX_MOVES"),
    ];
    for (result, cause, kif_word, csa_word) in ends {
        // After five plies White is to move.
        let journal = one_game("shogi", "startpos", SHOGI, result, cause);
        let record = only(&journal);
        assert!(kif::write(&record).unwrap().contains(&format!("\n   6 {kif_word} ")), "{cause:?}");
        assert!(
            csa::write(&record, csa::CsaVersion::V3).unwrap().ends_with(&format!("{csa_word}\n")),
            "{cause:?}"
        );
    }
}

#[test]
fn hostile_names_stay_in_their_place() {
    let mut journal = one_game("shogi", "startpos", "7g7f", GameResult::FirstWins, EndCause::Crash);
    journal.open.engines[0].name = "x]\n%KACHI\t".into();
    journal.games[0].game.first = "x]\n%KACHI\t".into();
    journal.games[0].game.detail = "died\n%TORYO".into();
    assert!(!csa::write(&only(&journal), csa::CsaVersion::V2).unwrap().contains("\n%KACHI"));
    assert!(!csa::write(&only(&journal), csa::CsaVersion::V2).unwrap().contains("\n%TORYO"));
    assert!(
        position_line::write(&only(&journal))
            .starts_with("position startpos moves 7g7f\tx] %KACHI \tengineB\t1-0\tcrash\n")
    );
    journal.open.game = "reversi".into();
    journal.games[0].moves.clear();
    let text = ggf::write(&only(&journal)).unwrap();
    assert!(text.contains("PB[x) %KACHI ]PW[engineB]"), "{text}");
}

#[test]
fn reversi_is_written_as_ggf_and_transcript() {
    let mut journal =
        one_game("reversi", "startpos moves f5", "d6 c3", GameResult::SecondWins, EndCause::NoMoves);
    journal.games[0].moves[0].side = 1;
    journal.games[0].moves[1].side = 0;
    journal.games[0].game.margin = Some(-12);
    let text = ggf::write(&only(&journal)).unwrap();
    assert_eq!(
        text,
        "(;GM[Othello]PC[kaeshi]DT[2026-11-20 16:00:00 GMT]PB[engineA]PW[engineB]RE[-12.00]TI[00:10/00:01/]\
         TY[8]BO[8 ---------------------------O*------*O--------------------------- *]\
         B[F5]W[D6/0.55/1.60]B[C3/0.55/1.60];)\n"
    );
    assert_eq!(transcript::write(&only(&journal)).unwrap(), "f5d6c3\tengineA\tengineB\t0-1\tno-moves\t-12\n");
}

#[test]
fn sygo_is_written_as_a_turn_list() {
    let start = format!("fen {} w - 0 1", ["5"; 5].join("/"));
    let mut journal = one_game("sygo", &start, "c3 a1 +c2 +a2@e5", GameResult::SecondWins, EndCause::Resign);
    for (index, one) in journal.games[0].moves.iter_mut().enumerate() {
        one.side = (index % 2) as u8;
    }
    let text = sygo_list::write(&only(&journal)).unwrap();
    assert!(
        text.starts_with(
            "[Sygo \"1\"] [Size \"5\"] [White \"engineA\"] [Black \"engineB\"] [TC \"tc=10+0.1\"]"
        )
    );
    assert!(text.contains("\n1. c3 {t 1.600 e +0.55 d 9 n 12345}\n2. a1 {"), "{text}");
    assert!(!text.contains("Position"), "{text}");
}

#[test]
fn a_folder_gets_every_format_of_the_game() {
    let folder = tempfile::tempdir().unwrap();
    let journal = one_game("shogi", "startpos", SHOGI, GameResult::FirstWins, EndCause::Resign);
    write_all(&journal, folder.path()).unwrap();
    for name in ["kif/00001-1.kifu", "csa/00001-1.csa", "games.csa", "games.usi"] {
        assert!(folder.path().join(name).is_file(), "{name}");
    }
    for form in ["kif", "csa"] {
        assert_eq!(fs::read_dir(folder.path().join(form)).unwrap().count(), 1, "one file a game in {form}");
    }
}

/// What is there is replaced whole: another name of the old file keeps its content.
#[test]
fn files_are_replaced_whole_and_named_where_they_cannot_be() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let journal = one_game("shogi", "startpos", SHOGI, GameResult::FirstWins, EndCause::Resign);
    fs::create_dir_all(path("kif")).unwrap();
    fs::write(path("kif/00001-1.kifu"), "old").unwrap();
    fs::hard_link(path("kif/00001-1.kifu"), path("other")).unwrap();
    write_all(&journal, folder.path()).unwrap();
    assert_eq!(fs::read_to_string(path("other")).unwrap(), "old");
    assert!(fs::read_to_string(path("kif/00001-1.kifu")).unwrap().starts_with("#KIF"));
    fs::remove_file(path("games.csa")).unwrap();
    fs::create_dir(path("games.csa")).unwrap();
    let error = format!("{:#}", write_all(&journal, folder.path()).unwrap_err());
    assert!(error.contains("cannot write") && error.contains("games.csa"), "{error}");
    assert!(!path("games.csa.part").exists());
}

/// What every form keeps of a game comes back from it.
#[test]
fn what_is_written_is_read_back() {
    let reversi = "f5 d6 c3 d3 c4";
    type Write = fn(&[GameRecord]) -> Result<String, GameError>;
    let cases: [(&str, &str, &str, Write); 7] = [
        ("shogi", "startpos", SHOGI, |all| kif::write(&all[0])),
        ("shogi", "startpos moves 2g2f", "3c3d 2f2e 2b3c", |all| kaeshi_records::ki2::write(&all[0])),
        ("shogi", "startpos", SHOGI, |all| csa::write(&all[0], csa::CsaVersion::V3)),
        ("shogi", "sfen lnsgkgsnl/1r7/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1", "3c3d 7g7f", |all| {
            kaeshi_records::jkf::write(&all[0])
        }),
        ("shogi", "startpos", SHOGI, |all| Ok(position_line::write(&all[0]))),
        ("reversi", "startpos", reversi, |all| ggf::write(&all[0])),
        ("reversi", "startpos", reversi, |all| transcript::write(&all[0])),
    ];
    for (game, start, turns, write) in cases {
        let journal = one_game(game, start, turns, GameResult::FirstWins, EndCause::Resign);
        let record = only(&journal);
        let text = write(std::slice::from_ref(&record)).unwrap();
        let mut items = read(text.as_bytes(), None);
        assert_eq!(items.len(), 1, "{text}");
        let back = items.remove(0).unwrap();
        assert_eq!((&back.fault, back.game), (&None, record.game), "{text}");
        let turns = |record: &GameRecord| record.plies.iter().map(|ply| ply.turn.clone()).collect::<Vec<_>>();
        assert_eq!(turns(&back), turns(&record), "{text}");
        let board = |start: &str| rules_by_name(game).unwrap().board(Some(start)).unwrap().text();
        assert_eq!(board(&back.start), board(&record.start), "{text}");
        assert_eq!(back.players, record.players, "{text}");
        assert_eq!(back.ending.unwrap().winner, Some(Side::First), "{text}");
    }
}

#[test]
fn values_and_times_are_read_back() {
    let mut journal = one_game("shogi", "startpos", SHOGI, GameResult::SecondWins, EndCause::Time);
    journal.games[0].moves[1].mate = Some(-6);
    let record = only(&journal);
    let all = |record: &GameRecord, part: fn(&PlyRemarks) -> String| -> Vec<String> {
        record.plies.iter().map(|ply| part(ply.remarks.as_ref().unwrap())).collect()
    };
    let again = |text: String| read(text.as_bytes(), None).remove(0).unwrap();
    let kif = again(kif::write(&record).unwrap());
    let what = |remarks: &PlyRemarks| format!("{:?} {:?} {:?}", remarks.score, remarks.depth, remarks.nodes);
    assert_eq!(all(&kif, what), all(&record, what));
    let seconds = |remarks: &PlyRemarks| format!("{:?}", remarks.used_us.map(|used| used / 1_000_000));
    assert_eq!(all(&kif, seconds), ["Some(1)", "Some(1)", "Some(2)", "Some(2)", "Some(1)"]);
    assert_eq!((&kif.date, &kif.limit, &kif.event), (&record.date, &record.limit, &record.event));
    let csa = again(csa::write(&record, csa::CsaVersion::V3).unwrap());
    assert_eq!(all(&csa, |remarks| format!("{:?}", remarks.used_us)), ["Some(1600000)"; 5]);
    let remarks = csa.plies[1].remarks.as_ref().unwrap();
    assert_eq!((remarks.score, remarks.nodes), (Some(Score::Cp(-csa::MATE_SCORE)), Some(12_345)));
    assert_eq!(csa.plies[2].remarks.as_ref().unwrap().score, Some(Score::Cp(55)));
    let start = format!("fen {} w - 0 1", ["5"; 5].join("/"));
    let mut journal =
        one_game("sygo", &start, "c3 a1 +c2 +a2@e5", GameResult::SecondWins, EndCause::TwoPasses);
    journal.games[0].game.margin = Some(-7);
    let record = only(&journal);
    let back = again(sygo_list::write(&record).unwrap());
    assert_eq!(back.ending, record.ending);
    let what = |remarks: &PlyRemarks| format!("{:?}", PlyRemarks { expected: Vec::new(), ..remarks.clone() });
    assert_eq!(all(&back, what), all(&record, what));
}

/// Journals that version 0.1.0 wrote (commit dfc6c6f) and the records that it made of them: the same
/// bytes come of the journals today.
#[test]
fn journals_of_the_first_version_give_the_records_of_the_first_version() {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/data/match-0.1.0");
    for (game, files) in [
        ("shogi", &["games.csa", "games.usi", "kif/00001-1.kifu"][..]),
        ("reversi", &["games.ggf", "games.txt"]),
        ("sygo", &["games.sygo"]),
    ] {
        let journal = crate::tournament::journal::load::load(&data.join(game).join("journal.jsonl"));
        let journal = journal.unwrap();
        assert_eq!((journal.games.len(), journal.open.tool.as_str()), (2, "kaeshi 0.1.0"));
        let folder = tempfile::tempdir().unwrap();
        write_all(&journal, folder.path()).unwrap();
        for file in files {
            let (old, new) = (data.join(game).join("records").join(file), folder.path().join(file));
            assert_eq!(fs::read(new).unwrap(), fs::read(old).unwrap(), "{game}: {file}");
            // What is written is read back whole.
            let bytes = fs::read(folder.path().join(file)).unwrap();
            for (item, played) in read(&bytes, None).into_iter().zip(&journal.games) {
                let record = item.unwrap();
                assert_eq!(record.fault, None, "{file}");
                assert!(record.plies.len() >= played.moves.len(), "{file}");
                assert_eq!(record.ending.unwrap().winner, played.game.result.winner(), "{file}");
            }
        }
    }
}
