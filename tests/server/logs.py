"""logs.py - the log: its lines, a file that rotates, and readers that do not read."""
import json
import os
import re
import signal
import subprocess
import tempfile
import time

from client import MODEL, SLOW, STRATA, check, finish, read_all, request
from client import Server as Quiet

PLAIN = "/v1/completions"
SHORT = {"prompt": "Once upon a time", "max_tokens": 5, "seed": 1, "chain": "min_tokens:5,temp:1"}
LONG = {"prompt": "Once upon a time", "max_tokens": 900, "chain": "min_tokens:900,temp:1"}


class Server(Quiet):
    """A server that logs."""

    def __init__(self, *options, **streams):
        self.process = subprocess.Popen([STRATA, "serve", "-m", MODEL, "--port", "0", "-t", "2", *options], stdout=subprocess.PIPE, stdin=subprocess.DEVNULL,
                                        **dict({"stderr": subprocess.PIPE, "text": True}, **streams))
        self.host, self.port = "127.0.0.1", int(self.process.stdout.readline().rsplit(":", 1)[1])


def lines_of(path, count):
    """Its lines, when there are so many."""
    end = time.time() + 10 * SLOW
    while time.time() < end:
        with open(path) as file:
            lines = file.read().splitlines()
        if len(lines) >= count:
            return lines
        time.sleep(0.02)
    return lines


def nobody_reads():
    """A pipe that is full: the server goes on, counts what it drops, and ends."""
    server = Server()
    ask = b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n"
    last = ask.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n")
    got = 0
    for _ in range(20):
        got += read_all(server.raw(ask * 299 + last)).count(b'{"status":"ok"}')
    check("6000 requests while nobody reads the log", got, 6000)
    check("and others are answered", server.post(PLAIN, SHORT)[0], 200)
    dropped = [line for line in server.ask("GET", "/metrics")[2].decode().splitlines() if line.startswith("strata_log_dropped_total ")]
    check("lines that were dropped are counted", float(dropped[0].split()[1]) > 0, True)
    began = time.monotonic()
    server.process.terminate()
    server.process.wait(timeout=60)
    check("the server ends although nobody reads", (server.process.returncode, time.monotonic() - began < 5 * SLOW), (0, True))
    server.process.stderr.close()
    server.process.stdout.close()
    for target in ("/dev/full", "/dev/null"):
        with open(target, "w") as out:
            server = Server(stderr=out)
            check("a log that takes nothing: " + target, server.post(PLAIN, SHORT)[0], 200)
            if target == "/dev/full":
                lost = r"strata_log_dropped_total [1-9]"
                end = time.time() + 10 * SLOW
                while not re.search(lost, metrics := server.ask("GET", "/metrics")[2].decode()) and time.time() < end:
                    time.sleep(0.02)
                check("its lines count as dropped", bool(re.search(lost, metrics)), True)
            server.process.terminate()
            check("and its end", server.process.wait(timeout=60), 0)
    server = Server()
    for _ in range(20):
        read_all(server.raw(ask * 299 + last))
    server.process.terminate()
    said = server.process.communicate(timeout=60)[1]
    check("one that is read late says how many lines are missing", bool(re.search(r"\[\d+ lines of this log were dropped\]", said)), True)


def what_a_line_says():
    with tempfile.TemporaryDirectory() as folder:
        path, keys = os.path.join(folder, "log"), os.path.join(folder, "keys")
        with open(os.open(keys, os.O_CREAT | os.O_WRONLY, 0o600), "w") as file:
            file.write("very-secret name=mia\n")
        with Server("--log", path, "--keys", keys, "--log-json") as server:
            mia = {"Authorization": "Bearer very-secret"}
            status, head, _ = server.ask("POST", PLAIN, SHORT, dict(mia, **{"X-Request-Id": "my-own.id_7"}))
            check("a request's id comes back", (status, head["X-Request-Id"]), (200, "my-own.id_7"))
            for bad in ("a b", "x" * 65, 'a"b', "a\tb"):
                head = server.ask("POST", PLAIN, SHORT, dict(mia, **{"X-Request-Id": bad}))[1]
                check("but not every text is an id: %.9r" % bad, bool(re.fullmatch("[0-9a-f]{16}", head["X-Request-Id"])), True)
            named = lambda name, head=mia: dict(head, **{"X-Request-Id": name})
            server.ask("POST", PLAIN, dict(SHORT, stream=True), named("stream"))
            server.ask("POST", PLAIN, SHORT, named("wrong", {"Authorization": "Bearer wrong"}))
            server.ask("POST", PLAIN, {"prompt": 5}, named("bad"))
            server.ask("GET", "/nothing%0Ahere", None, named("other", {}))
            s = server.raw(request(PLAIN, dict(LONG, stream=True, n=4), "Authorization: Bearer very-secret\r\nX-Request-Id: gone\r\n"))
            s.recv(100)
            s.close()
            lines = [json.loads(line) for line in lines_of(path, 11)]
            check("its first line", lines.pop(0)["note"], "the server starts")
            of = {line["id"]: line for line in lines}  # a line is written when its request has ended: the order may be another one
            first, stream, wrong, bad, other, gone = [of[name] for name in ("my-own.id_7", "stream", "wrong", "bad", "other", "gone")]
            check("a line", {k: first[k] for k in ("id", "key", "method", "path", "status", "in", "out", "reason")},
                  {"id": "my-own.id_7", "key": "mia", "method": "POST", "path": PLAIN, "status": 200, "in": 5, "out": 5, "reason": "length"})
            check("its times", 0 <= first["queue"] <= first["first"] <= first["whole"] < 30 * SLOW and bool(re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", first["time"])), True)
            check("a stream's line comes at its end", (stream["out"], stream["reason"], stream["whole"] >= stream["first"] > 0), (5, "length", True))
            check("a wrong key has no name", (wrong["status"], wrong["key"]), (401, "-"))
            check("a wrong field", (bad["status"], bad["key"], bad["reason"]), (400, "mia", "-"))
            check("a path is no part of it", (other["status"], other["path"]), (404, "other"))
            check("a client that went", (gone["reason"], gone["out"] < 3600), ("gone", True))
            os.rename(path, path + ".1")
            server.process.send_signal(signal.SIGHUP)
            end = time.time() + 10 * SLOW
            while not os.path.exists(path) and time.time() < end:
                server.get("/health")
                time.sleep(0.02)
            check("SIGHUP: a new file", os.path.exists(path), True)
            server.get("/health")
            check("lines go there", '"path":"/health"' in lines_of(path, 1)[-1], True)
        with open(path + ".1") as old, open(path) as new:
            check("no key in it", "secret" in old.read() + new.read(), False)
        with open(path) as file:
            check("its end is there, too", "shutting down" in file.read(), True)
        for target, why in ((folder + "/no/log", "No such file"), ("/dev/full", "No space left")):
            got = subprocess.run([STRATA, "serve", "-m", MODEL, "--port", "0", "--log", target], capture_output=True, text=True, timeout=60)
            check("a log that cannot be written: " + target[-9:], (got.returncode, "--log " + target in got.stderr, why in got.stderr), (1, True, True))
    with Server() as server:
        server.post(PLAIN, SHORT)
        server.process.terminate()
        said = server.process.stderr.read()
        wanted = r"(?m)^\d{4}-\S+Z [0-9a-f]{16} - POST /v1/completions 200 in 5 out 5 queue [\d.]+ first [\d.]+ whole [\d.]+ length$"
        check("a line of text", bool(re.search(wanted, said)) or said)


nobody_reads()
what_a_line_says()
finish()
