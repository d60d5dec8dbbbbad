"""models.py - several models behind one port: found by name, loaded when asked for, unloaded when another one needs the room."""
import concurrent.futures
import os
import random
import re
import shutil
import tempfile
import threading
import time

import client
from client import MODEL, STRATA, Server, check, request

DRAFT = os.path.join(client.ROOT, "layer5_models", "models", "draft.gguf")
PLAIN = "/v1/completions"
ASKED = {"prompt": "Once upon a time", "max_tokens": 12, "temperature": 0}


def said(model):
    return client.subprocess.run([STRATA, "generate", "-m", model, "--quiet", "-p", ASKED["prompt"], "-n", "12", "--chain", "greedy", "--no-prompt"],
                                 capture_output=True, check=True).stdout.decode()[:-1]


def text(server, model):
    status, got = server.post(PLAIN, dict(ASKED, model=model))
    return got["choices"][0]["text"] if status == 200 else (status, got)


def states(server):
    return {m["id"]: m["status"]["value"] for m in server.get("/v1/models")[1]["data"]}


def until(what, seconds=20):
    end = time.time() + seconds * client.SLOW
    while not what() and time.time() < end:
        time.sleep(0.02)
    return bool(what())


def by_name(first, second):
    with Server("--model", "small=" + DRAFT) as server:
        name = "storyteller.gguf"
        check("listed, and not loaded", states(server), {name: "loaded", "small": "unloaded"})
        check("ollama's lists", [[m["name"] for m in server.get(path)[1]["models"]] for path in ("/api/tags", "/api/ps")], [[name, "small"], [name]])
        check("one of them", server.get("/v1/models/small")[1], {"id": "small", "object": "model", "created": 0, "owned_by": "strata", "status": {"value": "unloaded"}})
        check("without a name the first one answers", server.post(PLAIN, ASKED)[1]["choices"][0]["text"], first)
        check("and did not load another", states(server)["small"], "unloaded")
        check("each answers to its name", (text(server, "small"), text(server, name)), (second, first))
        check("both are loaded", (states(server), len(server.get("/api/ps")[1]["models"])), ({name: "loaded", "small": "loaded"}, 2))
        check("in Ollama's words", server.post("/api/generate", {"model": "small:latest", "prompt": ASKED["prompt"], "raw": True, "stream": False, "options": {"num_predict": 12, "temperature": 0}})[1]["model"], "small")
        check("in Anthropic's", server.post("/v1/messages", {"model": "small", "max_tokens": 4, "messages": [{"role": "user", "content": "Hi"}]})[1]["model"], "small")
        check("in a stream", server.events(PLAIN, dict(ASKED, model="small"))[0]["model"], "small")
        check("its own tokens", server.post("/tokenize", {"model": "small", "content": "fox"})[0], 200)
        for path, body in ((PLAIN, ASKED), ("/v1/chat/completions", {"messages": [{"role": "user", "content": "Hi"}]}), ("/v1/responses", {"input": "Hi"}), ("/v1/embeddings", {"input": "Hi"}),
                           ("/v1/messages", {"max_tokens": 2, "messages": [{"role": "user", "content": "Hi"}]}), ("/api/chat", {"messages": [{"role": "user", "content": "Hi"}]}), ("/api/show", {})):
            status, got = server.post(path, dict(body, model="gpt-4"))
            message = got["error"] if isinstance(got["error"], str) else got["error"]["message"]
            check("%s names those that there are" % path, (status, "gpt-4" in message, "storyteller.gguf, small" in message), (404, True, True))
        check("what is no JSON is refused as ever", server.post(PLAIN, b"{")[0], 400)
        check("a name that is no text", server.post(PLAIN, dict(ASKED, model=5))[0], 400)
        metrics = server.ask("GET", "/metrics")[2].decode()
        check("counts by model", all(re.search(r'^strata_answer_tokens_total\{model="%s"\} [1-9]' % m, metrics, re.M) for m in (re.escape(name), "small")))
        check("histograms, too", 'strata_answer_tokens_bucket{model="small",le="+Inf"}' in metrics)
        check("each name has one head", len(re.findall("^# TYPE strata_answer_tokens_total ", metrics, re.M)), 1)


def room_for_one(first, second):
    with Server("--alias", "big", "--model", "small=" + DRAFT, "--models", "1") as server:
        check("one leaves for the other", ([text(server, m) for m in ("small", "big", "small")], states(server)), ([second, first, second], {"big": "unloaded", "small": "loaded"}))
        check("what only looks loads nothing", (server.get("/slots")[0], server.get("/load")[0], server.get("/health")[0], server.get("/metrics")[0], states(server)["big"]), (503, 200, 200, 200, "unloaded"))
        check("no name: the first is loaded", (server.post(PLAIN, ASKED)[1]["choices"][0]["text"], states(server)["small"]), (first, "unloaded"))
        s = server.raw(request(PLAIN, dict(ASKED, max_tokens=400, min_tokens=400, stream=True, model="big")))
        check("a stream runs", s.recv(9), b"HTTP/1.1 ")
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            other = pool.submit(text, server, "small")
            stream = b""
            check("and is not unloaded while it runs", until(lambda: server.load()["running"] == 1) and not other.done())
            again = pool.submit(text, server, "big")
            while b"[DONE]" not in stream:
                stream += s.recv(65536)
            check("to its end", b'"finish_reason":"length"' in stream)
            s.close()
            check("then the other comes, and this one again", (other.result(), again.result()), (second, first))


def while_loading(first, second):
    with Server("--model", "small=" + DRAFT, "--model", "third=" + DRAFT, "--models", "2") as server:
        s = server.raw(request(PLAIN, dict(ASKED, max_tokens=100000, min_tokens=100000, context_shift=True, stream=True)))
        s.recv(9)
        check("others are loaded, and unloaded, while an answer runs", ([text(server, m) for m in ("small", "third")], server.load()["running"]), ([second, second], 1))
        s.close()
        check("the one used longest ago has left", states(server), {"storyteller.gguf": "loaded", "small": "unloaded", "third": "loaded"})


def failures(first, second, work):
    broken = os.path.join(work, "broken.gguf")
    with open(DRAFT, "rb") as file, open(broken, "wb") as cut:
        cut.write(file.read(20000))
    with Server("--model", "broken=" + broken) as server:
        for attempt in "once", "again":
            status, headers, got = server.ask("POST", PLAIN, dict(ASKED, model="broken"))
            check("what cannot be loaded is that request's error, " + attempt, (status, got["error"]["param"], "broken cannot be loaded" in got["error"]["message"]), (503, "model", True))
        check("the others do not mind", (text(server, "storyteller.gguf"), states(server)["broken"], server.get("/health")[0]), (first, "failed", 200))
        shutil.copy(DRAFT, broken + ".new"), os.rename(broken + ".new", broken)
        check("a file that was mended is loaded", (text(server, "broken"), states(server)["broken"]), (second, "loaded"))


def many(first, second, rounds=40):
    """Three names and room for two, asked at random by eight clients at once; some leave."""
    wanted = {"storyteller.gguf": first, "small": second, "third": second}
    with Server("--model", "small=" + DRAFT, "--model", "third=" + DRAFT, "--models", "2") as server:
        def visit(seed):
            name = random.Random(seed).choice(sorted(wanted))
            if seed % 7 == 0:
                server.raw(request(PLAIN, dict(ASKED, model=name, max_tokens=300))).close()
                return True
            if seed % 5 == 0:
                return server.get("/health")[0] == 200  # whatever is loaded or unloaded
            return text(server, name) == wanted[name]
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            check("asked at random, each answers as ever", all(pool.map(visit, range(rounds))))
        check("two are loaded, and idle", (until(lambda: list(states(server).values()).count("loaded") == 2), server.wait_idle()["running"]), (True, 0))


def ends_while_waiting():
    with Server("--model", "small=" + DRAFT, "--models", "1", "--drain", "1") as server:
        s = server.raw(request(PLAIN, dict(ASKED, max_tokens=100000, min_tokens=100000, context_shift=True, stream=True)))
        s.recv(9)
        got = []
        waiting = threading.Thread(target=lambda: got.append(server.post(PLAIN, dict(ASKED, model="small"))))
        waiting.start()
        time.sleep(1.5 * client.SLOW)
        server.process.terminate()
        waiting.join()
        check("SIGTERM ends the wait for a model", (got[0][0], "shutting down" in got[0][1]["error"]["message"]), (503, True))
        s.close()


def refused(work):
    for wrong, word in ((("--model", "small"), "NAME=FILE"), (("--model", "=x"), "NAME=FILE"), (("--model", "a=" + work + "/none.gguf"), "none.gguf"), (("--models", "2"), "needs --model"),
                        (("--model", "a=" + DRAFT, "--model", "a=" + DRAFT), "another model"), (("--alias", "a", "--model", "a=" + DRAFT), "another model"), (("--model", 'a"b=' + DRAFT), "quotes")):
        process = client.subprocess.run([STRATA, "serve", "-m", MODEL, "--port", "0", *wrong], capture_output=True, text=True, timeout=30)
        check("refused: " + " ".join(wrong)[:40], (process.returncode != 0, word in process.stderr), (True, True))


with tempfile.TemporaryDirectory() as folder:
    first, second = said(MODEL), said(DRAFT)
    by_name(first, second)
    room_for_one(first, second)
    while_loading(first, second)
    failures(first, second, folder)
    many(first, second)
    ends_while_waiting()
    refused(folder)
client.finish()
