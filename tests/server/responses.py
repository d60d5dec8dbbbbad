"""responses.py - /v1/responses: what it says equals what OpenAI's other route says to the same request; its events build the response that ends them."""
import itertools
import json
import re

from client import Server, check, finish, storyteller_with

CHAT, PATH = "/v1/chat/completions", "/v1/responses"
SAID = [{"role": "user", "content": "Tell me a story."}]
CITY = {"type": "object", "properties": {"city": {"enum": ["Rome", "Oslo"]}}, "required": ["city"], "additionalProperties": False}
TOOLS = [{"type": "function", "name": n, "description": "d", "parameters": CITY, "strict": True} for n in ("weather", "time")]
NUMBER = {"type": "object", "properties": {"a": {"type": "integer", "minimum": 0, "maximum": 9}}, "required": ["a"], "additionalProperties": False}


def chat(server, messages, **fields):
    data = server.post(CHAT, dict({"messages": messages, "temperature": 0, "max_tokens": 12}, **fields))[1]
    return data["choices"][0]["message"]["content"], data["usage"]


def text_of(response):
    return "".join(part["text"] for item in response["output"] if item["type"] == "message" for part in item["content"])


def events_of(server, body):
    """The events of a stream, their frames checked."""
    status, head, data = server.ask("POST", PATH, dict(body, stream=True))
    frames = [re.fullmatch(r"event: ([\w.]+)\ndata: (.*)", f) for f in data.decode().split("\n\n")[:-1]]
    events = [json.loads(f[2]) for f in frames]
    check("events, named and numbered", (status, head["Content-Type"], [e["type"] for e in events] == [f[1] for f in frames], [e["sequence_number"] for e in events]),
          (200, "text/event-stream", True, list(range(len(events)))))
    return events


def built(events):
    """The output that the events build: each item as it is done, and its deltas."""
    items = []
    for e in events:
        kind = e["type"][len("response."):]
        if kind == "output_item.added":
            assert e["output_index"] == len(items) and e["item"]["status"] == "in_progress", e
            items.append({"id": e["item"]["id"], "said": ""})
        if kind.endswith(".delta"):
            assert items[e["output_index"]]["id"] == e["item_id"], e
            items[-1]["said"] += e["delta"]
        if kind.endswith(".done") and kind != "output_item.done" and "part" not in e:
            assert items[-1]["said"] == e.get("text", e.get("arguments")), e
        if kind == "output_item.done":
            items[-1]["item"] = e["item"]
    return [i["item"] for i in items]


def texts(server):
    said, usage = chat(server, [{"role": "system", "content": "Be brief."}] + SAID)
    body = {"input": SAID[0]["content"], "instructions": "Be brief.", "max_output_tokens": 12, "temperature": 0}
    status, whole = server.post(PATH, body)
    item = whole["output"][0]
    check("a response says what a chat says", (status, whole["object"], whole["status"], text_of(whole)), (200, "response", "incomplete", said))
    check("why it is incomplete", (whole["incomplete_details"], whole["error"], item["status"]), ({"reason": "max_output_tokens"}, None, "incomplete"))
    check("its item", (item["type"], item["role"], item["content"][0]["type"], item["content"][0]["annotations"], item["id"][:4], whole["id"][:5]), ("message", "assistant", "output_text", [], "msg_", "resp_"))
    check("its counts", (whole["usage"]["input_tokens"], whole["usage"]["output_tokens"], whole["usage"]["total_tokens"]), (usage["prompt_tokens"], 12, usage["total_tokens"]))
    check("what was asked for", (whole["temperature"], whole["max_output_tokens"], whole["tools"], whole["tool_choice"], whole["parallel_tool_calls"]), (0, 12, [], "auto", True))
    for name, items in (("messages", SAID), ("typed ones", [dict(SAID[0], type="message")]), ("parts", [{"role": "user", "content": [{"type": "input_text", "text": SAID[0]["content"]}]}])):
        check("the input as " + name, text_of(server.post(PATH, dict(body, input=items))[1]), said)
    check("a developer's message is the system's", text_of(server.post(PATH, {"input": [{"role": "developer", "content": "Be brief."}] + SAID, "max_output_tokens": 12, "temperature": 0})[1]), said)
    events = events_of(server, body)
    kinds = [e["type"][len("response."):] for e in events if not e["type"].endswith(".delta")]
    check("their order", kinds, ["created", "in_progress", "output_item.added", "content_part.added", "output_text.done", "content_part.done", "output_item.done", "incomplete"])
    last = events[-1]["response"]
    check("they build the response", (built(events), text_of(last), last["usage"]["output_tokens"]), (last["output"], said, 12))
    check("which begins empty", (events[0]["response"]["status"], events[0]["response"]["output"], events[0]["response"]["usage"]), ("in_progress", [], None))
    done = events_of(server, {"input": "Hi", "text": {"format": {"type": "json_schema", "name": "x", "schema": NUMBER, "strict": True}}})[-1]
    check("a form", (done["type"], done["response"]["status"], 0 <= json.loads(text_of(done["response"]))["a"] <= 9), ("response.completed", "completed", True))
    talk = SAID + whole["output"] + [{"role": "user", "content": "Go on."}]
    check("what it says comes back as it is", text_of(server.post(PATH, {"input": talk, "max_output_tokens": 9, "temperature": 0})[1]),
          chat(server, SAID + [{"role": "assistant", "content": said}, {"role": "user", "content": "Go on."}], max_tokens=9)[0])


def tools(server):
    body = {"input": SAID, "tools": TOOLS, "tool_choice": "required", "parallel_tool_calls": False, "max_output_tokens": 200, "temperature": 0}
    whole = server.post(PATH, body)[1]
    call = whole["output"][0]
    check("a call", (whole["status"], len(whole["output"]), call["type"], call["name"] in ("weather", "time"), json.loads(call["arguments"])["city"] in ("Rome", "Oslo")), ("completed", 1, "function_call", True, True))
    check("its tools", ([t["name"] for t in whole["tools"]], whole["tools"][0]["parameters"], whole["tool_choice"], whole["parallel_tool_calls"]), (["weather", "time"], CITY, "required", False))
    events = events_of(server, body)
    kinds = [k for k, _ in itertools.groupby(e["type"][len("response."):] for e in events)]  # of pieces there may be several
    check("its events", kinds, ["created", "in_progress", "output_item.added", "function_call_arguments.delta", "function_call_arguments.done", "output_item.done", "completed"])
    check("they build the response", (built(events), events[-2]["item"]["arguments"]), (events[-1]["response"]["output"], call["arguments"]))
    named = server.post(PATH, dict(body, tool_choice={"type": "function", "name": "time"}))[1]
    check("the one that is named", (named["output"][0]["name"], named["tool_choice"]), ("time", {"type": "function", "name": "time"}))
    result = {"type": "function_call_output", "call_id": call["call_id"], "output": "sunny"}
    wanted = chat(server, SAID + [{"role": "assistant", "content": "Well.", "tool_calls": [{"id": call["call_id"], "type": "function", "function": {"name": call["name"], "arguments": call["arguments"]}}]},
                                  {"role": "tool", "tool_call_id": call["call_id"], "content": "sunny"}], tools=[{"type": "function", "function": {k: t[k] for k in ("name", "description", "parameters", "strict")}} for t in TOOLS], max_tokens=9)[1]
    talk = SAID + [{"type": "reasoning", "id": "rs_1", "summary": [{"type": "summary_text", "text": "Hm."}]}, {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Well.", "annotations": []}]}, call, result]
    status, data = server.post(PATH, dict(body, input=talk, tool_choice="auto", max_output_tokens=9))
    check("a turn's items are one message", (status, data["usage"]["input_tokens"]), (200, wanted["prompt_tokens"]))


def thoughts():
    with storyteller_with("{% for m in messages %}{{ m.content }}\n{% endfor %}{% if enable_thinking %}<think>\n{% endif %}") as file, Server(model=file.name) as server:
        body = {"input": SAID, "max_output_tokens": 50, "temperature": 0, "thinking_budget": 12, "min_tokens": 40}
        said = server.post(CHAT, {"messages": SAID, "max_tokens": 50, "temperature": 0, "thinking_budget": 12, "min_tokens": 40})[1]["choices"][0]["message"]
        whole = server.post(PATH, body)[1]
        check("a thought is an item", [(i["type"], i["content"][0]["type"], i["content"][0]["text"]) for i in whole["output"]],
              [("reasoning", "reasoning_text", said["reasoning_content"]), ("message", "output_text", said["content"])])
        check("its tokens are counted", 12 < whole["usage"]["output_tokens_details"]["reasoning_tokens"] < whole["usage"]["output_tokens"], True)
        events = events_of(server, body)
        check("in a stream, too", (built(events), [i["content"] for i in events[-1]["response"]["output"]]), (events[-1]["response"]["output"], [i["content"] for i in whole["output"]]))
        check("no effort, no thought", [i["type"] for i in server.post(PATH, {"input": SAID, "max_output_tokens": 5, "reasoning": {"effort": "none"}})[1]["output"]], ["message"])
        check("it comes back as it is", server.post(PATH, dict(body, input=SAID + whole["output"] + SAID))[0], 200)


def refusals(server):
    body = {"input": "Hi", "max_output_tokens": 3}
    for fields, param in (({"previous_response_id": "resp_1"}, "previous_response_id"), ({"conversation": "c"}, "conversation"), ({"background": True}, "background"), ({"truncation": "auto"}, "truncation"),
                          ({"include": ["file_search_call.results"]}, "include"), ({"input": 5}, "input"), ({"input": []}, "input"), ({"input": [{"type": "item_reference", "id": "x"}]}, "input"),
                          ({"input": [{"role": "user", "content": [{"type": "input_file"}]}]}, "input"), ({"input": [5]}, "input"), ({"instructions": 5}, "instructions"), ({"tools": [{"type": "web_search"}]}, "tools"),
                          ({"reasoning": {"effort": "much"}}, "reasoning"), ({"reasoning": 5}, "reasoning"), ({"reasoning": "high"}, "reasoning"), ({"reasoning": []}, "reasoning"),
                          ({"reasoning": {"effort": "low", "bogus": 1}}, "reasoning"), ({"include": 5}, "include"), ({"text": {"format": {"type": "x"}}}, "text"), ({"text": {"verbosity": "low"}}, "text"), ({"text": 5}, "text"), ({"text": {"fromat": {"type": "json_object"}}}, "text"),
                          ({"tool_choice": 5}, "tool_choice"), ({"tool_choice": "required"}, "tool_choice"), ({"tool_choice": {"type": "function", "name": "f"}}, "tool_choice"), ({"parallel_tool_calls": "no"}, "parallel_tool_calls"), ({"max_output_tokens": -1}, "max_output_tokens"),
                          ({"top_p": 7}, "top_p"), ({"x": 1}, "x"), ({"": 1}, None), ({"prompt": {"id": "p"}}, "prompt")):
        status, data = server.post(PATH, dict(body, **fields))
        check("refused: %s" % json.dumps(fields), (status, data["error"]["param"]) if status == 400 else (status, data), (400, param))
    check("null is nothing, and defaults are", server.post(PATH, dict(body, previous_response_id=None, background=False, truncation="disabled", include=["reasoning.encrypted_content"], store=True, metadata={}, tools=[], tool_choice="auto",
          parallel_tool_calls=True, text={"format": {"type": "text"}}, reasoning={"effort": "medium", "summary": "auto"}, user="x", service_tier="auto"))[0], 200)
    check("another model", server.post(PATH, dict(body, model="gpt-5"))[0], 404)
    check("only new ones", server.ask("GET", PATH)[0], 405)


with Server("--places", "4") as main:
    texts(main)
    tools(main)
    refusals(main)
    idle = main.wait_idle()
    check("all pages are given back", idle["pages_free"], idle["pages"])
thoughts()
finish()
