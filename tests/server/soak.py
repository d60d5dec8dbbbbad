"""soak.py - minutes of a thousand clients of every kind and dialect; known answers are checked, and then the server is as it was.

    tests/server/soak.sh SECONDS        with a server that is built under sanitizers: SAN=1 or TSAN=1
"""
import base64
import http.client
import os
import random
import socket
import struct
import subprocess
import sys
import threading
import time

from adapters import adapters
from client import BUILD, SLOW, Server, check, finish, read_all, request, storyteller_with_middles
from forms import QWEN
from known import ALSO, Known

PLAIN, CHAT, STEPS = "/v1/completions", "/v1/chat/completions", "/strata/steps"
SECONDS, CLIENTS = float(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 1000
counts, wrong, lock = {}, [], threading.Lock()


def body(r):
    fields = {"prompt": "Once upon a time " * r.randrange(1, 30), "max_tokens": r.randrange(1, 120), "seed": r.randrange(1000)}
    more = [{"n": 3}, {"stream": True}, {"stream": True, "n": 2, "logprobs": 5}, {"stop": [" the", "a"]}, {"temperature": 0}, {"banned_strings": ["the", "fox"]},
            {"response_format": {"type": "json_object"}}, {"chain": "mirostat_v2:5"}, {"priority": -3}, {"seconds": 0.5}, {"echo": True, "logprobs": 2}, {"prompt": 5},
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


def speak_ollama(r):
    """A request in Ollama's words, some of them wrong."""
    options = {"num_predict": r.randrange(1, 80), "seed": r.randrange(1000), "top_k": r.choice([-1, 5, "x"]), "stop": ["a"]}
    more = [{"messages": [{"role": "user", "content": "Count."}], "format": r.choice(["json", {"type": "integer"}, 5])}, {"messages": talk(r)["messages"], "tools": talk(r)["tools"]}, {"messages": 5}]
    return dict({"stream": r.random() < 0.7, "options": options}, **r.choice(more))


def speak_anthropic(r):
    """A request in Anthropic's words, some of them wrong."""
    card, said = talk(r)["tools"][0]["function"], r.choice(["Count.", [{"type": "text", "text": "Count."}], [{"type": "tool_result", "tool_use_id": "x", "content": "5"}], [{"type": "x"}]])
    return dict({"max_tokens": r.randrange(1, 80), "stream": r.random() < 0.7, "system": "Be brief.", "messages": [{"role": "user", "content": said}]},
                **r.choice([{}, {"tools": [{"name": r.choice(["count", "a b"]), "input_schema": card["parameters"]}], "tool_choice": {"type": r.choice(["any", "auto", "x"])}}, {"thinking": 5}]))


def speak_responses(r):
    """A request for a response, some of them wrong."""
    card, said = talk(r)["tools"][0]["function"], r.choice(["Count.", [{"role": "user", "content": "Count."}], [{"type": "function_call", "call_id": "x", "name": "count", "arguments": "{}"}, {"type": "function_call_output", "call_id": "x", "output": "5"}], [{"type": "x"}]])
    return dict({"max_output_tokens": r.randrange(1, 80), "stream": r.random() < 0.7, "input": said},
                **r.choice([{}, {"tools": [dict(card, type="function")], "tool_choice": r.choice(["required", "auto", "x"])}, {"reasoning": {"effort": "low"}}, {"previous_response_id": "x"}]))


def embed(r):
    return {"input": r.choice(["Once", ["Once", "upon"], [5, 6], 5]), "pooling": r.choice(["mean", "last", "x"])}


def words(r):
    return r.choice([{"content": "Once upon"}, {"content": 5}, {"tokens": [5]}])


ASKED = [(CHAT, talk), (CHAT, look), (STEPS, open_token), ("/api/chat", speak_ollama), ("/api/generate", lambda r: {"prompt": "Once", "raw": r.random() < 0.5, "options": {"num_predict": r.randrange(80)}}),
         ("/v1/messages", speak_anthropic), ("/v1/messages/count_tokens", speak_anthropic), ("/v1/responses", speak_responses), ("/infill", lambda r: {"input_prefix": "a", "input_suffix": "b"}), ("/completion", lambda r: {"prompt": "Once", "n_predict": 20, "stream": r.random() < 0.5}), ("/v1/embeddings", embed), ("/api/embed", embed), ("/v1/rerank", lambda r: {"query": "x", "documents": ["y"]}), ("/tokenize", words), ("/detokenize", words)]
LOOKED_AT = ["/props", "/slots", "/api/ps", "/api/tags", "/metrics", "/load", "/strata/pages", "/strata/schedule", "/v1/models", "/"]


def in_chunks(data, r):
    """The same request, its body in chunks, one of them perhaps wrong."""
    head, rest = data.split(b"\r\n\r\n", 1)
    head = b"\r\n".join(line for line in head.split(b"\r\n") if not line.startswith(b"Content-Length"))
    cut = r.randrange(len(rest))
    ends = r.choice([b"0\r\n\r\n", b"0\r\nX: y\r\n\r\n", b"-1\r\n", b"ffffffffffffffff\r\n", b"0;x=y\r\n\r\n"])
    return head + b"\r\nTransfer-Encoding: chunked\r\n\r\n" + b"".join(b"%x\r\n%s\r\n" % (len(p), p) for p in (rest[:cut], rest[cut:]) if p) + ends


def one(server, r):
    """A client, of some kind; what it got."""
    path, asked = r.choice(ASKED + len(ASKED) * [(PLAIN, body)])
    data = request(path, asked(r), "Connection: close\r\n")
    if r.randrange(10) == 0:
        data = ("GET %s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n" % r.choice(LOOKED_AT)).encode()
    elif r.randrange(8) == 0:
        data = in_chunks(data, r)
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


def known_one(server, known, r):
    """One of the requests whose answers are known."""
    difference = known.one(server, r)
    with lock:
        if difference:
            wrong.append(difference)
    return b"known"


def client(server, known, reader, also, seed, until):
    r = random.Random(seed)
    time.sleep(r.random() * 5)
    while time.time() < until:
        try:
            kind = r.randrange(12)
            got = known_one(reader, also, r) if kind == 0 else known_one(server, known, r) if kind < 5 else one(server, r)
        except (OSError, http.client.HTTPException):
            got = b"error"
        with lock:
            counts[got] = counts.get(got, 0) + 1
        time.sleep(r.random())


def taken(server):
    """Memory in MB, and open files."""
    with open("/proc/%d/status" % server.process.pid) as file:
        memory = [int(line.split()[1]) for line in file if line.startswith("VmRSS")][0]
    return memory // 1024, len(os.listdir("/proc/%d/fd" % server.process.pid))


def soak(server, reader):
    known, also = Known(server), Known(reader, ALSO)
    check("what is known is answered", [k for k, a in zip(known.asked, known.alone) if a[0] != 200 and k[0] not in ("/v1/rerank", "/v1/responses")], [])
    files = taken(server)[1]
    until = time.time() + SECONDS
    threads = [threading.Thread(target=client, args=(server, known, reader, also, seed, until)) for seed in range(CLIENTS)]
    for t in threads:
        t.start()
    time.sleep(max(SECONDS / 3, 1))
    early = [taken(server)[0] for _ in range(20) if not time.sleep(SECONDS / 60)]
    for t in threads:
        t.join()
    load = server.wait_idle(60)
    time.sleep(6 * SLOW ** 0.5)  # connections without a request are closed after --patience
    memory, open_files = taken(server)
    print("[%s; %d to %d MB, then %d; %d files, then %d]" % (", ".join("%s %d" % (k.decode("latin-1"), n) for k, n in sorted(counts.items())), min(early), max(early), memory, files, open_files))
    check("each text is the same as alone", wrong[:3], [])
    check("answers were given", (counts.get(b"200", 0) > 0, counts.get(b"known", 0) > 0), (True, True))
    check("none failed", counts.get(b"500", 0), 0)
    check("all pages are given back", (load["pages_free"], load["running"], load["waiting"]), (load["pages"], 0, 0))
    check("files are closed again", open_files, files)
    check("memory does not grow", memory < 1.25 * max(early) + 32 or (memory, early))


EYE, READER, FORM = (os.path.join(BUILD, "soak-" + name) for name in ("eye.gguf", "reader.gguf", "form"))
with open(FORM, "w") as file:
    file.write(QWEN)
subprocess.run([os.path.join(BUILD, "tests", "families"), "clip", "width:256", EYE], check=True)
subprocess.run([os.path.join(BUILD, "tests", "families"), "bert", "wordpiece scores:1", READER], check=True)
ROOM = ["--queue", "200", "--connections", str(CLIENTS + 24), "--per-address", str(CLIENTS + 24), "--patience", "5"]
with storyteller_with_middles() as marked, adapters() as (one_file, two_file), Server(*ROOM, model=READER) as reading:
    with Server("--mmproj", EYE, "--places", "8", "--form", "@" + FORM, "--lora", "one=" + one_file, "--lora", "two=" + two_file, *ROOM, model=marked.name) as writing:
        soak(writing, reading)
finish()
