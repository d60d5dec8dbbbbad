#!/bin/sh
# strata template: what a chat template makes of a conversation, from a file or a model.
. "$(dirname "$0")/program.sh"

cat >"$work/chat.jinja" <<'END'
{%- for m in messages %}
{%- if m.role not in ['user', 'assistant'] %}
{{- raise_exception('no role ' ~ m.role) }}
{%- endif %}
<{{ m.role }}>{{ m.content | trim }}</s>
{% endfor %}
{%- if add_generation_prompt %}<assistant>{% endif %}
END
echo '{"messages": [{"role": "user", "content": " Hi <b> "}], "add_generation_prompt": true}' >"$work/chat.json"
same "a conversation" "$("$strata" template --template "$work/chat.jinja" --input "$work/chat.json")" "$(printf '<user>Hi <b></s>\n<assistant>')"
same "what is a user's" "$("$strata" template --template "$work/chat.jinja" --input - --show-user <"$work/chat.json")" "$(printf '<[[user]]>[[Hi <b>]]</s>\n<assistant>')"
same "the template itself" "$("$strata" template --template "$work/chat.jinja" --source)" "$(cat "$work/chat.jinja")"
echo '{{ strftime_now("%d %b %Y %H:%M") }}' >"$work/now.jinja"
same "a given time" "$(echo '{}' | "$strata" template --template "$work/now.jinja" --input - --now "2026-07-26 12:34:56")" "26 Jul 2026 12:34"
echo '{"messages": [{"role": "tool", "content": ""}]}' >"$work/tool.json"
expect "a template that refuses" 3 "line 3: TemplateError: no role tool" "$strata" template --template "$work/chat.jinja" --input "$work/tool.json"
echo '{% if x %}' >"$work/open.jinja"
expect "a template that is none" 3 "line 1: TemplateSyntaxError: Unexpected end of template" "$strata" template --template "$work/open.jinja" --input "$work/chat.json"
echo '[1]' >"$work/list.json"
expect "variables that are no object" 3 "variables are a JSON object" "$strata" template --template "$work/now.jinja" --input "$work/list.json"
echo '{' >"$work/broken.json"
expect "variables that are no JSON" 1 "JSON, line 2, column 1" "$strata" template --template "$work/now.jinja" --input "$work/broken.json"
expect "no template" 2 "no template: give" "$strata" template --input "$work/chat.json"
expect "no variables" 2 "no variables: give" "$strata" template --template "$work/chat.jinja"
expect "one standard input" 2 "cannot both read standard input" "$strata" template --template - --input -
expect "two templates" 2 "one template at a time" "$strata" template --template "$work/chat.jinja" -m "$model" --input "$work/chat.json"
expect "the source takes no variables" 2 "unrendered" "$strata" template --template "$work/chat.jinja" --source --input "$work/chat.json"
expect "no time" 1 "wanted a time as" "$strata" template --template "$work/now.jinja" --input "$work/tool.json" --now noon
expect "a day that no month has" 1 "wanted a time as" "$strata" template --template "$work/now.jinja" --input "$work/tool.json" --now "2026-02-30 00:00:00"
expect "a file that is not there" 1 "none.jinja cannot be opened" "$strata" template --template "$work/none.jinja" --input "$work/chat.json"
