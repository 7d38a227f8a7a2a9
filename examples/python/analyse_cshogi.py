"""Analyses positions of shogi with cshogi: the three best moves of each, in Japanese notation.

usage: analyse_cshogi.py [ENGINE] [SFEN...]        needs: pip install kaeshi cshogi
"""

import sys

import cshogi
import kaeshi
from cshogi import KIF
from cshogi.usi import Engine, MultiPVListener

POSITIONS = [
    "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1",
    "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w GR5pnsg 1",
]


def score(info: dict) -> str:
    """The score of a line, for the side to move."""
    return f"mate {info['mate']}" if "mate" in info else f"{int(info['cp']):+d}"


def japanese(board: cshogi.Board, line: list[str]) -> str:
    """The first moves of a line, as records have them."""
    words, previous = [], None
    board = cshogi.Board(board.sfen())
    for usi in line[:6]:
        move = board.move_from_usi(usi)
        words.append(KIF.move_to_kif(move, previous).split("(")[0])
        board.push(move)
        previous = move
    return " ".join(words)


def main() -> None:
    engine = Engine(sys.argv[1] if len(sys.argv) > 1 else kaeshi.program())
    engine.setoption("MultiPV", 3)
    engine.isready()
    for sfen in sys.argv[2:] or POSITIONS:
        board = cshogi.Board(sfen)
        listener = MultiPVListener()
        engine.position(sfen=sfen)
        best, _ = engine.go(nodes=20000, listener=listener.listen())
        print(f"{sfen}\n  best move: {best}")
        for number, info in enumerate(listener.info, 1):
            print(f"  {number}. {score(info):>8}  depth {info['depth']:>2}  {japanese(board, info['pv'])}")
    engine.quit()


if __name__ == "__main__":
    main()
