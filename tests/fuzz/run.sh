#!/bin/sh
# Fuzz the model reader with libFuzzer under AddressSanitizer and UndefinedBehaviorSanitizer.   [RUNS=N] run.sh [SECONDS]
. "$(dirname "$0")/build.sh"
limit=${RUNS:+-runs=$RUNS}
limit=${limit:--max_total_time=${1:-60}}
mkdir -p build/fuzz/corpus
fast build/fuzz/seed tests/fuzz/seed.c # the seeds are written by the libraries as they are
build/fuzz/seed build/fuzz/corpus
build=build/fuzz
# Without trace-cmp, and without weights for rare inputs, three times as many are tried in the same time.
make -s -C layer6_inference all SAN=1 BUILD=$build CC="clang -fsanitize=fuzzer-no-link -fno-sanitize-coverage=trace-cmp"
# shellcheck disable=SC2086
CC=clang compile $sanitizers -fsanitize=fuzzer -o $build/fuzz_gguf tests/fuzz/fuzz_gguf.c
$build/fuzz_gguf "$limit" -max_len=40000 -timeout=10 -rss_limit_mb=2000 -verbosity=0 -print_final_stats=1 -entropic=0 \
    -artifact_prefix=$build/ $build/corpus
