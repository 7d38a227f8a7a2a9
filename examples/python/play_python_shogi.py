"""Plays a game of shogi: the engine against a player of random moves, on a board of python-shogi.

usage: play_python_shogi.py [ENGINE]        needs: pip install kaeshi python-shogi
"""

from __future__ import annotations

import asyncio
import random
import sys

import kaeshi
import shogi

MOST_MOVES = 256


async def play(path: str | None, seed: int = 1) -> tuple[shogi.Board, str]:
    """The board at the end of a game, and how it ended."""
    chance = random.Random(seed)
    board, moves = shogi.Board(), []
    async with kaeshi.AsyncEngine("shogi", program=path, options={"Hash": 16}) as engine:
        while board.move_number <= MOST_MOVES:
            if board.is_checkmate():
                return board, f"{'Black' if board.turn == shogi.BLACK else 'White'} is checkmated"
            if board.is_fourfold_repetition():
                return board, "fourfold repetition"
            if board.turn == shogi.BLACK:
                found = (await engine.play(moves, kaeshi.Limit(nodes=2000))).move
                if found in ("resign", "win"):
                    return board, f"the engine answers {found}"
                move = shogi.Move.from_usi(found)
                if move not in board.legal_moves:
                    raise ValueError(f"illegal move {move} after {' '.join(moves)}")
            else:
                move = chance.choice(list(board.legal_moves))
            board.push(move)
            moves.append(move.usi())
    return board, "too long"


if __name__ == "__main__":
    final, how = asyncio.run(play(sys.argv[1] if len(sys.argv) > 1 else None))
    print(final.kif_str())
    print(f"after {final.move_number - 1} moves: {how}")
