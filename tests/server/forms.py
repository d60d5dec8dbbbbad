"""forms.py - how families of models write calls of tools: templates of their chats, and tools to call."""
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

# name, template, what only it writes, names of tokens; several: this model, which knows nothing of calls, writes more than one
FORMS = [("Llama 3", LLAMA, '"parameters": ', {}), ("Mistral, a list", LISTED, "[TOOL_CALLS][", dict(several=True, **SPECIAL)),
         ("Mistral, by name", NAMED, "[ARGS]", SPECIAL), ("Mistral, numbered", NUMBERED, "[CALL_ID]", {}),
         ("Qwen", QWEN, "<tool_call>", {}), ("another notation", CODER, "<tool_call>", {})]
