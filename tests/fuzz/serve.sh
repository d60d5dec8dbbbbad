#!/bin/sh
# A service and everything that can happen to it, with a model that is a hash, and a fiftieth of them with the
# storyteller.   serve.sh [OPERATIONS [FIRST]]
. "$(dirname "$0")/build.sh"
# The table of families brings decoder.c along: the first definition counts.
fast build/fuzz_serve -Wl,--allow-multiple-definition tests/fuzz/fuzz_serve.c tests/fuzz/fake_decoder.c
fast build/fuzz_serve_storyteller '-DSTORYTELLER="layer5_models/models/storyteller.gguf"' tests/fuzz/fuzz_serve.c
operations=${1:-1000000}
build/fuzz_serve "$operations" "${2:-0}"
build/fuzz_serve_storyteller $((operations / 50)) "${2:-0}"
