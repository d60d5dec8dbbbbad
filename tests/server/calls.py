"""calls.py - calls of tools as Llama, Mistral and Qwen write them: the template of a file says which it is."""
import json
import re
import subprocess
import tempfile

from client import STRATA, Server, check, finish, storyteller_with
from forms import FORMS, TOOLS

CHAT = "/v1/chat/completions"
SAID = [{"role": "user", "content": "Is it warm in Rome?"}]


def is_call(call):
    name, given = call["function"]["name"], json.loads(call["function"]["arguments"])
    return bool(re.match("[a-z0-9]{9}$", call["id"])) and call["type"] == "function" and (
        (name == "weather" and given["city"] in ("Rome", "Oslo")) or (name == "count" and 1 <= given["to"] <= 99))


def complete(choice):
    """Its calls without the one that the limit cut off."""
    calls = choice["message"]["tool_calls"]
    return calls[:-1] if choice["finish_reason"] == "length" else calls


def a_form(name, template, mark, several=False, **names):
    with storyteller_with(template, **names) as file, Server("--places", "4", model=file.name) as server:
        body = {"messages": SAID, "tools": TOOLS, "tool_choice": "required", "max_tokens": 100, "temperature": 1.5}
        weather = {"type": "function", "function": {"name": "weather"}}
        if not several:
            body["tool_choice"] = weather

        def ask(**fields):
            status, data = server.post(CHAT, dict(body, **fields))
            return data["choices"][0] if status == 200 else (status, data)

        forced = [ask(seed=seed, tool_choice="required", parallel_tool_calls=False, max_tokens=200) for seed in range(12)]
        check(name + ": required of two tools, every text begins with a call",
              [(c["finish_reason"], c["message"]["content"], [is_call(k) for k in c["message"].get("tool_calls", [])]) for c in forced],
              [("tool_calls", None, [True])] * 12)

        prompt = server.post("/apply-template", {"messages": SAID, "tools": TOOLS})[1]["prompt"]
        check(name + ": the template tells of the tools, or a system's message does", ('"weather"' in prompt, prompt.count("<tools>") < 2), (True, True))
        calls = [k for seed in range(8) for k in complete(ask(seed=seed))]
        check(name + ": calls come, and are read", (len(calls) > 8 if several else len(calls) == 8, all(is_call(k) for k in calls)), (True, True))
        one = [ask(seed=seed, parallel_tool_calls=False) for seed in range(8)]
        check(name + ": or one, and that is the end", ({len(c["message"]["tool_calls"]) for c in one}, {c["finish_reason"] for c in one}), ({1}, {"tool_calls"}))
        if several:
            check(name + ": of either function", {k["function"]["name"] for k in calls}, {"weather", "count"})
        only = ask(tool_choice={"type": "function", "function": {"name": "count"}}, seed=1, parallel_tool_calls=False)
        check(name + ": or the one that was named", (only["finish_reason"], only["message"]["content"], only["message"]["tool_calls"][0]["function"]["name"]), ("tool_calls", None, "count"))
        noted = ask(seed=1, logprobs=True, parallel_tool_calls=False)
        spelled = "".join(t["token"] for t in noted["logprobs"]["content"])
        check(name + ": the tokens spell it as the form does", mark in spelled or spelled[:300])
        free = [ask(seed=seed, tool_choice="auto", max_tokens=30) for seed in range(4)]
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


for name, template, mark, more in FORMS:
    a_form(name, template, mark, **more)
finish()
