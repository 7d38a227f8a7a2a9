"""Games of Reversi and Sygo over UGI: one engine plays both sides, and another one is the referee.

usage: ugi_games.py [ENGINE]        needs nothing but Python
"""

import asyncio
import sys

from usi_engine import UsiEngine


async def play(path: str, game: str, limit: str, **options: object) -> tuple[list[str], str]:
    """The turns of a game, and its result in the words of UGI: p1win, p2win or draw."""
    engine, referee = [
        await UsiEngine.start(path, "--game", game, dialect="ugi", Hash=16, **options) for _ in range(2)
    ]
    turns: list[str] = []
    while True:
        position = "startpos" + (" moves " + " ".join(turns) if turns else "")
        referee.say(f"position {position}")
        if (await referee.ask("query gameover", "response"))[-1] == "response true":
            break
        turns.append((await engine.search(position, limit)).move)
    result = (await referee.ask("query result", "response"))[-1].removeprefix("response ")
    await asyncio.gather(engine.quit(), referee.quit())
    return turns, result


async def main(path: str) -> None:
    for game, limit, options in (("reversi", "nodes 2000", {}), ("sygo", "nodes 200", {"BoardSize": 7})):
        turns, result = await play(path, game, limit, **options)
        print(f"{game}: {result} after {len(turns)} turns: {' '.join(turns[:10])} ...")


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1] if len(sys.argv) > 1 else "kaeshi"))
