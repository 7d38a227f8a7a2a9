"""The engine for ordinary programs."""

from __future__ import annotations

import queue
import subprocess
import threading
from types import TracebackType
from typing import Iterator, Mapping, Sequence, TypeVar

from ._protocol import (
    HELLO_SECONDS, QUIT_SECONDS, EngineError, Game, Limit, Line, OptionValue, Outcome, Program, Result, command, one_line,
)
from ._session import SearchSteps, Session, Steps

T = TypeVar("T")


class Engine:
    """A running engine. Use it as a context manager, or call `close`.

    One thread at a time may use it; any thread may call `Search.stop`.
    """

    def __init__(self, game: Game = "shogi", *, options: Mapping[str, OptionValue] | None = None,
                 program: Program | None = None) -> None:
        self._session = Session(options)
        self._search: Search | None = None
        self._lines: "queue.Queue[str | None]" = queue.Queue()
        self._writing = threading.Lock()
        try:
            self._process = subprocess.Popen(command(game, program), stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                             encoding="utf-8", errors="replace", bufsize=1)
        except OSError as error:
            raise EngineError(f"the engine did not start: {error}") from error
        threading.Thread(target=self._read, daemon=True).start()
        try:
            self._run(self._session.greet(), HELLO_SECONDS)
            self._run(self._session.prepare())
        except BaseException:
            self.close()
            raise

    @property
    def name(self) -> str:
        """The engine's name and version."""
        return self._session.name

    def __enter__(self) -> Engine:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:
        self.close()

    def set_option(self, name: str, value: OptionValue) -> None:
        """Sets an option. Raises OptionError if the engine refuses it."""
        self._after_search(self._session.set_option(name, value))

    def new_game(self) -> None:
        """Forgets what was learned of the former game."""
        self._after_search(self._session.new_game())

    def play(self, moves: Sequence[str] = (), limit: Limit = Limit(movetime=1000), *,
             start: str | None = None) -> Result:
        """Finds a move after `moves`. `start` is a position in the notation of the game."""
        limit.check_ends()
        return self.go(moves, limit, start=start).result()

    def analyse(self, moves: Sequence[str] = (), limit: Limit = Limit(movetime=1000), *, lines: int = 1,
                start: str | None = None) -> list[Line]:
        """The best lines of play, the best one first; fewer if there are fewer moves."""
        limit.check_ends()
        self._want_lines(lines)
        try:
            return list(self.play(moves, limit, start=start).lines[:lines])
        finally:
            if self._process.poll() is None:
                self._want_lines(1)

    def go(self, moves: Sequence[str] = (), limit: Limit = Limit(), *, start: str | None = None) -> Search:
        """Begins a search. Its lines of play come as they are found; without a limit, stop it."""
        self._after_search(self._session.go(moves, limit, start))
        self._search = Search(self)
        return self._search

    def outcome(self, moves: Sequence[str] = (), *, start: str | None = None) -> Outcome | None:
        """How the game has ended by its rules, or None. Raises PositionError for an illegal move before the last."""
        return self._after_search(self._session.outcome(moves, start))

    def close(self) -> None:
        """Ends the engine. It is killed if it does not end within 10 s."""
        try:
            self._send("quit")
        except EngineError:
            pass
        try:
            self._process.wait(QUIT_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                try:
                    pipe.close()
                except OSError:
                    pass

    def _want_lines(self, lines: int) -> None:
        steps = self._session.want_lines(lines)
        if steps is not None:
            self._after_search(steps)

    def _after_search(self, steps: Steps[T]) -> T:
        search, self._search = self._search, None
        if search is not None:
            search._abandon()
        return self._run(steps)

    def _run(self, steps: Steps[T], seconds: float | None = None) -> T:
        """Does these steps; each line of the engine is waited for at most so long."""
        try:
            line = next(steps)
            while True:
                try:
                    if line is not None:
                        self._send(line)
                    answer = self._next(seconds) if line is None else ""
                except EngineError as error:
                    line = steps.throw(error)
                else:
                    line = steps.send(answer)
        except StopIteration as end:
            result: T = end.value
            return result

    def _read(self) -> None:
        assert self._process.stdout
        try:
            for line in self._process.stdout:
                self._lines.put(line.rstrip("\r\n"))
        except (OSError, ValueError):
            pass
        self._lines.put(None)

    def _next(self, seconds: float | None = None) -> str:
        try:
            line = self._lines.get(timeout=seconds)
        except queue.Empty:
            raise EngineError(f"the engine did not answer within {seconds} s") from None
        if line is None:
            self._lines.put(None)
            raise EngineError("the engine has ended")
        return line

    def _send(self, line: str) -> None:
        assert self._process.stdin
        try:
            with self._writing:
                self._process.stdin.write(one_line(line) + "\n")
                self._process.stdin.flush()
        except (OSError, ValueError) as error:
            raise EngineError(f"the engine has ended: {error}") from error


class Search:
    """A search that goes on. Iterate over its lines of play; `result` waits for its end, `stop` ends it."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._steps = SearchSteps()
        self._reading = threading.Lock()

    def __enter__(self) -> Search:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:
        self._abandon()

    def __iter__(self) -> Iterator[Line]:
        while True:
            line = self._step()
            if line is None:
                return
            yield line

    def stop(self) -> Result:
        """Ends the search, and returns what it found."""
        if self._steps.running():
            self._engine._send("stop")
        return self.result()

    def result(self) -> Result:
        """Waits for the end of the search. Raises PositionError if the engine refused the position."""
        while self._step() is not None:
            pass
        return self._steps.result()

    def _step(self) -> Line | None:
        with self._reading:
            return self._engine._run(self._steps.step())

    def _abandon(self) -> None:
        try:
            self.stop()
        except (EngineError, ValueError):
            pass
