"""Plays games of one engine with itself over UCI; pyffish, the rules of Fairy-Stockfish, judges each move and
each position that `d` shows.

usage: uci.py ENGINE
"""

import subprocess
import sys

import pyffish

PLIES = 80


class Engine:
    """An engine that speaks UCI."""

    def __init__(self, path):
        self.process = subprocess.Popen(
            [path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
        )
        self.ask("uci", "uciok")

    def say(self, line):
        self.process.stdin.write(line + "\n")

    def ask(self, line, answer):
        self.say(line)
        for said in self.process.stdout:
            if said.startswith(answer):
                return said.split()
        sys.exit(f"uci.py: the engine ended after '{line}'")


def play(engine, variant):
    engine.say(f"setoption name UCI_Variant value {variant}")
    engine.ask("isready", "readyok")
    engine.say("ucinewgame")
    start, moves, passes = pyffish.start_fen(variant), [], 0
    while len(moves) < PLIES:
        legal = pyffish.legal_moves(variant, start, moves)
        # Every other position is sent as a FEN without moves.
        if len(moves) % 2:
            engine.say("position fen " + pyffish.get_fen(variant, start, moves))
        else:
            engine.say("position startpos" + (" moves " + " ".join(moves) if moves else ""))
        shown = engine.ask("d", "Fen:")
        # The count of moves without a capture is not shown; hands of flipello have more discs than are played.
        wanted = pyffish.get_fen(variant, start, moves).split()
        if variant == "shogi":
            ours, theirs = ([fen[0], fen[1], fen[5]] for fen in (shown[1:], wanted))
        else:
            ours, theirs = ([fen[0].split("[")[0], fen[1]] for fen in (shown[1:], wanted))
        if ours != theirs:
            sys.exit(f"uci.py: {variant}: '{shown}' for {wanted} after {moves}")
        answer = engine.ask("go nodes 300", "bestmove")
        if not legal:
            if answer[1] != "(none)":
                sys.exit(f"uci.py: {variant}: '{answer}' in a finished game: {moves}")
            break
        if answer[1] not in legal:
            sys.exit(f"uci.py: {variant}: '{answer}' is none of {legal} after {moves}")
        moves.append(answer[1])
        passes += answer[1][:2] == answer[1][2:]
        replies = pyffish.legal_moves(variant, start, moves)
        if len(answer) > 3 and answer[3] not in replies:
            sys.exit(f"uci.py: {variant}: ponder move of '{answer}' is none of {replies} after {moves}")
    print(f"clients: pyffish, {variant} over UCI: {len(moves)} legal moves, {passes} of them passes")


engine = Engine(sys.argv[1])
for variant in ["shogi", "flipello"]:
    play(engine, variant)
engine.say("quit")
sys.exit(engine.process.wait(10))
