// The language and the notation in which reports are read. Reports are written in English; where a reader wants
// Japanese, each text is replaced by that of the table below. What an engine or a person wrote stays.
import { hasKanji, make } from "./dom.js";
import { colourName, gameNames, isHandicap, known, look, say, setLanguage, setNotation, tongue } from "./words.js";

/** English and Japanese, a text a line; `{}` stands for a part that is translated by itself, `{2}` for the third one. */
const TABLE = `
kaeshi match · {}|kaeshi match · {}
The match is not finished.|連続対局はまだ終わっていません。
Ended: {}.|終了：{}。
all-played|全局終了
Score|得点
at the end of a test: biased towards the winner|検定終了時の値（勝った側に偏ります）
95 % interval|95%信頼区間
Normalised Elo|正規化Elo
does not depend on draws|引き分けの数によらない
Superiority|優越確率
that {} is stronger|{}のほうが強い確率
Margin|平均差
per game|1局あたり
{} of {} points|{1}点中{0}点
First|首位
Test|検定
undecided|未判定
{} accepted|{}を採択
{} of {} pairs|{1}組中{0}組
{} of {} games|{1}局中{0}局
{} of {} games; those lost by a fault come first.|{1}局中{0}局。障害で負けた対局が先です。
Games|対局
Faults|障害
Conditions|条件
Game|ゲーム
Limit|持ち時間など
Openings|開始局面
Seed|シード
{} bundled openings|内蔵の開始局面{}種
Schedule|日程
{} games, {} at the same time|{}局（同時に{}局）
{} pairs of games with colours exchanged, {} at the same time|先後入れ替えの{}組（同時に{}局）
Clocks|時計
multiplied by {} to {}, by the speed of each machine|マシンの速さに応じて{}倍から{}倍
Runner|実行プログラム
Machine|マシン
Started|開始
Resume|再開
Engines and their options|エンジンとオプション
engine|エンジン
reported name|エンジン名
protocol|プロトコル
limit|持ち時間など
margin|猶予
options|オプション
command|コマンド
Charts|グラフ
As a table|表で見る
Tables|表
Bracket|トーナメント表
round|回戦
meeting|対戦
points|得点
goes on|勝ち上がり
final|決勝
semi-final|準決勝
quarter-final|準々決勝
last {}|ベスト{}
{} (bye)|{}（不戦勝）
{} (tiebreak {})|{}（決定戦{}）
{} (better seed)|{}（シード上位）
Standings (Elo against the field)|順位表（全体に対するElo）
games|局数
score|得点率
won|勝
drawn|引き分け
lost|敗
vs {}|対{}
Time usage|時間の使い方
time/move|1手の時間
in all|合計
depth|深さ
nodes/s|ノード/秒
longest overstep|最長超過
forgiven|許容した超過
lag|遅延
odd resignations|不自然な投了
By colour|先後別
all games|全局
{} as {}|{}（{}）
{} won|{}勝ち
{}'s share|{}の得点率
How the games ended|終局の理由
ended by|理由
mate|詰み
resignation|投了
entering king declared|入玉宣言
fourfold repetition|千日手
perpetual check|連続王手の千日手
impasse|持将棋
no moves left|双方打てない
two passes|双方パス
maximum plies|手数制限
adjudicated draw|裁定による引き分け
adjudicated win|裁定による勝ち
time|時間切れ
illegal move|反則
unreadable answer|読めない応答
no answer|無応答
crash|異常終了
failed to start|起動失敗
false claim|誤った宣言
{} of {} games ({}) were decided by an engine's failure to play.|{1}局中{0}局（{2}）がエンジンの障害で決まりました。
Without the affected games: Elo {} over {}.|それらの対局を除くと、{1}局でElo {0}です。
Without the affected pairs: Elo {} over {}.|それらの組を除くと、{1}組でElo {0}です。
fault|障害
game|対局
detail|詳細
last output|最後の出力
Comebacks|逆転
won by|勝者
its lowest score|最低評価値
at ply|手数
plies|総手数
mated in {}|{}手で詰まされる
Record|棋譜
Keys: ← → one turn, Home and End, ↑ ↓ other game.|キー：← →で一手、Home・Endで最初・最後、↑ ↓で別の対局。
A click on the curve or on a turn goes there.|グラフや指し手を押すとその局面に移ります。
To the start|最初
One turn back|一手戻る
Play|再生
One turn forward|一手進む
To the end|最後
Flip the board|盤を反転
Kanji or letters|漢字と英字の切り替え
Score of {}|{}の得点率
score %|得点率（%）
pairs|組
After each of the {}, with the 95 % confidence band.|{}ごとの得点率。帯は95%信頼区間です。
from|下限
to|上限
Score of each engine|各エンジンの得点率
Share of the points of all games so far.|それまでの全局の得点率です。
Colours as in the table of engines.|色はエンジンの表の順です。
Sequential test|逐次検定
H0 after {}|{}でH0
H1 after {}|{}でH1
Log-likelihood ratio [{}] in the order of the schedule; the first crossing of a bound decides.|日程順の対数尤度比［{}］。最初に限界を越えたところで決まります。
normalized|正規化
logistic|ロジスティック
Length of the games|対局の手数
Plies after the opening.|序盤の手順を除いた手数です。
From below: {} won, drawn, {} won.|下から{}勝ち、引き分け、{}勝ち。
From the left: {} won, drawn, {} won.|左から{}勝ち、引き分け、{}勝ち。
{} plies, {}: {}|{}手、{}：{}
Pairs of {}|{}の組の成績
Games of {}|{}の対局の成績
result|結果
% of {}|{}の割合（%）
expected at Elo {}: {}|Elo {}での期待値：{}
share|割合
at Elo {}|Elo {}
L lost, D drawn, W won.|Lは負け、Dは引き分け、Wは勝ち。
Lines: the most likely shares under H0 (dashed) and H1.|線はH0（破線）とH1での最尤の割合です。
All results|全結果
{} from lost to won|{}（負けから勝ちの順）
One cell for each start played, from lost to won.|開始局面ごとに一マス、負けから勝ちの順です。
The table lists the worst.|表は成績の悪い順です。
start|開始局面
number|番号
start {}|開始局面{}
opening {}|開始局面{}
Time per move|1手の時間
ply|手数
median|中央値
Median; the thin line is the 95th percentile.|中央値。細い線は95パーセンタイルです。
Red {}, blue {}.|赤は{}、青は{}。
Reported scores|エンジンの評価値
Mean score that each engine reported for its own side.|各エンジンが自分の側について報告した評価値の平均です。
Expected score of {}|{}の期待得点率
As the scores of each engine predict it; games that have ended count with their result.|各エンジンの評価値から予想される得点率です。終わった対局は結果で数えます。
value|値
pawns|歩
discs|石
{} – {}: {}, Elo {} after {} games|{} – {}：{2}（{4}局、Elo {3}）
{} wins the knock-out after {} games|{}が{}局で優勝
{} are level with {} of the points after {} games|{}が並んでいます（得点率{}、{}局）
{} leads with {} of {} points after {} games|{}が首位（{3}局、{2}点中{1}点）
no players|対局者がいません
WARNING: {} of the games ended by a fault|警告：対局の{}が障害で終わりました
WARNING: {} of {} games are repetitions|警告：{1}局中{0}局が同じ対局の繰り返しです
LLR {} ({} … {}), H1 accepted: {} ≥ {} [{}]|LLR {}（{} … {}）、H1を採択：{} ≥ {}［{}］
LLR {} ({} … {}), H0 accepted: {} ≤ {} [{}]|LLR {}（{} … {}）、H0を採択：{} ≤ {}［{}］
LLR {} ({} … {}), undecided between {} and {} [{}]|LLR {}（{} … {}）、{}と{}の間で未判定［{}］
The program has ended, or cannot be reached.|プログラムが終了したか、応答しません。
kaeshi live PATH shows the match or the tuning again.|「kaeshi live パス」で連続対局や調整をもう一度表示できます。
Running games|進行中の対局
The first pairs of games are being played.|最初の組を対局中です。
{} of {} pairs of games|{1}組中{0}組
{} pairs of games|{}組
Curves|曲線
Parameters|パラメーター
Conditions of the tuning|調整の条件
parameter|パラメーター
at first|最初
now|現在
The running mean, which is the result.|移動平均です。これが結果になります。
Elo {} … {} [{}], α {}, β {}|Elo {} … {}［{}］、α {}、β {}
{}, {} threads|{}、{}スレッド
the usual start|通常の初期局面
{}, then {} random plies|{}、続けてランダムに{}手
{} lines of {}|{1}の{0}局面
handicap {}|ハンデ {}
nodes {} multipv {}|{}ノード、候補手{}
depth {} multipv {}|深さ{}、候補手{}
movetime {} multipv {}|{}ミリ秒、候補手{}
mate {} multipv {}|詰み探索{}ミリ秒、候補手{}
mate {}|詰み {}
{} min|{}分
{} h|{}時間
{} s|{}秒
`;

/** Game of the report, for the names of its colours. */
let reported = "";
/**
 * Which of its games are handicap games, whose sides have other names in Japanese.
 * @type {boolean[]}
 */
let handicaps = [];
/** Whether the text that is translated speaks of a handicap game, or of nothing else. */
let uneven = false;

/** @param {{ start: string }[]} games the games of the report */
export const setReported = (games) => { handicaps = games.map(({ start }) => isHandicap(start)); };

/** @type {Map<string, string>} */
const exact = new Map();
/** @type {{ pattern: RegExp, text: string }[]} */
const patterns = [];
for (const line of TABLE.trim().split("\n")) {
  const [english, japanese] = line.split("|");
  if (!english.includes("{}")) exact.set(english, japanese);
  else patterns.push({ pattern: new RegExp("^" + english.split("{}").map((part) => part.replace(/[.*+?^$()|[\]\\]/g, "\\$&")).join("((?:(?!\\. ).)+?)") + "$"), text: japanese });
}
// The text that says most of itself comes first.
patterns.sort((a, b) => b.pattern.source.replaceAll("((?:(?!\\. ).)+?)", "").length - a.pattern.source.replaceAll("((?:(?!\\. ).)+?)", "").length);

/**
 * A text of a report in the language in force.
 * @param {string} text
 * @returns {string}
 */
export function term(text) {
  if (tongue() !== "ja") return text;
  const colour = { Black: "black", White: "white" }[text];
  if (colour && reported) {
    return colourName(reported, look(reported).colours.indexOf(colour), uneven);
  }
  const handicap = /^handicap (.+)$/.exec(text)?.[1];
  if (handicap && known("handicap-" + handicap)) return say("handicap-" + handicap);
  if (gameNames().includes(text)) return say(text);
  const found = exact.get(text);
  if (found !== undefined) return found;
  for (const { pattern, text: form } of patterns) {
    const parts = pattern.exec(text)?.slice(1);
    if (!parts) continue;
    let next = 0;
    return form.replace(/\{(\d*)\}/g, (_, number) => term(parts[number === "" ? next++ : Number(number)]));
  }
  const player = /^((?:(?! – ).)*) \((Black|White)\)$/.exec(text);
  if (player) return `${player[1]}（${term(player[2])}）`;
  // Sentences, and parts between dots, one by one.
  for (const between of [". ", " · ", "; ", " – "]) {
    const parts = text.split(between);
    if (parts.length < 2) continue;
    if (between !== ". ") return parts.map(term).join(between === "; " ? "；" : between);
    // The end of a sentence belongs to it; what stays in English is set apart from the next sentence.
    const ended = parts.map((part, index) => index + 1 < parts.length ? sentence(part) : part.endsWith(".") ? sentence(part.slice(0, -1)) : term(part));
    return ended.map((part, index) => index + 1 < ended.length && part.endsWith(".") ? part + " " : part).join("");
  }
  return text;
}

/**
 * A sentence in the language in force; the table has most with their full stop, and lines of results without.
 * @param {string} text the sentence without its full stop
 */
function sentence(text) {
  const whole = term(text + "."), bare = whole === text + "." ? term(text) : text;
  return bare === text ? whole : bare + "。";
}

/**
 * What stood in a node before it was translated.
 * @type {WeakMap<Node, string>}
 */
const originals = new WeakMap();

/**
 * Translates all texts below an element that stand in the report, and its labels.
 * @param {Element} host
 */
export function translate(host) {
  const all = handicaps.length > 0 && handicaps.every(Boolean);
  const walker = document.createTreeWalker(host, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const node = walker.currentNode, parent = node.parentElement;
    if (!parent || parent.closest("script, style, pre, code, textarea, [data-say], [data-own]")) continue;
    const before = originals.get(node) ?? node.nodeValue ?? "", bare = before.trim();
    if (!bare) continue;
    originals.set(node, before);
    const own = parent.closest("[data-game]")?.getAttribute("data-game");
    uneven = own ? handicaps[Number(own)] ?? false : all;
    const said = before.replace(bare, () => term(bare));
    node.nodeValue = tongue() === "ja" ? said.replace(/(\d) %/g, "$1%") : said;
  }
  uneven = all;
  for (const node of host.querySelectorAll("[aria-label]:not([data-own] *, [data-say-title])")) {
    const label = node.getAttribute("data-label") ?? node.getAttribute("aria-label") ?? "";
    node.setAttribute("data-label", label);
    node.setAttribute("aria-label", term(label));
  }
}

/** @param {string} key @param {string} otherwise */
function liked(key, otherwise) {
  try {
    return localStorage.getItem("kaeshi-" + key) || otherwise;
  } catch {
    return otherwise;
  }
}

/**
 * Puts the choice of language and notation above a report.
 * @param {string} game the game of the report, if it has one
 * @param {string | null} wanted the language that was asked for
 * @param {() => void} changed draws again what a script has drawn
 */
export function readerBar(game, wanted, changed) {
  reported = game;
  const asked = new URLSearchParams(location.search).get("language");
  setLanguage(asked || wanted || liked("language", ""));
  setNotation(/** @type {import("./words.js").Notation} */ (liked("notation", "")));
  const choice = (/** @type {string} */ id, /** @type {[string, string][]} */ options, /** @type {string} */ value, /** @type {(value: string) => void} */ take) => {
    const select = /** @type {HTMLSelectElement} */ (make("select", { id, "data-own": true }, ...options.map(([key, text]) => make("option", { value: key }, text))));
    select.value = value;
    select.addEventListener("change", () => {
      try {
        localStorage.setItem("kaeshi-" + id.replace("read-", ""), select.value);
      } catch { /* a browser that keeps nothing */ }
      take(select.value);
      show();
    });
    return select;
  };
  const bar = make("div", { class: "reader", "data-own": true }), main = document.querySelector("main");
  main?.prepend(bar);
  const show = () => {
    document.body.classList.toggle("no-kanji", !hasKanji());
    const language = choice("read-language", [["en", "English"], ["ja", "日本語"]], tongue(), setLanguage);
    language.setAttribute("aria-label", say("language"));
    bar.replaceChildren(language);
    if (look(reported).local) {
      const notation = choice("read-notation", [["", say("notation-auto")], ["western", say("notation-western")], ["japanese", say("notation-japanese")], ["protocol", say("notation-protocol")]], liked("notation", ""), (value) => setNotation(/** @type {import("./words.js").Notation} */ (value)));
      notation.setAttribute("aria-label", say("notation"));
      bar.append(notation);
    }
    if (main) translate(main);
    changed();
  };
  show();
}
