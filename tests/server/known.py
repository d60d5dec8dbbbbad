"""known.py - requests in every dialect whose answers are known, because each was asked alone before: what they say, without ids,
times and what the prefix cache gave.

    known = Known(server)      asks all of them, one after the other
    known.one(server, r)       asks one of them, whole or as a stream: a line if it says something else, or None
"""
import json

SAID = [{"role": "user", "content": "Tell me a story."}]
CITY = {"type": "object", "properties": {"city": {"enum": ["Rome", "Oslo"]}}, "required": ["city"], "additionalProperties": False}
TOOLS = [{"type": "function", "function": {"name": n, "description": "d", "parameters": CITY}} for n in ("weather", "time")]
FLAT = [dict(t["function"], type="function") for t in TOOLS]
INPUT = [{"name": n, "description": "d", "input_schema": CITY} for n in ("weather", "time")]
FORM = {"type": "json_schema", "json_schema": {"name": "x", "schema": CITY}}
CHAT, RESPONSES, MESSAGES = "/v1/chat/completions", "/v1/responses", "/v1/messages"
STREAMS = [
    ("/v1/completions", {"prompt": "Once upon a time", "max_tokens": 60, "seed": 1, "logprobs": 2}),
    ("/v1/completions", {"prompt": ["The fox", "An owl"], "n": 2, "max_tokens": 30, "seed": 2, "stop": [" and"]}),
    ("/v1/completions", {"prompt": "Once upon a time", "max_tokens": 40, "seed": 1, "model": "one"}),
    ("/v1/completions", {"prompt": "Once upon a time", "max_tokens": 40, "seed": 1, "lora": [{"id": 0, "scale": 0.5}, {"id": 1, "scale": -1}]}),
    ("/v1/completions", {"prompt": "Mia was", "suffix": " owl.", "max_tokens": 20, "seed": 4}),
    (CHAT, {"messages": SAID, "max_tokens": 40, "seed": 5, "temperature": 0.9}),
    (CHAT, {"messages": SAID, "max_tokens": 90, "seed": 6, "tools": TOOLS, "tool_choice": "required", "parallel_tool_calls": False}),
    (CHAT, {"messages": SAID, "max_tokens": 11, "seed": 6, "tools": TOOLS, "tool_choice": "required", "parallel_tool_calls": False}),
    (CHAT, {"messages": SAID, "max_tokens": 60, "seed": 7, "response_format": FORM, "model": "two"}),
    (RESPONSES, {"input": "Tell me a story.", "max_output_tokens": 30, "seed": 8}),
    (RESPONSES, {"input": "Tell me a story.", "max_output_tokens": 90, "seed": 9, "tools": FLAT, "tool_choice": "required", "parallel_tool_calls": False}),
    (MESSAGES, {"messages": SAID, "max_tokens": 30, "temperature": 0}),
    (MESSAGES, {"messages": SAID, "max_tokens": 90, "temperature": 0, "tools": INPUT, "tool_choice": {"type": "any", "disable_parallel_tool_use": True}}),
    ("/api/chat", {"messages": SAID, "options": {"num_predict": 30, "seed": 10}}),
    ("/api/generate", {"prompt": "Once upon", "raw": True, "options": {"num_predict": 30, "seed": 11}}),
    ("/completion", {"prompt": "Once upon", "n_predict": 30, "seed": 12}),
    ("/infill", {"input_prefix": "Mia was", "input_suffix": " owl.", "n_predict": 20, "seed": 13}),
]
WHOLE = [
    ("/v1/embeddings", {"input": ["a fox", "an owl"], "pooling": "mean"}), ("/api/embed", {"input": "a fox"}), ("/tokenize", {"content": "Once upon"}),
    ("/v1/completions", {"prompt": "Once upon a time", "max_tokens": 5, "echo": True, "logprobs": 1, "seed": 1, "model": "two"}),
    (MESSAGES + "/count_tokens", {"messages": SAID}), ("/v1/rerank", {"query": "a", "documents": ["b"]}), (RESPONSES, {"input": "a", "max_output_tokens": -1}),
]
ALSO = [("/v1/rerank", {"query": "who ran", "documents": ["a hen was sad", "the fox ran home", "a river"]}), ("/v1/embeddings", {"input": ["a fox", "a hen"]})]  # of a model that reads
PASSING = {"id", "call_id", "item_id", "created", "created_at", "usage", "timings", "tokens_cached", "total_duration", "prompt_eval_duration", "eval_duration"}


def lasting(value):
    if isinstance(value, list):
        return [lasting(v) for v in value]
    return {k: lasting(v) for k, v in value.items() if k not in PASSING} if isinstance(value, dict) else value


def lines(data):
    """The JSON of a stream's lines or events."""
    if isinstance(data, dict):
        return [data]  # a stream of one line
    texts = [line[6:] if line.startswith("data: ") else line for line in data.decode().split("\n") if line.startswith(("data: ", "{"))]
    return [json.loads(t) for t in texts if t != "[DONE]"]


def add(said, event):
    """What an event adds to what was said, of each choice and kind."""
    for choice in event.get("choices", []):
        delta = choice.get("delta", choice)
        kinds = {k: delta.get(k) for k in ("text", "content", "reasoning_content")}
        for call in delta.get("tool_calls", []):
            kinds["name"], kinds["arguments"] = call["function"].get("name"), call["function"]["arguments"]
        kinds["reason"] = choice["finish_reason"]
        for kind, text in kinds.items():
            said[choice["index"], kind] = said.get((choice["index"], kind), "") + (text or "")
    texts = [event.get("content"), event.get("response") if isinstance(event.get("response"), str) else None, event.get("message", {}).get("content"),
             event.get("delta", {}).get("text") if isinstance(event.get("delta"), dict) else None,
             event.get("delta", {}).get("partial_json") if isinstance(event.get("delta"), dict) else None]
    said["text"] = said.get("text", "") + "".join(t for t in texts if isinstance(t, str))
    if event.get("type", "").startswith("response.") and "response" in event:
        said["response"] = lasting(event["response"])


def streamed(status, data):
    said = {}
    for event in lines(data) if status == 200 else []:
        add(said, event)
    return status, str(sorted(said.items(), key=str))


class Known:
    def __init__(self, server, asked=None):
        whole, streams = (WHOLE + STREAMS, STREAMS) if asked is None else (asked, [])
        self.asked = [(path, body, False) for path, body in whole] + [(path, dict(body, stream=True), True) for path, body in streams]
        self.asked = [(p, dict(b, stream=False) if p.startswith("/api/") and not s and p != "/api/embed" else b, s) for p, b, s in self.asked]
        self.alone = [self.ask(server, *a) for a in self.asked]

    def ask(self, server, path, body, stream):
        status, _, data = server.ask("POST", path, body, timeout=300)
        return streamed(status, data) if stream and status == 200 else (status, str(lasting(data)))

    def one(self, server, r):
        k = r.randrange(len(self.asked))
        got = self.ask(server, *self.asked[k])
        if got[0] in (429, 503) or got == self.alone[k]:
            return None
        return "%s %s: %s is not %s" % (self.asked[k][0], self.asked[k][1], got, self.alone[k])
