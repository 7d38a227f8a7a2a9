"""Runs the recipes of examples/python with an engine, and looks at what they print.

usage: recipes.py ENGINE        needs the module kaeshi, cshogi, python-shogi, chess, pyffish, nbclient and ipykernel
"""

import os
import re
import subprocess
import sys
from pathlib import Path

import nbclient
import nbformat

FOLDER = Path(__file__).resolve().parent.parent / "examples" / "python"
SECONDS = 120
# A recipe and what has to be in its output.
RECIPES = {
    "analyse_cshogi.py": [r"best move: [PLNSBRG1-9][*1-9]\S+\n  1\. ", r"\n  3\. +[-+]\d+  depth +\d+  \S+"],
    "play_python_shogi.py": [r"\nafter \d+ moves: White is checkmated\n"],
    "chess_engine.py": [r"^shogi: 40 moves: (?:\S+ ){8}", r"\nflipello: 40 moves: ",
                        r"\n  2\. depth +\d+ +[-+#\d]+  \S+ "],
    "ugi_games.py": [r"^reversi: (?:p1win|p2win|draw) after \d+ turns: ",
                     r"\nsygo: (?:p1win|p2win|draw) after \d+ turns: "],
}
NOTEBOOK = {"game.ipynb": [r"\n 20 4d4e +\d+\.\d% #", r"(?: +\d+ \S+ costs -?\d+\.\d%; \S+ was expected\n){3}"]}


def check(name, output, patterns):
    for pattern in patterns:
        if not re.search(pattern, output):
            sys.exit(f"recipes: {name} printed nothing like {pattern}:\n{output}")
    print(f"clients: {name} works: {output.splitlines()[-1].strip()}")


def run(name, engine):
    environment = os.environ | {"PYTHONUTF8": "1", "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run([sys.executable, FOLDER / name, engine], cwd=FOLDER, timeout=SECONDS, encoding="utf-8",
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=environment)
    if done.returncode:
        sys.exit(f"recipes: {name} ended with status {done.returncode}:\n{done.stdout}")
    return done.stdout


def execute(name, engine):
    """What the cells of a notebook print. An exception in a cell is one here."""
    os.environ |= {"KAESHI": engine, "PYTHONDONTWRITEBYTECODE": "1"}
    notebook = nbformat.read(FOLDER / name, as_version=4)
    resources = {"metadata": {"path": str(FOLDER)}}
    nbclient.NotebookClient(notebook, timeout=SECONDS, kernel_name="python3", resources=resources).execute()
    outputs = (output for cell in notebook.cells for output in cell.get("outputs", []))
    return "".join(output["text"] for output in outputs if output.get("name") == "stdout")


program = str(Path(sys.argv[1]).resolve())
for recipe, wanted in RECIPES.items():
    check(recipe, run(recipe, program), wanted)
for recipe, wanted in NOTEBOOK.items():
    check(recipe, execute(recipe, program), wanted)
