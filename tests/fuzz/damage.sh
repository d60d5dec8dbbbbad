#!/bin/sh
# Damaged model headers under AddressSanitizer and UndefinedBehaviorSanitizer, always the same ones.   damage.sh [COUNT [FIRST]]
. "$(dirname "$0")/build.sh"
sanitize damage
for isa in scalar auto; do STRATA_ISA=$isa build/asan/damage "${1:-20000}" "${2:-0}"; done
