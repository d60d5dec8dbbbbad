#!/bin/sh
# Every fuzzer, for many runs: what was done is kept in build/nightly, and the next call goes on there.   nightly.sh [RUNS [FUZZER...]]
#
# RUNS are those of each fuzzer, all calls together: 10^7 unless given.  They take turns, each a chunk at a time.  A run that fails
# ends it, with the fuzzer's words and the command that repeats it.
cd "$(dirname "$0")/../.." || exit 1
runs=${1:-10000000}
case $runs in 0* | *[!0-9]*) echo "make nightly: RUNS is '$runs': wanted an integer from 1" >&2; exit 2 ;; esac
[ $# -eq 0 ] || shift
kept=build/nightly
mkdir -p $kept
# name, runs of a chunk
fuzzers="${*:-damage chain grammar mask template picture published serve gguf}"
chunk_of() {
    case $1 in damage) echo 20000 ;; gguf) echo 1000000 ;; chain | grammar | template) echo 50000 ;; mask | picture) echo 100000 ;; *) echo 400000 ;; esac
}
done_of() { cat "$kept/$1" 2>/dev/null || echo 0; }
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
        if [ "$fuzzer" = gguf ]; then set -- fuzz_gguf $count; else set -- "tests/fuzz/$fuzzer.sh" "$count" "$first"; fi
        "$@" >"$kept/$fuzzer.log" 2>&1 || { tail -40 "$kept/$fuzzer.log"; echo "failed: $*"; exit 1; }
        echo $((first + count)) >"$kept/$fuzzer"
        echo "$(date '+%F %T')  $fuzzer: $((first + count)) of $runs runs.  $(tail -1 "$kept/$fuzzer.log")"
    done
done
