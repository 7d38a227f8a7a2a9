"""Compares a book in the text format of YaneuraOu with the same one in Apery's, by cshogi's keys and moves, and in
YaneuraOu's binary format, by cshogi's unpacking of positions.

usage: book.py BOOK.db BOOK.bin BOOK.ybb
"""

import struct
import sys

import cshogi
import numpy

text, binary, packed = sys.argv[1:]
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

# YaneuraOu's binary format: an index of packed positions, then the moves of each.
content = open(packed, "rb").read()
count, flags = struct.unpack_from("<QQ", content, 16)
move_bytes, moves_begin, found = 6 if flags & 1 else 4, 32 + 44 * count, {}
for number in range(count):
    at = 32 + 44 * number
    board.set_psfen(numpy.frombuffer(content[at:at + 32], dtype=numpy.uint8))
    begin, _, moves = struct.unpack_from("<QHH", content, at + 32)
    entries = [struct.unpack_from("<Hh", content, moves_begin + begin + move_bytes * i) for i in range(moves)]
    found[board.sfen().rsplit(" ", 1)[0]] = [(cshogi.move_to_usi(cshogi.move16_from_psv(move)), value)
                                             for move, value in entries]
wanted = {}
for line in open(text, encoding="utf-8"):
    words = line.split()
    if words and words[0] == "sfen":
        moves = wanted.setdefault(" ".join(words[1:4]), [])
    elif words and not line.startswith("#"):
        moves.append((words[0], int(words[2])))
if found != wanted:
    sys.exit(f"book.py: {len(found)} positions in {packed}, {len(wanted)} in {text}; they are not the same")
print(f"clients: cshogi unpacks the {len(found)} positions of a converted book")
