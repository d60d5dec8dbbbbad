#!/bin/sh
# Fuzz grammars, schemas and patterns in process, under AddressSanitizer and UndefinedBehaviorSanitizer.   grammar.sh [CASES [FIRST]]
. "$(dirname "$0")/build.sh"
sanitize fuzz_grammar
build/asan/fuzz_grammar "$@"
