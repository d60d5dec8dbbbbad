#!/bin/sh
# Every fuzzer, for many runs.  How many each has had is in tests/fuzz/runs.txt: the next call goes on there, on another machine, too,
# if the file is committed.   nightly.sh [RUNS [FUZZER...]]
#
# RUNS are those of each fuzzer, all calls together: 10^7 unless given.  They take turns, each a chunk at a time.  A run that fails
# ends it, with the fuzzer's words and the command that repeats it.
cd "$(dirname "$0")/../.." || exit 1
runs=${1:-10000000}
case $runs in 0* | *[!0-9]*) echo "make nightly: RUNS is '$runs': wanted an integer from 1" >&2; exit 2 ;; esac
[ $# -eq 0 ] || shift
kept=tests/fuzz/runs.txt logs=build/nightly
mkdir -p $logs
touch $kept || exit 1
# name, runs of a chunk
fuzzers="${*:-damage chain grammar mask template picture published serve gguf}"
chunk_of() {
    case $1 in damage) echo 60000 ;; gguf) echo 1000000 ;; chain | grammar | template) echo 50000 ;; mask | picture) echo 100000 ;; *) echo 400000 ;; esac
}
done_of() { awk -v name="$1" '$1 == name { runs = $2 } END { print runs + 0 }' $kept; }
keep() { # keep FUZZER RUNS
    awk -v name="$1" -v runs="$2" '$1 == name { $2 = runs; known = 1 } { print } END { if (!known) print name, runs }' $kept >$logs/runs && cp $logs/runs $kept
}
# libFuzzer draws anew in each run; of what it kept, the files that reach nothing of their own go.
fuzz_gguf() {
    RUNS=$1 tests/fuzz/run.sh && rm -rf build/fuzz/small && mkdir build/fuzz/small &&
        build/fuzz/fuzz_gguf -merge=1 build/fuzz/small build/fuzz/corpus && rm -rf build/fuzz/corpus && mv build/fuzz/small build/fuzz/corpus
}
left=yes
while [ $left ]; do
    left=
    for fuzzer in $fuzzers; do
        first=$(done_of "$fuzzer") count=$(chunk_of "$fuzzer")
        [ "$first" -lt "$runs" ] || continue
        left=yes
        [ $((first + count)) -le "$runs" ] || count=$((runs - first))
        case $fuzzer in
        gguf) set -- fuzz_gguf $count ;;
        damage) set -- tests/fuzz/damage.sh $(((count + 2) / 3)) $((first / 3)) ;; # each number three times: with two sets of kernels, and as a change
        *) set -- "tests/fuzz/$fuzzer.sh" "$count" "$first" ;;
        esac
        "$@" >"$logs/$fuzzer.log" 2>&1 || { tail -40 "$logs/$fuzzer.log"; echo "failed: $*"; exit 1; }
        keep "$fuzzer" $((first + count))
        echo "$(date '+%F %T')  $fuzzer: $((first + count)) of $runs runs.  $(tail -1 "$logs/$fuzzer.log")"
    done
done
