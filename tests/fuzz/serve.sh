#!/bin/sh
# A service and everything that can happen to it, with a model that is a hash, and a fiftieth of them with the
# storyteller.   serve.sh [OPERATIONS [FIRST]]
set -e
cd "$(dirname "$0")/../.."
make -s
libraries=$(for name in inference models transformer nn linalg tensor; do echo "build/lib/lib$name.a"; done)
flags="-std=c11 -D_GNU_SOURCE -O2 -g -ffp-contract=off -Wall -Wextra -Wshadow -Werror $(for layer in layer[1-6]_*; do printf ' -I%s/include' "$layer"; done)"
# shellcheck disable=SC2086
cc $flags tests/fuzz/fuzz_serve.c tests/fuzz/fake_decoder.c $libraries -lm -lpthread -o build/fuzz_serve
# shellcheck disable=SC2086
cc $flags '-DSTORYTELLER="layer5_models/models/storyteller.gguf"' tests/fuzz/fuzz_serve.c $libraries -lm -lpthread -o build/fuzz_serve_storyteller
operations=${1:-1000000}
build/fuzz_serve "$operations" "${2:-0}"
build/fuzz_serve_storyteller $((operations / 50)) "${2:-0}"
