#!/bin/sh
# Run test programs and add up what they report.
#
#   run_tests.sh PROGRAM... [-- PROGRAM...]     cmocka programs, or scripts that print lines `ok NAME` and `not ok NAME`
#
# Those after -- run once for each instruction set of this machine, the sets side by side.
results=$(mktemp -d)
trap 'rm -rf "$results"' EXIT

run() { # run PROGRAM [ISA]: its report on standard output, a line `passed failed` added to the counts of that set
    program=$1 isa=$2
    case $program in /*) ;; *) program=./$program ;; esac
    name="$(basename "$program")${isa:+, $isa}"
    output=$(if [ -n "$isa" ]; then export STRATA_ISA="$isa"; fi; "$program" 2>&1)
    status=$?
    good=$(printf '%s\n' "$output" | grep -c -E '^(\[       OK \]|ok )')
    bad=$(printf '%s\n' "$output" | grep -E '^(\[  FAILED  \] [a-z_0-9]+$|not ok )' | sort -u | wc -l)
    if [ $status -ne 0 ] && [ "$bad" -eq 0 ]; then bad=1; fi
    if [ "$good" -eq 0 ] && [ "$bad" -eq 0 ]; then bad=1 output="$output$name reported no test"; fi
    if [ "$bad" -gt 0 ]; then
        printf '%s\n' "$output"
        printf 'FAILED  %s\n' "$name"
    else
        printf 'ok      %-32s %3d tests\n' "$name" "$good"
    fi
    echo "$good $bad" >>"$results/counts${isa:+-$isa}"
}

while [ $# -gt 0 ] && [ "$1" != -- ]; do
    run "$1"
    shift
done
if [ $# -gt 0 ]; then
    shift
    sets=$("${BUILD:-build}/bin/strata" bench isas) || exit 1
    here=$(printf '%s\n' "$sets" | awk '/ available/ { print $1 }')
    for isa in $here; do
        for program in "$@"; do run "$program" "$isa"; done >"$results/log-$isa" &
    done
    wait
    for isa in $here; do cat "$results/log-$isa"; done
    # shellcheck disable=SC2086
    echo "instruction sets that were run:" $here
    # shellcheck disable=SC2046
    echo "NOT run, this machine lacks them:" $(printf '%s\n' "$sets" | awk '/ not on this machine/ { print $1 }')
fi
cat "$results"/counts* | awk '{ good += $1; bad += $2 } END { printf "%d passed, %d failed\n", good, bad; exit bad > 0 || good == 0 }'
