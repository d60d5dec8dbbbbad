#!/bin/sh
# class.sh STRATA OPERATIONS GIGABYTES CORES:BANDWIDTH...   what thirty pupils notice: computed, not measured (docs/layer6/class.md)
#
# A step reads all weights once (GIGABYTES, at BANDWIDTH GB/s) and computes (billions of OPERATIONS a token; a core does 40 a second).
# It takes as long as the slower of the two.  strata simulate runs the scheduler over such steps.
strata=$1 operations=$2 gigabytes=$3
shift 3
costs=$(mktemp) || exit 1
trap 'rm -f "$costs" "$costs.table"' EXIT
printf '%s\n' "               first token (s)  next token (ms)" "cores tokens/s  median    95 %    median  95 %  busy"
for machine; do
    cores=${machine%:*}
    awk -v operations="$operations" -v cores="$cores" -v gigabytes="$gigabytes" -v bandwidth="${machine#*:}" 'BEGIN {
        read = gigabytes / bandwidth; each = operations / (40 * cores)
        for (n = 1; n <= 512; n *= 2) print "batch", n, (n * each > read ? n * each : read), 0
        print "row 0\npast 0\nseen 0" }' >"$costs"
    "$strata" simulate --costs "$costs" --users 30 --every 60 --seconds 600 --shared 200 -p 100 -n 150 \
        --policy chunked --stretch 1.25 --pace 50 --places 8 >"$costs.table" || exit 1
    awk -v cores="$cores" 'NR == 2 { printf "%5s %8s %7.1f %7.1f %9.0f %5.0f %5s\n", cores, $5, $6 / 1000, $7 / 1000, $8, $9, $11 }' "$costs.table"
done
