#!/bin/sh
# One published model through everything, and a page about it to attach to an issue.
#
#   make acceptance MODEL=FILE.gguf [LLAMA_CPP=DIR] [TEXT=FILE]        build/acceptance.md
#
# inspect, tokens and back, perplexity on a text (this project's README), greedy text (again, and with one thread), as Q8_0 and
# Q4_K_M, chat, server; with LLAMA_CPP its tokens, its greedy text and its perplexity beside ours.  Ends with 1 when a row fails.
cd "$(dirname "$0")/.." || exit 1
. tests/peers/tools.sh
strata=${STRATA:-build/bin/strata} page=${PAGE:-build/acceptance.md} model=${MODEL:-} prompt="The capital of France is"
if [ ! -f "$model" ]; then
    echo "acceptance: MODEL is '$model': wanted a GGUF file: make acceptance MODEL=FILE.gguf" >&2
    exit 2
fi
work=$(mktemp -d) || exit 1
server=''
stop() { [ -z "$server" ] || kill "$server" 2>/dev/null; rm -rf "$work"; }
trap stop EXIT
trap 'exit 1' INT TERM
head -c 12000 "${TEXT:-README.md}" >"$work/text"

row() { printf '| %s | %s | %s |\n' "$1" "$2" "$(printf '%s' "$3" | tr '\n|' ' /' | cut -c1-200)" >>"$work/rows"; } # row WHAT yes|no|- ABOUT
section() { { printf '\n## %s\n\n```\n' "$1" && cat && printf '\n```\n'; } >>"$work/rest"; }
same() { if [ "$2" = "$3" ]; then row "$1" yes "$4"; else row "$1" no "$(printf %s "$2" | head -c 90) / $(printf %s "$3" | head -c 90)"; fi; }
numbers() { tr -cs '0-9' '\n' | grep . | paste -s -d ' ' -; }
message() { grep . "$work/err" | tail -n 1; }
says() { "$strata" generate -m "$model" -p "$prompt" -n 32 --chain greedy --quiet "$@" 2>"$work/err" </dev/null; }
perplexity() { # perplexity FILE: on the text
    "$strata" perplexity -m "$1" -f "$work/text" --window "$window" 2>"$work/err" | sed -n 's/^perplexity \([0-9.e+]*\).*/\1/p'
}

inspected() {
    if "$strata" inspect "$model" >"$work/out" 2>"$work/err"; then row inspect yes "$(sed -n '1s/.*: GGUF/GGUF/p' "$work/out")"; else row inspect no "$(message)"; fi
    cut -c1-140 "$work/out" | head -n 60 | section "strata inspect"
}

tokens() {
    printf '%s \tHello, W\303\266rld! \346\274\242\345\255\227 \360\237\246\212 <b>12345</b>\n\n  x = [1, 2];' "$prompt" >"$work/odd"
    size=$(wc -c <"$work/odd" | tr -d ' ')
    "$strata" tokenize -m "$model" --all <"$work/odd" >"$work/ids" 2>"$work/err"
    "$strata" tokenize -m "$model" --all --decode <"$work/ids" 2>>"$work/err" | head -c "$size" >"$work/back"
    if cmp -s "$work/odd" "$work/back"; then
        row "tokens and back" yes "$(wc -w <"$work/ids" | tr -d ' ') tokens of $size bytes"
    elif grep -q 'tokenizer.ggml.model  *"\(t5\|bert\)"' "$work/out"; then
        row "tokens and back" - "this kind of vocabulary changes texts: $(cat "$work/back")"
    else
        row "tokens and back" no "$(message) $(cat "$work/back")"
    fi
}

greedy() {
    text=$(says)
    if [ -z "$text" ] && grep -q 'does not write' "$work/err"; then
        row greedy - "$(message)"
        if "$strata" embed -m "$model" "$prompt" >"$work/out" 2>"$work/err" </dev/null; then row vector yes "$(head -c 60 "$work/out")"; else row vector no "$(message)"; fi
        return 1
    fi
    [ -n "$text" ] || { row greedy no "$(message)" && return 1; }
    same "greedy, twice" "$text" "$(says)" "$text"
    same "greedy, with one thread" "$text" "$(says -t 1)" "the same"
    printf '%s' "$text" | section "greedy"
}

quantized() {
    window=$(sed -n 's/.*\.context_length  *\([0-9]*\).*/\1/p' "$work/out" | head -n 1)
    [ "${window:-256}" -lt 256 ] || window=256
    before=$(perplexity "$model")
    case $before in '') row perplexity no "$(message)" && return ;; *) row perplexity - "$before, windows of $window (nothing to compare it with)" ;; esac
    for type in Q8_0 Q4_K_M; do
        if ! "$strata" quantize "$model" "$work/small.gguf" $type >"$work/out" 2>"$work/err"; then
            row "as $type" no "$(message)"
            continue
        fi
        after=$(perplexity "$work/small.gguf")
        near=$(awk -v a="$before" -v b="${after:-0}" -v most="$([ $type = Q8_0 ] && echo 1.02 || echo 1.3)" 'BEGIN { print (b > 0 && b < a * most) ? "yes" : "no" }')
        row "as $type" "$near" "perplexity ${after:-: $(message)}; $(($(wc -c <"$work/small.gguf") / 1000000)) MB"
        rm -f "$work/small.gguf"
    done
}

chat() {
    answer=$(echo "What is the capital of France?" | "$strata" chat -m "$model" --chain greedy -n 48 --quiet 2>"$work/err")
    if [ -n "$answer" ]; then
        row chat yes "$answer"
    else
        row chat "$(if grep -q 'has no template for chats' "$work/err"; then echo -; else echo no; fi)" "$(message)"
    fi
}

served() {
    command -v curl >/dev/null || { row server - "curl is not installed" && return; }
    "$strata" serve -m "$model" --port 0 --quiet >"$work/port" 2>"$work/err" &
    server=$!
    for _ in $(seq 600); do
        [ ! -s "$work/port" ] && kill -0 $server 2>/dev/null && sleep 0.2
    done
    url=$(sed -n 's/.*\(http:[^ ]*\)$/\1/p' "$work/port")
    ask() { curl -s -m 600 -H 'Content-Type: application/json' -d "{\"prompt\": \"$prompt\", \"max_tokens\": 32, \"temperature\": 0}" "$url/v1/completions" | sed 's/.*"text": *"//; s/"[,}].*//'; }
    one=$(ask)
    if [ -n "$url" ] && [ -n "$one" ]; then same "server, twice" "$one" "$(ask)" "$one"; else row server no "$(message)"; fi
    kill $server 2>/dev/null
    wait $server
    server=''
}

# The ids of both programs, 32 tokens of greedy text, and the perplexities, which may differ by 1 %.
beside_llama() {
    tokenizer=$(find_tool llama-tokenize) simple=$(find_tool llama-simple) theirs=$(find_tool llama-perplexity)
    if [ -n "$tokenizer" ]; then
        ids=$("$tokenizer" -m "$model" -f "$work/odd" --ids --no-bos --no-escape --no-parse-special --log-disable 2>/dev/null | numbers)
        same "llama.cpp's tokens" "$ids" "$("$strata" tokenize -m "$model" --all --as-llama <"$work/odd" | numbers)" "the same"
    fi
    if [ -n "$simple" ]; then
        other=$("$simple" -m "$model" -n 32 "$prompt" 2>/dev/null </dev/null)
        same "llama.cpp's greedy text" "${other#"${other%%"$prompt"*}"}" "$text" "the same"
    fi
    if [ -n "$theirs" ] && [ -n "$before" ]; then
        other=$("$theirs" -m "$model" -f "$work/text" -c "$window" 2>&1 | sed -n 's/.*PPL = \([0-9.]*\).*/\1/p')
        row "llama.cpp's perplexity" "$(awk -v a="$before" -v b="${other:-0}" 'BEGIN { print (b > 0 && a / b < 1.01 && b / a < 1.01) ? "yes" : "no" }')" "ours $before, theirs ${other:-none}"
    fi
}

inspected
tokens
if greedy; then
    quantized
    chat
    served
    [ -z "$LLAMA_CPP" ] || beside_llama
fi
mkdir -p "$(dirname "$page")"
{
    printf '# %s\n\n%s, %s, %s bytes, SHA-256 %s\n\n| what | well? | |\n|---|---|---|\n' "$(basename "$model")" "$("$strata" --version | head -n 1)" \
        "$(uname -sm)" "$(wc -c <"$model" | tr -d ' ')" "$({ sha256sum "$model" 2>/dev/null || shasum -a 256 "$model"; } | cut -d' ' -f1)"
    cat "$work/rows" "$work/rest"
} >"$page"
sed '/^## /,$d' "$page"
echo "[$page]"
! grep -q '| no |' "$work/rows"
