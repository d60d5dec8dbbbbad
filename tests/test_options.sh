#!/bin/sh
# Options of the program: every number has a range, and what does not act is refused.
. "$(dirname "$0")/program.sh"

# ------------------------------------------------------------------ ranges
# refused COMMAND OPTION VALUE WANTED: wrong usage, said with what, got and wanted
refused() {
    expect "$1 $2 $3" 2 "$2 is '$3': wanted a.* number from $4" "$strata" $1 "$2" "$3"
}
refused generate -n -5 "-1 to"
refused generate -n 99999999999999999999 "-1 to"
refused generate -n 1e3 "-1 to"
refused generate -n "" "-1 to"
refused generate --seed -1 "0 to 18446744073709551615"
refused generate --seed 18446744073709551616 "0 to 18446744073709551615"
refused generate --seconds nan "0 to"
refused generate --seconds -1 "0 to"
refused generate --repeats 1 "2 to"
refused generate --logprobs -1 "0 to"
refused generate --guess 0 "1 to 24"
refused generate --guess 25 "1 to 24"
refused generate --beams 33 "1 to 32"
refused generate --beam-groups 0 "1 to 32"
refused generate --beam-diversity nan "0 to"
refused generate --length-power nan "-10 to 10"
refused generate --length-power inf "-10 to 10"
refused generate --best-of 0 "1 to"
refused generate --trace-rows -1 "0 to"
refused compare --documents 0 "1 to"
refused "bench model" --rounds 0 "1 to 64"
refused perplexity --window 3 "4 to"
refused "figure guess" -n 0 "1 to"
refused "train --out x" --steps -5 "1 to"
refused "chain" --draws -1 "0 to"
expect "the largest seed is itself" 0 "seed 18446744073709551615 " "$strata" generate -n 2 --seed 18446744073709551615
