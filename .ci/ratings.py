"""Compares our ratings (PREFIX.json) with Ordo's (PREFIX.csv) and BayesElo's (PREFIX.bayes), and judges the moves of
PREFIX.pgn by pyffish."""

import csv
import json
import re
import sys

import pyffish

prefix = sys.argv[1]
ours = {e["name"]: (e["elo"], e["error"]) for e in json.load(open(prefix + ".json"))["all"]["ratings"]["engines"]}


def centred(ratings):
    mean = sum(ratings.values()) / len(ratings)
    return {name: value - mean for name, value in ratings.items()}


rows = list(csv.reader(open(prefix + ".csv")))
ordo = centred({row[1]: float(row[2]) for row in rows if len(row) > 2 and row[1] in ours})
bayes = {}
for line in open(prefix + ".bayes"):
    found = re.match(r"\s*(?:ResultSet-EloRating>)?\s*\d+\s+(\S+)\s+(-?\d+)\s+(\d+)\s+(\d+)\s", line)
    if found and found[1] in ours:
        bayes[found[1]] = (float(found[2]), (float(found[3]) + float(found[4])) / 2)
if len(ordo) != len(ours) or len(bayes) != len(ours):
    sys.exit(f"ratings: not all players are rated: Ordo {ordo}, BayesElo {bayes}")
for name, (elo, error) in sorted(ours.items(), key=lambda item: -item[1][0]):
    theirs, their_error = bayes[name]
    print(f"ratings: {name}: {elo:+.0f} ± {error:.0f}, Ordo {ordo[name]:+.0f}, BayesElo {theirs:+.0f} ± {their_error:.0f}")
    if abs(elo - ordo[name]) > error or abs(elo - theirs) > error:
        sys.exit(f"ratings: {name} differs by more than its error")

games = moves = 0
for text in re.split(r"\n\n(?=\[Event)", open(prefix + ".pgn").read()):
    tags = dict(re.findall(r'^\[(\w+) "(.*)"\]$', text, re.M))
    body = re.sub(r"\{[^}]*\}", " ", text[text.rindex("]\n") + 2:])
    variant = tags["Variant"]
    fen = tags.get("FEN", pyffish.start_fen(variant))
    played = []
    for word in body.split():
        if re.fullmatch(r"\d+\.+|1-0|0-1|1/2-1/2", word):
            continue
        if word not in pyffish.legal_moves(variant, fen, played):
            sys.exit(f"ratings: game {games + 1}: {word} is not legal after {' '.join(played)}")
        played.append(word)
    games, moves = games + 1, moves + len(played)
print(f"ratings: pyffish plays the {moves} moves of {games} games of {variant}")
