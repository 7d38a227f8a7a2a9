// Records of users' files, read by other programs: usage: records-cases.cjs write FOLDER | compare FOLDER LINES.
// `write` makes the files, `compare` holds the lines of `kaeshi analyse` against the start position and the moves
// that tsshogi or json-kifu-format reads in each file.
const fs = require("fs");
const { importKIF, importKI2, importCSA } = require("tsshogi");
const { JKFPlayer } = require("json-kifu-format");

const handicaps = [
    ["香落ち", "KY"], ["右香落ち", "KY_R"], ["角落ち", "KA"], ["飛車落ち", "HI"], ["飛香落ち", "HIKY"],
    ["二枚落ち", "2"], ["三枚落ち", "3"], ["四枚落ち", "4"], ["五枚落ち", "5"], ["左五枚落ち", "5_L"],
    ["六枚落ち", "6"], ["左七枚落ち", "7_L"], ["右七枚落ち", "7_R"], ["八枚落ち", "8"], ["十枚落ち", "10"],
];
const rows = "手数----指手---------消費時間--\n";
const moves = "   1 ７六歩(77)   ( 0:01/00:00:01)\n   2 ３四歩(33)   ( 0:02/00:00:02)\n";
const board = (first) =>
    `  ９ ８ ７ ６ ５ ４ ３ ２ １\n+---------------------------+\n${first}|一\n` +
    "二三四五六七八".split("").map((rank) => `| ・ ・ ・ ・ ・ ・ ・ ・ ・|${rank}\n`).join("") +
    "| ・ ・ ・ ・ 玉 ・ ・ ・ ・|九\n+---------------------------+\n";
const kings = board("| ・ ・ ・ ・v玉 ・ ・ ・ ・");
const csaRows = (second) =>
    `P1-KY-KE-GI-KI-OU-KI-GI-KE-KY\n${second}\nP3-FU-FU-FU-FU-FU-FU-FU-FU-FU\n` +
    "456".split("").map((rank) => `P${rank} *  *  *  *  *  *  *  *  * \n`).join("") +
    "P7+FU+FU+FU+FU+FU+FU+FU+FU+FU\nP8 * +KA *  *  *  *  * +HI * \nP9+KY+KE+GI+KI+OU+KI+GI+KE+KY\n+\n+7776FU\n";

const ofJkf = (player) => {
    const start = player.shogi.toSFENString();
    const square = (place) => place.x + "abcdefghi"[place.y - 1];
    const letters = { FU: "P", KY: "L", KE: "N", GI: "S", KI: "G", KA: "B", HI: "R" };
    const steps = player.kifu.moves.map((step) => step.move).filter((move) => move);
    const usi = steps.map((move) =>
        move.from ? square(move.from) + square(move.to) + (move.promote ? "+" : "") : `${letters[move.piece]}*${square(move.to)}`);
    return { start, moves: usi };
};
const ofTsshogi = (record) => {
    if (record instanceof Error) throw record;
    const start = record.position.sfen;
    record.goto(100000);
    const text = record.usi.split(" moves ")[1] || "";
    return { start, moves: text.split(" ").filter((word) => word) };
};
const kif = (text) => ofTsshogi(importKIF(text));
const cases = [
    ...handicaps.map(([name]) => ({
        name: `kif-${name}`, text: `手合割：${name}\n${rows}   1 ５二玉(51)\n`, read: (text) => ofJkf(JKFPlayer.parseKIF(text)),
    })),
    ...handicaps.map(([, preset]) => ({
        name: `jkf-${preset}`, text: JSON.stringify({ header: {}, initial: { preset }, moves: [{}] }),
        read: (text) => ofJkf(JKFPlayer.parseJKF(text)),
    })),
    { name: "diagram-with-an-unknown-word", text: `手合割：詰将棋\n後手の持駒：飛　\n${kings}先手の持駒：金　\n先手番\n${rows}`, read: kif },
    { name: "diagram-of-upper-hand", text: `手合割：二枚落ち\n上手の持駒：なし\n${kings}下手の持駒：金　\n${rows}`, read: kif },
    { name: "variation-first-kif", text: `変化：3手\n手合割：平手\n${rows}${moves}`, read: kif },
    { name: "variation-first-diagram", text: `変化：1手\n後手の持駒：なし\n${kings}先手の持駒：金　\n先手番\n${rows}   1 ５八玉(59)\n`, read: kif },
    { name: "unknown-end", text: `手合割：平手\n${rows}${moves}   3 時間切れ   ( 0:00/00:00:01)\n`, read: kif },
    { name: "draw", text: `手合割：平手\n${rows}${moves}   3 引き分け\n`, read: kif },
    { name: "signature", text: `手合割：平手\n${rows}${moves}   3 投了\nまで2手で後手の勝ち\n-- \nTaro\n`, read: kif },
    { name: "ki2", text: "変化：3手\n手合割：平手\n\n▲７六歩 △３四歩\nまで2手で後手の勝ち\n", read: (text) => ofTsshogi(importKI2(text)) },
    { name: "csa-rows", text: csaRows("P2 * -HI *  *  *  *  * -KA * "), read: (text) => ofTsshogi(importCSA(text)) },
    {
        name: "csa-collapsed-rows", text: csaRows("P2 * -HI * * * * * -KA *"),
        read: () => ofTsshogi(importCSA(csaRows("P2 * -HI *  *  *  *  * -KA * "))),
    },
    { name: "csa-comments", text: "PI\n+\n+7776FU,T1,'x\n-3334FU\nT2\n%TORYO\n", read: (text) => ofTsshogi(importCSA(text.replace(",'x", ""))) },
];

const [what, folder, lines] = process.argv.slice(2);
if (what === "write") {
    for (const { name, text } of cases) fs.writeFileSync(`${folder}/${name}`, text);
} else {
    const found = {};
    for (const line of fs.readFileSync(lines, "utf-8").trim().split("\n").map(JSON.parse)) {
        if (line.error) throw new Error(`${line.source}: ${line.error}`);
        const game = (found[line.source.split("/").pop()] ??= { moves: [] });
        if (line.turn === 0) game.start = line.position;
        if (line.played) game.moves.push(line.played);
    }
    for (const { name, text, read } of cases) {
        const [ours, theirs] = [found[name], read(text)];
        const same = ours && ours.start === theirs.start && ours.moves.join(" ") === theirs.moves.join(" ");
        if (!same) throw new Error(`${name}: ${JSON.stringify(ours)} is not ${JSON.stringify(theirs)}`);
    }
    console.log(`tsshogi and json-kifu-format read users' files as we do: ${cases.length} files`);
}
