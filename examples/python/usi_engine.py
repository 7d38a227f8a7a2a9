"""A small engine client of asyncio: USI (shogi), UGI (Reversi, Sygo) or any dialect with `position` and `go`."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field


@dataclass
class Answer:
    """What a search has found; the score, in centipawns or hundredths of a disc or point, is for the side to move."""

    move: str
    ponder: str | None = None
    score: int | None = None
    mate: int | None = None
    depth: int = 0
    line: list[str] = field(default_factory=list)


class UsiEngine:
    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.process = process
        self.name = ""

    @classmethod
    async def start(cls, *command: str, dialect: str = "usi", **options: object) -> UsiEngine:
        """Starts a program, says hello in its dialect, and sets options."""
        pipe = asyncio.subprocess.PIPE
        engine = cls(await asyncio.create_subprocess_exec(*command, stdin=pipe, stdout=pipe))
        for line in await engine.ask(dialect, f"{dialect}ok"):
            if line.startswith("id name "):
                engine.name = line.removeprefix("id name ")
        for name, value in options.items():
            engine.say(f"setoption name {name} value {value}")
        await engine.ask("isready", "readyok")
        engine.say(f"{dialect}newgame")
        return engine

    def say(self, line: str) -> None:
        assert self.process.stdin
        self.process.stdin.write(f"{line}\n".encode())

    async def ask(self, line: str, last: str) -> list[str]:
        """Says a line, and returns what is answered, up to a line that begins with a word."""
        assert self.process.stdout
        self.say(line)
        heard: list[str] = []
        while not heard or not heard[-1].startswith(last):
            answer = await self.process.stdout.readline()
            if not answer:
                raise EOFError(f"{self.name} has ended after: {line}")
            heard.append(answer.decode().strip())
        return heard

    async def search(self, position: str, limit: str) -> Answer:
        """`position` and `limit` are what stands behind these words: "startpos moves 7g7f", "nodes 1000"."""
        self.say(f"position {position}")
        *infos, best = await self.ask(f"go {limit}", "bestmove")
        move, _, ponder = best.removeprefix("bestmove ").partition(" ponder ")
        answer = Answer(move, ponder or None)
        for info in infos:
            words = info.split()
            if "pv" not in words or words[1] == "string":
                continue
            at = words.index("score")
            answer.depth = int(words[words.index("depth") + 1])
            answer.score = int(words[at + 2]) if words[at + 1] == "cp" else None
            answer.mate = int(words[at + 2]) if words[at + 1] == "mate" else None
            answer.line = words[words.index("pv") + 1:]
        return answer

    async def quit(self) -> int:
        self.say("quit")
        return await asyncio.wait_for(self.process.wait(), 10)
