#!/bin/sh
# Fuzz safetensors, PyTorch's files, tokenizer.json and tokenizer.model in process, under AddressSanitizer and
# UndefinedBehaviorSanitizer.   published.sh [CASES [FIRST]]: a quarter of the cases each
set -e
cd "$(dirname "$0")/../.."
build=$PWD/build/asan
make -s SAN=1 BUILD="$build" CFLAGS="-O1 -g"
libraries=$(for name in models transformer nn linalg tensor; do echo "$build/lib/lib$name.a"; done)
# shellcheck disable=SC2086
cc -std=c11 -D_GNU_SOURCE -g -O1 -ffp-contract=off -Wall -Wextra -Wshadow -Werror -fsanitize=address,undefined -fno-sanitize-recover=all \
    $(for layer in layer[1-6]_*; do printf ' -I%s/include' "$layer"; done) -Ilayer1_tensor/tests -Ilayer5_models/src/convert tests/fuzz/fuzz_published.c \
    $libraries -lm -lpthread -o "$build/fuzz_published"
"$build/fuzz_published" "$@"
