# What work costs: sourced by run_tests.sh and check.sh.  A second of the processor is the same beside other work, one of the
# clock is not.
#
#   seconds_begin   what comes next is measured
#   seconds_end     sets $processor and $clock to the seconds since
#
# The shell tells what its own children took: neither may stand in $( ) or behind a pipe.
seconds_begin() {
    times >"$seconds_file"
    began=$(date +%s) begun=$(seconds_of_children)
}
seconds_end() {
    times >"$seconds_file"
    clock=$(($(date +%s) - began)) processor=$(seconds_of_children | awk -v begun="$begun" '{ print int($1 - begun + 0.5) }')
}
seconds_of_children() { awk 'NR == 2 { gsub(/[ms]/, " "); print $1 * 60 + $2 + $3 * 60 + $4 }' "$seconds_file"; }
