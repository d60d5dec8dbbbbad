#!/bin/sh
# Masks beside a recogniser that tries everything, on grammars, vocabularies and texts that are made up.   mask.sh [MASKS [FIRST]]
set -e
cd "$(dirname "$0")/../.."
make -s
libraries=$(for name in inference models transformer nn linalg tensor; do echo "build/lib/lib$name.a"; done)
# shellcheck disable=SC2086
cc -std=c11 -D_GNU_SOURCE -O2 -g -ffp-contract=off -Wall -Wextra -Wshadow -Werror $(for layer in layer[1-6]_*; do printf ' -I%s/include' "$layer"; done) \
    tests/fuzz/fuzz_mask.c $libraries -lm -lpthread -o build/fuzz_mask
build/fuzz_mask "$@"
