#!/bin/sh
# Damaged model headers, and models with one thing changed, under AddressSanitizer and UndefinedBehaviorSanitizer, always the same
# ones.   damage.sh [COUNT [FIRST]]
. "$(dirname "$0")/build.sh"
sanitize damage
sanitize change
for isa in scalar auto; do STRATA_ISA=$isa build/asan/damage "${1:-20000}" "${2:-0}"; done
build/asan/change "${1:-20000}" "${2:-0}"
