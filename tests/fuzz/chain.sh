#!/bin/sh
# Fuzz the samplers in process, under AddressSanitizer and UndefinedBehaviorSanitizer.   chain.sh [CASES [FIRST]]
. "$(dirname "$0")/build.sh"
sanitize fuzz_chain
build/asan/fuzz_chain "$@"
