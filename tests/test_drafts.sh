#!/bin/sh
# Drafts of a draft head, the model's own (nextn blocks) or one in a file of its own: the text is the same with them, whatever they say.
. "$(dirname "$0")/program.sh"
cd "$work" || exit 1

made() { "$BUILD/tests/families" "$@" || not "a random model $*" "it was not written"; }
made glm4moe drafts:1 small.gguf
made qwen35 "drafts:1 draft_ends" states.gguf
made mimo2 drafts:3 three.gguf

write() { "$strata" generate -m "$@" -p "the fox ran home" -n 50 --ids 2>/dev/null; }
for file in small states three; do
    same "$file: drafts change nothing" "$(write $file.gguf --chain greedy --draft head)" "$(write $file.gguf --chain greedy)"
    same "$file: of any length" "$(write $file.gguf --chain greedy --draft head --guess 11 -t 3)" "$(write $file.gguf --chain greedy)"
done
same "the same drafts, the same drawn text" "$(write states.gguf --draft head -t 1)" "$(write states.gguf --draft head -t 3)"
expect "drafts are counted" 0 "of 1[0-9]* drafted tokens accepted" "$strata" generate -m small.gguf -p the -n 30 --draft head
expect "samples, too" 0 "sample 3" "$strata" generate -m states.gguf -p the -n 9 --draft head --best-of 3
expect "inspect says that there is one" 0 "behind them 1 draft head, of which" "$strata" inspect small.gguf
expect "... or several" 0 "behind them 3 draft heads, of which" "$strata" inspect three.gguf
expect "a model without one" 1 "this llama model has no draft head" "$strata" generate -m "$model" --draft head

draft=$here/../layer5_models/models/draft.gguf
told() { "$strata" generate -p "Once upon a time" -n 40 --chain top_k:2,ban:he:she:it,greedy "$@" 2>/dev/null; }
same "where the chain leaves the draft model no token its draft ends" "$(told --draft "$draft")" "$(told)"

"$strata" world --documents 2 --seed 2 >stories 2>/dev/null
expect "perplexity of a model with a short context" 0 "tokens counted in 2 documents" "$strata" perplexity -m small.gguf -f stories
expect "a window that was asked for is not shortened" 1 "more than the model's context" "$strata" perplexity -m small.gguf -f stories --window 4000
# Kinds that need no model, and the model without some of its blocks.
for options in "lookup" "suffix --guess 9" "jacobi --guess 7" "skip:1" "skip:33% --leaves 2" "$draft --leaves 1"; do
    same "$options: the greedy text" "$(told --draft $options)" "$(told)"
done
for chain in mirostat:3 min_p:0.02,adaptive_p:0.4 cfg:1.4,temp:0.8 skew:0.5; do
    same "$chain with drafts: the drawn text" "$("$strata" generate -n 40 --chain $chain --draft suffix --quiet)" "$("$strata" generate -n 40 --chain $chain --quiet)"
done
same "leaves: the drawn text" "$("$strata" generate -n 90 --draft skip:1 --leaves 3 --quiet)" "$("$strata" generate -n 90 --quiet)"
expect "samples share what they said" 0 "of [1-9][0-9]* drafted tokens accepted" "$strata" generate --best-of 4 -n 60 --draft suffix
expect "no block of that number" 1 "draft skip: '3': wanted blocks to skip, each once, from 0 to 2" "$strata" generate --draft skip:3
expect "leaves of no model" 2 "leaves needs a draft model" "$strata" generate --draft suffix --leaves 2
expect "a name that is neither a kind nor a file" 1 "lokup: no such kind, and no such file; did you mean lookup?" "$strata" generate --draft lokup

"$strata" quantize small.gguf eight.gguf Q8_0 >/dev/null 2>&1
same "quantized, and rearranged" "$(write eight.gguf --chain greedy --draft head)" "$(write eight.gguf --chain greedy --draft head --no-pack)"
same "... drafts change nothing" "$(write eight.gguf --chain greedy --draft head)" "$(write eight.gguf --chain greedy)"

made llama layers:4 large.gguf
made eagle3 "" eagle.gguf
made eagle3 target:48 narrow.gguf
for options in "--guess 4" "--guess 11 -t 3"; do
    same "a file of its own, $options: drafts change nothing" "$(write large.gguf --chain greedy --draft eagle.gguf $options)" "$(write large.gguf --chain greedy)"
done
same "... drawn, with one thread or three" "$(write large.gguf --draft eagle.gguf -t 1)" "$(write large.gguf --draft eagle.gguf -t 3)"
expect "... its drafts are counted" 0 "of [1-9][0-9]* drafted tokens accepted" "$strata" generate -m large.gguf -p the -n 30 --draft eagle.gguf
expect "... inspect says what it reads" 0 "2, 0 and 3, and guesses among 100 tokens" "$strata" inspect eagle.gguf
expect "... and not for this model" 1 "narrow.gguf: the draft head reads rows of 48 numbers" "$strata" generate -m large.gguf --draft narrow.gguf
"$strata" quantize eagle.gguf eagle8.gguf Q8_0 >/dev/null 2>&1
same "... quantized, and rearranged" "$(write large.gguf --draft eagle8.gguf)" "$(write large.gguf --draft eagle8.gguf --no-pack)"

# An assistant reads the keys and values of its model, in any format.
made gemma4 "" gemma.gguf
made gemma4-assistant "" assistant.gguf
made gemma4-assistant assists:48 slim.gguf
for options in "--guess 4" "--guess 11 -t 3" "--kv q8_0" "--kv q4_0-h" "--ctx 128 --guess 1"; do
    same "an assistant, $options: drafts change nothing" "$(write gemma.gguf --chain greedy --draft assistant.gguf $options)" "$(write gemma.gguf --chain greedy ${options%%--guess*})"
done
same "... drawn, with one thread or three" "$(write gemma.gguf --draft assistant.gguf -t 1)" "$(write gemma.gguf --draft assistant.gguf -t 3)"
same "... of one token" "$("$strata" generate -m gemma.gguf --draft assistant.gguf -p a --chain greedy -n 20 --ids --quiet)" "$("$strata" generate -m gemma.gguf -p a --chain greedy -n 20 --ids --quiet)"
expect "... its drafts are counted" 0 "of [1-9][0-9]* drafted tokens accepted" "$strata" generate -m gemma.gguf -p the -n 30 --draft assistant.gguf
expect "... samples, too" 0 "sample 3" "$strata" generate -m gemma.gguf -p the -n 9 --draft assistant.gguf --best-of 3
expect "... inspect says what it reads" 0 "for a gemma4 model whose rows have 64 numbers" "$strata" inspect assistant.gguf
expect "... not for another family" 1 "assistant.gguf: a gemma4-assistant model drafts for a gemma4 model" "$strata" generate -m large.gguf --draft assistant.gguf
expect "... not for another width" 1 "slim.gguf: the assistant reads rows of 48 numbers" "$strata" generate -m gemma.gguf --draft slim.gguf
expect "... without leaves" 1 "leaves need a draft model" "$strata" generate -m gemma.gguf -p the --draft assistant.gguf --leaves 2
"$strata" quantize assistant.gguf assistant8.gguf Q8_0 >/dev/null 2>&1
same "... quantized, and rearranged" "$(write gemma.gguf --draft assistant8.gguf)" "$(write gemma.gguf --draft assistant8.gguf --no-pack)"

alone() { expect "by itself: $*" 1 "a draft head, no model by itself: give the model that it drafts for with -m" "$strata" "$@"; }
alone generate -m eagle.gguf -p the
alone generate -m assistant.gguf -p the
alone generate -m large.gguf -p the --amateur eagle.gguf --chain contrast:0.1,draw
alone chat -m eagle.gguf
alone serve -m eagle.gguf --port 0
echo "a text of many words" >text
alone perplexity -m eagle.gguf -f text --window 64
alone embed -m eagle.gguf the
alone logits -m eagle.gguf --tokens 1,2
# A draft and an amateur of the same size and of other words.
for n in 1 2; do
    awk -v n=$n 'BEGIN { srand(n); for (i = 0; i < 400; i++) printf "%s%c%c ", i % 20 ? "" : "\n", 97 + rand() * 26, 97 + rand() * 26 }' >"$work/words$n"
    "$strata" train --corpus "$work/words$n" --vocab 300 --dim 32 --hidden 32 --layers 1 --heads 1 --kv-heads 1 --ctx 64 --steps 1 --batch 64 --eval-documents 1 --threads 1 \
        --out "$work/words$n.gguf" 2>/dev/null
done
expect "a draft of other words" 1 "the draft has another vocabulary: .* of 300 tokens differ" \
    "$strata" generate -m "$work/words1.gguf" -p "ab" -n 3 --draft "$work/words2.gguf"
expect "an amateur of other words" 1 "the amateur has another vocabulary" \
    "$strata" generate -m "$work/words1.gguf" -p "ab" -n 3 --amateur "$work/words2.gguf" --chain contrast:0.1
expect "an amateur of other words, compared" 1 "the amateur has another vocabulary" \
    "$strata" compare -m "$work/words1.gguf" -p "ab" -n 3 --amateur "$work/words2.gguf" --chains contrast:0.1
expect "a figure of other words" 1 "^strata: the draft has another vocabulary" "$strata" figure guess -m "$work/words1.gguf" --draft "$work/words2.gguf"
expect "a draft of the same words" 0 "drafted tokens" "$strata" generate -m "$work/words1.gguf" -p "ab" -n 3 --draft "$work/words1.gguf"
