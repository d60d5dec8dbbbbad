"""sockets.py - clients as they should not be: slow, split, pipelined, half closed, gone.  After each, all pages are free."""
import json
import socket
import struct
import subprocess
import tempfile
import threading
import time

from client import SLOW, STRATA, Server, check, finish, read_all, request

PLAIN, CHAT = "/v1/completions", "/v1/chat/completions"
SHORT = {"prompt": "Once upon a time", "max_tokens": 5, "seed": 1}
LONG = {"prompt": "Once upon a time", "max_tokens": 900, "chain": "min_tokens:900,temp:1"}
CONSTANTS = {"oneOf": [{"enum": [f"{i} {k}" for k in range(250)]} for i in range(250)]}
COSTLY = {"messages": [{"role": "user", "content": "x"}], "response_format": {"type": "json_schema", "json_schema": {"name": "a", "schema": CONSTANTS}}}
READING = {"prompt": "the fox " * 450, "max_tokens": 60}


def status_of(data):
    return int(data.split(b" ", 2)[1]) if data.startswith(b"HTTP/") else data


def reset(s):
    """Close with a reset, as a process that is killed does when it has not read everything."""
    s.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    s.close()


def free_again(server, name):
    load = server.wait_idle()
    check(name + ": its pages are free", (load["pages_free"], load["running"], load["waiting"]), (load["pages"], 0, 0))


def metric(server, name):
    text = server.ask("GET", "/metrics")[2].decode()
    return float([l for l in text.splitlines() if l.startswith("strata_" + name + " ")][0].split()[1])


def whole_requests(server):
    wanted = server.post(PLAIN, SHORT)[1]["choices"][0]["text"]
    s = server.raw()
    for byte in request(PLAIN, SHORT, "Connection: close\r\n"):
        s.sendall(bytes([byte]))
    check("a request byte by byte", json.loads(read_all(s).split(b"\r\n\r\n")[-1])["choices"][0]["text"], wanted)
    data = json.dumps(SHORT).encode()
    chunks = b"".join(b"%x\r\n%s\r\n" % (len(data[i:i + 7]), data[i:i + 7]) for i in range(0, len(data), 7)) + b"0\r\n\r\n"
    s = server.raw(b"POST /v1/completions HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n" + chunks)
    check("a body in chunks", json.loads(read_all(s).split(b"\r\n\r\n")[-1])["choices"][0]["text"], wanted)
    s = server.raw(request(PLAIN, SHORT) * 3 + request(PLAIN, SHORT, "Connection: close\r\n"))
    check("four requests at once on one connection", read_all(s).count(wanted.encode()), 4)
    s = server.raw(request(PLAIN, dict(SHORT, max_tokens=50), "Connection: close\r\n"))
    s.shutdown(socket.SHUT_WR)
    answer = read_all(s)
    check("half closed: it is answered", b'"completion_tokens":50' in answer, True)
    s = server.raw(request(PLAIN, dict(SHORT, max_tokens=50, stream=True), "Connection: close\r\n"))
    s.shutdown(socket.SHUT_WR)
    check("half closed: so is a stream", b"data: [DONE]" in read_all(s), True)
    s = server.raw(request(PLAIN, dict(SHORT, stream=True)).replace(b"HTTP/1.1", b"HTTP/1.0"))
    check("HTTP 1.0: a stream without chunks", read_all(s).endswith(b"data: [DONE]\n\n"), True)
    free_again(server, "whole requests")


def nonsense(server):
    for name, data in [("no HTTP", b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03 hello\r\n\r\n"), ("half a line", b"POST /v1/comp"),
                       ("an endless path", b"GET /" + b"a" * 200000 + b" HTTP/1.1\r\n\r\n"),
                       ("endless headers", b"GET /health HTTP/1.1\r\nHost: localhost\r\n" + b"X-A: b\r\n" * 30000 + b"\r\n"),
                       ("a negative length", b"POST /v1/completions HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: -2\r\n\r\n{}"),
                       ("a negative chunk", b"POST /v1/completions HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n-2\r\n{}"),
                       ("a huge chunk", b"POST /v1/completions HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n{}")]:
        s = server.raw()
        try:
            s.sendall(data)
            s.shutdown(socket.SHUT_WR)
        except OSError:
            pass  # it was refused before all was sent
        got = status_of(read_all(s))
        check(name + " is refused or dropped", got in (400, 413, 414, 431, 500, b""), True)
    length = b"POST /v1/completions HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n"
    check("gigabytes are refused at the head", status_of(read_all(server.raw(length % (8 << 30)))), 413)
    s = server.raw(b"POST /v1/completions HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n")
    for _ in range(20):
        s.sendall(b"10000\r\n" + b" " * 65536 + b"\r\n")
    s.sendall(b"0\r\n\r\n")
    check("or where the body grows too long", status_of(read_all(s)), 413)
    check("a packed body", server.ask("POST", PLAIN, b"{}", {"Content-Type": "application/json", "Content-Encoding": "gzip"})[0], 415)
    check("another type", server.ask("POST", PLAIN, b"{}", {"Content-Type": "text/plain"})[0], 415)
    for size in (0, 1, 2, 4095, 4096, 65535, 65536, 900000):
        body = b'{"prompt": "a", "max_tokens": 1}' if size > 40 else b""
        got = server.post(PLAIN, body + b" " * (size - len(body)))[0]
        check("a body of %d bytes" % size, got, 200 if size > 40 else 400)


def leavers(server):
    """Clients that go in every phase."""
    phases = [("in the head", request(PLAIN, SHORT)[:60], None), ("in the body", request(PLAIN, SHORT)[:-5], None),
              ("while the prompt is read", request(PLAIN, READING), 0.002), ("while it writes", request(PLAIN, dict(LONG, n=12)), 0.1),
              ("in a stream, at once", request(CHAT, {"messages": [{"role": "user", "content": "Hi"}], "stream": True, "chain": "min_tokens:900,temp:1"}), 0),
              ("in a stream", request(PLAIN, dict(LONG, n=12, stream=True)), 0.1), ("in a stream's beginning", request(PLAIN, dict(LONG, n=12, stream=True)), 0.05),
              ("while a sibling waits", request(PLAIN, dict(LONG, n=8)), 0.01)]
    for way in ("closed", "reset"):
        for name, data, wait in phases:
            before = metric(server, "cancelled_total")
            s = server.raw(data)
            time.sleep(wait or 0)
            s.close() if way == "closed" else reset(s)
            free_again(server, "%s %s" % (way, name))
            if wait and wait >= 0.05:
                end = time.time() + 20 * SLOW
                while metric(server, "cancelled_total") == before and time.time() < end:
                    time.sleep(0.02)
                check("and it was cancelled", metric(server, "cancelled_total") > before, True)
                free_again(server, "%s %s, then" % (way, name))
    fillers = [server.raw(request(PLAIN, dict(LONG, stream=True))) for _ in range(8)]
    time.sleep(0.05)
    queued = server.raw(request(PLAIN, LONG))
    time.sleep(0.1)
    queued.close()
    for s in fillers:
        s.close()
    free_again(server, "closed while it waited")


def soon(server):
    """A half-closed connection is answered; when it is closed, the answer is cancelled within 0.1 s."""
    for name, body in (("an answer", dict(LONG, n=8)), ("a stream", dict(LONG, n=8, stream=True))):
        took = []
        for _ in range(5):
            before = metric(server, "cancelled_total")
            s = server.raw(request(PLAIN, body))
            s.shutdown(socket.SHUT_WR)
            time.sleep(0.15)
            on = metric(server, "cancelled_total") == before and server.load()["running"] > 0
            s.setblocking(False)
            try:
                while s.recv(65536):
                    pass
            except BlockingIOError:
                pass  # with nothing unread, the close is no reset
            s.close()
            closed = time.time()
            while metric(server, "cancelled_total") == before and time.time() < closed + 5:
                time.sleep(0.002)
            took.append(time.time() - closed)
            check("half closed, %s goes on" % name, on, True)
            free_again(server, "closed after that")
        check("%s is cancelled within a tenth of a second (%.0f ms)" % (name, 1000 * sorted(took)[2]), sorted(took)[2] < 0.1 * SLOW, True)


def crowd(server):
    """More than there are places for."""
    room = 4 + 12
    held = [server.raw(request(PLAIN, dict(LONG, stream=True))) for _ in range(room)]
    end = time.time() + 10 * SLOW
    while server.load()["waiting"] < 12 and time.time() < end:
        time.sleep(0.02)
    load = server.load()
    check("four run, twelve wait", (load["running"], load["waiting"]), (4, 12))
    status, head, data = server.ask("POST", PLAIN, SHORT)
    check("one more is refused", (status, data["error"]["type"], "Retry-After" in head), (429, "rate_limit_error", True))
    check("health answers beside it", server.get("/health")[0], 200)
    for s in held:
        reset(s)
    free_again(server, "a crowd")
    held = [server.raw() for _ in range(40)]
    held[20].sendall(request(PLAIN, SHORT, "Connection: close\r\n"))
    check("one of forty connections asks", status_of(read_all(held[20])), 200)
    for s in held:
        s.close()


def shares():
    """Eight places, two keys: neither holds more than it leaves free."""
    with tempfile.NamedTemporaryFile("w", suffix=".keys") as file:
        file.write("mia\nowl\n")
        file.flush()
        with Server("--places", "1", "--queue", "7", "--keys", file.name) as server:
            def hold(key, n):
                s = server.raw(request(PLAIN, dict(LONG, n=n, stream=True), "Authorization: Bearer %s\r\n" % key))
                return status_of(s.recv(100)), s

            def more(key, n=1):
                status, head, data = server.ask("POST", PLAIN, dict(SHORT, n=n), {"Authorization": "Bearer " + key})
                return status, data["error"]["message"] if status != 200 else "", "Retry-After" in head

            full = "this key's share of the queue is full: it holds %d of 8 slots, %d are free, and with 1 more it would hold more than stay free"
            check("more than half at once never fits", more("mia", 5)[:2], (400, "n: 5 answers at once, wanted at most 4"))
            mia = hold("mia", 4)
            check("a key may hold as many places as it leaves free", mia[0], 200)
            check("and no more", more("mia"), (429, full % (4, 4), True))
            owl = hold("owl", 2)
            check("another key finds some", owl[0], 200)
            check("as many as are free then", more("owl"), (429, full % (2, 2), True))
            for _, s in (mia, owl):
                reset(s)
            end = time.time() + 20 * SLOW
            while (again := more("mia", 4)[0]) == 429 and time.time() < end:
                time.sleep(0.02)
            check("who is gone holds none", again, 200)


def patience():
    with Server("--patience", "1", "--places", "4", "--queue", "12") as server:
        s = server.raw()
        start, data, gone = time.time(), request(PLAIN, SHORT), False
        for byte in data:
            try:
                s.sendall(bytes([byte]))
                time.sleep(0.05)
                s.setblocking(False)
                try:
                    gone = s.recv(100) == b""
                except BlockingIOError:
                    pass
                s.setblocking(True)
            except OSError:
                gone = True
            if gone:
                break
        check("a trickle is cut off", (gone, time.time() - start < 5 * SLOW), (True, True))
        idle = server.raw()
        check("so is who says nothing", read_all(idle), b"")
        many = [server.raw(request(PLAIN, dict(LONG, stream=True, n=4, logprobs=20))) for _ in range(3)]
        for s in many:
            s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1024)
        check("others are served while one does not read", server.post(PLAIN, SHORT)[1].get("error"), None)
        free_again(server, "readers who do not read")
        for s in many:
            s.close()
        s = server.raw(request(PLAIN, dict(READING, max_tokens=400, chain="min_tokens:400,temp:1"), "Connection: close\r\n"))
        check("an answer that takes longer than patience", status_of(read_all(s)), 200)


def keys_and_origins():
    with tempfile.NamedTemporaryFile("w", suffix=".keys") as file:
        file.write("# whose they are\nsecret-one\n \tsecret-two \r\n\n")
        file.flush()
        with Server("--keys", file.name, "--origin", "https://a.example") as server:
            ask = lambda key, path="/v1/models": server.ask("GET", path, None, {"Authorization": key} if key else {})[0]
            check("a key", (ask("Bearer secret-one"), ask("Bearer secret-two"), ask("bearer  secret-two")), (200, 200, 200))
            for key in (None, "Bearer ", "Bearer secret-on", "Bearer secret-onee", "secret-one", "Bearer # whose they are", "Basic secret-one"):
                check("the key %r" % key, ask(key), 401)
            check("health needs none", ask(None, "/health"), 200)
            origin = {"Origin": "https://a.example", "Access-Control-Request-Headers": "authorization, x-stainless-os", "Access-Control-Request-Method": "POST"}
            status, head, _ = server.ask("OPTIONS", CHAT, None, origin)
            check("a preflight", (status, head["Access-Control-Allow-Origin"], head["Access-Control-Allow-Headers"], head["Vary"]),
                  (204, "https://a.example", "authorization, x-stainless-os", "Origin"))
            status, head, _ = server.ask("OPTIONS", CHAT, None, dict(origin, Origin="https://b.example"))
            check("of another origin", (status, "Access-Control-Allow-Origin" in head), (403, False))
            status, head, _ = server.ask("GET", "/health", None, {"Origin": "https://a.example"})
            check("answers name the origin", head.get("Access-Control-Allow-Origin"), "https://a.example")
    with Server() as server:
        check("without keys any will do", server.ask("GET", "/v1/models", None, {"Authorization": "Bearer x"})[0], 200)
        check("a name that leads here from elsewhere", server.ask("GET", "/v1/models", None, {"Host": "evil.example"})[0], 403)
        check("an address is this machine's", server.ask("GET", "/v1/models", None, {"Host": "127.0.0.1:1"})[0], 200)


def ends():
    server = Server("--drain", "30")
    answers = []
    body = dict(LONG, max_tokens=300)
    threads = [threading.Thread(target=lambda: answers.append(server.post(PLAIN, body)[0])) for _ in range(4)]
    stream = server.raw(request(PLAIN, dict(body, stream=True)))
    first = stream.recv(10)
    for t in threads:
        t.start()
    while server.load()["running"] < 5:
        time.sleep(0.005)
    kept = server.raw(b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n")
    kept.recv(1000)
    server.process.terminate()
    rest = first + read_all(stream)
    for t in threads:
        t.join()
    check("SIGTERM: what is going on ends", (answers, b"[DONE]" in rest), ([200] * 4, True))
    check("and then the program does", server.stop(), 0)
    server = Server("--drain", "0")
    s = server.raw(request(PLAIN, dict(LONG, stream=True, n=4)))
    s.recv(100)
    server.process.terminate()
    rest = read_all(s)
    check("without time to drain, a stream says why it ends", b'"error"' in rest and b"[DONE]" not in rest, True)
    check("and the program ends", server.stop(), 0)
    for signals in (1, 2):
        server = Server("--drain", "20")
        s = server.raw(request(CHAT, COSTLY))
        time.sleep(0.3)
        began = time.time()
        for _ in range(signals):
            server.process.terminate()
        check("a grammar that costs much does not keep the program from its end", server.stop(), 0)
        check("nor for long", time.time() - began < 2 * SLOW, True)
        s.close()
    server = Server("--seconds", "0.3")
    status, data = server.post(PLAIN, LONG)
    check("an answer whose time is over is cut", (status, data.get("choices", [{}])[0].get("finish_reason")), (200, "length"))
    server.stop()
    taken = socket.create_server(("127.0.0.1", 0))
    for options, wanted in ((["--port", str(taken.getsockname()[1])], "is in use"), (["--keys", "/nonexistent"], "nonexistent"), (["--host", "no.such.host.invalid"], "no such address"),
                            (["--chain", "contrast:1"], "contrast is not available"), (["--ctx", "5000"], "at most 1024"), (["-m", "/dev/null"], "null")):
        got = subprocess.run([STRATA, "serve", *options], capture_output=True, text=True, timeout=60)
        check("serve %s" % " ".join(options[:1]), (got.returncode, wanted in got.stderr), (1, True))


with Server("--places", "4", "--queue", "12", "--body", "1024") as server:
    for part in (whole_requests, nonsense, leavers, soon, crowd):
        part(server)
shares()
patience()
keys_and_origins()
ends()
finish()
