#!/bin/sh
# Fuzz the model reader with libFuzzer under AddressSanitizer and UndefinedBehaviorSanitizer.   [RUNS=N] run.sh [SECONDS]
. "$(dirname "$0")/build.sh"
limit=${RUNS:+-runs=$RUNS}
limit=${limit:--max_total_time=${1:-60}}
out=build/fuzz
rm -rf $out/objects
mkdir -p $out/corpus $out/objects
. library/parts.sh
flags="-std=c11 -D_GNU_SOURCE -Wno-pass-failed -g1 -O1 -ffp-contract=off"
sanitize="-fsanitize=address,undefined -fno-sanitize-recover=all -fsanitize-address-use-after-scope"
fast $out/seed tests/fuzz/seed.c # the seeds are written by the libraries as they are
if [ "$(uname)" = Linux ]; then guard=tests/guard.c wrapped=@tests/guard.options; else guard='' wrapped=''; fi
for source in tests/fuzz/fuzz_gguf.c $guard layer[1-5]_*/src/*.c layer[1-5]_*/src/*/*.c; do echo "$source"; done |
    xargs -P "$(nproc 2>/dev/null || echo 2)" -I{} sh -c "clang $flags $sanitize -fsanitize=fuzzer-no-link $includes -Itests -I\$(echo {} | cut -d/ -f1)/src -Ibuild/layer5_models -c {} \
        -o $out/objects/\$(echo {} | tr / _).o"
# shellcheck disable=SC2086
clang $sanitize -fsanitize=fuzzer $out/objects/*.o $wrapped -lm -lpthread -o $out/fuzz_gguf
$out/seed $out/corpus
$out/fuzz_gguf "$limit" -max_len=40000 -timeout=10 -rss_limit_mb=2000 -verbosity=0 -print_final_stats=1 \
    -artifact_prefix=$out/ $out/corpus
