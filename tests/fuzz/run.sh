#!/bin/sh
# Fuzz the model reader with libFuzzer under AddressSanitizer and UndefinedBehaviorSanitizer.   run.sh [SECONDS]
set -e
cd "$(dirname "$0")/../.."
seconds=${1:-60}
out=build/fuzz
mkdir -p $out/corpus
include=$(for layer in layer[1-6]_*; do printf ' -I%s/include' "$layer"; done)
flags="-std=c11 -D_GNU_SOURCE -Wno-pass-failed -g -O1 -ffp-contract=off -fsanitize=address,undefined -fno-sanitize-recover=all"
sources=$(ls layer[1-5]_*/src/*.c layer[1-5]_*/src/*/*.c)
# shellcheck disable=SC2086
clang $flags -fsanitize-address-use-after-scope -fsanitize=fuzzer $include -Ibuild/layer5_models \
    tests/fuzz/fuzz_gguf.c $sources -lm -lpthread -o $out/fuzz_gguf
# shellcheck disable=SC2086
clang $flags $include -Ibuild/layer5_models -Itests tests/fuzz/seed.c $sources -lm -lpthread -o $out/seed
$out/seed $out/corpus
$out/fuzz_gguf -max_total_time="$seconds" -max_len=40000 -timeout=10 -rss_limit_mb=2000 -verbosity=0 -print_final_stats=1 \
    -artifact_prefix=$out/ $out/corpus
