use super::*;
use crate::tools::match_runner::journal::{EndCause, GameResult};
use crate::tools::match_runner::summary::tests::journal;

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
        .map(|(index, turn)| Move {
            ply: index as u32 + 1,
            side: ((index + first) % 2) as u8,
            m: turn.into(),
            used_us: 1_600_000,
            cp: Some(55),
            depth: Some(9),
            nodes: Some(12_345),
            pv: vec![turn.into()],
            ..Move::default()
        })
        .collect();
    journal
}

fn record(journal: &Journal) -> Record<'_> {
    Record::new(journal, &journal.games[0]).unwrap()
}

const SHOGI: &str = "7g7f 3c3d 8h2b+ 3a2b B*4e";

#[test]
fn kif_is_written_as_its_specification_shows() {
    let mut journal = one_game("shogi", "startpos", SHOGI, GameResult::FirstWins, EndCause::Resign);
    journal.games[0].moves[0].pv.push("8c8d".into());
    for one in &mut journal.games[0].moves[1..] {
        (one.cp, one.depth, one.nodes) = (None, None, None);
    }
    let text = kif::write(&record(&journal));
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
fn shift_jis_is_written_where_it_can_hold_the_names() {
    let mut journal = one_game("shogi", "startpos", SHOGI, GameResult::FirstWins, EndCause::Resign);
    let text = kif::write(&record(&journal));
    let bytes = kif::shift_jis(&text).unwrap();
    let (back, _, wrong) = encoding_rs::SHIFT_JIS.decode(&bytes);
    assert!(!wrong);
    assert_eq!(back, text.replace("UTF-8", "Shift_JIS").replace('\n', "\r\n"));
    journal.games[0].game.first = "engine ☗".into();
    assert_eq!(kif::shift_jis(&kif::write(&record(&journal))), None);
}

#[test]
fn another_start_is_drawn_and_white_may_begin() {
    let lance = "sfen lnsgkgsn1/1r5b1/ppppppp2/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w 2p 1";
    let journal = one_game("shogi", lance, "3c3d 7g7f", GameResult::SecondWins, EndCause::Time);
    let text = kif::write(&record(&journal));
    assert!(text.contains("手合割：その他\n後手の持駒：歩二　\n"), "{text}");
    assert!(text.contains("|v香v桂v銀v金v玉v金v銀v桂 ・|一\n"), "{text}");
    assert!(text.contains("先手の持駒：なし\n後手番\n"), "{text}");
    // White is to move after two plies and has won, because Black's time is over.
    assert!(text.contains("   3 反則勝ち ") && text.ends_with("まで2手で先手の反則負け\n"), "{text}");
    let csa = csa::write(&record(&journal), csa::Version::V2);
    assert!(csa.contains("P1-KY-KE-GI-KI-OU-KI-GI-KE * \n"), "{csa}");
    assert!(csa.contains("P-00FU00FU\n-\n-3334FU\nT1\n'** -55 #12345\n+7776FU\n"), "{csa}");
}

#[test]
fn csa_names_the_piece_after_the_move() {
    let journal = one_game("shogi", "startpos", SHOGI, GameResult::FirstWins, EndCause::Resign);
    let text = csa::write(&record(&journal), csa::Version::V3);
    assert!(text.contains("V3.0\nN+engineA\nN-engineB\n"), "{text}");
    assert!(text.contains("$TIME:10+0+0.1\nPI\n+\n+7776FU\nT1.600\n'** 55 #12345\n"), "{text}");
    assert!(
        text.contains("+8822UM\n") && text.contains("-3122GI\n") && text.ends_with("'** 55 #12345\n%TORYO\n")
    );
    let old = csa::write(&record(&journal), csa::Version::V2);
    assert!(!old.contains("T1.600") && !old.contains("$TIME"), "{old}");
}

#[test]
fn ends_are_told_from_the_right_side() {
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
        (GameResult::Draw, EndCause::MaxPlies, "持将棋", "%MAX_MOVES"),
    ];
    for (result, cause, kif_word, csa_word) in ends {
        // After five plies White is to move.
        let journal = one_game("shogi", "startpos", SHOGI, result, cause);
        let record = record(&journal);
        assert!(kif::write(&record).contains(&format!("\n   6 {kif_word} ")), "{cause:?}");
        assert!(csa::write(&record, csa::Version::V3).ends_with(&format!("{csa_word}\n")), "{cause:?}");
    }
}

#[test]
fn hostile_names_stay_in_their_place() {
    let mut journal = one_game("shogi", "startpos", "7g7f", GameResult::FirstWins, EndCause::Crash);
    journal.open.engines[0].name = "x]\n%KACHI\t".into();
    journal.games[0].game.first = "x]\n%KACHI\t".into();
    journal.games[0].game.detail = "died\n%TORYO".into();
    assert!(!csa::write(&record(&journal), csa::Version::V2).contains("\n%KACHI"));
    assert!(!csa::write(&record(&journal), csa::Version::V2).contains("\n%TORYO"));
    assert!(
        lines::usi(&[record(&journal)])
            .starts_with("position startpos moves 7g7f\tx] %KACHI \tengineB\t1-0\tcrash\n")
    );
    journal.open.game = "reversi".into();
    journal.games[0].moves.clear();
    let text = ggf::write(&record(&journal));
    assert!(text.contains("PB[x) %KACHI ]PW[engineB]"), "{text}");
}

#[test]
fn reversi_is_written_as_ggf_and_transcript() {
    let mut journal =
        one_game("reversi", "startpos moves f5", "d6 c3", GameResult::SecondWins, EndCause::NoMoves);
    journal.games[0].moves[0].side = 1;
    journal.games[0].moves[1].side = 0;
    journal.games[0].game.margin = Some(-12);
    let text = ggf::write(&record(&journal));
    assert_eq!(
        text,
        "(;GM[Othello]PC[kaeshi]DT[2026-11-20 16:00:00 GMT]PB[engineA]PW[engineB]RE[-12.00]TI[00:10/00:01/]\
         TY[8]BO[8 ---------------------------O*------*O--------------------------- *]\
         B[F5]W[D6/0.55/1.60]B[C3/0.55/1.60];)\n"
    );
    assert_eq!(lines::transcripts(&[record(&journal)]), "f5d6c3\tengineA\tengineB\t0-1\tno-moves\t-12\n");
}

#[test]
fn sygo_is_written_as_a_turn_list() {
    let start = format!("fen {} w - 0 1", ["5"; 5].join("/"));
    let mut journal = one_game("sygo", &start, "c3 a1 +c2 +a2@e5", GameResult::SecondWins, EndCause::Resign);
    for (index, one) in journal.games[0].moves.iter_mut().enumerate() {
        one.side = (index % 2) as u8;
    }
    let text = sygo::write(&record(&journal));
    assert!(
        text.starts_with(
            "[Sygo \"1\"] [Size \"5\"] [White \"engineA\"] [Black \"engineB\"] [TC \"tc=10+0.1\"]"
        )
    );
    assert!(text.contains("\n1. c3 {t 1.600 e +0.55 d 9 n 12345}\n2. a1 {"), "{text}");
    assert!(!text.contains("Position"), "{text}");
}

#[test]
fn clocks_are_read_from_their_words() {
    let clock = |main, increment, byoyomi| Some(Clock { main, increment, byoyomi });
    assert_eq!(Clock::parse("tc=10+0.1"), clock(10.0, 0.1, 0.0));
    assert_eq!(Clock::parse("tc=300/30"), clock(300.0, 0.0, 30.0));
    assert_eq!(Clock::parse("byoyomi=1"), clock(0.0, 0.0, 1.0));
    assert_eq!(Clock::parse("nodes=20000"), None);
}

#[test]
fn a_folder_gets_every_format_of_the_game() {
    let folder = tempfile::tempdir().unwrap();
    let journal = one_game("shogi", "startpos", SHOGI, GameResult::FirstWins, EndCause::Resign);
    write_all(&journal, folder.path()).unwrap();
    for name in ["kif/00001-1.kifu", "kif/00001-1.kif", "games.csa", "games.usi"] {
        assert!(folder.path().join(name).is_file(), "{name}");
    }
}
