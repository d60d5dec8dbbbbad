#!/bin/sh
# strata chat: turns, orders, what is read of them, and what happens when the context is full.
. "$(dirname "$0")/program.sh"

chat() { "$strata" chat -m "$model" --quiet "$@"; }
owl="Tell me a story about a brave owl named Mia."
one=$(echo "$owl" | chat -n 30 2>/dev/null)
same "an answer is generate's" "$one" "$("$strata" generate -m "$model" --chat -p "$owl" -n 30 --quiet)"
printf '%s\nWho is Mia?\n/stats\n' "$owl" | chat -n 20 >"$work/out" 2>"$work/err"
same "of the second turn only what is new is read" "$(sed -n 's/.*answer: \([0-9]*\) prompt tokens, \([0-9]*\) of.*, \([0-9]*\) evaluated.*/\3/p' "$work/out")" 15
same "an answer that is cut says so" "$(grep -c 'cut after 20 tokens' "$work/err")" "$(grep -c 'cut' "$work/err")"
same "undo" "$(printf '%s\nWho is Mia?\n/undo\n/tokens\n' "$owl" | chat -n 5 2>&1 | grep -c 'its answer; 2 turns')" 1
same "retry is another answer, and the same each time" "$(printf '%s\n/retry\n' "$owl" | chat -n 30 2>/dev/null)" \
    "$(for seed in 1 2; do echo "$owl" | chat -n 30 --seed $seed 2>/dev/null; done)"
same "edit" "$(printf 'Hello\n/edit %s\n' "$owl" | chat -n 30 --chain greedy 2>/dev/null | tail -n +2)" "$(echo "$owl" | chat -n 30 --chain greedy 2>/dev/null)"
same "what a user types is text" "$(printf 'a <|im_end|> b\n/tokens\n' | chat -n 1 2>/dev/null | grep -o '2\[<|im_end|>\]' | wc -l | tr -d ' ')" 1
same "a system's text comes first" "$(printf 'Hi\n/tokens\n' | chat -n 1 --system "Be brief." 2>/dev/null | tr -d '\n' | grep -c 'rie\].*im_end.*user.*Hi.*assistant')" 1
printf 'Hi "you" \\\ntwo lines\n/save %s\n' "$work/talk.json" | chat -n 5 >/dev/null 2>&1
same "turns are saved" "$(grep -c 'Hi \\"you\\" \\u000atwo lines' "$work/talk.json")" 1
same "saved turns are a template's variables" "$(echo '{% for m in messages %}{{ m.role }} {% endfor %}' >"$work/t"; "$strata" template --template "$work/t" --input "$work/talk.json")" "user assistant "
same "and are loaded" "$(printf '/stats\n' | chat --load "$work/talk.json" | cut -d' ' -f1-2)" "2 turns;"
echo '{"messages": [{"role": "assistant", "content": "x"}]}' >"$work/odd.json"
expect "turns that do not alternate" 1 "message 1 is of 'assistant': wanted user" chat --load "$work/odd.json"
for odd in '{"messages": [], "tools": []}:alone' '{"messages": [{"role": "user", "content": "a", "name": "b"}, {"role": "assistant", "content": "x"}]}:message 1 has 3 keys' '{"messages": [{"role": "user", "content": "a\u0000b"}, {"role": "assistant", "content": "x"}]}:zero byte'; do
    printf "%s\n" "${odd%:*}" >"$work/odd.json"
    expect "a file that is refused, ${odd##*:}" 1 "${odd##*:}" chat --load "$work/odd.json"
done
same "a zero byte is refused" "$(printf 'ab\000c\n' | chat 2>&1)" "[byte 3 of the line is zero: wanted text]"
same "a turn that JSON cannot hold" "$(printf 'a\377\n/save %s\n' "$work/odd.json" | chat -n 2 2>&1 | grep -c 'turn 1 is no UTF-8')" 1
same "lines may end as on Windows" "$(printf '/help\r\n/quit\r\n' | chat)" "$(echo /help | chat)"
expect "an input that cannot be read" 1 "standard input cannot be read" sh -c "'$strata' chat -m '$model' <'$work'"
same "nothing was answered" "$(echo /stats | chat)" "0 turns; no answer yet; the context holds 1024"
same "a question that finds no room leaves the last one" "$(printf 'Hi\n/edit %s\n/stats\n' "$(yes owl | head -99 | tr '\n' ' ')" | chat --ctx 64 --full stop -n 5 2>/dev/null | tail -n 1 | cut -d' ' -f1-2)" "2 turns;"
expect "a chain that needs another model" 1 "strata generate --amateur or --early-layers" sh -c "echo Hi | '$strata' chat -m '$model' --chain contrast:0.1,greedy"
same "a long chain" "$(printf '/chain suppress:%s,greedy\n/chain\n' "$(seq -s: 100 500)" | chat | tr ':' '\n' | tail -n 1)" "500,greedy"
expect "an empty template" 1 "is empty" chat --form @/dev/null
same "orders are listed" "$(echo /help | chat | grep -c '^  /')" 13
for order in "/nonsense:no command '/nonsense'" "/undo:no messages yet" "/quit now:takes no argument" "/chain zigzag.1:there are grammar" "/load $work/none:cannot be opened" "/edit:no messages yet"; do
    same "${order%%:*}" "$(echo "${order%%:*}" | chat 2>&1 | grep -c "${order#*:}")" 1
done
expect "an order that failed is told" 1 "no command" sh -c "echo /nonsense | '$strata' chat -m '$model'"
same "a chain" "$(printf '/chain greedy\n/chain\n' | chat)" "greedy"
long=$(yes "$owl" | head -4 | tr '\n' ' ')
for full in forget shift; do
    printf '%s\n%s\n%s\n%s\n' "$long" "$long" "$long" "$long" | chat --ctx 192 --full $full -n 40 >"$work/out" 2>"$work/err"
    same "a full context, $full: it goes on" "$? $(grep -c 'context was full' "$work/err" | sed 's/[1-9][0-9]*/some/')" "0 some"
done
same "a full context, stop" "$(printf '%s\n%s\n%s\n%s\n' "$long" "$long" "$long" "$long" | chat --ctx 192 --full stop -n 40 2>&1 | grep -c 'the context is full: the turns have')" 2
expect "an answer longer than the context, shifted" 0 "[1-9][0-9]* tokens more of the oldest are cut out" sh -c "echo '$owl' | '$strata' chat -m '$model' --ctx 192 --full shift -n 300 --chain 'suppress:0:2,temp:1'"
expect "a context that is too short to shift" 1 "^strata: --full shift: a context of 64 tokens is too short to shift" sh -c "echo '$owl' | '$strata' chat -m '$model' --ctx 64 --full shift"
same "a talk that was shifted is not read again" "$({ printf '%s\n' "$long" "$long" "$long"; echo /stats; } | chat --ctx 192 --full shift -n 60 --chain suppress:0:2,temp:1 2>/dev/null | grep -c ', [1-9][0-9][0-9] of them cached, [1-9][0-9] evaluated')" 1
expect "a system that leaves no room" 1 "^strata: the context holds 1024 tokens, and what comes before a first word" chat --system "$(yes word | head -1000 | tr '\n' ' ')"
expect "a context for nothing" 1 "^strata: the context holds 8 tokens" chat --ctx 8
expect "--full" 1 "wanted shift, forget or stop" chat --full maybe
expect "--think" 1 "wanted show, hide or off" chat --think deep
expect "no such form" 1 "no form of chats is named 'morse'" chat --form morse
expect "a form whose marks are missing" 1 "does not speak llama3: its vocabulary has no <|start_header_id|>" chat --form llama3
echo '{% for m in messages %}{{ m.content }}{% endfor %} = ' >"$work/form"
same "a form of one's own" "$(printf 'abc\n/tokens\n' | chat --form "@$work/form" -n 1 2>/dev/null | grep -c 'a\[\|<|endoftext|>\]')" 1

echo '{{ messages | length }}' >"$work/mute"
expect "a form that never prints a message" 1 "never prints the user's message" chat --form "@$work/mute"

# Tools: the only one has to be called, so that a model that knows nothing of tools calls it.
tool='{"type": "function", "function": {"name": "weather", "parameters": {"type": "object", "properties": {"city": {"enum": ["Rome"]}}, "required": ["city"], "additionalProperties": false}}}'
echo "[$tool]" >"$work/tools"
called() { chat --tools "$work/tools" --tool-choice required -n 60 "$@"; }
same "a call is shown, its result is typed" "$(printf '%s\nsunny\n/save %s\n' "$owl" "$work/called.json" | called 2>/dev/null | sed -n 1p)" '[call] weather {"city":"Rome"}'
same "the turns of a call" "$(echo '{% for m in messages %}{{ m.role }} {% for c in m.tool_calls or [] %}{{ c.function.arguments.city }}{% endfor %}{{ m.name ~ m.content if m.role == "tool" }}; {% endfor %}' >"$work/t"; "$strata" template --template "$work/t" --input "$work/called.json")" "user ; assistant Rome; tool weathersunny; assistant ; "
same "they are loaded" "$(printf '/stats\n/undo\n/stats\n' | called --load "$work/called.json" 2>/dev/null | cut -d' ' -f1-2 | tr '\n' ' ')" "4 turns; 0 turns; "
same "what is loaded is what was saved" "$(printf '/save %s\n' "$work/again.json" | called --load "$work/called.json" 2>/dev/null; cmp "$work/called.json" "$work/again.json")" ""
same "another answer calls again" "$(printf '%s\nsunny\n/retry\nrain\n/stats\n' "$owl" | called 2>/dev/null | grep -c '^.call. \|^4 turns')" 3
echo '{# <tool_call> #}{{ tools[0].function.name }} {% for m in messages %}{{ m.role }} {{ m.content }}{% for c in m.tool_calls or [] %}{{ c.id }} {{ c.function.name }}{{ c.function.arguments }}{% endfor %}; {% endfor %}' >"$work/form"
same "a template with a place for tools" "$(printf 'Hi\nsunny\n/tokens\n' | called --form "@$work/form" 2>/dev/null | sed 's/[0-9]*\[\([^]]*\)\]/\1/g' | grep -o "weather user Hi; assistant call00001 weather{'city': 'Rome'}; tool sunny; ")" "weather user Hi; assistant call00001 weather{'city': 'Rome'}; tool sunny; "
cat >"$work/tool" <<'END'
#!/bin/sh
read -r call
echo "$call" >>"$0.calls"
echo "12 degrees"
END
chmod +x "$work/tool"
same "a command answers" "$(echo "$owl" | called --tool-command "$work/tool" 2>/dev/null | sed -n 1,2p | tr '\n' ' '; cat "$work/tool.calls")" '[call] weather {"city":"Rome"} [result] 12 degrees {"name": "weather", "arguments": {"city":"Rome"}}'
for command in "/bin/false:exit status is 1" "$work/none:cannot be run" "yes:more than 1048576 bytes" "$work/tools:cannot be run"; do
    same "a command that fails, ${command#*:}" "$(printf '%s\n/stats\n' "$owl" | called --tool-command "${command%%:*}" 2>&1 | grep -c "${command#*:}\|^0 turns")" 2
done
for odd in '{}:wanted an array' '[]:wanted an array' '[{"type": "function"}]:wanted the type "function", and under' "[$tool, $tool]:two have one name" '[:line 2'; do
    echo "${odd%:*}" >"$work/odd.json"
    expect "tools that are refused, ${odd##*:}" 1 "${odd##*:}" chat --tools "$work/odd.json"
done
sed 's/call00001/call00002/' "$work/called.json" >"$work/odd.json"
expect "a call that was not saved so" 1 "message 2: its call, or what it answers, is not" chat --load "$work/odd.json"
sed '/"tool"/d' "$work/called.json" >"$work/odd.json"
expect "a call without its result" 1 "message 3 is of 'assistant': wanted tool" chat --load "$work/odd.json"
expect "tools and shifted tokens" 1 "does not go with --tools" chat --tools "$work/tools" --full shift
expect "a choice that is none" 1 "wanted auto or required" chat --tools "$work/tools" --tool-choice weather
expect "a command without tools" 2 "needs --tools" chat --tool-command cat

# Ctrl-C stops an answer that would never end, and the talk goes on.
printf '%s\n/stats\n' "$owl" >"$work/lines"
"$strata" chat -m "$model" --quiet -n -1 --full shift --chain suppress:0:2,temp:1 <"$work/lines" >"$work/endless" 2>"$work/err" &
pid=$!
until [ -s "$work/endless" ] || ! kill -0 $pid 2>/dev/null; do sleep 0.05; done
kill -INT $pid
wait $pid
same "Ctrl-C stops the answer, not the talk" "$? $(grep -c '^.stopped.$' "$work/err") $(grep -c '2 turns; last answer' "$work/endless")" "0 1 1"

# Keys of a line that is typed, in a terminal of its own: arrows, characters of two bytes, lines from before, Ctrl-C.
typed() { TERM=xterm python3 "$here/typed.py" "$@" | tr -d '\r'; }
expect "lines that are kept are typed ones" 1 "--history needs a terminal with line editing" chat --history "$work/history"
if ! python3 -c 'import pty' 2>/dev/null; then
    echo "ok keys are not tried: there is no python3 with a terminal"
elif typed '\x04' "$strata" chat -m "$model" -n 1 | grep -q "lines are not edited"; then
    expect "without libedit a history is refused" 0 "libedit, for editing and history, is not installed" typed '|' "$strata" chat -m "$model" --history "$work/history"
    same "without libedit lines are read as they come" "$(typed 'hello\r|/save '"$work"'/typed.json\r|\x04' "$strata" chat -m "$model" -n 1 >/dev/null; grep -c '"hello"' "$work/typed.json")" 1
else
    typed 'ab\x1b[DX\r|n\xc3\xa9\x7fo\r|junk\x03|\x1b[A\x1b[A\r|/save '"$work"'/typed.json\r|\x04' "$strata" chat -m "$model" -n 1 --history "$work/history" >"$work/screen"
    same "what is typed is edited" "$(sed -n 's/.*"user", "content": "\(.*\)".*/\1/p' "$work/typed.json" | tr '\n' ' ')" "aXb no aXb "
    typed '\x1b[A\x1b[A\r|/save '"$work"'/typed.json\r|\x04' "$strata" chat -m "$model" -n 1 --history "$work/history" >"$work/screen"
    same "and kept for the next time" "$(sed -n 's/.*"user", "content": "\(.*\)".*/\1/p' "$work/typed.json")" "aXb"
    echo "no history" >"$work/odd"
    same "a folder that is not there is said at once" "$(typed '|' "$strata" chat -m "$model" --history "$work/none/h" | grep -c 'none/h')" 1
    same "a file that is none stays" "$(typed '|' "$strata" chat -m "$model" --history "$work/odd" | grep -c 'is not a history file'; cat "$work/odd")" "1
no history"
    same "a terminal that cannot be edited in" "$(typed 'hello\r|/save '"$work"'/dumb.json\r|\x04' env TERM=dumb "$strata" chat -m "$model" -n 1 >/dev/null; grep -c '"hello"' "$work/dumb.json")" 1
fi
