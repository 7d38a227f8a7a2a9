"""Writes the results of the job `forged` anew under the name of another worker, as anyone with the account of a worker
can: over the protocol of NATS, without a client library.

usage: cluster_forge.py CONTEXT IDENTITY
"""

import base64
import json
import socket
import ssl
import sys
from urllib.parse import urlparse

context = json.load(open(sys.argv[1]))
address = urlparse(context["url"])
plain = socket.create_connection((address.hostname, address.port))
greeting = b""
while not greeting.endswith(b"\r\n"):
    greeting += plain.recv(1)
assert greeting.startswith(b"INFO "), greeting
tls = ssl.create_default_context(cafile=context["ca"]).wrap_socket(plain, server_hostname=address.hostname)
stream = tls.makefile("rwb")


def send(line, payload=None):
    stream.write(line.encode() + b"\r\n")
    if payload is not None:
        stream.write(payload + b"\r\n")
    stream.flush()


def receive():
    """The next message."""
    while True:
        line = stream.readline().decode().split()
        if line[0] == "PING":
            send("PONG")
        elif line[0] == "MSG":
            payload = stream.read(int(line[-1]))
            stream.readline()
            return json.loads(payload)
        else:
            assert line[0] in ("INFO", "+OK", "PONG"), line


def request(subject, body):
    payload = json.dumps(body).encode()
    send(f"PUB {subject} _INBOX.forge {len(payload)}", payload)
    return receive()


def value(key):
    answer = request("$JS.API.STREAM.MSG.GET.KV_kaeshi", {"last_by_subj": f"$KV.kaeshi.{key}"})
    return json.loads(base64.b64decode(answer["message"]["data"]))


send("CONNECT " + json.dumps({"user": context["user"], "pass": context["password"], "verbose": False, "pedantic": False}))
send("SUB _INBOX.forge 1")
job = value("jobs.forged")
for part in range(job["parts"]):
    outcome = value(f"parts.{job['id']}.{part}")
    outcome["done"]["by"] = sys.argv[2]
    answer = request(f"$KV.kaeshi.parts.{job['id']}.{part}", outcome)
    assert "seq" in answer, answer
