"""watched.py - what the server shows of itself: the steps of a token, the pages of the KV cache, the scheduler, its own page."""
import concurrent.futures
import http.client
import math
import tempfile

from client import Server, check, finish

CHAT = [{"role": "user", "content": "Tell me a story about a brave owl named Mia."}]
CHAINS = ["greedy", "min_p:0.05,temp:0.8", "dry:0.8:base=2,penalties:rep=1.2:last=32,top_k:40,temp:1", "xtc:0.5,temp:1.2", "min_tokens:30,top_p:0.9,temp:1",
          "length:1.05:start=10,temp:1", "regex:[a-zA-Z .]{40%2C80},temp:1", "top_n_sigma:1,gumbel"]


def answer(server, chain, **fields):
    """Ids and text of an answer, and the text of each of its tokens."""
    status, data = server.post("/v1/chat/completions", dict({"messages": CHAT, "seed": 7, "chain": chain, "max_tokens": 24, "logprobs": True}, **fields))
    assert status == 200, data
    tokens = data["choices"][0]["logprobs"]["content"]
    return [t["id"] for t in tokens], data["choices"][0]["message"]["content"]


def steps(server, chain, ids=None, **fields):
    body = dict({"messages": CHAT, "seed": 7, "chain": chain}, **fields)
    if ids is not None:
        body["answer_tokens"] = ids
    return server.post("/strata/steps", body)


def tokens(server):
    for chain in CHAINS:
        ids, text = answer(server, chain)
        half = len(ids) // 2
        places = [0, 1, half, len(ids) - 1]
        got = [steps(server, chain, ids[:i])[1]["chosen"]["id"] for i in places]
        check("each token is drawn again, " + chain, got, [ids[i] for i in places])
        rest, tail = answer(server, chain, answer_tokens=ids[:half], max_tokens=24 - half)
        check("the rest of an answer follows its beginning, " + chain, (rest, text.endswith(tail)), (ids[half:], True))
    with concurrent.futures.ThreadPoolExecutor(8) as many:
        ids, _ = answer(server, CHAINS[1])
        got = list(many.map(lambda i: steps(server, CHAINS[1], ids[:i])[1]["chosen"]["id"], range(len(ids))))
    check("so it is among many", got, ids)
    plain = server.post("/v1/completions", {"prompt": "Once upon", "seed": 3, "max_tokens": 12, "logprobs": 0, "chain": "temp:1"})[1]["choices"][0]["text"]
    begin = server.post("/tokenize", {"content": " a time"})[1]["tokens"]
    got = server.post("/v1/completions", {"prompt": "Once upon", "answer_tokens": begin, "seed": 3, "max_tokens": 12 - len(begin), "chain": "temp:1"})[1]["choices"][0]["text"]
    check("a completion goes on from tokens, too", plain.startswith(" a time"), plain == " a time" + got)


def stages(server):
    status, data = steps(server, "top_k:30,min_p:0.05,temp:0.8", watch=[5])
    check("a stage for each, and the model", (status, [s["stage"] for s in data["stages"]]), (200, ["model", "top_k", "min_p", "temp", "draw"]))
    check("all probability is told", all(abs(sum(t["prob"] for t in s["tokens"]) + s["rest"]["prob"] - 1) < 1e-6 for s in data["stages"]))
    check("all tokens are counted", all(len(s["tokens"]) + s["rest"]["count"] == s["left"] for s in data["stages"]))
    check("top_k leaves its number", (data["stages"][0]["left"], data["stages"][1]["left"]), (data["vocab"], 30))
    check("the likeliest come first", all([t["logit"] for t in s["tokens"]] == sorted((t["logit"] for t in s["tokens"]), reverse=True) for s in data["stages"]))
    check("a watched token is listed", 5 in [t["id"] for t in data["stages"][0]["tokens"]])
    tops = server.post("/v1/chat/completions", {"messages": CHAT, "max_tokens": 1, "logprobs": True, "top_logprobs": 20})[1]["choices"][0]["logprobs"]["content"][0]["top_logprobs"]
    check("before the chain they are the logprobs", all(abs(math.log(t["prob"]) - u["logprob"]) < 1e-4 and t["id"] == u["id"] for t, u in zip(data["stages"][0]["tokens"], tops)))
    cut = {t["id"]: t["prob"] for t in data["stages"][2]["tokens"]}
    check("min_p is what it says", min(cut.values()) >= 0.05 * max(cut.values()) - 1e-6)
    check("the chain is told in whole", data["chain"], "top_k:30,min_p:0.05,temp:0.8,draw")
    long = {"prompt": "Once upon a time there was a brave owl. " * 16}
    again = [server.post("/strata/steps", long)[1] for _ in range(2)]
    check("a second click finds its prompt in the cache, and the same", again[1]["cached"] > 128 and again[0]["stages"] == again[1]["stages"])


def refusals(server):
    for path, fields, wanted in (
            ("/strata/steps", {"messages": CHAT, "watch": list(range(33))}, "watch"), ("/strata/steps", {"messages": CHAT, "watch": [-1]}, "watch"),
            ("/strata/steps", {"messages": CHAT, "answer_tokens": [10 ** 6]}, "answer_tokens"), ("/strata/steps", {"messages": CHAT, "answer_tokens": "a"}, "answer_tokens"),
            ("/strata/steps", {"messages": CHAT, "answer_tokens": [5], "chain": "mirostat:3"}, "answer_tokens"),
            ("/v1/completions", {"prompt": "a", "answer_tokens": [5], "chain": "adaptive_p:0.5"}, "answer_tokens"),
            ("/v1/completions", {"prompt": "a", "answer_tokens": [5], "chain": "arithmetic:0.5"}, "answer_tokens"),
            ("/v1/completions", {"prompt": "a", "answer_tokens": [5], "negative": "b", "chain": "cfg:2,temp:1"}, "answer_tokens"),
            ("/strata/steps", {"messages": CHAT, "prompt": "a"}, "prompt"), ("/strata/steps", {"prompt": ["a", "b"]}, "prompt"), ("/strata/steps", {}, "prompt"),
            ("/strata/steps", {"messages": CHAT, "stream": True}, "stream"), ("/strata/steps", {"messages": CHAT, "max_tokens": 3}, "max_tokens"),
            ("/v1/completions", {"prompt": "a", "watch": [3]}, "watch"), ("/strata/steps", {"prompt": "a", "chain": "top_q:3"}, "chain"),
            ("/strata/steps", {"prompt": "a", "answer_tokens": [5] * 5000}, None)):
        status, data = server.post(path, fields)
        check("refused: %s, %.60s" % (path, wanted or "too long"), (status, data["error"]["param"] or None), (400, wanted))
    status, data = steps(server, "regex:[0-9]+,regex:[a-z]+,temp:1")
    check("a chain that leaves nothing is named", (status, "no text obeys both regex" in data["error"]["message"]), (400, True))


def pages(server):
    prompt = "Once upon a time there was a brave owl. " * 16
    seen = []
    with concurrent.futures.ThreadPoolExecutor(1) as other:
        while not seen:
            running = other.submit(server.post, "/v1/completions", {"prompt": prompt, "n": 4, "max_tokens": 700, "chain": "min_tokens:700,temp:1"})
            while not running.done():
                m = server.get("/strata/pages")[1]
                if len(m["sequences"]) == 4 and m["sequences"][0]["pages"][0][1] > 4:
                    seen.append(m)
    m = seen[-1]
    tables = [[p for p, _ in s["pages"]] for s in m["sequences"]]
    held = [p["page"] for p in m["prefixes"]]
    check("answers to one prompt share its pages, and no others", len({t[0] for t in tables}) == 1 and len({t[-1] for t in tables}) == 4)
    check("references are those who name a page", all(sum(t.count(p) for t in tables) + held.count(p) == n for s in m["sequences"] for p, n in s["pages"]))
    check("as many pages as positions need", all((s["length"] + 63) // 64 == len(s["pages"]) for s in m["sequences"]))
    used = {p for t in tables for p in t} | set(held)
    check("the others are free", m["pages"] - len(used), m["free"])
    server.wait_idle()
    m = server.get("/strata/pages")[1]
    check("after the last answer only prefixes hold pages", m["sequences"] == [] and all(p["references"] == 1 for p in m["prefixes"]))


def schedule(server):
    log = server.get("/strata/schedule")[1]
    first = log["next"]
    status, data = server.post("/v1/completions", {"prompt": "The owl and the fox went", "n": 3, "max_tokens": 20, "chain": "min_tokens:20,temp:1"})
    log = server.get("/strata/schedule/%d" % first)[1]
    jobs = [j for s in log["steps"] for j in s["jobs"]]
    check("steps are numbered", [s["step"] for s in log["steps"]], list(range(first, log["next"])))
    check("no batch is larger than it may be", all(sum(j[2] for j in s["jobs"]) <= log["budget"] for s in log["steps"]))
    check("three answers come in, and end", ([j[5] for j in jobs].count("in"), [j[5] for j in jobs].count("end")), (3, 3))
    check("each ends with its tokens", sorted(j[6] for j in jobs if j[5] == "end"), [20, 20, 20])
    read = sum(j[2] for j in jobs if j[1] in ("prompt", "answer"))
    found = sum(j[3] for j in jobs)
    check("what is read and found is what was asked and written", read + found, 3 * data["usage"]["prompt_tokens"] + 3 * 19)
    check("from steps to come nothing is told twice", server.get("/strata/schedule/%d" % log["next"])[1]["steps"], [])
    check("of a server before this one all is told", len(server.get("/strata/schedule/999999999")[1]["steps"]), min(1024, log["next"]))
    for path in ("/strata/schedule/x", "/strata/schedule/", "/strata/schedule/-1", "/strata/schedule/99999999999999999999"):
        check("no such path: " + path, server.get(path)[0], 404)


def page(server):
    for path, kind in (("/", "text/html"), ("/ui/page.css", "text/css"), ("/ui/look.css", "text/css"), ("/ui/page.js", "text/javascript"),
                       ("/ui/token.js", "text/javascript"), ("/ui/scheduler.js", "text/javascript")):
        status, head, body = server.ask("GET", path)
        policy = head["Content-Security-Policy"]
        check("the page's own " + path, (status, head["Content-Type"].split(";")[0], len(body) > 500), (200, kind, True))
        check("it may run and ask nothing foreign", "default-src 'none'" in policy and "script-src 'self';" in policy and "unsafe" not in policy)
        check("and names no other host", b"http://" not in body.replace(b"http://www.w3.org/2000/svg", b"") and b"https://" not in body)
    check("a file that it does not have", server.get("/ui/x.js")[0], 404)


def keys():
    with tempfile.NamedTemporaryFile("w", suffix=".keys") as file:
        file.write("one\ntwo\n")
        file.flush()
        with Server("--places", "2", "--keys", file.name) as server:
            for method, path in (("POST", "/strata/steps"), ("GET", "/strata/pages"), ("GET", "/strata/schedule"), ("GET", "/strata/schedule/0")):
                body = {"messages": CHAT} if method == "POST" else None
                check("a key is needed: " + path, server.ask(method, path, body)[0], 401)
                check("with one it is told: " + path, server.ask(method, path, body, {"Authorization": "Bearer two"})[0], 200)
            check("the page needs none, to ask for it", (server.get("/")[0], server.get("/ui/page.js")[0]), (200, 200))
            foreign = server.ask("POST", "/strata/steps", {"messages": CHAT}, {"Authorization": "Bearer two", "Origin": "http://example.com"})[0]
            check("another site's page may not", foreign, 403)


def broken_off(server):
    """A client that leaves does not keep the worker."""
    for _ in range(8):
        connection = http.client.HTTPConnection(server.host, server.port)
        connection.request("POST", "/strata/steps", '{"prompt": "' + "owl " * 300 + '"}', {"Content-Type": "application/json"})
        connection.close()
    load = server.wait_idle()
    check("all pages are given back", (load["running"], load["pages_free"]), (0, load["pages"]))


with Server("--places", "4", "--queue", "24") as common:
    for part in (tokens, stages, refusals, pages, schedule, page, broken_off):
        part(common)
keys()
finish()
