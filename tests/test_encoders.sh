#!/bin/sh
# Models that read and do not write: vectors, rankings; one that reads a text and writes another; what they refuse.
. "$(dirname "$0")/program.sh"
cd "$work" || exit 1

made() { "$BUILD/tests/families" "$@" || not "a random model $*" "it was not written"; }
made bert wordpiece bert.gguf
made bert "wordpiece scores:1" ranker.gguf
made bert "wordpiece scores:3" three.gguf
made qwen3 "scores:2 pooling_type=4 rerank_template" decoder.gguf
made modern-bert "" modern.gguf
made t5 "" t5.gguf
made t5encoder "" reader.gguf
printf 'the fox ran home\na hen was sad\na river\n' >documents

for command in "generate -p the" "perplexity --window 64" "logits --tokens 1,2"; do
    # shellcheck disable=SC2086
    expect "an encoder asked to $command" 1 "this bert model does not write: it makes vectors" "$strata" $command -m bert.gguf
done
expect "a reranker asked to write" 1 "this qwen3 model does not write: it makes scores" "$strata" generate -m decoder.gguf -p the

expect "inspect says so" 0 "does not write: texts become vectors, pooling mean" "$strata" inspect bert.gguf
expect "vectors as the file says" 0 '"pooling": "mean", "dim": 64' "$strata" embed -m bert.gguf --json "the fox" "a hen"
expect "... of another family" 0 '"pooling": "cls"' "$strata" embed -m modern.gguf --json "the fox"
expect "... or as one asks" 0 '"pooling": "last"' "$strata" embed -m bert.gguf --json --pooling last "the fox"
expect "scores need a head" 1 "no head that scores" "$strata" embed -m bert.gguf --pooling rank "the fox"
same "the scores of a text" "$("$strata" embed -m three.gguf --pooling rank "the fox" | wc -w | tr -d ' ')" 3
expect "a text longer than the context" 1 "the model reads 256" "$strata" embed -m bert.gguf "$(yes a | head -300 | tr '\n' ' ')"
same "what comes after a word changes it" "$("$strata" embed -m bert.gguf --pooling cls "the fox" "the hen" | awk 'NR < 3' | sort -u | wc -l | tr -d ' ')" 2
same "threads change no vector" "$("$strata" embed -m modern.gguf "the fox ran home again" -t 3)" "$("$strata" embed -m modern.gguf "the fox ran home again" -t 1)"

"$strata" rerank -m ranker.gguf --query "who ran" --documents documents >ranked
same "a line for each document, and a head" "$(wc -l <ranked | tr -d ' ')" 4
same "the best first" "$(awk 'NR > 1 { print $1 }' ranked)" "$(awk 'NR > 1 { print $1 }' ranked | sort -rn)"
same "the same from standard input, and as arguments" \
    "$("$strata" rerank -m ranker.gguf --query "who ran" --documents - <documents)" \
    "$("$strata" rerank -m ranker.gguf --query "who ran" "the fox ran home" "a hen was sad" "a river")"
expect "a ranking as JSON" 0 '{"query": "who ran", "results": \[{"index": [012], "relevance_score": [-0-9.e]*, "document": "[a-z ]*"}\]}' \
    "$strata" rerank -m ranker.gguf --query "who ran" --documents documents --json --top 1
expect "shares of yes" 0 "0\.[0-9]*     1  the fox" "$strata" rerank -m decoder.gguf --query "who ran" "the fox"
expect "no head" 1 "without a head that scores" "$strata" rerank -m bert.gguf --query a b
expect "three labels" 1 "scores 3 labels" "$strata" rerank -m three.gguf --query a b
expect "no query" 2 "no query" "$strata" rerank -m ranker.gguf b
printf 'the fox\n\nthe hen\n' >gap
printf -- '- one\r\nthe fox\n' >lines
expect "a document that nobody wrote" 1 "gap: line 2 is empty" "$strata" rerank -m ranker.gguf --query a --documents gap
expect "an empty document" 1 "document 2 is empty" "$strata" rerank -m ranker.gguf --query a b ""
expect "texts of a file" 0 "^     1  1.0000 .*- one$" "$strata" embed -m bert.gguf --texts lines
same "and words behind --" "$("$strata" embed -m bert.gguf -- "- one" "the fox")" "$("$strata" embed -m bert.gguf --texts lines)"
expect "no text" 2 "there is no text" "$strata" embed -m bert.gguf
expect "a file without a text" 1 "/dev/null is a device: give a file" "$strata" embed -m bert.gguf --texts /dev/null
expect "no document" 1 "no documents" "$strata" rerank -m ranker.gguf --query a
expect "a long document" 1 "document 2: query and document have .* the model reads 256" "$strata" rerank -m ranker.gguf --query a b "$(yes a | head -300 | tr '\n' ' ')"

# One that reads a source and writes: t5.
t5() { "$strata" generate -m t5.gguf "$@" --chain greedy 2>/dev/null; }
expect "a source is answered" 0 "t5, 5 layers, .* token limit" "$strata" generate -m t5.gguf -p "the fox" -n 6
same "what is written does not go on with the source" "$(t5 -p "the fox" -n 6 | grep -c "the fox")" 0
same "the source, the start token and the answer" "$(t5 -p "the fox" -n 6 --ids | wc -w | tr -d ' ')" 14
same "threads change nothing" "$(t5 -p "the fox ran home" -n 30 -t 3)" "$(t5 -p "the fox ran home" -n 30 -t 1)"
same "drafts change nothing" "$(t5 -p "the fox ran home" -n 30 --draft t5.gguf)" "$(t5 -p "the fox ran home" -n 30)"
same "one beam is greedy" "$("$strata" generate -m t5.gguf -p "the fox" -n 6 --beams 1 2>/dev/null)" "$(t5 -p "the fox" -n 6)"
expect "several samples of a source" 0 "sample 3" "$strata" generate -m t5.gguf -p "the fox" -n 6 --best-of 3 --chain draw
expect "a schema binds it" 0 "" "$strata" generate -m t5.gguf -p "the fox" --regex "[a-z]{4}"
same "inspect tells them apart" "$("$strata" inspect t5.gguf | grep -c "2 layers that read a source, and then 3 layers")" 1
same "logits of what is written alone" "$("$strata" logits -m t5.gguf --tokens 5,6,7,255,8 | cut -f1 | uniq | tr '\n' ' ')" "3 4 "
expect "logits of a source" 1 "what it reads has no logits, and token 255" "$strata" logits -m t5.gguf --tokens 5,6
expect "a source that is too long" 1 "the prompt has 301 tokens and the context holds 256" "$strata" generate -m t5.gguf -p "$(printf '%0300d' 0)"
expect "no cutting" 1 "looks at a source, which is not cut" "$strata" generate -m t5.gguf -p "the fox" --shift
expect "no healing" 1 "does not continue its input" "$strata" generate -m t5.gguf -p "the fox" --heal
expect "no look inside" 1 "its layers read two texts" "$strata" look lens -m t5.gguf -p "the fox"
expect "no stage that looks ahead" 1 "does not work with encoder-decoder models" "$strata" generate -m t5.gguf -p "the fox" --chain contrastive_search:0.6
expect "no vectors" 1 "makes no vectors: convert its encoder alone" "$strata" embed -m t5.gguf "the fox"
expect "no perplexity" 1 "has no logits" "$strata" perplexity -m t5.gguf -f documents --window 16
expect "no profile" 1 "a t5 model reads a source" "$strata" profile -m t5.gguf -p 8 -n 2
expect "no service under words drawn by chance" 1 "a t5 model reads a source" "$strata" bench serve -m t5.gguf --users 2 -p 8 -n 2
expect "no chat" 1 "keeps no chat" "$strata" generate -m t5.gguf -p "the fox" --chat
expect "its encoder alone makes them" 0 '"pooling": "mean", "dim": 64' "$strata" embed -m reader.gguf --json "the fox"
