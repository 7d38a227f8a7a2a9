//! Records written back with what the analysis found, as comments that GUIs show and draw.
//!
//! Everything else of the record stays as it was, its encoding included. A comment stands behind
//! the turn it is about and has the value of the position after it.

mod jkf_places;

use std::collections::{BTreeMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, ensure};

use super::line::{AnalysisVariation, PositionLine, Score};
use super::plan::AnalysisPlan;
use super::review::{GameReview, Grade, ReviewedTurn, for_first, for_first_of};
use kaeshi_core::files::{self, FileKind};
use kaeshi_records as records;
use kaeshi_records::text::{Edit, line_break};
use kaeshi_records::{RecordFormat, RecordPly, csa, shogi_line};
use kaeshi_system::output::write_whole;

/// Moves of a line that a comment shows.
const LINE_SHOWN: usize = 12;

/// Writes every annotated file of the plan to `directory`, under the name it had.
///
/// # Errors
/// If an input cannot be read again or was changed since, or an output not written. Other files are annotated all the
/// same where an input was changed.
pub fn write(plan: &AnalysisPlan, reviews: &[GameReview], directory: &Path) -> anyhow::Result<()> {
    fs::create_dir_all(directory).with_context(|| format!("cannot make {}", directory.display()))?;
    let mut by_source: BTreeMap<usize, Vec<&GameReview>> = BTreeMap::new();
    for review in reviews {
        if let Some(entry) = plan.entries.get(review.entry) {
            by_source.entry(entry.source).or_default().push(review);
        }
    }
    let forms = forms(plan);
    let mut changed = Vec::new();
    for (source, target) in targets(plan, directory) {
        let Some((path, reviews)) = plan.paths.get(&source).zip(by_source.get(&source)) else { continue };
        let Some(&Some(form)) = forms.get(source) else { continue };
        let shown = path.display();
        let bytes = files::read(path, FileKind::RECORDS).with_context(|| format!("cannot read {shown}"))?;
        // The places of its turns are elsewhere now.
        if !plan.holds(source, &bytes) {
            changed.push(shown.to_string());
            continue;
        }
        let decoded = records::decode(&bytes).map_err(|fault| anyhow::anyhow!("{shown}: {fault}"))?;
        let edits = match form {
            RecordFormat::Jkf => {
                jkf(plan, &decoded.text, reviews).with_context(|| format!("cannot annotate {shown}"))?
            }
            _ => edits(plan, form, &decoded.text, reviews),
        };
        let annotated = decoded.splice(&bytes, &edits);
        write_whole(&target, &annotated)?;
    }
    ensure!(
        changed.is_empty(),
        "--annotate: changed while it was analysed, and not annotated: {}; run the command again",
        changed.join(", ")
    );
    Ok(())
}

/// The files that [`write()`] makes in `directory`, by the index of their source in the plan.
pub fn targets(plan: &AnalysisPlan, directory: &Path) -> BTreeMap<usize, PathBuf> {
    let mut names = HashSet::new();
    let forms = forms(plan);
    let is_written = |source: usize| {
        matches!(
            forms.get(source),
            Some(Some(
                RecordFormat::Kif
                    | RecordFormat::Ki2
                    | RecordFormat::Csa
                    | RecordFormat::Jkf
                    | RecordFormat::Ggf
                    | RecordFormat::SygoList
            ))
        )
    };
    let sources = plan.paths.iter().filter(|(source, _)| is_written(**source));
    sources.map(|(&source, path)| (source, directory.join(name(path, source, &mut names)))).collect()
}

/// The form of the first entry of each source, if that is a record.
fn forms(plan: &AnalysisPlan) -> Vec<Option<RecordFormat>> {
    let mut forms = vec![None; plan.sources.len()];
    for entry in plan.entries.iter().rev() {
        if let Some(form) = forms.get_mut(entry.source) {
            *form = entry.record.as_ref().map(|record| record.form);
        }
    }
    forms
}

/// The file name of a source; with its number in front where another source has the same.
fn name(source: &Path, number: usize, taken: &mut HashSet<PathBuf>) -> PathBuf {
    let own = source.file_name().map_or_else(|| PathBuf::from("record"), PathBuf::from);
    if taken.insert(own.clone()) {
        return own;
    }
    let other = PathBuf::from(format!("{}-{}", number + 1, own.display()));
    taken.insert(other.clone());
    other
}

/// The comments of all reviews, in the order of their places.
fn edits(plan: &AnalysisPlan, form: RecordFormat, text: &str, reviews: &[&GameReview]) -> Vec<Edit> {
    let newline = line_break(text);
    let mut all = Vec::new();
    for review in reviews {
        let record = plan.entries.get(review.entry).and_then(|entry| entry.record.as_ref());
        for (ply, (line, judged)) in record.iter().flat_map(|record| analysed(&record.plies, review)) {
            let (replaces, comment) = match form {
                RecordFormat::Kif => {
                    (0, lines(&ends_line(text, ply.end, newline), &japanese(line, judged), newline))
                }
                RecordFormat::Ki2 => (0, lines(newline, &japanese(line, judged), newline)),
                RecordFormat::Csa => {
                    let comma = comma_before(text, ply.end);
                    let before =
                        if comma > 0 { newline.to_owned() } else { ends_line(text, ply.end, newline) };
                    (comma, lines(&before, &csa_comments(line, judged), newline))
                }
                RecordFormat::Ggf => ggf(text, ply, line),
                _ => (0, sygo(line, judged)),
            };
            all.push(Edit { range: ply.end.saturating_sub(replaces)..ply.end, text: comment });
        }
    }
    all.sort_by_key(|edit| edit.range.start);
    all
}

/// How many bytes before `at` are a comma with blanks around it, behind which a line of CSA goes on.
fn comma_before(text: &str, at: usize) -> usize {
    let before = text.get(..at).unwrap_or_default();
    match before.strip_suffix(',') {
        Some(rest) => before.len() - rest.trim_end_matches([' ', '\t']).len(),
        None => 0,
    }
}

/// A line break where the file ends without one.
fn ends_line(text: &str, at: usize, newline: &str) -> String {
    let ended = text.get(..at).is_some_and(|before| before.ends_with(['\n', '\r']));
    if ended { String::new() } else { newline.to_owned() }
}

fn lines(before: &str, lines: &[String], newline: &str) -> String {
    lines.iter().fold(before.to_owned(), |text, line| text + line + newline)
}

/// The plies of a record with the position after each, as far as it was analysed.
fn analysed<'a>(
    plies: &'a [RecordPly],
    review: &'a GameReview,
) -> impl Iterator<Item = (&'a RecordPly, (&'a PositionLine, Option<&'a ReviewedTurn>))> {
    plies.iter().zip(1..).filter_map(|(ply, turn)| {
        let line = review.lines.get(&turn)?;
        Some((ply, (line, review.judged(turn))))
    })
}

/// Comments of KIF, KI2 and JKF with the keys that ShogiHome reads, values from Black's side.
fn japanese(line: &PositionLine, judged: Option<&ReviewedTurn>) -> Vec<String> {
    let mut comments = Vec::new();
    match for_first(line) {
        Some(Score::MateIn(plies)) => comments.push(format!("**詰み=先手勝ち:{plies}手")),
        Some(Score::MatedIn(plies)) => comments.push(format!("**詰み=後手勝ち:{plies}手")),
        Some(Score::Cp(value) | Score::Exact(value)) => comments.push(format!("**評価値={value}")),
        None => {}
    }
    if let Some(best) = line.analysis.lines.first() {
        let moves: Vec<&str> = best.japanese.split(' ').take(LINE_SHOWN).collect();
        if moves.iter().any(|shown| !shown.is_empty()) {
            comments.push(format!("**読み筋={}", moves.concat()));
        }
        comments.push(format!("**深さ={}", line.analysis.depth));
        comments.push(format!("**ノード数={}", line.analysis.nodes));
    }
    for (number, other) in candidates(line) {
        let value = match for_first_of(line, other.score) {
            Score::MateIn(plies) => format!("先手勝ち{plies}手"),
            Score::MatedIn(plies) => format!("後手勝ち{plies}手"),
            Score::Cp(value) | Score::Exact(value) => value.to_string(),
        };
        let moves: Vec<&str> = other.japanese.split(' ').take(LINE_SHOWN).collect();
        comments.push(format!("*候補{number} {value} {}", moves.concat()));
    }
    if let Some((judged, grade)) = judged.and_then(|judged| Some((judged, judged.grade?))) {
        let word = match grade {
            Grade::Inaccuracy => "疑問手",
            Grade::Mistake => "悪手",
            Grade::Blunder => "大悪手",
        };
        comments.push(format!("*{word}（勝率-{:.0}%）", judged.loss * 100.0));
    }
    comments
}

/// The lines behind the best one, numbered from 2.
fn candidates(line: &PositionLine) -> impl Iterator<Item = (usize, &AnalysisVariation)> {
    (1..).zip(&line.analysis.lines).skip(1)
}

/// The comment of CSA 3: value from Black's side, line, nodes.
fn csa_comments(line: &PositionLine, judged: Option<&ReviewedTurn>) -> Vec<String> {
    let mut comments = Vec::new();
    if let (Some(score), Some(best)) = (for_first(line), line.analysis.lines.first())
        && let Ok(position) = shogi_line::position(&line.position)
    {
        let score = score.clamped(csa::MATE_SCORE);
        comments.push(csa::value(score, &position, &best.pv, 0, Some(line.analysis.nodes)));
        for (number, other) in candidates(line) {
            let score = for_first_of(line, other.score).clamped(csa::MATE_SCORE);
            let value = csa::value(score, &position, &other.pv, 0, None);
            // Viewers draw every value behind two stars.
            comments.push(value.replacen("'**", &format!("'*{number}"), 1));
        }
    }
    if let Some((judged, grade)) = judged.and_then(|judged| Some((judged, judged.grade?))) {
        comments.push(format!("'*{} {:.0}%", grade.sign(), judged.loss * 100.0));
    }
    comments
}

/// The value for the one who made the turn, in whole discs or points.
fn for_mover(line: &PositionLine) -> Option<String> {
    let score = line.analysis.score()?;
    Some(format!("{:+.2}", -f64::from(score.clamped(10_000)) / 100.0))
}

/// `F5/…/1.23` with the value in its second field.
fn ggf(text: &str, ply: &RecordPly, line: &PositionLine) -> (usize, String) {
    let before = text.get(..ply.end).unwrap_or_default();
    let value = before.rsplit('[').next().unwrap_or_default();
    let mut fields = value.splitn(3, '/');
    let square = fields.next().unwrap_or_default();
    let (_, time) = (fields.next(), fields.next());
    let Some(score) = for_mover(line) else { return (0, String::new()) };
    let time = time.map_or(String::new(), |time| format!("/{time}"));
    (value.len(), format!("{square}/{score}{time}"))
}

fn sygo(line: &PositionLine, judged: Option<&ReviewedTurn>) -> String {
    let Some(score) = for_mover(line) else { return String::new() };
    let sign =
        judged.and_then(|judged| judged.grade).map_or(String::new(), |grade| format!(" {}", grade.sign()));
    let mut text = format!(" {{e {score} d {} n {}{sign}}}", line.analysis.depth, line.analysis.nodes);
    for (number, other) in candidates(line) {
        let turns: Vec<&str> = other.pv.iter().take(LINE_SHOWN).map(String::as_str).collect();
        let score = -f64::from(other.score.clamped(10_000)) / 100.0;
        text += &format!(" {{candidate {number} {score:+.2} {}}}", turns.join(" "));
    }
    text
}

/// The comments of a JKF record, in place.
fn jkf(plan: &AnalysisPlan, text: &str, reviews: &[&GameReview]) -> serde_json::Result<Vec<Edit>> {
    let mut comments: Vec<Vec<String>> = Vec::new();
    for review in reviews {
        let record = plan.entries.get(review.entry).and_then(|entry| entry.record.as_ref());
        let plies = record.map_or(0, |record| record.plies.len());
        comments = (1..=plies)
            .map(|turn| {
                let line = review.lines.get(&turn);
                let comments = line.map_or_else(Vec::new, |line| japanese(line, review.judged(turn)));
                // In JKF, a comment has no star.
                comments
                    .iter()
                    .map(|comment| comment.strip_prefix('*').unwrap_or(comment).to_owned())
                    .collect()
            })
            .collect();
    }
    jkf_places::edits(text, &comments)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analyse::effort::{AnalysisEffort, MemoryScope, SearchLimit};
    use crate::analyse::line::{AnalysisLine, StoredAnalysis};
    use crate::analyse::plan::{AnalysisOptions, read_inputs};
    use crate::analyse::review::reviews;
    use kaeshi_records::text;

    /// Annotates a record in which every position has this score.
    fn annotated(name: &str, text: &str, score: Score, pv: &str) -> String {
        String::from_utf8(annotated_bytes(name, text.as_bytes(), score, pv)).unwrap()
    }

    fn annotated_bytes(name: &str, text: &[u8], score: Score, pv: &str) -> Vec<u8> {
        annotated_with(name, text, &[(score, pv)])
    }

    /// The plan of all records in a folder.
    fn planned(folder: &Path) -> AnalysisPlan {
        let effort = AnalysisEffort { limit: SearchLimit::Nodes(1), multipv: 1 };
        let wanted = AnalysisOptions {
            game: None,
            turns: None,
            side: None,
            effort,
            options: Vec::new(),
            memory: MemoryScope::Fresh,
            lossless: false,
        };
        let mut plan = AnalysisPlan::new(wanted).unwrap();
        read_inputs(&mut plan, &[folder.to_owned()], &[], &[]).unwrap();
        plan
    }

    /// What is found of every position of the plan.
    fn answered(plan: &AnalysisPlan, found: &[(Score, &str)]) -> Vec<AnalysisLine> {
        let mut lines = Vec::new();
        for entry in &plan.entries {
            for place in 0..entry.turns.len() {
                let mut line = plan.task(entry, place).unwrap().line;
                let variation = |&(score, pv): &(Score, &str)| AnalysisVariation {
                    score,
                    winrate: 0.5,
                    pv: vec![pv.into()],
                    japanese: "▲同　歩".into(),
                    western: "Px2d".into(),
                };
                let variations = found.iter().map(variation).collect();
                line.analysis =
                    StoredAnalysis { depth: 5, nodes: 99, lines: variations, ..StoredAnalysis::default() };
                lines.push(AnalysisLine::Position(Box::new(line)));
            }
        }
        lines
    }

    /// Other systems have no such names.
    #[cfg(target_os = "linux")]
    #[test]
    fn records_whose_names_are_not_unicode_are_annotated_each_for_itself() {
        use std::ffi::OsStr;
        use std::os::unix::ffi::OsStrExt;

        let folder = tempfile::tempdir().unwrap();
        let names = [b"\xfe.csa", b"\xff.csa"].map(|name| OsStr::from_bytes(name));
        for name in names {
            fs::write(folder.path().join(name), "V2.2\nPI\n+\n+7776FU\n").unwrap();
        }
        let plan = planned(folder.path());
        let lines = answered(&plan, &[(Score::Cp(100), "3c3d")]);
        let out = folder.path().join("out");
        write(&plan, &reviews(&plan, &lines), &out).unwrap();
        for name in names {
            assert!(fs::read_to_string(out.join(name)).unwrap().contains("'** "));
        }
    }

    #[test]
    fn a_record_that_was_changed_meanwhile_is_not_annotated() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        let text = "手合割：平手\n   1 ７六歩(77)\n   2 ３四歩(33)\n";
        for name in ["a.kif", "b.kif"] {
            fs::write(path(name), text).unwrap();
        }
        let plan = planned(folder.path());
        let lines = answered(&plan, &[(Score::Cp(1), "2g2f")]);
        fs::write(path("a.kif"), format!("先手：あ\n{text}")).unwrap();
        let refused = write(&plan, &reviews(&plan, &lines), &path("out")).unwrap_err().to_string();
        assert!(refused.contains("a.kif") && !refused.contains("b.kif"), "{refused}");
        assert!(!path("out/a.kif").exists() && path("out/b.kif").exists());
    }

    fn annotated_with(name: &str, text: &[u8], found: &[(Score, &str)]) -> Vec<u8> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        fs::write(&path, text).unwrap();
        let plan = planned(folder.path());
        let lines = answered(&plan, found);
        let out = folder.path().join("out");
        write(&plan, &reviews(&plan, &lines), &out).unwrap();
        fs::read(out.join(name)).unwrap()
    }

    #[test]
    fn kif_gets_comments_behind_the_moves() {
        let text = "手合割：平手\r\n手数----指手--\r\n   1 ７六歩(77)\r\n*kept\r\n   2 ３四歩(33)";
        let got = annotated("a.kif", text, Score::Cp(100), "8h2b+");
        let wanted = "手合割：平手\r\n手数----指手--\r\n   1 ７六歩(77)\r\n**評価値=-100\r\n**読み筋=▲同　歩\r\n**深さ=5\r\n\
            **ノード数=99\r\n*疑問手（勝率-8%）\r\n*kept\r\n   2 ３四歩(33)\r\n**評価値=100\r\n";
        assert!(got.starts_with(wanted), "{got}");
    }

    #[test]
    fn every_candidate_stands_in_a_comment_of_its_own() {
        let all = |name: &str, text: &str, second: &str| {
            let found = [(Score::Cp(100), second), (Score::Cp(30), second), (Score::MatedIn(4), second)];
            String::from_utf8(annotated_with(name, text.as_bytes(), &found)).unwrap()
        };
        let kif = all("a.kif", "手合割：平手\n手数----指手--\n   1 ７六歩(77)\n", "3c3d");
        assert!(kif.contains("**ノード数=99\n*候補2 -30 ▲同　歩\n*候補3 先手勝ち4手 ▲同　歩\n"), "{kif}");
        let csa = all("a.csa", "PI\n+\n+7776FU\n", "3c3d");
        assert!(csa.contains("\n'*2 -30 -3334FU\n'*3 30000 -3334FU\n"), "{csa}");
        let sygo = all("a.sygo", "[Sygo \"1\"] [Size \"5\"]\n1. c3\n", "a1");
        assert!(sygo.contains("{candidate 2 -0.30 a1} {candidate 3 +100.00 a1}"), "{sygo}");
        for text in [kif, csa, sygo] {
            let record = kaeshi_records::read(text.as_bytes(), None).remove(0).unwrap();
            assert_eq!((record.fault, record.plies.len()), (None, 1), "{text}");
        }
    }

    #[test]
    fn csa_tells_values_from_blacks_side() {
        let got = annotated("a.csa", "PI\n+\n+7776FU\nT1\n-3334FU\n%TORYO\n", Score::MateIn(3), "8h2b+");
        assert!(got.contains("+7776FU\n'** -30000 "), "{got}");
        assert!(got.contains("-3334FU\n'** 30000 +8822UM #99\n") && got.ends_with("%TORYO\n"), "{got}");
    }

    #[test]
    fn each_comment_stands_behind_its_move_where_a_line_has_several() {
        let csa = "PI\n+\n+7776FU,T1 ,-3334FU,T2,'x\n+2726FU,-8384FU\n%TORYO\n";
        let got = annotated("a.csa", csa, Score::Cp(55), "8h2b+");
        let lines: Vec<&str> = got.lines().map(|line| line.split(' ').next().unwrap()).collect();
        let wanted = [
            "PI",
            "+",
            "+7776FU,T1",
            "'**",
            "-3334FU,T2",
            "'**",
            "'x",
            "+2726FU",
            "'**",
            "-8384FU",
            "'**",
            "%TORYO",
        ];
        assert_eq!(lines, wanted, "{got}");
        let record = kaeshi_records::read(got.as_bytes(), None).remove(0).unwrap();
        assert_eq!((record.fault, record.plies.len()), (None, 4));
        assert_eq!(record.plies[1].remarks.as_ref().unwrap().used_us, Some(2_000_000));
    }

    #[test]
    fn bytes_of_lines_without_comments_stay_as_they_are() {
        let kif =
            text::encode("手合割：平手\n手数----指手--\n*?\n   1 ７六歩(77)\n", text::Encoding::ShiftJis);
        let at = kif.iter().position(|&byte| byte == b'?').unwrap();
        let kif = [&kif[..at], b"\xee\xe0", &kif[at + 1..]].concat();
        let got = annotated_bytes("a.kif", &kif, Score::Cp(55), "8h2b+");
        assert!(got.starts_with(&kif) && got.len() > kif.len());
    }

    #[test]
    fn jkf_with_null_gets_its_comments() {
        let jkf = r#"{"moves":[{"move":null},{"move":{"from":{"x":7,"y":7},"to":{"x":7,"y":6},"piece":"FU"},"comments":null}]}"#;
        let got = annotated("a.jkf", jkf, Score::Cp(55), "8h2b+");
        let root: serde_json::Value = serde_json::from_str(&got).unwrap();
        assert_eq!(root["moves"][1]["comments"][0], "*評価値=-55", "{got}");
    }

    #[test]
    fn jkf_keeps_what_is_not_touched() {
        let jkf = "{ \"z\": 1.50, \"header\": {\"先手\":\"a\", \"b\": \"\\u0041\"},\r\n \"moves\" :[{},\r\n\t{\"move\":{\"to\":\
            {\"y\":6,\"x\":7},\"piece\":\"FU\",\"from\":{\"x\":7,\"y\":7}}, \"time\":{\"now\":{\"m\":0,\"s\":1e0}}}],\"a\":[ ]}";
        let got = annotated("a.jkf", jkf, Score::Cp(55), "8h2b+");
        let (before, after) = got.split_once("\"comments\": [").unwrap();
        let (_, after) = after.split_once("],").unwrap();
        assert_eq!(format!("{before}{after}"), jkf, "{got}");
        let record = kaeshi_records::read(got.as_bytes(), None).remove(0).unwrap();
        assert_eq!((record.fault, record.plies.len()), (None, 1));
        let remarks = record.plies[0].remarks.as_ref().unwrap();
        assert_eq!((remarks.depth, remarks.used_us), (Some(5), Some(1_000_000)));
    }

    #[test]
    fn ggf_and_sygo_tell_the_movers_value_in_place() {
        let ggf = "(;GM[Othello]BO[8 ---------------------------O*------*O--------------------------- *]B[F5]W[D6/1.00/0.40];)";
        let got = annotated("a.ggf", ggf, Score::Cp(250), "c3");
        assert!(got.ends_with("B[F5/-2.50]W[D6/-2.50/0.40];)"), "{got}");
        let got = annotated("a.sygo", "[Sygo \"1\"] [Size \"5\"]\n1. c3 {kept}\n", Score::Exact(-300), "c4");
        assert!(got.ends_with("1. c3 {e +3.00 d 5 n 99} {kept}\n"), "{got}");
    }

    #[test]
    fn what_is_annotated_is_read_as_the_same_game() {
        let kif = "手合割：平手\n手数----指手--\n   1 ７六歩(77)\n   2 ３四歩(33)\n   3 投了\n";
        let ki2 = "手合割：平手\n\n▲７六歩 △３四歩 ▲２二角成\nまで3手で先手の勝ち\n";
        let jkf = r#"{"moves":[{},{"move":{"from":{"x":7,"y":7},"to":{"x":7,"y":6},"piece":"FU"}}]}"#;
        for (name, text) in [("a.kif", kif), ("a.ki2", ki2), ("a.jkf", jkf)] {
            let turns = |text: &str| -> Vec<String> {
                let items = kaeshi_records::read(text.as_bytes(), None);
                let record = items[0].as_ref().unwrap();
                assert_eq!(record.fault, None, "{text}");
                record.plies.iter().map(|ply| ply.turn.clone()).collect()
            };
            let got = annotated(name, text, Score::Cp(55), "8h2b+");
            assert_eq!(turns(&got), turns(text));
            assert!(got.contains("評価値=-55"), "{got}");
        }
    }
}
