"""Games of Reversi and Sygo: one engine plays both sides, and another one is the referee.

usage: ugi_games.py [ENGINE]        needs: pip install kaeshi
"""

from __future__ import annotations

import sys

import kaeshi


def play(path: str | None, game: kaeshi.Game, limit: kaeshi.Limit,
         options: dict[str, int]) -> tuple[list[str], kaeshi.Outcome]:
    """The turns of a game, and its result."""
    turns: list[str] = []
    with kaeshi.Engine(game, program=path, options=options) as engine, \
            kaeshi.Engine(game, program=path, options=options) as referee:
        while True:
            result = referee.outcome(turns)
            if result is not None:
                return turns, result
            turns.append(engine.play(turns, limit).move)


def main(path: str | None) -> None:
    games: list[tuple[kaeshi.Game, kaeshi.Limit, dict[str, int]]] = [
        ("reversi", kaeshi.Limit(nodes=2000), {"Hash": 16}),
        ("sygo", kaeshi.Limit(nodes=200), {"Hash": 16, "BoardSize": 7}),
    ]
    for game, limit, options in games:
        turns, result = play(path, game, limit, options)
        print(f"{game}: {result} after {len(turns)} turns: {' '.join(turns[:10])} ...")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else None)
