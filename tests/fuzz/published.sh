#!/bin/sh
# Fuzz safetensors, PyTorch's files, tokenizer.json and tokenizer.model in process, under AddressSanitizer and
# UndefinedBehaviorSanitizer.   published.sh [CASES [FIRST]]: a quarter of the cases each
. "$(dirname "$0")/build.sh"
sanitize fuzz_published
build/asan/fuzz_published "$@"
