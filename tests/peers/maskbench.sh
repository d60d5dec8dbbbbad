#!/bin/sh
# Schemas of MaskBench in Strata and in llama.cpp, in one run: refused, failed, wrong answers, microseconds of a mask.
#
#   LLAMA_CPP=~/llama.cpp MASKBENCH=~/jsonschemabench/maskbench/data tests/peers/maskbench.sh
#
# LLAMA_CPP is its source; only the files of its grammars are compiled.  FILES: that many, evenly spaced (1000).
set -e
cd "$(dirname "$0")/../.."
: "${LLAMA_CPP:?LLAMA_CPP=DIR: the source of llama.cpp}" "${MASKBENCH:?MASKBENCH=DIR: maskbench/data of github.com/guidance-ai/jsonschemabench}"
out=build/peers/maskbench bench=layer6_inference/extras/program/bench
make -s
rm -rf $out
mkdir -p $out/schemas
find "$MASKBENCH" -maxdepth 1 -name '*.json' | LC_ALL=C sort >$out/all
awk -v want="${FILES:-1000}" -v have="$(wc -l <$out/all)" 'int(NR * want / have) > taken { taken++; print }' $out/all |
    while read -r file; do cp "$file" $out/schemas/; done
. library/parts.sh
# shellcheck disable=SC2086
for file in tests/peers/maskbench_strata.c $bench/vocabulary.c $bench/grammar_calls.c; do
    cc -std=c11 -D_GNU_SOURCE -O2 $includes -I$bench -I$bench/.. -c "$file" -o "$out/$(basename "$file" .c).o"
done
theirs="-I$LLAMA_CPP/include -I$LLAMA_CPP/ggml/include -I$LLAMA_CPP/src -I$LLAMA_CPP/common -I$LLAMA_CPP/vendor"
for file in tests/peers/maskbench.cpp "$LLAMA_CPP"/src/llama-grammar.cpp "$LLAMA_CPP"/src/unicode.cpp "$LLAMA_CPP"/src/unicode-data.cpp \
    "$LLAMA_CPP"/common/json-schema-to-grammar.cpp; do
    # shellcheck disable=SC2086
    c++ -std=c++17 -O2 $theirs -c "$file" -o "$out/$(basename "$file" .cpp).o"
done
# shellcheck disable=SC2086
c++ $out/*.o $tables $archives -lm -lpthread -o $out/maskbench
$out/maskbench $out/schemas 2>$out/warnings
