"""api.py - the routes, their fields and their answers, as OpenAI's clients know them."""
import concurrent.futures
import json
import os
import re
import struct
import subprocess
import tempfile
import time

from client import BUILD, MODEL, STRATA, Server, check, finish, generate, request, storyteller_with

TEXT = "Once upon a time"
CHAIN = "top_p:0.9,temp:0.8"
CHAT = [{"role": "user", "content": "Tell me a story about a brave owl named Mia."}]


def completion(server, **fields):
    status, data = server.post("/v1/completions", dict({"prompt": TEXT, "max_tokens": 24, "seed": 1}, **fields))
    return data["choices"][0] if status == 200 else (status, data)


def text_of(server, **fields):
    choice = completion(server, **fields)
    return choice["text"] if isinstance(choice, dict) else choice


def joined(events, field):
    if field == "text":
        return "".join(c["text"] for e in events[:-1] for c in e["choices"])
    return "".join(c["delta"].get("content", "") for e in events[:-1] for c in e["choices"])


def same_text(server):
    for chain in ["greedy", CHAIN, "penalties:rep=1.3:last=16,top_k:20,temp:1.1", "mirostat_v2:5", "regex:[a-z ]{5%2C30},temp:1"]:
        alone = generate("-p", TEXT, "-n", "24", "--seed", "7", "--chain", chain, "--no-prompt")
        check("the text of strata generate, " + chain, text_of(server, chain=chain, seed=7), alone)
    alone = generate("--chat", "-p", CHAT[0]["content"], "-n", "40", "--seed", "3")
    status, data = server.post("/v1/chat/completions", {"messages": CHAT, "max_tokens": 40, "seed": 3})
    check("the chat's is that of generate --chat", (status, data["choices"][0]["message"]["content"]), (200, alone))
    with concurrent.futures.ThreadPoolExecutor(12) as many:
        got = list(many.map(lambda seed: text_of(server, seed=seed, max_tokens=30, chain=CHAIN), range(12)))
    alone = [generate("-p", TEXT, "-n", "30", "--seed", str(seed), "--chain", CHAIN, "--no-prompt") for seed in range(12)]
    check("the same among many", got, alone)


def shapes(server):
    status, data = server.post("/v1/chat/completions", {"messages": CHAT, "max_tokens": 5})
    check("a chat's answer", (status, data["object"], data["choices"][0]["finish_reason"], data["usage"]["completion_tokens"]),
          (200, "chat.completion", "length", 5))
    check("its id, model and fingerprint", bool(re.match(r"chatcmpl-[0-9a-f]{16}$", data["id"])) and data["model"] == "storyteller.gguf"
          and data["system_fingerprint"].startswith("strata-"))
    usage = data["usage"]
    check("its usage adds up", usage["total_tokens"], usage["prompt_tokens"] + usage["completion_tokens"])
    status, data = server.post("/v1/completions", {"prompt": [TEXT, "The fox"], "n": 2, "max_tokens": 4, "seed": 1})
    check("several prompts, several answers", [c["index"] for c in data["choices"]], [0, 1, 2, 3])
    check("usage sums all answers", data["usage"]["completion_tokens"], 16)
    check("answer j has seed + j", data["choices"][1]["text"], text_of(server, seed=2, max_tokens=4))
    ids = server.post("/tokenize", {"content": TEXT})[1]["tokens"]
    check("a prompt of tokens", text_of(server, prompt=[0] + ids), text_of(server))
    check("echo", text_of(server, echo=True), TEXT + text_of(server))
    check("max_tokens is 16 for completions", server.post("/v1/completions", {"prompt": TEXT})[1]["usage"]["completion_tokens"], 16)
    check("max_completion_tokens", server.post("/v1/chat/completions", {"messages": CHAT, "max_completion_tokens": 3})[1]["usage"]["completion_tokens"], 3)
    whole = text_of(server, max_tokens=60)
    stop = whole[20:26]
    cut = completion(server, max_tokens=60, stop=[stop, "never"])
    check("a stop string ends before itself", (cut["text"], cut["finish_reason"]), (whole[:whole.index(stop)], "stop"))
    for nothing in (None, []):
        check("stop %r" % nothing, text_of(server, stop=nothing), text_of(server))


def streams(server):
    body = {"messages": CHAT, "max_tokens": 30, "seed": 3, "stream_options": {"include_usage": True}}
    events = server.events("/v1/chat/completions", body)
    whole = server.post("/v1/chat/completions", {k: v for k, v in body.items() if k != "stream_options"})[1]
    check("the role comes first", events[0]["choices"][0]["delta"], {"role": "assistant", "content": ""})
    check("the end is [DONE]", events[-1], "[DONE]")
    check("usage before it, without choices", (events[-2]["choices"], events[-2]["usage"]["completion_tokens"]), ([], 30))
    check("else it is null", all(e["usage"] is None for e in events[:-2]))
    check("streamed text is the whole one", joined(events, "delta"), whole["choices"][0]["message"]["content"])
    reasons = [e["choices"][0]["finish_reason"] for e in events[:-2]]
    check("one finish_reason, in the last chunk", (reasons[-1], set(reasons[:-1])), ("length", {None}))
    check("whose delta is empty", events[-3]["choices"][0]["delta"], {})
    check("chunks are of one id", len({e["id"] for e in events[:-1]}), 1)
    events = server.events("/v1/completions", {"prompt": TEXT, "n": 3, "max_tokens": 20, "seed": 1})
    for i in range(3):
        mine = [c for e in events[:-1] for c in e["choices"] if c["index"] == i]
        check("answer %d of a stream" % i, "".join(c["text"] for c in mine), text_of(server, seed=1 + i, max_tokens=20))
        check("and its reason", [c["finish_reason"] for c in mine if c["finish_reason"]], ["length"])
    status, data = server.post("/v1/completions", {"prompt": TEXT, "stream_options": {"include_usage": True}})
    check("stream_options without stream", (status, data["error"]["param"]), (400, "stream_options"))


def logprobs(server):
    got = completion(server, logprobs=3, max_tokens=12)["logprobs"]
    check("completions: arrays of one length", {len(got[k]) for k in got}, {12})
    check("as many tops as asked for", {len(t) for t in got["top_logprobs"]}, {3})
    text = text_of(server, max_tokens=12)
    check("offsets are of the text", all(text[o:].startswith(t) for o, t in zip(got["text_offset"], got["tokens"])))
    both = completion(server, logprobs=3, max_tokens=12, echo=True)
    told = both["logprobs"]
    check("echo: the prompt's, too", ("".join(told["tokens"]), told["tokens"][-12:], told["token_logprobs"][-12:]), (both["text"], got["tokens"], got["token_logprobs"]))
    check("offsets are of all of it", all(both["text"][o:].startswith(t) for o, t in zip(told["text_offset"], told["tokens"])))
    again = completion(server, prompt=both["text"], logprobs=3, max_tokens=0, echo=True)
    check("a text that was generated is scored as it was", [round(x, 3) for x in again["logprobs"]["token_logprobs"]], [round(x, 3) for x in told["token_logprobs"]])
    ids = server.post("/tokenize", {"content": TEXT})[1]["tokens"]
    check("of given tokens the first has none", completion(server, prompt=ids, logprobs=0, max_tokens=1, echo=True)["logprobs"]["token_logprobs"][0], None)
    body = {"messages": CHAT, "max_tokens": 12, "seed": 3, "logprobs": True, "top_logprobs": 2}
    content = server.post("/v1/chat/completions", body)[1]["choices"][0]["logprobs"]["content"]
    check("chat: a list of tokens", (len(content), {len(c["top_logprobs"]) for c in content}), (12, {2}))
    check("bytes spell the token", all(bytes(c["bytes"]).decode() == c["token"] for c in content))
    check("the likeliest comes first", all(c["top_logprobs"][0]["logprob"] >= max(c["logprob"], c["top_logprobs"][1]["logprob"]) for c in content))
    events = server.events("/v1/chat/completions", body)
    streamed = [t for e in events[:-1] for c in e["choices"] if c["logprobs"] for t in c["logprobs"]["content"]]
    check("streamed they are the same", streamed, content)
    chunks = [c for e in events[:-1] for c in e["choices"] if c["logprobs"]]
    check("and come with their text", all("".join(t["token"] for t in c["logprobs"]["content"]) == c["delta"]["content"] for c in chunks))
    stop = text_of(server, max_tokens=40)[15:19]
    cut = completion(server, max_tokens=40, stop=stop, logprobs=0)
    check("no token of a stop string is told", "".join(cut["logprobs"]["tokens"]).startswith(cut["text"]) and
          cut["logprobs"]["text_offset"][-1] < len(cut["text"]))


def sampling(server):
    same = [
        ({"temperature": 0}, "temp:0"),
        ({"temperature": 0.7, "top_k": 40, "min_p": 0.1}, "temp:0.7,top_k:40,min_p:0.1"),
        ({"top_p": 0.5}, "top_p:0.5"),
        ({"frequency_penalty": 1.5, "presence_penalty": 0.5}, "penalties:freq=1.5:pres=0.5:last=-1"),
        ({"repetition_penalty": 1.3, "repeat_last_n": 20}, "penalties:rep=1.3:last=20"),
        ({"dry": {"mult": 0.8, "base": 2}, "temp": 1.1}, "dry:0.8:base=2,temp:1.1"),
        ({"dry_multiplier": 2, "dry_allowed_length": 1, "dry_sequence_breakers": [" a", "\n,:%"]}, "dry:2:allowed=1:break=%20a:break=%0A%2C%3A%25"),
        ({"dry": {"mult": 2, "allowed": 1, "break": ["e "]}}, "dry:2:allowed=1:break=e%20"),
        ({"xtc_probability": 0.5, "xtc_threshold": 0.2}, "xtc:0.5:t=0.2"),
        ({"mirostat_v2": 4}, "mirostat_v2:4"),
        ({"ban": [" a", "the"]}, "ban:%20a:the"),
        ({"min_tokens": 10, "temperature": 1}, "min_tokens:10,temp:1"),
        ({"logit_bias": {"300": -2, "301": 100}}, "bias:300=-2:301=100"),
        ({"choice": "yes|no, never"}, "choice:yes|no%2C never"),
        ({"top_n_sigma": 1.0, "top_k": None, "typical_p": 0.9}, "typical:0.9,top_n_sigma:1"),
        ({"grammar": "root ::= \"yes\" | \"no\""}, "grammar:root%20%3A%3A=%20\"yes\"%20|%20\"no\""),
    ]
    for fields, chain in same:
        check("%s is the chain %s" % (json.dumps(fields), chain), text_of(server, **fields), text_of(server, chain=chain))
    fox = server.post("/tokenize", {"content": " fox"})[1]["tokens"]
    pairs = [[t, False] for t in fox]
    check("a bias by text", text_of(server, logit_bias=[[" fox", False]], max_tokens=60), text_of(server, logit_bias=pairs, max_tokens=60))
    schema = {"type": "object", "properties": {"name": {"type": "string", "maxLength": 9}, "age": {"type": "integer"}},
              "required": ["name", "age"], "additionalProperties": False}
    got = text_of(server, max_tokens=80, response_format={"type": "json_schema", "json_schema": {"name": "x", "schema": schema, "strict": True}})
    check("response_format: a schema", set(json.loads(got)), {"name", "age"})
    got = completion(server, max_tokens=400, seed=4, response_format={"type": "json_object"}, top_k=3)
    check("response_format: an object", got["finish_reason"] == "length" or isinstance(json.loads(got["text"]), dict))


def banned(server):
    plain = text_of(server, max_tokens=60)
    check("what never comes changes nothing", text_of(server, max_tokens=60, banned_strings=["xylophone", "Zanzibar"]), plain)
    words = [w for w in re.findall(r"[A-Za-z]{4,}", plain)][:5]
    texts = words + [plain[7:11], "e s"]
    got = completion(server, max_tokens=60, banned_strings=texts, logprobs=2)
    check("no banned text comes", [t for t in texts if t in got["text"]], [])
    check("and its tokens spell it", "".join(got["logprobs"]["tokens"]), got["text"])
    events = server.events("/v1/completions", {"prompt": TEXT, "max_tokens": 60, "seed": 1, "banned_strings": texts})
    check("streamed it is the same", joined(events, "text"), got["text"])
    with concurrent.futures.ThreadPoolExecutor(8) as many:
        all_of = list(many.map(lambda seed: text_of(server, seed=seed, max_tokens=40, banned_strings=["the", "an"]), range(8)))
    check("the same among many", all_of, [text_of(server, seed=seed, max_tokens=40, banned_strings=["the", "an"]) for seed in range(8)])
    check("with a stop string", " " in completion(server, max_tokens=60, banned_strings=words[:1], stop=[" "])["text"], False)
    every = [chr(c) for c in range(97, 113)]
    check("sixteen letters at once", any(c in "abcdefghijklmnop" for c in text_of(server, banned_strings=every)), False)
    check("a chain that has no other way fails alone", server.post("/v1/completions", {"prompt": TEXT, "choice": "yes|yeah", "banned_strings": ["y"]})[0], 400)
    check("and the server goes on", text_of(server, max_tokens=60), plain)


def salts(server):
    """How many tokens of a prompt were there before: what somebody would learn by the time it takes."""
    prompt = "The lighthouse keeper counted ships, and wrote them into a book. " * 12

    def hits(ask):
        def count():
            lines = ask("GET", "/metrics")[2].decode().splitlines()
            return [int(line.split()[1]) for line in lines if line.startswith("strata_prefix_hit_tokens_total")][0]

        before = count()
        return lambda **fields: (ask("POST", "/v1/completions", dict({"prompt": prompt, "max_tokens": 4, "seed": 1}, **fields)),
                                 count() - before)

    def shares(ask, **fields):
        answer, n = hits(ask)(**fields)
        return answer[0], n > 0

    texts = {text_of(server, prompt=prompt, max_tokens=4, **f) for f in ({}, {"cache_salt": "a"}, {"cache_salt": "b"})}
    check("a salt changes no text", len(texts), 1)
    check("without salts prefixes are shared", shares(server.ask), (200, True))
    check("a salt's own are, too", shares(server.ask, cache_salt="a"), (200, True))
    check("those of another one are not", shares(server.ask, cache_salt="c"), (200, False))
    with tempfile.NamedTemporaryFile("w") as file:
        file.write("mia\nowl\n")
        file.flush()
        with Server("--places", "2", "--keys", file.name) as private:
            def by(key):
                return lambda method, path, body=None: private.ask(method, path, body, headers={"Authorization": "Bearer " + key})

            told = [shares(by(key), **f)[1] for key, f in (("mia", {}), ("mia", {}), ("owl", {}), ("owl", {}), ("mia", {"cache_salt": "a"}),
                                                           ("mia", {"cache_salt": "a"}), ("owl", {"cache_salt": "a"}))]
            check("each key has its own", told, [False, True, False, True, False, True, False])


def turns():
    """One place; mia asks eight things at once, owl one after that."""
    with tempfile.NamedTemporaryFile("w") as file, concurrent.futures.ThreadPoolExecutor(1) as beside:
        file.write("mia\nowl\n")
        file.flush()
        with Server("--places", "1", "--keys", file.name) as private:
            def by(key, n):
                body = {"prompt": [TEXT] * n, "max_tokens": 300, "chain": "suppress:0:2,temp:0.8"}
                return private.ask("POST", "/v1/completions", body, headers={"Authorization": "Bearer " + key})[0], time.monotonic()

            many = beside.submit(by, "mia", 8)
            while private.ask("GET", "/load", headers={"Authorization": "Bearer owl"})[2]["waiting"] == 0 and not many.done():
                pass
            one, mia = by("owl", 1), many.result()
            check("who asks once need not wait for all of another key", (one[0], mia[0], one[1] < mia[1]), (200, 200, True))


def shifts():
    endless = "suppress:0:2,temp:0.8"
    with Server("--places", "2", "--ctx", "192") as short:
        alone = generate("-p", TEXT, "-n", "400", "--seed", "5", "--chain", endless, "--no-prompt", "--ctx", "192", "--shift")
        with concurrent.futures.ThreadPoolExecutor(3) as many:
            got = list(many.map(lambda seed: completion(short, chain=endless, seed=seed, max_tokens=400, context_shift=True), (5, 6, 5)))
        check("a full context shifts, the same among many", [got[0]["text"], got[2]["text"], got[0]["finish_reason"]], [alone, alone, "length"])
        check("without, it ends", len(text_of(short, chain=endless, seed=5, max_tokens=400)) < len(alone))
        for name, fields, word in (("without an end", {"max_tokens": None, "messages": CHAT}, "needs max_tokens"), ("n_keep alone", {"n_keep": 5, "context_shift": None}, "n_keep: needs context_shift"),
                                   ("nothing left to cut", {"n_keep": 100}, "too short to shift"), ("with banned texts", {"banned_strings": ["a"]}, "banned texts")):
            chat = "messages" in fields
            ask = dict({"max_tokens": 5, "context_shift": True}, **({} if chat else {"prompt": TEXT}), **fields) if not chat else dict(fields, context_shift=True)
            status, data = short.post("/v1/chat/completions" if chat else "/v1/completions", ask)
            check("a shift, " + name, (status, word in data["error"]["message"]), (400, True))


def streamed(server, body):
    """The thought and the answer of a stream; none of its pieces has both."""
    deltas = [e["choices"][0]["delta"] for e in server.events("/v1/chat/completions", body) if e != "[DONE]" and e["choices"]]
    assert not any("reasoning_content" in d and "content" in d for d in deltas), deltas
    return "".join(d.get("reasoning_content", "") for d in deltas), "".join(d.get("content", "") for d in deltas)


def thinking_apart(server, think):
    """The prompt ends with <think>: the thought comes first, in every dialect in its own place."""
    body = {"messages": CHAT, "max_tokens": 50, "thinking_budget": 12, "min_tokens": 40, "temperature": 0}
    first, last = [part.strip() for part in think(**body).split("</think>")]
    said = server.post("/v1/chat/completions", body)[1]["choices"][0]["message"]
    check("a thought apart", (said["reasoning_content"], said["content"].strip()), (first, last))
    check("streamed", streamed(server, body), (first, said["content"]))
    cut = server.post("/v1/chat/completions", dict(body, max_tokens=5))[1]["choices"][0]
    used = server.post("/v1/chat/completions", body)[1]["usage"]["completion_tokens_details"]["reasoning_tokens"]
    check("its tokens: the budget's and those of the mark", 12 < used < 12 + 10, True)
    check("a thought that is cut off", (first.startswith(cut["message"]["reasoning_content"]), cut["message"]["content"], cut["finish_reason"]), (True, "", "length"))
    bound = server.post("/v1/chat/completions", {"messages": CHAT, "max_tokens": 60, "json_schema": {"const": True}})[1]["choices"][0]["message"]
    check("a form leaves no thought", (bound["content"], "reasoning_content" in bound), ("true", False))
    calm = server.post("/v1/chat/completions", {"messages": CHAT, "max_tokens": 9, "enable_thinking": False})[1]["choices"][0]["message"]
    effort = lambda level: "reasoning_content" in server.post("/v1/chat/completions", {"messages": CHAT, "max_tokens": 9, "temperature": 0, "reasoning_effort": level})[1]["choices"][0]["message"]
    check("nor little effort", [effort(level) for level in ("none", "minimal", "low", "high")], [False, False, True, True])
    check("but no contradiction", [server.post("/v1/chat/completions", {"messages": CHAT, "reasoning_effort": e, **more})[0] for e, more in (("much", {}), ("none", {"enable_thinking": True}), ("low", {"enable_thinking": False}))], [400] * 3)
    check("nor does its switch", (len(calm["content"]) > 0, "reasoning_content" in calm), (True, False))
    ask = {"messages": CHAT, "max_tokens": 50, "temperature": 0, "thinking": {"type": "enabled", "budget_tokens": 12}}
    whole = server.post("/v1/messages", ask)[1]["content"]
    check("anthropic: a block of thinking", (whole[0], [b["type"] for b in whole[1:]]), ({"type": "thinking", "thinking": first, "signature": ""}, ["text"] * (len(whole) - 1)))
    frames = server.ask("POST", "/v1/messages", dict(ask, stream=True))[2].decode().split("\n\n")[:-1]
    events = [json.loads(f.split("data: ", 1)[1]) for f in frames]
    deltas = [e["delta"] for e in events if e["type"] == "content_block_delta"]
    check("its events", ("".join(d.get("thinking", "") for d in deltas), "".join(d.get("text", "") for d in deltas), [e["content_block"]["type"] for e in events if e["type"] == "content_block_start"],
                         sum(e["type"] == "content_block_stop" for e in events)), (first, "".join(b["text"] for b in whole[1:]), [b["type"] for b in whole], len(whole)))
    check("thinking, disabled", [b["type"] for b in server.post("/v1/messages", dict(ask, thinking={"type": "disabled"}))[1]["content"]], ["text"])
    local = {"messages": CHAT, "options": {"num_predict": 8, "temperature": 0}}
    whole = server.post("/api/chat", dict(local, stream=False))[1]["message"]
    check("ollama: thinking", (first.startswith(whole["thinking"]), whole["content"]), (True, ""))
    lines = [json.loads(line) for line in server.ask("POST", "/api/chat", local)[2].decode().splitlines()]
    check("streamed", "".join(line["message"].get("thinking", "") for line in lines), whole["thinking"])
    quiet = server.post("/api/generate", {"prompt": "Hi", "think": False, "stream": False, "options": {"num_predict": 8}})[1]
    check("think: false", (len(quiet["response"]) > 0, "thinking" in quiet), (True, False))


def thinking(server):
    with storyteller_with("{% for m in messages %}{{ m.content }}\n{% endfor %}{% if enable_thinking %}<think>\n{% endif %}") as file:
        with Server("--places", "2", model=file.name) as thinker:
            def think(**fields):
                status, answer = thinker.post("/v1/chat/completions", dict({"messages": CHAT, "max_tokens": 50, "seed": 3, "reasoning_format": "none"}, **fields))
                return answer["choices"][0]["message"]["content"] if status == 200 else (status, answer["error"]["param"])

            plain = think()
            check("a thought that has no limit", "</think>" in plain, False)
            check("and one of -1", think(thinking_budget=-1), plain)
            at_least = {"min_tokens": 40, "temperature": 0}  # or the model may end its text before its thought
            for n in (0, 1, 20):
                got, first = think(thinking_budget=n, **at_least), think(max_tokens=n, **at_least) if n else ""
                check("%d tokens of a thought, and its end" % n, got.startswith(first + "</think>") and got.count("</think>") == 1 and len(got) > len(first) + 12, True)
                check("by its other names", (think(reasoning_budget=n, **at_least), think(chain="min_tokens:40,think:%d,temp:0" % n)), (got, got))
            check("a text without thoughts", think(thinking_budget=5, enable_thinking=False, temperature=0), think(enable_thinking=False, temperature=0))
            check("not with a format", think(thinking_budget=5, response_format={"type": "json_object"}), (400, "thinking_budget"))
            check("not below -1", think(thinking_budget=-2), (400, "thinking_budget"))
            check("not in every format", think(reasoning_format="x"), (400, "reasoning_format"))
            thinking_apart(thinker, think)
    with storyteller_with("{# <think> #}{% for m in messages %}{{ m.content }}\n{% endfor %}") as file:  # the model writes the mark itself
        with Server(model=file.name) as thinker:
            ids = thinker.post("/tokenize", {"content": "<think>Why</think>Because"})[1]["tokens"]
            body = {"messages": CHAT, "max_tokens": len(ids) + 5, "temperature": 0, "chain": ",".join("force:%d:at=%d" % (t, i) for i, t in enumerate(ids)) + ",greedy"}
            del body["temperature"]
            said = thinker.post("/v1/chat/completions", body)[1]["choices"][0]["message"]
            check("a thought between its marks", (said["reasoning_content"], said["content"].startswith("Because")), ("Why", True))
            check("streamed", streamed(thinker, body), (said["reasoning_content"], said["content"]))
            plain = thinker.post("/v1/chat/completions", {"messages": CHAT, "max_tokens": 5})[1]["choices"][0]["message"]
            check("one that does not think", "reasoning_content" in plain, False)


def tools(server):
    def tool(name, **properties):
        return {"type": "function", "function": {"name": name, "description": "d", "parameters": {
            "type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}}}

    both = [tool("weather", city={"type": "string", "enum": ["Rome", "Oslo"]}), tool("count", to={"type": "integer", "minimum": 1, "maximum": 99})]
    body = {"messages": CHAT, "tools": both, "seed": 2, "max_tokens": 120, "tool_choice": {"type": "function", "function": {"name": "weather"}}}
    choice = server.post("/v1/chat/completions", body)[1]["choices"][0]
    call = choice["message"]["tool_calls"][0]
    check("a tool is called", (choice["finish_reason"], choice["message"]["content"], call["type"], call["function"]["name"]), ("tool_calls", None, "function", "weather"))
    check("its arguments obey", json.loads(call["function"]["arguments"])["city"] in ("Rome", "Oslo"))
    events = server.events("/v1/chat/completions", body)
    deltas = [c["delta"]["tool_calls"][0] for e in events[:-1] for c in e["choices"] if "tool_calls" in c["delta"]]
    check("in a stream it is the same", (deltas[0]["type"], deltas[0]["function"]["name"], {d["index"] for d in deltas}, "".join(d["function"]["arguments"] for d in deltas)), ("function", "weather", {0}, call["function"]["arguments"]))
    check("and the reason says so", events[-2]["choices"][0]["finish_reason"], "tool_calls")
    check("of the call's text nothing is content", joined(events, "delta"), "")
    status, data = server.post("/v1/chat/completions", dict(body, tools=both[1:], tool_choice="required", parallel_tool_calls=False))
    check("the only tool, required", json.loads(data["choices"][0]["message"]["tool_calls"][0]["function"]["arguments"])["to"] in range(1, 100))
    free = server.post("/v1/chat/completions", dict(body, tool_choice="auto"))[1]["choices"][0]
    check("a tool may be left alone", (free["finish_reason"] in ("stop", "length"), "tool_calls" in free["message"]), (True, False))
    none = dict(body, tool_choice="none")
    plain = {k: v for k, v in body.items() if not k.startswith("tool")}
    check("none: as without tools", [server.post("/v1/chat/completions", b)[1]["choices"][0]["message"]["content"] for b in (none, plain)][:1] * 2,
          [server.post("/v1/chat/completions", b)[1]["choices"][0]["message"]["content"] for b in (none, plain)])
    talk = CHAT + [{"role": "assistant", "content": None, "tool_calls": [dict(call, function=dict(call["function"]))]},
                   {"role": "tool", "tool_call_id": call["id"], "content": "sunny"}, {"role": "user", "content": "And?"}]
    status, data = server.post("/v1/chat/completions", {"messages": talk, "max_tokens": 3})
    check("a talk with a call in it", status in (200, 400) and (status == 200 or "template" in data["error"]["message"]))
    for name, fields in (("no function", {"tools": [{"type": "retrieval"}]}), ("a name with a space", {"tools": [tool("a b")]}), ("two of one name", {"tools": [both[0], both[0]]}),
                         ("a choice that is not there", {"tools": both, "tool_choice": {"type": "function", "function": {"name": "x"}}}),
                         ("required without tools", {"tool_choice": "required"}), ("a choice of another type", {"tools": both, "tool_choice": 5}),
                         ("with a format", {"tools": both, "response_format": {"type": "json_object"}}), ("parameters that are none", {"tools": [{"type": "function", "function": {"name": "x", "parameters": 5}}]})):
        check("tools: " + name, server.post("/v1/chat/completions", dict(fields, messages=CHAT))[0], 400)


def refusals(server):
    chat, plain = "/v1/chat/completions", "/v1/completions"
    cases = [
        (plain, {}, 400, "prompt"),
        (plain, {"prompt": ""}, 200, None),  # what a text begins with is a prompt
        (plain, {"prompt": []}, 400, "prompt"),
        (plain, {"prompt": [[]]}, 400, "prompt"),
        (plain, {"prompt": [2048]}, 400, "prompt"),
        (plain, {"prompt": [-1]}, 400, "prompt"),
        (plain, {"prompt": {"a": 1}}, 400, "prompt"),
        (plain, {"prompt": "x " * 5000}, 400, ""),
        (plain, {"prompt": "a", "prompts": 1}, 400, "prompts"),
        (plain, {"prompt": "a", "max_tokens": -1}, 400, "max_tokens"),
        (plain, {"prompt": "a", "max_tokens": 1.5}, 400, "max_tokens"),
        (plain, {"prompt": "a", "max_tokens": "9"}, 400, "max_tokens"),
        (plain, {"prompt": "a", "n": 0}, 400, "n"),
        (plain, {"prompt": "a", "n": 100}, 400, "n"),
        (plain, {"prompt": "a", "temperature": -1}, 400, "temperature"),
        (plain, {"prompt": "a", "temperature": "hot"}, 400, "temperature"),
        (plain, {"prompt": "a", "temperature": 1e999}, 400, ""),
        (plain, {"prompt": "a", "top_p": 7}, 400, ""),
        (plain, {"prompt": "a", "cache_salt": 5}, 400, "cache_salt"),
        (plain, {"prompt": "a", "cache_salt": ""}, 400, "cache_salt"),
        (chat, {"messages": CHAT, "thinking_budget": 5}, 400, "thinking_budget"),
        (plain, {"prompt": "a", "reasoning_budget": 5, "thinking_budget": 5}, 400, "reasoning_budget"),
        (plain, {"prompt": "a", "reasoning_budget": "x"}, 400, "reasoning_budget"),
        (plain, {"prompt": "a", "seed": 1.5}, 400, "seed"),
        (plain, {"prompt": "a", "stop": ["a"] * 17}, 400, "stop"),
        (plain, {"prompt": "a", "stop": [""]}, 400, "stop"),
        (plain, {"prompt": "a", "stop": 5}, 400, "stop"),
        (plain, {"prompt": "a", "logprobs": True}, 400, "logprobs"),
        (plain, {"prompt": "a", "logprobs": 21}, 400, "logprobs"),
        (plain, {"prompt": "a", "logit_bias": {"99999": 1}}, 400, "logit_bias"),
        (plain, {"prompt": "a", "logit_bias": {"6": 1e300}}, 400, "logit_bias"),
        (plain, {"prompt": "a", "logit_bias": {"5": "x"}}, 400, "logit_bias"),
        (plain, {"prompt": "a", "logit_bias": 5}, 400, "logit_bias"),
        (plain, {"prompt": "a", "chain": "nonsense"}, 400, "chain"),
        (plain, {"prompt": "a", "chain": ""}, 400, "chain"),
        (plain, {"prompt": "a", "chain": "top_k:4", "top_p": 0.5}, 400, "chain"),
        (plain, {"prompt": "a", "chain": "grammar:@/etc/passwd"}, 400, "chain"),
        (plain, {"prompt": "a", "grammar": "@/etc/passwd"}, 400, ""),
        (plain, {"prompt": "a", "grammar": "root ::= ("}, 400, ""),
        (plain, {"prompt": "a", "regex": "(" * 60000}, 400, ""),
        (plain, {"prompt": "a", "regex": "(a{1000}){1000}{1000}"}, 400, ""),
        (plain, {"prompt": "a", "dry": {"x,y": 1}}, 400, "dry"),
        (plain, {"prompt": "a", "dry": {"mult": 1, "break": []}}, 400, "dry"),
        (plain, {"prompt": "a", "dry_multiplier": 1, "dry_sequence_breakers": "x"}, 400, "dry_sequence_breakers"),
        (plain, {"prompt": "a", "dry_multiplier": 1, "dry_sequence_breakers": [5]}, 400, "dry_sequence_breakers"),
        (plain, {"prompt": "a", "dry_multiplier": 1, "dry_sequence_breakers": []}, 400, "dry_sequence_breakers"),
        (plain, {"prompt": "a", "dry_multiplier": 1, "dry_sequence_breakers": [""]}, 400, "dry_sequence_breakers"),
        (plain, {"prompt": "a", "dry_multiplier": 1, "dry_sequence_breakers": ["x" * 65]}, 400, ""),
        (plain, {"prompt": "a", "dry_sequence_breakers": ["x"]}, 400, ""),
        (plain, {"prompt": "a", "chain": "contrast:0.1"}, 501, "contrast"),
        (plain, {"prompt": "a", "chain": "cfg:1.5"}, 400, "negative"),
        (plain, {"prompt": "a", "model": "gpt-4"}, 404, "model"),
        (plain, {"prompt": "a", "response_format": {"type": "yaml"}}, 400, "response_format"),
        (plain, {"prompt": "a", "response_format": {}}, 400, "response_format"),
        (plain, {"prompt": "a", "response_format": {"type": "json_schema", "json_schema": {"name": "x"}}}, 400, "response_format"),
        (plain, {"prompt": "a", "response_format": {"type": "json_schema", "json_schema": {"schema": {"$ref": "#/nowhere"}}}}, 400, ""),
        (chat, {"messages": []}, 400, "messages"),
        (chat, {"messages": "hello"}, 400, "messages"),
        (chat, {"messages": [5]}, 400, "messages"),
        (chat, {"messages": [{"role": "user"}]}, 400, "messages"),
        (chat, {"messages": [{"role": "king", "content": "a"}]}, 400, "messages"),
        (chat, {"messages": [{"role": "user", "content": "a", "mood": "b"}]}, 400, "messages"),
        (chat, {"messages": [{"role": "user", "content": [{"type": "image_url", "image_url": {"url": "http://x"}}]}]}, 400, "messages"),
        (chat, {"messages": CHAT, "top_logprobs": 2}, 400, "top_logprobs"),
        (chat, {"messages": CHAT, "logprobs": 3}, 400, "logprobs"),
        (chat, {"messages": CHAT, "prompt": "x"}, 400, "prompt"),
        (chat, {"messages": CHAT, "stream": "yes"}, 400, "stream"),
        (chat, {"messages": CHAT, "modalities": ["audio"]}, 400, "modalities"),
        ("/tokenize", {}, 400, "content"),
        ("/detokenize", {"tokens": [1e9]}, 400, "tokens"),
        ("/v1/embeddings", {"input": ""}, 400, "input"),
        ("/v1/rerank", {"query": "a", "documents": ["b"]}, 400, ""),
        ("/v1/embeddings", {"input": "a", "dimensions": 3}, 400, "dimensions"),
        ("/v1/embeddings", {"input": "a", "encoding_format": "hex"}, 400, "encoding_format"),
    ]
    for path, body, status, param in cases:
        got, data = server.post(path, body)
        error = data.get("error", {})
        fine = got == status and (status == 200 or (set(error) == {"message", "type", "param", "code"} and error["message"] != ""))
        if param is not None and param:
            fine = fine and error["param"] == param
        check("%s %.60s: %d" % (path, json.dumps(body), status), fine or (got, data))
    for body in (b"", b"{", b"[]", b"5", b'{"prompt": "a"', b'{"prompt": "\xff"}', b"[" * 100000,
                 b'{"prompt": "a"} x', b"\x00"):
        got, data = server.post("/v1/completions", body)
        check("a body %.20r" % body, (got, data["error"]["type"]), (400, "invalid_request_error"))
    check("half a pair of surrogates", server.post("/v1/completions", b'{"prompt": "a \\ud800 b"}')[0], 400)
    said = server.post(plain, {"prompt": "a", "logit_bias": {"6": 1e300}})[1]["error"]["message"]
    check("a bias is refused as it is written here", "logit_bias: wanted for each token a number from -1e+30" in said or said)
    harmless = {"user": "u", "metadata": {"a": "b"}, "store": False, "service_tier": "auto"}
    check("harmless fields", server.post(chat, dict(harmless, messages=CHAT, max_tokens=1))[0], 200)
    check("null is not there", server.post(chat, {"messages": CHAT, "max_tokens": 1, "temperature": None, "n": None, "tools": None})[0], 200)


def others(server):
    check("health", server.get("/health"), (200, {"status": "ok"}))
    listed = server.get("/v1/models")[1]
    check("models", (listed["object"], listed["data"][0]["id"], listed["data"][0]["object"]), ("list", "storyteller.gguf", "model"))
    check("one of them", server.get("/v1/models/storyteller.gguf")[1]["id"], "storyteller.gguf")
    check("one that is not there", server.get("/v1/models/gpt-4")[0], 404)
    tokens = server.post("/tokenize", {"content": "Grüße, <|im_end|> 🦉", "special": False})[1]["tokens"]
    check("tokens and back", server.post("/detokenize", {"tokens": tokens})[1]["content"], "Grüße, <|im_end|> 🦉")
    special = server.post("/tokenize", {"content": "<|im_end|>", "special": True, "with_pieces": True})[1]["tokens"]
    check("special tokens by name", special, [{"id": 2, "piece": "<|im_end|>"}])
    prompt = server.post("/apply-template", {"messages": [{"role": "developer", "content": "Be brief."}, {"role": "user", "content": [{"type": "text", "text": "Hi"}, {"type": "text", "text": "you"}]}]})[1]["prompt"]
    check("the template's text", "system\nBe brief." in prompt and "user\nHi\nyou" in prompt and prompt.endswith("assistant\n"))
    count = server.post("/v1/chat/completions", {"messages": [{"role": "user", "content": "<|im_end|>"}], "max_tokens": 1})[1]["usage"]["prompt_tokens"]
    plain = server.post("/v1/chat/completions", {"messages": [{"role": "user", "content": ""}], "max_tokens": 1})[1]["usage"]["prompt_tokens"]
    check("a user cannot write a special token", count - plain > 1)
    vectors = server.post("/v1/embeddings", {"input": ["a fox", "a wolf"]})[1]
    check("embeddings", (len(vectors["data"]), round(sum(x * x for x in vectors["data"][0]["embedding"]), 5)), (2, 1.0))
    import base64
    packed = server.post("/v1/embeddings", {"input": "a fox", "encoding_format": "base64"})[1]["data"][0]["embedding"]
    numbers = struct.unpack("<%df" % len(vectors["data"][0]["embedding"]), base64.b64decode(packed))
    check("in base64 the same numbers", [struct.unpack("<f", struct.pack("<f", x))[0] for x in vectors["data"][0]["embedding"]], list(numbers))
    status, head, text = server.ask("GET", "/metrics")
    check("metrics", (status, head["Content-Type"].startswith("text/plain; version=0.0.4")), (200, True))
    text = text.decode()
    lines = [l for l in text.splitlines() if not l.startswith("#")]
    check("every line of them is a sample", all(re.match(r'strata_[a-z_]+(\{[^}]*\})? [0-9.eE+-]+$', l) for l in lines))
    buckets = [int(l.split()[-1]) for l in lines if l.startswith("strata_first_token_seconds_bucket")]
    check("buckets rise to their count", buckets == sorted(buckets) and "strata_first_token_seconds_count %d" % buckets[-1] in lines)
    check("requests are counted", any(l.startswith('strata_http_requests_total{path="/v1/completions",code="400"}') for l in lines))
    for method, path, wanted in (("GET", "/nothing", 404), ("GET", "/v1/completions", 405), ("POST", "/health", 405), ("HEAD", "/health", 200)):
        check("%s %s" % (method, path), server.ask(method, path, b"{}" if method == "POST" else None)[0], wanted)


def readers(folder):
    """Models that read and do not write."""
    path = os.path.join(folder, "ranker.gguf")
    subprocess.run([os.path.join(BUILD, "tests", "families"), "bert", "wordpiece scores:1", path], check=True)
    pair = {"query": "who ran", "documents": ["a hen was sad", {"text": "the fox ran home"}, "a river"]}
    ranked = json.loads(subprocess.run([STRATA, "rerank", "-m", path, "--query", "who ran", "--json", "a hen was sad", "the fox ran home", "a river"],
                                       capture_output=True, text=True, check=True).stdout)["results"]
    with Server(model=path) as server:
        got = server.post("/v1/rerank", pair)[1]
        check("a ranking is that of strata rerank", [(r["index"], r["relevance_score"]) for r in got["results"]],
              [(r["index"], r["relevance_score"]) for r in ranked])
        check("tokens of all pairs are counted", got["usage"]["prompt_tokens"], got["usage"]["total_tokens"])
        best = server.post("/v1/rerank", dict(pair, top_n=1, return_documents=True))[1]["results"]
        check("the best, with its text", (len(best), best[0]["document"]["text"]), (1, ranked[0]["document"]))
        status, data = server.post("/v1/embeddings", {"input": ["a fox", "a hen"]})
        check("embeddings as the file says", (status, len(data["data"][0]["embedding"])), (200, 64))
        for path, body, field in (("/v1/rerank", dict(pair, documents=[]), "documents"), ("/v1/rerank", dict(pair, documents=[""]), "documents"),
                                  ("/v1/rerank", dict(pair, documents=[3]), "documents"), ("/v1/rerank", dict(pair, documents=["a " * 300]), "documents"),
                                  ("/v1/rerank", dict(pair, query=""), "query"), ("/v1/rerank", dict(pair, top_n=0), "top_n"),
                                  ("/v1/rerank", dict(pair, mood=1), "mood"), ("/v1/embeddings", {"input": "a " * 300}, "input"),
                                  ("/v1/completions", {"prompt": "a"}, None), ("/v1/chat/completions", {"messages": CHAT}, None)):
            status, data = server.post(path, body)
            check("refused: %s, %s" % (path, field), (status, data["error"]["param"]), (400, field))


def translators(folder):
    """A model that reads one text and writes another: a text is answered, and what it has no answer for is refused as a mistake."""
    path = os.path.join(folder, "t5.gguf")
    subprocess.run([os.path.join(BUILD, "tests", "families"), "t5", "", path], check=True)
    with Server(model=path) as server:
        status, data = server.post("/v1/completions", {"prompt": "the fox", "max_tokens": 3})
        check("a source is answered", (status, data["usage"]["completion_tokens"]), (200, 3))
        for path, body, field in (("/v1/embeddings", {"input": "a"}, "model"), ("/v1/completions", {"prompt": [5, 6, 7]}, "prompt"),
                                  ("/v1/chat/completions", {"messages": CHAT}, "prompt"),
                                  ("/v1/completions", {"prompt": "a", "echo": True, "logprobs": 1}, "echo"),
                                  ("/v1/completions", {"prompt": "a", "max_tokens": 9, "context_shift": True}, "context_shift")):
            status, data = server.post(path, body)
            check("refused: %s, %s" % (path, field), (status, data["error"]["param"]), (400, field))


with tempfile.TemporaryDirectory() as models:
    readers(models)
    translators(models)

def forms():
    with tempfile.NamedTemporaryFile("w", suffix=".jinja") as file:
        file.write("{% for m in messages %}<{{ m.content }}>{% endfor %}")
        file.flush()
        with Server("--places", "1", "--form", "@" + file.name) as server:
            check("a form of one's own", server.post("/apply-template", {"messages": CHAT})[1]["prompt"], f"<{CHAT[0]['content']}>")
            status, data = server.post("/apply-template", {"messages": [{"role": "user", "content": "a", "colour": "red"}]})
            said = {"role": "assistant", "content": "x", "refusal": None, "annotations": [], "audio": None, "function_call": None, "tool_calls": None}
            check("an answer's own message comes back as it is", server.post("/v1/chat/completions", {"messages": CHAT + [said] + CHAT, "max_tokens": 2, "prediction": {"type": "content", "content": "x"}})[0], 200)
            check("an unknown key of a message is named", (status, "'colour'" in data["error"]["message"]), (400, True))
    ended = subprocess.run([STRATA, "serve", "--form", "none", "--port", "0"], capture_output=True, text=True)
    check("a form that is none", (ended.returncode, "there are phi4, chatml" in ended.stderr), (1, True))


def drafts():
    """Drafts change no text; an answer that was given before to the same key is drafted nearly whole."""
    with Server("--places", "3", "--draft", "suffix", "--guess", "6") as server:
        for part in (same_text, logprobs, banned):
            part(server)
        for path, body in (("/strata/steps", {"answer_tokens": [5]}), ("/v1/completions", {"answer_tokens": [5, 6]}), ("/v1/completions", {"context_shift": True, "max_tokens": 5}), ("/v1/completions", {"top_k": 1, "max_tokens": 5})):
            check("what goes without drafts is answered: %s %s" % (path, list(body)[0]), server.post(path, dict(body, prompt="Once"))[0], 200)
    with tempfile.NamedTemporaryFile("w") as file:
        file.write("mia\nowl\n")
        file.flush()
        with Server("--draft", "suffix", "--guess", "6", "--keys", file.name) as private:
            def count(key, what):
                lines = private.ask("GET", "/metrics", headers={"Authorization": "Bearer " + key})[2].decode().splitlines()
                return [int(line.split()[1]) for line in lines if line.startswith("strata_%s_total" % what)][0]

            def accepted(key):
                before, ended = count(key, "accepted_tokens"), count(key, "ended")
                private.ask("POST", "/v1/completions", {"prompt": TEXT, "max_tokens": 60, "seed": 5}, headers={"Authorization": "Bearer " + key})
                while count(key, "ended") == ended:  # counted when the step is over, a moment after the client has its answer
                    time.sleep(0.01)
                return count(key, "accepted_tokens") - before > 40

            check("what a key was answered is drafted for that key", [accepted(key) for key in ("mia", "mia", "owl", "owl", "mia")], [False, True, False, True, True])
    ended = subprocess.run([STRATA, "serve", "--draft", "luck", "--port", "0"], capture_output=True, text=True)
    check("a kind that is none", (ended.returncode, "wanted suffix, lookup or jacobi" in ended.stderr), (1, True))


with Server("--places", "4", "--queue", "12") as server:
    for part in (same_text, shapes, streams, logprobs, sampling, banned, salts, thinking, tools, refusals, others):
        part(server)
    load = server.wait_idle()
    check("all pages are given back", load["pages_free"], load["pages"])
turns()
forms()
drafts()
shifts()
finish()
