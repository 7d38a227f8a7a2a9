"""Drives Kaeshi, an engine for shogi, Reversi and Sygo.

`Engine` is for ordinary programs, `AsyncEngine` for asyncio; both have the same methods.
"""

from ._async import AsyncEngine, AsyncSearch
from ._engine import Engine, Search
from ._program import program
from ._protocol import EngineError, Game, Limit, Line, OptionError, Outcome, PositionError, Result

__all__ = [
    "AsyncEngine", "AsyncSearch", "Engine", "EngineError", "Game", "Limit", "Line", "OptionError", "Outcome",
    "PositionError", "Result", "Search", "program",
]
