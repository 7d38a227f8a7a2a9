"""Plays a game of shogi: the engine against a player of random moves, on a board of python-shogi.

usage: play_python_shogi.py [ENGINE]        needs: pip install python-shogi
"""

import asyncio
import random
import sys

import shogi
from usi_engine import UsiEngine

MOST_MOVES = 256


async def play(path: str, seed: int = 1) -> tuple[shogi.Board, str]:
    """The board at the end of a game, and how it ended."""
    chance = random.Random(seed)
    engine = await UsiEngine.start(path, USI_Hash=16)
    board, moves = shogi.Board(), ""
    while board.move_number <= MOST_MOVES:
        if board.is_checkmate():
            ending = f"{'Black' if board.turn == shogi.BLACK else 'White'} is checkmated"
            break
        if board.is_fourfold_repetition():
            ending = "fourfold repetition"
            break
        if board.turn == shogi.BLACK:
            answer = await engine.search("startpos" + (f" moves{moves}" if moves else ""), "nodes 2000")
            if answer.move in ("resign", "win"):
                ending = f"the engine answers {answer.move}"
                break
            move = shogi.Move.from_usi(answer.move)
            if move not in board.legal_moves:
                raise ValueError(f"illegal move {move} after{moves}")
        else:
            move = chance.choice(list(board.legal_moves))
        board.push(move)
        moves += f" {move}"
    else:
        ending = "too long"
    await engine.quit()
    return board, ending


if __name__ == "__main__":
    final, how = asyncio.run(play(sys.argv[1] if len(sys.argv) > 1 else "kaeshi"))
    print(final.kif_str())
    print(f"after {final.move_number - 1} moves: {how}")
