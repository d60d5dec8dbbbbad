#!/bin/sh
# Grammars beside llama.cpp's, in one run: microseconds of a mask over 128,000 tokens, then tokens/s of a model with a
# grammar and without.
#
#   LLAMA_CPP=~/llama.cpp tests/peers/grammar.sh
#
# LLAMA_CPP is its source; LLAMA_BUILD (its folder build) holds static libraries and programs.  MODEL is a file to write
# with (one of random weights in the shape of a 1.1B llama is made), N how many tokens.
set -e
cd "$(dirname "$0")/../.."
: "${LLAMA_CPP:?LLAMA_CPP=DIR: the source of llama.cpp}"
built=${LLAMA_BUILD:-$LLAMA_CPP/build} out=build/peers/grammar
make -s
mkdir -p $out
. library/parts.sh
bench=layer6_inference/extras/program/bench
# shellcheck disable=SC2086
cc -std=c11 -D_GNU_SOURCE -O2 $includes -I$bench -I$bench/.. tests/peers/grammar_cases.c $bench/grammar_calls.c $bench/vocabulary.c \
    $tables $archives -lm -lpthread -o $out/cases
rm -f $out/*.json $out/*.txt
$out/cases $out
# shellcheck disable=SC2046
c++ -std=c++17 -O2 -I"$LLAMA_CPP/include" -I"$LLAMA_CPP/ggml/include" -I"$LLAMA_CPP/common" -I"$LLAMA_CPP/vendor" tests/peers/grammar_llama.cpp \
    -Wl,--start-group $(find "$built/common" "$built/src" "$built/ggml" "$built/vendor" -name '*.a') -Wl,--end-group -fopenmp -lpthread -ldl -lm -o $out/llama

objects=$(grep -l '^{"type":"object"}$' $out/*.json | wc -l)
build/bin/strata bench grammar
echo "llama.cpp, the same schemas and texts:"
$out/llama $out "$objects"

# ------------------------------------------------------------------ a model that writes
. tests/peers/tools.sh
LLAMA_CPP=$built completion=$(find_tool llama-completion)
n=${N:-64} rounds=${ROUNDS:-3} threads=${THREADS:-$(nproc)} model=${MODEL:-build/peers/Q8_0-${LAYERS:-22}.gguf}
[ -f "$model" ] || build/bin/strata bench make-model "$model" Q8_0 --layers "${LAYERS:-22}" >&2
cat >$out/people.schema <<'END'
{"type": "array", "minItems": 40, "items": {"type": "object", "properties": {"given_name": {"type": "string", "maxLength": 8},
 "year_of_birth": {"type": "integer", "minimum": 1900, "maximum": 2020}, "likes_apples": {"type": "boolean"}},
 "required": ["given_name", "year_of_birth", "likes_apples"], "additionalProperties": false}}
END
ours() { build/bin/strata generate -m "$model" -p "A list:" -n "$n" --seed 1 --threads "$threads" "$@" 2>&1 >/dev/null | sed -n 's/.* at \([0-9.]*\) tokens\/s.*/\1/p'; }
theirs() {
    "$completion" -m "$model" -p "A list:" -n "$n" -s 1 -t "$threads" -no-cnv --ignore-eos -ngl 0 "$@" 2>&1 >/dev/null </dev/null |
        sed -n '/prompt/!s/.*eval time.* \([0-9.]*\) tokens per second.*/\1/p'
}
rm -f $out/speed.*
for round in $(seq "$rounds"); do
    echo "peers: $n tokens, round $round of $rounds" >&2
    ours >>$out/speed.ours
    ours --schema $out/people.schema --no-forced >>$out/speed.asked
    ours --schema $out/people.schema >>$out/speed.forced
    [ -z "$completion" ] || theirs >>$out/speed.theirs
    [ -z "$completion" ] || theirs --json-schema-file $out/people.schema >>$out/speed.masked
done
row() { [ -s "$out/speed.$1" ] && printf '%-52s %8s\n' "$2" "$(sort -n "$out/speed.$1" | awk '{ x[NR] = $1 } END { print x[int((NR + 1) / 2)] }')"; }
echo "tokens/s of $model, medians of $rounds rounds in turns, $threads threads"
row ours "ours, no grammar"
row asked "ours, a schema, every token asked for"
row forced "ours, a schema, forced tokens fed"
row theirs "llama.cpp, no grammar" || true
row masked "llama.cpp, the same schema" || true
