#!/bin/sh
# docs/examples/small.c, the program that the core pages write down: the same stories as strata tells, and clear words for a bad file.
. "$(dirname "$0")/program.sh"
cd "$here/.." || exit 1
small=$work/small
${CC:-cc} -std=c11 -O2 -Wall -Wextra -Wshadow -Werror docs/examples/small.c -lm -o "$small" || { not "small.c compiles" "see above"; exit 1; }
ok "small.c compiles without a warning"

# like NAME CHAIN SETTING...: the story with these settings is the one of that chain
like() {
    name=$1 chain=$2 from=${model_file:-$model}
    shift 2
    for seed in 1 2 3; do
        "$strata" generate -m "$from" --isa scalar --kv f32 --chain "$chain" --seed $seed -n 150 >"$work/strata.txt" 2>/dev/null
        "$small" "$from" "Once upon a time" seed $seed tokens 150 "$@" >"$work/small.txt" 2>/dev/null
        if [ -s "$work/small.txt" ] && cmp -s "$work/strata.txt" "$work/small.txt"; then ok "$name, seed $seed"
        else not "$name, seed $seed" "$(head -c 200 "$work/small.txt")"; fi
    done
}
like "as it is" min_p:0.05,temp:0.8
like "greedy" greedy temp 0 min_p 0
like "temperature" temp:1.1 temp 1.1 min_p 0
like "top-k" top_k:40,temp:0.8 top_k 40 min_p 0
like "top-p" top_p:0.9,temp:1.1 top_p 0.9 temp 1.1 min_p 0
like "three cuts" top_k:20,top_p:0.95,min_p:0.02,temp:0.9 top_k 20 top_p 0.95 min_p 0.02 temp 0.9
"$strata" quantize "$model" "$work/q8.gguf" Q8_0 >/dev/null 2>&1
for prompt in "Mia's 3 hats:  who?" "It was 1,000 o'clock, they'd said." "Zoë" "two

lines  here "; do
    same "the prompt '$prompt'" "$("$small" "$model" "$prompt" temp 0 min_p 0 tokens 20 2>/dev/null)" "$("$strata" generate --isa scalar --kv f32 --chain greedy -n 20 -p "$prompt" 2>/dev/null)"
done
gus="Once upon a time there was a vain lamb named Gus."
nats_of() { printf '%s' "$gus" | "$strata" perplexity -m "$1" --isa scalar --window 13 --stride 12 --json 2>/dev/null | sed 's/.*"nats_per_token":\([0-9.]*\).*/\1/'; }
expect "the prompt's surprise is what perplexity measures" 0 "surprise: $(printf '%.2f' "$(nats_of "$model")") nats a token" "$small" "$model" "$gus" tokens 1
# strata rounds the inputs of a Q8_0 product, too: so the figure is alike, not the same.
nats=$(nats_of "$work/q8.gguf")
expect "a file in Q8_0" 0 "nats a token" "$small" "$work/q8.gguf" "$gus" tokens 1
got=$(sed -n 's/.*surprise: \([0-9.]*\) .*/\1/p' "$work/out")
awk "BEGIN { d = $got - $nats; exit !(d < 0.03 && d > -0.03) }" && ok "its surprise is strata's" || not "its surprise is strata's" "$got, $nats"

for prompt in "Ben had a dog" The; do
    same "what ends and what is shown after '$prompt'" "$("$small" "$model" "$prompt" seed 1 temp 1.5 min_p 0 tokens 30 2>/dev/null)" \
        "$("$strata" generate --isa scalar --kv f32 --chain temp:1.5 --seed 1 -n 30 -p "$prompt" 2>/dev/null)"
done
# patched KEY HEX: the model with other bytes as the key's value
patched() {
    at=$(LC_ALL=C grep -abo "$1" "$model" | head -1 | cut -d: -f1)
    cp "$model" "$work/odd.gguf"
    # shellcheck disable=SC2059
    printf "$2" | dd of="$work/odd.gguf" bs=1 seek=$((at + ${#1} + 4)) conv=notrunc 2>/dev/null
}
patched tokenizer.ggml.eos_token_id '\377\377\377\377'
expect "an end that is not in the vocabulary" 1 "not a token of the vocabulary: tokenizer.ggml.eos_token_id" "$small" "$work/odd.gguf" Once
patched llama.attention.layer_norm_rms_epsilon '\000\000\300\177'
expect "an epsilon that is NaN" 1 "epsilon or rope.freq_base makes no sense" "$small" "$work/odd.gguf" Once
patched GGUF ''
printf '\143' | dd of="$work/odd.gguf" bs=1 seek=4 conv=notrunc 2>/dev/null
expect "version 99" 1 "version 2 or 3" "$small" "$work/odd.gguf" Once
expect "a file that is no model" 1 "not a GGUF file: README.md" "$small" README.md Once
expect "a file that is not there" 1 "No such file" "$small" nowhere.gguf Once
LC_ALL=C sed 's/llama/mamba/g' "$model" >"$work/mamba.gguf"
expect "another family" 1 "small.c runs Llama" "$small" "$work/mamba.gguf" Once
for size in 24 100 5000 40000 60000 1000000 4657375; do
    head -c $size "$model" >"$work/cut.gguf"
    expect "a file cut at $size bytes" 1 "cut off" "$small" "$work/cut.gguf" Once
done
expect "an unknown setting" 1 "not: top-k" "$small" "$model" Once top-k 3
expect "a value that is not a number" 1 "temp is 'hot': wanted a number from 0 to 100" "$small" "$model" Once temp hot
expect "half a seed" 1 "seed is '1.5': wanted an integer" "$small" "$model" Once seed 1.5
expect "no prompt" 1 "usage" "$small" "$model"
expect "an empty prompt" 1 "empty prompt" "$small" "$model" ""
expect "a device" 1 "not a GGUF file" "$small" /dev/zero Once
if [ -e /dev/full ]; then expect "a full disk" 1 "standard output is full" sh -c "'$small' '$model' Once tokens 5 >/dev/full"; fi
expect "a prompt that is too long" 1 "does not fit" "$small" "$model" "$(yes fox | head -3000 | tr '\n' ' ')"

# small_step.c: its functions one at a time, for the core pages
step=$work/step
if ${CC:-cc} -std=c11 -O2 -Wall -Wextra -Wshadow -Werror docs/examples/small_step.c -lm -o "$step"; then ok "small_step.c compiles without a warning"
else not "small_step.c compiles" "see above"; fi
same "an element" "$("$step" element 256 256 2 3)" "element (2, 3): number 515 of 65536"
same "a half" "$("$step" half 3555)" "0x3555  0.333251953"
expect "a matrix of the file" 0 "29 tensors" "$step" file "$model" blk.0.attn_q.weight
expect "a step that is not there" 1 "usage: step NAME" "$step" walk
