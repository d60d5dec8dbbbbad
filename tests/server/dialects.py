"""dialects.py - the same core in the words of others, Ollama and Anthropic.  What it says equals what OpenAI's routes say to the same request."""
import json
import re
import tempfile
import time

from client import SLOW, Server, check, finish, request

CHAT = "/v1/chat/completions"
SAID = [{"role": "user", "content": "Tell me a story."}]
TOOLS = [{"type": "function", "function": {"name": n, "description": "d", "parameters": {"type": "object", "properties": {"city": {"enum": ["Rome", "Oslo"]}}, "required": ["city"], "additionalProperties": False}}}
         for n in ("weather", "time")]


def lines(server, path, body):
    status, head, data = server.ask("POST", path, body)
    text = data.decode() if isinstance(data, bytes) else json.dumps(data)
    return status, head["Content-Type"], [json.loads(line) for line in text.splitlines()]


def ollama(server):
    name = server.get("/v1/models")[1]["data"][0]["id"]
    options = {"num_predict": 12, "seed": 3, "temperature": 0.9, "top_k": 40}
    wanted = server.post(CHAT, {"messages": SAID, "max_tokens": 12, "seed": 3, "temperature": 0.9, "top_k": 40})[1]
    said = wanted["choices"][0]["message"]["content"]
    status, whole = server.post("/api/chat", {"model": name + ":latest", "messages": SAID, "stream": False, "options": options, "keep_alive": "5m"})
    check("ollama: a chat says what OpenAI's says", (status, whole["message"], whole["done"], whole["done_reason"]), (200, {"role": "assistant", "content": said}, True, "length"))
    check("its counts", (whole["model"], whole["prompt_eval_count"], whole["eval_count"]), (name, wanted["usage"]["prompt_tokens"], 12))
    check("its times are nanoseconds", whole["total_duration"] >= whole["eval_duration"] > 0 and whole["prompt_eval_duration"] >= 0 and bool(re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", whole["created_at"])), True)
    status, kind, got = lines(server, "/api/chat", {"messages": SAID, "options": options})
    check("without a word it streams lines of JSON", (status, kind), (200, "application/x-ndjson"))
    check("which add up to the same", ("".join(g["message"]["content"] for g in got), [g["done"] for g in got]), (said, [False] * (len(got) - 1) + [True]))
    check("and end with the counts", (got[-1]["eval_count"], got[-1]["done_reason"]), (12, "length"))
    plain = server.post("/v1/completions", {"prompt": "Once upon", "max_tokens": 12, "seed": 3})[1]["choices"][0]["text"]
    status, data = server.post("/api/generate", {"prompt": "Once upon", "raw": True, "stream": False, "options": {"num_predict": 12, "seed": 3}})
    check("generate, raw", (status, data["response"]), (200, plain))
    status, _, got = lines(server, "/api/generate", {"prompt": "Once upon", "raw": True, "options": {"num_predict": 12, "seed": 3}})
    check("streamed", (status, "".join(g["response"] for g in got)), (200, plain))
    wanted = server.post(CHAT, {"messages": [{"role": "system", "content": "Be brief."}] + SAID, "max_tokens": 9, "seed": 1})[1]["choices"][0]["message"]["content"]
    status, data = server.post("/api/generate", {"prompt": SAID[0]["content"], "system": "Be brief.", "stream": False, "options": {"num_predict": 9, "seed": 1}})
    check("generate: a prompt is a user's message", (status, data["response"]), (200, wanted))
    schema = {"type": "object", "properties": {"a": {"type": "integer", "minimum": 0, "maximum": 9}}, "required": ["a"], "additionalProperties": False}
    data = server.post("/api/chat", {"messages": SAID, "stream": False, "format": schema, "options": {"num_predict": 60}})[1]
    check("a schema", 0 <= json.loads(data["message"]["content"])["a"] <= 9)
    data = server.post("/api/chat", {"messages": SAID, "stream": False, "format": "json", "options": {"num_predict": 200, "seed": 1, "stop": ["}"]}})[1]
    check("json, and a stop string", (data["message"]["content"][:1] in "{[\"-0123456789tfn", "}" in data["message"]["content"]), (True, False))
    forced = {"messages": SAID, "tools": TOOLS, "stream": False, "options": {"num_predict": 40, "seed": 1}}
    check("tools", server.post("/api/chat", forced)[0], 200)
    talk = SAID + [{"role": "assistant", "content": "", "tool_calls": [{"function": {"name": "weather", "arguments": {"city": "Rome"}}}]}, {"role": "tool", "tool_name": "weather", "content": "sunny"}]
    check("calls and results in a history", server.post("/api/chat", dict(forced, messages=talk))[0], 200)
    for bad, word in (({"messages": SAID, "x": 1}, "unknown field 'x'"), ({"messages": SAID, "options": {"tempreature": 1}}, "unknown field 'tempreature'"), ({"messages": SAID, "options": {"num_ctx": 10**6}}, "num_ctx"),
                      ({"messages": SAID, "options": {"num_predict": "5"}}, "num_predict"), ({"messages": SAID, "options": 5}, "options"), ({"messages": 5}, "messages"), ({}, "messages"), ({"messages": [{"role": "user", "content": 5}]}, "content"),
                      ({"messages": SAID, "format": "xml"}, "format"), ({"messages": SAID, "stream": "yes"}, "stream"), ({"messages": [{"role": "user", "content": "a", "images": ["!"]}]}, "image"), ({"messages": [{"role": "user", "content": "a", "images": 5}]}, "images"),
                      ({"messages": SAID, "options": {"top_p": 7}}, "top_p"), (b"{", "JSON"), (b"[]", "object")):
        status, data = server.post("/api/chat", bad)
        check("ollama: refused, %s" % word, (status, isinstance(data.get("error"), str) and word in data["error"]) if isinstance(data, dict) else data, (400, True))
    for bad in ({"system": 5}, {"raw": 1}, {"images": 5}, {"images": {"a": "b"}}, {"model": 5}, {"raw": True, "system": "Be brief."}, {"raw": True, "images": ["a"]}):
        field = list(bad)[-1]
        status, data = server.post("/api/generate", dict({"prompt": "a", "stream": False, "options": {"num_predict": 1}}, **bad))
        check("ollama: refused, %s" % json.dumps(bad), (status, data.get("error", "")[:len(field) + 1]), (400, field + ":"))
    check("another model", server.post("/api/chat", {"model": "llama3", "messages": SAID})[0], 404)
    for path, body in (("/api/generate", {"model": name}), ("/api/generate", {"model": name + ":latest", "prompt": "", "keep_alive": "1h"}), ("/api/chat", {"model": name, "messages": []})):
        status, data = server.post(path, body)
        check("no text: the model is to be loaded, %s" % path, (status, data["done"], data["done_reason"], data.get("response", data.get("message"))), (200, True, "load", {"role": "assistant", "content": ""} if "chat" in path else ""))
    check("but that is checked, too", [server.post("/api/generate", dict({"model": name}, **more))[0] for more in ({"x": 1}, {"model": "llama3"}, {"options": {"num_predict": "a"}})], [400, 404, 400])
    check("its errors, whatever the path", [type(server.ask(*ask)[2]["error"]) for ask in (("POST", "/api/nothing", {}), ("POST", "/api/tags", {}), ("GET", "/api/chat"))], [str] * 3)
    check("none to list but this", [m["name"] for path in ("/api/tags", "/api/ps") for m in server.get(path)[1]["models"]], [name] * 2)
    status, data = server.post("/api/show", {"model": name})
    check("what is known of it", (status, data["model_info"]["llama.context_length"], "completion" in data["capabilities"]), (200, 1024, True))
    check("and of no other", server.post("/api/show", {"model": "x"})[0], 404)
    check("nor without a name", server.post("/api/show", {})[0], 400)
    check("a version", bool(re.match(r"\d+\.\d+", server.get("/api/version")[1]["version"])), True)


def events_of(server, body):
    """Names and data of a stream of /v1/messages."""
    status, head, data = server.ask("POST", "/v1/messages", dict(body, stream=True))
    frames = [re.fullmatch(r"event: (\w+)\ndata: (.*)", f) for f in data.decode().split("\n\n")[:-1]]
    check("events, each with its name and data", (status, head["Content-Type"], all(frames), all(json.loads(f[2])["type"] == f[1] for f in frames)), (200, "text/event-stream", True, True))
    return [json.loads(f[2]) for f in frames]


def anthropic(server):
    wanted = server.post(CHAT, {"messages": [{"role": "system", "content": "Be brief."}] + SAID, "max_tokens": 12, "seed": 3, "temperature": 0})[1]
    said = wanted["choices"][0]["message"]["content"]
    body = {"system": "Be brief.", "messages": SAID, "max_tokens": 12, "temperature": 0, "metadata": {"user_id": "x"}}
    status, whole = server.post("/v1/messages", body)
    check("anthropic: a message says what OpenAI's says", (status, whole["type"], whole["role"], whole["content"], whole["stop_reason"]), (200, "message", "assistant", [{"type": "text", "text": said}], "max_tokens"))
    usage = whole["usage"]
    check("its counts", (usage["input_tokens"] + usage["cache_read_input_tokens"], usage["output_tokens"]), (wanted["usage"]["prompt_tokens"], 12))
    check("count_tokens", server.post("/v1/messages/count_tokens", {"system": "Be brief.", "messages": SAID}), (200, {"input_tokens": wanted["usage"]["prompt_tokens"]}))
    blocks = dict(body, system=[{"type": "text", "text": "Be brief.", "cache_control": {"type": "ephemeral"}}], messages=[{"role": "user", "content": [{"type": "text", "text": SAID[0]["content"]}]}])
    check("blocks of text are its text", server.post("/v1/messages", blocks)[1]["content"], whole["content"])
    got = events_of(server, body)
    check("their order", [e["type"] for e in got if e["type"] != "content_block_delta"], ["message_start", "content_block_start", "content_block_stop", "message_delta", "message_stop"])
    check("their text", "".join(e["delta"]["text"] for e in got if e["type"] == "content_block_delta"), said)
    check("their end", (got[-2]["delta"]["stop_reason"], got[-2]["usage"]["output_tokens"]), ("max_tokens", 12))
    stop = server.post("/v1/messages", dict(body, max_tokens=200, stop_sequences=["."]))[1]
    check("a stop string", (stop["stop_reason"], "." in stop["content"][0]["text"]), ("stop_sequence", False))
    tools = [dict(t["function"], input_schema=t["function"]["parameters"]) for t in TOOLS]
    for t in tools:
        del t["parameters"]
    forced = {"messages": SAID, "max_tokens": 200, "tools": tools, "tool_choice": {"type": "any", "disable_parallel_tool_use": True}}
    number = {"type": "object", "properties": {"a": {"type": "integer", "minimum": 0, "maximum": 9}}, "required": ["a"], "additionalProperties": False}
    data = server.post("/v1/messages", dict(body, max_tokens=60, output_config={"format": {"type": "json_schema", "schema": number}, "effort": "low"}))[1]
    check("anthropic: a form", 0 <= json.loads(data["content"][0]["text"])["a"] <= 9)
    called = server.post("/v1/messages", forced)[1]
    use = called["content"][-1]
    check("a tool is used", (called["stop_reason"], len(called["content"]), use["type"], use["name"] in ("weather", "time"), use["input"]["city"] in ("Rome", "Oslo")), ("tool_use", 1, "tool_use", True, True))
    named = server.post("/v1/messages", dict(forced, tool_choice={"type": "tool", "name": "time"}))[1]["content"][0]
    check("the one that is named", named["name"], "time")
    got = events_of(server, dict(forced, tool_choice={"type": "tool", "name": "time"}))
    start = [e for e in got if e["type"] == "content_block_start"]
    check("a call in a stream", (start[0]["content_block"]["name"], json.loads("".join(e["delta"]["partial_json"] for e in got if e["type"] == "content_block_delta"))["city"] in ("Rome", "Oslo"), got[-2]["delta"]["stop_reason"]), ("time", True, "tool_use"))
    talk = SAID + [{"role": "assistant", "content": [{"type": "text", "text": "Let me see."}, dict(use)]},
                   {"role": "user", "content": [{"type": "tool_result", "tool_use_id": use["id"], "content": [{"type": "text", "text": "sunny"}]}, {"type": "text", "text": "And now?"}]}]
    check("its result comes back", server.post("/v1/messages", dict(forced, messages=talk, tool_choice={"type": "auto"}, max_tokens=5))[0], 200)
    for bad, word in (({"messages": SAID}, "max_tokens"), (dict(body, x=1), "unknown field 'x'"), (dict(body, messages=5), "messages"), (dict(body, messages=[{"role": "system", "content": "x"}]), "role"),
                      (dict(body, messages=[{"role": "user", "content": [{"type": "document"}]}]), "block"), (dict(body, system=5), "system"), (dict(body, system=["a"]), "system"), (dict(body, messages=[{"role": "user"}]), "content"), (dict(body, tools=[{"type": "web_search", "name": "x"}]), "input_schema"),
                      (dict(forced, tool_choice={"type": "x"}), "tool_choice"), (dict(body, top_p=7), "top_p"), (dict(body, thinking={"type": "enabled"}), "thinking"),
                      (dict(body, messages=[{"role": "user", "content": [{"type": "image", "source": {"type": "url", "url": "http://x"}}]}]), "base64"), (b"{", "JSON"), (b"5", "object")):
        status, data = server.post("/v1/messages", bad)
        check("anthropic: refused, %s" % word, (status, data["type"], data["error"]["type"], word in data["error"]["message"]) if status == 400 else (status, data), (400, "error", "invalid_request_error", True))
    check("another model", server.post("/v1/messages", dict(body, model="claude"))[0], 404)
    check("its errors, whatever the path", [(status, data["type"], data["error"]["type"]) for status, _, data in (server.ask("GET", "/v1/messages"), server.ask("POST", "/v1/messages/nothing", {}))],
          [(405, "error", "invalid_request_error"), (404, "error", "not_found_error")])
    with tempfile.NamedTemporaryFile("w", suffix=".keys") as file:
        file.write("secret\n")
        file.flush()
        with Server("--keys", file.name) as private:
            check("a key as its clients send it", [private.ask("POST", "/v1/messages", body, {"x-api-key": k})[0] for k in ("secret", "wrong")], [200, 401])


def spellings(server):
    """Fields of llama.cpp and vLLM: the same as OpenAI's, or a stage, by another name."""
    plain, body = "/v1/completions", {"prompt": "Once upon", "seed": 3, "temperature": 0.9}
    text = lambda **fields: server.post(plain, dict(body, **fields))[1]["choices"][0]["text"]
    check("n_predict", text(n_predict=9, cache_prompt=True), text(max_tokens=9))
    check("n_predict -1: as many as fit", server.post(plain, dict(body, n_predict=-1))[1]["choices"][0]["finish_reason"], "stop")
    check("top_k -1: off", text(top_k=-1, max_tokens=9), text(top_k="off", max_tokens=9))
    schema = {"type": "object", "properties": {"a": {"type": "integer", "minimum": 0, "maximum": 9}}, "required": ["a"], "additionalProperties": False}
    check("guided_json", 0 <= json.loads(text(guided_json=schema, max_tokens=60))["a"] <= 9)
    check("guided_regex", bool(re.fullmatch("[ab]{3}", text(guided_regex="[ab]{3}", max_tokens=60))))
    check("guided_choice", text(guided_choice=["Oslo fjord", "Rome, perhaps: 5%"], max_tokens=60) in ("Oslo fjord", "Rome, perhaps: 5%"), True)
    check("guided_grammar", bool(re.fullmatch("(ab|c)", text(guided_grammar='root ::= "ab" | "c"', max_tokens=60))))
    for inner, pattern in (({"regex": "[ab]{3}"}, "[ab]{3}"), ({"choice": ["x", "y"]}, "x|y"), ({"grammar": 'root ::= "z"'}, "z"), ({"json": {"const": True}}, "true")):
        check("structured_outputs: %s" % list(inner), bool(re.fullmatch(pattern, text(structured_outputs=inner, max_tokens=60))))
    endless = server.post(plain, dict(body, ignore_eos=True, max_tokens=700))[1]
    check("ignore_eos", (endless["usage"]["completion_tokens"], endless["choices"][0]["finish_reason"]), (700, "length"))
    check("ignore_eos: false is nothing", text(ignore_eos=False, max_tokens=9), text(max_tokens=9))
    for fields, param in (({"n_predict": 5, "max_tokens": 5}, "n_predict"), ({"n_predict": -2}, "n_predict"), ({"top_k": -2}, "top_k"), ({"chat_template_kwargs": {"x": 1}}, "chat_template_kwargs"), ({"ignore_eos": 1}, "ignore_eos"), ({"ignore_eos": True, "min_tokens": 5}, "ignore_eos"), ({"max_tokens": 5, "n_predict": 5}, "n_predict"),
                          ({"guided_choice": ["a"], "choice": "b"}, "guided_choice"), ({"guided_choice": []}, "guided_choice"), ({"guided_choice": ["a|b"]}, "guided_choice"), ({"structured_outputs": {}}, "structured_outputs"), ({"structured_outputs": {"x": 1}}, "structured_outputs"),
                          ({"structured_outputs": {"json": {}, "regex": "a"}}, "structured_outputs"), ({"structured_outputs": {"choice": ["a"]}, "guided_choice": ["a"]}, "guided_choice")):
        status, data = server.post(plain, dict(body, **fields))
        check("refused: %s" % json.dumps(fields), (status, data["error"]["param"]), (400, param))
    check("a template's field", server.post(CHAT, {"messages": SAID, "chat_template_kwargs": {"enable_thinking": False}})[1]["error"]["param"], "chat_template_kwargs")  # this model's has none


def strict(server):
    """What is refused of an OpenAI request is refused of the others."""
    pair, quiet = '"messages": [{"role": "user", "content": "Hi"}]', '"stream": false, "options": {"num_predict": 2}'
    for path, body, word in (("/v1/messages", '{"max_tokens": 2, "system": "a", "system": "b", %s}' % pair, "two keys 'system'"), ("/v1/messages", '{"max_tokens": 2, "max_tokens": 3, %s}' % pair, "two keys"),
                             ("/v1/messages", '{"max_tokens": 2, "messages": [{"role": "user", "content": "a", "content": "b"}]}', "two keys 'content'"), ("/api/chat", '{"options": {}, %s, %s}' % (quiet, pair), "two keys 'options'"),
                             ("/api/generate", '{"prompt": "a", "raw": true, "raw": false, %s}' % quiet, "two keys 'raw'"), ("/v1/messages/count_tokens", '{"system": "a", "system": "b", %s}' % pair, "two keys 'system'"),
                             ("/v1/messages", b'{"max_tokens": 2, "system": "\xff", %s}' % pair.encode(), "not UTF-8"), ("/api/generate", b'{"prompt": "\xff", %s}' % quiet.encode(), "not UTF-8"), ("/api/show", b'{"model": "\xff"}', "not UTF-8")):
        status, data = server.post(path, body)
        check("refused at %s: %s" % (path, word), (status, word in json.dumps(data)), (400, True))
    status, data = server.post("/v1/messages", {"max_tokens": 2, "messages": SAID + [{"role": "assistant", "content": "Once"}]})
    check("an answer that the client began is not begun anew", (status, "the last one is the assistant" in json.dumps(data)), (400, True))
    check("tokens of another model", server.post("/v1/messages/count_tokens", {"model": "nope", "messages": SAID})[0], 404)


def slots(server):
    """What llama.cpp's server says of itself."""
    name = server.get("/v1/models")[1]["data"][0]["id"]
    props = server.get("/props")[1]
    check("props", (props["total_slots"], props["default_generation_settings"]["n_ctx"], props["model_alias"]), (4, 1024, name))
    check("slots that wait", [(s["id"], s["is_processing"]) for s in server.get("/slots")[1]], [(i, False) for i in range(4)])
    s = server.raw(request("/v1/completions", {"prompt": "Once", "n": 2, "stream": True, "max_tokens": 900, "chain": "min_tokens:900,temp:1"}))
    s.recv(100)
    end = time.time() + 10 * SLOW
    while (busy := [x for x in server.get("/slots")[1] if x["is_processing"]]) == [] and time.time() < end:
        time.sleep(0.01)
    check("slots that run", 0 < len(busy) <= 2 and busy[0]["n_prompt_tokens"] > 0, True)
    s.close()


def lenient():
    with Server("--lenient") as server:
        wanted = server.post(CHAT, {"messages": SAID, "max_tokens": 5, "seed": 1})[1]["choices"]
        status, head, data = server.ask("POST", CHAT, {"messages": SAID, "max_tokens": 5, "seed": 1, "web_search": False, "x\"y\n": 1})
        check("unknown fields are ignored, and named", (status, head.get("X-Ignored-Fields"), data["choices"]), (200, "web_search, x_y_", wanted))
        status, head, _ = server.ask("POST", CHAT, {"messages": SAID, "max_tokens": 5, "stream": True, "verbosity": "low"})
        check("of a stream, too", (status, head.get("X-Ignored-Fields")), (200, "verbosity"))
        status, head, _ = server.ask("POST", "/api/chat", {"messages": SAID, "stream": False, "options": {"num_predict": 2, "mirostat_new": 1}})
        check("and of another dialect", (status, head.get("X-Ignored-Fields")), (200, "mirostat_new"))
        status, head, _ = server.ask("POST", "/api/chat", {"messages": SAID, "stream": False, "options": {"num_predict": 2, "num_ctx": 10**6}})
        check("a larger context is not to be had", (status, head.get("X-Ignored-Fields")), (200, "num_ctx"))
        status, head, _ = server.ask("POST", CHAT, dict({"messages": SAID, "max_tokens": 1}, **{"f%d" % i: 1 for i in range(100)}))
        check("of what generates nothing, too", [server.ask("POST", path, dict(body, verbosity="low"))[1].get("X-Ignored-Fields") for path, body in
              (("/v1/embeddings", {"input": "a"}), ("/tokenize", {"content": "a"}), ("/detokenize", {"tokens": [5]}), ("/apply-template", {"messages": SAID}), ("/v1/messages/count_tokens", {"messages": SAID}))], ["verbosity"] * 5)
        check("as far as a header goes", (status, head["X-Ignored-Fields"][:10], len(head["X-Ignored-Fields"]) < 256), (200, "f0, f1, f2", True))
        check("a known one is still checked", server.post(CHAT, {"messages": SAID, "top_p": "0.5"})[0], 400)


with Server("--places", "4") as main:
    spellings(main)
    strict(main)
    slots(main)
    ollama(main)
    anthropic(main)
    idle = main.wait_idle()
    check("all pages are given back", idle["pages_free"], idle["pages"])
lenient()
finish()
