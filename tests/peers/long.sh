#!/bin/sh
# Decode behind long texts beside a native llama.cpp that the user has built (LLAMA_CPP): tokens/s at the beginning of a text and
# behind CONTEXTS tokens, for each format of keys and values (KV), in turns; how much of the speed is lost.  FORMAT, LAYERS,
# THREADS and ROUNDS change what is measured.
set -e
cd "$(dirname "$0")/../.."
. tests/peers/tools.sh
strata=build/bin/strata
format=${FORMAT:-Q4_0} layers=${LAYERS:-22} rounds=${ROUNDS:-3} contexts=${CONTEXTS:-2048 8192} kinds=${KV:-f16 q8_0}
threads=${THREADS:-$(nproc 2>/dev/null || sysctl -n hw.ncpu)}
bench=$(find_tool llama-bench)
if [ -z "$bench" ]; then
    echo "peers: no llama-bench in $LLAMA_CPP, $LLAMA_CPP/bin or $LLAMA_CPP/build/bin" >&2
    exit 1
fi

theirs() { # theirs CONTEXT KIND
    "$bench" -m "$file" -p 0 -n 32 -d "$1" -ctk "$2" -ctv "$2" -fa 1 -t "$threads" -r 1 -ngl 0 -o json 2>/dev/null |
        sed -n 's/.*"avg_ts": *\([0-9.]*\).*/\1/p'
}
ours() {
    $strata bench model -m "$file" -p 0 -n 32 --context "$1" --kv "$2" --rounds 1 --threads "$threads" --json 2>/dev/null |
        sed -n 's/.*"tokens_per_second": *\([0-9.]*\).*/\1/p' | tail -1
}

mkdir -p build/peers
file=build/peers/$format-$layers.gguf
[ -f "$file" ] || $strata bench make-model "$file" "$format" --layers "$layers" >&2
echo "decode, tokens/s, medians of $rounds rounds in turns, $threads threads, $format, $layers layers of the 1.1B shape"
printf '%-6s %8s %10s %10s %10s %10s\n' kv behind ours lost theirs lost
for kind in $kinds; do
    rm -f build/peers/ours-* build/peers/theirs-*
    for round in $(seq "$rounds"); do
        echo "peers: keys and values in $kind, round $round of $rounds" >&2
        for context in 1 $contexts; do
            theirs "$context" "$kind" >>"build/peers/theirs-$context"
            ours "$context" "$kind" >>"build/peers/ours-$context"
        done
    done
    for context in 1 $contexts; do
        echo "$context $(median <"build/peers/ours-$context") $(median <"build/peers/theirs-$context")"
    done | awk -v kind="$kind" '
        NF < 3 { printf "%-6s %8d  no figures\n", kind, $1; exit 1 }
        NR == 1 { ours = $2; theirs = $3 }
        { printf "%-6s %8d %10.1f %9.1f%% %10.1f %9.1f%%\n", kind, $1, $2, 100 - 100 * $2 / ours, $3, 100 - 100 * $3 / theirs }'
done
