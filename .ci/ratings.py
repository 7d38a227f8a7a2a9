"""Compares our ratings (PREFIX.json) with the same model calculated from PREFIX.pgn and, where these files are there, with
those of Ordo (PREFIX.csv) and BayesElo (PREFIX.bayes); judges the moves of PREFIX.pgn by pyffish."""

import csv
import json
import math
import os
import re
import sys

import pyffish

prefix = sys.argv[1]
ours = {e["name"]: (e["elo"], e["error"]) for e in json.load(open(prefix + ".json"))["all"]["ratings"]["engines"]}


def centred(ratings):
    mean = sum(ratings.values()) / len(ratings)
    return {name: value - mean for name, value in ratings.items()}


games = []
for text in re.split(r"\n\n(?=\[Event)", open(prefix + ".pgn").read()):
    tags = dict(re.findall(r'^\[(\w+) "(.*)"\]$', text, re.M))
    games.append((tags, re.sub(r"\{[^}]*\}", " ", text[text.rindex("]\n") + 2:])))


def calculated():
    """Bradley and Terry's ratings with an advantage of the first move, under the prior of two virtual draws of each
    player against those it met; by ascent along the slope of the likelihood."""
    meetings, total = {}, {}
    for tags, _ in games:
        pair = tags["White"], tags["Black"]
        count, points = meetings.get(pair, (0, 0.0))
        meetings[pair] = count + 1, points + {"1-0": 1.0, "0-1": 0.0, "1/2-1/2": 0.5}[tags["Result"]]
        for name in pair:
            total[name] = total.get(name, 0) + 1
    virtual = {}
    for (one, other), (count, _) in meetings.items():
        pair = tuple(sorted((one, other)))
        virtual[pair] = virtual.get(pair, 0.0) + count / total[one] + count / total[other]
    ratings, advantage = dict.fromkeys(total, 0.0), 0.0
    for _ in range(20_000):
        slope, of_first = dict.fromkeys(total, 0.0), 0.0
        for (one, other), (count, points) in meetings.items():
            rest = points - count / (1 + math.exp(ratings[other] - ratings[one] - advantage))
            slope[one] += rest
            slope[other] -= rest
            of_first += rest
        for (one, other), count in virtual.items():
            rest = count / 2 - count / (1 + math.exp(ratings[other] - ratings[one]))
            slope[one] += rest
            slope[other] -= rest
        advantage += of_first / len(games)
        ratings = {name: value + slope[name] / len(games) for name, value in ratings.items()}
    return centred({name: value * 400 / math.log(10) for name, value in ratings.items()})


expected = calculated()
for name, (elo, _) in ours.items():
    if abs(elo - expected[name]) > 0.5:
        sys.exit(f"ratings: {name} is rated {elo:+.1f}, and from the PGN {expected[name]:+.1f}")
others = {}
if os.path.exists(prefix + ".csv"):
    rows = list(csv.reader(open(prefix + ".csv")))
    others["Ordo"] = centred({row[1]: float(row[2]) for row in rows if len(row) > 2 and row[1] in ours})
if os.path.exists(prefix + ".bayes"):
    line = re.compile(r"\s*(?:ResultSet-EloRating>)?\s*\d+\s+(\S+)\s+(-?\d+)\s+\d+\s+\d+\s")
    found = [match for match in map(line.match, open(prefix + ".bayes")) if match and match[1] in ours]
    others["BayesElo"] = {match[1]: float(match[2]) for match in found}
for program, theirs in others.items():
    if len(theirs) != len(ours):
        sys.exit(f"ratings: {program} does not rate all players: {theirs}")
for name, (elo, error) in sorted(ours.items(), key=lambda item: -item[1][0]):
    stated = "".join(f", {program} {theirs[name]:+.0f}" for program, theirs in others.items())
    print(f"ratings: {name}: {elo:+.1f} ± {error:.0f}, from the PGN {expected[name]:+.1f}{stated}")
    for program, theirs in others.items():
        if abs(elo - theirs[name]) > error:
            sys.exit(f"ratings: {program} rates {name} differently, by more than the error")

moves = 0
for number, (tags, body) in enumerate(games, 1):
    variant = tags["Variant"]
    fen = tags.get("FEN", pyffish.start_fen(variant))
    played = []
    for word in body.split():
        if re.fullmatch(r"\d+\.+|1-0|0-1|1/2-1/2", word):
            continue
        if word not in pyffish.legal_moves(variant, fen, played):
            sys.exit(f"ratings: game {number}: {word} is not legal after {' '.join(played)}")
        played.append(word)
    moves += len(played)
print(f"ratings: pyffish plays the {moves} moves of {len(games)} games of {games[0][0]['Variant']}")
