"""restart.py - strata serve --prefixes: milliseconds to the first token of a request with long instructions, before and after the
server was started again, with its prefixes and without.  Medians of ROUNDS; MODEL and SENTENCES (of the instructions) change it."""
import json
import os
import re
import statistics
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "server"))
from client import MODEL, STRATA, Server, request

ROUNDS = int(os.environ.get("ROUNDS", 3))
INSTRUCTIONS = "The lighthouse keeper counted ships, and wrote them into a book. " * int(os.environ.get("SENTENCES", 50))


def first(server, question):
    """Milliseconds, and the whole text."""
    body = {"prompt": INSTRUCTIONS + question, "max_tokens": 16, "seed": 1, "stream": True}
    begin = time.perf_counter()
    s = server.raw(request("/v1/completions", body, "Connection: close\r\n"))
    data, took = b"", None
    while True:
        piece = s.recv(65536)
        data += piece
        if took is None and re.search(rb'"text":"[^"]', data):
            took = 1000 * (time.perf_counter() - begin)
        if not piece:
            return took, "".join(json.loads(line[6:])["choices"][0]["text"] for line in data.decode().splitlines() if line.startswith("data: {"))


def main():
    if not os.path.exists(STRATA + "-serve"):
        print("nothing is measured: strata serve was not built (libmicrohttpd)")
        return True
    model, rows = os.environ.get("MODEL", MODEL), {}
    for _ in range(ROUNDS):
        with tempfile.TemporaryDirectory() as folder:
            for name, options in (("no server before", ["--prefixes", folder]), ("started again, with its prefixes", ["--prefixes", folder]), ("started again, without", [])):
                server = Server(*options, model=model)
                rows.setdefault(name, []).append(first(server, "Once"))
                rows.setdefault(name + ", second question", []).append(first(server, "Every day"))
                server.stop()
    texts = {name.endswith("question"): set() for name in rows}
    for name, row in rows.items():
        texts[name.endswith("question")] |= {text for _, text in row}
        print("%8.1f ms   %s" % (statistics.median(took for took, _ in row), name))
    print("the texts are the same" if all(len(t) == 1 for t in texts.values()) else "THE TEXTS DIFFER")
    return all(len(t) == 1 for t in texts.values())


if __name__ == "__main__":
    sys.exit(0 if main() else 1)
