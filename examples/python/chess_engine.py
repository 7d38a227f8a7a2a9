"""Plays and analyses with python-chess's `chess.engine`, over UCI with `UCI_Variant`: shogi and Reversi.

usage: chess_engine.py [ENGINE]        needs: pip install kaeshi chess pyffish
"""

import re
import sys
from typing import Any

import chess.engine
import kaeshi
from variant_board import ReversiBoard, ShogiBoard

MOVES = 40
# Lines are read by this pattern, which ends at 8x8 boards.
chess.engine.UCI_REGEX = re.compile(r"[a-i][1-9][a-i][1-9]\+?|[A-Z]@[a-i][1-9]")


def show(engine: chess.engine.SimpleEngine, board: Any) -> None:
    """Plays some moves on the board, then prints the two best lines of what came of them."""
    while len(board.move_stack) < MOVES and board.legal_moves:
        board.push(engine.play(board, chess.engine.Limit(nodes=500), game=board.uci_variant).move)
    print(f"{board.uci_variant}: {len(board.move_stack)} moves: {' '.join(map(str, board.move_stack[:8]))} ...")
    for info in engine.analyse(board, chess.engine.Limit(time=0.3), multipv=2, game=board.uci_variant):
        print(f"  {info['multipv']}. depth {info['depth']:>2}  {info['score'].relative!s:>6}  {' '.join(info['pv'][:6])}")


def main() -> None:
    path = sys.argv[1] if len(sys.argv) > 1 else kaeshi.program()
    with chess.engine.SimpleEngine.popen_uci(path) as engine:
        for board in (ShogiBoard(), ReversiBoard()):
            show(engine, board)


if __name__ == "__main__":
    main()
