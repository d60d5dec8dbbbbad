#!/bin/sh
# The program as its user meets it: commands, exit statuses, one clear sentence for each mistake.
. "$(dirname "$0")/program.sh"

expect "a list of commands" 0 "generate" "$strata" --help
expect "help of one command" 0 "usage: strata tokenize" "$strata" help tokenize
expect "help of none that is there" 2 "no command 'nosuch'" "$strata" help nosuch
expect "help of two" 2 "unexpected argument 'chat'" "$strata" help tokenize chat
expect "help of help" 0 "strata help --all COMMAND" "$strata" help help
expect "help of a program that strata starts" 0 "train  *train a vocabulary" "$strata" help strata-lab
expect "a program as a command" 2 "did you mean strata help strata-lab?" "$strata" lab
expect "a version of something" 2 "unexpected argument 'extra'" "$strata" --version extra
expect "a kind that is missing" 2 "look: wanted one of the names in the usage" "$strata" look
expect "arguments that are missing" 2 "dump: wanted 2 arguments, got 0" "$strata" dump
expect "a device as a model" 1 "is a device, which has no end" "$strata" generate -m /dev/zero
expect "one token, and no speed" 0 "first token after [0-9]* ms | token limit" "$strata" generate -n 1
expect "the first token is counted once" 0 "first token after [0-9]* ms, then 2 at" "$strata" generate -n 3
expect "tokens of the first pass have no speed" 0 "first token after [0-9]* ms | grammar complete" "$strata" generate --chain choice:abcdefgh
same "no line on forced tokens if there are none" "$("$strata" generate --chain choice:a 2>&1 | grep -c "forced tokens")" 0
expect "the list of families stands alone" 2 "families stands alone" "$strata" inspect --families "$model"
expect "a share of green tokens that cannot be" 2 "from 0.01 to 0.99" "$strata" watermark --gamma 1
expect "no command is wrong usage" 2 "usage" "$strata"
expect "an unknown command" 2 "no command 'nonsense'" "$strata" nonsense
for command in generate diffuse chat tokenize template logits embed rerank inspect chain samplers compare tune watermark figure look dump quantize perplexity world "world check" "world score" "world sample" train bench; do
    expect "$command --help" 0 "usage: strata $command" "$strata" $command --help
done
expect "an unknown option" 2 "no option '--frobnicate'" "$strata" generate --frobnicate
expect "a missing value" 2 "missing value" "$strata" generate -p
expect "not a number" 2 "'many': wanted an integer" "$strata" generate -n many
expect "a missing file" 1 "none.gguf cannot be opened" "$strata" generate -m "$work/none.gguf"
expect "a directory" 1 "is a directory" "$strata" inspect "$work"
mkfifo "$work/pipe"
expect "a file without a name" 1 "a file without a name cannot be opened" "$strata" generate --chain grammar:@ -n 1
expect "a pipe that nobody writes to" 1 "is a pipe" "$strata" inspect "$work/pipe"
echo "GGUFxx" >"$work/broken.gguf"
expect "a broken file" 1 "cut short" "$strata" generate -m "$work/broken.gguf"
expect "an empty prompt" 1 "empty prompt" "$strata" generate -m "$model" -p ""
expect "a long prompt" 1 "the context holds" "$strata" generate -m "$model" --ctx 64 -p "$(yes word | head -200 | tr '\n' ' ')"
expect "an unknown sampler" 1 "there are grammar, json" "$strata" generate -m "$model" --chain zigzag:1
expect "an unknown instruction set" 2 "choose auto" "$strata" generate -m "$model" --isa vax
expect "a variable that names none" 1 "STRATA_ISA: no instruction set 'vax'.*scalar.*known: " env STRATA_ISA=vax "$strata" samplers
expect "which instruction sets there are" 0 "scalar  *available, in use" "$strata" bench isas --isa scalar
expect "too many threads" 2 "from 0 to 256" "$strata" generate -m "$model" --threads 999
expect "inspect" 0 "token_embd.weight" "$strata" inspect "$model"
expect "inspect plans memory" 0 "kv cache" "$strata" inspect "$model"
expect "logits need tokens" 2 "tokens is missing" "$strata" logits -m "$model"
expect "logits of a wrong token" 1 "vocabulary" "$strata" logits -m "$model" --tokens 999999
expect "bench runs and is right" 0 "packed" "$strata" bench matmul --size 96 --seconds 0.05 --threads 2
if grep -q WRONG "$work/out"; then not "bench checks" "$(cat "$work/out")"; else ok "bench checks"; fi

story=$("$strata" generate -m "$model" --seed 3 -n 40 2>"$work/err")
same "the status line names the chain" "$(grep -c 'min_p:0.05,temp:0.8,draw, seed 3' "$work/err")" 1
same "a seed is a story" "$("$strata" generate -m "$model" --seed 3 -n 40 2>/dev/null)" "$story"
expect "a bench that runs as often as it needs" 2 "--seconds .*the others run a fixed number" "$strata" bench grammar --seconds 1
expect "a bench as an option" 2 "missing value after '--seconds'" "$strata" bench --ladder --seconds
expect "a short name for threads" 0 "| 1 threads\?, " "$strata" generate -m "$model" -t 1 -n 3
same "threads change nothing" "$("$strata" generate -m "$model" --seed 3 -n 40 --threads 3 2>/dev/null)" "$story"
rest=$("$strata" generate -m "$model" --seed 3 -n 40 --no-prompt 2>/dev/null)
same "--no-prompt is the rest" "Once upon a time$rest" "$story"
ids=$("$strata" generate -m "$model" --seed 3 -n 40 --ids --no-prompt 2>/dev/null)
same "--ids are the same tokens" "$(echo "$ids" | "$strata" tokenize -m "$model" --decode)" "$(printf '%s' "$rest")"
word=$(echo "$rest" | head -1 | cut -c10-16)
same "--stop ends before its text" "$("$strata" generate -m "$model" --seed 3 -n 40 --no-prompt --stop "$word" 2>/dev/null)" "$(echo "$rest" | head -1 | cut -c1-9)"
printf '2\n1\n0.5\n-inf\n' >"$work/logits"
same "chain prints every stage" "$("$strata" chain --chain top_k:2,draw --logits "$work/logits" 2>/dev/null | tail -4)" \
    "1,top_k,2,1,1,0.268941421,1
1,top_k,3,2,0.5,0,0
2,draw,1,0,2,0.731058579,1
2,draw,2,1,1,0.268941421,1"
same "chain reads probabilities" "$(printf '.5\n.2\n.2\n.1\n' | "$strata" chain --probs --chain typical:0.5 --final 2>/dev/null | cut -d, -f4 | tr '\n' ' ')" "token 0 1 2 "
same "chain counts draws" "$("$strata" chain --chain greedy --logits "$work/logits" --draws 7 | tail -1)" "0,7"
echo nan >>"$work/logits"
expect "NaN is named" 1 "line 5: 'nan' is no logit" "$strata" chain --logits "$work/logits"
expect "no number" 1 "line 1: 'x' is no logit" sh -c "echo x | '$strata' chain"
expect "an infinite logit is named" 1 "temp made the logit of token 0 infinite" sh -c "printf '1e34\n2\n3\n' | '$strata' chain --chain temp:1e-5"
expect "a logit beyond the largest float" 1 "line 2: '1e300' is no logit" sh -c "printf '1\n1e300\n' | '$strata' chain"
same "nothing is printed of a run that fails" "$("$strata" chain --logits "$work/logits" 2>/dev/null)" ""
expect "a byte that is no text" 1 "has a zero byte" sh -c "printf '1\000\n2\n' | '$strata' chain"
expect "logits from a directory" 1 "cannot be read: Is a directory" "$strata" chain --logits "$work"
printf '1\n1\n1\n1\n1\n1\n1\n1\n1\n1\n' >"$work/ten"
same "three of ten equal tokens are 0.3" "$("$strata" chain --chain top_p:0.3 --logits "$work/ten" --final 2>/dev/null | grep -c ',1$')" 3
printf '1e17\n1e17\n1\n' >"$work/huge"
same "huge logits are drawn alike" "$("$strata" chain --chain draw --logits "$work/huge" --draws 1000 | awk -F, '$2 > 400 && $2 < 600 { n++ } END { print n }')" 2
printf '1\nnan\n1\n1\n1\n1\n1\n1\n1\n1\n' >"$work/bad"
for bad in 1e400 -1e400 inf infinity nan 0x10 -infinity; do
    expect "a logit of $bad" 1 "line 2: '$bad' is no logit: wanted a finite decimal number, or -inf" sh -c "printf '1\n$bad \n' | '$strata' chain"
    expect "a probability of $bad" 1 "is no probability: wanted a finite decimal number from 0" sh -c "printf '1\n$bad\n' | '$strata' chain --probs"
    expect "a value of $bad in a chain" 1 "t is '$bad', wanted a number from" "$strata" chain --chain "temp:$bad" --logits "$work/ten"
    expect "a bias of $bad" 1 "'1=$bad' is no bias" "$strata" chain --chain "bias:1=$bad" --logits "$work/ten"
done
expect "a probability of -inf" 1 "is no probability" sh -c "printf '1\n-inf\n' | '$strata' chain --probs"
expect "a logit of -inf is no candidate" 0 "token 1" sh -c "printf -- '-inf\n2\r\n' | '$strata' chain --chain draw"
expect "a bias of -inf" 0 "token 1" sh -c "printf '9\n2\n' | '$strata' chain --chain bias:0=-inf,greedy"
expect "a token id in hex" 1 "no token id" "$strata" chain --chain allow:0x1 --logits "$work/ten"
expect "NaN of a second model is named" 1 "bad, line 2: 'nan' is no logit" "$strata" chain --chain cfg:1.5 --logits "$work/ten" --unconditional "$work/bad"
expect "a history ends with a number" 1 "wanted token ids" "$strata" chain --history 1, --logits "$work/ten"
expect "a prompt is part of the history" 1 "the history has 2 tokens" "$strata" chain --history 1,2 --prompt 9 --logits "$work/ten"
expect "a stage names a token that is not there" 1 "suppress: there is no token 10, the vocabulary has 0 to 9" "$strata" chain --chain suppress:10 --logits "$work/ten"
expect "logits of another vocabulary" 1 "has 2048" sh -c "seq 3000 | '$strata' chain -m '$model'"
expect "a comma too many" 1 "beside a comma" "$strata" chain --chain top_k:5, --logits "$work/ten"
expect "a bias beyond all logits" 1 "from -1e30 to 1e30" "$strata" generate -m "$model" -n 5 --chain bias:5=1e300,bias:5=-1e300
expect "a dead end names its stage" 1 "dead end: allow" "$strata" generate -m "$model" --chain top_k:1,allow:7 -n 3
for dead in "choice:yes|no,choice:maybe|never" "regex:[ab]+,min_p:0.1,regex:[bc]*c,draw" "json,choice:{}x" 'json_schema:{"minimum"%3A5},regex:[0-4]'; do
    expect "a dead end later in $dead" 1 "no text obeys both" "$strata" generate -m "$model" --chain "$dead"
    same "... is found before a token is printed" "$(head -c 8 "$work/out")" "strata: "
done
for open in "choice:yes|no,choice:nope|no" "regex:[ab]+,choice:bc|ba" "json,json_schema:{}" "regex:a{3000},regex:a*"; do
    expect "a text obeys both in $open" 0 "grammar complete\|token limit" "$strata" generate -m "$model" --chain "$open" -n 9
done
expect "a token that no model has" 1 "allow: there is no token 999999, the vocabulary has 0 to 2047" "$strata" generate -m "$model" --chain allow:999999 -n 3
idle=
for sampler in $("$strata" samplers | sed -n '/^$/q; s/^  \([a-z_0-9]*\) .*/\1/p'); do
    "$strata" samplers "$sampler" >"$work/out" 2>&1 || not "samplers $sampler" "$(cat "$work/out")"
    awk '/^  [a-z]+ +[01][.]/ { before = $2; getline; rows++; changed += $1 != before } END { exit rows && !changed }' "$work/out" || idle="$idle $sampler"
done
same "all pictures of samplers show an effect, but of those that only draw" "$idle" " draw gumbel arithmetic"
expect "samplers lists presets" 0 "llama.cpp" "$strata" samplers
expect "an unknown sampler has no page" 1 "no sampler" "$strata" samplers top_q
greedy=$("$strata" generate -m "$model" --chain greedy -n 80 2>/dev/null)
same "a draft changes no greedy text" "$("$strata" generate -m "$model" --draft "$draft" --chain greedy -n 80 2>/dev/null)" "$greedy"
same "looking up changes no greedy text" "$("$strata" generate -m "$model" --draft lookup --guess 7 --chain greedy -n 80 2>/dev/null)" "$greedy"
expect "acceptance is told" 0 "drafted tokens accepted" "$strata" generate -m "$model" --draft "$draft" -n 30
expect "beams" 0 "beam 3: score" "$strata" generate -m "$model" --beams 3 -n 12
expect "best of n" 0 "sample 3, seed 3" "$strata" generate -m "$model" --best-of 3 -n 12
expect "healing" 0 "Once upon a time" "$strata" generate -m "$model" --heal -p "Once upon a ti" -n 10
# fill in the middle: a model whose vocabulary has three marks (of as many bytes as what they take the place of: two words that
# are a token each)
ten=$("$strata" world --documents 300 2>/dev/null | tr -cs 'a-z' '\n' | grep '^..........$' | sort -u |
    while read -r word; do [ "$(echo " $word" | "$strata" tokenize | wc -w)" -ne 1 ] || echo "$word"; done | head -2)
mark() { printf 's/\304\240%s/<%s>/' "$(echo "$ten" | sed -n "$1p")" "$2"; }
LC_ALL=C sed -e 's/<|im_start|>/<fim_prefix>/' -e "$(mark 1 fim_suffix)" -e "$(mark 2 fim_middle)" "$model" >"$work/fill.gguf"
fill() { "$strata" generate -m "$work/fill.gguf" --prefix "Mia was <fim_middle>a" --suffix " owl. " --seed 3 "$@"; }
middle=$(fill -n 6 --no-prompt --quiet)
same "a middle stands between its ends" "$(fill -n 6 --quiet)" "Mia was <fim_middle>a$middle owl. "
tokens() { "$strata" tokenize -m "$work/fill.gguf" --all "$@" | tr '\n' ' '; }
first=$(printf '<fim_prefix>' | tokens --special | tr -d ' ')
same "each part has its mark" "$(fill -n 0 --ids --quiet) " \
    "0 $first $(printf 'Mia was <fim_middle>a' | tokens)$(printf '<fim_suffix>' | tokens --special)$(printf ' owl. ' | tokens)$(printf '<fim_middle>' | tokens --special)"
expect "a mark ends the middle" 0 "stop token" fill -n 9 --chain "force:$first:at=3,greedy"
same "the best middle stands there, too" "$(fill -n 5 --best-of 2 --quiet | grep -c '^Mia was <fim_middle>a.* owl. $')" 1
expect "both ends may be empty" 0 "token limit" "$strata" generate -m "$work/fill.gguf" --prefix "" --suffix "" -n 3
expect "a model without marks" 1 "storyteller.gguf cannot fill in the middle: .* marks the prefix .*: use a model trained for it" \
    "$strata" generate --prefix a --suffix b
# companions that read less far than the model; a model that reads less far than a benchmark's texts
short() {
    "$strata" train --dim 64 --hidden 64 --layers 1 --heads 2 --kv-heads 1 --eval-documents 1 --threads 1 \
        --batch 100 --steps 1 --vocab-from "$model" --ctx "$1" --out "$2" 2>/dev/null
}
short 512 "$work/short.gguf"
short 50 "$work/shorter.gguf"
for who in "draft --draft" "amateur --chain contrast:0.1,draw --amateur"; do
    # shellcheck disable=SC2086
    set -- ${who#* }
    expect "a shorter ${who%% *}" 1 "the ${who%% *} has a context of 512 tokens, the model 1024: give --ctx 512" \
        "$strata" generate -n 3 "$@" "$work/short.gguf"
    expect "the context that is told, ${who%% *}" 0 "token limit" "$strata" generate -n 3 --ctx 512 "$@" "$work/short.gguf"
    expect "a far shorter ${who%% *}" 1 "give --ctx 50" "$strata" generate -n 3 --ctx 64 "$@" "$work/shorter.gguf"
done
expect "a shorter amateur bounds what is compared" 0 "amateur's context of 50 tokens" \
    "$strata" compare --documents 1 -n 400 --chains contrast:0.1,draw --amateur "$work/shorter.gguf"
# the same weights, said to read 1024 tokens: then the loss counts what follows the fiftieth, too
cp "$work/shorter.gguf" "$work/longer.gguf"
at=$(grep -abo llama.context_length "$work/longer.gguf" | head -1 | cut -d: -f1)
printf '\000\004\000\000' | dd of="$work/longer.gguf" bs=1 seek=$((at + 24)) conv=notrunc 2>/dev/null
loss() { "$strata" bench quant -m "$1" --documents 5 --seconds 0.01 | awk '$1 == "F16" { print $5 }'; }
short_loss=$(loss "$work/shorter.gguf") long_loss=$(loss "$work/longer.gguf")
if [ -n "$short_loss" ] && [ -n "$long_loss" ] && [ "$short_loss" != "$long_loss" ]; then ok "bench quant reads as far as its model"
else not "bench quant reads as far as its model" "'$short_loss' and '$long_loss'"; fi
expect "contrast wants an amateur" 2 "--amateur" "$strata" generate -m "$model" --chain contrast:0.1
expect "contrast" 0 "token limit" "$strata" generate -m "$model" --amateur "$draft" --chain contrast:0.1 -n 10
expect "an early layer as the amateur" 0 "dola:alpha=0.2,draw" "$strata" generate -m "$model" --early-layers 0,1 --chain dola:0.2 -n 10
expect "the last layer is no early one" 1 "early-layers: '2': wanted layers from 0 to 1" "$strata" generate -m "$model" --early-layers 2 --chain dola
same "its definition chooses the same tokens" "$("$strata" generate --quiet -m "$model" --early-layers 0,1 --chain ref:dola,greedy -n 40)" \
    "$("$strata" generate --quiet -m "$model" --early-layers 0,1 --chain dola,greedy -n 40)"
expect "guidance" 0 "token limit" "$strata" generate -m "$model" --chain cfg:1.5 -n 10
expect "contrastive search" 0 "token limit" "$strata" generate -m "$model" --chain contrastive_search:0.6 -n 10
"$strata" generate -m "$model" -n 5 --trace "$work/trace.csv" --logprobs 2 >/dev/null 2>"$work/err"
same "traces have steps" "$(cut -d, -f2 "$work/trace.csv" | sort -u | grep -c '^[0-4]$')" 5
"$strata" generate -m "$model" -n 2 --best-of 2 --chain top_k:9,top_k:3 --trace "$work/trace.csv" >/dev/null 2>&1
same "traces tell samples and stages of one name apart" "$(awk -F, 'NR > 1 { print $1 $2 $3 $4 }' "$work/trace.csv" | sort -u | tr '\n' ' ')" \
    "100model 101top_k 102top_k 103draw 110model 111top_k 112top_k 113draw 200model 201top_k 202top_k 203draw 210model 211top_k 212top_k 213draw "
"$strata" generate -m "$model" -n 1 --chain temp:9 --trace "$work/trace.csv" --trace-rows 0 >/dev/null 2>&1
expect "a trace is UTF-8" 0 "" iconv -f UTF-8 -t UTF-8 "$work/trace.csv"
same "log-probabilities" "$(grep -c ':-' "$work/err")" 5
"$strata" generate -m "$model" --chain min_tokens:300,temp:2,watermark:6 -n 300 --seed 5 --no-prompt 2>/dev/null | "$strata" watermark -m "$model" >"$work/out"
same "a watermark is found" "$(grep -c ': marked' "$work/out")" 1
"$strata" embed -m "$model" "The fox ran." "The fox sat." "A hen was sad." >"$work/vectors"
same "embed: a vector for each text, then the cosines" "$(awk '{ print NF }' "$work/vectors" | tr '\n' ' ')" "256 256 256 0 4 7 7 8 "
same "a text is like itself" "$(sed -n '6p' "$work/vectors" | awk '{ print $1, $2 }')" "1 1.0000"
same "embed counts rows" "$("$strata" embed -m "$model" --pooling none --csv "The fox" | cut -d, -f1,2 | tr '\n' ' ')" "text,row 1,1 1,2 1,3 "
for pooling in mean last cls; do
    expect "embed as JSON, $pooling" 0 "\"pooling\": \"$pooling\", \"dim\": 256.*cosines.*]]}" "$strata" embed -m "$model" --json --pooling $pooling "The fox" "The hen"
done
same "threads change no vector" "$("$strata" embed -m "$model" "The fox ran." -t 3)" "$(head -1 "$work/vectors")"
expect "embed: an unknown pooling" 1 "no pooling 'max': wanted mean" "$strata" embed -m "$model" --pooling max "The fox"
# Whoever is ended, and whose file grows too large, leaves no half of it.
"$strata" compare --documents 300 --chains draw --csv "$work/ended.csv" >/dev/null 2>&1 &
for wait in 1 2 3 4 5 6 7 8 9 10; do [ -e "$work/ended.csv.strata-part" ] || sleep 0.2; done
kill -s TERM $!
wait $! 2>/dev/null
same "nothing half" "$(ls "$work" | grep -c ended)" 0
same "a file that is too large" "$(cd "$work" && ulimit -f 100 && "$strata" quantize "$model" ended.gguf F32 2>&1 | grep -c "File too large"; ls "$work" | grep -c ended)" "1
0"
expect "embed: no text" 2 "there is no text" "$strata" embed -m "$model"
expect "embed: an empty text" 1 "text 2 is empty" "$strata" embed -m "$model" "The fox" ""
expect "embed: a long text" 1 "the model reads 1024" "$strata" embed -m "$model" "$(yes word | head -2000 | tr '\n' ' ')"
expect "compare" 0 "dist-2" "$strata" compare -m "$model" --documents 2 -n 40 --chains greedy temp:1 --csv "$work/compare.csv"
same "compare writes CSV" "$(wc -l <"$work/compare.csv" | tr -d ' ')" 3
expect "a text that the limit cut is not valid, and why" 0 "0.0%.*cut 2" "$strata" compare --documents 2 -n 40 --chains greedy
"$strata" figure beams --documents 2 -n 30 >"$work/out" 2>/dev/null
same "figure beams: true stories, then a row for each width" "$(cut -d, -f1 "$work/out" | tr '\n' ' ')" \
    'search "true stories" "greedy" "2 beams" "4 beams" "8 beams" "16 beams" '
same "greedy finds no likelier text than sixteen beams" "$(awk -F, '$1 ~ /greedy/ { g = $3 } $1 ~ /16/ { print ($3 <= g + 1e-3) }' "$work/out")" 1
# what is exactly so of twelve stories, whatever they tell
"$strata" compare --documents 12 --sample 4 --chains greedy top_k:1 draw top_p:0.9 contrastive_search:0.6 cfg:1.5 \
    --csv "$work/compare.csv" --html "$work/compare.html" --json >"$work/compare.json" 2>/dev/null
of() { awk -F, -v chain="\"$1\"" -v name="$2" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) at = i } $1 == chain { print $at }' "$work/compare.csv"; }
same "greedy is the best of one" "$(of greedy valid) $(of greedy distinct_2)" "$(of top_k:1 valid) $(of top_k:1 distinct_2)"
expect "surprise counts no end tokens" 0 "surprise  nats per generated token, under the model before the chain; the end token is not counted" "$strata" compare --help
same "a chain is no better than itself" "$(of top_k:1 less_first_valid_low) $(of top_k:1 less_first_surprisal_high)" "0.000000 0.000000"
same "what cuts nothing keeps every true document" "$(of draw kept) $(of cfg:1.5 kept)" "1.000000 1.000000"
same "the likeliest story is none of the twelve" "$(of greedy kept)" "0.000000"
same "none of twelve is not never" "$(awk -v high="$(of greedy kept_high)" 'BEGIN { print (high > 0.2 && high < 0.3) }')" 1
same "top-p keeps fewer" "$(awk -v kept="$(of top_p:0.9 kept)" 'BEGIN { print (kept < 0.9) }')" 1
same "who looks ahead is not asked for other texts" "$(of contrastive_search:0.6 kept)" ""
expect "compare as JSON" 0 '"chain": "draw", "valid": {"mean": ' cat "$work/compare.json"
expect "a page" 0 "<svg.*Tom\|<svg" cat "$work/compare.html"
"$strata" compare --documents 6 --chains draw top_p:0.9 --plot "$work/compare.svg" >"$work/out" 2>/dev/null
expect "a plot of its own" 0 "top_p:0.9</text>" cat "$work/compare.svg"
same "with a point for each chain" "$(grep -c '<circle' "$work/compare.svg")" 2
"$strata" compare -p "Once upon a time" --seeds 3 --chains draw top_p:0.9 --plot "$work/compare.svg" >"$work/out" 2>/dev/null
expect "without a world it is of other measures" 0 'aria-label="[^"]*different 2-grams' cat "$work/compare.svg"
expect "one chain is no plot" 1 "got one chain, wanted two or more" "$strata" compare --documents 1 --chains greedy --plot "$work/none.svg"
expect "with marked tokens" 0 "<mark>" cat "$work/compare.html"
expect "openings that are whole documents" 1 "nothing is left to generate" "$strata" compare --documents 2 --words 100000
expect "a table in no file" 1 "give /dev/stdout" "$strata" compare --documents 1 -n 4 --csv -
expect "one document" 0 "\[1 document, " "$strata" world --entropy
expect "two tables in one file" 2 "are both $work/one: give them" "$strata" compare --csv "$work/one" --html "$work/one"
printf 'One\0two\n' >"$work/zero"
"$strata" compare --chains greedy --prompts "$work/zero" -n 2 --html "$work/zero.html" >"$work/out" 2>&1
same "a page is text" "$(tr -d '\0' <"$work/zero.html" | cmp - "$work/zero.html")" ""
greedy=$("$strata" generate -p '<|im_start|>user' -n 4 --chain greedy --quiet | tr -d ' \n')
"$strata" compare --chains greedy -p '<|im_start|>user' -n 4 --html "$work/names.html" >"$work/out" 2>&1
same "a prompt's control tokens are text, as for generate" "$(tr -d ' \n' <"$work/names.html" | grep -cF "user${greedy##*user}</article>")" 1
"$strata" compare --chains 'choice:a"b|c,draw' -p x -n 4 --csv "$work/quote.csv" >"$work/out" 2>&1
same "a chain with a quote is one cell" "$(tail -n 1 "$work/quote.csv" | cut -d, -f1-3)" '"choice:a""b|c,draw",1'
expect "beams ask for no token alone" 2 "--beams does not go with --no-forced" "$strata" generate --regex a --beams 2 --no-forced
same "a page needs nothing else" "$(sed 's| xmlns="http://www.w3.org/2000/svg"||g' "$work/compare.html" | grep -c 'http\|src=\|<script\|<link')" 0
printf 'Tom was\n\nThe fox\r\n' >"$work/prompts"
"$strata" compare --prompts "$work/prompts" -n 20 -m "$draft" --chains draw greedy --csv "$work/compare.csv" >"$work/out" 2>/dev/null
same "prompts have no world's columns" "$(of draw openings) $(grep -c 'valid\|kept' "$work/compare.csv" "$work/out" | tr '\n' ' ')" "2 $work/compare.csv:0 $work/out:0 "
printf '\n\n' >"$work/prompts"
printf 'Tom\n\n%s\n' "$(yes word | head -1100 | tr '\n' ' ')" >"$work/longest"
expect "a prompt that is too long, by its line" 1 "longest, line 3: the prompt has 1[0-9]* tokens and the context holds 1024" "$strata" compare --chains greedy --prompts "$work/longest"
expect "prompts that are none" 1 "no prompts: wanted one per line" "$strata" compare --prompts "$work/prompts"
"$strata" dump "$model" token_embd.weight >"$work/floats"
"$strata" dump "$model" token_embd.weight --raw >"$work/halves"
same "dump writes floats, or what is stored" "$(wc -c <"$work/floats" | tr -d ' ')" "$((2 * $(wc -c <"$work/halves")))"
expect "dump names what is not there" 1 "no tensor 'x'" "$strata" dump "$model" x
expect "quantize lists its formats" 0 "Q4_0 *4.5" "$strata" quantize --list
expect "quantize names a wrong format" 1 "no format 'Q9'" "$strata" quantize "$model" "$work/q.gguf" Q9
for type in Q8_0 Q5_1 Q4_0 MXFP4 NVFP4; do
    expect "a story in $type" 0 "Once upon a time" sh -c "'$strata' quantize '$model' '$work/q.gguf' $type && '$strata' generate -m '$work/q.gguf' -n 20"
done
# a preset gives some matrices more bits; --pure does not
"$strata" quantize "$model" "$work/mix.gguf" Q4_K_M 2>/dev/null
expect "a preset gives the output more bits" 0 "token_embd.weight.*Q6_K" "$strata" inspect "$work/mix.gguf"
"$strata" quantize "$model" "$work/mix.gguf" Q4_K_M --pure 2>/dev/null
expect "a pure file does not" 0 "token_embd.weight.*Q4_K" "$strata" inspect "$work/mix.gguf"
expect "repacked weights are counted" 0 "repacked" "$strata" inspect "$work/mix.gguf"
same "weights repacked or not, the text is the same" \
    "$("$strata" generate -m "$work/mix.gguf" -n 60 --quiet)" "$("$strata" generate -m "$work/mix.gguf" -n 60 --quiet --no-pack)"
"$strata" world --documents 3 --seed 2 >"$work/text" 2>/dev/null
"$strata" world --documents 3 --seed 5 2>/dev/null >"$work/documents"
expect "perplexity of documents" 0 "tokens counted in 3 documents" "$strata" perplexity -f "$work/documents"
expect "and of long ones, in windows" 0 '"documents":3,"windows":[1-9][0-9]' "$strata" perplexity -f "$work/documents" --window 32 --json
awk '{ printf "%s", $0; exit }' FS= RS='<[|]endoftext[|]>\n' "$work/documents" >"$work/first"
same "no window is needed for one that fits" "$("$strata" perplexity -f "$work/documents" --windows 1 --json 2>/dev/null | grep -o '"tokens_counted":[0-9]*')" \
    "\"tokens_counted\":$("$strata" tokenize --all --special --eos <"$work/first" | wc -w | tr -d ' ')"
for part in "$(sed '$d' "$work/documents")" "$(cat "$work/documents")"; do
    same "the last mark may be left out, or its newline" \
        "$(printf %s "$part" | "$strata" perplexity --json 2>/dev/null)" "$("$strata" perplexity -f "$work/documents" --json 2>/dev/null)"
done
expect "perplexity of a text" 0 "tokens counted in" "$strata" perplexity -f "$work/text" --window 128
expect "perplexity as JSON, with a stride" 0 '"stride":32' "$strata" perplexity -f "$work/text" --window 64 --stride 32 --json
expect "a text shorter than a window" 1 "has [1-9] tokens, fewer than a window" sh -c "echo a fox | '$strata' perplexity --window 512"
expect "a window of nothing" 2 "from 4" "$strata" perplexity --window 1
expect "speed of a model" 0 "decode" "$strata" bench model -m "$work/mix.gguf" -p 16 -n 4 --rounds 1
expect "speed of a model as JSON" 0 '"test":"prefill"' "$strata" bench model -m "$work/mix.gguf" -p 16 -n 4 --rounds 1 --json
share=$("$strata" bench model -m "$draft" -p 0 -n 1 --rounds 16 --json | tr '{},' '\n\n\n' |
    awk -F: '{ v[$1] = $2 } END { d = v["\"share\""] * v["\"bandwidth\""] / v["\"gigabytes_per_second\""]; print (d > 0.98 && d < 1.02 ? "one" : d) }')
same "rate, bandwidth and share are of one round" "$share" one
again=$("$strata" bench model -m "$draft" -p 0 -n 1 --rounds 2 --json | sed -n 's/.*"again":\([0-2]\)}$/at most two/p')
same "no more rounds are measured again than were asked for" "$again" "at most two"
expect "what a service promises" 0 "^warm .* of the first time: at most 5 " "$strata" bench serve -m "$draft" --goals --rounds 1 -t 1
expect "many users at once" 0 "^     4  static " "$strata" bench serve -m "$draft" --users 4 -p 8 -n 4
costs=$(dirname "$0")/../docs/figures/data/costs.txt
expect "nobody is there: the same at once" 0 " 10 chunked " "$strata" simulate --costs "$costs" --users 10 --seconds 30
expect "no table where nobody can be served" 1 "all 5 requests are refused" "$strata" simulate --costs "$costs" --users 5 --seconds 60 -p 900 -n 4 --pages 1
same "... not even its titles" "$(grep -c policy "$work/out")" 0
expect "as many machines as it takes" 0 " 10000 chunked *[2-9] " "$strata" simulate --costs "$costs" --users 10000 --seconds 5 -p 200 -n 100 --policy chunked --first 100 --gap 20
expect "who sends many has a row of his own" 0 "^  heavy chunked" "$strata" simulate --costs "$costs" --users 60 --seconds 5 --heavy 3 --order turns --policy chunked
"$strata" simulate --users 20 --every 1 --seconds 0.2 -p 8 -n 4 --save-trace "$work/trace.csv"
expect "a trace is served" 0 "^     2  static .* [0-9]" "$strata" bench serve -m "$draft" --trace "$work/trace.csv" -t 1 --own-time --places 2 --costs "$work/costs.txt"
expect "and simulated" 0 "^  trace chunked" "$strata" simulate --costs "$work/costs.txt" --trace "$work/trace.csv"
expect "what each format of keys costs" 0 "^q4_0-h  *432 " "$strata" bench kv --documents 1 --context 20 -n 2 --rounds 1
expect "a step as a tree" 0 "^      mixer  .* %" "$strata" profile -m "$draft" -p 8 -n 4 --trace "$work/steps.json"
if grep -q '"name":"attention","ph":"X"' "$work/steps.json"; then ok "and as a trace"; else not "and as a trace" "no attention in it"; fi
expect "profile beyond the context" 1 "give a smaller -p or -n" "$strata" profile -m "$draft" -p 100000
expect "who ask" 2 "-p and -n must be 1 or more" "$strata" bench serve -p 0
expect "what was not measured is a number, too" 0 '"share":0.000' "$strata" bench model -m "$work/mix.gguf" -p 16 -n 0 --rounds 1 --json
expect "keys and values as they are" 0 "Once" "$strata" generate -p "Once upon a time" --chain greedy --kv f32 -n 8 --quiet
expect "keys in a format that is none" 1 "wanted one of f32, f16, bf16" "$strata" generate -p "Once" --kv q5_0 -n 1
expect "keys and values in four bits, rotated" 0 "kv q4_0-h |" "$strata" generate -p "Once" --kv q4_0-h -n 2
expect "every rung is right" 0 "repacked" "$strata" bench ladder --format Q4_K --seconds 0.01
expect "a model of random weights in no format" 1 "no format" "$strata" bench make-model "$work/r.gguf" Q9
"$strata" quantize "$model" "$work/q.gguf" F32 2>/dev/null
same "F16 as F32 says the same" "$("$strata" generate -m "$work/q.gguf" --seed 2 -n 60 2>/dev/null)" "$("$strata" generate -m "$model" --seed 2 -n 60 2>/dev/null)"
expect "figure" 0 "chain,shape,rank,before,after" "$strata" figure effects
expect "bench samplers takes an instruction set" 2 "choose auto" "$strata" bench samplers --isa vax
expect "bench samplers of a chain" 0 "read once" "$strata" bench samplers --chain top_k:9,draw --size 2048 --seconds 0.001
began=$(date +%s)
"$strata" bench samplers --chain draw --size 200000 --seconds 0.7 >/dev/null
same "--seconds are those of a chain and a shape" $(($(date +%s) - began >= 2)) 1
"$strata" bench samplers --size 2048 --size 4096 --seconds 0.0001 --csv "$work/stages.csv" >"$work/stages"
same "bench samplers times every stage" "$(sed '1,/^read once/d; s/ .*//' "$work/stages" | tr '\n' ' ')" \
    "$("$strata" samplers | sed -n '/^$/q; s/^  \([a-z_0-9]*\) .*/\1/p' | tr '\n' ' ')"
same "... in two columns, above nothing" "$(sed '1,/^read once/d' "$work/stages" | awk '!($2 > 0 && $3 > 0 && $4 > 0)')" ""
stages=$("$strata" samplers | sed '/^$/q' | grep -c .)
same "... and as CSV" "$(awk -F, 'NR > 1 && $4 > 0' "$work/stages.csv" | grep -c .)" $((2 * stages))
same "... and as JSON" "$("$strata" bench samplers --size 2048 --seconds 0.0001 --json |
    grep -c '^{"stage":"[a-z_0-9]*","chain":".*","tokens":2048,"isa":"[a-z0-9]*","microseconds":[0-9.]*,"left":[0-9]*}$')" "$stages"
printf 'Hello world\n\n  two  spaces\nna\303\257ve\n' >"$work/text"
same "tokenize and back" "$("$strata" tokenize -m "$model" <"$work/text" | "$strata" tokenize -m "$model" --decode)" "$(cat "$work/text")"
same "tokenize --all and back" "$("$strata" tokenize -m "$model" --all <"$work/text" | "$strata" tokenize -m "$model" --decode --all)" "$(cat "$work/text")"
# a sanitizer reserves terabytes of addresses
case "$(uname) $strata" in
*/asan/* | */tsan/*) ;;
Linux*)
    yes a | tr -d '\n' | head -c 10000000 >"$work/long"
    expect "no memory to make tokens" 1 "no memory to make tokens of a piece of 10000000 bytes" \
        sh -c "ulimit -v 600000; exec '$strata' tokenize -m '$model' --all <'$work/long'"
    ;;
esac
same "why a text becomes its tokens" "$(echo 'on it' | "$strata" tokenize -m "$model" --explain | grep -c 'rule 1:  ?\\p{L}+')" 2
same "the tokens that end a text, on request" "$(echo hi | "$strata" tokenize -m "$model" --eos)" "$(echo hi | "$strata" tokenize -m "$model")"
expect "a text that is not there is no fault of the model" 1 "^strata: $work/none cannot be opened" "$strata" bench tokenizer -m "$model" "$work/none"
expect "how fast memories move on" 0 "64 tokens at once  .*GFLOP/s .*[0-9]\.[0-9][0-9]$" "$strata" bench mixers --seconds 0
expect "how fast words are cut" 0 "million tokens/s" "$strata" bench tokenizer -m "$model" --seconds 0 "$work/text"
same "special tokens on request" "$(echo '<|im_end|>' | "$strata" tokenize -m "$model" --special)" 2
"$strata" logits -m "$model" --tokens 0,500,600 >"$work/all"
same "logits of every position" "$(wc -l <"$work/all" | tr -d ' ')" 6144
same "--last is the last position" "$("$strata" logits -m "$model" --tokens 0,500,600 --last)" "$(tail -2048 "$work/all")"
"$strata" world --seed 5 --documents 40 >"$work/world" 2>/dev/null
"$strata" world --world wide --seed 5 --documents 40 >"$work/wide" 2>/dev/null
expect "the wide world reads what it wrote" 0 "40 of 40 documents are valid" sh -c "'$strata' world check --world wide --summary <'$work/wide'"
expect "and finds some of it impossible" 0 " of probability 0" sh -c "'$strata' world score '$work/wide' | tail -1"
expect "a world of another name" 1 "world flat: wanted tiny or wide" "$strata" world --world flat
same "the world is repeatable" "$("$strata" world --seed 5 --documents 40 2>/dev/null)" "$(cat "$work/world")"
same "the world obeys itself" "$("$strata" world check <"$work/world" 2>/dev/null | grep -c valid)" 40
"$strata" world score "$work/world" >"$work/score" 2>"$work/err"
same "the score is what the writer added up" "$(cut -f2 "$work/score")" "$("$strata" world --seed 5 --documents 40 --entropy 2>/dev/null | cut -f2)"
same "and so is its mean" "$(cat "$work/err")" "$("$strata" world --seed 5 --documents 40 2>&1 >/dev/null)"
same "the score of standard input" "$("$strata" world score - <"$work/world" 2>/dev/null)" "$(cat "$work/score")"
same "what the world never writes" "$(sed 's/was/wos/' "$work/world" | "$strata" world score - 2>/dev/null | cut -f2 | sort -u)" inf
expect "the beginning of all documents" 0 "0.0 bytes and 0.000 nats each: 0.0000 nats" sh -c "echo '<|endoftext|>' | '$strata' world score --prefix -"
expect "and why" 0 "inf.grammar.byte 4.found 'foo'" sh -c "echo Tom foo | '$strata' world score -"
same "of all that begin so: a name of forty, one opening of ten" \
    "$(printf 'Tom was ' | "$strata" world score --kind story --prefix - 2>/dev/null | cut -f2)" "$(awk 'BEGIN { printf "%.6f", log(40 * 10) }')"
same "a spoiled world does not" "$(sed 's/was/wos/' "$work/world" | "$strata" world check 2>/dev/null | grep -c invalid)" 40

train="train --steps 6 --dim 64 --hidden 64 --layers 1 --heads 2 --kv-heads 1 --vocab 400 --batch 300 --eval-documents 2 --threads 1"
for i in $(seq 300); do echo "the fox ran home $i"; done >"$work/long.txt"
expect "no text has no perplexity" 1 "standard input is empty" sh -c "'$strata' perplexity </dev/null"
expect "a model is no corpus" 1 "is not text: its byte [0-9]* is zero" "$strata" train --corpus "$model" --out "$work/long.gguf"
expect "what is longer than a model reads is cut" 0 "1 of 1 documents are longer than 64 tokens (--ctx): cut into [34][0-9]$" "$strata" train --steps 2 --dim 32 --hidden 32 --layers 1 --heads 2 \
    --kv-heads 1 --vocab 300 --ctx 64 --batch 200 --eval-documents 1 --threads 1 --corpus "$work/long.txt" --out "$work/long.gguf" --log "$work/long.csv"
same "nobody knows the entropy of a part" "$("$strata" train --steps 1 --ctx 16 --batch 64 --eval-documents 2 --from "$model" --out "$work/part.gguf" 2>&1 | grep -c '^held-out loss [0-9.]* nats/token$')" 1
same "nothing is held out of a small corpus" "$(grep -c '^holding out none of [34][0-9] documents: .*1000' "$work/out") $(tail -1 "$work/long.csv" | cut -d, -f7-)" "1 ,"
for i in $(seq 1100); do printf 'a fox %s\n<|endoftext|>\n' "$i"; done >"$work/many.txt"
expect "the end of a large one is" 0 "held-out loss" "$strata" train --vocab-from "$model" --steps 2 --dim 32 --hidden 32 --layers 1 --heads 2 \
    --kv-heads 1 --batch 200 --eval-documents 1 --threads 1 --corpus "$work/many.txt" --out "$work/many.gguf" --log "$work/many.csv"
same "... a tenth of it" "$(grep -c '^holding out the last 110 documents' "$work/out") $(tail -1 "$work/many.csv" | grep -c ',[0-9.]*,nan$')" "1 1"
"$strata" $train --out "$work/whole.gguf" --log "$work/whole.csv" 2>/dev/null
"$strata" $train --out "$work/parts.gguf" --checkpoint "$work/ckpt" --save-every 2 --eval-every 2 2>/dev/null &
pid=$!
while [ ! -f "$work/ckpt" ] && kill -0 $pid 2>/dev/null; do sleep 0.1; done
kill -9 $pid 2>/dev/null
wait $pid 2>/dev/null
"$strata" $train --out "$work/parts.gguf" --checkpoint "$work/ckpt" --resume 2>/dev/null
sed 's/whole/parts/' "$work/whole.gguf" >"$work/renamed"
if cmp -s "$work/renamed" "$work/parts.gguf"; then ok "a killed run resumes to the bit"; else not "a killed run resumes to the bit" "the files differ"; fi
same "the log has a header and the last step" "$(sed -n '1p;$p' "$work/whole.csv" | cut -d, -f1 | tr '\n' ' ')" "step 6 "
expect "a trained model speaks" 0 "Once" "$strata" generate -m "$work/whole.gguf" -n 5
"$strata" $train --mixer delta --checkpoint "$work/memory.ckpt" --out "$work/memory.gguf" 2>/dev/null
expect "so does one with a memory" 0 "Once" "$strata" generate -m "$work/memory.gguf" -n 5
expect "a run with attention is another one" 1 "memory.ckpt was written with another --mixer: a resumed run" \
    "$strata" $train --checkpoint "$work/memory.ckpt" --resume --out "$work/other.gguf"
expect "no weights of attention for a memory" 1 "of another family" \
    "$strata" train --mixer delta --dim 64 --hidden 64 --layers 1 --heads 2 --kv-heads 1 --from "$work/whole.gguf" --out "$work/other.gguf"
short="--steps 1 --batch 64 --eval-documents 1 --threads 1"
# shellcheck disable=SC2086
{
    expect "a run has the shape of the model that it begins with" 0 "is written" "$strata" train $short --from "$work/whole.gguf" --out "$work/on.gguf"
    expect "... with a memory, too" 0 "is written" "$strata" train $short --mixer delta --from "$work/memory.gguf" --out "$work/on.gguf"
    expect "... so does an adapter" 0 "is written" "$strata" train $short --lora 2 --from "$work/whole.gguf" --out "$work/on.gguf"
    expect "a shape that was asked for is not changed" 1 "says 'llama.block_count' is 1, and the run has 2" "$strata" train $short --layers 2 --from "$work/whole.gguf" --out "$work/on.gguf"
}
expect "a mixer by its name" 2 "mixer mamba: wanted attention or delta" "$strata" train --mixer mamba --out "$work/other.gguf"
expect "an optimizer by its name" 2 "optimizer sgd: wanted muon or adamw" "$strata" train --optimizer sgd --out "$work/other.gguf"
for optimizer in muon adamw; do
    expect "an adapter has its own, not $optimizer" 2 "always learns by AdamW" "$strata" train --optimizer $optimizer --lora 2 --from "$work/whole.gguf" --out "$work/other.gguf"
done
expect "another optimizer is another run" 1 "memory.ckpt was written with another --optimizer" \
    "$strata" $train --mixer delta --optimizer adamw --checkpoint "$work/memory.ckpt" --resume --out "$work/other.gguf"
expect "a memory fills no places" 2 "reads from left to right" "$strata" train --mixer delta --masked --out "$work/other.gguf"
# shellcheck disable=SC2086
expect "a memory learns an adapter" 0 "is written" "$strata" train $short --mixer delta --from "$work/memory.gguf" --lora 2 --out "$work/memory.lora"
said() { "$strata" logits -m "$work/memory.gguf" --tokens 0,1,2 "$@" 2>/dev/null | cksum; }
if [ "$(said --adapter "$work/memory.lora")" = "$(said)" ]; then not "... which acts" "the logits are the same"; else ok "... which acts"; fi
same "the families that learn are those of the files" "$("$strata" train --list | sed 1d | cut -d" " -f1 | tr "\n" " ")" "llama qwen35 llada "

# Ctrl-C ends a text after its last token, in a line of its own. Its candidates fill the pipe that is
# read only afterwards, so the text cannot end before the signal comes.
mkfifo "$work/candidates"
"$strata" generate -n -1 --no-prompt --chain suppress:0:2,contrastive_search:0.6 --logprobs 50 >"$work/endless" 2>"$work/candidates" &
pid=$!
exec 3<"$work/candidates"
until [ -s "$work/endless" ] || ! kill -0 $pid 2>/dev/null; do sleep 0.05; done
kill -INT $pid
cat <&3 >"$work/err"
exec 3<&-
wait $pid
same "Ctrl-C is an exit status of its own" $? 130
same "Ctrl-C loses no token" "$(grep -v '^\[' "$work/err" | cut -f2 | tr '\n' ' ' | "$strata" tokenize --decode)" "$(cat "$work/endless")"

# Large commands are programs of their own, which strata starts: beside it, in libexec, in PATH.
mkdir -p "$work/usr/bin" "$work/usr/libexec/strata"
cp "$strata" "$work/usr/bin"
expect "a program that is missing" 1 "strata world needs the program strata-lab, which is neither beside this one nor in PATH" \
    env PATH=/usr/bin:/bin "$work/usr/bin/strata" world
same "the list knows its command" "$("$work/usr/bin/strata" help --all)" "$("$strata" help --all)"
told=$("$strata" world --seed 3 2>/dev/null)
same "found in PATH" "$(PATH=$BUILD/bin:$PATH "$work/usr/bin/strata" world --seed 3 2>/dev/null)" "$told"
cp "$BUILD/bin/strata-lab" "$work/usr/libexec/strata"
same "found in libexec" "$("$work/usr/bin/strata" world --seed 3 2>/dev/null)" "$told"
same "called by its own name" "$("$BUILD/bin/strata-lab" world --seed 3 2>/dev/null)" "$told"
same "named as its command" "$("$BUILD/bin/strata-chat" --help)" "$("$strata" chat --help)"
mkdir -p "$work/path" && : >"$work/path/strata-lab" && rm -r "$work/usr/libexec" && : >"$work/usr/libexec"
same "libexec is no folder: found in PATH" "$(PATH=$BUILD/bin:$PATH "$work/usr/bin/strata" world --seed 3 2>/dev/null)" "$told"
expect "in PATH, and none" 1 "world: strata-lab in PATH cannot be started: Permission denied" env PATH="$work/path" "$work/usr/bin/strata" world
: >"$work/usr/bin/strata-lab"
expect "a program that is none" 1 "world: .*strata-lab cannot be started: Permission denied" "$work/usr/bin/strata" world
same "completion asks it" "$("$strata" --help=words simulate --a | cut -f1 | tr '\n' ' ')" "--arrivals --ageing --alone "
for command in "" $("$strata" --help=words "" | cut -f1); do
    case $command in help | serve) continue ;; esac
    "$strata" help $command >/dev/null || echo "$command"
done >"$work/helpless"
same "every command that is listed has help" "$(cat "$work/helpless")" ""
