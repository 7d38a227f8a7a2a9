"""Compares a book in the text format of YaneuraOu with the same one in Apery's, by cshogi's keys and moves.

usage: book.py BOOK.db BOOK.bin
"""

import sys

import cshogi
import numpy

text, binary = sys.argv[1:]
found = {}
for entry in numpy.fromfile(binary, dtype=cshogi.BookEntry):
    key, move = int(entry["key"]), int(entry["fromToPro"])
    found.setdefault(key, []).append((move, int(entry["score"])))
board, wanted = cshogi.Board(), {}
for line in open(text, encoding="utf-8"):
    words = line.split()
    if not words or line.startswith("#"):
        continue
    if words[0] == "sfen":
        board.set_sfen(" ".join(words[1:]))
        moves = wanted.setdefault(board.book_key(), [])
    else:
        moves.append((cshogi.move16(board.move_from_usi(words[0])), int(words[2])))
if found != wanted:
    sys.exit(f"book.py: {len(found)} positions in {binary}, {len(wanted)} in {text}; they are not the same")
print(f"clients: cshogi reads the {len(found)} positions of a converted book")
