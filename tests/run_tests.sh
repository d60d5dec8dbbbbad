#!/bin/sh
# Run test programs one after the other and add up what they report.
#
#   run_tests.sh PROGRAM...     cmocka programs, or scripts that print lines `ok NAME` and `not ok NAME`
passed=0
failed=0
for program in "$@"; do
    case $program in /*) ;; *) program=./$program ;; esac
    name=$(basename "$program")
    output=$("$program" 2>&1)
    status=$?
    good=$(printf '%s\n' "$output" | grep -c -E '^(\[       OK \]|ok )')
    bad=$(printf '%s\n' "$output" | grep -E '^(\[  FAILED  \] [a-z_0-9]+$|not ok )' | sort -u | wc -l)
    if [ $status -ne 0 ] && [ "$bad" -eq 0 ]; then bad=1; fi
    if [ "$bad" -gt 0 ]; then
        printf '%s\n' "$output"
        printf 'FAILED  %s\n' "$name"
    else
        printf 'ok      %-28s %3d tests\n' "$name" "$good"
    fi
    passed=$((passed + good))
    failed=$((failed + bad))
done
printf '%d passed, %d failed\n' "$passed" "$failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
