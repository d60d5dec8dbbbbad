#!/bin/sh
# The speed of training beside llm.c's loop for CPUs, which the user has built: LLM_C is its folder, with train_gpt2.
#
#   LLM_C=~/llm.c tests/peers/training.sh
#
# Both train a transformer of one size from random weights in F32, in turns: LAYERS layers of DIM numbers, DIM / 64 heads, a
# vocabulary of 2,048 tokens, and batches of B documents of 64 tokens.  B is a constant in train_gpt2.c: 4; set it to 32 before
# make for batches of 2,048.  Theirs updates the weights by AdamW.  Ours is measured twice: with Muon, the default, which updates by
# products of whole matrices that take as long for small batches as for large ones; and with AdamW, which is what theirs does.
# llm.c's feed-forward network has two matrices of 4 DIM rows, ours three of 8/3 DIM: as many weights.  DIM, LAYERS, THREADS and
# ROUNDS change what is measured.
set -e
cd "$(dirname "$0")/../.."
. tests/peers/tools.sh
strata=$PWD/build/bin/strata dim=${DIM:-384} layers=${LAYERS:-6} rounds=${ROUNDS:-3} steps=15 tokens=262144
threads=${THREADS:-$(nproc 2>/dev/null || sysctl -n hw.ncpu)}
if [ ! -x "$LLM_C/train_gpt2" ]; then
    echo "peers: LLM_C is '$LLM_C': wanted the folder of llm.c, after make train_gpt2 there" >&2
    exit 2
fi
their=$(cd "$LLM_C" && pwd)/train_gpt2
rm -rf build/peers/llm
mkdir -p build/peers/llm/dev/data/tinyshakespeare

# Its files: a header of 256 integers, then weights (norms 1, the others small and random), or tokens of two bytes.
python3 - "$dim" "$layers" "$tokens" <<'END'
import array
import random
import sys

dim, layers, vocab, places = int(sys.argv[1]), int(sys.argv[2]), 2048, 64
draw = random.Random(1)


def header(*numbers):
    return array.array("i", list(numbers) + [0] * (256 - len(numbers))).tobytes()


def floats(count, value=None):
    return array.array("f", [value] * count if value is not None else [draw.gauss(0, 0.02) for _ in range(count)]).tobytes()


with open("build/peers/llm/gpt2_124M.bin", "wb") as file:
    file.write(header(20240326, 3, places, vocab, layers, dim // 64, dim, vocab))
    file.write(floats(vocab * dim) + floats(places * dim))
    for rows, value in ((1, 1.0), (1, 0.0), (3 * dim, None), (3, 0.0), (dim, None), (1, 0.0),  # attention, after its norm
                        (1, 1.0), (1, 0.0), (4 * dim, None), (4, 0.0), (4 * dim, None), (1, 0.0)):
        file.write(floats(layers * rows * dim, value))
    file.write(floats(dim, 1.0) + floats(dim, 0.0))
for name, count in (("train", int(sys.argv[3])), ("val", 20000)):
    with open("build/peers/llm/dev/data/tinyshakespeare/tiny_shakespeare_%s.bin" % name, "wb") as file:
        file.write(header(20240520, 1, count) + array.array("H", [draw.randrange(vocab) for _ in range(count)]).tobytes())
END

theirs() { # the median of its first ten steps, and tokens of a batch
    (cd build/peers/llm && OMP_NUM_THREADS=$threads stdbuf -oL "$their" 2>/dev/null) | awk -v tokens="$tokens" '
        /^train dataset num_batches/ { batch = tokens / $4 }
        /took/ { sub(/.*took /, ""); print 1000 * batch / $1, batch; if (++steps == 10) exit }' | sort -n | sed -n 5p
}
ours() { # of its last five steps
    "$strata" train --out build/peers/llm/ours.gguf --dim "$dim" --hidden $((dim * 8 / 3)) --layers "$layers" --heads $((dim / 64)) --kv-heads $((dim / 64)) \
        --vocab 2048 --ctx 64 --batch "$1" --optimizer "$2" --steps $steps --eval-documents 1 --eval-every 1000 --threads "$threads" --log build/peers/llm/log.csv 2>/dev/null
    awk -F, 'NR == 3 { print $6 }' build/peers/llm/log.csv
}

: >build/peers/muon
: >build/peers/adamw
: >build/peers/theirs
for round in $(seq "$rounds"); do
    echo "peers: training, round $round of $rounds" >&2
    theirs >build/peers/llm/said
    batch=$(cut -d' ' -f2 build/peers/llm/said)
    cut -d' ' -f1 build/peers/llm/said >>build/peers/theirs
    for optimizer in muon adamw; do ours "$batch" $optimizer >>build/peers/$optimizer; done
done
echo "training, tokens/s, medians of $rounds rounds in turns, $threads threads, $layers layers of $dim numbers, batches of $batch tokens"
for optimizer in muon adamw; do
    echo "$(median <build/peers/$optimizer) $(median <build/peers/theirs)" |
        awk -v name=$optimizer '{ printf "ours with %s %.0f, llm.c %.0f: %.2fx\n", name, $1, $2, $1 / $2 }'
done
