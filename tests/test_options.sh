#!/bin/sh
# Options of the program: every number has a range, and what does not act is refused.
. "$(dirname "$0")/program.sh"

# ------------------------------------------------------------------ ranges
# refused COMMAND OPTION VALUE WANTED: wrong usage, said with what, got and wanted
refused() {
    expect "$1 $2 $3" 2 "$2 is '$3': wanted an\{0,1\} \(integer\|number\) from $4" "$strata" $1 "$2" "$3"
}
refused generate -n -5 "-1 to"
refused generate -n 99999999999999999999 "-1 to"
refused generate -n 1e3 "-1 to"
refused generate -n "" "-1 to"
refused generate -n " 5" "-1 to"
refused generate --seed -1 "0 to 18446744073709551615"
refused generate --seed 18446744073709551616 "0 to 18446744073709551615"
refused generate --seconds nan "0 to"
refused generate --seconds -1 "0 to"
refused generate --repeats 1 "2 to"
refused generate --logprobs -1 "0 to"
refused generate --guess 0 "1 to 24"
refused generate --guess 25 "1 to 24"
refused generate --beams 33 "1 to 32"
refused generate --particles 33 "1 to 32"
refused generate --aligned 0 "1 to"
refused generate --resample 1.5 "0 to 1"
refused generate --beam-groups 1 "2 to 32"
refused generate --beam-diversity nan "1e-09 to"
refused generate --beam-diversity 0 "1e-09 to"
refused perplexity --stride 0 "1 to"
refused generate --length-power nan "-10 to 10"
refused generate --length-power inf "-10 to 10"
refused generate --best-of 0 "1 to"
refused generate --distinct 32 "1 to 31"
refused generate --power 0 "0.001 to"
refused generate --moves -1 "0 to"
refused generate --confidence 0.4 "0.5 to 1"
refused generate --trace-rows -1 "0 to"
refused diffuse -n 0 "1 to"
refused diffuse --steps 0 "1 to"
refused diffuse --block 0 "1 to"
refused compare --documents 0 "1 to"
refused "bench model" --rounds 0 "1 to 64"
refused perplexity --window 3 "4 to"
refused "figure guess" -n 0 "1 to"
refused "train --out x" --steps -5 "1 to"
refused "chain" --draws -1 "0 to"
expect "the largest seed is itself" 0 "seed 18446744073709551615 " "$strata" generate -n 2 --seed 18446744073709551615
expect "a context of nothing" 2 "from 1 to" "$strata" generate --ctx 0
expect "a context of any length" 0 "then 93 at .*context full" "$strata" generate --ctx 99 --chain force:20 -n -1
expect "a context beyond the model" 1 "at most 1024, the model's" "$strata" generate --ctx 99968
expect "all of the model's context" 0 "token limit" "$strata" generate --ctx 1024 -n 2
long=$(yes word | head -3000 | tr '\n' ' ')
expect "a prompt beyond the model" 1 "the model reads no more" "$strata" generate -p "$long"
expect "more log-probabilities than tokens" 1 "at most 2048, the vocabulary" "$strata" generate --logprobs 9999
expect "an empty stop string" 1 "--stop is empty" "$strata" generate --stop ""
stops=$(for i in $(seq 33); do printf -- '--stop x%d ' "$i"; done)
expect "too many stop strings" 2 "more than 32 times" "$strata" generate $stops
expect "32 stop strings" 0 "token limit" "$strata" generate -n 3 ${stops% --stop*}
expect "an instruction set in the environment" 1 "STRATA_ISA: no instruction set 'vax'" env STRATA_ISA=vax "$strata" generate -n 1
expect "half a number as a size" 1 "'12x'" "$strata" bench samplers --size 12x
expect "a prompt longer than the model reads" 1 "context of 1024" "$strata" bench model -p 3000
expect "a stride as long as the window" 2 "less than the window" "$strata" perplexity --window 64 --stride 64

# ------------------------------------------------------------------ what goes with what
# apart STATUS A B COMMAND...: refused, before anything goes to stdout, with both names
apart() {
    status=$1 a=$2 b=$3
    shift 3
    "$strata" "$@" >"$work/out" 2>"$work/err" </dev/null
    got=$?
    if [ $got -ne "$status" ] || [ -s "$work/out" ] || ! grep -q -e "$a.* \(needs\|does not go with\) .*$b" "$work/err"
    then not "apart: $*" "exit status $got: $(head -c 300 "$work/err")"; else ok "apart: $*"; fi
}
apart 2 --beams --chain generate --beams 2 --chain greedy
apart 2 --beams --seed generate --beams 2 --seed 4
apart 2 --beams --best-of generate --beams 2 --best-of 2
apart 2 --beams --logprobs generate --beams 2 --logprobs 1
apart 2 --beams --trace generate --beams 2 --trace "$work/trace"
apart 2 --beams --draft generate --beams 2 --draft "$draft"
apart 2 --beam-groups --beams generate --beam-groups 2 --beam-diversity 1
apart 2 --beam-groups --beam-diversity generate --beams 2 --beam-groups 2
apart 2 --beam-diversity --beam-groups generate --beams 2 --beam-diversity 1
apart 2 --length-power --beams generate --length-power 2
apart 2 --early --beams generate --early
apart 2 --particles --chain generate --particles 2 --regex a --chain draw
apart 2 --particles --regex generate --particles 2
apart 2 --particles --beams generate --particles 2 --regex a --beams 2
apart 2 --particles --trace generate --particles 2 --regex a --trace "$work/trace"
apart 2 --particles --draft generate --particles 2 --regex a --draft lookup
apart 2 --aligned --chain generate --aligned 2 --regex a --chain draw
apart 2 --aligned --regex generate --aligned 2
apart 2 --aligned --particles generate --aligned 2 --regex a --particles 2
apart 2 --aligned --logprobs generate --aligned 2 --regex a --logprobs 1
apart 2 --aligned --draft generate --aligned 2 --regex a --draft lookup
apart 2 --resample --particles generate --resample 0.3
apart 2 --distinct --power generate --distinct 2 --power 2
apart 2 --distinct --best-of generate --distinct 2 --best-of 2
apart 2 --power --chain generate --power 2 --chain draw
apart 2 --power --trace generate --power 2 --trace "$work/trace"
apart 2 --distinct --draft generate --distinct 2 --draft lookup
apart 2 --distinct greedy generate --distinct 2 --chain greedy
apart 2 --distinct xtc generate --distinct 2 --chain xtc:0.5
apart 2 --moves --power generate --moves 3
apart 2 --by --best-of generate --by vote
apart 2 --answer --by generate --best-of 2 --answer "*"
apart 2 --all --best-of generate --all
apart 2 --answer "--by vote" generate --best-of 2 --by likelihood --answer "*"
apart 2 --confidence "--by vote" generate --best-of 2 --by mbr --confidence 0.9
apart 2 --draft arithmetic generate --draft lookup --chain arithmetic
apart 2 --distinct cfg generate --distinct 2 --chain cfg:2,draw
apart 2 --distinct contrastive_search generate --distinct 2 --chain contrastive_search:0.6
expect "an unknown way to choose" 2 "by: 'vot': wanted likelihood, vote or mbr; did you mean vote?" "$strata" generate --best-of 2 --by vot
expect "fewer texts than asked for" 0 "1 of 9: under this chain and limit there are no other texts" "$strata" generate --distinct 9 -n 3 --chain temp:0
expect "a model to quantize, and nothing else" 2 "wanted a model, the name of the new file and a format" "$strata" quantize "$model"
expect "no checkpoint to convert" 2 "wanted a checkpoint's folder" "$strata" convert
same "a search that time ends knows of no others" "$("$strata" generate --distinct 5 --seconds 0.0001 2>&1 | grep -c 'no other texts')" 0
same "no token of a power: the prompt once" "$("$strata" generate --power 2 -n 0 --quiet)" "Once upon a time"
expect "an answer without a place" 2 "wanted one \*" "$strata" generate --best-of 2 --by vote --answer named
apart 2 --best-of --logprobs generate --best-of 2 --logprobs 1
apart 2 --best-of greedy generate --best-of 3 --chain greedy
apart 2 --suffix --chat diffuse --suffix x --chat
apart 2 --chat --no-prompt diffuse --chat --no-prompt
expect "a model that writes from left to right" 1 "a llama model writes from left to right" "$strata" diffuse
expect "an unknown rule" 1 "wanted confidence, margin" "$strata" diffuse --remask luck
apart 2 --final --draws chain --final --draws 3
apart 2 --prompt --history chain --prompt 0
apart 2 --guess --draft generate --guess 3
apart 2 --draft --heal generate --draft "$draft" --heal
apart 2 --draft --heal generate --draft suffix --heal
apart 2 --draft contrastive_search generate --draft lookup --chain contrastive_search:0.6
apart 2 --negative cfg generate --negative no
apart 2 --amateur contrast generate --amateur "$draft"
apart 2 contrast --amateur generate --chain contrast:0.1
apart 2 --early-layers dola generate --early-layers 0
apart 2 dola --early-layers generate --chain dola
apart 2 --early-layers --amateur generate --chain dola --early-layers 0 --amateur "$draft"
apart 2 --early-layers --draft generate --chain dola --early-layers 0 --draft lookup
apart 2 --early-layers --distinct generate --chain dola,temp:1 --early-layers 0 --distinct 2
seq 1 30 >"$work/thirty"
apart 2 --amateur contrast chain --logits "$work/thirty" --amateur "$work/thirty" --chain greedy
apart 2 --unconditional cfg chain --logits "$work/thirty" --unconditional "$work/thirty" --chain cfg:1,greedy
apart 2 -m "ban, dry" chain --logits "$work/thirty" -m "$model" --chain top_k:3
expect "a chain with all it asks for" 0 "dry:0.8,draw | token" "$strata" chain --logits "$work/thirty" -m "$model" --history 1,2,1 --prompt 1 --chain dry:0.8,draw
twice() { # twice OPTION COMMAND...: its second value is refused
    option=$1
    shift
    expect "twice: $*" 2 "option given twice: '$option'" "$strata" "$@"
}
twice --seed generate --seed 1 -n 2 --seed 2
twice --threads generate -t 1 --threads 1
twice -m tokenize -m x -m y
twice --chain chain --chain greedy --chain draw
expect "a list takes several, and a flag says the same twice" 0 "Once upon" "$strata" generate -n 2 --stop x --stop y --quiet --quiet
expect "stop tokens that are none" 1 "stop-ids is empty" "$strata" generate --stop-ids ""
expect "or beyond the vocabulary" 1 "stop-ids: '99999': wanted token ids from 0 to " "$strata" generate --stop-ids 99999
expect "a folder without a name" 2 "prefixes is empty: wanted FOLDER" "$strata" serve --port 0 --prefixes ""
expect "a model without a name" 2 "alias is empty: wanted NAME" "$strata" serve --port 0 --alias ""
expect "an address of another machine" 1 "host 192.0.2.1 is no address of this machine" "$strata" serve --port 0 --host 192.0.2.1
expect "a new file without a name" 1 "empty file name: give the name" "$strata" quantize "$model" "" Q8_0
expect "more threads than cores to pin them to" 1 "--pin: 256 threads for" "$strata" generate -n 2 --pin --threads 256
apart 2 --trace-rows --trace generate --trace-rows 3
apart 2 --ids --stop generate --ids --stop x
apart 2 --prefix --suffix generate --prefix a
apart 2 --suffix --prefix generate --suffix a
for other in "-p x" --chat --special --heal; do
    # shellcheck disable=SC2086
    apart 2 --prefix "${other% x}" generate --prefix a --suffix b $other
done
apart 2 --chat --heal generate --chat --heal
apart 2 --chat --special generate --chat --special
apart 2 --chat --no-prompt generate --chat --no-prompt
apart 2 -p --documents compare -p Once --documents 2
apart 2 -p --words compare -p Once --words 2
apart 2 --amateur contrast compare --amateur "$draft" --chains greedy
apart 2 contrast --amateur compare --chains greedy contrast:0.1
apart 2 -p --prompts compare -p Once --prompts x
apart 2 --prompts --documents compare --prompts x --documents 2
apart 2 --bos --decode tokenize --bos --decode
apart 2 --eos --decode tokenize --eos --decode
apart 2 --explain --decode tokenize --explain --decode
apart 2 --explain --bos tokenize --explain --bos
apart 2 --as-llama --decode tokenize --as-llama --decode
apart 2 --json model bench matmul --json
apart 2 --json --chain bench samplers --json --chain draw
apart 2 --layers make-model bench model --layers 3
apart 2 --format ladder bench matmul --format Q8_0
apart 2 --threads model bench samplers --threads 2
apart 2 --threads model bench mixers --threads 2
apart 2 --context "-n 0" bench model -n 0 --context 64
expect "bench model without either" 2 "nothing to measure" "$strata" bench model -p 0 -n 0
apart 2 --draft guess figure kept --draft "$draft"
apart 2 -n kept figure effects -n 3
# at_once PATTERN COMMAND...: refused, before anything goes to stdout
at_once() {
    pattern=$1
    shift
    "$strata" "$@" >"$work/out" 2>"$work/err" </dev/null
    got=$?
    if [ $got -eq 0 ] || [ -s "$work/out" ] || ! grep -q -e "$pattern" "$work/err"
    then not "at once: $*" "exit status $got: $(head -c 300 "$work/err")"; else ok "at once: $*"; fi
}
at_once "there are grammar, json" bench samplers --chain nope
at_once "weaker model" bench samplers --chain contrast:0.1
at_once "no token 5000" bench samplers --size 9000 --size 4000 --chain bias:5000=1
at_once "wanted 100 to" bench samplers --chain draw --size 300 --size 99
at_once "wanted 2048 to" bench samplers --size 4000 --size 300
at_once "wanted 1 to 16384" bench matmul --size 32 --size 0
expect "a stage that is off asks for nothing" 0 "token limit" "$strata" generate --chain cfg:1,draw --draft lookup -n 3
expect "traffic needs costs" 2 "strata bench serve --costs FILE writes one" "$strata" simulate
expect "alone with what is not shared" 2 "alone needs --shared" "$strata" simulate --costs x --alone
expect "a stretch without chunks" 2 "stretch needs --policy chunked" "$strata" simulate --costs x --policy static --stretch 2
expect "a pace without a stretch" 2 "pace needs --stretch" "$strata" simulate --costs x --pace 3
expect "costs that are none" 1 "$0: line 1 of the costs: wanted 'batch'" "$strata" simulate --costs "$0"
expect "a file that is no trace" 1 "$0: the first line of a trace is arrival" "$strata" simulate --costs "$here/../docs/figures/data/costs.txt" --trace "$0"
expect "a trace says who comes" 2 "the trace already contains the requests" "$strata" simulate --costs x --trace x --users 3
expect "an unknown policy" 2 "wanted static, continuous or chunked" "$strata" simulate --costs x --policy best
expect "an unknown order" 2 "wanted fcfs, priority or turns" "$strata" simulate --costs x --order best
expect "prompts of nobody" 2 "it is about that user" "$strata" simulate --costs x --heavy-prompt 9
expect "who came first does not age" 2 "needs --order priority or turns" "$strata" simulate --costs x --ageing 3
expect "one goal of two" 2 "that reach both" "$strata" simulate --costs x --first 10
group() { "$strata" simulate --bandwidth 40 --flops 200 "$@"; }
on="--shape 8B --network 1Gb/s:100us --decode 1"
# shellcheck disable=SC2086
{
    expect "a speed of no model" 2 "bandwidth needs -m or --shape" group
    expect "a roof has two sides" 2 "bandwidth needs --flops" "$strata" simulate --shape 8B --bandwidth 40
    expect "costs twice" 2 "both say how long steps take" group --shape 8B --costs x
    expect "two models" 2 "one model is simulated" group -m x $on --machines 2
    expect "machines together, of which model" 2 "split needs -m or --shape" "$strata" simulate --costs x --machines 2 --split rows --network 1Gb/s
    expect "... on which network" 2 "decode needs --network" group --shape 8B --decode 1 --machines 2
    expect "... how many" 2 "decode needs --machines" group $on
    expect "a network for machines of their own" 2 "send each other nothing" group --shape 8B --machines 2 --network 1Gb/s
    expect "decode alone has no users" 2 "it has no traffic" group $on --machines 2 --users 3
    expect "bits of a file" 2 "bits needs --shape" group -m x --bits 4 --machines 2 --network 1Gb/s --decode 1
    for n in 0 -1 1001 1.5 2,3 x ""; do expect "'$n' machines together" 2 "machines is '$n': wanted 1 to 1000;" group $on --machines "$n"; done
    expect "machines of their own may be more" 2 "wanted 1 to 1048576;" group --shape 8B --machines 2000000
    for n in 0 x 1e3; do expect "'$n' texts" 2 "decode is '$n': wanted" group --shape 8B --network 1Gb/s --machines 2 --decode "$n"; done
    for shape in 9B 1:2:3 4096:32:5:128:14336:32:128256 4096:32:8:128:14336:32:128256:1 4096:32:8:128:14336:2000:128256 0:32:8:128:14336:32:128256 ""; do
        expect "shape '$shape'" 2 "shape is '$shape': wanted 8B" group --shape "$shape" --network 1Gb/s --machines 2 --decode 1
    done
    expect "a split of none" 2 "split is 'columns': wanted rows or layers;" group $on --machines 2 --split columns
    expect "a wire of none" 2 "wire is 'bf16': wanted f32 or f16;" group $on --machines 2 --wire bf16
    expect "a network of none" 2 "network is '1Gb': wanted bits" group --shape 8B --network 1Gb --machines 2 --decode 1
    expect "shares for each number of machines" 2 "shares is '1:2': wanted 3 numbers" group $on --machines 2 --machines 3 --shares 1:2
}
for option in "--isa vax" "--shares 1:2" "--wire f16" "--split layers"; do
    # shellcheck disable=SC2086
    expect "a wrong value is wrong usage: $option" 2 "; usage: strata generate" "$strata" generate -m "$model" -n 3 $option
done
expect "a bandwidth for no time" 2 "bandwidth needs --network" "$strata" inspect "$model" --machines 2 --bandwidth 40
expect "promises have users of their own" 2 "goals does not go with --users" "$strata" bench serve --goals --users 3
expect "own time is that of one thread" 2 "it needs -t 1" "$strata" bench serve --own-time
expect "a benchmark takes no file" 2 "unexpected argument 'x'" "$strata" bench samplers x
expect "a format of no rung" 1 "there are F32" "$strata" bench ladder --format Q9
expect "the rules are in the help" 0 "guess needs --draft" "$strata" generate --help=all
expect "ranges are in the help" 0 "tokens per draft (4); 1 to 24" "$strata" help --all generate
"$strata" generate --chain force:5:at=0,allow:999999 -n 3 >"$work/out" 2>&1
same "an error has a line of its own" "$(grep -c '^strata: ' "$work/out")" 1

# Each option, with a letter missing, is named.
for line in "pull --lst --list" "convert --lis --list" "world --seedd --seed" "inspect --familie --families" "chain --chai --chain" "grammar --gbn --gbnf"; do
    # shellcheck disable=SC2086
    set -- $line
    expect "$1 $2" 2 "did you mean $3" "$strata" "$1" "$2"
done

# ------------------------------------------------------------------ help, short and whole
for command in generate chat train bench compare simulate; do # a name in the short help that is no option ends the program
    expect "$command's short help" 0 "strata help --all $command: all [0-9]* options" "$strata" $command --help
    lines=$("$strata" $command --help | grep -c '^  -')
    all=$("$strata" $command --help=all | sed '/^Combining options/,$d' | grep -c '^  -')
    said=$("$strata" $command -h | sed -n 's/.*help --all .*: all \([0-9]*\) options.*/\1/p')
    if [ "$lines" -lt 15 ] && [ "$lines" -lt "$all" ] && [ "$said" = "$all" ]; then ok "$command's help is short, and counts the rest"
    else not "$command's help is short, and counts the rest" "$lines lines, $all in all, '$said' said"; fi
done
"$strata" generate --help | sed -n 's/^  \(strata generate -p\)/\1/p;s/^  \(strata generate --chain\)/\1/p' >"$work/examples"
same "its examples are there" "$(grep -c . "$work/examples")" 2
PATH=$(dirname "$strata"):$PATH expect "and run" 0 "tokens" sh -e "$work/examples"
same "help is --help" "$("$strata" help chat)" "$("$strata" chat --help)"
expect "help of a command's own command" 0 "usage: strata world check" "$strata" help world check
expect "a few commands first" 0 "strata help --all: all [0-9]* commands" "$strata" --help
same "not many" "$("$strata" 2>/dev/null | grep -c .; "$strata" 2>&1 | grep -c '^  [a-z]* ')" "$(printf '0\n11')"
expect "then all" 0 "^  simulate " "$strata" help --all
for word in --version -V version; do expect "$word" 0 "^strata [0-9.]*, [a-z0-9]*$" "$strata" $word; done

# ------------------------------------------------------------------ what was meant
# meant WORDS COMMAND...: wrong usage, said in one line with what was probably meant
meant() {
    words=$1
    shift
    expect "meant by $*" 2 "$words" "$strata" "$@"
    same "said in a line: $*" "$(wc -l <"$work/out" | tr -d ' ')" 1
}
meant "did you mean strata generate?" generat
meant "did you mean strata quantize?" quantise
meant "did you mean strata tokenize?" help tok
meant "did you mean strata generate -p TEXT?" run
meant "did you mean strata serve?" server
meant "did you mean strata inspect FILE?" show
meant "did you mean strata generate -m my.gguf?" my.gguf
meant "did you mean strata generate -p \"hello world\"?" "hello world"
meant "no command 'xyzzy'; strata help --all" xyzzy
meant "did you mean --chain temp:0.7?" generate --temp 0.7
meant "did you mean --chain temp:X?" generate --temperature
meant "did you mean --chain top_k:40?" generate --top-k 40
meant "did you mean --chain top_p:0.9?" generate --top_p=0.9
meant "did you mean --chain penalties:rep=1.1?" chat --repeat-penalty 1.1
meant "did you mean --chain json?" generate --json
meant "did you mean --chain json_schema:@s.json?" chat --json-schema s.json
meant "did you mean --chains min_p:0.1?" compare --min-p 0.1
meant "did you mean --ctx 4096?" generate -c 4096
meant "did you mean --threads 4?" generate --n-threads 4
meant "did you mean -n 50?" generate --n-predict 50
meant "did you mean -n 50?" generate -n50
meant "did you mean -p 'a \$1'?" generate --prompt 'a $1'
meant "did you mean -m x.gguf?" generate --model x.gguf
meant "did you mean --seed 5?" generate --sed 5
meant "did you mean --seed 5?" generate --seed=5
meant "did you mean --quiet?" generate --quite
meant "did you mean --schema FILE?" generate --json-schema
meant "did you mean --stop \"a b\"?" generate -r "a b"
meant "on the CPU: leave it out" generate -ngl 99
meant "strata chat is interactive" generate -i
meant "did you mean -p \"hello world\"?" generate "hello world"
meant "did you mean -p 'say \"a\"'?" generate 'say "a"'
meant "did you mean -m x.gguf?" chat x.gguf
meant "did you mean echo hello | strata tokenize?" tokenize hello
meant "did you mean check?" world chek
meant "did you mean model?" bench modle
meant "did you mean lens?" look lense
meant "did you mean surprise?" figure surprize
meant "did you mean story?" world --kind sotry
expect "a stage nearly right" 1 "no stage 'topk' in the chain; did you mean top_k?" "$strata" generate --chain topk:40
expect "a stage of another program" 1 "did you mean temp?" "$strata" generate --chain temperature:0.7
expect "a preset nearly right" 1 "did you mean balanced?" "$strata" generate --chain balancd
expect "a parameter nearly right" 1 "did you mean keep?" "$strata" generate --chain xtc:0.5:kep=2
expect "a sampler nearly right" 1 "did you mean typical?" "$strata" samplers typicl
expect "a format of keys nearly right" 1 "did you mean q8_0?" "$strata" generate --kv q8
expect "an instruction set nearly right" 2 "did you mean scalar?" "$strata" generate --isa scaler
expect "a number format nearly right" 1 "did you mean Q4_K_M?" "$strata" quantize "$model" "$work/x.gguf" Q4KM

# ------------------------------------------------------------------ one text chosen among several
# A chain that keeps one token has one text, whatever chooses; every end ends it there.
plain_and_best() {
    name=$1
    shift
    "$strata" generate --chain top_k:1 "$@" >"$work/plain" 2>"$work/plain.err"
    "$strata" generate --chain top_k:1 --best-of 2 "$@" >"$work/best" 2>"$work/best.err"
    same "best of two, $name" "$(cat "$work/best")" "$(cat "$work/plain")"
    same "best of two ends, $name" "$(sed -n 's/.*| \([a-z ]*\)]$/\1/p' "$work/best.err" | tail -1)" \
        "$(sed -n 's/.*| \([a-z ]*\)]$/\1/p' "$work/plain.err" | tail -1)"
}
plain_and_best "a stop string" --stop named -n 60
there=$(echo " there" | "$strata" tokenize)
plain_and_best "a stop token" --stop-ids "$there,300" -n 60
plain_and_best "repetition" --repeats 2 -n 300 -p "a a a"
plain_and_best "healed" --heal -p "Once upon a ti" -n 6
plain_and_best "healed, far back" --heal -p "Once upo" -n 6
plain_and_best "a stop string after healing" --heal -p "Once upon a ti" --stop there -n 9
plain_and_best "ids" --ids -n 9
plain_and_best "ids of a healed prompt" --ids --heal -p "Once upon a ti" -n 9
plain_and_best "speculative decoding" --draft lookup -n 60
plain_and_best "a message" --chat -p "Tell me a story about a shy fox named Sam." -n 30
plain_and_best "the context" --ctx 64 -n 100
expect "samples stop where the text does" 0 "sample 2, seed 2: .* 6 tokens, stop string" "$strata" generate --best-of 2 --stop named -n 60 --chain top_k:1
expect "nothing to show has no mean" 0 "sample 1, seed 1: nothing to show, 1 tokens, stop string" "$strata" generate --best-of 2 --stop " there" -n 9 --chain top_k:1
# what is hidden does not count: the mean of a text cut at a stop string is that of the text before it
mean() { "$strata" generate --best-of 2 --chain top_k:1 "$@" 2>&1 >"$work/out" | sed -n 's/.*sample 1.*mean ln p -\([0-9.]*\),.*/\1/p'; }
six=$("$strata" generate -n 6 --chain top_k:1 --no-prompt --quiet)
same "hidden tokens are not ranked" "mean $(mean -n 60 --stop " ${six##* }")" "mean $(mean -n 5)"
same "but shown ones are" "$(mean -n 5 | grep -c '^[0-9]')" 1
same "a look ahead knows the whole prompt in every sample" \
    "$("$strata" generate --best-of 3 --chain contrastive_search:0.6 -n 8 2>&1 >/dev/null | grep -o 'ln p -[0-9.]*' | sort -u | wc -l | tr -d ' ')" 1
expect "the winner's seed is told" 0 "best of 3: seed [123] |" "$strata" generate --best-of 3 -n 12
seed=$(sed -n 's/.*best of 3: seed \([0-9]*\).*/\1/p' "$work/out")
same "its seed alone gives the same text" "$("$strata" generate --best-of 3 -n 12 --quiet)" "$("$strata" generate --seed "$seed" -n 12 --quiet)"
expect "time is for all samples" 0 "best of 1000000: seed .* 0\.[2-9][0-9]* s |" timeout 20 "$strata" generate --best-of 1000000 --seconds 0.2 -n 20
expect "a vote is told" 0 "probability 1.000; drew [0-9]* of 20\]" "$strata" generate --best-of 20 --by vote --confidence 0.9999 --chain top_k:1 -n 8
same "and ends early" "$(sed -n 's/.*drew \([0-9]*\) of.*/\1/p' "$work/out")" 13
expect "no answer" 1 "no sample of 3 has an answer .* first sample: [^ ]* [^ ]* " "$strata" generate --best-of 3 --by vote --answer "zebra *." -n 8
expect "minimum Bayes risk is told" 0 "mean chrF 0[.][0-9]*, 8 tokens, token limit, chosen" "$strata" generate --best-of 4 --by mbr -n 8
same "all samples are printed" "$("$strata" generate --best-of 3 --all -n 4 --quiet | grep -c '^Once upon\|^<|endoftext|>$')" 5
same "the first distinct text is the one that is printed" "$("$strata" generate --distinct 3 -n 9 --quiet)" "$("$strata" generate --distinct 3 --all -n 9 --quiet | sed '/endoftext/,$d')"
same "distinct texts are different" "$("$strata" generate --distinct 20 --all --no-prompt -n 2 --quiet | grep -v endoftext | sort | uniq -d | wc -l | tr -d ' ')" 0
same "codes spread the first word of eight samples" "$("$strata" generate --best-of 8 --all --no-prompt -n 1 -p "Once upon a time there was a" --chain arithmetic --quiet | grep -v endoftext | sort -u | wc -l | tr -d ' ')" 8
same "no moves and no power: one sample" "$("$strata" generate --power 1 --moves 0 -n 20 --quiet)" "$("$strata" generate --chain draw -n 20 --quiet)"
expect "moves are told" 0 "of 9 new endings accepted" "$strata" generate --power 3 --moves 3 --block 10 -n 30
expect "time is for all moves" 0 "time limit" timeout 20 "$strata" generate --power 2 --moves 100000000 --seconds 0.2 -n 20
expect "samples make drafts" 0 "drafted tokens accepted" "$strata" generate --best-of 2 --draft lookup -n 60

beams() { name=$1 pattern=$2; shift 2; expect "beams, $name" 0 "$pattern" "$strata" generate --beams 3 "$@"; }
beams "a stop string" "3 beams | .* | stop string" --stop village -p "Once upon a time there was a sly fox. She lived in a small" -n 60
same "what beams show ends before a stop string" \
    "$("$strata" generate --beams 3 --stop . -n 60 --quiet | tr -d '\n' | grep -c '[.]')" 0
beams "a stop token" "stop token" --stop-ids "$there"
same "beams print no stop token" "$("$strata" generate --beams 3 --ids --no-prompt --quiet --stop-ids "$there" -n 40 | tr ' ' '\n' | grep -c "^$there\$")" 0
beams "time" "time limit" --seconds 0.001
beams "repetition" "repetition" --repeats 2 -n 100
beams "healed" "Once upon a time" --quiet --heal -p "Once upon a ti" -n 12
beams "the true reason" "token limit" -n 5
same "the status tells of beams, not of the chain" "$(grep -c 'draw, seed' "$work/out")" 0

# ------------------------------------------------------------------ files
echo kept >"$work/kept"
for line in "simulate --costs $work/kept --users 2 --csv" "compare --chains greedy -n 3 --prompts $work/kept --csv" \
    "generate -n 2 --grammar $work/kept --trace" "bench serve --trace $work/kept --costs" "simulate --costs c --trace $work/kept --csv"; do
    # shellcheck disable=SC2086
    expect "what is read is not written: $line" 2 "are both $work/./kept: give them different names" "$strata" $line "$work/./kept"
done
same "it is as it was" "$(cat "$work/kept")" kept

# ------------------------------------------------------------------ prompts
same "-p - is standard input" "$(printf 'Mia was a\n' | "$strata" generate -p - -n 5 --quiet)" "$("$strata" generate -p "Mia was a" -n 5 --quiet)"
without_speed() { sed 's/ *[0-9.]* *$//'; } # the last column of compare's table, as wide as its number
for command in "look lens" "compare -n 5 --seed 3" "figure kept -n 5"; do
    same "$command -p -, too" "$(printf 'Mia was a\n' | "$strata" $command -p - 2>/dev/null | without_speed)" "$("$strata" $command -p "Mia was a" 2>/dev/null | without_speed)"
done
expect "a prompt with a zero byte" 1 "byte 3 is zero" sh -c "printf 'ab\\0c' | '$strata' look lens -p -"
expect "an option behind --" 2 "unexpected argument '-n'" "$strata" generate -- -n 5
same "one newline is the echo's" "$(printf 'Mia was a\n\n' | "$strata" generate -p - -n 5 --quiet | head -1)" "Mia was a"
expect "nothing on standard input" 1 "empty prompt" "$strata" generate -p -
echo text >"$work/logits"
expect "standard input that is not read is told" 0 "standard input is ignored" sh -c "'$strata' generate -n 2 <'$work/logits'"
expect "healing goes back to where the word begins" 0 "^Once[ ,]" "$strata" generate --heal -p "Onc" -n 4 --chain greedy
same "the whole word is spelled" "$("$strata" generate --heal -p "Once upo" -n 3 --chain greedy --quiet | cut -c1-9)" "Once upon"

# ------------------------------------------------------------------ input that is none
# A directory, or a stream that is closed, is no empty text.
for command in "generate -p -" "tokenize" "tokenize --decode" "perplexity" "watermark" "world check" "world score -" "chain"; do
    for source in "<'$work'" "<&-"; do
        sh -c "'$strata' $command $source" >"$work/out" 2>&1
        same "$command $source" "$? $(grep -c 'standard input cannot be read' "$work/out")" "1 1"
    done
done
expect "a text that is a device" 1 "/dev/zero is a device: give a file" "$strata" perplexity -f /dev/zero
expect "a text that is a directory" 1 "$work cannot be read: Is a directory" "$strata" perplexity -f "$work"
expect "logits that are a directory" 1 "$work cannot be read: Is a directory" "$strata" chain --logits "$work"

# ------------------------------------------------------------------ output that is lost
lost() {
    for sink in ">/dev/full" ">&-"; do
        sh -c "'$strata' $* $sink" >/dev/null 2>"$work/err" </dev/null
        same "$1 $sink fails" "$? $(grep -c 'cannot write standard output' "$work/err")" "1 1"
    done
}
if [ -e /dev/full ]; then
    lost generate -n 3
    lost generate --help
    lost logits --tokens 5,6 --last
    lost inspect "'$model'"
    lost samplers
    lost world
    lost figure effects
    lost --help
    expect "a lost trace fails" 1 "/dev/full cannot be written" "$strata" generate -n 3 --trace /dev/full
    expect "a lost table fails" 1 "/dev/full cannot be written" "$strata" compare --documents 1 -n 5 --csv /dev/full --chains greedy
    "$strata" generate -n 3 --logprobs 1 >"$work/out" 2>/dev/full
    same "lost log-probabilities fail" $? 1
fi
"$strata" compare --documents 1 -n 5 --csv "$work/table.csv" --chains greedy >&- 2>/dev/null
same "a closed stdout lends its place to no file" "$(head -1 "$work/table.csv" | grep -c '^chain,texts')$(grep -c 'KL told' "$work/table.csv")" 10
echo old >"$work/trace.csv"
"$strata" generate -n 3 --trace "$work/trace.csv" >&- 2>/dev/null
same "the trace of a text that is lost leaves the old file" "$(cat "$work/trace.csv")" old
"$strata" generate -n 200 2>"$work/err" | head -c 5 >"$work/out"
same "a reader that has enough is no error" "$(cat "$work/out") $(grep -c '^strata:' "$work/err")" "Once  0"

# ------------------------------------------------------------------ logits
last() { "$strata" logits --tokens 5,6,7 --last "$@" | cksum; }
same "logits keep keys and values in f32" "$(last)" "$(last --kv f32)"
if [ "$(last)" = "$(last --kv f16)" ]; then not "or as generate does, in f16" "the same"; else ok "or as generate does, in f16"; fi
expect "logits in another format" 1 "wanted one of f32, f16, bf16" "$strata" logits --tokens 1 --kv q8
expect "generate says how it keeps keys and values" 0 ", kv f16 |" "$strata" generate -n 2
expect "and so it does for the other" 0 ", kv f32 |" "$strata" generate -n 2 --kv f32
# a weight that is no number: the last bytes of the file are those of the last matrix
cp "$model" "$work/damaged.gguf"
printf '\377\377\377\177' | dd of="$work/damaged.gguf" bs=1 seek=$(($(wc -c <"$model") - 64)) conv=notrunc 2>/dev/null
expect "logits that are no numbers" 1 "is not a number" "$strata" logits -m "$work/damaged.gguf" --tokens 5,6 --last

# ------------------------------------------------------------------ grammar
expect "a grammar has to be given" 2 "give --gbnf FILE, --schema FILE, --tags FILE or --regex TEXT" "$strata" grammar --accept
expect "one grammar at a time" 2 "--gbnf does not go with --regex" "$strata" grammar --gbnf x --regex a
apart 2 --space --schema grammar --regex a --space one
apart 2 --any-order --schema grammar --gbnf x --any-order
apart 2 --left-recursion --gbnf grammar --schema x --left-recursion
expect "a grammar that is no file is none that is refused" 1 "absent cannot be opened: No such" "$strata" grammar --gbnf "$work/absent"
expect "a grammar that is refused" 3 "at its end: a ( without its )" "$strata" grammar --regex "("
same "the line that is no string" "$(printf '"abc"\nzz\n' | "$strata" grammar --regex '[a-z]+' --accept 2>&1 | sort | head -c 40)" "1
strata: line 2 of standard input: want"
expect "what a stage with one text takes" 0 "\.\.\. *a text; " "$strata" samplers choice
