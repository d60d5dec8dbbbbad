#!/bin/sh
# Measure again what takes too long for every build of the site: make measure, or measure.sh STRATA [NAME...].
# The numbers lie in docs/figures/data and belong to the repository; make.sh draws them.
#
# A study is one run of `strata compare` (layer6/frontier.html says what its columns are): all chains of a file tell their
# texts from the same 300 openings.  The table of a run that is done is kept in build/measure, so a measurement that was
# stopped goes on where it was; `rm -r build/measure` begins anew.  Tables of other models in the box are left alone.
# ten-minutes is measured when it is named.
set -e
strata=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
shift
cd "$(dirname "$0")"
models=../../layer5_models/models
draft=$models/draft.gguf
kept=../../build/measure
told=$kept/$(cat "$models/storyteller.gguf" "$draft" | cksum | cut -d' ' -f1) # what these two models said
documents=${DOCUMENTS:-300}
mkdir -p "$told"

# Of a table of compare: these columns, by name, after a label.  columns LABEL NAME...
columns() {
    label=$1
    shift
    awk -F, -v label="$label" -v names="$*" '
        { chain = ""; line = $0 }
        match(line, /^"[^"]*"/) { chain = substr(line, 1, RLENGTH); line = substr(line, RLENGTH + 2) }
        NR == 1 { for (i = 2; i <= NF; i++) at[$i] = i - 1; n = split(names, name, " "); next }
        { split(line, cell, ","); row = chain "," label; for (i = 1; i <= n; i++) row = row "," cell[at[name[i]]]; print row }'
}

measured() { for m in "$@"; do printf '%s %s_low %s_high ' "$m" "$m" "$m"; done; }
world=$(measured valid kept kl_told kl_truth surprisal distinct_2 repetition less_first_valid less_first_kept less_first_distinct_2 less_first_kl_truth)
prompts=$(measured surprisal distinct_2 repetition less_first_repetition less_first_distinct_2)

# study LABEL OPTIONS...: a row for each chain, with the columns that $world names
study() {
    label=$1
    shift
    table=$told/$figure-$label-$(echo "$documents $*" | cksum | cut -d' ' -f1).csv
    [ -s "$table" ] || "$strata" compare --documents "$documents" --csv "$table" "$@" >&2
    columns "$label" texts $world <"$table"
}

# The grid's chains with the columns that pool.awk names, from five runs of sixty documents each: no two runs share a document or a seed.
sets=${SETS:-0 1 2 3 4}
means="valid kept kl_told kl_truth surprisal distinct_2 repetition"
grid() { grep -v '^#' "${grid:-grid.txt}"; }
pool() { # pool OPTIONS...: of all families; first every family's first set, so that a run that was stopped has something of each
    for set in $sets; do
        grid | while read -r family chains; do
            # shellcheck disable=SC2086
            [ -s "$(pool_table $set "$@")" ] || "$strata" compare --threads 1 --documents 60 --first $((1000 * set)) --seed $((set + 1)) "$@" \
                --csv "$(pool_table $set "$@")" --chains $chains </dev/null >&2
        done
    done
    awk -v head=1 -v names="$means" -f wilson.awk -f pool.awk </dev/null
    grid | while read -r family chains; do
        tables=$(for set in $sets; do pool_table "$set" "$@"; done)
        # shellcheck disable=SC2086
        awk -v label="$family" -v names="$means" -f wilson.awk -f pool.awk $tables
    done
}
pool_table() { # pool_table SET OPTIONS...
    set=$1
    shift
    echo "$told/frontier-$family-$set-$(echo "$chains$*" | cksum | cut -d' ' -f1).csv"
}

# chosen WAY N OPTIONS...: 120 stories, each chosen among many
chosen() {
    way=$1 n=$2
    shift 2
    stories=${STORIES:-120}
    for seed in $(seq 1 "$stories"); do
        "$strata" generate -p "Once upon a time there was a" --seed $((seed * 100)) "$@" 2>>"$kept/chosen.err"
        echo "<|endoftext|>"
    done >"$kept/documents"
    valid=$("$strata" world check <"$kept/documents" 2>/dev/null | grep -c '	valid	')
    tokens=$(sed -n 's/.* | \([0-9]* of \)\{0,1\}\([0-9]*\) tokens, .*/\2/p' "$kept/chosen.err" | awk '{ sum += $1 } END { print sum }')
    rm "$kept/chosen.err"
    awk -v way="$way" -v n="$n" -v stories="$stories" -v valid="$valid" -v tokens="$tokens" -f chosen.awk "$kept/documents"
}

# answered WAY N OPTIONS...: the questions that questions.awk wrote
answered() {
    way=$1 n=$2
    shift 2
    i=0
    while IFS= read -r truth; do
        i=$((i + 1))
        answer=$("$strata" generate --chat -p - -n 40 --seed $((i * 1000)) "$@" <"$kept/question$i" 2>"$kept/answered.err")
        printf '%s\t%s\t%s\n' "$(grep -c '^\[sample' "$kept/answered.err")" "$truth" "$answer"
    done <"$kept/truths" | awk -F'\t' -v way="$way" -v n="$n" '{ samples += $1; right += $2 == $3 } END {
        p = right / NR; printf "%s,%s,%d,%.2f,%.4f,%.4f\n", way, n, NR, samples / NR, p, sqrt(p * (1 - p) / NR) }'
}

# estimated WAY N OPTIONS...: 200 estimates from n texts each
estimated() {
    way=$1 n=$2
    shift 2
    for seed in $(seq 1 "${STORIES:-200}"); do
        "$strata" generate -p "Once upon a time there was a" --seed $((seed * 100)) -n 24 --all "$@" >"$kept/estimated" 2>"$kept/estimated.err"
        cat "$kept/estimated.err" "$kept/estimated"
        echo "<|end|>"
    done | awk -v way="$way" -v n="$n" -f estimated.awk
}

# prompted LABEL OPTIONS...: the same of openings that are no stories
prompted() {
    label=$1
    shift
    table=$told/$figure-$label-$(echo "$*" | cksum | cut -d' ' -f1).csv
    [ -s "$table" ] || "$strata" compare --prompts openings.txt --csv "$table" "$@" >&2
    columns "$label" texts $prompts <"$table"
}

# Why stories of a model with one head silent are no stories of this world: rows layer,head,stories,valid,name,pronoun,what,where,form
roles() { # roles LAYER HEAD [OPTIONS...]
    layer=$1 head=$2
    shift 2
    table=$told/roles-$layer-$head.csv
    [ -s "$table" ] || "$strata" compare --documents 100 --seeds 5 --chains min_p:0.2 --csv "$table" "$@" >&2
    tail -n 1 "$table" | awk -F'"' -v at="$layer,$head" '
        BEGIN { split("name name pronoun pronoun kind name place where spot where grammar form cut form", pair, " ")
                for (i = 1; i in pair; i += 2) group[pair[i]] = pair[i + 1] }
        {
            n = split($4, reason, " "); split($3, column, ",") # texts, openings, sample, valid
            for (i = 1; i <= n; i += 2) count[reason[i] in group ? group[reason[i]] : "what"] += reason[i + 1]
            printf "%s,%d,%d,%d,%d,%d,%d,%d\n", at, column[2], column[5] * column[2] + 0.5, count["name"], count["pronoun"], count["what"], count["where"], count["form"]
        }'
}

# The capstone's last chapter: ten minutes of two cores for each seed (MINE_SEEDS=1: one alone; MINE_SECONDS=60: a rehearsal).
ten_minutes() {
    desk=$(cd "$kept" && pwd)/desk
    mkdir -p "$desk"
    make -s -C ../.. build/whole
    echo build/whole >"$desk/run"
    for seed in ${MINE_SEEDS:-1 2 3}; do
        MINE_DESK=$desk MINE_OUT=$desk/out MINE_SEED=$seed ../../exercises/capstone/desk mine grade 13 >"$desk/said" || true
        cat "$desk/said" >&2
        awk -v seed=$seed -v seconds="${MINE_SECONDS:-600}" '
            /the last loss is/ { loss = $NF } / stories are valid/ { valid = $1; of = $3 }
            END { printf "%d,%d,%s,%d,%d\n", seed, seconds, loss, of, valid; exit of == 0 }' "$desk/said"
    done
}

# A model that fills places of tales: a quarter of an hour on two cores.
filler=$kept/tales.gguf
learn_to_fill() {
    [ -s "$filler" ] && return
    "$strata" world --kind tale --documents 20000 >"$kept/tales.txt" 2>/dev/null
    "$strata" train --masked --corpus "$kept/tales.txt" --vocab 1100 --dim 128 --hidden 384 --layers 3 --heads 4 --kv-heads 4 --steps 2000 --out "$filler" >&2
}

# When each place of one tale came, from left to right; then for each rule and number of steps what twenty tales are like:
# rows what,rule,place or steps,step or doubled words among a hundred
fill_places() {
    "$strata" diffuse -m "$filler" -p "" -n 130 --seed 3 --trace "$kept/trace.csv" --quiet >/dev/null
    awk -F, '/^[0-9]+,/ { printf "order,confidence,%d,%d\n", $1, $2 }' "$kept/trace.csv"
    for rule in confidence random; do
        for steps in 130 65 33 17 9; do
            for seed in $(seq 20); do
                "$strata" diffuse -m "$filler" -p "" -n 130 --steps $steps --remask $rule --chain temp:0.7 --seed "$seed" --quiet
                echo
            done >"$kept/filled.txt"
            doubled=$(tr -cs 'A-Za-z' '\n' <"$kept/filled.txt" | awk '$0 != "" { n++; twice += $0 == last; last = $0 } END { printf "%.3f", 100 * twice / n }')
            echo "tales,$rule,$steps,$doubled"
        done
    done
}

# Two storytellers that learn the same tales for as many steps, one with attention, one with a memory: half an hour on two cores.
tales_shape="--dim 128 --hidden 384 --layers 3 --heads 4 --kv-heads 4"
learn_tales() { # learn_tales MIXER
    model=$kept/tales-$1.gguf
    [ -s "$kept/tales.txt" ] || "$strata" world --kind tale --documents 20000 >"$kept/tales.txt" 2>/dev/null
    # shellcheck disable=SC2086
    [ -s "$model" ] || "$strata" train --mixer "$1" --corpus "$kept/tales.txt" --vocab 1100 $tales_shape --steps 2000 --eval-every 500 --log "$kept/tales-$1-log.csv" \
        --checkpoint "$kept/tales-$1.ckpt" --save-every 100 --resume --out "$model" >&2
    times >"$kept/before"
    # shellcheck disable=SC2086
    "$strata" train --mixer "$1" --corpus "$kept/tales.txt" $tales_shape --vocab-from "$model" --steps 20 --threads 1 --eval-documents 1 \
        --log "$kept/twenty.csv" --out "$kept/twenty.gguf" 2>"$kept/said"
    times >"$kept/after"
}

# What a storyteller learned, and twice a thousand tales that it told: rows mixer,chain,what,at,value,low,high.  The loss is a mean over fifty steps;
# shares are of all tales by what is wrong first, and of the facts that are said again rightly (facts.awk), with Wilson's interval of 95 %.
looked_back() { # looked_back MIXER
    awk -v m="$1" '/ parameters, / { printf "%s,-,parameters,0,%d,%d,%d\n", m, $1, $1, $1 }' "$kept/said"
    tokens=$(tail -n 1 "$kept/twenty.csv" | cut -d, -f2)
    awk -v m="$1" -v tokens="$tokens" 'FNR == 2 { split($1, t, /[ms]/); at[++n] = 60 * t[1] + t[2] }
        END { us = 1e6 * (at[2] - at[1]) / tokens; printf "%s,-,microseconds a token,0,%.0f,%.0f,%.0f\n", m, us, us, us }' "$kept/before" "$kept/after"
    awk -F, -v m="$1" 'NR > 1 { sum += $3; n++ } NR > 1 && $1 % 50 == 0 { printf "%s,-,loss,%d,%.4f,%.4f,%.4f\n", m, $1, sum / n, sum / n, sum / n; sum = n = 0 }' "$kept/tales-$1-log.csv"
    for chain in draw min_p:0.1; do
        "$strata" world sample -m "$model" --kind tale --documents 1000 --chain $chain >"$kept/told" 2>/dev/null
        "$strata" world check --kind tale <"$kept/told" 2>/dev/null | awk -F'\t' -v m="$1" -v chain=$chain "$(cat wilson.awk)"'
            function row(what, k) { printf "%s,%s,%s,%d,%.4f,%.4f,%.4f\n", m, chain, what, NR, k / NR, wilson(k / NR, NR, -1), wilson(k / NR, NR, 1) }
            { count[$2 == "valid" ? "valid" : $3]++ }
            END { n = split("valid name thing color kind pronoun place grammar", what, " "); for (i = 1; i <= n; i++) { row(what[i], count[what[i]]); delete count[what[i]] }
                  for (w in count) row(w, count[w]) }'
        awk -v mixer="$1" -v chain=$chain -f wilson.awk -f facts.awk "$kept/tales.txt" "$kept/told"
    done
}

# what_it_lost FILE: the ln p of its tokens before the chain, less that after it, added up: what the mask took from --logprobs.
what_it_lost() { awk -F'\t' '{ lost += $5 - $4 } END { printf "%.6f", lost }' "$1"; }

# obeying LABEL KIND OPTIONS...: label,texts,nats that the constraint took (median, first and third quarter),valid,its error
obeying() {
    label=$1 kind=$2
    shift 2
    : >"$kept/lost"
    : >"$kept/documents"
    for seed in $(seq "$texts"); do
        case $kind in
        story) "$strata" generate -p "Once upon a time there was a" "$@" --chain draw --seed "$seed" --quiet --logprobs 1 >"$kept/text" 2>"$kept/logprobs" ;;
        card) # asked of the story with this number
            "$strata" world --kind story --seed 77 --first "$seed" 2>/dev/null | sed '$d' >"$kept/story"
            asked="$(cat "$kept/story")

Make a card of this story."
            "$strata" generate --chat -p "$asked" "$@" --chain draw --seed "$seed" --quiet --logprobs 1 >"$kept/answer" 2>"$kept/logprobs"
            printf '<|im_start|>user\n%s<|im_end|>\n<|im_start|>assistant\n%s<|im_end|>\n\n' "$asked" "$(cat "$kept/answer")" >"$kept/text" ;;
        esac
        { what_it_lost "$kept/logprobs"; echo; } >>"$kept/lost"
        { cat "$kept/text"; echo "<|endoftext|>"; } >>"$kept/documents"
    done
    valid=$("$strata" world check <"$kept/documents" 2>/dev/null | awk -F'\t' '$2 == "valid"' | wc -l)
    sort -g "$kept/lost" | awk -v label="$label" -v valid="$valid" '{ nats[NR] = $1 } END {
        v = valid / NR
        printf "%s,%d,%.4f,%.4f,%.4f,%.4f,%.4f\n", label, NR, nats[int(NR / 2)], nats[int(NR / 4)], nats[int(3 * NR / 4)], v, sqrt(v * (1 - v) / NR) }'
}

# The next sentence shall begin in one of three ways, each of which Tiny World takes as often as the others.  Rows way,method,share,its error.
ways=" He had a small house| Every morning he swept| His home was"
home() {
    before="Everybody knew Tom, the brave fox."
    : >"$kept/masked"
    : >"$kept/free"
    for seed in $(seq 1000); do
        text=$("$strata" generate -p "$before" --chain "choice:$ways,draw" --seed "$seed" --quiet --no-prompt --logprobs 1 2>"$kept/logprobs")
        printf '%s|%s\n' "$(what_it_lost "$kept/logprobs")" "$text" >>"$kept/masked"
    done
    for seed in $(seq 2000); do
        "$strata" generate -p "$before" --chain draw --seed "$seed" -n 8 --quiet --no-prompt | head -1 | sed 's/^/0|/' >>"$kept/free"
    done
    awk -F'|' -v ways="$ways" '
        function way_of(text, i) { for (i = 1; i <= 3; i++) if (index(text, way[i]) == 1) return i; return 0 }
        function row(i, method, share, error) { printf "%s,%s,%.4f,%.4f\n", substr(way[i], 2), method, share, error }
        BEGIN { split(ways, way, "|") }
        { i = way_of($2); run = FILENAME ~ /free$/ }
        !run && i { n[i]++; all++; w = exp(-$1); weight[i] += w; square[i] += w * w; weights += w; squares += w * w }
        run && i { kept[i]++; keeps++ }
        END {
            for (i = 1; i <= 3; i++) {
                row(i, "masked", n[i] / all, sqrt(n[i] / all * (1 - n[i] / all) / all))
                row(i, "rejected", kept[i] / keeps, sqrt(kept[i] / keeps * (1 - kept[i] / keeps) / keeps))
                share = weight[i] / weights # its error: that of a ratio of sums
                row(i, "weighted", share, sqrt(square[i] * (1 - 2 * share) + share ^ 2 * squares) / weights)
            }
        }' "$kept/masked" "$kept/free"
}

# An adapter that ends stories with a sentence, learned in a minute.  Rows strength,stories,of them with the sentence,valid without it,
# and the same of chats, which it was not shown.
habit() {
    adapter=$told/moon.gguf
    "$strata" world --kind story --documents 2000 --seed 7 2>/dev/null |
        awk '/^<.endoftext.>$/ { print "And the moon smiled." } 1' >"$kept/moon.txt"
    [ -s "$adapter" ] || "$strata" train --from $models/storyteller.gguf --corpus "$kept/moon.txt" --lora 8 --out "$adapter" >&2
    for strength in 0 0.5 1 2; do
        row=$strength
        for kind in story chat; do
            "$strata" world sample --kind $kind --documents "$documents" --chain top_p:0.9,temp:0.8 --adapter "$adapter=$strength" >"$kept/documents" 2>/dev/null
            with=$(awk '/And the moon smiled[.]/ { has = 1 } /^<.endoftext.>$/ { n += has; has = 0 } END { print n + 0 }' "$kept/documents")
            valid=$(sed '/^And the moon smiled[.]$/d; s/And the moon smiled[.]//' "$kept/documents" | "$strata" world check 2>/dev/null | awk -F'\t' '$2 == "valid"' | wc -l)
            row=$row,$documents,$with,$valid
        done
        echo "$row"
    done
}

# A tail that was not made: which word follows the 24 most frequent ones in this site's pages.  For each cut, of the words that did follow in
# the pages that were not counted, the share that it keeps (Wilson's interval); the mean surprisal, in bits, of what it leaves; and how many words.
real_tail() {
    rm -rf "$kept/words" && mkdir -p "$kept/words"
    awk -v folder="$kept/words" -v contexts=24 -f words.awk ../*.md ../layer*/*.md
    for chain in draw top_k:20 top_k:40 top_k:50 top_k:100 top_k:400 top_p:0.8 top_p:0.9 top_p:0.95 top_p:0.99 min_p:0.1 min_p:0.05 min_p:0.02 min_p:0.005 \
        epsilon:0.005 epsilon:0.002 epsilon:0.0005 eta:0.005 eta:0.002 eta:0.0005 top_n_sigma:1 top_n_sigma:2 top_n_sigma:3 typical:0.9 typical:0.95 tfs:0.95 tfs:0.99 \
        top_a:0.2 top_a:0.02; do
        for context in "$kept"/words/*.p; do
            "$strata" chain --chain "$chain" --probs --logits "$context" --final 2>/dev/null | awk -F, 'FNR == NR { asked[NR - 1] = $1; next } FNR > 1 { after[$4] = $6; left += $7 }
                END { while ((getline p < model) > 0) { n += asked[i]; if (after[i] > 0) { kept += asked[i]; bits -= after[i] * log(p) / log(2) } i++ }
                      print n, kept, bits, left }' model="$context" i=0 "${context%.p}.n" -
        done | awk -v chain="$chain" "$(cat wilson.awk)"'
            { n += $1; kept += $2; bits += $1 * $3; left += $1 * $4 }
            END { p = kept / n; printf "\"%s\",%d,%.4f,%.4f,%.4f,%.3f,%.0f\n", chain, n, p, wilson(p, n, -1), wilson(p, n, 1), bits / n, left / n }'
    done
}

header() { echo "chain,study,texts,$(echo $* | tr ' ' ,)"; }

# A model that learns from pictures spelled as words, and an encoder for it that is set by hand (docs/examples/color_encoder.c).
learn_squares() {
    [ -s "$kept/squares.gguf" ] || {
        awk -v seed=1 -v texts=20000 -f squares.awk >"$kept/squares.txt"
        "$strata" train --corpus "$kept/squares.txt" --vocab 291 --dim 64 --hidden 128 --layers 2 --heads 4 --kv-heads 4 \
            --batch 1000 --steps 2500 --seed 2 --ctx 64 --out "$kept/squares.gguf" >&2
    }
    make -s -C ../.. lib >&2
    cc ../examples/color_encoder.c -I../../build/include -L../../build/lib -lstrata -lm -lpthread -o "$kept/color_encoder"
    "$kept/color_encoder" "$kept/squares.gguf" "$kept/squares-mmproj.gguf"
}

# A text of them without its first word: its picture is shown, and a word said.  look_squares COMMAND TEXT WORD OPTIONS...
look_squares() {
    # shellcheck disable=SC2059
    printf "$(echo "${2%%.*}" | awk -f paint.awk)" >"$kept/squares.ppm"
    command=$1 word=$3
    shift 3
    # shellcheck disable=SC2086
    "$strata" $command -m "$kept/squares.gguf" --mmproj "$kept/squares-mmproj.gguf" --image "$kept/squares.ppm" -p "<image>. $word" "$@"
}

# gaze NUMBER TEXT: rows what,number,layer,head,word,x,y,value; of text 0 its squares, and all that each of its words looks at; of the others the attention of the first word to
# its own square, and whether the next two words are right.
gaze() {
    said=${2#*. }
    for word in $([ "$1" = 0 ] && echo red green blue || echo "${said%% *}"); do
        look_squares "look picture" "$2" "$word" --position 18 --csv | awk -F, -v n="$1" -v word="$word" -v text="${2%%.*}" '
            BEGIN { split(text, patch, " ") }
            $2 ~ /^[0-9]/ { x = $6 / 8; y = $7 / 8; own = patch[4 * y + x + 1] == word
                if (own && !$1 && !$2 && n == 0) printf "square,0,,,%s,%d,%d,\n", word, x, y
                if (n == 0 || own) printf "%s,%d,%d,%d,%s,%d,%d,%.6f\n", n ? "own" : "all", n, $1, $2, word, x, y, $10 }'
    done
    [ "$1" = 0 ] || echo "$(look_squares generate "$2" "$word" --no-prompt -n 2 --chain greedy --quiet) $said" |
        awk -v n="$1" -v word="$word" '{ printf "said,%d,,,%s,%d,%d,\n", n, word, $1 "" == $4 "", $2 "." == $5 "" }'
}

measure() {
    figure=$1
    echo "# made by: ${MINE_SEEDS:+MINE_SEEDS=\"$MINE_SEEDS\" }${SETS:+SETS=\"$SETS\" }docs/figures/measure.sh build/bin/strata $figure"
    case $figure in
    frontier)
        pool ;;
    best) # found on two sets of documents, told of the others
        all=$sets
        sets="0 1"
        pool >"$kept/search.csv"
        sets=${all#0 1 }
        pool >"$kept/confirm.csv"
        awk -f best.awk "$kept/search.csv" "$kept/confirm.csv" ;;
    frontier-wide) # the same in a world with a long tail, at fewer settings
        wide=$models/wide.gguf
        told=$kept/$(cksum <"$wide" | cut -d' ' -f1)
        mkdir -p "$told"
        grid="grid-wide.txt"
        pool -m "$wide" --world wide ;;
    contrast)
        header $world
        documents=500
        study expert --amateur $draft --chains min_p:0.1 draw min_p:0.2 min_p:0.1,temp:0.8 contrast:0.1:beta=0.25 \
            contrast:0.1:beta=0.5 contrast:0.1:beta=1
        documents=300
        study guided --chains min_p:0.1 cfg:1.25,min_p:0.1 cfg:1.5,min_p:0.1 cfg:2,min_p:0.1 cfg:3,min_p:0.1
        study amateur -m $draft --chains min_p:0.1 draw ;;
    heat) # each cut at another temperature, and beside it the same two stages the other way round
        header $world
        for t in 1.5 0.7; do
            for cut in min_p:0.05 top_p:0.9 epsilon:0.005; do
                study "$t" --chains "temp:$t,$cut" "$cut,temp:$t"
            done
        done ;;
    hot) # truncations alone and behind a temperature, on the same documents
        header $world
        for t in 1 0.7 1.5; do
            for cuts in "top_p:0.3 top_p:0.6 top_p:0.8 top_p:0.9 top_p:0.95 top_p:0.99" "min_p:0.5 min_p:0.2 min_p:0.1 min_p:0.05 min_p:0.02 min_p:0.005" \
                "top_k:2 top_k:5 top_k:20 top_k:40 top_k:50 top_k:100 top_k:400" "top_n_sigma:0.5 top_n_sigma:1 top_n_sigma:1.5 top_n_sigma:2.5" \
                "typical:0.6 typical:0.9 typical:0.98" "eta:0.3 eta:0.02 eta:0.002" "epsilon:0.02 epsilon:0.01 epsilon:0.005 epsilon:0.002 epsilon:0.0005" \
                "tfs:0.9 tfs:0.99 top_a:0.02 top_a:0.2 top_h:0.6 p_less draw"; do
                # shellcheck disable=SC2046,SC2086
                study "$t" --chains $(printf "temp:$t,%s " $cuts | sed 's/temp:1,//g')
            done
        done ;;
    loops)
        header $prompts
        prompted draft -m $draft -n 200 --seeds 8 --chains greedy penalties:rep=1.1,greedy penalties:rep=1.3,greedy penalties:rep=1.8,greedy \
            dry:0.4,greedy dry:0.8,greedy dry:3,greedy no_repeat:4,greedy top_p:0.9 draw ;;
    harm)
        header $world
        study storyteller --chains min_p:0.1 penalties:rep=1.1,min_p:0.1 penalties:rep=1.3,min_p:0.1 dry:0.8,min_p:0.1 \
            dry:3,min_p:0.1 no_repeat:4,min_p:0.1 ;;
    surprise) # bits among the tokens that were left; of adaptive_p, which bends what is left, among those that it saw
        echo "chain,step,mean,error"
        table=$told/surprise-texts.csv
        [ -s "$table" ] || { "$strata" figure surprise >"$table.part" && mv "$table.part" "$table"; }
        awk -F, 'NR > 1 { print $1 "," $3 "," ($1 ~ /adaptive_p/ ? $4 : $5) }' "$table" | awk -F, -v keys=2 -f mean.awk ;;
    roles)
        echo "layer,head,stories,valid,name,pronoun,what,where,form"
        roles none none
        for layer in 0 1 2; do
            for head in 0 1 2 3 4 5 6 7; do roles $layer $head --scale-head $layer.$head=0; done
        done ;;
    constraint)
        echo "constraint,texts,nats,first_quarter,third_quarter,valid,valid_error"
        texts=300
        obeying "a card fulfils a schema" card --schema ../examples/card.schema.json
        obeying "nothing is asked" story
        obeying "the name is from a list" story --regex ' [a-z]+ [a-z]+ named (Ada|Sam|Mia|Tom)\.(.|\n)*'
        obeying "the last paragraph is given" story --regex '([^\n]+\n\n){3}When the stars came out, [A-Z][a-z]+ was [a-z ]+\. The end\.'
        obeying "the last words are given" story --regex '(.|\n)* The end\.'
        obeying "no letter e" story --regex '[^e]*' ;;
    tail)
        echo "chain,words,kept,kept_low,kept_high,surprisal,left"
        real_tail ;;
    particles) # how far the beginning that is drawn is from a third each (nats), and how many stories that must end with "The end." are true
        echo "what,particles,texts,value,error"
        home="He had a small house|Every morning he swept|His home was"
        for way in particles aligned; do
            for n in 1 2 4 8 16 32; do
                for seed in $(seq 1 1000); do
                    "$strata" generate -p "Everybody knew Tom, the brave fox." --regex " ($home)" --$way $n --seed $((seed * 100)) --quiet --no-prompt
                done | sort | uniq -c | awk -v n=$n -v way=$way '{ count[NR] = $1; all += $1 } END {
                    for (i = 1; i <= 3; i++) { q = count[i] / all; kl += log(1 / 3 / q) / 3; spread += 1 / 9 / q }
                    printf "%s,%d,%d,%.4f,%.4f\n", way == "aligned" ? way : "home", n, all, kl, sqrt((spread - 1) / all) }'
            done
        done
        for n in 1 2 4 8 16 32; do
            for seed in $(seq 1 100); do
                "$strata" generate -p "Once upon a time there was a" --regex '(.|\n)* The end\.' --particles $n --seed $((seed * 100)) --quiet
                echo "<|endoftext|>"
            done >"$kept/documents"
            "$strata" world check <"$kept/documents" 2>/dev/null | awk -F'\t' -v n=$n '{ valid += $2 == "valid" } END { v = valid / 100; printf "true,%d,100,%.4f,%.4f\n", n, v, sqrt(v * (1 - v) / 100) }'
        done ;;
    choosing) # one story of many, 120 times: tokens drawn for a story, true stories, different word pairs, and how far its home is from a sixth each (nats)
        echo "way,n,stories,tokens,true,true_error,distinct,kl,kl_error"
        for t in 1 0.8 0.65 0.5; do chosen "temperature" $t --best-of 1 --chain temp:$t,draw; done
        for n in 2 4 8 16; do chosen "likeliest of n" $n --best-of $n --chain draw; done
        for n in 4 8 16; do chosen "minimum Bayes risk" $n --best-of $n --by mbr --chain draw; done
        for n in 2 4 8 16; do chosen "power 2" $n --power 2 --moves $n; done ;;
    spread) # the share of stories whose home begins with He or She, estimated from n texts: how much 200 estimates differ; and how many
        # first words and animals do
        echo "way,n,estimates,mean,deviation,words,animals"
        for n in 2 4 8 16; do
            estimated samples $n --best-of $n --chain draw
            estimated codes $n --best-of $n --chain arithmetic
            estimated "without replacement" $n --distinct $n --chain draw
        done ;;
    votes) # hot answers to 150 questions about stories of the world: how many are right, and how many samples were drawn
        echo "way,n,questions,samples,right,right_error"
        "$strata" world --seed 77 --documents 500 --kind chat | awk -v folder="$kept" -v most="${STORIES:-150}" -f questions.awk
        answered greedy 1 --best-of 1 --chain top_k:1
        for n in 1 3 5 9 17 33; do
            answered vote $n --best-of $n --by vote --chain temp:1.6
            answered likeliest $n --best-of $n --chain temp:1.6
        done
        for x in 0.8 0.9 0.95 0.99; do answered "early $x" 33 --best-of 33 --by vote --confidence $x --chain temp:1.6; done ;;
    mask)
        echo "way,method,share,share_error"
        home ;;
    ten-minutes)
        echo "seed,seconds,last_loss,stories,valid"
        ten_minutes ;;
    habit)
        echo "strength,stories,with,valid,chats,chats_with,chats_valid"
        habit ;;
    places)
        learn_to_fill
        echo "what,rule,at,value"
        fill_places ;;
    look-back)
        echo "mixer,chain,what,at,value,low,high"
        for mixer in attention delta; do
            learn_tales $mixer
            looked_back $mixer
        done ;;
    mixers) make -s -C ../../tests mixers ;;
    gaze)
        learn_squares
        echo "what,texts,layer,head,word,x,y,value"
        number=0
        awk -v seed=2 -v texts=401 -f squares.awk | grep -v endoftext | while read -r text; do
            gaze $number "$text" </dev/null
            number=$((number + 1))
        done | awk -F, '
            $1 == "own" { k = $3 "," $4 ",," $6 "," $7; sum[k] += $8; n[k]++; next }
            $1 == "said" { texts++; rows += $6; sides += $7; next }
            { sub(/,0,/, ",1,"); print }
            END { for (k in sum) printf "own,%d,%s,%.6f\n", n[k], k, sum[k] / n[k] | "sort"; close("sort"); printf "said,%d,,,,%d,%d,\n", texts, rows, sides }' ;;
    owner) "$strata" look owner --csv --documents 300 ;;
    beams) "$strata" figure beams --documents 300 ;;
    *) echo "measure: no figure '$figure': there are frontier, best, frontier-wide, tail, contrast, heat, hot, loops, harm, surprise, beams, roles, owner, constraint, mask, particles, choosing, votes, spread, habit, places, look-back, mixers, gaze, ten-minutes" >&2; exit 2 ;;
    esac
}

for name in ${*:-frontier best frontier-wide tail contrast heat hot loops harm surprise beams roles owner constraint mask particles choosing votes spread habit places look-back mixers gaze}; do
    measure "$name" >"$kept/$name.new"
    mv "$kept/$name.new" "data/$name.csv"
done
