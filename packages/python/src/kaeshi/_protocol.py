"""What both engines share: values, and the lines of UGI, which Kaeshi understands for all its games."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Sequence, Union

from ._program import program

Game = Literal["shogi", "reversi", "sygo"]
Outcome = Literal["p1win", "p2win", "draw"]
OptionValue = Union[str, int, bool]
# A path, or a command with arguments.
Program = Union[str, Sequence[str]]

HELLO_SECONDS = 60.0
QUIT_SECONDS = 10.0


class EngineError(Exception):
    """The engine ended, did not answer, or did not start."""


class OptionError(ValueError):
    """The engine refused an option or its value."""


class PositionError(ValueError):
    """The engine refused a start position or a move."""


@dataclass(frozen=True)
class Limit:
    """What ends a search. Without any limit it goes on until it is stopped.

    Times are in milliseconds; pairs are for the first and the second player.
    """

    depth: int | None = None
    nodes: int | None = None
    movetime: int | None = None
    time: tuple[int, int] | None = None
    increment: tuple[int, int] | None = None
    byoyomi: int | None = None

    def words(self) -> str:
        """The words behind `go`."""
        found: list[tuple[str, int | None]] = [
            ("depth", self.depth), ("nodes", self.nodes), ("movetime", self.movetime), ("byoyomi", self.byoyomi)
        ]
        for pair, word in ((self.time, "time"), (self.increment, "inc")):
            if pair is not None:
                found += [(f"p1{word}", pair[0]), (f"p2{word}", pair[1])]
        if any(value is not None and value < 0 for _, value in found):
            raise ValueError(f"a limit is below 0: {self}")
        return " ".join(f"{word} {int(value)}" for word, value in found if value is not None) or "infinite"

    def check_ends(self) -> None:
        """Raises ValueError if the search would go on until it is stopped."""
        if self.words() == "infinite":
            raise ValueError("a limit is wanted, such as Limit(movetime=1000); `go` begins a search without one")


@dataclass(frozen=True)
class Line:
    """A line of play and its score for the side to move: `score` or, where the end is proven, `mate`.

    `score` is in centipawns (shogi) or hundredths of a disc or point. `mate` is in plies, negative if the side to
    move loses. `number` is 1 for the best line. `time` is in milliseconds.
    """

    moves: tuple[str, ...]
    depth: int
    score: int | None = None
    mate: int | None = None
    bound: Literal["exact", "lower", "upper"] = "exact"
    number: int = 1
    nodes: int = 0
    time: int = 0


@dataclass(frozen=True)
class Result:
    """What a search found. `move` may be `resign`, `win` (a declaration) or `none` (the game is over)."""

    move: str
    ponder: str | None = None
    lines: tuple[Line, ...] = ()

    @property
    def line(self) -> Line | None:
        """The best line, if any was reported."""
        return self.lines[0] if self.lines else None

    @property
    def score(self) -> int | None:
        return self.line.score if self.line else None

    @property
    def mate(self) -> int | None:
        return self.line.mate if self.line else None


def command(game: str, path: Program | None) -> list[str]:
    """What starts the engine."""
    if game not in ("shogi", "reversi", "sygo"):
        raise ValueError(f"no such game: {game!r}")
    start = [program()] if path is None else [path] if isinstance(path, str) else list(path)
    return [*start, "--game", game]


def option_line(name: str, value: OptionValue) -> str:
    text = str(value).lower() if isinstance(value, bool) else str(value)
    return one_line(f"setoption name {name} value {text}")


def position_line(moves: Sequence[str], start: str | None) -> str:
    if isinstance(moves, str):
        moves = moves.split()
    words = "position startpos" if start is None else f"position fen {start}"
    return one_line(words + (" moves " + " ".join(moves) if moves else ""))


def one_line(text: str) -> str:
    if "\n" in text or "\r" in text or "\0" in text:
        raise ValueError(f"more than one line: {text!r}")
    return text


def refused_option(answers: Sequence[str]) -> str | None:
    """Why the engine refused an option, of what it printed up to `readyok`."""
    strings = [answer[len("info string "):] for answer in answers if answer.startswith("info string ")]
    return next((text for text in strings if text.startswith("option ") or " has no option " in text), None)


def outcome_of(answers: Sequence[str]) -> Outcome | None:
    """The result, of the answers to `position`, `query gameover` and `query result`."""
    responses = [answer[len("response "):] for answer in answers if answer.startswith("response ")]
    if responses[0] != "true":
        for answer in answers:
            if answer.startswith("info string "):
                raise PositionError(answer[len("info string "):])
        return None
    return {"p1win": "p1win", "p2win": "p2win"}.get(responses[1], "draw")  # type: ignore[return-value]


def parse_line(text: str) -> Line | None:
    """The line of play in an `info` line, if there is one."""
    words = text.split()
    if words[:1] != ["info"] or words[1:2] == ["string"] or "score" not in words:
        return None
    values: dict[str, str] = {}
    at = 1
    moves: tuple[str, ...] = ()
    bound: Literal["exact", "lower", "upper"] = "exact"
    kind = ""
    while at < len(words):
        word = words[at]
        if word == "pv":
            moves = tuple(words[at + 1:])
            break
        if word == "score" and at + 2 < len(words):
            kind, values["score"] = words[at + 1], words[at + 2]
            at += 3
        elif word in ("lowerbound", "upperbound"):
            bound = "lower" if word == "lowerbound" else "upper"
            at += 1
        elif at + 1 < len(words):
            values[word] = words[at + 1]
            at += 2
        else:
            break
    try:
        number = int(values.get("score", ""))
        return Line(
            moves, int(values.get("depth", 0)), number if kind == "cp" else None, number if kind == "mate" else None,
            bound, int(values.get("multipv", 1)), int(values.get("nodes", 0)), int(values.get("time", 0)),
        )
    except ValueError:
        return None


class Reports:
    """Gathers what is printed after `go`."""

    def __init__(self) -> None:
        self._lines: dict[int, Line] = {}
        self._refusal: str | None = None

    def take(self, text: str) -> Line | Result | None:
        """A new line of play, or the result. Raises PositionError where the position was refused."""
        if text.startswith("info string no search: "):
            self._refusal = text[len("info string no search: "):]
        if text.startswith("bestmove "):
            if self._refusal is not None:
                raise PositionError(self._refusal)
            words = text.split()
            lines = tuple(self._lines[number] for number in sorted(self._lines))
            return Result(words[1], words[3] if words[2:3] == ["ponder"] and len(words) > 3 else None, lines)
        line = parse_line(text)
        if line is not None and (line.bound == "exact" or line.number not in self._lines):
            self._lines[line.number] = line
        return line
