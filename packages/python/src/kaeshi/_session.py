"""What both engines say and hear. Each exchange is a generator, which the engine runs in its own way of waiting.

A generator yields a line to send, or None to wait for the next line of the engine, which the `yield` returns. Arguments
are checked before a generator is made, so that a wrong one leaves a running search alone.
"""

from __future__ import annotations

from typing import Generator, Mapping, Optional, Sequence, TypeVar

from ._protocol import (
    EngineError, Limit, Line, OptionError, OptionValue, Outcome, Reports, Result, option_line, outcome_of, position_line,
    refused_option,
)

T = TypeVar("T")
Steps = Generator[Optional[str], str, T]


class Session:
    """The state of a conversation with an engine."""

    def __init__(self, options: Mapping[str, OptionValue] | None) -> None:
        self.name = ""
        self._options = dict(options or {})
        self._lines_wanted = 1

    def greet(self) -> Steps[None]:
        """Learns the engine's name."""
        for line in (yield from _ask("ugi", "ugiok")):
            if line.startswith("id name "):
                self.name = line[len("id name "):]

    def prepare(self) -> Steps[None]:
        """Sets the options, and begins a game."""
        for name, value in self._options.items():
            yield from self.set_option(name, value)
        yield from self.new_game()

    def set_option(self, name: str, value: OptionValue) -> Steps[None]:
        return self._set_option(name, option_line(name, value))

    def _set_option(self, name: str, line: str) -> Steps[None]:
        if name.lower() == "multipv":
            self._lines_wanted = 0
        yield line
        refusal = refused_option((yield from _ask("isready", "readyok")))
        if refusal is not None:
            raise OptionError(refusal)

    def want_lines(self, lines: int) -> Steps[None] | None:
        """What makes the engine report this number of lines of play, if it does not do so already."""
        return None if lines == self._lines_wanted else self._want_lines(lines)

    def _want_lines(self, lines: int) -> Steps[None]:
        yield from self.set_option("MultiPV", lines)
        self._lines_wanted = lines

    def new_game(self) -> Steps[None]:
        yield "uginewgame"
        yield from _ask("isready", "readyok")

    def go(self, moves: Sequence[str], limit: Limit, start: str | None) -> Steps[None]:
        """Begins a search; what it reports is for `SearchSteps`."""
        return _send(position_line(moves, start), f"go {limit.words()}")

    def outcome(self, moves: Sequence[str], start: str | None) -> Steps[Outcome | None]:
        return self._outcome(position_line(moves, start))

    def _outcome(self, position: str) -> Steps[Outcome | None]:
        yield position
        answers = yield from _ask("query gameover", "response ")
        return outcome_of(answers + (yield from _ask("query result", "response ")))


class SearchSteps:
    """What a search has reported."""

    def __init__(self) -> None:
        self._reports = Reports()
        self._result: Result | None = None
        self._error: Exception | None = None

    def running(self) -> bool:
        return self._result is None and self._error is None

    def result(self) -> Result:
        """The result of a search whose last step was None."""
        assert self._result is not None
        return self._result

    def step(self) -> Steps[Line | None]:
        """The next line of play; None at the end."""
        while self._result is None:
            if self._error is not None:
                raise self._error
            try:
                report = self._reports.take((yield None))
            except (EngineError, ValueError) as error:
                self._error = error
                raise
            if isinstance(report, Result):
                self._result = report
            elif report is not None:
                return report
        return None


def _send(*lines: str) -> Steps[None]:
    for line in lines:
        yield line


def _ask(line: str, last: str) -> Steps[list[str]]:
    """Sends a line; the answers up to the one that begins with `last`."""
    yield line
    answers = [(yield None)]
    while not answers[-1].startswith(last):
        answers.append((yield None))
    return answers
