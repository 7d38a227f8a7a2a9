use super::write::row_text;
use super::*;
use crate::referee::ending::Ending;
use crate::{PlyRemarks, RecordPly};
use Side::{First, Second};
use kaeshi_core::game::Side;

const GAME: &str = "#KIF version=2.0 encoding=UTF-8\r\n手合割：平手\r\n先手：甲\r\n後手：乙\r\n\
    手数----指手---------消費時間--\r\n   1 ７六歩(77)   ( 0:01/00:00:01)\r\n*評価値 55\r\n\
    \u{20}  2 ３四歩(33)   ( 0:01/00:00:01)\r\n   3 ２二角成(88) ( 0:02/00:00:03)\r\n\
    \u{20}  4 同　銀(31)   ( 0:01/00:00:02)\r\n   5 ４五角打     ( 0:03/00:00:06)\r\n\
    \u{20}  6 投了         ( 0:04/00:00:06)\r\nまで5手で先手の勝ち\r\n\r\n変化：3手\r\n   3 ２六歩(27)\r\n";

/// The first game of a text.
fn read(text: &str) -> Item {
    super::read(text).remove(0)
}

fn turns(record: &GameRecord) -> Vec<&str> {
    record.plies.iter().map(|ply| ply.turn.as_str()).collect()
}

#[test]
fn the_main_line_is_read() {
    let record = read(GAME).unwrap();
    assert_eq!(turns(&record), ["7g7f", "3c3d", "8h2b+", "3a2b", "B*4e"]);
    assert_eq!(record.start, "startpos");
    assert_eq!(record.end.as_deref(), Some("投了"));
    assert_eq!((record.tag("先手"), record.tag("後手")), (Some("甲"), Some("乙")));
    assert_eq!(record.fault, None);
    assert_eq!(record.plies[2].line, 9);
    assert!(GAME[..record.plies[0].end].ends_with("( 0:01/00:00:01)\r\n"));
}

#[test]
fn every_handicap_is_written_by_its_name() {
    for handicap in &kaeshi_shogi::rules::handicap::HANDICAPS {
        let start = format!("sfen {}", handicap.position);
        let record = GameRecord { start: start.clone(), ..read(GAME).unwrap() };
        let head = write_head(&record).unwrap();
        assert!(head.contains("落ち\n下手：甲\n上手：乙\n"), "{}: {head}", handicap.name);
        assert_eq!(read(&head).unwrap().start, start, "{head}");
    }
}

#[test]
fn the_sides_of_a_handicap_game_have_their_names_in_every_form() {
    let game =
        "手合割：二枚落ち\n下手：甲\n上手：乙\n手数----指手---------消費時間--\n   1 ６二銀(71)\n   2 投了\n";
    let record = read(game).unwrap();
    assert!(write(&record).unwrap().ends_with("まで1手で上手の勝ち\n"));
    let ki2 = crate::ki2::write(&record).unwrap();
    assert!(ki2.contains("下手：甲\n上手：乙\n") && ki2.ends_with("まで1手で上手の勝ち\n"), "{ki2}");
    assert_eq!(crate::ki2::read(&ki2).remove(0).unwrap().ending, record.ending);
    let jkf = crate::jkf::write(&record).unwrap();
    assert!(jkf.contains("\"下手\": \"甲\"") && jkf.contains("\"上手\": \"乙\""), "{jkf}");
    for text in [ki2, jkf, write(&record).unwrap()] {
        for name in ["先手", "後手"] {
            assert!(!text.contains(name), "{name} in {text}");
        }
    }
}

#[test]
fn variations_are_read_and_written() {
    let text = format!(
        "{GAME}   4 ８四歩(83)\n   5 ２五歩(26)\n*b\n\n変化：5手\n   5 ６八銀(79)\n   6 中断\n\n変化：2手\n   2 ８四歩(83)\n"
    );
    let record = read(&text).unwrap();
    assert_eq!(record.fault, None);
    let shown = |line| record.line(line).iter().map(|ply| ply.turn.as_str()).collect::<Vec<_>>().join(" ");
    let lines: Vec<_> =
        (1..=3).map(|line| (record.variations[line - 1].of, record.after(line), shown(line))).collect();
    let expected = [(0, 2, "2g2f 8c8d 2f2e"), (1, 4, "7i6h"), (0, 1, "8c8d")];
    assert_eq!(lines, expected.map(|(of, after, turns)| (of, after, turns.to_owned())));
    assert_eq!(record.variations[0].plies[2].remarks.as_ref().unwrap().comments, ["b"]);
    let back = read(&write(&record).unwrap()).unwrap();
    assert_eq!((back.fault, back.plies.len(), back.variations.len()), (None, 5, 3));
    for (one, other) in back.variations.iter().zip(&record.variations) {
        assert_eq!((one.of, one.after, one.plies.len()), (other.of, other.after, other.plies.len()));
    }
    let late = text.replace("変化：5手", "変化：9手");
    assert_eq!(read(&late).unwrap().fault.map(|fault| fault.line), Some(21));
}

#[test]
fn handicaps_begin_with_white() {
    let record = read("手合割：二枚落ち　　\n下手：a\n上手：b\n手数----指手--\n 1 ６二銀(71)\n").unwrap();
    assert_eq!(record.start, "sfen lnsgkgsnl/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1");
    assert_eq!(turns(&record), ["7a6b"]);
}

#[test]
fn a_board_and_hands_are_read() {
    let text = "後手の持駒：飛二　角　金　桂　歩十八　\n  ９ ８ ７ ６ ５ ４ ３ ２ １\n\
        +---------------------------+\n| ・ ・ ・ ・v玉 ・ ・ ・ ・|一\n| ・ ・ ・ ・ ・ ・ ・ ・ ・|二\n\
        | ・ ・ ・ ・ と ・ ・ ・ ・|三\n| ・ ・ ・ ・ ・ ・ ・ ・ ・|四\n| ・ ・ ・ ・ ・ ・ ・ ・ ・|五\n\
        | ・ ・ ・ ・ ・ ・ ・ ・ ・|六\n| ・ ・ ・ ・ ・ ・ ・ ・ ・|七\n| ・ ・ ・ ・ ・ ・ ・ ・v馬|八\n\
        | ・ ・ ・ ・ 玉 ・ ・ ・ 香|九\n+---------------------------+\n先手の持駒：金二　\n後手番\n\
        手数----指手--\n 1 投了\n";
    let record = read(text).unwrap();
    assert_eq!(record.start, "sfen 4k4/9/4+P4/9/9/9/9/8+b/4K3L w 2G2rbgn18p 1");
}

#[test]
fn faults_tell_the_line_and_keep_what_was_good() {
    for (bad, line, turns) in [
        (GAME.replace("３四歩(33)", "３四歩（33）"), 8, 1),
        (GAME.replace("   4 同", "   5 同"), 10, 3),
        (GAME.replace("   1 ７六歩(77)", "   1 同　歩(77)"), 6, 0),
        (GAME.replace("４五角打", "４五角"), 11, 4),
    ] {
        let record = read(&bad).unwrap();
        assert_eq!(record.fault.as_ref().map(|fault| fault.line), Some(line), "{:?}", record.fault);
        assert_eq!(record.plies.len(), turns);
    }
    assert_eq!(read("手合割：十九枚落ち\n").map_err(|fault| fault.line), Err(1));
    assert!(read("後手の持駒：玉\n").is_err());
    assert!(read("|v香v桂|一\n").is_err());
}

#[test]
fn lines_of_a_kif_file_are_known() {
    for line in ["   1 ７六歩(77)", "12 同　歩(77)", "#KIF version=2.0", "手数----指手--", "# ---- Kifu"]
    {
        assert!(is_kif_line(line), "{line}");
    }
    for line in ["", "12", "1 7g7f", "1. c4", "1 あ", "７六歩(77)", "# a remark", "先手：a"] {
        assert!(!is_kif_line(line), "{line}");
    }
    for (line, known) in [
        ("手合割：平手", true),
        (" |v香v桂|一", true),
        ("|v香v桂|二", false),
        ("x|一", false),
        ("先手：a", false),
    ] {
        assert_eq!(is_head_line(line), known, "{line}");
    }
    assert_eq!(header("\u{3000}先手\t：　a b "), Some(("先手", "a b")));
    assert_eq!((header("場所: 東京"), header("先手 a")), (Some(("場所", "東京")), None));
}

/// A diagram of two kings with these lines above and below.
fn diagram(above: &str, below: &str) -> String {
    let mut text = above.to_owned();
    for rank in ["一", "二", "三", "四", "五", "六", "七", "八", "九"] {
        text += match rank {
            "一" => "| ・ ・ ・ ・v玉 ・ ・ ・ ・|",
            "九" => "| ・ ・ ・ ・ 玉 ・ ・ ・ ・|",
            _ => "| ・ ・ ・ ・ ・ ・ ・ ・ ・|",
        };
        text += rank;
        text.push('\n');
    }
    text + below
}

#[test]
fn hands_and_the_side_to_move_are_read_by_all_their_names() {
    for (above, below, tail) in [
        ("", "", "b - 1"),
        ("先手の持駒：なし\n", "後手番\n", "w - 1"),
        ("下手の持駒：金　歩十二\n", "上手番\n", "w G12P 1"),
        ("後手番\n先手の持ち駒：飛\n", "先手番\n", "b R 1"),
        ("上手番\n下手の持ち駒：飛二\n", "下手番\n", "b 2R 1"),
        ("後手の持駒：銀\n", "", "b s 1"),
        ("上手の持駒：銀\n", "", "b s 1"),
        ("後手の持ち駒：銀\n", "", "b s 1"),
        ("上手の持ち駒：\n", "", "b - 1"),
        ("後手番\n", "", "w - 1"),
        ("手合割：その他　\n", "先手の持駒：桂\n", "b N 1"),
        // The diagram decides; a word that is not known does not matter.
        ("手合割：詰将棋\n", "先手の持駒：桂\n", "b N 1"),
        ("手合割：三十枚落ち\n", "", "b - 1"),
        ("", "手合割：詰将棋\n", "b - 1"),
        // Of a handicap the giver begins, unless the side to move is stated.
        ("手合割：二枚落ち\n上手の持駒：なし\n", "下手の持駒：桂\n", "w N 1"),
        ("上手の持駒：なし\n", "下手の持駒：桂\n手合割：二枚落ち\n", "w N 1"),
        ("手合割：二枚落ち\n上手の持駒：なし\n", "下手の持駒：桂\n下手番\n", "b N 1"),
        ("変化：3手\n", "", "b - 1"),
        // Blanks are lost in mails and on web pages.
        ("先手の持駒：飛角金四銀歩十八\n", "", "b RB4GS18P 1"),
    ] {
        let record = read(&diagram(above, below)).unwrap();
        assert_eq!(record.start, format!("sfen 4k4/9/9/9/9/9/9/9/4K4 {tail}"), "{above}{below}");
    }
}

#[test]
fn an_unknown_handicap_is_kept_as_a_header() {
    let record = read(&diagram("手合割：詰将棋\n", "")).unwrap();
    assert_eq!(record.tag("手合割"), Some("詰将棋"));
    // The diagram of a handicap, in a game between 上手 and 下手.
    let board = "|v香v桂v銀v金v玉v金v銀v桂v香|一\n| ・ ・ ・ ・ ・ ・ ・ ・ ・|二\n|v歩v歩v歩v歩v歩v歩v歩v歩v歩|三\n\
        | ・ ・ ・ ・ ・ ・ ・ ・ ・|四\n| ・ ・ ・ ・ ・ ・ ・ ・ ・|五\n| ・ ・ ・ ・ ・ ・ ・ ・ ・|六\n\
        | 歩 歩 歩 歩 歩 歩 歩 歩 歩|七\n| ・ 角 ・ ・ ・ ・ ・ 飛 ・|八\n| 香 桂 銀 金 玉 金 銀 桂 香|九\n";
    for (above, below, side) in [
        ("上手の持駒：なし\n", "下手の持駒：なし\n", "w"),
        ("手合割：その他\n上手：a\n下手：b\n", "", "w"),
        ("後手の持駒：なし\n", "先手の持駒：なし\n", "b"),
        ("上手の持駒：なし\n", "下手番\n", "b"),
    ] {
        let start = read(&format!("{above}{board}{below}")).unwrap().start;
        let wanted = format!("sfen lnsgkgsnl/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL {side} - 1");
        assert_eq!(start, wanted, "{above}");
    }
}

#[test]
fn an_empty_handicap_is_none() {
    for name in ["手合割：", "手合割:", "手合割：　"] {
        let record = read(&format!("{name}\n手数----指手--\n   1 ７六歩(77)\n")).unwrap();
        assert_eq!((&*record.start, record.plies.len()), ("startpos", 1), "{name}");
        let drawn = read(&diagram("", &format!("{name}\n"))).unwrap();
        assert_eq!(drawn.start, read(&diagram("", "")).unwrap().start);
    }
}

#[test]
fn a_variation_before_the_moves_is_passed_over() {
    for head in [
        "変化：3手\n手合割：平手\n手数----指手--\n",
        "手合割：平手\n変化：1手\n手数----指手--\n",
        "変化：1手\n",
    ] {
        let record = read(&format!("{head}   1 ７六歩(77)\n   2 ３四歩(33)\n")).unwrap();
        assert_eq!((turns(&record), &record.fault), (vec!["7g7f", "3c3d"], &None), "{head}");
    }
    let alone = diagram("変化：3手\n", "手数----指手--\n   3 ５八玉(59)\n   4 ５二玉(51)\n");
    let record = read(&alone).unwrap();
    assert_eq!((turns(&record), &record.fault), (vec!["5i5h", "5a5b"], &None));
}

#[test]
fn several_games_are_several_records() {
    let game =
        |moved: &str| format!("開始日時：2026/11/20\n{HEAD}   1 {moved}\n   2 投了\nまで1手で先手の勝ち\n\n");
    let text = game("７六歩(77)") + &game("２六歩(27)");
    let bare = format!("{HEAD}   1 ７六歩(77)\n   1 ２六歩(27)\n");
    for text in [text, bare, GAME.to_owned() + GAME] {
        let games: Vec<GameRecord> = super::read(&text).into_iter().map(Result::unwrap).collect();
        assert_eq!(games.len(), 2, "{text}");
        assert!(
            games
                .iter()
                .all(|game| game.fault.is_none() && game.warnings.is_empty() && !game.plies.is_empty())
        );
        assert!(games[1].line > 1 && games[1].plies[0].line >= games[1].line);
        assert!(text[..games[1].plies[0].end].ends_with('\n'));
    }
}

#[test]
fn what_stands_behind_the_end_is_reported() {
    let ended = format!("{HEAD}   1 ７六歩(77)\n   2 投了\n");
    let record = read(&format!("{ended}   3 ２六歩(27)\n")).unwrap();
    assert_eq!((record.plies.len(), record.end.as_deref()), (1, Some("投了")));
    let fault = record.fault.unwrap();
    assert!(fault.line == 5 && fault.reason.contains("after the end of the game"), "{fault}");
    for signature in ["-- \nTaro\n", "Tel: 03-1234\n", "12 Main Street\n"] {
        for closing in ["", "まで1手で先手の勝ち\n"] {
            let record = read(&format!("{ended}{closing}{signature}")).unwrap();
            assert_eq!(
                (record.plies.len(), record.fault, record.warnings.len()),
                (1, None, 1),
                "{signature}"
            );
        }
    }
    assert!(read(&ended).unwrap().warnings.is_empty());
}

#[test]
fn an_unknown_end_is_kept_and_a_pass_refused() {
    for (word, ending) in [
        ("時間切れ", None),
        ("引き分け", Some(Ending::default())),
        ("持将棋模様", None),
        ("トライ", None),
        ("最大手数", None),
        ("Resign", None),
        ("？？", None),
    ] {
        let record = read(&format!("{HEAD}   1 ７六歩(77)\n   2 {word}   ( 0:07/00:00:07)\n*why\n")).unwrap();
        assert_eq!(
            (record.end.as_deref(), record.ending.clone(), &record.fault),
            (Some(word), ending, &None)
        );
        let end = record.end_remarks.as_ref().unwrap();
        assert_eq!((end.used_us, &*end.comments), (Some(7_000_000), &["why".to_owned()][..]));
    }
    for (row, reason) in [
        ("パス", "passes are not supported in shogi"),
        ("歩(77)", "is no move"),
        ("成銀", "is no move"),
        ("？？(33)", "is no move"),
    ] {
        let record = read(&format!("{HEAD}   1 ７六歩(77)\n   2 {row}\n")).unwrap();
        assert_eq!((record.plies.len(), record.end), (1, None));
        assert!(record.fault.is_some_and(|fault| fault.reason.contains(reason)), "{row}");
    }
}

#[test]
fn a_head_that_makes_no_sense_is_refused_with_its_line() {
    let tenth = diagram("", "| ・ ・ ・ ・ ・ ・ ・ ・ ・|十\n");
    let cut: String = diagram("", "").lines().take(3).map(|line| format!("{line}\n")).collect();
    for (text, line, reason) in [
        (&*tenth, 10, "no row of a board"),
        (&cut, 1, "3 rows instead of 9"),
        ("先手の持駒：歩\n", 1, "no board"),
        ("\n先手の持駒：と\n", 2, "no hand"),
        ("先手の持駒：歩百\n", 1, "no hand"),
        ("\n\n手合割：三十枚落ち\n", 3, "not known"),
        ("| ・ ・|一\n", 1, "no row of a board"),
    ] {
        let fault = read(text).unwrap_err();
        assert!(fault.reason.contains(reason), "{fault}");
        assert_eq!(fault.line, line, "{fault}");
    }
}

const HEAD: &str = "手合割：平手\n手数----指手---------消費時間--\n";

#[test]
fn what_surrounds_the_rows_is_passed_over() {
    let text = format!(
        "{HEAD}\n# a remark\n&栞\n*before\n   1 ７六歩(77)\n*after\n場所：東京\nまで1手で中断\n手数----\n\
         \u{3000} 2 ３四歩(33)\n"
    );
    let record = read(&text).unwrap();
    assert_eq!((turns(&record), &record.fault), (vec!["7g7f", "3c3d"], &None));
    assert_eq!((&record.comments, record.tag("場所")), (&vec!["before".to_owned()], Some("東京")));
    assert_eq!(record.plies[0].remarks.as_ref().unwrap().comments, ["after"]);
    let record = read(&format!("{HEAD}   1 ７六歩(77)\nnonsense\n   2 ３四歩(33)\n")).unwrap();
    assert_eq!((record.plies.len(), record.fault.map(|fault| fault.line)), (1, Some(4)));
    let record = read(&format!("{HEAD}   1 投了\n   2 投了\n   9 投了\n")).unwrap();
    assert_eq!((record.end.as_deref(), record.fault), (Some("投了"), None));
    for variation in ["変化：1手", "変化:1手"] {
        let record = read(&format!("{HEAD}   1 ７六歩(77)\n{variation}\n   2 ３四歩(33)\n")).unwrap();
        assert_eq!(turns(&record), ["7g7f"]);
    }
}

#[test]
fn moves_are_read_in_all_their_shapes() {
    for (row, turn) in [
        ("２二角成(88)", Some("8h2b+")),
        ("２二角不成(88)", Some("8h2b")),
        ("２二馬(88)", Some("8h2b")),
        ("５五歩打", Some("P*5e")),
        ("22角(88)", Some("8h2b")),
        ("２二角(8)", None),
        ("２二角(888)", None),
        ("２二角", None),
        ("２二", None),
        ("同　角(88)", None),
    ] {
        let record = read(&format!("{HEAD}   1 {row}   ( 0:01/00:00:01)\n")).unwrap();
        assert_eq!(record.plies.first().map(|ply| ply.turn.as_str()), turn, "{row}");
        assert_eq!(record.fault.is_none(), turn.is_some(), "{row}");
    }
}

#[test]
fn times_are_minutes_and_seconds() {
    for (time, used_us) in [
        ("( 1:05/00:01:05)", Some(65_000_000)),
        ("(0:02.5/00:00:02)", Some(2_500_000)),
        ("(999999:00/0)", Some(59_999_940_000_000)),
        ("(1000000:00/0)", None),
        ("(0:x/0)", None),
        ("0:01/00:00:01)", None),
        ("(0:01)", None),
        ("", None),
    ] {
        let record = read(&format!("{HEAD}   1 ７六歩(77) {time}\n")).unwrap();
        assert_eq!(record.plies[0].remarks.as_ref().and_then(|remarks| remarks.used_us), used_us, "{time}");
    }
}

#[test]
fn values_are_seen_by_the_side_that_moved() {
    let comments = "**評価値= 55\n**深さ=9\n**ノード数=12345\n**読み筋=△８四歩(83)\n*remark\n**odd\n";
    let text = format!("*no turn yet\n{HEAD}   1 ７六歩(77)\n{comments}   2 ３四歩(33)\n{comments}");
    let record = read(&text).unwrap();
    let remarks: Vec<_> = record.plies.iter().map(|ply| ply.remarks.clone().unwrap()).collect();
    assert_eq!((remarks[0].score, remarks[1].score), (Some(Score::Cp(55)), Some(Score::Cp(-55))));
    for remarks in &remarks {
        assert_eq!((remarks.depth, remarks.nodes), (Some(9), Some(12_345)));
        assert_eq!(remarks.comments, ["remark", "*odd"]);
    }
    for (mate, score) in [
        ("先手勝ち:5手", Some(Score::MateIn(5))),
        ("後手勝ち:4手", Some(Score::MatedIn(4))),
        ("先手勝ち:5", None),
        ("詰:5手", None),
    ] {
        let record = read(&format!("{HEAD}   1 ７六歩(77)\n**詰み={mate}\n")).unwrap();
        assert_eq!(record.plies[0].remarks.as_ref().unwrap().score, score, "{mate}");
    }
}

#[test]
fn every_word_that_ends_a_game_is_understood() {
    for (word, winner, cause) in [
        ("投了", Some(First), EndCause::Resign),
        ("詰み", Some(First), EndCause::Mate),
        ("詰", Some(First), EndCause::Mate),
        ("切れ負け", Some(First), EndCause::Time),
        ("反則負け", Some(First), EndCause::Illegal),
        ("反則勝ち", Some(Second), EndCause::Illegal),
        ("入玉勝ち", Some(Second), EndCause::Declare),
        ("千日手", None, EndCause::Repetition),
        ("持将棋", None, EndCause::Impasse),
    ] {
        // White is to move.
        let record = read(&format!("{HEAD}   1 ７六歩(77)\n   2 {word}\n")).unwrap();
        assert_eq!(record.end.as_deref(), Some(word));
        assert_eq!(record.ending, Some(Ending::new(winner, cause)), "{word}");
    }
    for word in ["中断", "不戦敗", "封じ手"] {
        let record = read(&format!("{HEAD}   1 ７六歩(77)\n   2 {word}\n")).unwrap();
        assert_eq!((record.end.as_deref(), record.ending), (Some(word), None));
    }
}

#[test]
fn the_last_word_and_sentence_fit_winner_cause_and_side_to_move() {
    use EndCause::*;
    for (winner, cause, to_move, word, sentence) in [
        (None, Some(Repetition), First, "千日手", "千日手"),
        (None, Some(MaxPlies), First, "持将棋", "持将棋"),
        (None, None, First, "持将棋", "持将棋"),
        (Some(First), Some(Declare), First, "入玉勝ち", "先手の入玉勝ち"),
        (Some(First), Some(Declare), Second, "反則負け", "後手の反則負け"),
        (Some(First), Some(Mate), Second, "詰み", "先手の勝ち"),
        (Some(First), Some(Mate), First, "反則勝ち", "後手の反則負け"),
        (Some(Second), Some(Time), First, "切れ負け", "時間切れにより後手の勝ち"),
        (Some(Second), Some(Time), Second, "反則勝ち", "先手の反則負け"),
        (Some(First), Some(AdjWin), First, "中断", "中断"),
        (Some(First), Some(AdjWin), Second, "投了", "先手の勝ち"),
        (Some(First), Some(Resign), Second, "投了", "先手の勝ち"),
        (Some(Second), Some(Resign), Second, "反則勝ち", "先手の反則負け"),
        (Some(First), None, Second, "投了", "先手の勝ち"),
        (Some(First), None, First, "反則勝ち", "後手の反則負け"),
        (Some(Second), Some(Crash), First, "反則負け", "先手の反則負け"),
    ] {
        let end = Ending { winner, cause, ..Ending::default() };
        assert_eq!(
            end_words(&end, to_move, SIDES),
            (word, sentence.to_owned()),
            "{winner:?} {cause:?} {to_move:?}"
        );
    }
}

#[test]
fn rows_count_hours_minutes_and_seconds() {
    assert_eq!(row_text(12, "投了", 3_725, 45_296), "  12 投了   (62:05/12:34:56)\n");
    assert_eq!(row_text(1, "投了", 0, 59), "   1 投了   ( 0:00/00:00:59)\n");
}

#[test]
fn all_that_is_known_of_a_turn_is_written() {
    let turns = ["7g7f", "3c3d", "8h2b+", "3a2b"].map(String::from);
    let mut record = GameRecord::new(super::GAME, RecordFormat::Kif, 1, "startpos");
    record.plies = turns.iter().map(RecordPly::new).collect();
    *record.plies[0].remarks_mut() = PlyRemarks {
        used_us: Some(61_000_000),
        score: Some(Score::MatedIn(4)),
        expected: turns.to_vec(),
        comments: vec!["one\ntwo".into()],
        ..PlyRemarks::default()
    };
    *record.plies[1].remarks_mut() =
        PlyRemarks { used_us: Some(2_000_000), score: Some(Score::MatedIn(3)), ..PlyRemarks::default() };
    *record.plies[2].remarks_mut() = PlyRemarks {
        used_us: Some(3_000_000),
        score: Some(Score::Exact(7)),
        depth: Some(9),
        ..PlyRemarks::default()
    };
    record.ending = Some(Ending { detail: "no\nhope".into(), ..Ending::new(Some(Second), EndCause::Resign) });
    let wanted = "\
#KIF version=2.0 encoding=UTF-8
手合割：平手
先手：
後手：
手数----指手---------消費時間--
   1 ７六歩(77)   ( 1:01/00:01:01)
**詰み=後手勝ち:4手
**読み筋=△３四歩(33)▲２二角成(88)△同　銀(31)
*one two
   2 ３四歩(33)   ( 0:02/00:00:02)
**詰み=先手勝ち:3手
   3 ２二角成(88)   ( 0:03/00:01:04)
**評価値=7
**深さ=9
   4 同　銀(31)   ( 0:00/00:00:02)
   5 投了   ( 0:00/00:01:04)
*resign: no hope
まで4手で後手の勝ち
";
    assert_eq!(write(&record).unwrap(), wanted);
    record.ending = Some(Ending::new(Some(Second), EndCause::Resign));
    assert!(!write(&record).unwrap().contains("*resign"));
    record.ending = Some(Ending::new(Some(Second), EndCause::Time));
    assert!(write(&record).unwrap().contains("*time: \n"));
    record.ending = None;
    assert!(write(&record).unwrap().ends_with("   4 同　銀(31)   ( 0:00/00:00:02)\n"));
}

/// White's second move is no move of the rules.
#[test]
fn a_row_or_the_closing_sentence_names_a_foul() {
    let moves = format!("{HEAD}   1 ７六歩(77)\n   2 ３五歩(33)\n");
    for end in [
        "まで2手で先手の反則勝ち\n",
        "まで2手で後手の反則負け\n",
        "   3 反則手\n",
        "   3 投了\nまで2手で反則により先手の勝ち\n",
    ] {
        let record = crate::read(format!("{moves}{end}").as_bytes(), None).remove(0).unwrap();
        assert_eq!((record.plies.len(), record.fault), (1, None), "{end}");
        let ending = record.ending.unwrap();
        assert_eq!((ending.winner, ending.cause), (Some(Side::First), Some(EndCause::Illegal)), "{end}");
    }
}

#[test]
fn files_of_old_systems_and_a_spaced_end_are_read() {
    let text = "手合割：平手\n   1 ７六歩(77)\n   2 投　了   ( 0:01/00:00:01)\n";
    for text in [text.replace('\n', "\r"), text.replace('\n', "\r\n") + "\u{1a}"] {
        let record = crate::read(text.as_bytes(), None).remove(0).unwrap();
        assert_eq!((record.plies.len(), record.plies[0].line), (1, 2), "{text:?}");
        assert!(record.fault.is_none() && record.warnings.is_empty(), "{record:?}");
        assert_eq!(record.ending.unwrap().cause, Some(EndCause::Resign));
    }
}
