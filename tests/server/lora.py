"""lora.py - adapters that requests choose: each text is that of `strata generate --adapter`, whatever shares its batches; cached
prefixes are not shared between adapters."""
import random
import subprocess
import threading

from adapters import adapters
from client import MODEL, STRATA, Server, check, finish, generate

PLAIN, CHAT = "/v1/completions", "/v1/chat/completions"
PROMPT = "Once upon a time there was"


def text(server, **fields):
    status, data = server.post(PLAIN, dict({"prompt": PROMPT, "max_tokens": 40, "seed": 7, "chain": "temp:0.9"}, **fields))
    return data["choices"][0]["text"] if status == 200 else data


def said(*options):
    return generate("-p", PROMPT, "-n", "40", "--seed", "7", "--chain", "temp:0.9", *options)[len(PROMPT):]


CHOICES = [{}, {"model": "one"}, {"model": "two"}, {"lora": [{"id": 0, "scale": 0.5}]}, {"lora": [{"id": "one", "scale": 1}, {"id": 1, "scale": -1}]}, {"lora": [{"id": 1, "scale": 0}]}, {"lora": []}]


def choices(server, one, two):
    wanted = [said(), said("--adapter", one), said("--adapter", two), said("--adapter", one + "=0.5"), said("--adapter", one, "--adapter", two + "=-1")]
    check("the adapters change the text", len(set(wanted)), 5)
    wanted += [wanted[0]] * 2
    alone = [text(server, **choice) for choice in CHOICES]
    check("each text is that of strata generate --adapter", alone, wanted)
    check("the same prompt with another adapter finds no prefix", [text(server, **choice) for choice in reversed(CHOICES)], list(reversed(wanted)))
    before = cached(server, {"model": "one"})
    check("but with the same one it does", (before > 0, cached(server, {"model": "two"}) > 0), (True, True))
    return wanted


def cached(server, choice):
    body = dict({"prompt": "The fox ran over the hill and " * 20, "max_tokens": 1}, **choice)
    first, second = [server.post(PLAIN, body)[1]["usage"]["prompt_tokens_details"]["cached_tokens"] for _ in range(2)]
    check("a new prompt is not found, %s" % choice, first, 0)
    return second


def together(server, wanted):
    """Forty at a time, of all kinds."""
    r, got = random.Random(5), []

    def one(k):
        got.append((k, text(server, **CHOICES[k])))

    threads = [threading.Thread(target=one, args=(r.randrange(len(CHOICES)),)) for _ in range(40)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    check("batches of texts with different adapters: each as it is alone", [g for g in got if g[1] != wanted[g[0]]], [])
    steps = server.get("/load")[1]
    check("and they did share batches", steps["steps"] < steps["tokens"])


def other_routes(server, one):
    body = {"messages": [{"role": "user", "content": "Tell me a story."}], "max_tokens": 20, "temperature": 0}
    plain, other = [server.post(CHAT, dict(body, **more))[1] for more in ({}, {"model": "one"})]
    check("a chat", (plain["choices"][0]["message"]["content"] != other["choices"][0]["message"]["content"], other["model"]), (True, "one"))
    content = other["choices"][0]["message"]["content"]
    data = server.post("/v1/messages", {"model": "one", "messages": body["messages"], "max_tokens": 20, "temperature": 0})[1]
    check("anthropic", (data["content"][0]["text"], data["model"]), (content, "one"))
    data = server.post("/v1/responses", {"model": "one", "input": "Tell me a story.", "max_output_tokens": 20, "temperature": 0})[1]
    check("responses", (data["output"][0]["content"][0]["text"], data["model"]), (content, "one"))
    data = server.post("/api/chat", {"model": "one:latest", "messages": body["messages"], "stream": False, "options": {"num_predict": 20, "temperature": 0}})[1]
    check("ollama", (data["message"]["content"], data["model"]), (content, "one"))
    scores = [server.post(PLAIN, dict({"prompt": PROMPT, "max_tokens": 0, "echo": True, "logprobs": 0}, **more))[1]["choices"][0]["logprobs"]["token_logprobs"] for more in ({}, {"model": "one"}, {})]
    check("a prompt is scored with its adapter", (scores[0] == scores[2], scores[0] != scores[1]), (True, True))
    check("counting, tokens, loading", [server.post(path, dict(more, model="one"))[0] for path, more in (("/v1/messages/count_tokens", {"messages": body["messages"]}), ("/tokenize", {"content": "a"}), ("/apply-template", {"messages": body["messages"]}), ("/api/chat", {"messages": []}))], [200] * 4)
    check("but vectors are the model's own", server.post("/v1/embeddings", {"input": "a", "model": "one"})[0], 404)
    told = server.post("/strata/steps", {"prompt": PROMPT, "seed": 7, "chain": "temp:0.9", "model": "one"})
    check("the page's route takes one, too", told[0], 200)


def lists(server):
    check("models", [(m["id"], m.get("parent")) for m in server.get("/v1/models")[1]["data"]], [("storyteller.gguf", None), ("one", "storyteller.gguf"), ("two", "storyteller.gguf")])
    check("one of them", server.get("/v1/models/two")[1]["parent"], "storyteller.gguf")
    check("adapters", server.get("/lora-adapters"), (200, [{"id": i, "name": n, "path": n + ".gguf", "scale": 0} for i, n in enumerate(("one", "two"))]))
    check("ollama's tags", [m["name"] for m in server.get("/api/tags")[1]["models"]], ["storyteller.gguf", "one", "two"])
    check("and show", server.post("/api/show", {"model": "two"})[0], 200)
    for lora in ([{"id": 2, "scale": 1}], [{"id": 0}], [{"id": "x", "scale": 1}], [{"id": 0, "scale": "1"}], [{"id": 0, "scale": 1}, {"id": "one", "scale": 1}], [5], [{"id": 0, "scale": 1, "x": 1}], 5):
        status, data = server.post(PLAIN, {"prompt": "a", "lora": lora})
        check("refused: %s" % lora, (status, data["error"]["param"]), (400, "lora"))
    status, data = server.post(PLAIN, {"prompt": "a", "model": "one", "lora": [{"id": 1, "scale": 1}]})
    check("refused: twice", (status, data["error"]["param"]), (400, "lora"))
    check("another model", server.post(PLAIN, {"prompt": "a", "model": "three"})[0], 404)


def starts(one):
    for options, word in ((["--lora", one], "NAME=FILE"), (["--lora", "a=" + one, "--lora", "a=" + one], "taken"), (["--lora", "storyteller.gguf=" + one], "taken"), (["--lora", "a=" + MODEL], "--lora")):
        got = subprocess.run([STRATA, "serve", "-m", MODEL, "--port", "0", *options], capture_output=True, text=True, timeout=60)
        check("it does not start: %s" % word, (got.returncode, word in got.stderr), (1, True))
    with Server() as server:
        check("without any", (server.get("/lora-adapters")[1], server.post(PLAIN, {"prompt": "a", "lora": [{"id": 0, "scale": 1}]})[0], server.post(PLAIN, {"prompt": "a", "max_tokens": 1, "lora": []})[0]), ([], 400, 200))


with adapters() as (one, two):
    with Server("--places", "8", "--lora", "one=" + one, "--lora", "two=" + two) as server:
        wanted = choices(server, one, two)
        together(server, wanted)
        other_routes(server, one)
        lists(server)
    starts(one)
finish()
