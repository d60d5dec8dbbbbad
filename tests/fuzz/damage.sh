#!/bin/sh
# Damaged model headers under AddressSanitizer and UndefinedBehaviorSanitizer, always the same ones.   damage.sh [COUNT [FIRST]]
set -e
cd "$(dirname "$0")/../.."
mkdir -p build/fuzz
make -s SAN=1 CFLAGS="-O1 -g"
# shellcheck disable=SC2046
cc -std=c11 -D_GNU_SOURCE -O1 -g -fsanitize=address,undefined -fno-sanitize-recover=all $(for layer in layer[1-6]_*; do printf ' -I%s/include' "$layer"; done) \
    -Itests tests/fuzz/damage.c $(for l in models transformer nn linalg tensor; do echo build/asan/lib/lib$l.a; done) -lm -lpthread -o build/fuzz/damage
for isa in scalar auto; do STRATA_ISA=$isa build/fuzz/damage "${1:-20000}" "${2:-0}"; done
