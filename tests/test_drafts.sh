#!/bin/sh
# Drafts of a model's own head (nextn blocks): the text is the same with them, whatever they say.
. "$(dirname "$0")/program.sh"
cd "$work" || exit 1

made() { "$BUILD/tests/families" "$@" || not "a random model $*" "it was not written"; }
made glm4moe drafts:1 small.gguf
made qwen35 "drafts:1 draft_ends" states.gguf
made mimo2 drafts:3 three.gguf

write() { "$strata" generate -m "$@" -p "the fox ran home" -n 50 --ids 2>/dev/null; }
for file in small states three; do
    same "$file: drafts change nothing" "$(write $file.gguf --chain greedy --draft-head)" "$(write $file.gguf --chain greedy)"
    same "$file: of any length" "$(write $file.gguf --chain greedy --draft-head --guess 11 -t 3)" "$(write $file.gguf --chain greedy)"
done
same "the same drafts, the same drawn text" "$(write states.gguf --draft-head -t 1)" "$(write states.gguf --draft-head -t 3)"
expect "drafts are counted" 0 "of 1[0-9]* drafted tokens accepted" "$strata" generate -m small.gguf -p the -n 30 --draft-head
expect "samples, too" 0 "sample 3" "$strata" generate -m states.gguf -p the -n 9 --draft-head --best-of 3
expect "inspect says that there is one" 0 "behind them 1 draft head, of which" "$strata" inspect small.gguf
expect "... or several" 0 "behind them 3 draft heads, of which" "$strata" inspect three.gguf
expect "a model without one" 1 "this llama model has no draft head" "$strata" generate -m "$model" --draft-head

"$strata" quantize small.gguf eight.gguf Q8_0 >/dev/null 2>&1
same "quantized, and rearranged" "$(write eight.gguf --chain greedy --draft-head)" "$(write eight.gguf --chain greedy --draft-head --no-pack)"
same "... drafts change nothing" "$(write eight.gguf --chain greedy --draft-head)" "$(write eight.gguf --chain greedy)"
