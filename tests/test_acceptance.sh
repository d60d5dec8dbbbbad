#!/bin/sh
# make acceptance: a page about a model of random weights, about one that makes vectors, and beside another program.
. "$(dirname "$0")/program.sh"
families="$BUILD/tests/families"

# page FILE [NAME=VALUE...]: what the rows say, in order
page() {
    file=$1
    shift
    env MODEL="$file" PAGE="$work/page.md" STRATA="$strata" "$@" sh "$here/acceptance.sh" >"$work/out" 2>"$work/err"
    echo "$? $(sed -n 's/^| \([^|]*\) | \([a-z-]*\) |.*/\1: \2/p' "$work/page.md" | paste -s -d, -)"
}

"$families" qwen3 "" "$work/a.gguf"
"$families" bert "wordpiece" "$work/v.gguf"
head -c 30000 "$work/a.gguf" >"$work/short.gguf"
if [ -x "$BUILD/bin/strata-serve" ] && command -v curl >/dev/null; then server=",server, twice: yes"; else server=",server: -"; fi
same "a model that writes" "$(page "$work/a.gguf" LLAMA_CPP=)" "0 inspect: yes,tokens and back: yes,greedy, twice: yes,greedy, with one thread: yes,perplexity: -,as Q8_0: yes,as Q4_K_M: yes,chat: yes$server"
same "the page has its text" "$(grep -c '^The capital of France is' "$work/page.md")" 1
LC_ALL=C sed 's/<|im_start|>/<|im_stort|>/g' "$work/a.gguf" >"$work/base.gguf"
same "one that was never taught to chat" "$(page "$work/base.gguf" LLAMA_CPP=)" "0 inspect: yes,tokens and back: yes,greedy, twice: yes,greedy, with one thread: yes,perplexity: -,as Q8_0: yes,as Q4_K_M: yes,chat: -$server"
"$strata" train --out "$work/few.gguf" --corpus README.md --vocab-from "$work/a.gguf" --dim 16 --hidden 32 --layers 1 --heads 2 --kv-heads 1 --ctx 128 --batch 64 \
    --steps 1 --eval-documents 1 2>/dev/null
same "one that reads 128 tokens" "$(page "$work/few.gguf" LLAMA_CPP= | grep -c 'perplexity: -,as Q8_0: yes,as Q4_K_M: yes')" 1
same "one that makes vectors" "$(page "$work/v.gguf" LLAMA_CPP=)" "0 inspect: yes,tokens and back: -,greedy: -,vector: yes"
same "a damaged one" "$(page "$work/short.gguf" LLAMA_CPP= | cut -c1-13)" "1 inspect: no"
expect "none" 2 "acceptance: MODEL is ''" env MODEL= sh "$here/acceptance.sh"
# The comparison of servers says what is wrong in a sentence.
for wrong in CLIENTS=1,4 CLIENTS= CLIENTS=257 ROUNDS=0 ROUNDS=x REQUESTS=0 SEED=-1 PROMPT_TOKENS=1 ANSWER_TOKENS=3 STRATA=/none CSV=/none/c.csv MODEL=/none.gguf; do
    case $wrong in
    MODEL*) wanted="/none.gguf cannot be opened" ;;
    *) wanted="peers: ${wrong%%=*} is '${wrong#*=}': " ;;
    esac
    expect "a comparison of servers refuses $wrong" 1 "$wanted" env STRATA="$strata" "$wrong" python3 "$here/peers/clients.py"
    same "$wrong: without a traceback" "$(grep -c Traceback "$work/out")" 0
done

# Programs that say what llama.cpp's would: what Strata says, and one of them a little else.
mkdir "$work/llama"
printf '#!/bin/sh\nshift 2\n"%s" tokenize -m "%s" --all <"$2"\n' "$strata" "$work/a.gguf" >"$work/llama/llama-tokenize"
printf '#!/bin/sh\necho "$5 another text"\n' >"$work/llama/llama-simple"
printf '#!/bin/sh\necho "PPL = 1e9"\n' >"$work/llama/llama-perplexity"
chmod +x "$work"/llama/*
said=$(page "$work/a.gguf" LLAMA_CPP="$work/llama")
same "beside another program" "${said#*"$server",}" "llama.cpp's tokens: yes,llama.cpp's greedy text: no,llama.cpp's perplexity: no"
