#!/bin/sh
# Text beside a native llama.cpp: llama-simple and strata go on with the same 20 prompts greedily, 40 tokens each, by the
# storyteller in several formats; llama-perplexity and strata perplexity read the same text in windows of 256.
#
# Where two continuations part, the line says how far apart our logits put the two tokens.  llama.cpp rounds the inputs of
# a product to F16 or to bytes with F16 scales, so a near-tie may go either way.  FORMATS changes the formats.  Fails when a
# parting is no near-tie or the perplexities are 1 % apart.
set -e
cd "$(dirname "$0")/../.."
. tests/peers/tools.sh
strata=build/bin/strata
formats=${FORMATS:-F16 Q8_0 Q4_0 Q4_K_M}
failed=
simple=$(find_tool llama-simple) perplexity=$(find_tool llama-perplexity)
if [ -z "$simple" ] || [ -z "$perplexity" ]; then
    echo "peers: no llama-simple and llama-perplexity in $LLAMA_CPP, so texts are not compared with it" >&2
    exit 0
fi
mkdir -p build/peers
$strata world --seed 2 --documents 60 2>/dev/null | grep -v '<|endoftext|>' >build/peers/world.txt
$strata world --seed 2 --documents 40 2>/dev/null | tr '\n' ' ' | sed 's/<|endoftext|>/\n/g' |
    awk 'NF > 6 && !/[|]/ && n++ < 20 { print $1, $2, $3, $4, $5, $6 }' >build/peers/prompts.txt

ids() { printf '%s' "$1" | $strata tokenize -m "$file" --special --all --bos 2>/dev/null | tr -s ' \n' '\n'; }

# How far apart the two tokens are with which two texts part; where one stops, its token is the end of the text.
margin() {
    ids "$1<|endoftext|>" >build/peers/ours
    ids "$2<|endoftext|>" >build/peers/theirs
    paste build/peers/ours build/peers/theirs | awk '$1 != $2 { print NR - 1, $1, $2; exit }' | {
        read -r before a b
        $strata logits -m "$file" --last --tokens "$(head -n "$before" build/peers/ours | paste -s -d ,)" 2>/dev/null |
            awk -v a="$a" -v b="$b" '$2 == a { x = $3 } $2 == b { y = $3 } END { d = x - y; print d < 0 ? -d : d }'
    }
}

compare_texts() {
    equal=0
    : >build/peers/margins
    while read -r prompt; do
        theirs=$("$simple" -m "$file" -n 40 "$prompt" 2>/dev/null </dev/null | sed '1s/^<|endoftext|>//')
        ours=$($strata generate -m "$file" -p "$prompt" -n 40 --chain greedy --quiet 2>/dev/null </dev/null)
        if [ "$ours" = "$theirs" ]; then
            equal=$((equal + 1))
        else
            margin "$ours" "$theirs" >>build/peers/margins
        fi
    done <build/peers/prompts.txt
    sort -g build/peers/margins | awk -v equal="$equal" '
        { last = $1 } END { printf "%2d of %d the same", equal, equal + NR; if (NR) printf ", else %.3f apart at most", last }'
}

# Its log is written by a thread of its own, and now and then the last line is lost.
their_perplexity() {
    for attempt in 1 2 3; do
        "$perplexity" -m "$file" -f build/peers/world.txt -c 256 2>&1 | sed -n 's/.*PPL = \([0-9.]*\).*/\1/p' >build/peers/theirs
        if [ -s build/peers/theirs ]; then cat build/peers/theirs && return; fi
        echo "peers: llama-perplexity printed no result (attempt $attempt)" >&2
    done
    echo 0
}

printf '%-8s %-42s %s\n' format "greedy texts" "perplexity: ours, theirs"
for format in $formats; do
    file=build/peers/storyteller-$format.gguf
    $strata quantize layer5_models/models/storyteller.gguf "$file" "$format" >/dev/null 2>&1
    ours=$($strata perplexity -m "$file" -f build/peers/world.txt --window 256 2>/dev/null | awk '{ print $2 }')
    theirs=$(their_perplexity)
    printf '%-8s %-42s %s, %s\n' "$format" "$(compare_texts)" "$ours" "$theirs"
    awk '$1 > 0.25 { exit 1 }' build/peers/margins || failed="$failed $format"
    echo "$ours $theirs" | awk '{ exit !($1 < $2 * 1.01 && $2 < $1 * 1.01) }' || failed="$failed $format"
done
if [ -n "$failed" ]; then
    echo "peers: more than a near-tie (0.25) or than 1 % of perplexity apart:$failed" >&2
    exit 1
fi
