"""infill.py - the text between two others: /v1/completions with a suffix, Ollama's generate and llama.cpp's /infill, and what else its programs ask for."""
import json
import subprocess

from client import STRATA, Server, check, finish, generate, storyteller_with_middles

PLAIN = "/v1/completions"
SHORT = {"max_tokens": 8, "seed": 3, "temperature": 0.8}


def streamed(server, path, body):
    data = server.ask("POST", path, dict(body, stream=True))[2].decode()
    return [json.loads(line[6:]) for line in data.split("\n\n")[:-1]]


def middles(server, model):
    before, behind = "Mia was <fim_middle>a", " owl. "
    wanted = subprocess.run([STRATA, "generate", "-m", model, "--quiet", "--prefix", before, "--suffix", behind, "-n", "8", "--seed", "3", "--chain", "temp:0.8,draw", "--no-prompt"], capture_output=True, check=True).stdout.decode()[:-1]
    status, data = server.post(PLAIN, dict(SHORT, prompt=before, suffix=behind))
    check("a suffix: what strata generate says", (status, data["choices"][0]["text"]), (200, wanted))
    native = {"n_predict": 8, "seed": 3, "temperature": 0.8}
    status, got = server.post("/infill", dict(native, input_prefix=before, input_suffix=behind))
    check("infill", (status, got["content"], got["stop"], got["stop_type"], got["tokens_predicted"], got["tokens_evaluated"]), (200, wanted, True, "limit", 8, data["usage"]["prompt_tokens"]))
    check("its prompt is the end of its prefix", server.post("/infill", dict(native, input_prefix="Mia was ", prompt="<fim_middle>a", input_suffix=behind, cache_prompt=True, input_extra=[]))[1]["content"], wanted)
    extra = server.post("/infill", dict(native, input_prefix="She", input_suffix=behind, input_extra=[{"filename": "a.txt", "text": "Once."}]))[1]
    check("other files come first", extra["content"], server.post(PLAIN, dict(SHORT, prompt="a.txt\nOnce.\n\nShe", suffix=behind))[1]["choices"][0]["text"])
    pieces = streamed(server, "/infill", dict(native, input_prefix=before, input_suffix=behind))
    check("streamed", ("".join(p["content"] for p in pieces), [p["stop"] for p in pieces[-2:]], pieces[-1]["stop_type"]), (wanted, [False, True], "limit"))
    local = server.post("/api/generate", {"prompt": before, "suffix": behind, "stream": False, "options": {"num_predict": 8, "seed": 3, "temperature": 0.8}})[1]
    check("ollama: a suffix", local["response"], wanted)
    for path, body, param in ((PLAIN, {"prompt": ["a", "b"], "suffix": "c"}, "prompt"), (PLAIN, {"prompt": "a", "suffix": 5}, "suffix"), ("/infill", {"input_prefix": "a"}, "input_suffix"), ("/infill", {"input_suffix": "a"}, "input_prefix"),
                              ("/infill", {"input_prefix": "a", "input_suffix": "b", "input_extra": [5]}, "input_extra"), ("/infill", {"input_prefix": "a", "input_suffix": "b", "x": 1}, "x"), ("/infill", {"input_prefix": "a", "input_suffix": "b", "n": 2}, "n")):
        status, data = server.post(path, body)
        check("refused: %s" % json.dumps(body), (status, data["error"]["param"]) if status == 400 else (status, data), (400, param))


def without_marks(server):
    status, data = server.post(PLAIN, dict(SHORT, prompt="a", suffix="b"))
    check("a model that knows no middles", (status, data["error"]["param"], "cannot fill in the middle" in data["error"]["message"]), (400, "suffix", True))


def completion(server):
    body = {"prompt": "Once upon", "n_predict": 9, "seed": 3, "temperature": 0.8}
    wanted = generate("-p", "Once upon", "-n", "9", "--seed", "3", "--chain", "temp:0.8,draw", "--no-prompt")
    status, got = server.post("/completion", body)
    check("llama.cpp's completion", (status, got["content"], got["stop_type"], got["timings"]["predicted_n"]), (200, wanted, "limit", 9))
    check("streamed", "".join(p["content"] for p in streamed(server, "/completion", body)), wanted)
    whole = server.post("/completion", {"prompt": "Once upon", "seed": 3, "stop": ["."]})[1]
    check("without a limit it goes on to its end", (whole["stop_type"], "." in whole["content"]), ("word", False))
    check("several prompts", len(server.post("/completion", dict(body, prompt=["a", "b"]))[1]), 2)


def vectors(server):
    name = server.get("/v1/models")[1]["data"][0]["id"]
    wanted = [d["embedding"] for d in server.post("/v1/embeddings", {"input": ["a fox", "an owl"]})[1]["data"]]
    status, got = server.post("/api/embed", {"model": name + ":latest", "input": ["a fox", "an owl"], "keep_alive": "5m"})
    check("ollama: embed", (status, got["embeddings"], got["model"], got["prompt_eval_count"] > 0), (200, wanted, name, True))
    check("one text", server.post("/api/embed", {"model": name, "input": "a fox"})[1]["embeddings"], wanted[:1])
    long = "owl " * 1500
    check("what is too long is cut", (server.post("/api/embed", {"input": long})[0], server.post("/v1/embeddings", {"input": long, "truncate": True})[1]["usage"]["prompt_tokens"]), (200, 1024))
    for body, status, word in (({"input": long, "truncate": False}, 400, "1024"), ({"input": ""}, 400, "empty"), ({}, 400, "missing"), ({"input": "a", "x": 1}, 400, "'x'"), ({"model": "llama3", "input": "a"}, 404, "llama3"), (b"{", 400, "JSON")):
        got = server.post("/api/embed", body)
        check("refused: %.40r" % (body,), (got[0], word in got[1]["error"]), (status, True))
    check("rerank by its short name", server.post("/rerank", {"query": "a", "documents": ["b"]}), server.post("/v1/rerank", {"query": "a", "documents": ["b"]}))


with storyteller_with_middles() as marked, Server(model=marked.name) as coder:
    middles(coder, marked.name)
with Server() as main:
    without_marks(main)
    completion(main)
    vectors(main)
finish()
