"""soak.py - minutes of a thousand clients of every kind; then the server is as it was.

    tests/server/soak.sh SECONDS        with a server that is built under sanitizers: SAN=1 or TSAN=1
"""
import base64
import os
import random
import socket
import struct
import subprocess
import sys
import threading
import time

from client import BUILD, SLOW, Server, check, finish, read_all, request

PLAIN, CHAT, STEPS = "/v1/completions", "/v1/chat/completions", "/strata/steps"
SECONDS, CLIENTS = float(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 1000
counts, lock = {}, threading.Lock()


def body(r):
    fields = {"prompt": "Once upon a time " * r.randrange(1, 30), "max_tokens": r.randrange(1, 120), "seed": r.randrange(1000)}
    more = [{"n": 3}, {"stream": True}, {"stream": True, "n": 2, "logprobs": 5}, {"stop": [" the", "a"]}, {"temperature": 0}, {"banned_strings": ["the", "fox"]},
            {"response_format": {"type": "json_object"}}, {"chain": "mirostat_v2:5"}, {"priority": 3}, {"seconds": 0.5}, {"echo": True, "logprobs": 2}, {"prompt": 5},
            {"chain": "nonsense"}, {"chain": "cfg:1.5", "negative": "a fox"}, {"regex": "[a-z ]{40}"}, {"best_of": 4, "n": 2},
            {"grammar": 'root ::= "x"', "regex": "y"}, {}]
    return dict(fields, **r.choice(more))


def talk(r):
    """A request for a chat that calls a tool."""
    card = {"type": "object", "properties": {"to": {"type": "integer"}}, "required": ["to"], "additionalProperties": False}
    return {"messages": [{"role": "user", "content": "Count."}], "max_tokens": r.randrange(1, 80), "stream": r.random() < 0.5, "tool_choice": r.choice(["auto", "required"]),
            "tools": [{"type": "function", "function": {"name": "count", "parameters": card}}]}


def look(r):
    """A request that shows pictures, some of which others show, too."""
    picture = lambda: base64.b64encode(b"P6 4 4 255 " + bytes([r.randrange(60)] * 48)).decode()
    parts = [{"type": "image_url", "image_url": {"url": "data:image/x-portable-pixmap;base64," + picture()}} for _ in range(r.randrange(1, 4))]
    return {"messages": [{"role": "user", "content": parts + [{"type": "text", "text": "What is it?"}]}], "max_tokens": r.randrange(1, 60), "stream": r.random() < 0.5}


def open_token(r):
    """A request of the page, whose user clicks a token; some click what is not there."""
    return dict({"prompt": "Once upon a time " * r.randrange(1, 30), "seed": r.randrange(1000)},
                **r.choice([{"answer_tokens": [5, 6, 7]}, {"chain": "dry:0.8,top_k:5", "watch": [1, 2]}, {"answer_tokens": [10 ** 7]}, {}]))


def one(server, r):
    """A client, of some kind; what it got."""
    path, asked = r.choice([(CHAT, talk), (CHAT, look), (STEPS, open_token)] + 6 * [(PLAIN, body)])
    data = request(path, asked(r), "Connection: close\r\n")
    s = server.raw()
    kind = r.randrange(8)
    if kind == 0:  # cut somewhere
        s.sendall(data[:r.randrange(len(data))])
        time.sleep(r.random() / 2)
    elif kind == 1:  # gone at once, or soon
        s.sendall(data)
        time.sleep(r.choice([0, 0, 0.01, 0.3]))
        s.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", r.randrange(2), 0))
    elif kind == 2:  # noise
        s.sendall(r.randbytes(r.randrange(1, 3000)))
        s.shutdown(socket.SHUT_WR)
    elif kind == 3:  # damaged
        at = r.randrange(len(data))
        s.sendall(data[:at] + r.randbytes(3) + data[at + 3:])
        s.shutdown(socket.SHUT_WR)
        return read_all(s)[9:12] or b"cut"
    elif kind == 4:  # a part of the answer is read, slowly
        s.sendall(data)
        s.settimeout(5)
        for _ in range(5):
            s.recv(100)
            time.sleep(0.05)
    else:
        s.sendall(data)
        if r.randrange(2):
            s.shutdown(socket.SHUT_WR)
        return read_all(s)[9:12] or b"cut"
    s.close()
    return b"left"


def client(server, seed, until):
    r = random.Random(seed)
    time.sleep(r.random() * 5)
    while time.time() < until:
        try:
            got = one(server, r)
        except OSError:
            got = b"error"
        with lock:
            counts[got] = counts.get(got, 0) + 1
        time.sleep(r.random())


def memory(server):
    with open("/proc/%d/status" % server.process.pid) as file:
        return [int(line.split()[1]) for line in file if line.startswith("VmRSS")][0]


EYE = os.path.join(BUILD, "soak-eye.gguf")
subprocess.run([os.path.join(BUILD, "tests", "families"), "clip", "width:256", EYE], check=True)
with Server("--mmproj", EYE, "--places", "8", "--queue", "200", "--connections", str(CLIENTS + 24), "--patience", "5") as server:
    alone = server.post(PLAIN, {"prompt": "Once upon a time", "max_tokens": 100, "seed": 1})[1]["choices"][0]["text"]
    until = time.time() + SECONDS
    threads = [threading.Thread(target=client, args=(server, seed, until)) for seed in range(CLIENTS)]
    for t in threads:
        t.start()
    texts = set()
    while time.time() < until:
        status, data = server.post(PLAIN, {"prompt": "Once upon a time", "max_tokens": 100, "seed": 1}, timeout=300)
        if status == 200:
            texts.add(data["choices"][0]["text"])
        time.sleep(1)
    for t in threads:
        t.join()
    print("[%s; %d MB]" % (", ".join("%s %d" % (k.decode("latin-1"), n) for k, n in sorted(counts.items())), memory(server) // 1000))
    check("whoever asked the same got the same", texts, {alone})
    check("answers were given", counts.get(b"200", 0) > 0)
    check("none failed", counts.get(b"500", 0), 0)
    load = server.wait_idle(60)
    check("all pages are given back", (load["pages_free"], load["running"], load["waiting"]), (load["pages"], 0, 0))
finish()
