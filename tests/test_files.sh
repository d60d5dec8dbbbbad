#!/bin/sh
# What the program writes: whole or not at all, never over what it should not, and training that is killed at any moment.
. "$(dirname "$0")/program.sh"
cd "$work" || exit 1

left() { find "$work" -name '*.strata-part' | wc -l | tr -d ' '; }

# ------------------------------------------------------------------ over what is there

cp "$model" in.gguf
ln in.gguf hard.gguf
ln -s in.gguf soft.gguf
ln -s nowhere.gguf dangling.gguf
mkdir folder
mkfifo pipe
mknod null c 1 3 2>/dev/null || touch null # a device of our own, which only root may make
sum=$(cksum <in.gguf)
for out in in.gguf ./in.gguf hard.gguf soft.gguf; do
    expect "quantize does not write $out over in.gguf" 1 "is to be read and written" "$strata" quantize in.gguf $out Q8_0
done
same "the model is what it was" "$(cksum <in.gguf)" "$sum"
expect "quantize to a folder" 1 "is a directory" "$strata" quantize in.gguf folder Q8_0
expect "quantize to a pipe" 1 "is a pipe" "$strata" quantize in.gguf pipe Q8_0
expect "quantize to a link that leads nowhere" 1 "No such file" "$strata" quantize in.gguf dangling.gguf Q8_0
expect "quantize into no folder" 1 "No such file" "$strata" quantize in.gguf none/out.gguf Q8_0
if [ -c null ]; then
    expect "quantize to a device" 1 "is a device" "$strata" quantize in.gguf null Q8_0
    expect "train to a device" 1 "is a device" "$strata" train --out null
    expect "a checkpoint on a device" 1 "is a device" "$strata" train --out o.gguf --checkpoint null
    if [ -c null ]; then ok "the device is one still"; else not "the device is one still" "it is a file"; fi
fi
echo old >target.gguf
chmod 640 target.gguf
ln -s target.gguf link.gguf
expect "quantize through a link" 0 "Q8_0" "$strata" quantize in.gguf link.gguf Q8_0
if [ -L link.gguf ]; then ok "the link is one still"; else not "the link is one still" "it is a file"; fi
expect "its target is the model" 0 "Q8_0" "$strata" inspect target.gguf
same "permissions stay" "$(find target.gguf -perm 640)" target.gguf
expect "--list stands alone" 2 "stands alone" "$strata" quantize --list in.gguf

# ------------------------------------------------------------------ tables over models

cp "$draft" small.gguf
ln -s small.gguf small.link
own() { # own FILE COMMAND...: the table is refused, the model stays
    file=$1 sum=$(cksum <"$1") status=2 reason="give them different names"
    shift
    if [ "$2" = samplers ]; then status=1 reason="is a model"; fi # it was not named before
    expect "$1 $2 writes no table over $file" $status "$reason" "$strata" "$@"
    same "$file is what it was" "$(cksum <"$file")" "$sum"
}
own in.gguf generate -m in.gguf -n 2 --trace in.gguf
own soft.gguf generate -m in.gguf -n 2 --trace ./soft.gguf
own small.gguf generate -n 4 --draft small.gguf --trace small.link
own small.gguf generate -n 2 --amateur small.gguf --chain contrast:0.1,draw --trace small.gguf
own in.gguf compare -m in.gguf --documents 1 -n 2 --csv hard.gguf
own in.gguf compare -m in.gguf --documents 1 -n 2 --html hard.gguf
own small.gguf compare --documents 1 -n 2 --amateur small.gguf --chains contrast:0.1,draw --csv small.gguf
own in.gguf bench quant -m in.gguf --documents 1 --seconds 0.01 --csv in.gguf
own in.gguf bench samplers --size 2048 --seconds 0.0001 --csv in.gguf
late() { # late FILE COMMAND...: a table that cannot be is refused before there is work
    path=$1
    shift
    expect "$1 to $path" 1 "$path" "$strata" "$@"
    if grep -q 'texts\|tokens\|million\|chain  ' "$work/out"; then not "$1 to $path at once" "$(head -3 "$work/out")"
    else ok "$1 to $path at once"; fi
}
if [ -e /dev/full ]; then late /dev/full bench make-model /dev/full Q4_0 --layers 1; fi
late "$work/folder" bench make-model "$work/folder" Q4_0 --layers 1
late "$work/folder" compare --documents 2 -n 5 --csv "$work/folder"
late "$work/folder" compare --documents 2 -n 5 --html "$work/folder"

expect "a table of roofs comes first" 1 "none/x.csv cannot be written" "$strata" bench roofline --isa vax --csv none/x.csv

# ------------------------------------------------------------------ a full disk (a limit on the size of files)

small() { sh -c "trap '' XFSZ; ulimit -f 16; exec \"\$@\"" sh "$@"; }
expect "quantize on a full disk" 1 "cannot be written: File too large" small "$strata" quantize in.gguf full.gguf Q8_0
expect "a table on a full disk" 1 "cannot be written: File too large" \
    small "$strata" generate -n 60 --trace full.csv
tiny="train --dim 64 --hidden 64 --layers 1 --heads 2 --kv-heads 1 --eval-documents 1 --threads 1"
# shellcheck disable=SC2086
expect "a checkpoint on a full disk" 1 "cannot be written: File too large" small "$strata" $tiny --vocab 300 --batch 100 --steps 4 --out full.gguf --checkpoint full.checkpoint
if ls full.* >/dev/null 2>&1; then not "a full disk leaves nothing" "$(ls full.*)"; else ok "a full disk leaves nothing"; fi
same "no part is left" "$(left)" 0

# ------------------------------------------------------------------ options of train

refused() { # refused WORDS OPTIONS...
    words=$1
    shift
    expect "train $*" 2 "$words" "$strata" train --out o.gguf "$@"
}
refused "wanted an integer from 1" --steps -5
refused "wanted an integer from 1" --steps 0
refused "wanted an integer from 1" --batch 1e99
refused "wanted a number from" --rate nan
refused "wanted an integer from" --vocab 10
refused "wanted an integer from" --layers 65
refused "wanted an integer from" --ctx 1
refused "wanted an integer from 0" --seed -1
refused "needs --checkpoint" --resume
refused "needs --checkpoint" --save-every 5
"$BUILD/tests/families" llama "" head.gguf
"$BUILD/tests/families" qwen2 "tied" other.gguf
"$BUILD/tests/families" llama "tied yarn" stretched.gguf
own="--out own.gguf --dim 64 --hidden 96 --layers 2 --heads 4 --kv-heads 2 --ctx 64 --steps 1"
# shellcheck disable=SC2086
{
    expect "a head of its own" 1 "tensor 'output.weight', which no run of this kind learns" "$strata" train $own --from head.gguf
    expect "another family" 1 "of another family" "$strata" train $own --from other.gguf
    expect "a stretched context" 1 "'llama.rope.scaling.*', of which a run knows nothing" "$strata" train $own --from stretched.gguf
    expect "other heads" 1 "says 'llama.embedding_length' is [0-9]*, and the run has 64" "$strata" train $own --from in.gguf
}
refused "brings its own vocabulary" --from in.gguf --vocab-from in.gguf
refused "brings its own shape" --from in.gguf --size draft
refused "size of a new vocabulary" --vocab 400 --vocab-from in.gguf
refused "give them different names" --log o.gguf
refused "give them different names" --checkpoint c --log ./c
refused "no option '--no-pack'" --no-pack
refused "do not divide" --heads 7
expect "train over the model it begins with" 2 "give them different names" "$strata" train --out in.gguf --from soft.gguf
expect "world of no documents" 2 "wanted an integer from 1" "$strata" world --documents 0
expect "world from before the first" 2 "wanted an integer from 0" "$strata" world --first -1
expect "world of another kind" 2 "wanted document, story" "$strata" world --kind poem
expect "world check of another kind" 2 "wanted document, story" "$strata" world check --kind poem
expect "world score of another kind" 2 "wanted document, story" "$strata" world score --kind poem -
expect "world score of no file" 1 "nowhere cannot be opened: No such" "$strata" world score nowhere
expect "world sample of no words" 2 "wanted an integer from 1" "$strata" world sample --words 0

# ------------------------------------------------------------------ a run that is killed, again and again

# The log without its times.
log_of() { cut -d, -f1-5,7,8 "$1"; }
"$strata" $tiny --vocab 300 --steps 1 --batch 100 --out vocab.gguf 2>/dev/null # later runs begin at once
steps=80 batch=2000 times=8
[ -z "$SAN$TSAN" ] || steps=30 batch=200 times=3 # a step of the instrumented program takes fifteen times as long
run="$tiny --vocab-from vocab.gguf --steps $steps --batch $batch --eval-every 20"
"$strata" $run --out whole.gguf --log whole.csv 2>/dev/null
log_of whole.csv >whole.log
kills=0
while [ $kills -lt $times ]; do
    kills=$((kills + 1))
    "$strata" $run --out parts.gguf --checkpoint parts.checkpoint --save-every 10 --resume --log parts.csv 2>/dev/null &
    pid=$!
    # at a moment that nobody chose; from the second run on soon after it has gone on from the checkpoint
    sleep "0.$(printf '%03d' $((($$ * 7919 + kills * 104729) % 200 + 60)))"
    kill -9 $pid 2>/dev/null
    wait $pid 2>/dev/null
    [ -e parts.csv ] || continue
    saved=0
    [ ! -e parts.checkpoint ] || saved=$(od -An -tu8 -j16 -N8 parts.checkpoint | tr -d ' ')
    log_of parts.csv >parts.log
    lines=$(wc -l <parts.log | tr -d ' ')
    head -n "$lines" whole.log >part.log
    if ! cmp -s part.log parts.log || [ "$lines" -lt $((saved / 10 + 1)) ]; then
        not "a killed run keeps its log" "kill $kills: $lines lines, checkpoint at step $saved"
        break
    fi
done
[ $kills -lt $times ] || ok "a killed run keeps its log"
"$strata" $run --out parts.gguf --checkpoint parts.checkpoint --save-every 10 --resume --log parts.csv 2>/dev/null
log_of parts.csv >parts.log
if cmp -s parts.log whole.log; then ok "and ends with the same log"; else not "and ends with the same log" "$(diff parts.log whole.log | head -5)"; fi
same "no part is left by killed runs, once one was not killed" "$(left)" 0

# ------------------------------------------------------------------ a checkpoint of other texts, a damaged one

printf 'a fox\n<|endoftext|>\na hen\n' >corpus.txt
# shellcheck disable=SC2086
expect "a checkpoint of another width" 1 "another --dim: a resumed run" "$strata" $(echo "$run" | sed "s/--dim 64/--dim 32/") --out parts.gguf --checkpoint parts.checkpoint --resume
expect "a checkpoint of another corpus" 1 "another corpus, vocabulary or --from" "$strata" $run --corpus corpus.txt --out parts.gguf --checkpoint parts.checkpoint --resume

# shellcheck disable=SC2086
expect "a finished run goes on" 0 "parts.gguf is written" "$strata" $(echo "$run" | sed "s/--steps $steps/--steps $((steps + 2))/") --out parts.gguf --checkpoint parts.checkpoint --resume
# shellcheck disable=SC2086
expect "but not with fewer steps" 1 "another --steps: a resumed run" "$strata" $(echo "$run" | sed "s/--steps $steps/--steps 1/") --out parts.gguf --checkpoint parts.checkpoint --resume

begun="$tiny --batch 100 --steps 2 --checkpoint begun.checkpoint --out begun.gguf"
"$strata" $begun --from vocab.gguf 2>/dev/null
# shellcheck disable=SC2086
expect "a checkpoint of a run from other weights" 1 "or --from" "$strata" $begun --resume --from whole.gguf
# shellcheck disable=SC2086
expect "a checkpoint that would be lost" 1 "begun.checkpoint already exists" "$strata" $begun --from vocab.gguf
# shellcheck disable=SC2086
expect "a checkpoint of a run from these weights" 0 "is written" "$strata" $begun --resume --from vocab.gguf

printf '\377' | dd of=parts.checkpoint bs=1 seek=5000 conv=notrunc 2>/dev/null
# shellcheck disable=SC2086
expect "a damaged checkpoint" 1 "is damaged" "$strata" $run --out parts.gguf --checkpoint parts.checkpoint --resume
printf 'STRATA1\0' | dd of=parts.checkpoint bs=1 conv=notrunc 2>/dev/null
# shellcheck disable=SC2086
expect "a checkpoint of an older version" 1 "of an older version" "$strata" $run --out parts.gguf --checkpoint parts.checkpoint --resume

# ------------------------------------------------------------------ a model that is converted, and killed on the way

if command -v python3 >/dev/null; then
    "$strata" quantize in.gguf plain.gguf F32 2>/dev/null
    python3 "$here/publish.py" plain.gguf published LlamaForCausalLM --shards 2
    echo old >told.gguf
    kills=0
    while [ $kills -lt 6 ]; do
        kills=$((kills + 1))
        "$strata" convert published told.gguf 2>/dev/null &
        pid=$!
        sleep "0.0$(printf '%02d' $((($$ * 7919 + kills * 104729) % 60)))"
        kill -9 $pid 2>/dev/null
        wait $pid 2>/dev/null
        if [ "$(head -c 3 told.gguf)" != old ] && ! "$strata" inspect told.gguf >/dev/null 2>&1; then
            not "a killed conversion leaves the old file or the new one" "kill $kills"
            break
        fi
    done
    [ $kills -lt 6 ] || ok "a killed conversion leaves the old file or the new one"
    expect "a published model is converted" 0 "told.gguf: .* MB" "$strata" convert published told.gguf
    same "no part of it is left" "$(left)" 0
    story() { "$strata" generate -m "$1" -p "Once upon a time" -n 20 --seed 3 2>/dev/null | cksum; }
    same "and tells what it told" "$(story told.gguf)" "$(story plain.gguf)"
    expect "keys are left out one by one" 0 "(repeatable)" "$strata" help convert
    expect "convert to a folder" 1 "is a directory" "$strata" convert published published
    expect "convert a file" 1 "in.gguf is a file: wanted the folder" "$strata" convert in.gguf o.gguf
    expect "convert a folder of nothing" 1 "config.json cannot be opened" "$strata" convert folder o.gguf
    expect "convert to no format" 1 "no format 'Q9'" "$strata" convert published o.gguf Q9
    expect "safetensors are no GGUF file" 1 "but a safetensors file: .*strata convert FOLDER" "$strata" generate -m published/model-00001-of-00002.safetensors
    expect "inspect reads safetensors" 0 "model.embed_tokens.weight *F32 " "$strata" inspect published/model-00001-of-00002.safetensors
    python3 "$here/publish.py" plain.gguf pickled LlamaForCausalLM --shards 2 --kind torch
    expect "a model of torch.save is converted" 0 "told.gguf: .* MB" "$strata" convert pickled told.gguf
    same "and tells the same" "$(story told.gguf)" "$(story plain.gguf)"
    expect "nor is what torch.save writes" 1 "but a PyTorch checkpoint: .*strata convert FOLDER" "$strata" generate -m pickled/pytorch_model-00001-of-00002.bin
    expect "inspect reads pickles" 0 "model.embed_tokens.weight *F32 " "$strata" inspect pickled/pytorch_model-00001-of-00002.bin
    printf 'cos\nsystem\n(X\1\0\0\0ltR.' >data.pkl
    python3 -c "import zipfile; zipfile.ZipFile('pickled/pytorch_model-00001-of-00002.bin', 'w').write('data.pkl', 'x/data.pkl')"
    expect "nothing of a pickle is run" 1 "names os.system, which is not on the list" "$strata" convert pickled o.gguf
    head -c 900 published/model-00001-of-00002.safetensors >cut.safetensors
    expect "inspect refuses half a header" 1 "cut.safetensors: the header has" "$strata" inspect cut.safetensors
    sed 's/{/{"new_trick": 3, /' published/config.json >config.json
    mv config.json published/config.json
    expect "a key that nobody knows" 1 "'new_trick' is 3" "$strata" convert published o.gguf
    expect "left out by name" 0 "o.gguf: .* MB" "$strata" convert published o.gguf --without new_trick
else
    ok "no python3: nothing is published (skipped)"
fi
expect "convert lists its classes" 0 "Mamba2ForCausalLM *mamba2" "$strata" convert --list
expect "--list of convert stands alone" 2 "stands alone" "$strata" convert --list folder
expect "convert without a name" 2 "usage: strata convert" "$strata" convert folder

# ------------------------------------------------------------------ adapters

printf 'And the moon smiled.\n<|endoftext|>\n' >habit.txt
expect "a model that fills places" 0 "m.gguf is written" "$strata" $tiny --masked --out m.gguf --steps 3 --batch 60 --vocab 280 --ctx 64
expect "it fills them" 0 "^Once upon a time....*" "$strata" diffuse -m m.gguf -n 12 --steps 4 --block 6 --trace m.csv
same "a row for each place" "$(cut -d, -f2 m.csv | sort | uniq -c | tr -s ' \n' ' ')" " 3 1 3 2 3 3 3 4 1 step "
expect "and what lies between two texts" 0 "^Once upon a time.*The end\.$" "$strata" diffuse -m m.gguf -n 5 --suffix " The end."
expect "it does not write on" 1 "does not write from left to right" "$strata" generate -m m.gguf
expect "nor does it tell what comes next" 1 "does not write from left to right" "$strata" logits -m m.gguf --tokens 1,2
expect "it learns an adapter" 0 "ma.gguf is written" "$strata" train --masked --lora 2 --from m.gguf --corpus habit.txt --steps 2 --batch 60 --eval-documents 1 --out ma.gguf
fills() { "$strata" diffuse -m m.gguf -n 12 --steps 4 --trace ma.csv "$@" >/dev/null 2>&1; cksum <ma.csv; }
if [ "$(fills --adapter ma.gguf)" = "$(fills)" ]; then not "... which acts" "it fills the same"; else ok "... which acts"; fi
expect "an adapter beside no weights" 2 "--lora needs --from" "$strata" train --out a.gguf --lora 4
expect "an adapter with a checkpoint" 2 "does not go with --checkpoint" "$strata" train --from in.gguf --out a.gguf --lora 4 --checkpoint c
steps=6
[ -z "$SAN$TSAN" ] || steps=2
expect "an adapter is learned" 0 "a.gguf is written" "$strata" train --from in.gguf --corpus habit.txt --lora 2 --steps $steps --batch 60 --eval-documents 1 --out a.gguf
said() { "$strata" logits -m in.gguf --tokens 0,1,2 "$@" 2>/dev/null | cksum; }
if [ "$(said --adapter a.gguf)" = "$(said)" ]; then not "an adapter acts" "the logits are the same"; else ok "an adapter acts"; fi
same "with strength 0 it does nothing" "$(said --adapter a.gguf=0)" "$(said)"
expect "no adapter there" 1 "^strata: none.gguf cannot be opened" "$strata" generate -m in.gguf --adapter none.gguf
expect "a model is no adapter" 1 "general.type is missing, wanted adapter" "$strata" generate -m in.gguf --adapter in.gguf
expect "an adapter is no model" 1 "general.type is \"adapter\"" "$strata" generate -m a.gguf
expect "an adapter of impossible strength" 1 "from -1000 to 1000" "$strata" generate -m in.gguf --adapter a.gguf=1e9

# ------------------------------------------------------------------ signals

# A shell's background commands ignore SIGINT and SIGQUIT, so the default action is set first.
costs=$here/../docs/figures/data/costs.txt
for signal in INT QUIT PIPE TERM XCPU HUP; do
    python3 -c 'import os, signal, sys
for s in range(1, 25):
    if s not in (signal.SIGKILL, signal.SIGSTOP): signal.signal(s, signal.SIG_DFL)
os.execv(sys.argv[1], sys.argv[1:])' "$strata" simulate --costs "$costs" --users 1000000 --csv many.csv >/dev/null 2>&1 &
    pid=$!
    for try in 1 2 3 4 5 6 7 8 9 10; do [ "$(left)" = 0 ] && sleep 0.3; done
    same "SIG$signal: a table has begun" "$(left)" 1
    kill -$signal $pid
    wait $pid 2>/dev/null
    same "and is gone with the program" "$(find . -name 'many.csv*')" ""
done

# ------------------------------------------------------------------ a file that is no model

is_none() { # is_none WHAT FILE: said of it in one line, with its name
    expect "no model but $1" 1 "^strata: $2: .*not a GGUF file but .*$1" "$strata" generate -m "$2"
    same "in a line: $1" "$(wc -l <"$work/out" | tr -d ' ')" 1
}
is_none "a checkpoint of strata train" parts.checkpoint
gzip -c in.gguf >in.gguf.gz
is_none "a gzip archive" in.gguf.gz
tar cf in.tar in.gguf
is_none "a tar archive" in.tar
printf 'version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 4\n' >pointer.gguf
is_none "a Git LFS pointer" pointer.gguf
printf '\n<!DOCTYPE html>\n<html><title>404</title>' >page.gguf
is_none "a web page" page.gguf
printf '<?xml version="1.0"?><Error><Code>AccessDenied</Code></Error>' >error.gguf
is_none "an XML text" error.gguf
printf '{"architectures": ["LlamaForCausalLM"]}' >config.gguf
is_none "a JSON text" config.gguf
printf 'tjgg\3\0\0\0' >old.bin
is_none "a GGML file from before GGUF" old.bin
head -c 4096 /dev/zero >zero.gguf
is_none "a file that begins with zeros" zero.gguf
echo "Once upon a time" >story.gguf
expect "no model but a text" 1 "not a GGUF file: it begins with 4f 6e 63 65" "$strata" generate -m story.gguf
size=$(wc -c <in.gguf)
for bytes in 100 30000 $((size / 2)) $((size - 1)); do
    head -c "$bytes" in.gguf >short.gguf
    expect "a download cut off at $bytes bytes" 1 "short.gguf: .*cut short or damaged, fetch it again" "$strata" generate -m short.gguf
done
expect "an adapter is no model, and goes where it belongs" 1 "with --adapter" "$strata" generate -m a.gguf
