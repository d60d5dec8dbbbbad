#!/bin/sh
# Run test programs, as many at a time as there are cores, and add up what they report.
#
#   run_tests.sh PROGRAM... [-- PROGRAM...]     cmocka programs, or scripts that print lines `ok NAME` and `not ok NAME`
#
# Those after -- run once for each instruction set of this machine; with SETS=two only for the last, which is the one in use, and for
# one of the others: which one follows from the commit.  The seconds are those of the processor.
. "$(dirname "$0")/seconds.sh"
if [ "$1" = --one ]; then # --one RESULTS NUMBER PROGRAM ISA: its report, and a line `passed failed seconds program`, in files of that number
    results=$2 number=$3 program=$4 isa=${5#-}
    case $program in /*) ;; *) program=./$program ;; esac
    name="$(basename "$program")${isa:+, $isa}"
    seconds_file=$results/seconds-$number
    seconds_begin
    output=$(if [ -n "$isa" ]; then export STRATA_ISA="$isa"; fi; "$program" 2>&1)
    status=$?
    seconds_end
    good=$(printf '%s\n' "$output" | grep -c -E '^(\[       OK \]|ok )')
    bad=$(printf '%s\n' "$output" | grep -E '^(\[  FAILED  \] [a-z_0-9]+$|not ok )' | sort -u | wc -l)
    if [ $status -ne 0 ] && [ "$bad" -eq 0 ]; then bad=1; fi
    if [ "$good" -eq 0 ] && [ "$bad" -eq 0 ]; then bad=1 output="$output$name reported no test"; fi
    {
        if [ "$bad" -gt 0 ]; then
            printf '%s\n' "$output"
            printf 'FAILED  %s\n' "$name"
        else
            printf 'ok      %-32s %3d tests %4d s\n' "$name" "$good" "$processor"
        fi
    } >"$results/log-$number"
    cat "$results/log-$number"
    echo "$good $bad $processor $(basename "$program")" >"$results/count-$number"
    exit 0
fi

results=$(mktemp -d)
trap 'rm -rf "$results"' EXIT
jobs=$(nproc 2>/dev/null || sysctl -n hw.ncpu 2>/dev/null || echo 2)
queue() { # queue PROGRAM ISA
    number=$((number + 1))
    printf '%04d\0%s\0-%s\0' $number "$1" "$2" >>"$results/queue"
}

number=0
while [ $# -gt 0 ] && [ "$1" != -- ]; do
    queue "$1" ""
    shift
done
if [ $# -gt 0 ]; then
    shift
    sets=$("${BUILD:-build}/bin/strata" bench isas) || exit 1
    here=$(printf '%s\n' "$sets" | awk '/ available/ { print $1 }')
    if [ "$SETS" = two ]; then
        . "$(dirname "$0")/../exercises/turn.sh"
        others=$(printf '%s\n' "$here" | sed '$d')
        here="$(printf '%s\n' "$others" | one_in "$(printf '%s\n' "$others" | wc -l)") $(printf '%s\n' "$here" | tail -n 1)"
    fi
    for isa in $here; do
        for program in "$@"; do queue "$program" "$isa"; done
    done
fi
xargs -0 -n 3 -P "$jobs" "$0" --one "$results" <"$results/queue"
if [ -n "$here" ]; then
    # shellcheck disable=SC2086
    echo "instruction sets that were run:" $here
    # shellcheck disable=SC2046
    echo "NOT run, this machine lacks them:" $(printf '%s\n' "$sets" | awk '/ not on this machine/ { print $1 }')
fi
awk '{ spent[$4] += $3 } END { for (name in spent) if (spent[name] > 1) print spent[name], name }' "$results"/count-* | sort -rn |
    awk 'NR <= 8 { longest = longest (NR > 1 ? ", " : "") $2 " " $1 } END { if (NR) print "seconds of the processor: " longest }'
cat "$results"/count-* | awk -v wanted=$number '{ good += $1; bad += $2 } END { if (NR != wanted) bad++; printf "%d passed, %d failed\n", good, bad; exit bad > 0 || good == 0 }'
