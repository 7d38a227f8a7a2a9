// What players call what stands on the board: castles and rook openings of shogi, openings of Reversi.
import { look, say, tongue } from "../words.js";
import { pathTo } from "./panel.js";

/**
 * Castles for Black: the king's square and the pieces around it, as in `src/shogi/evaluate/hce/castles.rs`.
 * @type {[string, string, string[]][]}
 */
const CASTLES = [
  ["yagura", "88", ["S77", "G67", "G78"]], ["mino", "28", ["S38", "G49", "G58"]], ["high-mino", "28", ["S38", "G49", "G47"]], ["silver-crown", "28", ["S27", "G38", "G47"]],
  ["anaguma", "19", ["L18", "S28", "G39", "G38"]], ["boat", "78", ["S79", "G69", "G58"]], ["elmo", "78", ["S68", "G79", "G59"]], ["crab", "69", ["S68", "G78", "G58"]],
  ["gold-fence", "38", ["S28", "G48", "G58"]], ["central-house", "58", ["S48", "G78", "G38"]],
];

/**
 * The kind of the man of `side` on a square, given as Black sees it; `mirrored` counts files from the other end.
 * @param {Picture} picture @param {Side} side @param {string} square @param {boolean} mirrored
 */
function kindAt(picture, side, square, mirrored) {
  const [file, rank] = [Number(square[0]), Number(square[1])].map((number) => (side ? 10 - number : number)), column = mirrored ? 10 - file : file;
  const man = picture.cells[(rank - 1) * 9 + 9 - column];
  return man && man.side === (side ? "second" : "first") ? man.kind : "";
}

/**
 * The castle and the rook of a side, in words.
 * @param {Picture} picture
 * @param {Side} side
 */
export function formation(picture, side) {
  if (picture.style !== "pieces") return "";
  const found = [];
  for (const [name, king, parts] of CASTLES) {
    const stands = (/** @type {boolean} */ mirrored) => kindAt(picture, side, king, mirrored) === "K" && parts.every((part) => kindAt(picture, side, part.slice(1), mirrored) === part[0]);
    if (stands(false) || stands(true)) found.push(say("castle-" + name));
  }
  // On the second rank the rook's file names the opening: the second is where it begins.
  for (const file of [5, 6, 7, 8]) if (kindAt(picture, side, `${file}8`, false) === "R") found.push(say("rook-" + file));
  return found.join(" · ");
}

/** Openings of Reversi, as if the first move were c4: moves, English and Japanese name. A longer line is more exact. */
const REVERSI = `
c4c3d3c5b3 Snake ヘビ
c4c3d3c5b4 Heath 飛び出し
c4c3d3c5b4d2d6 Heath-Bat ヒースバット
c4c3d3c5b4e3 Heath-Chimney ヒースチムニー
c4c3d3c5b5 Raccoon_Dog たぬき
c4c3d3c5b6 Hamilton ハミルトン
c4c3d3c5d6 Cow 牛
c4c3d3c5d6e3 Chimney チムニー
c4c3d3c5d6f4b4 Cow_Bat コウモリ
c4c3d3c5d6f4f5 Rose-v-Toth ローズ・トス
c4c3d3c5d6f4f5d2 Tanida 谷田
c4c3d3c5d6f4f5d2b5 Aircraft 飛行機
c4c3d3c5d6f4f5d2g4d7 Sailboat ヨット
c4c3d3c5d6f4f5e6c6d7 Maruoka 丸岡
c4c3d3c5d6f4f5e6f6 Landau ランダウ
c4c3d3c5f6 Buffalo バッファロー
c4c3d3c5f6e2c6 Maruoka_Buffalo 丸岡バッファロー
c4c3d3c5f6e3c6f5f4g5 Tanida_Buffalo 谷田バッファロー
c4c3d3c5f6f5 Hokuriku_Buffalo 北陸バッファロー
c4c3e6c5 Wing ウィング
c4c3f5c5 Semi-Wing セミウィング
c4e3f4 Fishhook 釣り針
c4e3f4c5d6e6 Mimura 三村
c4e3f4c5d6f3c6 Shaman シャーマン
c4e3f4c5d6f3d3 Inoue 井上
c4e3f4c5d6f3d3c3 Iago イアーゴ
c4e3f4c5d6f3e2 Bhagat バガット
c4e3f4c5d6f3e6c3d3e2 Rose 兎
c4e3f4c5d6f3e6c3d3e2b5 Flat フラット
c4e3f4c5d6f3e6c3d3e2b5f5 Rotating_Flat ローテーティング・フラット
c4e3f4c5d6f3e6c3d3e2b5f5b3 Murakami 村上
c4e3f4c5d6f3e6c3d3e2d2 Greenberg グリーンバーグ
c4e3f4c5d6f3e6c6 Ralle ラル
c4e3f4c5e6 Horse 馬
c4e3f5b4 No-Cat ノーキャット
c4e3f5e6d3 Italian イタリアン
c4e3f5e6f4 Cat 猫
c4e3f5e6f4c5d6c6f7f3 Sakaguchi 坂口
c4e3f5e6f4c5d6c6f7g5g6 Berner ベルナー
c4e3f6b4 Bent_Ganglion ベントガングリオン
c4e3f6e6f5 Tiger 虎
c4e3f6e6f5c5c3 Stephenson ステファンソン
c4e3f6e6f5c5c3b4 No-Kung ノーカン
c4e3f6e6f5c5c3c6 Comp'Oth コンポス
c4e3f6e6f5c5c3c6d6 Lightning_Bolt 稲妻
c4e3f6e6f5c5c3g5 Kung カン
c4e3f6e6f5c5d3 Leader's_Tiger リーダーズタイガー
c4e3f6e6f5c5d6 Brightwell ブライトウェル
c4e3f6e6f5c5f4g5g4f3c6d3d6 Ishii 石井
c4e3f6e6f5c5f4g6f7 Rose-Bill ローズビル
c4e3f6e6f5c5f4g6f7d3 Tamenori 為則
c4e3f6e6f5g6 Aubrey オーブリー
`.trim().split("\n").map((line) => line.split(" "));

/**
 * A move of Reversi where the board is turned so that the first move is c4.
 * @param {string} move @param {string} first
 */
function fromC4(move, first) {
  const [column, row] = [move.charCodeAt(0) - 96, Number(move[1])];
  const [x, y] = /** @type {Record<string, number[]>} */ ({ c4: [column, row], d3: [row, column], f5: [9 - column, 9 - row], e6: [9 - row, 9 - column] })[first] || [column, row];
  return String.fromCharCode(96 + x) + y;
}

/** @param {string[]} moves */
function reversiOpening(moves) {
  if (moves.length < 2) return "";
  const line = moves.map((move) => fromC4(move, moves[0])).join(""), second = line.slice(2, 4);
  const kind = say(second === "c3" ? "opening-diagonal" : second === "c5" ? "opening-parallel" : "opening-perpendicular");
  const found = REVERSI.filter(([begin]) => line.startsWith(begin)).sort((a, b) => b[0].length - a[0].length)[0];
  return found ? `${kind} · ${tongue() === "ja" ? found[2] : found[1].replaceAll("_", " ")}` : kind;
}

/** Plies of a game of shogi that are its opening. */
const OPENING_PLIES = 40;

/** @param {string[]} moves from the usual start */
function shogiOpening(moves) {
  const rooks = ["2h", "8b"], files = [2, 2], sides = moves.slice(0, OPENING_PLIES), made = new Set(sides);
  sides.forEach((move, ply) => {
    const side = ply % 2;
    if (move.slice(0, 2) !== rooks[side]) return;
    rooks[side] = move.slice(2, 4);
    // On the rank where it begins, the rook's file names the opening.
    if (move[3] === (side ? "b" : "h")) files[side] = side ? 10 - Number(move[2]) : Number(move[2]);
  });
  const ranging = files.map((file) => file >= 5 && file <= 8);
  if (ranging[0] && ranging[1]) return say("opening-both-ranging");
  if (ranging[0] || ranging[1]) {
    const side = ranging[0] ? 0 : 1, gokigen = files[side] === 5 && !made.has(side ? "4c4d" : "6g6f") && made.has(side ? "3c3d" : "7g7f");
    return gokigen ? say("opening-gokigen") : say("opening-counter", { rook: say("rook-" + files[side]) });
  }
  if (made.has("2d3d")) return say("opening-side-pawn");
  if (sides.slice(0, 24).some((move) => /^(8h2b|8h3c|2b8h|2b7g)\+?$/.test(move))) return say("opening-bishop-exchange");
  if (made.has("7g7f") && (made.has("6h7g") || made.has("4b3c") && made.has("3c3d"))) return say("opening-yagura");
  if (made.has("2f2e") && made.has("8d8e") && !sides.slice(0, 6).some((move) => move === "7g7f" || move === "3c3d")) return say("opening-double-wing");
  return "";
}

/**
 * The opening that a game began with, up to the position that is shown.
 * @param {PlayState} state
 */
export function opening({ game, nodes, node, start }) {
  const moves = pathTo(nodes, node).map((id) => nodes[id].t), { style } = look(game);
  if (style === "pieces") return /startpos|lnsgkgsnl\/1r5b1\/p{9}\/9\/9\/9\/P{9}\/1B5R1\/LNSGKGSNL b - 1$/.test(start) ? shogiOpening(moves) : "";
  return style === "discs" && /OX-{6}XO|XO-{6}OX/.test(start) ? reversiOpening(moves) : "";
}
