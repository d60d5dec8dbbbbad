#!/usr/bin/env python3
"""serve.py - a server whose n-th call for memory fails while it answers: the request gets its answer, or 500 or 503 with a
sentence, and the next one is answered as ever.

    serve.py [--seconds S]      for each kind of request (5)
"""
import http.client
import itertools
import json
import os
import random
import re
import sys
import tempfile
import time

import run

sys.path.insert(0, os.path.join(run.HERE, "..", "server"))
import client  # noqa: E402

TALK = {"messages": [{"role": "user", "content": "Hi"}], "max_tokens": 4, "temperature": 0}
SCHEMA = {"type": "json_schema", "json_schema": {"name": "a", "schema": {"$comment": "COUNT", "type": "object", "properties": {"a": {"enum": [1, 2]}}, "required": ["a"]}}}
REQUESTS = {
    "models": ("/v1/models", None),
    "completion": ("/v1/completions", {"prompt": "Once upon", "max_tokens": 4, "temperature": 0}),
    "two of them, log-probabilities": ("/v1/completions", {"prompt": "Once", "max_tokens": 3, "n": 2, "seed": 1, "logprobs": 2, "stop": ["fox"]}),
    "chat": ("/v1/chat/completions", TALK),
    "chat, as events": ("/v1/chat/completions", dict(TALK, stream=True)),
    "samplers": ("/v1/completions", {"prompt": "Once", "max_tokens": 3, "seed": 1, "chain": "dry:1,no_repeat:3,top_k:9,temp:0.7"}),
    "embeddings": ("/v1/embeddings", {"input": "the fox"}),
    "tokenize": ("/tokenize", {"content": "the fox"}),
    "a schema": ("/v1/chat/completions", dict(TALK, max_tokens=20, response_format=SCHEMA)),
    "a grammar in its text": ("/v1/completions", {"prompt": "Once", "max_tokens": 9, "seed": 1, "grammar": 'root ::= ("a" [b-d]{2,9} | "once" [^"]* "." | root2)*\nroot2 ::= "(" root ")" # COUNT'}),
    "banned texts": ("/v1/completions", {"prompt": "Once", "max_tokens": 9, "seed": 1, "banned_strings": ["the", "a", "once"]}),
}


count = itertools.count()


def ask(server, path, body):
    """Status and body; -1 where the server hung up.  COUNT is another number each time, so that no grammar is in the cache."""
    connection = http.client.HTTPConnection(server.host, server.port, timeout=30)
    try:
        connection.request("GET" if body is None else "POST", path, None if body is None else json.dumps(body).replace("COUNT", str(next(count))), {"Content-Type": "application/json"})
        response = connection.getresponse()
        return response.status, response.read().decode()
    except (http.client.HTTPException, OSError) as reason:
        return -1, repr(reason)
    finally:
        connection.close()


def plain(text):
    """Without what differs from answer to answer; of events only their text and whether they came to their end."""
    if text.startswith("data: "):
        whole = text.rstrip().endswith("[DONE]")
        return "".join(re.findall(r'"content":"(.*?)"', text)), whole
    parts = []
    for line in text.splitlines():
        try:
            value = json.loads(line)
        except ValueError:
            parts.append(line)
            continue
        for key in ("id", "created", "usage", "timings", "system_fingerprint"):
            if isinstance(value, dict):
                value.pop(key, None)
        parts.append(value)
    return parts


def is_refusal(status, text):
    if status in (500, 503):
        return '"error"' in text or text == ""
    return status == 200 and ('"error"' in text or (text.startswith("data: ") and "[DONE]" not in text))  # events had begun


class Walk:
    """One kind of request, again and again."""

    def __init__(self, start, state):
        self.start, self.state, self.server = start, state, None

    def living(self):
        if self.server and self.server.process.poll() is not None:
            self.errors = self.server.process.stderr.read()
            self.server = None
        if not self.server:
            self.state.arm(0, 0)
            self.server = self.start()
        return self.server

    def walk(self, name, seconds):
        path, body = REQUESTS[name]
        tally = run.Tally(name)
        for _ in range(3):  # the first fill caches
            self.state.arm(0, 0)
            status, text = ask(self.living(), path, body)
            tally.calls = self.state.calls()
        if status != 200:
            tally.wrong.append("%s: undisturbed: %s %s" % (name, status, text[:300]))
            return tally
        good, begin = plain(text), time.time()
        numbers = list(range(1, tally.calls + 3))
        random.Random(name).shuffle(numbers)
        for n in numbers:
            self.state.arm(n, n)
            got, text = ask(self.living(), path, body)
            if not self.state.failed():
                continue
            tally.tried += 1
            call = "%s: %s %d of %d: " % (name, self.state.name(), n, tally.calls)
            if got == 200 and plain(text) == good:
                tally.unharmed += 1
            elif got == -1 or is_refusal(got, text):
                tally.refused += 1
            else:
                tally.wrong.append(call + "%s %s" % (got, text[:300]))
            self.state.arm(0, 0)
            time.sleep(0.002)
            if self.server.process.poll() is not None:
                said, status = self.server.process.stderr.read(), self.server.process.returncode
                tally.wrong.append(call + "the server ended: status %s, %s" % (status, said[-200:]))
                continue
            got, text = ask(self.server, path, body)
            if got != 200 or plain(text) != good:
                tally.wrong.append(call + "the next answer: %s %s" % (got, text[:300]))
            if time.time() - begin > seconds:
                break
        return tally


def main():
    seconds = float(sys.argv[2]) if sys.argv[1:2] == ["--seconds"] else 5
    run.build()
    with tempfile.TemporaryDirectory() as folder:
        state = run.State(os.path.join(folder, "state"), run.MEMORY)
        os.environ.update(LD_PRELOAD=run.OBJECT, FAIL_STATE=state.path)
        walk = Walk(client.Server, state)
        tallies = [walk.walk(name, seconds) for name in REQUESTS]
        walk.server and walk.server.stop()
    sys.exit(run.report("requests, memory", tallies) > 0)


if __name__ == "__main__":
    main()
