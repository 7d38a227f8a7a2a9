"""The engine for asyncio."""

from __future__ import annotations

import asyncio
from types import TracebackType
from typing import AsyncIterator, Mapping, Sequence, TypeVar

from ._protocol import (
    HELLO_SECONDS, QUIT_SECONDS, EngineError, Game, Limit, Line, OptionValue, Outcome, Program, Result, command, one_line,
)
from ._session import SearchSteps, Session, Steps

T = TypeVar("T")
# A line of output may be as long as this: the longest game in one line of play.
LINE_BYTES = 1 << 20


class AsyncEngine:
    """A running engine for asyncio: `async with AsyncEngine("sygo") as engine`, or `open` and `close`.

    One task at a time may use it; any task may call `AsyncSearch.stop`.
    """

    def __init__(self, game: Game = "shogi", *, options: Mapping[str, OptionValue] | None = None,
                 program: Program | None = None) -> None:
        self._command = command(game, program)
        self._session = Session(options)
        self._process: asyncio.subprocess.Process | None = None
        self._search: AsyncSearch | None = None

    @property
    def name(self) -> str:
        """The engine's name and version."""
        return self._session.name

    async def open(self) -> AsyncEngine:
        """Starts the engine; `async with` does so itself."""
        pipe = asyncio.subprocess.PIPE
        try:
            self._process = await asyncio.create_subprocess_exec(
                *self._command, stdin=pipe, stdout=pipe, limit=LINE_BYTES)
        except OSError as error:
            raise EngineError(f"the engine did not start: {error}") from error
        try:
            await asyncio.wait_for(self._run(self._session.greet()), HELLO_SECONDS)
            await self._run(self._session.prepare())
        except asyncio.TimeoutError:
            await self.close()
            raise EngineError(f"the engine did not answer within {HELLO_SECONDS} s") from None
        except BaseException:
            await self.close()
            raise
        return self

    async def __aenter__(self) -> AsyncEngine:
        return await self.open()

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None,
                        trace: TracebackType | None) -> None:
        await self.close()

    async def set_option(self, name: str, value: OptionValue) -> None:
        """Sets an option. Raises OptionError if the engine refuses it."""
        await self._after_search(self._session.set_option(name, value))

    async def new_game(self) -> None:
        """Forgets what was learned of the former game."""
        await self._after_search(self._session.new_game())

    async def play(self, moves: Sequence[str] = (), limit: Limit = Limit(movetime=1000), *,
                   start: str | None = None) -> Result:
        """Finds a move after `moves`. `start` is a position in the notation of the game."""
        limit.check_ends()
        return await (await self.go(moves, limit, start=start)).result()

    async def analyse(self, moves: Sequence[str] = (), limit: Limit = Limit(movetime=1000), *, lines: int = 1,
                      start: str | None = None) -> list[Line]:
        """The best lines of play, the best one first; fewer if there are fewer moves."""
        limit.check_ends()
        await self._want_lines(lines)
        try:
            return list((await self.play(moves, limit, start=start)).lines[:lines])
        finally:
            if self._process is not None and self._process.returncode is None:
                await self._want_lines(1)

    async def go(self, moves: Sequence[str] = (), limit: Limit = Limit(), *,
                 start: str | None = None) -> AsyncSearch:
        """Begins a search. Its lines of play come as they are found; without a limit, stop it."""
        await self._after_search(self._session.go(moves, limit, start))
        self._search = AsyncSearch(self)
        return self._search

    async def outcome(self, moves: Sequence[str] = (), *, start: str | None = None) -> Outcome | None:
        """How the game has ended by its rules, or None. Raises PositionError for an illegal move before the last."""
        return await self._after_search(self._session.outcome(moves, start))

    async def close(self) -> None:
        """Ends the engine. It is killed if it does not end within 10 s."""
        if self._process is None:
            return
        try:
            await self._send("quit")
        except EngineError:
            pass
        try:
            await asyncio.wait_for(self._process.communicate(), QUIT_SECONDS)
        except asyncio.TimeoutError:
            self._process.kill()
            await self._process.wait()

    async def _want_lines(self, lines: int) -> None:
        steps = self._session.want_lines(lines)
        if steps is not None:
            await self._after_search(steps)

    async def _after_search(self, steps: Steps[T]) -> T:
        search, self._search = self._search, None
        if search is not None:
            await search._abandon()
        return await self._run(steps)

    async def _run(self, steps: Steps[T]) -> T:
        try:
            line = next(steps)
            while True:
                try:
                    if line is not None:
                        await self._send(line)
                    answer = await self._next() if line is None else ""
                except EngineError as error:
                    line = steps.throw(error)
                else:
                    line = steps.send(answer)
        except StopIteration as end:
            result: T = end.value
            return result

    def _running(self) -> asyncio.subprocess.Process:
        if self._process is None:
            raise EngineError("the engine is not open")
        return self._process

    async def _next(self) -> str:
        stdout = self._running().stdout
        assert stdout
        line = await stdout.readline()
        if not line:
            raise EngineError("the engine has ended")
        return line.decode("utf-8", "replace").rstrip("\r\n")

    async def _send(self, line: str) -> None:
        stdin = self._running().stdin
        assert stdin
        try:
            stdin.write((one_line(line) + "\n").encode())
            await stdin.drain()
        except OSError as error:
            raise EngineError(f"the engine has ended: {error}") from error


class AsyncSearch:
    """A search that goes on. Iterate over its lines of play; `result` waits for its end, `stop` ends it."""

    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine
        self._steps = SearchSteps()
        self._reading = asyncio.Lock()

    async def __aenter__(self) -> AsyncSearch:
        return self

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None,
                        trace: TracebackType | None) -> None:
        await self._abandon()

    async def __aiter__(self) -> AsyncIterator[Line]:
        while True:
            line = await self._step()
            if line is None:
                return
            yield line

    async def stop(self) -> Result:
        """Ends the search, and returns what it found."""
        if self._steps.running():
            await self._engine._send("stop")
        return await self.result()

    async def result(self) -> Result:
        """Waits for the end of the search. Raises PositionError if the engine refused the position."""
        while await self._step() is not None:
            pass
        return self._steps.result()

    async def _step(self) -> Line | None:
        async with self._reading:
            return await self._engine._run(self._steps.step())

    async def _abandon(self) -> None:
        try:
            await self.stop()
        except (EngineError, ValueError):
            pass
