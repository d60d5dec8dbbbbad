#!/bin/sh
# Several machines on one: network namespaces, joined by a bridge, each cable with a rate.  `make machines` runs it.
#
#   bits      a story on 2 and 3 machines, by rows and by layers, on each network
#   network   milliseconds of a token, beside those that `strata inspect --network RATE:DELAY` expects, with a measured delay;
#             at 100 Mb/s by rows with halves on the wire, too; and on machines far from each other (1gbit+2000: microseconds)
#   pair      two machines of one core each against one process with one thread, and with two
#   others    the second machine has another model, or another version of the program: it says so
#   cable     pulled in the middle and put back: the same result; pulled for good: the first machine names the one that is lost
#
# PARTS="network pair" does some of them, RATES="100mbit 1gbit" on some networks.
#
# Needs root (namespaces), ip, tc and MPICH's mpiexec; says so and leaves what it cannot check.  Processes talk by TCP: UCX would
# find that all machines are one and go through its memory.
cd "$(dirname "$0")/.." || exit 1
case ${BUILD:=build} in /*) ;; *) BUILD=$PWD/$BUILD ;; esac
strata=$BUILD/bin/strata
model=${MODEL:-$PWD/layer5_models/models/storyteller.gguf}
tag=st$$ net=10.$((64 + $$ % 64)).$(($$ / 64 % 250))
work=$(mktemp -d)
bad=0
far=

skip() { echo "SKIPPED, AND SO NOT CHECKED: several machines on a network ($1)"; exit 0; }
command -v mpiexec.hydra >/dev/null || skip "there is no mpiexec.hydra: apt-get install mpich"
[ -e "$BUILD/bin/strata-mpi.so" ] || skip "built without MPI"
command -v ip >/dev/null && command -v tc >/dev/null || skip "there is no ip or tc: apt-get install iproute2"

ok() { echo "ok $1"; }
not() { echo "not ok $1: $2"; bad=1; }

down() {
    if [ "$far" ]; then kill "$far"; wait "$far"; far=; fi
    for k in 1 2 3; do ip link del "${tag}v$k"; ip netns del "$tag-$k"; done
    ip link del "${tag}b"
} 2>/dev/null
up() { # up RATE[+MICROSECONDS]: three machines.  What a cable lets through at once is little, or small messages would not see its rate.
    rate_of=${1%+*}
    case $rate_of in *mbit) burst=1600b ;; 1gbit) burst=8kb ;; *) burst=64kb ;; esac
    case $1 in *+*) far_apart "${1#*+}" && return; return 1 ;; esac
    ip link add "${tag}b" type bridge && ip link set "${tag}b" up || return
    for k in 1 2 3; do
        ip netns add "$tag-$k" && ip link add "${tag}v$k" type veth peer name eth0 netns "$tag-$k" &&
            ip link set "${tag}v$k" master "${tag}b" up && ip -n "$tag-$k" addr add "$net.$k/24" dev eth0 &&
            ip -n "$tag-$k" link set eth0 up && ip -n "$tag-$k" link set lo up &&
            tc qdisc add dev "${tag}v$k" root tbf rate "$rate_of" burst 64kb latency 400ms &&
            tc -n "$tag-$k" qdisc add dev eth0 root tbf rate "$rate_of" burst $burst latency 400ms || return
    done
}
far_apart() { # far_apart MICROSECONDS: the same three, each cable's end in a process that keeps packets for so long
    for k in 1 2 3; do ip netns add "$tag-$k" || return; done
    "$BUILD/tests/far" "$1" "$tag-1" "$tag-2" "$tag-3" >"$work/far" &
    far=$!
    for _ in 1 2 3 4 5 6 7 8 9 10; do grep -q ready "$work/far" && break; sleep 0.1; done
    for k in 1 2 3; do
        ip -n "$tag-$k" addr add "$net.$k/24" dev eth0 && ip -n "$tag-$k" link set eth0 up && ip -n "$tag-$k" link set lo up &&
            tc -n "$tag-$k" qdisc add dev eth0 root tbf rate "$rate_of" burst $burst latency 400ms || return
    done
}
# hydra calls its launcher with a host and a command: the command runs on the machine of that number.
cat >"$work/launch" <<END
#!/bin/bash
while [ "\${1:0:1}" = - ]; do shift; done
host=\$1
shift
k=\${host##*.}
exec ip netns exec $tag-\$k taskset -c \$(((k - 1) % $(nproc))) bash -c "if [ -e $work/as-\$k ]; then . $work/as-\$k; fi; \$*"
END
chmod +x "$work/launch"
many() { # many N COMMAND...
    n=$1
    shift
    UCX_TLS=tcp,self UCX_NET_DEVICES=eth0 timeout 120 ip netns exec "$tag-1" mpiexec.hydra -genvall -launcher ssh -launcher-exec "$work/launch" \
        -hosts "$(seq -s, -f "$net.%g" "$n")" -n "$n" -ppn 1 "$@"
}
trap 'down; rm -rf "$work"' EXIT
trap 'exit 1' INT TERM

up 1gbit 2>"$work/why" || skip "no network namespaces here: $(head -1 "$work/why")"
down

does() { case " ${PARTS:-bits network pair others cable} " in *" $1 "*) ;; *) return 1 ;; esac; }
rates=${RATES-100mbit 1gbit 10gbit 1gbit+2000}
cores=$(nproc)

if does bits; then
    tell() { "$@" generate -m "$model" -n 60 --threads 1 --chain temp:0.8,draw ${split:+--split $split}; }
    alone=$(tell "$strata" 2>"$work/status")
    for rate in $rates; do
        case $rate in *+*) continue ;; esac # far apart: the same messages, only later
        up "$rate" || exit 1
        for n in 2 3; do for split in rows layers; do
            story=$(split=$split tell many $n "$strata" 2>"$work/status")
            if [ "$story" != "$alone" ]; then not "the story of $n machines by $split at $rate" "'$story' is not '$alone': $(tail -2 "$work/status")"; fi
        done; done
        down
    done
    [ $bad = 0 ] && ok "every story is that of one machine"
fi

# A model of 240 million random weights: Q4_0, the shape of 1.1B with four of its layers.
made=$work/made.gguf
if does network || does pair; then "$strata" bench make-model "$made" Q4_0 --layers 4 2>"$work/status" || exit 1; fi
# Milliseconds of a token: the fastest of some rounds, which other programs on this computer disturb least.
token() { "$@" bench model -m "$made" -p 0 -n 16 --context 0 --rounds 5 --json --threads "$threads" ${split:+--split "${split%,*}"} ${wire:+--wire "$wire"} | awk -F'"high":' '{ print 1e3 / $2 }'; }

# N machines whose messages go through memory.
# shellcheck disable=SC2016
beside() { n=$1; shift; mpiexec.hydra -n "$n" sh -c 'exec taskset -c $((PMI_RANK % $(nproc))) "$0" "$@"' "$strata" "$@"; }

# A network adds the time of the bytes and of the messages.  Where machines share a core, or at 10 Gb/s, it adds processor time, too.
threads=1
if does network; then
    printf '%-10s %-8s %-7s %-9s %-9s %-9s %-9s %-9s %-9s %s\n' network machines split kB/token delay:us beside:ms wire:ms delay:ms expected measured
    for rate in $rates; do
        up "$rate" || exit 1
        delay=$(many 2 "$BUILD/tests/ping" "$BUILD/bin/strata-mpi.so" 16)
        for n in 2 3; do for split in rows layers rows,f16; do
            case $rate_of in *gbit) speed=${rate_of%gbit}Gb/s ;; *) speed=${rate_of%mbit}Mb/s ;; esac
            wire=
            case $split in *,f16) # where the bytes count
                [ "$rate" = 100mbit ] || continue
                wire=f16 ;;
            esac
            near=$(token beside $n)
            took=$(token many $n "$strata")
            "$strata" inspect "$made" --machines $n --split "${split%,*}" ${wire:+--wire $wire} --network "$speed:${delay}us" >"$work/plan" || exit 1
            sound=$(((n <= cores) && $(echo "$rate_of" | grep -c '^100mbit$\|^1gbit$')))
            awk -v rate="$rate" -v n=$n -v split_by=$split -v delay="$delay" -v near="$near" -v took="$took" -v sound=$sound '
                /kB sent and/ { for (i = 2; i <= NF; i++) if ($i == "kB") kb += $(i - 1) }
                /on the wire/ { for (i = 2; i <= NF; i++) { if ($i == "wire") wire = $(i + 1); if ($i == "delay") late = $(i + 1) } }
                END { expected = near + wire + late; off = took / expected - 1
                    printf "%-10s %-8d %-7s %-9.1f %-9.1f %-9.2f %-9.2f %-9.2f %-9.2f %-9.2f %+.0f %%%s\n", rate, n, split_by, kb, delay, near, wire, late,
                        expected, took, 100 * off, !sound ? " (no verdict)" : off * off <= 0.15 * 0.15 ? " (within 15 %)" : " (not within 15 %)"
                    exit sound && off * off > 0.25 * 0.25 }' "$work/plan" || not "$n machines by $split at $rate" "not within 25 % of what is expected"
        done; done
        down
    done
    wire=
fi

# The same model on two machines without a network (messages go through memory), each pinned to a core.
if does pair && [ "$cores" -ge 2 ]; then
    for _ in 1 2 3; do
        for threads in 1 2; do echo "$threads $(split='' token taskset -c 0-$((threads - 1)) "$strata")"; done
        for split in rows layers; do echo "$split $(threads=1 token beside 2)"; done
    done | awk '!($1 in best) || $2 < best[$1] { best[$1] = $2 }
        END { printf "a token: one process %.2f ms, with two threads %.2f ms; two machines of one thread %.2f ms by rows, %.2f ms by layers\n",
            best[1], best[2], best["rows"], best["layers"] }'
fi

# The second machine has other files: a mount that the others do not see.
if does others; then
    up 1gbit || exit 1
    version=$("$strata" --version | grep -o '[0-9][0-9.]*' | head -1)
    LC_ALL=C sed "s/\x00$version\x00/\x00${version%?}x\x00/g" "$strata" >"$work/strata" && chmod +x "$work/strata"
    for other in "$PWD/layer5_models/models/draft.gguf $model [0-9]* bytes here" "$work/strata $strata this is version"; do
        # shellcheck disable=SC2086
        set -- $other
        echo "mount --bind $1 $2" >"$work/as-2"
        shift 2
        if many 2 "$strata" generate -m "$model" -n 3 --threads 1 >"$work/out" 2>&1; then not "a machine is told apart ($*)" "it is not"
        elif grep -q "machine 2 of 2: .*$*" "$work/out"; then ok "a machine is told apart: $(grep -o 'machine 2 of 2: .*' "$work/out")"
        else not "a machine is told apart ($*)" "$(tail -3 "$work/out")"; fi
    done
    rm "$work/as-2"
    down
fi

# A cable is pulled while a text is read, and put back; then for good.
does cable || exit $bad
up 1gbit || exit 1
cat docs/layer*/*.md | head -c 40000 >"$work/text"
"$strata" perplexity -m "$model" -f "$work/text" --threads 1 >"$work/alone" 2>/dev/null
many 3 "$strata" perplexity -m "$model" -f "$work/text" --threads 1 >"$work/out" 2>"$work/status" &
started=$!
sleep 3
ip link set "${tag}v3" down
sleep 1.5
ip link set "${tag}v3" up
kill -0 $started 2>/dev/null || not "a cable that is put back" "the text was read before that"
if wait $started && cmp "$work/alone" "$work/out" >/dev/null; then ok "a cable that is put back after 1.5 s: the same perplexity"
else not "a cable that is put back" "$(tail -3 "$work/status")"; fi
cat docs/layer*/*.md >"$work/text"
many 3 "$strata" perplexity -m "$model" -f "$work/text" --threads 1 >"$work/out" 2>&1 &
started=$!
sleep 4
begin=$(date +%s)
ip link set "${tag}v3" down
wait $started
status=$?
if [ $status -ne 0 ] && grep -q "machine 3 of 3 has not answered for 4[0-9.]* s" "$work/out"; then
    ok "a pulled cable: after $(($(date +%s) - begin)) s the first machine names the third"
else not "a pulled cable" "status $status: $(tail -3 "$work/out")"; fi
sleep 7
left=$(ps -eo pid,stat,args | awk -v text="$work/text" '$3 == "perplexity" && index($0, text) && $2 !~ /Z/ { printf " %s", $1 }')
if [ "$left" ]; then
    not "the lost machine ends" "processes$left are left"
    # shellcheck disable=SC2086
    kill -KILL $left
else ok "and the lost machine ends as well"; fi
exit $bad
