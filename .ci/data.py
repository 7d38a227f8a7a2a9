"""Compares files of positions that `kaeshi data` wrote with what cshogi makes of them, byte by byte.

usage: data.py FILE.psv FILE.hcpe       (the same positions in both)
"""

import sys

import cshogi
import numpy

psv = numpy.fromfile(sys.argv[1], dtype=cshogi.PackedSfenValue)
hcpe = numpy.fromfile(sys.argv[2], dtype=cshogi.HuffmanCodedPosAndEval)
if len(psv) != len(hcpe) or len(psv) < 1000:
    sys.exit(f"data.py: {len(psv)} and {len(hcpe)} positions")
board = cshogi.Board()
one_psfen = numpy.zeros(1, dtype=cshogi.PackedSfen)
one_hcp = numpy.zeros(1, dtype=cshogi.HuffmanCodedPos)
for number, (a, b) in enumerate(zip(psv, hcpe), 1):
    board.set_psfen(a["sfen"])
    board.to_psfen(one_psfen)
    board.to_hcp(one_hcp)
    winner = {0: 0, 1: 1, -1: 2}[int(a["game_result"])]
    if board.turn == cshogi.WHITE and winner:
        winner = 3 - winner
    move = board.move_from_move16(int(b["bestMove16"]) & 0xFFFF)
    agrees = (
        one_psfen.tobytes() == a["sfen"].tobytes()
        and one_hcp.tobytes() == b["hcp"].tobytes()
        and a["score"] == b["eval"]
        and cshogi.move16_from_psv(int(a["move"])) == int(b["bestMove16"]) & 0xFFFF
        and board.is_legal(move)
        and b["gameResult"] == winner
        and a["gamePly"] >= 1
    )
    if not agrees:
        sys.exit(f"data.py: record {number}: {a} {b}")
print(f"clients: cshogi, {len(psv)} positions as PSV and hcpe: equal")
