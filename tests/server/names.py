"""names.py - an error is about the field that the client sent, by its name there, whatever the core calls it."""
from client import Server, check, finish

PLAIN, CHAT, RESPONSES, MESSAGES = "/v1/completions", "/v1/chat/completions", "/v1/responses", "/v1/messages"
SAID = [{"role": "user", "content": "Hi"}]
TOOLS = [{"type": "function", "function": {"name": "a", "parameters": {}}}]
PARAMS = [  # path, body, the field
    (RESPONSES, {"input": "a", "max_output_tokens": -1}, "max_output_tokens"),
    (RESPONSES, {"input": "a", "text": {"format": {"type": "x"}}}, "text"),
    (RESPONSES, {"input": "a", "reasoning": {"effort": "x"}}, "reasoning"),
    (RESPONSES, {"input": [{"role": "x", "content": "a"}]}, "input"),
    (RESPONSES, {"input": "a", "top_p": 7}, "top_p"),
    (PLAIN, {"prompt": "a", "n_predict": -3}, "n_predict"),
    (PLAIN, {"prompt": "a", "guided_choice": []}, "guided_choice"),
    (PLAIN, {"prompt": "a", "guided_choice": [5]}, "guided_choice"),
    (PLAIN, {"prompt": "a", "guided_regex": "("}, "guided_regex"),
    (PLAIN, {"prompt": "a", "guided_regex": 5}, "guided_regex"),
    (PLAIN, {"prompt": "a", "guided_grammar": "x"}, "guided_grammar"),
    (PLAIN, {"prompt": "a", "guided_json": {"type": "x"}}, "guided_json"),
    (PLAIN, {"prompt": "a", "structured_outputs": {"regex": "("}}, "structured_outputs"),
    (PLAIN, {"prompt": "a", "regex": "("}, "regex"),
    (PLAIN, {"prompt": "a", "choice": []}, "choice"),
    (CHAT, {"messages": SAID, "chat_template_kwargs": {"enable_thinking": 5}}, "chat_template_kwargs"),
    (CHAT, {"messages": SAID, "n_predict": 5, "max_completion_tokens": 5}, "n_predict"),
    ("/v1/embeddings", {"input": "a", "n_predict": 5}, "n_predict"),
    ("/infill", {"input_prefix": "a", "input_suffix": "b"}, "input_suffix"),
    ("/completion", {"prompt": "a", "n_predict": "x"}, "n_predict"),
    ("/completion", {"prompt": "a", "n_predict": 2, "guided_choice": ["x"], "regex": "y"}, "regex"),
]
MESSAGES_OF = [  # of dialects whose errors have no field: what the message begins with
    ("/api/chat", {"messages": SAID, "options": {"num_predict": 2e9}}, "num_predict"),
    ("/api/chat", {"messages": SAID, "format": {"type": "x"}}, "format"),
    ("/api/chat", {"messages": SAID, "think": "x"}, "think"),
    ("/api/generate", {"prompt": "a", "think": 5}, "think"),
    (MESSAGES, {"messages": SAID, "max_tokens": 5, "stop_sequences": [5]}, "stop_sequences"),
    (MESSAGES, {"messages": SAID, "max_tokens": 5, "thinking": {"type": "enabled", "budget_tokens": "x"}}, "thinking"),
    (MESSAGES, {"messages": SAID, "max_tokens": -1}, "max_tokens"),
    (MESSAGES, {"messages": SAID, "max_tokens": 5, "output_config": 5}, "output_config"),
    (MESSAGES, {"messages": SAID, "max_tokens": 5, "output_config": {"format": {"type": "json"}}}, "output_config"),
    (MESSAGES, {"messages": SAID, "max_tokens": 5, "output_config": {"format": {"type": "json_schema", "schema": {"type": "x"}}}}, "output_config"),
    (MESSAGES, {"messages": SAID, "max_tokens": 5, "output_config": {"effort": "much"}}, "output_config"),
    (MESSAGES + "/count_tokens", {"messages": SAID, "stop_sequences": 5, "thinking": {"type": "enabled", "budget_tokens": "x"}}, "thinking"),
]


def message_of(data):
    return data["error"] if isinstance(data["error"], str) else data["error"]["message"]


with Server() as server:
    for path, body, field in PARAMS:
        status, data = server.post(path, body)
        check("%s %s" % (path, body), (status, data["error"]["param"], message_of(data)) if status != 400 else (status, data["error"]["param"]), (400, field))
        check("its message does not use another name", field in message_of(data) or not any(w in message_of(data) for w in ("max_tokens", "response_format", "messages", "json_schema", "suffix")) or message_of(data))
    for path, body, field in MESSAGES_OF:
        status, data = server.post(path, body)
        check("%s %s" % (path, body), (status, message_of(data).startswith(field + ":")) if status == 400 and message_of(data).startswith(field + ":") else (status, data), (400, True))
    for stream in (False, True):
        status, _, data = server.ask("POST", RESPONSES, {"input": "a", "max_output_tokens": -1, "stream": stream})
        check("before a stream, too", (status, data["error"]["param"]), (400, "max_output_tokens"))
finish()
