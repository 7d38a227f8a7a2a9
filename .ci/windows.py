#!/usr/bin/env python3
"""Tests kaeshi.exe under Wine, in a Japanese locale (code page 932); the environment is that of .ci/windows.

usage: .ci/windows.py PROGRAM [--long]

Each check prints a line; the first fault ends with status 1. Times are printed, and bounded generously: the machine may
do other things.
"""
import getpass
import json
import os
import pathlib
import pty
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request

PATIENCE = 120
ROOT = pathlib.Path(__file__).resolve().parent.parent
PROGRAM = pathlib.Path(sys.argv[1]).resolve()
JAPANESE = "棋譜 と 評価"
# A folder in which not even the administrator of a Linux machine makes files.
UNWRITABLE = "Z:\\sys\\kernel"


def windows(path):
    """The name that Wine gives to a file of this machine."""
    return "Z:" + str(path).replace("/", "\\")


def command(*words):
    return ["wine", str(PROGRAM), *map(str, words)]


def run(*words, status=0, **options):
    """What the program prints, both streams together."""
    done = subprocess.run(command(*words), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=PATIENCE * 5,
                          stdin=subprocess.DEVNULL, **options)
    text = done.stdout.decode()
    assert done.returncode == status, f"status {done.returncode} of {words}:\n{text}"
    return text


def processes():
    """The command lines of our programs that run. Scripts that were given the program as an argument are not among them."""
    found = []
    for entry in pathlib.Path("/proc").iterdir():
        try:
            line = (entry / "cmdline").read_bytes().decode(errors="replace")
        except OSError:
            continue
        # Wine replaces its own name by that of the program a little later.
        first = line.split("\0")[0].strip().replace("\\", "/").split("/")[-1]
        if first == PROGRAM.name or first.startswith("wine") and PROGRAM.name in line:
            found.append(line.replace("\0", " ").strip())
    return found


def nothing_is_left():
    deadline = time.monotonic() + 5
    while processes() and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not processes(), f"left behind: {processes()}"


def wait_until(condition, what):
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < deadline, what
        time.sleep(0.02)


def post(link, path, body):
    ask = urllib.request.Request(link + path, json.dumps(body).encode(), {"Content-Type": "application/json"})
    with urllib.request.urlopen(ask, timeout=PATIENCE) as answer:
        return json.load(answer)


class Engine:
    """A session over pipes; lines end as Windows ends them, unless bytes are given."""

    def __init__(self, *words):
        self.process = subprocess.Popen(command(*words), stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)
        self.output = open(self.process.stdout.fileno(), "rb", closefd=False)
        self.timer = threading.Timer(PATIENCE * 3, self.process.kill)
        self.timer.daemon = True
        self.timer.start()

    def say(self, *lines):
        for line in lines:
            self.process.stdin.write((line if isinstance(line, bytes) else line.encode()) + b"\r\n")

    def hear(self, word):
        lines = []
        for line in self.output:
            lines.append(line.decode().rstrip("\r\n"))
            if lines[-1].startswith(word):
                return lines
        raise AssertionError(f"the engine has ended before {word}: {lines}")

    def quit(self):
        self.say("quit")
        assert self.process.wait(PATIENCE) == 0
        self.timer.cancel()


def games(folder):
    """The results of a match, without what time changes."""
    with open(folder / "journal.jsonl", encoding="utf-8") as journal:
        entries = [json.loads(line) for line in journal]
    keys = ("pair", "game", "first", "start", "result", "cause", "plies")
    return [[entry[key] for key in keys] for entry in entries if entry["k"] == "game"]


def match(folder, count, *words, nodes=20):
    """The words of a match of the engine with itself: engines of other names are told apart only by these."""
    own = windows(PROGRAM)
    return ["match", "--game", "reversi", "--nodes", nodes, "--games", count, "--seed", 5, "--random-plies", 6,
            "--concurrency", 2, "--engine", "name=a", f"cmd={own}", "--engine", "name=b", f"cmd={own}",
            "--out", windows(folder), *words]


# The fast checks.

def hello(folder):
    engine = Engine()
    engine.say("usi")
    assert "id name" in "\n".join(engine.hear("usiok"))
    engine.say("isready", "position startpos moves 7g7f", "go nodes 2000")
    assert len(engine.hear("bestmove")[-1].split()) >= 2
    engine.quit()
    engine = Engine("--game", "sygo")
    engine.say("ugi", "isready", "position startpos", "go nodes 200")
    engine.hear("ugiok")
    engine.hear("bestmove")
    engine.quit()


def bench(folder):
    stated = subprocess.run(["git", "log", "-1", "--grep=^Bench: shogi ", "--format=%B"], cwd=ROOT, check=True,
                            capture_output=True, text=True).stdout
    stated = [line for line in stated.splitlines() if line.startswith("Bench: ")][-1]
    printed = run("bench").replace("\r", "")
    assert stated in printed.splitlines(), f"stated {stated}, printed\n{printed}"
    return printed.splitlines()[-1]


def short_match(folder):
    text = run(*match(folder / "m", 4))
    assert len(games(folder / "m")) == 4, text
    assert "left behind" not in text, text


# The long ones.

def timed_game(folder):
    own = windows(PROGRAM)
    run("match", "--game", "shogi", "--tc", "3+0.1", "--games", 2, "--engine", "name=a", f"cmd={own}",
        "--engine", "name=b", f"cmd={own}", "--out", windows(folder / "m"), "--records", "--report",
        windows(folder / "報告 1.html"))
    causes = [game[5] for game in games(folder / "m")]
    assert len(causes) == 2 and not {"time", "timeout", "crash"} & set(causes), causes
    assert (folder / "報告 1.html").stat().st_size > 1000
    return ", ".join(causes)


def killed_match(folder):
    """Twenty games with kills in between are the games without kills."""
    begun = time.monotonic()
    run(*match(folder / "straight", 20, nodes=1000))
    whole = time.monotonic() - begun
    words, kills, draw = match(folder / "killed", 20, nodes=1000), 0, random.Random(3)
    while True:
        process = subprocess.Popen(command(*words), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            # Longer and longer, so that it comes to an end beside other work too.
            status = process.wait(draw.uniform(0.15, 0.45) * whole * (1 + kills / 10))
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
            process.wait()
            kills += 1
            # Windows ends the engines with the last handle of their job, that of the runner.
            nothing_is_left()
        else:
            assert status == 0
            break
        if (folder / "killed" / "match.json").is_file():
            words = ["match", "--resume", windows(folder / "killed")]
    assert kills >= 2, "the match was over before it could be killed"
    key = lambda game: game[:2]
    assert sorted(games(folder / "killed"), key=key) == sorted(games(folder / "straight"), key=key)
    return f"{kills} kills"


def second_runner(folder):
    """While a match is played its journal can be read, and a second runner is refused."""
    process = subprocess.Popen(command(*match(folder / "m", 400)), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    wait_until(lambda: (folder / "m" / "journal.jsonl").is_file() and games(folder / "m"), "no game was played")
    assert "Elo" in run("match", "stats", windows(folder / "m"))
    assert "another runner" in run("match", "--resume", windows(folder / "m"), status=2)
    process.kill()
    process.wait()
    nothing_is_left()


def torn_journal(folder):
    run(*match(folder / "m", 4))
    journal = folder / "m" / "journal.jsonl"
    whole, done = journal.read_bytes(), games(folder / "m")
    lines = whole.splitlines(keepends=True)
    last = max(index for index, line in enumerate(lines) if b'"k":"game"' in line)
    journal.write_bytes(b"".join(lines[:last]) + lines[last][:20])
    run("match", "--resume", windows(folder / "m"))
    assert games(folder / "m") == done
    assert (folder / "m" / "journal.torn").stat().st_size > 0


def interrupt(folder):
    """Ctrl-C typed at a console finishes the games, keeps the engines alive meanwhile, and says how to go on."""
    pid, terminal = pty.fork()
    if pid == 0:
        os.execvp("wine", command(*match(folder / "Ctrl C", 2000)))
    printed, said = bytearray(), threading.Event()

    def read():
        try:
            while chunk := os.read(terminal, 4096):
                printed.extend(chunk)
        except OSError:
            said.set()

    threading.Thread(target=read, daemon=True).start()
    journal = folder / "Ctrl C" / "journal.jsonl"
    wait_until(lambda: journal.is_file() and len(games(folder / "Ctrl C")) >= 2, "no game was played")
    os.write(terminal, b"\x03")
    _, status = os.waitpid(pid, 0)
    said.wait(PATIENCE)
    text = printed.decode(errors="replace")
    assert os.waitstatus_to_exitcode(status) == 130, (status, text)
    assert "--resume" in text, text
    assert not {"crash", "timeout"} & {game[5] for game in games(folder / "Ctrl C")}
    nothing_is_left()
    run("match", "--resume", windows(folder / "Ctrl C"), "--rounds", 1, status=2)


def analysis(folder):
    records = windows(ROOT / "tests/data/records")
    words = ["analyse", "--nodes", 150, "--jobs", 2, "--no-timing", records]
    straight = run(*words, "-o", windows(folder / "a.jsonl"), "--store", windows(folder / "結果 1.redb"), status=1)
    lines = (folder / "a.jsonl").read_text("utf-8")
    # Killed at some point, and resumed: the same lines.
    out = folder / f"{JAPANESE}.jsonl"
    for wait in (0.6, 1.0):
        again = ["--resume"] if out.is_file() else []
        process = subprocess.Popen(command(*words, "-o", windows(out), *again), stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL)
        time.sleep(wait)
        process.kill()
        process.wait()
    run(*words, "-o", windows(out), "--resume", status=1)
    assert out.read_text("utf-8") == lines, straight
    # From the store, without a search.
    run(*words, "-o", windows(folder / "b.jsonl"), "--store", windows(folder / "結果 1.redb"), status=1)
    assert len((folder / "b.jsonl").read_text("utf-8").splitlines()) == len(lines.splitlines())


def page(folder):
    """A game through the interface of the page; it is kept, and goes on in another run."""
    def start():
        process = subprocess.Popen(command("play", "--no-open", "--port", "0", "--games", windows(folder / "対局 1")),
                                   stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        return process, process.stdout.readline().strip().rstrip("/")

    process, link = start()
    with urllib.request.urlopen(link + "/", timeout=PATIENCE) as answer:
        assert b"<title>Kaeshi</title>" in answer.read()
    room = post(link, "/api/open", {})["room"]
    count = len(post(link, f"/api/room/{room}", {"op": "look"})["nodes"])
    assert count == 1
    # The engine thinks only while a page looks on.
    events = urllib.request.urlopen(f"{link}/api/room/{room}/events", timeout=PATIENCE)
    post(link, f"/api/room/{room}", {"op": "turn", "turn": "7g7f"})
    wait_until(lambda: len(post(link, f"/api/room/{room}", {"op": "look"})["nodes"]) == 3, "no reply of the engine")
    wait_until(lambda: list((folder / "対局 1").glob("*.json")), "the game was not kept")
    time.sleep(1)
    process.kill()
    process.wait()
    events.close()
    process, link = start()
    with urllib.request.urlopen(link + "/api/games", timeout=PATIENCE) as answer:
        assert room in answer.read().decode()
    process.kill()
    process.wait()
    nothing_is_left()


def usual_folders(folder):
    """What is found without being named lies below %APPDATA%. The browser is called."""
    # Wine sets the variable itself.
    appdata, = pathlib.Path(os.environ["WINEPREFIX"]).glob(f"drive_c/users/{getpass.getuser()}/AppData/Roaming")
    shutil.rmtree(appdata / "kaeshi", ignore_errors=True)
    (appdata / "kaeshi").mkdir()
    roster = f"[engines.a-roster-of-windows]\r\ncommand = '{windows(PROGRAM)}'\r\nprotocol = \"usi\"\r\n"
    (appdata / "kaeshi" / "engines.toml").write_bytes(roster.encode())
    assert "a-roster-of-windows" in run("engines", cwd=folder)
    process = subprocess.Popen(command("play", "--port", "0"), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    post(process.stdout.readline().strip().rstrip("/"), "/api/open", {})
    wait_until((appdata / "kaeshi" / "games").is_dir, "no folder for games")
    process.kill()
    process.wait()
    shutil.rmtree(appdata / "kaeshi")


def paths(folder):
    """Files whose names are Japanese with blanks, told in UTF-8 and in the code page; levels and books."""
    place = folder / JAPANESE
    place.mkdir()
    for name in ("shogi.bin", "shogi-book.db"):
        shutil.copy(ROOT / "weights" / name, place / name)
    for encoding in ("utf-8", "cp932"):
        engine = Engine()
        engine.say("usi", f"setoption name EvalFile value {windows(place / 'shogi.bin')}".encode(encoding),
                   f"setoption name BookFile value {windows(place / 'shogi-book.db')}".encode(encoding),
                   f"setoption name LogFile value {windows(place / (encoding + '.log'))}".encode(encoding),
                   "setoption name SkillLevel value 3", "isready")
        said = "\n".join(engine.hear("readyok"))
        assert "stays" not in said and "cannot" not in said and "no such" not in said, said
        engine.say("position startpos", "go btime 100000 wtime 100000")
        engine.hear("bestmove")
        engine.quit()
        assert "bestmove" in (place / (encoding + ".log")).read_text("utf-8")
    engine = Engine()
    engine.say("usi", b"setoption name EvalFile value C:\\\x95\x5d\x89\xbf.bin", "isready")
    said = "\n".join(engine.hear("readyok"))
    # Protocols are ASCII: each of the two characters is one question mark.
    assert "C:\\??.bin" in said, said
    engine.quit()


def refusals(folder):
    """Where nothing can be written, the message names the file."""
    for words in (match("x", 2)[:-1] + [UNWRITABLE + "\\m"],
                  ["analyse", "--nodes", 9, windows(ROOT / "tests/data/records/game.kif"), "-o", UNWRITABLE + "\\a"],
                  ["openings", "--game", "reversi", "--out", UNWRITABLE + "\\o"]):
        text = run(*words, status=2)
        assert "kernel" in text, text
    engine = Engine()
    engine.say("usi", f"setoption name LogFile value {UNWRITABLE}\\log.txt", "isready")
    assert "log.txt" in "\n".join(engine.hear("readyok"))
    engine.quit()
    # A device is written as it is.
    run("analyse", "--nodes", 9, windows(ROOT / "tests/data/records/game.kif"), "-o", "NUL", cwd=folder)
    assert not list(folder.iterdir())


def others(folder):
    text = run(*match(folder / "idle", 2, "--background"))
    assert len(games(folder / "idle")) == 2, text
    assert "binds no threads" in run(*match(folder / "bound", 2, "--affinity"), status=2)
    (folder / "盤 1.txt").write_text("3x3\r\n4x3\r\n")
    assert "+7" in run("solve", "--game", "sygo", windows(folder / "盤 1.txt"))
    run("perft", "--game", "shogi", 3)
    # A reader that stops reading is no fault.
    first = subprocess.Popen(command("match", "--help"), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    first.stdout.close()
    assert first.stderr.read() == b"" and first.wait() == 0


def stops(folder):
    draw, took = random.Random(1), []
    for game in ("shogi", "reversi", "sygo"):
        engine = Engine("--game", game)
        engine.say("ugi", "setoption name Threads value 1", "isready")
        engine.hear("readyok")
        for _ in range(334):
            engine.say("position startpos", "go infinite")
            time.sleep(draw.uniform(0.005, 0.03))
            begun = time.perf_counter()
            engine.say("stop")
            engine.hear("bestmove")
            took.append(1000 * (time.perf_counter() - begun))
        engine.quit()
    took.sort()
    text = f"p50 {took[len(took) // 2]:.1f} ms, p99 {took[len(took) * 99 // 100]:.1f} ms, longest {took[-1]:.1f} ms"
    assert took[len(took) * 99 // 100] < 50, text
    return text


FAST = [hello, bench, short_match]
LONG = [timed_game, killed_match, second_runner, torn_journal, interrupt, analysis, page, usual_folders, paths,
        refusals, others, stops]


def main():
    only = [word for word in sys.argv[2:] if word != "--long"]
    checks = FAST + (LONG if "--long" in sys.argv else [])
    for check in [check for check in checks if not only or check.__name__ in only]:
        begun = time.monotonic()
        with tempfile.TemporaryDirectory() as folder:
            found = check(pathlib.Path(folder))
        nothing_is_left()
        took = time.monotonic() - begun
        print(f"windows: {check.__name__} ({took:.1f} s){': ' + found if found else ''}", flush=True)


main()
