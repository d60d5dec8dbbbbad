#!/bin/sh
# Sourced by the fuzzers' scripts: goes to the root, and knows how a fuzzer is built.
set -e
cd "$(dirname "$0")/../.."

# compile FLAGS AND SOURCES...: with the libraries that were built in $build
compile() {
    BUILD=$build
    . library/parts.sh
    # shellcheck disable=SC2086
    ${CC:-cc} -std=c11 -D_GNU_SOURCE -g -ffp-contract=off -Wall -Wextra -Wshadow -Werror \
        $includes -Itests -Ilayer1_tensor/tests -Ilayer5_models/tests -Ilayer5_models/extras/convert -Ilayer5_models/src \
        "$@" $tables $archives -lm -lpthread
}

sanitizers="-O1 -fsanitize=address,undefined -fno-sanitize-recover=all"
if [ "$(uname)" = Linux ]; then sanitizers="$sanitizers @tests/guard.options"; fi

# sanitize NAME: tests/fuzz/NAME.c under AddressSanitizer and UndefinedBehaviorSanitizer, to build/asan/NAME
sanitize() {
    build=build/asan
    make -s SAN=1
    # shellcheck disable=SC2086
    compile $sanitizers -o "$build/$1" "tests/fuzz/$1.c"
}

# fast OUT FLAGS AND SOURCES...
fast() {
    build=build
    make -s
    compile -O2 -o "$@"
}
