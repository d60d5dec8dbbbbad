"""attacks.py - what a server on the open net meets, threat by threat, and what must come of it."""
import concurrent.futures
import json
import re
import socket
import struct
import subprocess
import tempfile
import threading
import time

from client import MODEL, SLOW, STRATA, Server, check, finish, read_all, request

PLAIN, CHAT = "/v1/completions", "/v1/chat/completions"
SAID = [{"role": "user", "content": "Hi"}]
SHORT = {"prompt": "Once upon a time", "max_tokens": 5, "seed": 1}


def status_of(data):
    return int(data.split(b" ", 2)[1]) if data.startswith(b"HTTP/") else data


def refused(server, name, body, param=None, path=PLAIN, status=400, word=""):
    got, data = server.post(path, body)
    error = data.get("error", {}) if isinstance(data, dict) else {}
    fine = got == status and error.get("message") and word in error["message"] and (param is None or error["param"] == param)
    check(name, bool(fine) or (got, data))


def metric(server, name):
    text = server.ask("GET", "/metrics")[2].decode()
    return float([line for line in text.splitlines() if line.startswith("strata_" + name + " ")][0].split()[1])


# ---------------------------------------------------------------- connections


def connections():
    with Server("--connections", "8", "--per-address", "9", "--patience", "1") as server:
        held = [server.raw() for _ in range(8)]
        ninth = server.raw(b"GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        ninth.settimeout(20 * SLOW)
        check("one more than --connections waits", status_of(read_all(ninth)), 200)
        check("those who say nothing are cut off", [read_all(s) for s in held], [b""] * 8)
        status = server.get("/health")[0]
        check("and make room", status, 200)
        s = server.raw(b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n")
        check("who has asked once and stays is cut off, too", status_of(read_all(s)), 200)
        s = server.raw(b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n" * 300 + b"GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        check("three hundred requests in one breath", read_all(s).count(b'{"status":"ok"}'), 301)


def others_go(server):
    """Who leaves takes nobody with him."""
    body = {"prompt": "The fox", "max_tokens": 200, "seed": 9, "chain": "min_tokens:200,temp:1"}
    alone = server.post(PLAIN, body)[1]["choices"][0]["text"]

    def leave(_):
        s = server.raw(request(PLAIN, dict(body, stream=True, seed=1)))
        s.recv(100)
        s.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        s.close()

    with concurrent.futures.ThreadPoolExecutor(8) as many:
        mine = many.submit(lambda: server.post(PLAIN, body)[1]["choices"][0]["text"])
        list(many.map(leave, range(12)))
        check("others hang up: my answer is what it was", mine.result(), alone)
    load = server.wait_idle()
    check("and their pages are free", load["pages_free"], load["pages"])


# ---------------------------------------------------------------- names and paths


def paths(server):
    for path in ("/../../etc/passwd", "/..%2f..%2fetc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "/%c0%ae%c0%ae/x", "//", "/.git/config", "/page.html",
                 "/%00", "/health%00", "/%00/../health", "/v1/models%00", "/v1/models/%2e%2e/x", "/health/", "/HEALTH", "/v1//models", "/health%20", "/\\health"):
        check("no file, no other name: " + path, server.get(path)[0], 404)
    check("a name may be written with escapes", server.get("/v1/models/storyteller%2Egguf")[0], 200)
    check("what follows a ? is nothing", server.get("/health?x=%00")[0], 200)


def own_page():
    """Who may have a browser ask."""
    for origin in ("foo", "example.com", "https://", "https://a.example/", "https://a.example/x", "*", "https://*", "://a", "https://a b"):
        got = subprocess.run([STRATA, "serve", "-m", MODEL, "--port", "0", "--origin", origin], capture_output=True, text=True, timeout=60)
        check("--origin " + origin, (got.returncode, "wanted scheme://host" in got.stderr), (1, True))
    with Server("--origin", "http://a.example:8080") as server:
        for origin, wanted in (("http://a.example:8080", 200), ("http://a.example", 403), ("https://a.example:8080", 403), ("http://a.example:8080.evil.example", 403), ("null", 403)):
            check("a page of %s posts" % origin, server.ask("POST", PLAIN, SHORT, {"Origin": origin})[0], wanted)


def keys_stay_secret():
    with tempfile.NamedTemporaryFile("w", suffix=".keys") as file:
        file.write("a-very-secret-key\n")
        file.flush()
        process = subprocess.Popen([STRATA, "serve", "-m", MODEL, "--port", "0", "--keys", file.name], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        port = int(process.stdout.readline().rsplit(":", 1)[1])
        for key in ("a-very-secret-key", "a-very-secret-kex", "a-very-secret-key2"):
            s = socket.create_connection(("127.0.0.1", port))
            s.sendall(request(PLAIN, SHORT, "Authorization: Bearer %s\r\nConnection: close\r\n" % key))
            check("with the key %s" % key, status_of(read_all(s)), 200 if key == "a-very-secret-key" else 401)
        process.terminate()
        out, err = process.communicate(timeout=60)
        check("no part of a key is printed", "secret" in out + err, False)
        check("but the requests are", err.count("/v1/completions") >= 3, True)


# ---------------------------------------------------------------- bodies


def bodies(server):
    for body, key in ((b'{"prompt":"a","prompt":"b"}', "prompt"), (b'{"prompt":"a","top_k":1,"top_k":2}', "top_k"), (b'{"prompt":"a","max_tokens":1,"max_tok\\u0065ns":9}', "max_tokens")):
        refused(server, "a field that is there twice: " + key, body, key)
    refused(server, "a key of a message that is there twice", b'{"messages":[{"role":"user","role":"system","content":"x"}]}', "role", path=CHAT)
    refused(server, "fields in capitals are others", {"PROMPT": "a"}, "PROMPT")
    refused(server, "a name with a zero byte is another", b'{"prompt\\u0000":"a"}', None)
    for depth, status in ((60, 400), (100000, 400)):
        refused(server, "%d arrays in one another" % depth, b'{"prompt":' + b"[" * depth + b"]" * depth + b"}", status=status)
    refused(server, "a number of a thousand digits", b'{"prompt":"a","max_tokens":' + b"9" * 1000 + b"}", "max_tokens")
    check("a text with a zero byte is a text", server.post(PLAIN, {"prompt": "a\0b", "max_tokens": 1})[0], 200)
    for name, value in (("n_keep", -1), ("n_keep", 1e30), ("seed", 1e30), ("seed", "x"), ("max_tokens", 1e18), ("max_tokens", -2**63), ("n", 2**32), ("best_of", -1), ("priority", 2**31),
                        ("n_discard", -1), ("id_slot", -1), ("logprobs", -1), ("thinking_budget", 1e30), ("seconds", -1), ("seconds", 1e300)):
        refused(server, "%s: %s" % (name, value), dict({"prompt": "a"}, **{name: value}), name)
    for stage in ({"top_k": -5}, {"top_k": 1e30}, {"top_k": 0.5}, {"repeat_last_n": -2}, {"min_tokens": -1}, {"no_repeat": 1e30}, {"mirostat_v2": -1}, {"typical_p": 2}, {"tfs": -1},
                  {"allow": [99999]}, {"suppress": [-1]}, {"logit_bias": {"2048": 1}}, {"logit_bias": {"1": 1e300}}):
        refused(server, "a stage: %s" % json.dumps(stage), dict({"prompt": "a"}, **stage), word=next(iter(stage)).split("_p")[0] if "logit" not in str(stage) and "repeat" not in str(stage) else "")
    for name, value in (("top_p", "0.5"), ("top_p", [0.5]), ("top_p", False), ("top_p", 7), ("top_p", {"p": "0.5"}), ("top_p", {"q": 1}), ("min_p", "x"), ("top_k", 0.5), ("dry", {"mult": "1"}),
                        ("dry", {"mult": 1e9}), ("mirostat", {"tau": -1}), ("temperature", "1"), ("temperature", True), ("repeat_penalty", "1"), ("seed", 2**53 + 1), ("logit_bias", {"": None}), ("allow", [99999])):
        refused(server, "a sampler's type or range: %s %s" % (name, json.dumps(value)), {"prompt": "a", name: value}, name)
    for fields in ({"top_p": "off"}, {"top_p": None}, {"greedy": True}, {"dry": {"mult": 0.8, "break": ["x"]}}, {"seed": 2**53 - 1}):
        check("which goes: %s" % json.dumps(fields), server.post(PLAIN, dict({"prompt": "a", "max_tokens": 1}, **fields))[0], 200)
    status, data = server.post(CHAT, {"messages": SAID, "enable_thinking": True})
    check("thinking, of a model that has none", (status, data["error"]["param"]), (400, "enable_thinking"))
    check("nor has its template", server.post("/apply-template", {"messages": SAID, "enable_thinking": False})[0], 400)


def bombs(server):
    """What takes forever, or all memory, to read."""
    zeros = "[" + "0," * 500000 + "0]"
    for path, body in ((PLAIN, '{"metadata": %s}' % zeros), ("/v1/messages", '{"metadata": %s}' % zeros), ("/api/chat", zeros), ("/api/show", zeros),
                       (CHAT, json.dumps({"messages": [{"role": "assistant", "tool_calls": [{"function": {"name": "f", "arguments": zeros}}]}]}))):
        status, data = server.post(path, body)
        check("half a million values: %s" % path, (status, "more than 262144 values" in json.dumps(data) or "not JSON" in json.dumps(data)), (400, True))
    deep = {"type": "string"}
    for _ in range(100):
        deep = {"type": "object", "properties": {"a": deep}, "required": ["a"]}
    wide = {"$defs": {"a0": {"type": "string"}}, "$ref": "#/$defs/a20"}
    for i in range(20):
        wide["$defs"]["a%d" % (i + 1)] = {"type": "array", "prefixItems": [{"$ref": "#/$defs/a%d" % i}] * 8, "minItems": 8, "items": False}
    loop = {"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}}
    schemas = [("references in a ring", loop), ("a schema in a schema, a hundred deep", deep), ("twenty doublings of eight", wide), ("a pattern of parentheses", {"type": "string", "pattern": "(" * 20000}),
               ("a pattern of repetitions", {"type": "string", "pattern": "((a{1,1000}){1,1000}){1,1000}"}), ("a million items", {"type": "array", "minItems": 1000000, "items": {"type": "integer"}}),
               ("a long enum", {"enum": [str(i) * 20 for i in range(5000)]}), ("its own part", {"allOf": [{"$ref": "#"}]}), ("not itself", {"not": {"$ref": "#"}})]
    for name, schema in schemas:
        began = time.time()
        status = server.post(PLAIN, {"prompt": "a", "max_tokens": 4, "json_schema": schema})[0]
        check("a schema: " + name, status in (200, 400) and time.time() - began < 20 * SLOW)
    for name, text in (("grammar", 'root ::= ("a"{1000}){1000}{1000}'), ("regex", "((a{1000}){1000}){1000}")):
        began = time.time()
        check("a thousand times a thousand: " + name, server.post(PLAIN, {"prompt": "a", "max_tokens": 4, name: text})[0] in (200, 400) and time.time() - began < 20 * SLOW)
    for name, text in (("nothing", ""), ("itself", "root ::= root"), ("itself, around a corner", 'root ::= a\na ::= root "x"'), ("parentheses", "root ::= " + "(" * 60000), 
                       ("a hundred thousand times", 'root ::= "a"{1,100000}'), ("another notation", '%llguidance {}\nstart: "a"'), ("no such rule", "root ::= nothing"), ("a zero byte", 'root ::= "\0"')):
        refused(server, "a grammar: " + name, {"prompt": "a", "grammar": text}, word="grammar")
    for name, text in (("parentheses", "(" * 60000), ("brackets", "[" * 5000), ("looks back", "(?<=a)b" * 3 + "\\1"), ("a backslash", "\\")):
        refused(server, "a pattern: " + name, {"prompt": "a", "regex": text}, word="regex")
    check("after all of that it answers", server.post(PLAIN, SHORT)[0], 200)


def types(server):
    """A field of another type than the stage's parameter, and whose field an error is."""
    for name, value, word in (("regex", 5, "wanted a text"), ("regex", ["a"], "wanted a text"), ("regex", {"a": 1}, "wanted a text"), ("choice", {"a": 1}, "wanted a text"), ("ban", {"a": "b"}, "wanted a text"), ("allow", {"5": 1}, "wanted a number"), ("grammar", 5, "wanted a text"), ("choice", ["yes", 5], "wanted a text"), ("ban", 5, "wanted a text"),
                              ("ban", ["fox", 5], "wanted a text"), ("top_k", "40", "wanted a number"), ("allow", ["5"], "wanted a number"), ("dry", {"mult": "0.8"}, "wanted a number"),
                              ("dry", {"mult": 0.8, "break": 5}, "wanted a text"), ("regex", "(", "regex: "), ("json_schema", {"type": 5}, "json_schema: "), ("top_k", -5, "top_k: ")):
        refused(server, "%s: %s" % (name, json.dumps(value)), {"prompt": "a", name: value}, name, word=word)
    refused(server, "a schema in a format", {"prompt": "a", "response_format": {"type": "json_schema", "json_schema": {"name": "x", "schema": {"type": 5}}}}, "response_format", word="json_schema: ")
    refused(server, "an alias", {"prompt": "a", "top_p": 0.5, "dry_base": 2, "dry_multiplier": 2, "dry_allowed_length": 0.5}, "dry_allowed_length")
    status, answer = server.post(PLAIN, {"prompt": "a", "tags": {"triggers": ["<"], "structures": [5]}})
    check("tags say once where an error is", (status, answer["error"]["param"], answer["error"]["message"].count("tags")), (400, "tags", 1))


def megabytes(server):
    """Long texts are refused by their bytes, before they are tokenized; many values, before a stage looks through them."""
    long, many = "a" * 3900000, 150000
    for name, path, body, param in (("a prompt", PLAIN, {"prompt": long}, "prompt"), ("a message", CHAT, {"messages": [{"role": "user", "content": long}]}, "messages"),
                                    ("a negative prompt", PLAIN, {"prompt": "a", "cfg": 1.5, "negative": long}, "negative"), ("a text to tokenize", "/tokenize", {"content": long}, "content"),
                                    ("one to embed", "/v1/embeddings", {"input": long}, "input"), ("biases of long texts", PLAIN, {"prompt": "a", "logit_bias": [["a" * 4000, 1]] * 900}, "logit_bias"),
                                    ("biases", PLAIN, {"prompt": "a", "chain": "bias:" + ":".join(["1=1"] * many) + ",draw"}, None), ("bans", PLAIN, {"prompt": "a", "ban": ["a%d" % i for i in range(many)]}, None),
                                    ("tokens to suppress", PLAIN, {"prompt": "a", "suppress": [1] * many}, None), ("breakers", PLAIN, {"prompt": "a", "dry_multiplier": 1, "dry_sequence_breakers": ["b"] * many}, None)):
        began = time.monotonic()
        refused(server, "megabytes: " + name, body, param, path=path)
        check("and at once", time.monotonic() - began < 3 * SLOW)
    code = server.post(PLAIN, {"prompt": long})[1]["error"]["code"]
    check("with the code of a prompt that is too long", code, "context_length_exceeded")
    refused(server, "a negative prompt longer than the context", {"prompt": "a", "cfg": 1.5, "negative": "a b" * 2000}, "negative")


def contradictions(server):
    """What a request forbids is the request's fault: clients come again after a 5xx."""
    for name, fields, word in (("two languages", {"grammar": 'root ::= "x"', "regex": "y"}, "grammar, regex"), ("a grammar and JSON", {"grammar": 'root ::= "x"', "json": True}, "grammar, json"),
                               ("a format and a pattern", {"regex": "y", "response_format": {"type": "json_object"}}, "regex, response_format"),
                               ("a choice that is banned", {"choice": "yes|yeah", "banned_strings": ["y"]}, "choice, banned_strings"), ("in a chain", {"chain": "choice:yes,regex:no,draw"}, "chain")):
        refused(server, "a contradiction, " + name, dict({"prompt": "a"}, **fields), word.split(", ")[0], word=word)
        if "banned" not in word:
            continue  # refused before the stream begins
        events = server.events(PLAIN, dict({"prompt": "a"}, **fields))
        check("in a stream it says so", (events[-1]["error"]["type"], events[-1]["error"]["param"]), ("invalid_request_error", word.split(", ")[0]))


def fetches_nothing(server):
    trap = socket.create_server(("127.0.0.1", 0))
    trap.settimeout(0.3)
    url = "http://127.0.0.1:%d/x.png" % trap.getsockname()[1]
    for part in ({"type": "image_url", "image_url": {"url": url}}, {"type": "input_audio", "input_audio": {"data": url}}, {"type": "file", "file": {"file_id": "file:///etc/passwd"}}):
        refused(server, "a part of the type " + part["type"], {"messages": [{"role": "user", "content": [part]}]}, "messages", path=CHAT)
    refused(server, "a schema from elsewhere", {"prompt": "a", "json_schema": {"$ref": url}})
    for name in ("grammar", "json_schema", "tags"):
        refused(server, "a file for " + name, {"prompt": "a", name: "@/etc/passwd"})
    try:
        trap.accept()
        came = True
    except socket.timeout:
        came = False
    check("nothing was fetched", came, False)


def bytes_that_are_no_text(server):
    pieces = server.post("/tokenize", {"content": "\U0001F989", "with_pieces": True})[1]["tokens"]
    first = pieces[0]["id"]
    body = {"prompt": "a", "max_tokens": 3, "logprobs": 0, "logit_bias": [[first, 1000]], "temperature": 0}
    status, data = server.post(PLAIN, body)
    check("bytes that are no character become U+FFFD", (status, data["choices"][0]["text"]), (200, "\ufffd" * 3))
    said = server.post(CHAT, {"messages": SAID, "max_tokens": 1, "logprobs": True, "logit_bias": [[first, 1000]], "temperature": 0})[1]["choices"][0]
    check("their logprobs have the bytes", said["logprobs"]["content"][0]["bytes"], [0xF0])
    whole = dict(body, logprobs=None, max_tokens=len(pieces), logit_bias=None, force=None, choice="\U0001F989")
    events = server.events(PLAIN, whole)
    check("no piece of a stream is half a character", [c["text"] for e in events[:-1] for c in e["choices"] if c["text"]], ["\U0001F989"])


# ---------------------------------------------------------------- shared prompts


def shared_pages(server):
    """n and best_of: the prompt is read once, and its pages are there once."""
    for i, (fields, answers) in enumerate((({"n": 4}, 4), ({"best_of": 4}, 1), ({"best_of": 4, "n": 2}, 2))):
        prompt = "Number %d: " % i + "the fox and the owl were friends and " * 24
        tokens = len(server.post("/tokenize", {"content": prompt})[1]["tokens"]) + 1
        page = 64
        whole = (tokens - 1) // page * page
        before = metric(server, "prefix_hit_tokens_total")
        most, done = [0], threading.Event()

        def watch():
            while not done.is_set():
                load = server.load()
                most[0] = max(most[0], (load["pages"] - load["pages_free"]) / load["layers"])

        watcher = threading.Thread(target=watch)
        watcher.start()
        status, data = server.post(PLAIN, dict({"prompt": prompt, "max_tokens": 400, "seed": 3, "chain": "min_tokens:400,temp:1"}, **fields))
        done.set()
        watcher.join()
        check("%s: so many answers" % fields, (status, len(data["choices"]), data["usage"]["completion_tokens"]), (200, answers, 1600))
        check("three of four find the prompt there", metric(server, "prefix_hit_tokens_total") - before >= 3 * whole, True)
        check("its pages are there once", whole // page < most[0] <= whole // page + 4 * (400 // page + 2), True)  # four times would be 12 more
        check("the prompt counts once", data["usage"]["prompt_tokens"], tokens)


def best(server):
    body = {"prompt": "Once upon a time", "max_tokens": 12, "seed": 5, "logprobs": 0}
    status, data = server.post(PLAIN, dict(body, n=6))

    def mean(choice):
        p = choice["logprobs"]["token_logprobs"]
        return sum(p) / len(p)

    ranked = sorted(data["choices"], key=mean, reverse=True)
    status, data = server.post(PLAIN, dict(body, best_of=6, n=2))
    check("best_of: the likeliest come, in their order", [(c["index"], c["text"]) for c in data["choices"]], [(i, c["text"]) for i, c in enumerate(ranked[:2])])
    status, data = server.post(PLAIN, dict(body, best_of=6, logprobs=None))
    check("and without logprobs", (data["choices"][0]["text"], data["choices"][0]["logprobs"]), (ranked[0]["text"], None))
    refused(server, "best_of below n", dict(body, n=3, best_of=2), "best_of")
    refused(server, "best_of in a stream", dict(body, best_of=2, stream=True), "best_of")
    refused(server, "more than there are places", dict(body, best_of=100), "best_of")
    refused(server, "best_of in a chat", {"messages": SAID, "best_of": 2}, "best_of", path=CHAT)


with Server("--places", "4", "--queue", "12") as main:
    for part in (others_go, paths, bodies, bombs, types, megabytes, contradictions, fetches_nothing, bytes_that_are_no_text, shared_pages, best):
        part(main)
    idle = main.wait_idle()
    check("all pages are given back", idle["pages_free"], idle["pages"])
connections()
own_page()
keys_stay_secret()
finish()
