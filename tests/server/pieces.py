"""pieces.py - calls of tools in streams: their arguments come while the model writes them, in every notation and dialect, and
together are those of the whole answer, to the byte; a call that is cut off says so, and what arrived stays."""
import json
import re

from client import SLOW, Server, check, finish, storyteller_with
from forms import FORMS, TOOLS

CHAT = "/v1/chat/completions"
SAID = "Is it warm in Rome?"
ASKED = {"messages": [{"role": "user", "content": SAID}], "tools": TOOLS, "tool_choice": "required", "temperature": 1.5}


def whole(server, **fields):
    """Content, calls and reason of an answer."""
    status, data = server.post(CHAT, dict(ASKED, **fields))
    assert status == 200, data
    choice = data["choices"][0]
    calls = [k["function"] for k in choice["message"].get("tool_calls", [])]
    return choice["message"]["content"] or "", calls, choice["finish_reason"], data["usage"]["completion_tokens"]


def streamed(server, **fields):
    """The same of a stream, and how many pieces of arguments came; each call's first delta names it, no later one does."""
    content, calls, pieces, reasons = "", [], 0, []
    for event in server.events(CHAT, dict(ASKED, **fields))[:-1]:
        choice = event["choices"][0]
        content += choice["delta"].get("content") or ""
        reasons.append(choice["finish_reason"])
        for call in choice["delta"].get("tool_calls", []):
            if call["index"] == len(calls):
                assert re.match("[a-z0-9]{9}$", call["id"]) and call["type"] == "function" and call["function"]["arguments"] == "", call
                calls.append(dict(call["function"]))
            else:
                assert call["index"] == len(calls) - 1 and list(call) == ["index", "function"] and list(call["function"]) == ["arguments"], call
                calls[-1]["arguments"] += call["function"]["arguments"]
                pieces += 1
    assert reasons[:-1] == [None] * (len(reasons) - 1), reasons
    return content, calls, reasons[-1], pieces


def named(server, path, body):
    """A stream of named events."""
    status, _, data = server.ask("POST", path, dict(body, stream=True))
    frames = [re.fullmatch(r"event: ([\w.]+)\ndata: (.*)", f) for f in data.decode().split("\n\n")[:-1]]
    assert status == 200 and all(json.loads(f[2])["type"] == f[1] for f in frames), data
    return [json.loads(f[2]) for f in frames]


def openai(name, server, **fields):
    content, calls, reason, _ = whole(server, **fields)
    got = streamed(server, **fields)
    check(name + ": together the pieces are the whole answer", got[:3], (content, calls, reason))
    return calls, got[3]


def cut_off(name, server):
    """After every token in turn (under sanitizers every fourth).  Arguments only grow, and a call without a whole name is text."""
    full, calls, _, n = whole(server, seed=2, parallel_tool_calls=False)
    check(name + ": to be cut", len(calls), 1)
    answers = [(whole(server, seed=2, parallel_tool_calls=False, max_tokens=k), streamed(server, seed=2, parallel_tool_calls=False, max_tokens=k)) for k in range(1, n, 4 if SLOW > 1 else 1)]
    check(name + ": cut off after any token, the stream is the whole answer", [s[:3] for _, s in answers], [w[:3] for w, _ in answers])
    cut = [w for w, _ in answers if w[1]]
    check(name + ": it says that it was cut off", {w[2] for w, _ in answers}, {"length"})
    check(name + ": what arrived stays", (len(cut) > 1, all(w[1][0]["name"] == calls[0]["name"] and calls[0]["arguments"].startswith(w[1][0]["arguments"]) for w in cut)), (True, True))
    lengths = [len(w[1][0]["arguments"]) for w in cut]
    check(name + ": and grows", (lengths == sorted(lengths), lengths[0] < lengths[-1]), (True, True))
    return [w for w in cut if not json_is_whole(w[1][0]["arguments"])][-1]


def responses(name, server, calls, cut):
    tools = [dict(t["function"], type="function") for t in TOOLS]
    body = {"input": SAID, "tools": tools, "tool_choice": "required", "temperature": 1.5, "seed": 2, "parallel_tool_calls": False}
    for limit, wanted, status in ((None, calls, "completed"), (cut[3], cut[1], "incomplete")):
        data = server.post("/v1/responses", dict(body, max_output_tokens=limit))[1]
        items = [i for i in data["output"] if i["type"] == "function_call"]
        check(name + ": responses, %s" % status, ([{"name": i["name"], "arguments": i["arguments"]} for i in items], [i["status"] for i in items], data["status"]), (wanted, [status], status))
        events = named(server, "/v1/responses", dict(body, max_output_tokens=limit))
        deltas = [e["delta"] for e in events if e["type"] == "response.function_call_arguments.delta"]
        done = [e for e in events if e["type"] == "response.function_call_arguments.done"]
        several["responses"] += len(deltas) > 1
        check(name + ": its events", ("".join(deltas), [(e["name"], e["arguments"]) for e in done]), (wanted[0]["arguments"], [(wanted[0]["name"], wanted[0]["arguments"])]))
        items = [i for i in events[-1]["response"]["output"] if i["type"] == "function_call"]
        check(name + ": and the last one", (events[-1]["type"], [i["arguments"] for i in items], [i["status"] for i in items]), ("response." + status, [wanted[0]["arguments"]], [status]))


def anthropic(name, server):
    """It has no seeds, so the likeliest tokens."""
    _, calls, _, n = whole(server, temperature=0, parallel_tool_calls=False, max_tokens=200)
    tools = [{"name": t["function"]["name"], "description": "d", "input_schema": t["function"]["parameters"]} for t in TOOLS]
    body = {"messages": ASKED["messages"], "tools": tools, "tool_choice": {"type": "any", "disable_parallel_tool_use": True}, "temperature": 0, "max_tokens": 200}
    for limit, reason in ((200, "tool_use"), (n - 2, "max_tokens")):
        events = named(server, "/v1/messages", dict(body, max_tokens=limit))
        starts = [e["content_block"] for e in events if e["type"] == "content_block_start"]
        deltas = [e["delta"]["partial_json"] for e in events if e["type"] == "content_block_delta"]
        wanted = whole(server, temperature=0, parallel_tool_calls=False, max_tokens=limit)[1][0]["arguments"]
        check(name + ": anthropic, %s" % reason, ([(b["type"], b["name"], b["input"]) for b in starts], "".join(deltas)), ([("tool_use", calls[0]["name"], {})], wanted))
        several["anthropic"] += len(deltas) > 1
        check(name + ": its reason", [e["delta"]["stop_reason"] for e in events if e["type"] == "message_delta"], [reason])
        data = server.post("/v1/messages", dict(body, max_tokens=limit))[1]
        kinds = [(b["type"], b.get("input")) for b in data["content"]]
        complete = reason == "tool_use" or json_is_whole(wanted)
        check(name + ": whole, half an input is text", (data["stop_reason"], kinds), (reason, [("tool_use", json.loads(wanted))] if complete else [("text", None)]))


def json_is_whole(text):
    try:
        return bool(json.loads(text))
    except ValueError:
        return False


def ollama(file):
    """It cannot ask for a call, so the mark that begins one is made likely.  Calls come whole: arguments are an object there."""
    with Server("--places", "4", model=file.name) as server:
        mark = server.post("/tokenize", {"content": "[TOOL_CALLS]", "special": True})[1]["tokens"]
    with Server("--places", "4", "--chain", "bias:%d=60,temp:1" % mark[0], model=file.name) as server:
        body = {"messages": ASKED["messages"], "tools": TOOLS, "options": {"num_predict": 200, "seed": 3}}
        data = server.post("/api/chat", dict(body, stream=False))[1]
        wanted = [c["function"] for c in data["message"]["tool_calls"]]
        check("ollama: a call", (len(wanted) > 0, {type(c["arguments"]) for c in wanted}), (True, {dict}))
        cut = 0
        for limit in [200, *range(3, data["eval_count"], 3)]:
            body["options"]["num_predict"] = limit
            message = server.post("/api/chat", dict(body, stream=False))[1]
            lines = [json.loads(line) for line in server.ask("POST", "/api/chat", body)[2].decode().splitlines()]
            calls = [c for line in lines for c in line["message"].get("tool_calls", [])]
            check("ollama: streamed, it is the same, cut off or not", ("".join(line["message"]["content"] for line in lines), calls, lines[-1]["done_reason"]),
                  (message["message"]["content"], message["message"].get("tool_calls", []), message["done_reason"]))
            cut += len(calls) < len(wanted) and "{" in message["message"]["content"]
        check("ollama: half a call is text", cut > 0)


specials, several = [], {"chat": 0, "responses": 0, "anthropic": 0}  # streams whose arguments came in several pieces: a quick model may be ahead of a reader
for name, template, mark, more in FORMS:
    many, names = more.get("several", False), {k: v for k, v in more.items() if k != "several"}
    with storyteller_with(template, **names) as file, Server("--places", "4", model=file.name) as server:
        found = [openai(name, server, seed=seed, max_tokens=200, parallel_tool_calls=many) for seed in range(6)]
        check(name + ": each time there is a call", all(calls for calls, _ in found))
        several["chat"] += sum(pieces > len(calls) for calls, pieces in found)
        cut = cut_off(name, server)
        responses(name, server, whole(server, seed=2, parallel_tool_calls=False)[1], cut)
        anthropic(name, server)
        if "special" in more:
            specials.append(name)
            ollama(file)
check("in every dialect they came while they were written", [k for k, n in several.items() if n < 4], [])
check("forms with a token of their own", specials, ["Mistral, a list", "Mistral, by name"])
finish()
