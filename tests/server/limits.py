"""limits.py - what a client may ask for: priority, time, tokens and slots, for all and for each key; keys that change while the server runs."""
import json
import os
import re
import signal
import subprocess
import tempfile
import time

from client import MODEL, SLOW, STRATA, Server, check, finish, request

PLAIN, CHAT = "/v1/completions", "/v1/chat/completions"
LONG = {"prompt": "Once upon a time", "max_tokens": 900, "chain": "min_tokens:900,temp:1"}
SHORT = {"prompt": "Once upon a time", "max_tokens": 3}


def by(server, key, body, path=PLAIN):
    status, _, data = server.ask("POST", path, body, {"Authorization": "Bearer " + key})
    return status, data.get("error", data) if isinstance(data, dict) else data


def without_keys():
    with Server("--seconds", "0.3") as server:
        status, data = server.post(PLAIN, dict(SHORT, priority=1))
        check("nobody overtakes the others", (status, data["error"]["param"]), (400, "priority"))
        check("but may let them pass", server.post(PLAIN, dict(SHORT, priority=-5))[0], 200)
        began = time.monotonic()
        status, data = server.post(PLAIN, dict(LONG, context_shift=True, max_tokens=100000, chain="min_tokens:100000,temp:1", seconds=4))
        check("more time than the operator gives is not to be had", (status, data["choices"][0]["finish_reason"], time.monotonic() - began < 2 * SLOW), (200, "length", True))
    with Server("--tokens", "7", "--priority", "3") as server:
        got = [server.post(PLAIN, dict(LONG, chain="min_tokens:99,temp:1"))[1], server.post(CHAT, {"messages": [{"role": "user", "content": "Hi"}], "chain": "min_tokens:99,temp:1"})[1]]
        check("nor more tokens", [(g["usage"]["completion_tokens"], g["choices"][0]["finish_reason"]) for g in got], [(7, "length")] * 2)
        check("fewer are", server.post(PLAIN, SHORT)[1]["usage"]["completion_tokens"], 3)
        check("what the operator allows, goes", (server.post(PLAIN, dict(SHORT, priority=3))[0], server.post(PLAIN, dict(SHORT, priority=4))[0]), (200, 400))


def with_keys():
    with tempfile.NamedTemporaryFile("w", suffix=".keys") as file:
        file.write("mia name=mia priority=10 tokens=5 seconds=100 places=2\nowl priority=-3\n  fox\tname=fox  \n")
        file.flush()
        with Server("--keys", file.name, "--tokens", "50", "--places", "4") as server:
            check("priorities of keys", [by(server, k, dict(SHORT, priority=p))[0] for k, p in (("mia", 10), ("mia", 11), ("owl", -3), ("owl", 0), ("fox", 0), ("fox", 1))], [200, 400, 200, 400, 200, 400])
            check("who asks for none has what it may", by(server, "owl", SHORT)[0], 200)
            check("tokens of keys", [by(server, k, dict(LONG, chain="min_tokens:99,temp:1"))[1]["usage"]["completion_tokens"] for k in ("mia", "owl")], [5, 50])
            check("more slots than a key has", by(server, "mia", dict(SHORT, n=3))[0], 400)
        with Server("--keys", file.name, "--places", "1") as server:
            file.write("two places=2\n")
            file.flush()
            server.process.send_signal(signal.SIGHUP)
            end = time.time() + 10 * SLOW
            while by(server, "two", SHORT)[0] == 401 and time.time() < end:
                time.sleep(0.02)
            check("SIGHUP: a new key is known", (by(server, "two", SHORT)[0], by(server, "mia", SHORT)[0]), (200, 200))
            held = [server.raw(request(PLAIN, dict(LONG, stream=True), "Authorization: Bearer two\r\n")) for _ in range(2)]
            for s in held:
                s.recv(100)
            status, error = by(server, "two", SHORT)
            check("its third slot is refused", (status, error["message"]), (429, "this key holds 2 slots, and may hold 2"))
            status, error = by(server, "two", {"content": "x"}, "/tokenize")
            check("nor is other work done for it", status, 429)
            check("another key's is", by(server, "fox", {"content": "x"}, "/tokenize")[0], 200)
            for s in held:
                s.close()
            file.write("broken priority=much\n")
            file.flush()
            server.process.send_signal(signal.SIGHUP)
            time.sleep(0.3)
            check("SIGHUP: a broken file changes nothing", (by(server, "broken", SHORT)[0], by(server, "fox", SHORT)[0]), (401, 200))
            with open(file.name, "w") as new:
                new.write("fox\n")
            server.process.send_signal(signal.SIGHUP)
            end = time.time() + 10 * SLOW
            while by(server, "mia", SHORT)[0] != 401 and time.time() < end:
                time.sleep(0.02)
            check("SIGHUP: a key that is gone is refused", (by(server, "mia", SHORT)[0], by(server, "fox", SHORT)[0]), (401, 200))


def files():
    with tempfile.NamedTemporaryFile("w", suffix=".keys") as file:
        def start(text, mode=0o600):
            with open(file.name, "w") as new:
                new.write(text)
            os.chmod(file.name, mode)
            got = subprocess.run([STRATA, "serve", "-m", MODEL, "--port", "0", "--keys", file.name], capture_output=True, text=True, timeout=60)
            return got.returncode, got.stderr

        for mode in (0o644, 0o604, 0o602):
            code, said = start("mia\n", mode)
            check("a file of keys of the mode %o" % mode, (code, "chmod 600" in said), (1, True))
        for line in ("mia priority=101", "mia priority=1.5", "mia seconds=-1", "mia seconds=nan", "mia tokens=x", "mia places", "mia name=", "mia name=a\"b", "mia owl", "mia name=" + "x" * 32, "mia tokens=5 places=1 tokens=6"):
            code, said = start("# who\n\n" + line + "\n")
            check("a line of keys: " + line[:20], (code, "line 3: wanted a key" in said, "mia" in said.replace(file.name, "")), (1, True, False))
        code, said = start("mia tokens=5\nowl\nmia\n")
        check("a key twice", (code, "line 3: a key of an earlier line" in said, "mia" in said.replace(file.name, "")), (1, True, False))
        check("no keys", start("# none\n")[0], 1)


def memory_of(server):
    return float(re.search(r"^strata_request_memory_bytes (.*)$", server.ask("GET", "/metrics")[2].decode(), re.M)[1])


def falls_below(server, most):
    """What a request took is given back soon after its answer."""
    end = time.time() + 10 * SLOW
    while memory_of(server) > most and time.time() < end:
        time.sleep(0.02)
    return memory_of(server) <= most


def memory():
    """Many connections, each within its own limits, take more than there is."""
    with Server("--memory", "8", "--connections", "64", "--per-address", "64") as server:
        check("with little memory", server.post(PLAIN, SHORT)[0], 200)
        large = {"anyOf": [{"type": "object", "properties": {"k%d_%d" % (i, j): {"type": "string", "maxLength": 50} for j in range(30)}} for i in range(60)]}
        status, data = server.post(PLAIN, dict(SHORT, json_schema=large))
        check("a grammar that takes more", (status, "no memory" in data["error"]["message"]), (503, True))
        check("is not kept", falls_below(server, 1 << 20), True)
        status, data = server.post(PLAIN, dict(SHORT, prompt=[1] * 100000))
        check("a tree that takes more", (status, "no memory" in data["error"]["message"]), (503, True))
        check("the next one is answered", server.post(PLAIN, SHORT)[0], 200)
        long = b" " * 900000 + json.dumps(SHORT).encode()
        head = b"POST /v1/completions HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 1000000\r\n\r\n"
        held = [server.raw(head + b" " * 900000) for _ in range(24)]
        end = time.time() + 10 * SLOW
        while (got := server.post(PLAIN, long))[0] == 200 and time.time() < end:
            time.sleep(0.02)
        check("bodies that nobody ends: refused", (got[0], "no memory" in got[1]["error"]["message"]), (503, True))
        check("never more than the limit", 1 << 20 < memory_of(server) <= 8 << 20, True)
        check("what needs little is answered", (server.get("/v1/models")[0], server.post(PLAIN, SHORT)[0]), (200, 200))
        for s in held:
            s.close()
        end = time.time() + 10 * SLOW
        while (got := server.post(PLAIN, long))[0] != 200 and time.time() < end:
            time.sleep(0.02)
        check("when they have gone, all is as before", (got[0], falls_below(server, 1 << 20)), (200, True))
    with Server("--memory", "40") as server:
        got = [server.post(PLAIN, dict(SHORT, json_schema=dict(large, description=str(i))))[0] for i in range(6)]
        check("grammars that no request uses make room for others", (got, falls_below(server, 33 << 20)), ([200] * 6, True))


without_keys()
with_keys()
memory()
files()
finish()
