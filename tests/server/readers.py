"""readers.py - clients that read slowly, or not at all; work that must not make others wait; slots of a key that asks for several models."""
import os
import re
import socket
import tempfile
import threading
import time

import client
from adapters import adapters
from client import SLOW, Server, check, finish, request

DRAFT = os.path.join(client.ROOT, "layer5_models", "models", "draft.gguf")
PLAIN, CHAT = "/v1/completions", "/v1/chat/completions"
SHORT = {"prompt": "Once upon a time", "max_tokens": 3}
LARGE = {"messages": [{"role": "user", "content": "Hi"}], "n": 8, "max_tokens": 600, "logprobs": True, "top_logprobs": 20, "chain": "min_tokens:600,temp:1"}  # 7 MB, more than a socket holds


def slow(server, body):
    """A client whose socket holds little, and what it has asked."""
    s = socket.socket()
    s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    s.setsockopt(socket.IPPROTO_TCP, socket.TCP_MAXSEG, 536)  # the server's holds little, too
    s.settimeout(20 * SLOW)
    s.connect((server.host, server.port))
    s.sendall(request(CHAT, body))
    return s


def memory_of(server):
    return float(re.search(r"^strata_request_memory_bytes (.*)$", server.ask("GET", "/metrics")[2].decode(), re.M)[1])


def rest(s):
    s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 20)
    return client.read_all(s)


def made(server):
    """Until its answers are over."""
    time.sleep(0.2)
    server.wait_idle(120)


def memory():
    """What nobody reads is counted as memory of requests."""
    with Server("--memory", "12", "--patience", str(30 * SLOW)) as server:
        first = slow(server, LARGE)
        end = time.time() + 60 * SLOW
        while memory_of(server) < 5 << 20 and time.time() < end:
            time.sleep(0.05)
        check("an answer that nobody reads is counted", memory_of(server) > 5 << 20, True)
        status, data = server.post(CHAT, LARGE)
        check("the next one finds no memory", (status, data["error"]["message"]), (503, "no memory for the answer"))
        check("small ones are answered", server.post(PLAIN, SHORT)[0], 200)
        stream = slow(server, dict(LARGE, stream=True))
        made(server)
        check("nor does a stream's rest", b"no memory for the answer" in rest(stream), True)
        check("the first one comes whole", rest(first).endswith(b"}}"), True)
        for s in (first, stream):
            s.close()
        end = time.time() + 10 * SLOW
        while memory_of(server) > 1 << 20 and time.time() < end:
            time.sleep(0.05)
        check("and all of it is given back", memory_of(server) < 1 << 20, True)


def trickle(s, until):
    """Reads a little, often, until then or the end."""
    while not until():
        try:
            if not s.recv(1024):
                return True
        except ConnectionResetError:
            return True
        time.sleep(0.05)
    return False


def models():
    """A model does not stay for a client that reads slowly, or for those who look."""
    with Server("--alias", "big", "--model", "small=" + DRAFT, "--models", "1", "--patience", "5") as server:
        got = []
        for name, body in (("an answer", LARGE), ("a stream", dict(LARGE, stream=True))):
            s = slow(server, dict(body, model="big"))
            made(server)
            del got[:]
            other = threading.Thread(target=lambda: got.append(server.post(PLAIN, dict(SHORT, model="small"))[0]))
            other.start()
            end = time.time() + 16 * SLOW
            trickle(s, lambda: got or time.time() > end)
            check("%s that is read slowly does not keep its model loaded" % name, got, [200])
            s.close()
            other.join()
        check("the first one is loaded", server.post(PLAIN, dict(SHORT, model="big"))[0], 200)
        over = threading.Event()

        def look():
            while not over.is_set():
                s = server.raw(b"GET /strata/schedule HTTP/1.1\r\nHost: localhost\r\n\r\n" * 200 + b"GET /slots HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
                client.read_all(s)

        lookers = [threading.Thread(target=look) for _ in range(60)]
        for t in lookers:
            t.start()
        time.sleep(0.5)
        began = time.time()
        check("nor do those who look", server.post(PLAIN, dict(SHORT, model="small"))[0], 200)
        check("for long (%.1f s)" % (time.time() - began), time.time() - began < 5 * SLOW)
        over.set()
        for t in lookers:
            t.join()


def gap_during(server, path, body):
    """The largest gap of a stream while another request is answered, as a part of that one's time."""
    s = server.raw(request(PLAIN, dict(SHORT, max_tokens=1000, chain="min_tokens:1000,temp:1", stream=True)))
    s.recv(9)
    times, took = [], []

    def work():
        began = time.time()
        server.post(path, body)
        took.append(time.time() - began)

    other = threading.Thread(target=work)
    other.start()
    while not took:
        s.recv(65536)
        times.append(time.time())
    other.join()
    s.close()
    server.wait_idle()
    return max(b - a for a, b in zip(times, times[1:])) / took[0]


def gaps():
    """A text to embed, and a prompt to score, are evaluated between the steps of others."""
    with Server() as server:
        texts = [[5] * 1000] * 4  # several: a fast machine reads one in two steps
        for path, body in (("/v1/embeddings", {"input": texts}), (PLAIN, {"prompt": texts, "max_tokens": 1, "echo": True, "logprobs": 0})):
            least, end = gap_during(server, path, body), time.time() + 60 * SLOW
            while least >= 0.4 and time.time() < end:  # on a busy machine one try says little; a stream that waits has nearly 1 each time
                least = min(least, gap_during(server, path, body))
            check("a stream goes on during %s (largest gap %.2f of it)" % (path, least), least < 0.4, True)


def adapted():
    """Answers with another adapter, between the layers of a prompt that is scored with this one, change nothing of it."""
    with adapters() as (one, two), Server("--lora", "one=" + one, "--lora", "two=" + two) as server:
        scored = {"model": "one", "prompt": [5, 9, 77] * 330, "max_tokens": 1, "echo": True, "logprobs": 2, "temperature": 0}
        scores = lambda: server.post(PLAIN, scored)[1]["choices"][0]["logprobs"]["token_logprobs"]
        alone = scores()
        others = [server.raw(request(PLAIN, dict(SHORT, model=model, max_tokens=1000, chain="min_tokens:1000,temp:1", stream=True))) for model in ("two", "storyteller.gguf", "two")]
        for s in others:
            s.recv(9)
        check("a prompt scored beside other adapters", scores() == alone, True)
        for s in others:
            s.close()


def places():
    """A key's slots are counted over all models."""
    with tempfile.NamedTemporaryFile("w", suffix=".keys") as file:
        file.write("mia places=2\nowl\n")
        file.flush()
        with Server("--keys", file.name, "--model", "a=" + DRAFT, "--model", "b=" + DRAFT) as server:
            held = []
            for model in ("storyteller.gguf", "a", "b"):
                s = server.raw(request(PLAIN, dict(SHORT, model=model, max_tokens=900, chain="min_tokens:900,temp:1", stream=True), "Authorization: Bearer mia\r\n"))
                held.append((s, s.recv(12)))
            check("two places are two of all models", [status for _, status in held], [b"HTTP/1.1 200"] * 2 + [b"HTTP/1.1 429"])
            check("another key's are its own", server.ask("POST", PLAIN, dict(SHORT, model="b"), {"Authorization": "Bearer owl"})[0], 200)
            for s, _ in held:
                s.close()


memory()
models()
gaps()
adapted()
places()
finish()
