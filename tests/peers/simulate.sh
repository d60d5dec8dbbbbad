#!/bin/sh
# strata simulate beside what it simulates.  In each of ROUNDS rounds the costs of steps are measured, the service of strata bench
# serve serves a trace (one thread, the program's own time), and the simulator says what it expects of these costs; told is the
# round whose two are in the middle of how far rounds are apart, for requests that come one by one and for as many at once; and
# before that for single steps of a service, none of which the costs were fitted to.  Fails when that is more than LIMIT percent.
# MODEL, PLACES, USERS, EVERY, FOR, PROMPT and ANSWER change what is served, STRATA whose program does.
set -e
cd "$(dirname "$0")/../.."
strata=${STRATA:-build/bin/strata} work=build/peers
rounds=${ROUNDS:-9} limit=${LIMIT:-15} prompt=${PROMPT:-128} answer=${ANSWER:-48} places=${PLACES:-8}
own="-m ${MODEL:-layer5_models/models/storyteller.gguf} -t 1 --own-time"
figures="tokens_per_second first_p50_ms first_p95_ms gap_p50_ms gap_p95_ms"
mkdir -p $work
quiet() { "$@" >/dev/null; }

quiet $strata simulate --save-trace $work/apart.csv --users "${USERS:-40}" --every "${EVERY:-1.5}" --seconds "${FOR:-6}" -p "$prompt" -n "$answer"
awk -F, -v OFS=, 'NR > 1 { $1 = 0 } NR < 50' $work/apart.csv >$work/together.csv
rm -f $work/served-* $work/simulated-* $work/steps
for _ in $(seq "$rounds"); do
    $strata bench serve $own --places 8 --users 48 -p "$prompt" -n "$answer" --costs $work/costs |
        awk '$5 ~ /%$/ { print $1, $2, $3, $4, $5 + 0 }' >>$work/steps
    for load in apart together; do
        for n in $places; do
            $strata bench serve $own --trace $work/$load.csv --places "$n" --json | grep continuous >>"$work/served-$load-$n"
            quiet $strata simulate --trace $work/$load.csv --costs $work/costs --places "$n" --policy chunked --csv $work/simulated.csv
            for what in $figures; do
                awk -F, -v what="$what" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == what) at = i } NR == 2 { print $at }' \
                    $work/simulated.csv >>"$work/simulated-$load-$n-$what"
            done
        done
    done
done

echo "prompts of about $prompt and answers of about $answer tokens, the middle one of $rounds rounds, in the program's own time"
far=0
printf '%-18s %6s %-9s %10s %10s %8s\n' "a step of tokens" steps "" "took ms" "costs say" apart
for size in $(awk '{ print $1 }' $work/steps | sort -nu); do
    awk -v size="$size" '$1 == size { print $5, $2, $3, $4 }' $work/steps | sort -n |
        awk '{ x[NR] = $0 } END { print x[int((NR + 1) / 2)] }' | awk -v size="$size" -v limit="$limit" '
            { printf "%-18s %6d %-9s %10.3f %10.3f %+7.1f%%\n", size, $2, "", $3, $4, $1; exit $1 > limit || $1 < -limit }' || far=$((far + 1))
done
printf '\n%-18s %6s %-9s %10s %10s %8s\n' what places "they come" served simulated apart
for load in apart together; do
    for n in $places; do
        for what in $figures; do
            sed -n "s/.*\"$what\":\([0-9.]*\).*/\1/p" "$work/served-$load-$n" | paste - "$work/simulated-$load-$n-$what" |
                awk '{ print 100 * ($2 / $1 - 1), $1, $2 }' | sort -n | awk '{ x[NR] = $0 } END { print x[int((NR + 1) / 2)] }' |
                awk -v what="$what" -v n="$n" -v load=$load -v limit="$limit" '
                    { printf "%-18s %6d %-9s %10.2f %10.2f %+7.1f%%\n", what, n, load, $2, $3, $1
                      exit $1 > limit || $1 < -limit }' || far=$((far + 1))
        done
    done
done
[ $far = 0 ] || { echo "$far of them are further apart than $limit %" >&2; exit 1; }
