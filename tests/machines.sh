#!/bin/sh
# Several machines on one: network namespaces, joined by a bridge, each cable with a rate.  `make machines` runs it.
#
#   bits      a story on 2 and 3 machines, by rows and by layers, on each network
#   network   seconds of a token beyond those on one machine, beside what its bytes take at that rate
#   cable     pulled in the middle: the first machine names the one that is lost
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

skip() { echo "SKIPPED, AND SO NOT CHECKED: several machines on a network ($1)"; exit 0; }
command -v mpiexec.hydra >/dev/null || skip "there is no mpiexec.hydra: apt-get install mpich"
[ -e "$BUILD/bin/strata-mpi.so" ] || skip "built without MPI"
command -v ip >/dev/null && command -v tc >/dev/null || skip "there is no ip or tc: apt-get install iproute2"

ok() { echo "ok $1"; }
not() { echo "not ok $1: $2"; bad=1; }

down() {
    for k in 1 2 3; do ip link del "${tag}v$k"; ip netns del "$tag-$k"; done
    ip link del "${tag}b"
} 2>/dev/null
up() { # up RATE: three machines
    ip link add "${tag}b" type bridge && ip link set "${tag}b" up || return
    for k in 1 2 3; do
        ip netns add "$tag-$k" && ip link add "${tag}v$k" type veth peer name eth0 netns "$tag-$k" &&
            ip link set "${tag}v$k" master "${tag}b" up && ip -n "$tag-$k" addr add "$net.$k/24" dev eth0 &&
            ip -n "$tag-$k" link set eth0 up && ip -n "$tag-$k" link set lo up &&
            tc qdisc add dev "${tag}v$k" root tbf rate "$1" burst 64kb latency 400ms &&
            tc -n "$tag-$k" qdisc add dev eth0 root tbf rate "$1" burst 64kb latency 400ms || return
    done
}
# hydra calls its launcher with a host and a command: the command runs on the machine of that number.
cat >"$work/launch" <<END
#!/bin/bash
while [ "\${1:0:1}" = - ]; do shift; done
host=\$1
shift
exec ip netns exec $tag-\${host##*.} bash -c "\$*"
END
chmod +x "$work/launch"
many() { # many N COMMAND...
    n=$1
    shift
    UCX_TLS=tcp,self UCX_NET_DEVICES=eth0 timeout 120 ip netns exec "$tag-1" mpiexec.hydra -genvall -launcher ssh -launcher-exec "$work/launch" \
        -hosts "$(seq -s, -f "$net.%g" "$n")" -n "$n" -ppn 1 "$strata" "$@"
}
trap 'down; rm -rf "$work"' EXIT

up 1gbit 2>"$work/why" || skip "no network namespaces here: $(head -1 "$work/why")"
down

# Seconds of a token after the first, and what all tokens sent and received, from the status lines.
read_status() {
    awk '/tokens\/s/ { for (i = 2; i <= NF; i++) if ($i == "tokens/s" || $i == "tokens/s]") speed = $(i - 1) }
        / MB sent, / { for (i = 2; i <= NF; i++) if ($i == "MB" && $(i + 1) ~ /sent/) sent = $(i - 1); else if ($i == "MB") received = $(i - 1) }
        END { print 1 / speed, (sent + received) * 1e6 }' "$1"
}
tokens=60
tell() { "$@" generate -m "$model" -n $tokens --threads 1 --chain temp:0.8,draw ${split:+--split $split}; }

alone=$(tell "$strata" 2>"$work/status")
# shellcheck disable=SC2046
set -- $(read_status "$work/status")
seconds=$1
printf '%-10s %-9s %-8s %-12s %-12s %-12s\n' network machines split kB/token wire:ms measured:ms
for rate in ${RATES-100mbit 1gbit 10gbit}; do
    up $rate || exit 1
    for n in 2 3; do for split in rows layers; do
        story=$(split=$split tell many $n 2>"$work/status")
        if [ "$story" != "$alone" ]; then not "the story of $n machines by $split at $rate" "'$story' is not '$alone': $(tail -2 "$work/status")"; fi
        # shellcheck disable=SC2046
        set -- $(read_status "$work/status")
        awk -v rate="$rate" -v n=$n -v split_by=$split -v took="$1" -v bytes="$2" -v alone="$seconds" -v tokens=$tokens 'BEGIN {
            split(rate, unit, /[a-z]/); per_second = unit[1] * (rate ~ /gbit/ ? 1e9 : 1e6)
            printf "%-10s %-9d %-8s %-12.1f %-12.2f %-12.2f\n", rate, n, split_by, bytes / tokens / 1e3, 8e3 * bytes / tokens / per_second, 1e3 * (took - alone) }'
    done; done
    down
done
[ $bad = 0 ] && ok "every story is that of one machine"

# A cable is pulled while a text is read.
up 1gbit || exit 1
cat docs/layer*/*.md >"$work/text"
many 3 perplexity -m "$model" -f "$work/text" --threads 1 >"$work/out" 2>&1 &
started=$!
sleep 4
begin=$(date +%s)
ip link set "${tag}v3" down
wait $started
status=$?
if [ $status -ne 0 ] && grep -q "machine 3 of 3 has not answered for 10 s" "$work/out"; then
    ok "a pulled cable: after $(($(date +%s) - begin)) s the first machine names the third"
else not "a pulled cable" "status $status: $(tail -3 "$work/out")"; fi
sleep 22
left=$(ps -eo pid,stat,args | awk -v text="$work/text" '$3 == "perplexity" && index($0, text) && $2 !~ /Z/ { printf " %s", $1 }')
if [ "$left" ]; then
    not "the lost machine ends" "processes$left are left"
    # shellcheck disable=SC2086
    kill -KILL $left
else ok "and the lost machine ends as well"; fi
exit $bad
