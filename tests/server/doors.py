"""doors.py - connections: how many, of one address and of all, and a port for health that is always open."""
import http.client
import json
import re
import socket
import subprocess
import tempfile
import threading
import time

from client import MODEL, SLOW, STRATA, Server, check, finish, read_all, request

PLAIN = "/v1/completions"
LONG = {"prompt": "Once upon a time", "max_tokens": 900, "chain": "min_tokens:900,temp:1"}
HEALTH = b"GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"


def status_of(data):
    return int(data.split(b" ", 2)[1]) if data.startswith(b"HTTP/") else data


def come_from(server, address, data=b"", port=None):
    """A connection of another address of this machine."""
    s = socket.create_connection((server.host, port or server.port), timeout=30 * SLOW, source_address=(address, 0))
    s.sendall(data)
    return s


def addresses():
    with Server("--connections", "16", "--patience", "2") as server:
        held = [come_from(server, "127.0.0.1") for _ in range(8)]
        time.sleep(0.2)
        for data in (HEALTH, b""):
            answer = read_all(come_from(server, "127.0.0.1", data))
            check("half of all connections is what one address gets", status_of(answer) in (429, b""), True)
        answer = read_all(come_from(server, "127.0.0.1"))
        check("the refusal is JSON", json.loads(answer.split(b"\r\n\r\n")[1])["error"]["code"], "connections")
        check("another address does not notice", [status_of(read_all(come_from(server, "127.0.0.2", HEALTH))) for _ in range(3)], [200] * 3)
        check("they are cut off", [read_all(s) for s in held], [b""] * 8)
        end = time.time() + 10 * SLOW  # their threads end one by one
        while (status := status_of(read_all(come_from(server, "127.0.0.1", HEALTH)))) != 200 and time.time() < end:
            time.sleep(0.05)
        check("and may come again", status, 200)
    with Server("--connections", "4", "--per-address", "4", "--patience", "1") as server:
        held = [come_from(server, "127.0.0.%d" % (1 + i % 2)) for i in range(4)]
        late = [come_from(server, "127.0.0.3", HEALTH) for _ in range(4)]
        check("when all are taken, others wait", [status_of(read_all(s)) for s in late], [200] * 4)
        for s in held:
            s.close()
        waits = [come_from(server, "127.0.0.1") for i in range(4)] + [come_from(server, "127.0.0.2", HEALTH)]
        began = time.monotonic()
        check("a server whose door is full ends at once", (server.stop(), time.monotonic() - began < 5 * SLOW), (0, True))
        for s in waits:
            s.close()


def health_port():
    with tempfile.NamedTemporaryFile("w", suffix=".keys") as file:
        file.write("secret\n")
        file.flush()
        server = Server("--connections", "8", "--per-address", "8", "--health-port", "0", "--keys", file.name, "--drain", "20", "--patience", "30")
    port = int(re.search(r":(\d+)$", server.process.stdout.readline()).group(1))

    def look(path):
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10 * SLOW)
        connection.request("GET", path)
        answer = connection.getresponse()
        data = answer.read()
        connection.close()
        return answer.status, data

    over = threading.Event()

    def never_finish():
        """Slowloris: heads without an end, again and again."""
        held = []
        while not over.is_set():
            try:
                held.append(come_from(server, "127.0.0.1", b"GET /v1/models HTTP/1.1\r\nX-A: b\r\n"))
            except OSError:
                pass
            if len(held) > 40:
                held.pop(0).close()

    attackers = [threading.Thread(target=never_finish) for _ in range(4)]
    for t in attackers:
        t.start()
    time.sleep(0.3)
    slowest, got = 0, []
    for _ in range(30):
        began = time.monotonic()
        got.append(look("/health")[0])
        slowest = max(slowest, time.monotonic() - began)
        time.sleep(0.03)
    check("health while strangers hold every connection", (set(got), slowest < 2 * SLOW), ({200}, True))
    check("and metrics, without a key", b"strata_uptime_seconds" in look("/metrics")[1], True)
    check("nothing else is there", [look(p)[0] for p in ("/", "/v1/models", "/load", "/ui/page.js", "/nothing")], [404] * 5)
    over.set()
    for t in attackers:
        t.join()
    time.sleep(0.3)
    s = come_from(server, "127.0.0.2", request(PLAIN, dict(LONG, stream=True, n=8), "Authorization: Bearer secret\r\n"))
    s.recv(100)
    server.process.terminate()
    status, end = 200, time.time() + 10 * SLOW
    while status == 200 and time.time() < end:
        status = look("/health")[0]
    check("health says that the server ends", status, 503)
    s.close()
    check("and it does", server.stop(), 0)
    taken = socket.create_server(("127.0.0.1", 0))
    got = subprocess.run([STRATA, "serve", "-m", MODEL, "--port", "0", "--health-port", str(taken.getsockname()[1])], capture_output=True, text=True, timeout=60)
    check("a port that is taken", (got.returncode, "give another --health-port" in got.stderr), (1, True))


addresses()
health_port()
finish()
