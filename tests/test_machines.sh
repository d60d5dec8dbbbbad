#!/bin/sh
# Commands that mpirun starts on several machines: processes here.
. "$(dirname "$0")/program.sh"

mkdir "$work/alone"
cp "$strata" "$work/alone/strata"
expect "without MPI" 1 "built without MPI, which several machines need" env PMI_SIZE=2 PMI_RANK=0 "$work/alone/strata" generate -m "$model" -n 3
expect "one machine has no shares" 2 "shares is for several machines" "$strata" generate -m "$model" -n 3 --shares 1:2
expect "one machine has all layers" 2 "split is for several machines" "$strata" generate -m "$model" -n 3 --split layers
# What several machines would have, told by one.
expect "a plan for three machines" 0 "22 products, 26 messages one after the other" "$strata" inspect "$model" --machines 3 --shares 3:1:1
same "with shares" "$(awk '$1 ~ /^[123]$/ { printf "%.0f ", $4 }' "$work/out")" "59 21 20 "
expect "and the time of a token" 0 "messages' delay 2.6 ms" "$strata" inspect "$model" --machines 3 --network 1Gb/s:100us
same "two machines read half each" "$("$strata" inspect "$model" --machines 2 | awk '$1 ~ /^[12]$/ { printf "%.0f ", $4 }')" "50 50 "
for network in 1GB/s 1Gb 0Gb/s:1us -1Gb/s 1Gb/s:1 1Gb/s:-1us 1Gb/s:1us: nanGb/s infGb/s ""; do
    expect "network '$network'" 2 "--network is '$network': wanted" "$strata" inspect "$model" --machines 2 --network "$network"
done
expect "a plan by layers" 0 "4 messages one after the other, 2.2 kB sent and 2.1 kB received" "$strata" inspect "$model" --machines 3 --split layers
same "each has a layer, and the first the output matrix" "$(awk '$1 ~ /^[123]$/ { printf "%.0f ", $6 * 100 }' "$work/out")" "51 51 51 "
expect "and the time of a token, one machine after the other" 0 "messages' delay 0.4 ms" "$strata" inspect "$model" --machines 3 --split layers --network 1Gb/s:100us
expect "another split" 2 "split is 'columns': wanted rows or layers" "$strata" inspect "$model" --machines 3 --split columns
expect "no machines, no split" 2 "split needs --machines" "$strata" inspect "$model" --split layers
expect "no machines, no shares" 2 "shares needs --machines" "$strata" inspect "$model" --shares 1:2
expect "shares for another number of them" 2 "wanted 3 numbers" "$strata" inspect "$model" --machines 3 --shares 1:2
"$BUILD/tests/families" t5 "" "$work/t5.gguf"
# The simulator has the same model of costs.
together() { "$strata" simulate -m "$model" --bandwidth 40 --flops 200 --network "$@" --csv "$work/together.csv" >/dev/null; }
for network in 100Mb/s:1ms 10Gb/s:30us; do for split in rows layers; do for extra in "" "--shares 3:1:1" "--wire f16"; do
    # shellcheck disable=SC2086
    together $network --decode 1 --machines 3 --split $split $extra
    # shellcheck disable=SC2086
    same "a token by $split at $network $extra, simulated and inspected" "$(awk -F, 'NR == 2 { printf "%.3g", $4 }' "$work/together.csv")" \
        "$("$strata" inspect "$model" --machines 3 --split $split --network $network --bandwidth 40 $extra | sed -n 's/.*a token takes \([0-9.]*\) ms.*/\1/p')"
done; done; done
together 1Gb/s:100us --machines 3 --split rows --users 1 --every 1000 --seconds 1000 --policy chunked -p 8 -n 100
same "... and served: the usual gap between tokens" "$(awk -F, 'NR == 2 { printf "%.2f", $8 }' "$work/together.csv")" \
    "$(together 1Gb/s:100us --decode 1 --machines 3 --split rows -p 50 && awk -F, 'NR == 2 { printf "%.2f", $4 }' "$work/together.csv")"
expect "fast machines have digits, no exponents" 0 "(1[0-9][0-9][0-9] tokens/s)" "$strata" inspect "$model" --machines 3 --split layers --network 1Gb/s:100us --bandwidth 40
expect "a thousand machines" 0 "^ *1000 *1 .* one machine" "$strata" simulate --shape 8B --bandwidth 40 --flops 200 --network 1Gb/s:100us --decode 1 --machines 1000
expect "rows win where the network is fast" 0 "^ *8 *1 .* rows" "$strata" simulate --shape 70B --bandwidth 40 --flops 200 --network 100Gb/s:5us --decode 1 --machines 8
expect "layers where it is slow, and texts are many" 0 "^ *8 *64 .* layers" "$strata" simulate --shape 70B --bandwidth 40 --flops 200 --network 1Gb/s:100us --decode 64 --machines 8
expect "a shape of its own" 0 "^ *2 *1 " "$strata" simulate --shape 2048:32:4:64:5632:4:32000 --bits 16 --bandwidth 40 --flops 200 --network 1Gb/s:100us --decode 1 --machines 2
expect "machines of their own, and together" 0 "refused  preempt    \$/Mtok split" "$strata" simulate --shape 8B --bandwidth 40 --flops 200 --network 1Gb/s:100us --machines 1 --machines 4 --split rows --split layers --users 2 --seconds 60 --policy chunked
same "... in every way" "$(awk '{ printf "%s%s ", $3, $NF }' "$work/out")" "machinessplit 1rows 1layers 4rows 4layers "
expect "costs that were measured, together" 0 " 2 .* layers" "$strata" simulate --costs "$here/../docs/figures/data/costs.txt" -m "$model" --network 1Gb/s:100us --machines 2 --split layers --users 10 --seconds 5 --policy chunked
"$BUILD/tests/families" qwen3moe "" "$work/experts.gguf"
expect "experts have measured costs only" 1 "has experts" "$strata" simulate -m "$work/experts.gguf" --bandwidth 40 --flops 200 --network 1Gb/s:100us --decode 8 --machines 2
expect "a source text first" 1 "reads a source text first" "$strata" inspect "$work/t5.gguf" --machines 2
"$BUILD/tests/families" rwkv7 "" "$work/rwkv7.gguf"
expect "a family that layers do not divide" 1 "cannot be split by layers, because its later layers read the first one's values" "$strata" inspect "$work/rwkv7.gguf" --machines 2 --split layers
if ! command -v mpirun >/dev/null || [ ! -e "$BUILD/bin/strata-mpi.so" ]; then
    echo "SKIPPED, AND SO NOT CHECKED: several machines (there is no mpirun here)"
    exit 0
fi
# Open MPI wants to be told that root, and more processes than cores, are meant.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
many() { n=$1; shift; timeout 100 mpirun -n "$n" "$strata" "$@"; }
# How a run of lost machines ended: "failed", unless it did not (0) or a time limit of this test ended it (124, 137).  Which other number
# mpirun gives is its own matter: MPICH's joins the exit statuses of its processes, also the 9 of a hanging one that it kills.
lost() { case $1 in 0 | 124 | 137) echo "$1" ;; *) echo failed ;; esac; }

with_text() { ps -eo pid,stat,args | awk -v text="$1" -v command="$2" '$3 == command && index($0, text) && $2 !~ /Z/ { print $1 }' | sort -n; }
cat >"$work/ask.py" <<'EOF'
import json, sys, urllib.error, urllib.request
body = json.dumps({"prompt": sys.argv[2], "max_tokens": 1, "temperature": 0}).encode()
try:
    urllib.request.urlopen(urllib.request.Request(sys.argv[1] + "/v1/completions", body, {"Content-Type": "application/json"})).read()
except urllib.error.HTTPError as refused:
    sys.exit(f"{refused.code} {refused.read().decode()}")
EOF
# A server on two machines, of a file that names its processes: `started`, `url`.
serve_two() { # serve_two NAME
    ln -s "$model" "$work/$1.gguf"
    timeout -s KILL 120 mpirun -n 2 "$strata" serve -m "$work/$1.gguf" --threads 1 --port 0 --quiet >"$work/$1" 2>&1 &
    started=$!
    for _ in $(seq 80); do grep -q "answers at" "$work/$1" && break; sleep 0.5; done
    url=$(sed -n 's,.*\(http://[0-9.:]*\).*,\1,p' "$work/$1" | head -1)
    second=$(with_text "$work/$1.gguf" serve | tail -1)
}

# Two waits, and this test goes on meanwhile.  A server whose second machine hangs between two requests ends with the next one.
if [ -x "$BUILD/bin/strata-serve" ]; then
    {
        serve_two hung
        python3 "$work/ask.py" "$url" "Mia was" && kill -STOP "$second" && ! python3 "$work/ask.py" "$url" "Mia was" 2>"$work/answer"
        echo $? >"$work/asked"
        wait $started
        lost $? >>"$work/asked"
    } &
    asked=$!
fi
# A machine that never begins.
# shellcheck disable=SC2016
timeout 60 mpirun -n 2 sh -c '[ "${PMI_RANK:-$OMPI_COMM_WORLD_RANK}" = 1 ] && kill -STOP $$; exec "$0" "$@"' "$strata" generate -m "$model" -n 3 >"$work/begun" 2>&1 &
begun=$!
# MPI that does not end.
echo 'int pause(void); int MPI_Finalize(void); int MPI_Finalize(void) { return pause(); }' >"$work/stuck.c"
cc -shared -fPIC "$work/stuck.c" -o "$work/stuck.so"
LD_PRELOAD=$work/stuck.so timeout 60 mpirun -n 2 "$strata" generate -m "$model" -n 24 --threads 1 >"$work/ended" 2>/dev/null &
ended=$!

alone=$("$strata" generate -m "$model" -n 24 --threads 1 2>/dev/null)
same "two machines tell the same story" "$(many 2 generate -m "$model" -n 24 --threads 1 2>"$work/said")" "$alone"
same "they are told of" "$(grep -c '2 machines, 1 thread' "$work/said")" 1
same "with shares, and without packing" "$(many 3 generate -m "$model" -n 24 --threads 1 --shares 3:1:0.5 --no-pack 2>/dev/null)" "$alone"
# Only the first machine has the file: elsewhere it cannot be opened.
cat >"$work/hidden.c" <<'EOF2'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
static int hidden(const char *path) {
    const char *rank = getenv("PMI_RANK") ? getenv("PMI_RANK") : getenv("OMPI_COMM_WORLD_RANK");
    return strstr(path, "only.gguf") && rank && atoi(rank) > 0;
}
#define OPEN(NAME) \
    int NAME(const char *path, int flags, ...) { \
        va_list more; \
        va_start(more, flags); \
        int mode = va_arg(more, int), (*next)(const char *, int, ...) = dlsym(RTLD_NEXT, #NAME); \
        va_end(more); \
        return hidden(path) ? errno = ENOENT, -1 : next(path, flags, mode); \
    }
OPEN(open)
OPEN(open64)
EOF2
cc -w -shared -fPIC "$work/hidden.c" -o "$work/hidden.so" -ldl
cp "$model" "$work/only.gguf"
hidden() { LD_PRELOAD="$work/hidden.so" timeout 100 mpirun -n 3 "$strata" "$@"; }
for split in rows layers; do
    expect "a file that another machine has not, by $split" 1 "machine 2 of 3: .*only.gguf cannot be opened" hidden generate -m "$work/only.gguf" -n 3 --threads 1 --split $split
    same "is sent to it, by $split" "$(hidden generate -m "$work/only.gguf" -n 24 --threads 1 --split $split --file-on-first 2>"$work/said")" "$alone"
    same "and how much is said, by $split" "$(grep -c 'MB received, [0-9.]* MB of files and greetings\]' "$work/said")" 1
done
# Another machine without memory for a message says which one it is.
cat >"$work/short.c" <<'EOF2'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
void *realloc(void *p, size_t n) {
    static void *(*next)(void *, size_t);
    if (!next) next = dlsym(RTLD_NEXT, "realloc");
    const char *rank = getenv("PMI_RANK") ? getenv("PMI_RANK") : getenv("OMPI_COMM_WORLD_RANK");
    return n > 200000 && rank && atoi(rank) == 1 ? NULL : next(p, n);
}
EOF2
cc -w -shared -fPIC "$work/short.c" -o "$work/short.so" -ldl
LD_PRELOAD="$work/short.so" timeout 100 mpirun -n 3 "$strata" generate -m "$model" -n 3 --threads 1 --file-on-first >"$work/said" 2>&1
same "a machine without memory for a message is named" "$(grep -c 'strata: machine 2 of 3: no memory for a message' "$work/said")" 1
for split in rows layers; do
    same "halves on the wire tell the same story, by $split" "$(many 3 generate -m "$model" -n 24 --threads 1 --split $split --wire f16 --chain greedy 2>/dev/null)" "$("$strata" generate -m "$model" -n 24 --threads 1 --chain greedy 2>/dev/null)"
    "$strata" inspect "$model" --machines 3 --split $split >"$work/whole" && "$strata" inspect "$model" --machines 3 --split $split --wire f16 >"$work/halves"
    same "and are counted, by $split" "$(cat "$work/whole" "$work/halves" | awk '/kB sent/ { for (i = 2; i <= NF; i++) if ($i == "kB") kb[NR > 9] += $(i - 1) } END { print kb[1] < 0.6 * kb[0] }')" 1
done
expect "another type of numbers" 2 "wire is 'bf16': wanted f32 or f16" "$strata" inspect "$model" --machines 3 --wire bf16
expect "no machines, no wire" 2 "wire needs --machines" "$strata" inspect "$model" --wire f16
expect "one machine has no wire" 2 "wire is for several machines" "$strata" generate -m "$model" -n 3 --wire f16
expect "one machine has its file" 2 "file-on-first is for several machines" "$strata" generate -m "$model" -n 3 --file-on-first
same "a draft model is shared, too" "$(many 2 generate -m "$model" --draft "$draft" -n 24 --threads 1 --chain greedy 2>/dev/null)" "$("$strata" generate -m "$model" -n 24 --threads 1 --chain greedy 2>/dev/null)"
same "logits have the same bits" "$(many 2 logits -m "$model" --tokens 1,2,3 --threads 1 2>/dev/null | md5sum)" "$("$strata" logits -m "$model" --tokens 1,2,3 --threads 1 | md5sum)"
same "keys and values of eight bits" "$(many 3 generate -m "$model" -n 24 --threads 1 --kv q8_0 2>/dev/null)" "$("$strata" generate -m "$model" -n 24 --threads 1 --kv q8_0 2>/dev/null)"
long=$(yes "Mia had a red ball." | head -28 | tr '\n' ' ')
expect "a text longer than its context" 0 "end of text" "$strata" generate -m "$model" -p "$long" -n 60 --threads 1 --ctx 192 --shift
same "is cut on several machines, too" "$(many 2 generate -m "$model" -p "$long" -n 60 --threads 1 --ctx 192 --shift 2>/dev/null)" "$("$strata" generate -m "$model" -p "$long" -n 60 --threads 1 --ctx 192 --shift 2>/dev/null)"
same "a look inside" "$(many 2 look attention -m "$model" -p "Mia was" --threads 1 2>/dev/null)" "$("$strata" look attention -m "$model" -p "Mia was" --threads 1 2>/dev/null)"
same "a removed head" "$(many 2 generate -m "$model" -n 24 --threads 1 --scale-head 0.1=0 2>/dev/null)" "$("$strata" generate -m "$model" -n 24 --threads 1 --scale-head 0.1=0 2>/dev/null)"
same "beams" "$(many 3 generate -m "$model" -n 24 --threads 1 --beams 3 2>/dev/null)" "$("$strata" generate -m "$model" -n 24 --threads 1 --beams 3 2>/dev/null)"
printf 'Once upon a time there was a cat.\nMia was a brave owl.\n' >"$work/documents"
for split in rows layers; do
    expect "chains are compared, by $split" 0 "less greedy" many 2 compare -m "$model" --chains greedy draw --documents 2 -n 20 --threads 1 --split "$split"
    expect "with an amateur, by $split" 0 "contrast:0.1" many 2 compare -m "$model" --chains contrast:0.1,greedy --amateur "$draft" --documents 2 -n 20 --threads 1 --split "$split"
    expect "chains are tuned, by $split" 0 "2 documents, 2 texts a chain" many 2 tune -m "$model" --documents "$work/documents" --chains greedy draw -n 20 --threads 1 --split "$split"
done

# Whole layers on each.
layers() { n=$1; shift; many "$n" "$@" --threads 1 --split layers; }
same "a story by layers" "$(layers 3 generate -m "$model" -n 24 2>"$work/said")" "$alone"
same "each token goes through the others once" "$(grep -c '25 parts of batches on 3 machines' "$work/said")" 1
same "layers with shares, and without packing" "$(layers 2 generate -m "$model" -n 24 --shares 1:2 --no-pack 2>/dev/null)" "$alone"
same "logits by layers have the same bits" "$(layers 3 logits -m "$model" --tokens 1,2,3 2>/dev/null | md5sum)" "$("$strata" logits -m "$model" --tokens 1,2,3 --threads 1 | md5sum)"
same "four stories at once, by layers" "$(layers 3 generate -m "$model" -n 24 --chain temp:0.9,draw --best-of 4 2>/dev/null)" "$("$strata" generate -m "$model" -n 24 --threads 1 --chain temp:0.9,draw --best-of 4 2>/dev/null)"
same "beams by layers" "$(layers 3 generate -m "$model" -n 24 --beams 3 2>/dev/null)" "$("$strata" generate -m "$model" -n 24 --threads 1 --beams 3 2>/dev/null)"
"$BUILD/tests/families" gemma4 "=tied post_norms small_gains window:6 windows_listed window_heads rope_freqs layers:7 embedding_length_per_layer_input=0 attention.shared_kv_layers=0 end_scale dim:128 heads:8 kv_heads:4 head_dim:64 hidden:256" "$work/gemma.gguf"
"$BUILD/tests/families" gemma4-assistant "assists:128 dim:128 heads:8 kv_heads:4 head_dim:64 hidden:256" "$work/assistant.gguf"
same "an assistant is shared, too" "$(many 2 generate -m "$work/gemma.gguf" --draft "$work/assistant.gguf" -p the -n 24 --ids --threads 1 --chain greedy 2>"$work/err")" "$("$strata" generate -m "$work/gemma.gguf" -p the -n 24 --ids --threads 1 --chain greedy 2>/dev/null)"
same "... its products" "$(grep -c "[0-9] products on 2 machines" "$work/err")" 1
expect "... but not by layers" 1 "cannot be split by layers, because it reads keys and values of its model" many 2 generate -m "$work/gemma.gguf" --draft "$work/assistant.gguf" --split layers
same "a draft by layers, keys of eight bits" "$(layers 3 generate -m "$model" --draft "$draft" -n 24 --chain greedy --kv q8_0 2>/dev/null)" "$("$strata" generate -m "$model" -n 24 --threads 1 --chain greedy --kv q8_0 2>/dev/null)"
same "a text that is cut, by layers" "$(layers 3 generate -m "$model" -p "$long" -n 60 --ctx 192 --shift 2>/dev/null)" "$("$strata" generate -m "$model" -p "$long" -n 60 --threads 1 --ctx 192 --shift 2>/dev/null)"
same "a look inside has all layers on the first" "$(layers 2 look attention -m "$model" -p "Mia was" 2>/dev/null)" "$("$strata" look attention -m "$model" -p "Mia was" --threads 1 2>/dev/null)"
expect "early layers are elsewhere" 1 "reads rows between layers" layers 3 generate -m "$model" -n 3 --chain dola,greedy --early-layers 1
expect "adapters are on no other machine" 1 "adapter: other machines have the file's weights only" layers 2 generate -m "$model" -n 3 --adapter gone.gguf
expect "nor those of a server" 1 "lora: other machines have the file's weights only" layers 2 serve -m "$model" --port 0 --lora a=gone.gguf
expect "a family that is refused" 1 "wanted --split rows" layers 2 logits -m "$work/rwkv7.gguf" --tokens 1,2
expect "split in another way" 2 "wanted rows or layers" many 2 generate -m "$model" -n 3 --split half

expect "shares for another number" 2 "shares is '1:2': wanted 3 numbers" many 3 generate -m "$model" -n 3 --shares 1:2
for shares in 1:2: 1:2:3 1:x 1:2x :1 1: "" nan:1 -1:2; do expect "shares '$shares'" 2 "wanted 2 numbers" many 2 generate -m "$model" -n 3 --shares "$shares"; done
expect "shares of nothing" 2 "not all 0" many 2 generate -m "$model" -n 3 --shares 0:0
expect "a mistake is said once" 2 "no option '--nothing'" many 3 generate --nothing
same "by one machine" "$(grep -c 'no option' "$work/out")" 1
many 3 no >"$work/out" 2>&1 # the status is mpirun's, and such processes end before it is ready
same "a mistake in the command is said by one machine, too" "$(grep -c "no command 'no'" "$work/out")" 1
expect "no such model" 1 "gone.gguf: no such file" many 2 generate -m gone.gguf
expect "a command without a model" 0 "divide the logits" many 2 samplers

# A benchmark says what a token takes in all caches together.
kept() { "$@" bench kv --documents 1 --context 20 -n 2 --rounds 1 --threads 1 | awk '/^[fbq]/ { print $1, $2 }'; }
taken=$(kept "$strata")
for split in rows layers; do same "bytes of a token on all machines, by $split" "$(by() { many 2 "$@" --split $split; }; kept by)" "$taken"; done

# Training: the weights depend on the number of parts alone; a run goes on, on another number of machines.
teach() { # teach RUNNER...: 6 steps into the file m.gguf of a folder
    mkdir -p "$work/t" && rm -f "$work/t/m.gguf"
    "$@" --out "$work/t/m.gguf" --dim 32 --hidden 64 --layers 2 --heads 4 --kv-heads 2 --vocab 280 --batch 1024 --ctx 64 --eval-documents 1 --threads 1 >"$work/said" 2>&1 || cat "$work/said"
    md5sum "$work/t/m.gguf" 2>&1
}
learned=$(teach "$strata" train --steps 6 --parts 4)
for n in 2 3 4; do same "$n machines learn the same weights" "$(teach many $n train --steps 6 --parts 4)" "$learned"; done
same "and say once what they do" "$(grep -c 'm.gguf is written' "$work/said")" 1
teach many 2 train --steps 6 --parts 4 --checkpoint "$work/run" >/dev/null
cp "$work/run" "$work/run2"
same "a run goes on, on another number of machines" "$(teach many 3 train --steps 9 --parts 4 --checkpoint "$work/run" --resume)" "$(teach "$strata" train --steps 9 --parts 4 --checkpoint "$work/run2" --resume)"
expect "in other parts it would be another run" 1 "written with another --parts" teach many 2 train --steps 12 --parts 5 --checkpoint "$work/run" --resume
expect "each machine needs a part" 1 "3 machines share the parts of a batch, which has 2: give --parts 3 or more" many 3 train --out "$work/t/m.gguf" --parts 2
expect "a mistake of training is said once" 2 "no option '--nothing'" many 3 train --nothing
same "by the first machine" "$(grep -c 'no option' "$work/out")" 1
expect "no such corpus" 1 "gone.txt cannot be opened" many 2 train --out "$work/t/m.gguf" --corpus gone.txt --parts 2

# A file of prefixes: the heads of all machines, as one machine writes it; and it is read again.
keep() { # keep FOLDER RUNNER...: a server reads a long prompt and ends
    folder=$work/$1
    mkdir -p "$folder"
    shift
    timeout -s KILL 120 "$@" serve -m "$model" --threads 1 --port 0 --prefixes "$folder" >"$work/out" 2>&1 &
    started=$!
    for _ in $(seq 80); do grep -q "answers at" "$work/out" && break; sleep 0.5; done
    python3 "$work/ask.py" "$(sed -n 's,.*\(http://[0-9.:]*\).*,\1,p' "$work/out" | head -1)" "$long"
    kill -INT "$(ps -eo pid,ppid | awk -v parent=$started '$2 == parent { print $1 }')"
    wait $started
}
if [ -x "$BUILD/bin/strata-serve" ]; then
    expect "pages of other layers are not in one file" 1 "prefixes: the pages are on machines with other layers" layers 2 serve -m "$model" --port 0 --prefixes "$work"
    keep one "$strata"
    keep many mpirun -n 3 "$strata"
    if cmp "$work/one/"*.prefixes "$work/many/"*.prefixes >"$work/said" 2>&1; then ok "a file of prefixes has the same bytes from three machines"
    else not "a file of prefixes has the same bytes from three machines" "$(cat "$work/said" "$work/out")"; fi
    keep many mpirun -n 2 "$strata"
    same "and two machines read it" "$(grep -c 'prefixes of 64 tokens\]*$' "$work/out")" 1
    # What halves on the wire have rounded is not for machines whose bits are promised.
    printf '#!/bin/sh\nexec mpirun -n 2 "%s" "$@" --wire f16\n' "$strata" >"$work/on-two" && chmod +x "$work/on-two"
    keep half "$work/on-two"
    keep half "$strata"
    same "one machine does not take the prefixes of halves" "$(grep -c 'no prefixes are taken from it' "$work/out")" 1
fi

# Ctrl-C goes to all of them: a server still finishes what it answers.
if [ -x "$BUILD/bin/strata-serve" ]; then
    serve_two slow
    kill -STOP "$second"
    python3 "$work/ask.py" "$url" "Mia was" &
    slow=$!
    sleep 2
    kill -CONT "$second"
    wait $slow
    same "a machine that hangs for two seconds is waited for" "$?" 0
    kill -INT "$(ps -eo pid,ppid | awk -v parent=$started '$2 == parent { print $1 }')"
    wait $started
    status=$?
    # Open MPI's mpirun counts every Ctrl-C as a failure.
    case $(mpirun --version) in *"Open MPI"*) status=0 ;; esac
    same "Ctrl-C ends a server on two machines as on one" "$status $(grep -c 'shutting down' "$work/slow")" "0 1"
fi

# A machine that hangs is named, and all end.
hang() { # hang COMMAND PATTERN ARGUMENTS...: the last of three machines stops
    name=$1 pattern=$2
    shift 2
    timeout 100 mpirun -n 3 "$strata" "$name" "$@" >"$work/out" 2>&1 &
    started=$!
    for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do [ "$(with_text "$work" "$name" | wc -l)" -eq 3 ] && break; sleep 0.5; done
    sleep 3 # MPI begins
    pids=$(with_text "$work" "$name")
    kill -STOP "$(echo "$pids" | tail -1)"
    wait $started
    status=$(lost $?)
    if [ "$status" = failed ] && grep -q "machine [23] of 3 has not answered for $pattern s" "$work/out"; then ok "$name: a hanging machine is named, and ends the run"
    else not "$name: a hanging machine is named, and ends the run" "status $status, processes '$pids': $(tail -3 "$work/out")"; fi
    sleep 1
    left=$(with_text "$work" "$name")
    # shellcheck disable=SC2086
    [ "$left" ] && kill -KILL $left
    same "$name: and leaves no process" "$left" ""
}
cat "$here"/../docs/layer*/*.md >"$work/text"
hang perplexity "[4-9][0-9.]*" -m "$model" -f "$work/text" --threads 1
hang perplexity "[4-9][0-9.]*" -m "$model" -f "$work/text" --threads 1 --split layers
hang train "[1-9][0-9.]*" --out "$work/long.gguf" --parts 6 --batch 1500 --threads 1

if [ -x "$BUILD/bin/strata-serve" ]; then
    wait $asked
    same "its client hears why" "$(grep -c '^503 .*machine 2 of 2 has not answered' "$work/answer")" 1
    same "a server ends with the first request that a hanging machine does not answer" "$(tr '\n' ' ' <"$work/asked")$(grep -c '^strata: machine 2 of 2 has not answered for 4' "$work/hung")" "0 failed 1"
fi
wait $begun
same "a machine that does not begin is waited for, with a limit" "$(lost $?) $(grep -c 'of 2 machines not all have begun after 30 s' "$work/begun")" "failed 1"
wait $ended
same "MPI that does not end is waited for, with a limit" "$? $(cat "$work/ended")" "0 $alone"
