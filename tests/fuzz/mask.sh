#!/bin/sh
# Masks beside a recogniser that tries everything, on grammars, vocabularies and texts that are made up.   mask.sh [MASKS [FIRST]]
. "$(dirname "$0")/build.sh"
fast build/fuzz_mask tests/fuzz/fuzz_mask.c
build/fuzz_mask "$@"
