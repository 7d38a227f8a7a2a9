"""Boards of Fairy-Stockfish's variants for python-chess's `chess.engine`, which asks little of a board.

needs: pip install chess pyffish
"""

from __future__ import annotations

import chess
import pyffish


class Move(str):
    """A move in the words of UCI: "c3c4", "h2b8+", "P@e5"."""

    def uci(self) -> str:
        return str(self)


class VariantBoard:
    """The start position of a variant and the moves that were made; pyffish knows the rules."""

    uci_variant = ""
    chess960 = False

    def __init__(self, fen: str | None = None, moves: list[Move] | None = None) -> None:
        self.start = fen or pyffish.start_fen(self.uci_variant)
        self.move_stack: list[Move] = list(moves or [])

    @property
    def turn(self) -> chess.Color:
        return self.fen().split()[1] == "w"

    @property
    def legal_moves(self) -> list[Move]:
        return [Move(move) for move in pyffish.legal_moves(self.uci_variant, self.start, [*self.move_stack])]

    def fen(self, **_: object) -> str:
        return pyffish.get_fen(self.uci_variant, self.start, [*self.move_stack])

    def root(self) -> VariantBoard:
        return type(self)(self.start)

    def copy(self, *, stack: bool = True) -> VariantBoard:
        return type(self)(self.start, self.move_stack) if stack else type(self)(self.fen())

    def parse_uci(self, uci: str) -> Move:
        """A legal move, or ValueError. chess.engine asks for drops in small letters, too."""
        for move in self.legal_moves:
            if move.lower() == uci.lower():
                return move
        raise ValueError(f"illegal move {uci} in {self.fen()}")

    def push(self, move: Move) -> None:
        self.move_stack.append(move)

    def push_uci(self, uci: str) -> Move:
        self.push(self.parse_uci(uci))
        return self.move_stack[-1]

    def pop(self) -> Move:
        return self.move_stack.pop()


class ShogiBoard(VariantBoard):
    uci_variant = "shogi"


class ReversiBoard(VariantBoard):
    uci_variant = "flipello"
