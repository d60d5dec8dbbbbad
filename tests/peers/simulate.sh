#!/bin/sh
# strata simulate beside what it simulates: costs of steps are measured, a trace is made, the service of strata bench serve
# serves it (medians of ROUNDS runs, one thread, the program's own time), and the simulator says what it expects.  Fails when
# they are further apart than LIMIT percent.  MODEL, PLACES, USERS, EVERY, SECONDS, PROMPT and ANSWER change what is served.
set -e
cd "$(dirname "$0")/../.."
strata=build/bin/strata work=build/peers
rounds=${ROUNDS:-3} limit=${LIMIT:-15} prompt=${PROMPT:-128} answer=${ANSWER:-48}
own="-m ${MODEL:-layer5_models/models/storyteller.gguf} -t 1 --own-time"
mkdir -p $work
quiet() { "$@" >/dev/null; }
median() { sort -n | awk '{ x[NR] = $1 } END { if (NR == 0) exit 1; print x[int((NR + 1) / 2)] }'; }

quiet $strata bench serve $own --users 32 -p "$prompt" -n "$answer" --costs $work/costs
quiet $strata simulate --save-trace $work/trace.csv --users "${USERS:-40}" --every "${EVERY:-4}" --seconds "${SECONDS_OF:-6}" -p "$prompt" -n "$answer"
echo "$(($(wc -l <$work/trace.csv) - 1)) requests, prompts of about $prompt and answers of about $answer tokens, medians of $rounds rounds, in the program's own time"
tr '\n' ';' <$work/costs && echo
printf '%-18s %6s %10s %10s %8s\n' what places served simulated apart
far=0
for places in ${PLACES:-1 4 8 16}; do
    : >$work/rows
    for _ in $(seq "$rounds"); do $strata bench serve $own --trace $work/trace.csv --places "$places" --json | grep continuous >>$work/rows; done
    quiet $strata simulate --trace $work/trace.csv --costs $work/costs --places "$places" --policy chunked --csv $work/simulated.csv
    for what in tokens_per_second first_p50_ms first_p95_ms gap_p50_ms gap_p95_ms; do
        served=$(sed -n "s/.*\"$what\":\([0-9.]*\).*/\1/p" $work/rows | median)
        simulated=$(awk -F, -v what="$what" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == what) at = i } NR == 2 { print $at }' $work/simulated.csv)
        echo "$served $simulated" | awk -v what="$what" -v places="$places" -v limit="$limit" '
            { apart = 100 * ($2 / $1 - 1); printf "%-18s %6d %10.2f %10.2f %7.1f%%\n", what, places, $1, $2, apart
              exit apart > limit || apart < -limit }' || far=$((far + 1))
    done
done
[ $far = 0 ] || { echo "$far of them are further apart than $limit %" >&2; exit 1; }
