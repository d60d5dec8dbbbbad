#!/bin/sh
# Many texts at once beside a native llama.cpp that the user has built (LLAMA_CPP): the same file of random weights, B
# texts with a prompt of PROMPT tokens and an answer of ANSWER each, in turns.  FORMATS, LAYERS, THREADS, ROUNDS, PLACES,
# PROMPT and ANSWER change what is measured.
set -e
cd "$(dirname "$0")/../.."
. tests/peers/tools.sh
strata=build/bin/strata
formats=${FORMATS:-Q4_0} layers=${LAYERS:-22} rounds=${ROUNDS:-3} places=${PLACES:-1 2 4 8 16 32}
prompt=${PROMPT:-64} answer=${ANSWER:-32}
threads=${THREADS:-$(nproc 2>/dev/null || sysctl -n hw.ncpu)}

bench=$(find_tool llama-batched-bench)
if [ -z "$bench" ]; then
    echo "peers: no llama-batched-bench in $LLAMA_CPP, $LLAMA_CPP/bin or $LLAMA_CPP/build/bin" >&2
    exit 1
fi

# All texts come at once, with prompts and answers of one length: a trace.
trace() {
    echo "arrival,prompt,answer"
    for _ in $(seq "$1"); do echo "0,$prompt,$answer"; done
}

# Tokens of answers a second, from the first text's coming to the last one's end.
ours() {
    $strata bench serve -m "$file" --trace "build/peers/trace-$1.csv" --places "$1" --threads "$threads" --json 2>/dev/null |
        sed -n 's/.*"continuous","tokens_per_second":\([0-9.]*\).*/\1/p'
}
theirs() {
    "$bench" -m "$file" -c $((($prompt + $answer + 32) * $1)) -b 2048 -npp "$prompt" -ntg "$answer" -npl "$1" -t "$threads" -ngl 0 \
        --output-format jsonl 2>/dev/null | sed -n 's/.*"t": *\([0-9.]*\).*/\1/p' | tail -1 | awk -v n=$(($1 * answer)) '{ print n / $1 }'
}

mkdir -p build/peers
echo "tokens of answers a second, prompts of $prompt and answers of $answer tokens, medians of $rounds rounds in turns, $threads threads"
printf '%-8s %6s %10s %10s %8s\n' format texts ours theirs ratio
for format in $formats; do
    file=build/peers/$format-$layers.gguf
    [ -f "$file" ] || $strata bench make-model "$file" "$format" --layers "$layers" >&2
    for b in $places; do
        trace "$b" >"build/peers/trace-$b.csv"
        : >build/peers/ours
        : >build/peers/theirs
        for _ in $(seq "$rounds"); do
            theirs "$b" >>build/peers/theirs
            ours "$b" >>build/peers/ours
        done
        echo "$(median <build/peers/ours) $(median <build/peers/theirs)" | awk -v format="$format" -v b="$b" '
            NF < 2 { printf "%-8s %6d  no figures: does llama-batched-bench read this file?\n", format, b; exit 1 }
            { printf "%-8s %6d %10.1f %10.1f %7.2fx\n", format, b, $1, $2, $1 / $2 }'
    done
done
