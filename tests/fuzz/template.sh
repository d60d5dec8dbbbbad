#!/bin/sh
# Fuzz chat templates in process, under AddressSanitizer and UndefinedBehaviorSanitizer.   template.sh [CASES [FIRST]]
. "$(dirname "$0")/build.sh"
sanitize fuzz_template
build/asan/fuzz_template "$@"
