#!/bin/sh
# Every fuzzer, for many runs.  How many each has had is in tests/fuzz/runs.txt: the next call goes on there, on another machine, too,
# if the file is committed.   nightly.sh [RUNS [FUZZER...]]
#
# RUNS are those of each fuzzer, all calls together: 10^7 unless given.  They take turns, each a chunk at a time.  A run that fails
# ends it, with the fuzzer's words and the command that repeats it; so does a count that cannot be read or kept.
cd "$(dirname "$0")/../.." || exit 1
all='damage chain grammar mask template picture published serve gguf'
kept=tests/fuzz/runs.txt logs=build/nightly
refuse() { echo "make nightly: $*" >&2; exit 2; }
runs=${1:-10000000}
case $runs in 0* | *[!0-9]* | ???????????????*) refuse "RUNS is '$runs': wanted an integer from 1, of 14 digits at most" ;; esac
[ $# -eq 0 ] || shift
fuzzers=${*:-$all}
set -f
for fuzzer in $fuzzers; do
    case " $all " in *" $fuzzer "*) ;; *) refuse "there is no fuzzer '$fuzzer': wanted some of $all" ;; esac
done
mkdir -p $logs && touch $kept || exit 1
wrong=$(awk -v all=" $all " 'NF && (NF != 2 || !index(all, " " $1 " ") || $2 !~ /^(0|[1-9][0-9]*)$/ || length($2) > 14 || seen[$1]++) { gsub(/[^ -~]/, "?"); print }' $kept) || exit 1
[ ! "$wrong" ] || refuse "$kept has '$wrong': wanted lines of a fuzzer and its runs, each once"
# Two calls would run the same numbers, and each would lose the other's count.
mkdir $logs/running 2>/dev/null || refuse "another one runs; if none does, remove $logs/running"
trap 'rmdir $logs/running' EXIT
trap 'exit 130' INT TERM
# runs of a chunk
chunk_of() {
    case $1 in damage) echo 300000 ;; gguf) echo 1000000 ;; chain | grammar | template) echo 250000 ;; mask | picture) echo 500000 ;; *) echo 2000000 ;; esac
}
done_of() { awk -v name="$1" '$1 == name { runs = $2 } END { printf "%.0f\n", runs }' $kept; }
keep() { # keep FUZZER RUNS
    awk -v name="$1" -v runs="$2" '$1 == name { $2 = runs; known = 1 } { print } END { if (!known) print name, runs }' $kept >$kept.new && mv $kept.new $kept
}
# libFuzzer draws anew in each run; of what it kept, the files that reach nothing of their own go.
fuzz_gguf() {
    RUNS=$1 tests/fuzz/run.sh && rm -rf build/fuzz/small && mkdir build/fuzz/small &&
        build/fuzz/fuzz_gguf -merge=1 build/fuzz/small build/fuzz/corpus && rm -rf build/fuzz/corpus && mv build/fuzz/small build/fuzz/corpus
}
left=yes all_had=yes
while [ $left ]; do
    left=
    for fuzzer in $fuzzers; do
        first=$(done_of "$fuzzer") count=$(chunk_of "$fuzzer")
        [ "$first" -lt "$runs" ] || continue
        left=yes all_had=
        [ $((first + count)) -le "$runs" ] || count=$((runs - first))
        case $fuzzer in
        gguf) set -- fuzz_gguf $count ;;
        damage) set -- tests/fuzz/damage.sh $(((count + 2) / 3)) $((first / 3)) ;; # each number three times: with two sets of kernels, and as a change
        *) set -- "tests/fuzz/$fuzzer.sh" "$count" "$first" ;;
        esac
        "$@" >"$logs/$fuzzer.log" 2>&1 || { tail -40 "$logs/$fuzzer.log"; echo "failed: $*"; exit 1; }
        keep "$fuzzer" $((first + count)) || { echo "make nightly: $kept cannot be written" >&2; exit 1; }
        echo "$(date '+%F %T')  $fuzzer: $((first + count)) of $runs runs.  $(tail -1 "$logs/$fuzzer.log")"
    done
done
[ ! $all_had ] || echo "nothing to do: each of $fuzzers has had $runs runs; RUNS=N lets them go on to N"
