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
include=$(for layer in layer[1-6]_*; do printf ' -I%s/include' "$layer"; done)
bench=layer6_inference/src/program/bench
# shellcheck disable=SC2086
cc -std=c11 -D_GNU_SOURCE -O2 $include -I$bench -I$bench/.. tests/peers/grammar_cases.c $bench/grammar_calls.c $bench/vocabulary.c \
    $(for name in inference models transformer nn linalg tensor; do echo build/lib/lib$name.a; done) -lm -lpthread -o $out/cases
rm -f $out/*.json $out/*.txt
$out/cases $out
# shellcheck disable=SC2046
c++ -std=c++17 -O2 -I"$LLAMA_CPP/include" -I"$LLAMA_CPP/ggml/include" -I"$LLAMA_CPP/common" -I"$LLAMA_CPP/vendor" tests/peers/grammar_llama.cpp \
    -Wl,--start-group $(find "$built/common" "$built/src" "$built/ggml" "$built/vendor" -name '*.a') -Wl,--end-group -fopenmp -lpthread -ldl -lm -o $out/llama

objects=$(grep -l '^{"type":"object"}$' $out/*.json | wc -l)
build/bin/strata bench grammar
echo "llama.cpp, the same schemas and texts:"
$out/llama $out "$objects"
