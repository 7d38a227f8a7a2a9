"""The engine for ordinary programs."""

from __future__ import annotations

import queue
import subprocess
import threading
from types import TracebackType
from typing import Iterator, Mapping, Sequence

from ._protocol import (
    HELLO_SECONDS, QUIT_SECONDS, EngineError, Game, Limit, Line, OptionError, OptionValue, Outcome, Program, Reports,
    Result, command, one_line, option_line, outcome_of, position_line, refused_option,
)


class Engine:
    """A running engine. Use it as a context manager, or call `close`.

    One thread at a time may use it; any thread may call `Search.stop`.
    """

    def __init__(self, game: Game = "shogi", *, options: Mapping[str, OptionValue] | None = None,
                 program: Program | None = None) -> None:
        self.name = ""
        self._lines_wanted = 1
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
            for line in self._ask("ugi", "ugiok", HELLO_SECONDS):
                if line.startswith("id name "):
                    self.name = line[len("id name "):]
            for name, value in (options or {}).items():
                self.set_option(name, value)
            self.new_game()
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Engine:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:
        self.close()

    def set_option(self, name: str, value: OptionValue) -> None:
        """Sets an option. Raises OptionError if the engine refuses it."""
        self._finish_search()
        line = option_line(name, value)
        if name.lower() == "multipv":
            self._lines_wanted = 0
        self._send(line)
        refusal = refused_option(self._ask("isready", "readyok"))
        if refusal is not None:
            raise OptionError(refusal)

    def new_game(self) -> None:
        """Forgets what was learned of the former game."""
        self._finish_search()
        self._send("uginewgame")
        self._ask("isready", "readyok")

    def play(self, moves: Sequence[str] = (), limit: Limit = Limit(movetime=1000), *,
             start: str | None = None) -> Result:
        """Finds a move after `moves`. `start` is a position in the notation of the game."""
        return self.go(moves, limit, start=start).result()

    def analyse(self, moves: Sequence[str] = (), limit: Limit = Limit(movetime=1000), *, lines: int = 1,
                start: str | None = None) -> list[Line]:
        """The best lines of play, the best one first; fewer if there are fewer moves."""
        self._want_lines(lines)
        try:
            return list(self.go(moves, limit, start=start).result().lines[:lines])
        finally:
            if self._process.poll() is None:
                self._want_lines(1)

    def go(self, moves: Sequence[str] = (), limit: Limit = Limit(), *, start: str | None = None) -> Search:
        """Begins a search. Its lines of play come as they are found; without a limit, stop it."""
        words = limit.words()
        position = position_line(moves, start)
        self._finish_search()
        self._send(position)
        self._send(f"go {words}")
        self._search = Search(self)
        return self._search

    def outcome(self, moves: Sequence[str] = (), *, start: str | None = None) -> Outcome | None:
        """How the game has ended by its rules, or None. Raises PositionError for an illegal move before the last."""
        position = position_line(moves, start)
        self._finish_search()
        self._send(position)
        answers = self._ask("query gameover", "response ")
        return outcome_of(answers + self._ask("query result", "response "))

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
        if lines != self._lines_wanted:
            self.set_option("MultiPV", lines)
            self._lines_wanted = lines

    def _finish_search(self) -> None:
        search, self._search = self._search, None
        if search is not None:
            search._abandon()

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

    def _ask(self, line: str, last: str, seconds: float | None = None) -> list[str]:
        self._send(line)
        answers = [self._next(seconds)]
        while not answers[-1].startswith(last):
            answers.append(self._next(seconds))
        return answers


class Search:
    """A search that goes on. Iterate over its lines of play; `result` waits for its end, `stop` ends it."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._reports = Reports()
        self._result: Result | None = None
        self._error: Exception | None = None
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
        if self._result is None and self._error is None:
            self._engine._send("stop")
        return self.result()

    def result(self) -> Result:
        """Waits for the end of the search. Raises PositionError if the engine refused the position."""
        while self._step() is not None:
            pass
        assert self._result is not None
        return self._result

    def _step(self) -> Line | None:
        with self._reading:
            while self._result is None:
                if self._error is not None:
                    raise self._error
                try:
                    report = self._reports.take(self._engine._next())
                except (EngineError, ValueError) as error:
                    self._error = error
                    raise
                if isinstance(report, Result):
                    self._result = report
                elif report is not None:
                    return report
            return None

    def _abandon(self) -> None:
        try:
            self.stop()
        except (EngineError, ValueError):
            pass
