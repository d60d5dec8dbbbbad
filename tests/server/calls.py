"""calls.py - calls of tools as Llama, Mistral and Qwen write them: the template of a file says which it is."""
import json
import re
import subprocess
import tempfile

from client import STRATA, Server, check, finish, storyteller_with

CHAT = "/v1/chat/completions"
SAID = [{"role": "user", "content": "Is it warm in Rome?"}]
LLAMA = """{% for m in messages %}<|start_header_id|>{{ m.role }}<|end_header_id|>

{% if tools and loop.first %}Given these functions answer with {"name": name, "parameters": dictionary}. {{ tools | tojson }}{% endif %}
{% if 'tool_calls' in m %}{{ '{"name": "' + m.tool_calls[0].function.name + '", "parameters": ' }}{{ m.tool_calls[0].function.arguments | tojson }}}{% else %}{{ m.content }}{% endif %}<|eot_id|>{% endfor %}
{% if add_generation_prompt %}<|start_header_id|>assistant<|end_header_id|>

{% endif %}"""
MISTRAL = """{% if tools %}[AVAILABLE_TOOLS]{{ tools | tojson }}[/AVAILABLE_TOOLS]{% endif %}{% for m in messages %}{% if m.role == 'user' %}[INST]{{ m.content }}[/INST]
{% elif m.tool_calls is defined %}CALLED%{% for c in m.tool_calls %}{% if c.id | length != 9 %}{{ raise_exception('an id of nine letters') }}{% endif %}{% endfor %}
{% elif m.role == 'tool' %}[TOOL_RESULTS]{{ m.content }}[/TOOL_RESULTS]{% else %}{{ m.content }}</s>{% endif %}{% endfor %}"""
LISTED = MISTRAL.replace("CALLED%", "[TOOL_CALLS][{% for c in m.tool_calls %}{{ c.function | tojson }}{% if not loop.last %}, {% endif %}{% endfor %}]")
NAMED = MISTRAL.replace("CALLED%", "{% for c in m.tool_calls %}[TOOL_CALLS]{{ c.function.name }}[ARGS]{{ c.function.arguments | tojson }}{% endfor %}")
NUMBERED = MISTRAL.replace("CALLED%", "{% for c in m.tool_calls %}[TOOL_CALLS]{{ c.function.name }}[CALL_ID]{{ c.id }}[ARGS]{{ c.function.arguments | tojson }}{% endfor %}")
QWEN = """{% for m in messages %}{% if '</think>' in m.content %}{% endif %}{{ m.role }}: {% if tools and loop.first %}<tools>{{ tools | tojson }}</tools> "arguments"{% endif %}{{ m.content }}{% for c in m.tool_calls or [] %}
<tool_call>
{"name": "{{ c.function.name }}", "arguments": {{ c.function.arguments | tojson }}}
</tool_call>{% endfor %}
{% endfor %}"""
CODER = QWEN.replace('{"name": "{{ c.function.name }}"', "<function={{ c.function.name }}>")
SPECIAL = {"special": (b"<|im_start|>", b"[TOOL_CALLS]")}  # a token without text


def tool(name, **properties):
    return {"type": "function", "function": {"name": name, "description": "d", "parameters": {
        "type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}}}


TOOLS = [tool("weather", city={"type": "string", "enum": ["Rome", "Oslo"]}), tool("count", to={"$ref": "#/$defs/n"})]
TOOLS[1]["function"]["parameters"]["$defs"] = {"n": {"type": "integer", "minimum": 1, "maximum": 99}}


def is_call(call):
    name, given = call["function"]["name"], json.loads(call["function"]["arguments"])
    return bool(re.match("[a-z0-9]{9}$", call["id"])) and call["type"] == "function" and (
        (name == "weather" and given["city"] in ("Rome", "Oslo")) or (name == "count" and 1 <= given["to"] <= 99))


def a_form(name, template, mark, several=False, push=None, **names):
    """several: this model, which knows nothing of calls, writes more than one.  push: biases that make it begin one."""
    with storyteller_with(template, **names) as file, Server("--places", "4", model=file.name) as server:
        body = {"messages": SAID, "tools": TOOLS, "tool_choice": "required", "max_tokens": 100, "temperature": 1.5, "logit_bias": push}
        weather = {"type": "function", "function": {"name": "weather"}}
        if not several:
            body["tool_choice"] = weather

        def ask(**fields):
            status, data = server.post(CHAT, dict(body, **fields))
            return data["choices"][0] if status == 200 else (status, data)

        prompt = server.post("/apply-template", {"messages": SAID, "tools": TOOLS})[1]["prompt"]
        check(name + ": the template tells of the tools, or a system's message does", ('"weather"' in prompt, prompt.count("<tools>") < 2), (True, True))
        calls = [k for seed in range(8) for k in ask(seed=seed)["message"]["tool_calls"]]
        check(name + ": calls come, and are read", (len(calls) > 8 if several else len(calls) == 8, all(is_call(k) for k in calls)), (True, True))
        one = [ask(seed=seed, parallel_tool_calls=False) for seed in range(8)]
        check(name + ": or one, and that is the end", ({len(c["message"]["tool_calls"]) for c in one}, {c["finish_reason"] for c in one}), ({1}, {"tool_calls"}))
        if several:
            check(name + ": of either function", {k["function"]["name"] for k in calls}, {"weather", "count"})
        only = ask(tool_choice={"type": "function", "function": {"name": "count"}}, seed=1, parallel_tool_calls=False)
        check(name + ": or the one that was named", (only["finish_reason"], only["message"]["content"], only["message"]["tool_calls"][0]["function"]["name"]), ("tool_calls", None, "count"))
        for seed in range(3):
            events = server.events(CHAT, dict(body, seed=seed, parallel_tool_calls=False))
            deltas = [c["delta"] for e in events[:-1] for c in e["choices"]]
            calls = [k for d in deltas for k in d.get("tool_calls", [])]
            whole = ask(seed=seed, parallel_tool_calls=False)
            check(name + ": streamed it is one delta, the same", [k["function"] for k in calls], [k["function"] for k in whole["message"].get("tool_calls", [])])
            check(name + ": and what stands before it is text", "".join(d.get("content") or "" for d in deltas), whole["message"]["content"] or "")
        noted = ask(seed=1, logprobs=True, parallel_tool_calls=False)
        spelled = "".join(t["token"] for t in noted["logprobs"]["content"])
        check(name + ": the tokens spell it as the form does", mark in spelled or spelled[:300])
        free = [ask(seed=seed, tool_choice="auto", max_tokens=30, logit_bias=None) for seed in range(4)]
        check(name + ": it may be left alone", all("tool_calls" not in c["message"] and mark not in c["message"]["content"] for c in free))
        talk = SAID + [{"role": "assistant", "content": None, "tool_calls": one[0]["message"]["tool_calls"]},
                       {"role": "tool", "tool_call_id": one[0]["message"]["tool_calls"][0]["id"], "content": "sunny"}]
        status, data = server.post("/apply-template", {"messages": talk, "tools": TOOLS})
        check(name + ": the call comes back as it was written", (status, mark in data.get("prompt", "")), (200, True))
        check(name + ": and its result", "sunny" in data["prompt"])
        with tempfile.NamedTemporaryFile("w", suffix=".json") as listed:
            json.dump(TOOLS[:1], listed)
            listed.flush()
            told = subprocess.run([STRATA, "chat", "-m", file.name, "--quiet", "--tools", listed.name, "--tool-choice", "required", "-n", "120"],
                                  input="Hi\n/quit\n", capture_output=True, text=True, check=True).stdout
            check(name + ": strata chat reads it, too", bool(re.search(r'\[call\] weather \{"city":"(Rome|Oslo)"\}', told)) or told)


a_form("Llama 3", LLAMA, '"parameters": ')
a_form("Mistral, a list", LISTED, "[TOOL_CALLS][", several=True, **SPECIAL)
a_form("Mistral, by name", NAMED, "[ARGS]", several=True, push={"1": 100}, **SPECIAL)
a_form("Mistral, numbered", NUMBERED, "[CALL_ID]")
a_form("Qwen", QWEN, "<tool_call>")
a_form("another notation", CODER, "<tool_call>")
finish()
