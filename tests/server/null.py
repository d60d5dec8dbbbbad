"""null.py - null, and values of the wrong kind, where a dialect has a text, a list or an object: refused or ignored, and the server goes on."""
import json

from client import Server, check, finish

TOOL = {"type": "function", "function": {"name": "f", "parameters": {"type": "object", "properties": {"a": {"type": "string"}}}}}
CALL = {"id": "x", "type": "function", "function": {"name": "f", "arguments": "{}"}}
TALK = [{"role": "user", "content": [{"type": "text", "text": "Hi"}]}, {"role": "assistant", "content": None, "tool_calls": [CALL]}, {"role": "tool", "tool_call_id": "x", "content": "r"}]
SEEDS = {"/v1/chat/completions": {"messages": TALK, "tools": [TOOL], "tool_choice": "auto", "max_tokens": 1, "stop": ["a"], "logit_bias": {"5": 1}},
         "/v1/completions": {"prompt": ["a"], "max_tokens": 1, "dry": {"mult": 1, "break": ["a"]}, "response_format": {"type": "json_schema", "json_schema": {"schema": {"type": "object"}}}},
         "/v1/responses": {"input": [{"role": "user", "content": [{"type": "input_text", "text": "Hi"}]}, {"type": "reasoning", "summary": [{"type": "summary_text", "text": "t"}]},
                                     {"type": "function_call", "call_id": "a", "name": "f", "arguments": "{}"}, {"type": "function_call_output", "call_id": "a", "output": "noon"}],
                           "tools": [{"type": "function", "name": "f", "parameters": {"type": "object"}}], "text": {"format": {"type": "text"}}, "reasoning": {"effort": "low"}, "max_output_tokens": 1},
         "/v1/messages": {"max_tokens": 1, "system": [{"type": "text", "text": "s"}], "tools": [{"name": "f", "input_schema": {"type": "object"}}], "tool_choice": {"type": "auto"},
                          "messages": [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": [{"type": "tool_use", "id": "a", "name": "f", "input": {}}]},
                                       {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "a", "content": [{"type": "text", "text": "r"}]}]}]},
         "/api/chat": {"messages": [{"role": "user", "content": "Hi", "images": []}, {"role": "assistant", "content": "x", "tool_calls": [CALL]}, {"role": "tool", "tool_name": "f", "content": "r"}],
                       "tools": [TOOL], "options": {"num_predict": 1, "stop": ["x"]}, "format": {"type": "object"}, "stream": False},
         "/api/generate": {"prompt": "Hi", "options": {"num_predict": 1}, "stream": False},
         "/infill": {"input_prefix": "a", "input_suffix": "b", "input_extra": [{"filename": "f", "text": "t"}], "n_predict": 1},
         "/v1/embeddings": {"input": ["a", [1, 2]]}, "/strata/steps": {"messages": TALK[:1], "watch": [1]}, "/apply-template": {"messages": TALK, "tools": [TOOL]}}


def paths(value, path=()):
    for key, inner in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield path + (key,)
        yield from paths(inner, path + (key,))


def put(value, path, other):
    value = json.loads(json.dumps(value))
    at = value
    for key in path[:-1]:
        at = at[key]
    at[path[-1]] = other
    return value


def fine(server, path, body):
    try:
        return server.post(path, body)[0] in (200, 400, 404)
    except OSError:
        return False  # no answer


with Server() as main:
    for path, seed in SEEDS.items():
        wrong = [(where, other) for where in paths(seed) for other in (None, True, 5, "", "a", [], {}, [None], {"a": None}) if not fine(main, path, put(seed, where, other))]
        check("any value anywhere: " + path, wrong, [])
    without = main.post("/v1/chat/completions", {"messages": [{"role": None, "content": "x"}], "tools": [TOOL]})
    check("a role of null is none", (without[0], without[1]["error"]["message"]), (400, "messages[0]: role is missing"))
    check("and the server goes on", main.get("/health")[0], 200)
finish()
