"""Matches by a pool whose workers die one after the other; each must be the match of one machine.

usage: cluster_chain.py ENGINE FOLDER DEATHS      (the server's context files are in FOLDER; .ci/cluster calls it)
"""

import atexit
import json
import os
import random
import shutil
import signal
import stat
import subprocess
import sys
import time

ENGINE, FOLDER, DEATHS = sys.argv[1], sys.argv[2], int(sys.argv[3])
WORKERS = 8
PAIRS = 60
# One of this many workers falsifies results: it plays the game and changes what it says of it.
LIAR_EVERY = 12
# The collector is killed after this many deaths of workers.
COLLECTOR_EVERY = 40

# Beside the copy of the program from which a lying worker was started, this takes the place of the copy.
LIAR = f"""#!/usr/bin/env python3
import random, re, subprocess, sys
arguments = sys.argv[1:]
status = subprocess.run([{ENGINE!r}, *arguments]).returncode
table = []
for byte in range(256):
    for _ in range(8):
        byte = byte >> 1 ^ (0x82F63B78 if byte & 1 else 0)
    table.append(byte)
def crc(text):
    value = 0xFFFFFFFF
    for byte in text:
        value = table[(value ^ byte) & 255] ^ value >> 8
    return value ^ 0xFFFFFFFF
if "--out" in arguments:
    path = arguments[arguments.index("--out") + 1] + "/journal.jsonl"
    lines = []
    for line in open(path, "rb").read().splitlines():
        body = line[: line.rindex(b',"crc"')]
        body = re.sub(rb'"nodes":[0-9]+', b'"nodes":%d' % random.randrange(1 << 30), body)
        lines.append(body + b',"crc":"%08x"}}\\n' % crc(body))
    open(path, "wb").writelines(lines)
sys.exit(status)
"""

random.seed(7)
log = open(f"{FOLDER}/chain.log", "a")
as_worker = {**os.environ, "NATS_CONTEXT": f"{FOLDER}/worker.json"}
started = 0


def worker():
    """Starts a worker, which lies now and then."""
    global started
    started += 1
    program, lies = ENGINE, started % LIAR_EVERY == 0
    if lies:
        program = f"{FOLDER}/chain-liar-{started}"
        shutil.copy(ENGINE, program)
    said = f"{FOLDER}/chain-worker.log"
    process = subprocess.Popen(
        [program, "cluster", "worker", "--jobs", "1"], env=as_worker, stdout=log, stderr=open(said, "w")
    )
    if lies:
        while not os.path.getsize(said) and process.poll() is None:
            time.sleep(0.01)
        with open(program + " (deleted)", "w") as wrapper:
            wrapper.write(LIAR)
        os.chmod(program + " (deleted)", stat.S_IRWXU)
        # From here on the system names the wrapper as the worker's program; its engines are the copy.
        shutil.copy(ENGINE, program + ".copy")
        os.replace(program + ".copy", program)
    return process


def collector(name):
    command = [ENGINE, "cluster", "collect", name, "-o", f"{FOLDER}/{name}", "--repeat", "100"]
    return subprocess.Popen(command, stdout=log, stderr=log)


def games(folder):
    """Results and turns with their nodes, by pair and game."""
    results, turns = {}, {}
    for line in open(f"{folder}/journal.jsonl"):
        entry = json.loads(line)
        if entry["k"] == "game":
            results[entry["pair"], entry["game"]] = entry["start"], entry["result"], entry["cause"]
        elif entry["k"] == "move":
            turns.setdefault((entry["pair"], entry["game"]), []).append((entry["m"], entry["nodes"]))
    return {key: (result, turns.get(key)) for key, result in results.items()}


deaths = collectors = matches = 0
workers, collecting = [], None
atexit.register(lambda: [process.kill() for process in [*workers, collecting] if process])
workers += [worker() for _ in range(WORKERS)]
while deaths < DEATHS:
    name = f"chain{matches}"
    match = ["match", "--game", "reversi", "--engine", "conf=kaeshi", "name=more", "depth=2", "--engine", "conf=kaeshi"]
    match += ["name=less", "depth=1", "--random-plies", "10", "--seed", str(matches), "--games", str(2 * PAIRS)]
    submit = [ENGINE, "cluster", "submit", name, "--", *match]
    subprocess.run(submit, stdout=log, stderr=log, check=True)
    collecting = collector(name)
    while collecting.poll() is None:
        time.sleep(random.uniform(0.05, 0.3))
        if deaths >= DEATHS:
            continue
        victim = random.randrange(WORKERS)
        stopped = random.randrange(WORKERS)
        if stopped != victim:
            workers[stopped].send_signal(signal.SIGSTOP)
            time.sleep(random.uniform(0.0, 0.1))
            workers[stopped].send_signal(signal.SIGCONT)
        workers[victim].kill()
        workers[victim].wait()
        if workers[victim].args[0] != ENGINE:
            os.remove(workers[victim].args[0])
            os.remove(workers[victim].args[0] + " (deleted)")
        deaths += 1
        workers[victim] = worker()
        if deaths % COLLECTOR_EVERY == 0:
            collecting.kill()
            collecting.wait()
            collectors += 1
            collecting = collector(name)
    assert collecting.returncode == 0, f"collect {name} ended with {collecting.returncode}"
    local = f"{FOLDER}/{name}-local"
    subprocess.run([ENGINE, *match, "--out", local], stdout=log, stderr=log, check=True)
    assert games(f"{FOLDER}/{name}") == games(local), f"{name}: the games are not those of the local match"
    subprocess.run([ENGINE, "cluster", "remove", name], stdout=log, stderr=log, check=True)
    matches += 1
    print(f"chain: {deaths} deaths, {matches} matches", file=sys.stderr)
status = subprocess.run([ENGINE, "cluster", "status"], stdout=subprocess.PIPE, text=True, check=True).stdout
found = status.count("in quarantine: part")
lied = started // LIAR_EVERY
assert found or not lied, "no liar was found"
print(
    f"chain: {deaths} deaths of workers and {collectors} of collectors, {lied} workers that lie ({found} found before"
    f" they died), {matches} matches of {2 * PAIRS} games as the local ones"
)
