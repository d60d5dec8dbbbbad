#!/bin/sh
# story.c, which links the cores alone: the same text as strata generate, to the byte, and what it says of odd options.
. "$(dirname "$0")/program.sh"
cd "$here/.." || exit 1
story=$BUILD/bin/story

# The core has one instruction set beside the scalar one.
isa=$("$story" -n 1 2>&1 >/dev/null | sed 's/.* threads, \([a-z0-9]*\) .*/\1/')
case ${STRATA_ISA:-} in scalar) isa=scalar ;; *) unset STRATA_ISA ;; esac
for chain in greedy balanced llama creative precise top_k:40,top_p:0.9,temp:0.8 mirostat:5 mirostat_v2:3 dry:0.8,temp:1.2 penalties:rep=1.2,min_p:0.1 \
             adaptive_p:0.3 xtc:0.5,temp:1 typical:0.9; do
    for seed in 1 18446744073709; do
        "$story" --chain "$chain" --seed $seed >"$work/story" 2>/dev/null
        "$strata" generate --isa "$isa" --chain "$chain" --seed $seed >"$work/generate" 2>/dev/null
        if [ -s "$work/story" ] && cmp -s "$work/story" "$work/generate"; then ok "$chain, seed $seed: the same story"
        else not "$chain, seed $seed: the same story" "$(head -c 300 "$work/story")"; fi
    done
done
same "another prompt" "$("$story" -p "Mia was a brave owl." --seed 7 2>/dev/null)" "$("$strata" generate --isa "$isa" -p "Mia was a brave owl." --seed 7 2>/dev/null)"
same "so many tokens" "$("$story" -n 9 2>/dev/null)" "$("$strata" generate --isa "$isa" -n 9 2>/dev/null)"
expect "its help" 0 "usage: story .*-n TOKENS" "$story" --help
expect "an option that it does not have" 1 "no option '--temp': the options are -m, -p" "$story" --temp 1
expect "a value that is missing" 1 "\-p: wanted a value" "$story" -p
expect "a seed that is no number" 1 "\-\-seed is '-1': wanted an integer" "$story" --seed -1
"$story" -p "$("$story" 2>/dev/null)" --chain greedy >"$work/story" 2>"$work/err"
"$strata" generate --isa "$isa" -p "$("$story" 2>/dev/null)" --chain greedy >"$work/generate" 2>/dev/null
if cmp -s "$work/story" "$work/generate" && ! grep -q -- "-[0-9]* ms" "$work/err"; then ok "a text that is over already"; else not "a text that is over already" "$(cat "$work/err")"; fi
same "the largest seed" "$("$story" --seed 18446744073709551615 2>/dev/null)" "$("$strata" generate --isa "$isa" --seed 18446744073709551615 2>/dev/null)"
expect "no token" 1 "\-n is 0" "$story" -n 0
expect "a file that is no model" 1 "README.md" "$story" -m README.md
LC_ALL=C sed 's/llama/mamba/g' layer5_models/models/storyteller.gguf >"$work/mamba.gguf"
expect "a family that only the extras know" 1 "family 'mamba' are not built in; this program reads plain decoders alone, strata reads more" "$story" -m "$work/mamba.gguf"
LC_ALL=C sed 's/llama.rope.freq_base/llama.rope.freq_bass/' layer5_models/models/storyteller.gguf >"$work/strange.gguf"
printf 'GGUF\3\0\0\0\0\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0\14\0\0\0\0\0\0\0general.type\10\0\0\0\7\0\0\0\0\0\0\0adapter' >"$work/adapter.gguf"
expect "an adapter" 1 "general.type is \"adapter\", wanted \"model\"; give the model that it belongs to" "$story" -m "$work/adapter.gguf"
expect "a key that nobody asks for" 1 "not used in this program.s llama models.*strata reads more" "$story" -m "$work/strange.gguf"
expect "a sampler that it does not know" 1 "no stage 'topk'" "$story" --chain topk:4
LC_ALL=C sed 's/gpt2/bert/' layer5_models/models/storyteller.gguf >"$work/bert.gguf"
expect "a kind of tokenizer that is an extra" 1 "'bert': gpt2 and llama are built in; the program strata reads .*bert" "$story" -m "$work/bert.gguf"
LC_ALL=C sed 's/gpt-2/youtu/' layer5_models/models/storyteller.gguf >"$work/youtu.gguf"
expect "a rule to split text that is an extra" 1 "'youtu': .* the program strata has more" "$story" -m "$work/youtu.gguf"
expect "a grammar, which is an extra" 1 "no stage 'regex'" "$story" --chain "regex:a+"
expect "a prompt that is too long" 1 "the context holds" "$story" -p "$(awk 'BEGIN { for (i = 0; i < 6000; i++) printf "fox " }')"
"$story" >/dev/full 2>"$work/err" && not "a full disk" "status 0" || ok "a full disk"

# Nothing of the extras is in it.
if command -v nm >/dev/null 2>&1; then
    same "no grammar, no server, no AVX-512 in it" "$(nm "$story" 2>/dev/null | grep -c -E ' T _?(earley|schema_|json_|mamba_|moe_|draft_head_|session_lend|dot_tile_f32_avx512|service_)')" 0
fi
if [ -e /dev/full ]; then expect "its help on a full disk" 1 "standard output is full or closed" sh -c "'$story' --help >/dev/full"; fi
