#!/bin/sh
# Speed beside a native llama.cpp that the user has built: LLAMA_CPP is its folder (or where llama-bench lies).
#
#   LLAMA_CPP=~/llama.cpp make peers
#
# Both read the same files of random weights, in turns, so that a slow minute of the machine is shared; medians and
# ratios go into a table.  FORMATS, LAYERS, THREADS and ROUNDS change what is measured; OPTIONS are llama-bench's ("-rtr 1": the
# weights repacked, in ik_llama.cpp).
set -e
cd "$(dirname "$0")/../.."
. tests/peers/tools.sh
strata=build/bin/strata
formats=${FORMATS:-Q4_0 Q8_0 Q4_K_M F16 BF16 F32} layers=${LAYERS:-22} rounds=${ROUNDS:-3}
threads=${THREADS:-$(nproc 2>/dev/null || sysctl -n hw.ncpu)}

# The n_prompt, n_gen and avg_ts of llama-bench's JSON, as "prefill X" and "decode X".
read_theirs() {
    grep -o '"n_gen": *[0-9]*\|"avg_ts": *[0-9.]*' |
        awk '/n_gen/ { decode = $2 > 0 } /avg_ts/ { print decode ? "decode" : "prefill", $2 }'
}

read_ours() {
    sed -n 's/.*"test": *"\([a-z]*\)".*"tokens_per_second": *\([0-9.]*\).*/\1 \2/p'
}

bench=$(find_tool llama-bench)
if [ -z "$bench" ]; then
    echo "peers: no llama-bench in $LLAMA_CPP, $LLAMA_CPP/bin or $LLAMA_CPP/build/bin" >&2
    exit 1
fi
mkdir -p build/peers
echo "tokens/s, medians of $rounds rounds in turns, $threads threads, $layers layers of the 1.1B shape"
printf '%-8s %28s %28s\n' format "prefill 128: ours, theirs" "decode 32: ours, theirs"
for format in $formats; do
    file=build/peers/$format-$layers.gguf
    [ -f "$file" ] || $strata bench make-model "$file" "$format" --layers "$layers" >&2
    : >build/peers/ours
    : >build/peers/theirs
    for round in $(seq "$rounds"); do
        echo "peers: $format, round $round of $rounds" >&2
        # shellcheck disable=SC2086
        "$bench" -m "$file" $OPTIONS -p 128 -n 32 -t "$threads" -r 1 -ngl 0 -o json 2>/dev/null | read_theirs >>build/peers/theirs
        $strata bench model -m "$file" -p 128 -n 32 --context 1 --rounds 1 --threads "$threads" --json 2>/dev/null | read_ours >>build/peers/ours
    done
    for test in prefill decode; do
        echo "$(sed -n "s/^$test //p" build/peers/ours | median) $(sed -n "s/^$test //p" build/peers/theirs | median)"
    done | paste -s -d ' ' | awk -v format="$format" '
        NF < 4 { printf "%-8s  no figures: does llama-bench read this file?\n", format; exit 1 }
        { printf "%-8s %10.1f %8.1f = %4.2fx   %10.1f %8.1f = %4.2fx\n", format, $1, $2, $1 / $2, $3, $4, $3 / $4 }'
done
