#!/bin/sh
# All plots: the program writes CSV, gnuplot draws.  usage: [FORMAT=svg|png|pdf] make.sh STRATA FOLDER [NAME...]
# Each line below is a figure and the command that makes its numbers.  Numbers that take longer lie in data; measure.sh made them.
# A figure without rows, or with a number that is none, ends the build; so does a claim of NAME.claims that its numbers do not bear out.
#   make.sh --check     only whether gnuplot is there
set -e
command -v gnuplot >/dev/null || { echo "plots: gnuplot is not installed: apt-get install gnuplot-nox, or brew install gnuplot" >&2; exit 1; }
[ "$1" != --check ] || exit 0
format=${FORMAT:-svg}
case $format in svg | png | pdf) ;; *) echo "plots: FORMAT is '$format': wanted svg, png or pdf" >&2; exit 2 ;; esac
strata=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
mkdir -p "$2"
out=$(cd "$2" && pwd)
shift 2
cd "$(dirname "$0")"
tr ';' '\n' <../assets/look.css | sed -n \
    -e 's/^ *--plot-\([a-z]*\): light-dark(\(#[0-9a-f]*\),.*/\1 = "\2"/p' -e 's/^ *--stage-\([a-z_]*\): var(--plot-\([a-z]*\)).*/color_\1 = \2/p' >"$out/colors.gp"
documents=${DOCUMENTS:-60} # DOCUMENTS=6 SPEED_SECONDS=0.02: for a site that only shows that all is there
draft=../../layer5_models/models/draft.gguf

# The numbers of a worked exercise.
worked() { make -s --no-print-directory -C "$(ls -d ../../layer"$1"_*)" worked ARGS=--csv; }

# gnuplot ends a quoted name at its first comma: a space takes the place of each.
spaced() { awk 'match($0, /^"[^"]*"/) { chain = substr($0, 1, RLENGTH); gsub(/,/, " ", chain); $0 = chain substr($0, RLENGTH + 1) } 1' "$@"; }

# Rows n,seconds: a forward pass over n tokens of a model of random weights, the fastest of nine.
passes() {
    "$strata" bench make-model "$out/passes.gguf" Q8_0 --layers 2 >&2
    for n in 1 2 3 4 5 7 9 13 17 24 48; do
        "$strata" bench model -m "$out/passes.gguf" -p $n -n 0 --rounds 9 --json |
            sed 's/.*"high":\([0-9.]*\).*/\1/' | awk -v n=$n '{ printf "%d,%.6f\n", n, n / $1 }'
    done
    rm "$out/passes.gguf"
}

# Rows of strata simulate with what was varied in front: of(VALUE, OPTIONS...).
of() {
    value=$1
    shift
    "$strata" simulate --csv "$out/swept.csv" "$@" >&2 || return 1
    sed "1d; s/^/$value,/" "$out/swept.csv"
}
swept() {
    case $1 in
    waste) shift && "$strata" simulate "$@" -p 24 -n 300 --seconds 300 --policy static --policy continuous --csv "$out/waste.csv" \
        --users 60 --users 120 --users 180 --users 240 --users 300 --users 360 --users 420 --users 480 --users 540 --users 600 >&2 ;;
    pieces) shift && for p in 125 250 500 1000 2000 4000; do of $p "$@" --users 60 -p $p -n 300 --seconds 120 --policy continuous --policy chunked || return 1; done ;;
    latency) shift && for p in 2 4 8 16 32 64 128 256; do of $p "$@" --users 6000 -p 300 -n 150 --seconds 30 --waiting 60 --places $p --pages 20000 --policy chunked || return 1; done ;;
    memory) shift && for p in 50 60 70 80 90 100 110 120 130 140 160 200; do of $p "$@" --users 1000 -p 200 -n 400 --every 60 --seconds 60 --pages $p --policy chunked || return 1; done ;;
    shared) shift && for n in 0 64 128 256 384; do
        of "$n,each" "$@" --users 900 -p 200 -n 100 --seconds 60 --shared $n --policy chunked --alone &&
            of "$n,once" "$@" --users 900 -p 200 -n 100 --seconds 60 --shared $n --policy chunked || return 1
    done ;;
    fair) shift && for p in 250 500 1000 1500 2000; do
        of "prompt,$p,whole" "$@" --users 900 -p 200 -n 100 --seconds 20 --heavy 1 --heavy-prompt $p --policy continuous &&
            of "prompt,$p,pieces" "$@" --users 900 -p 200 -n 100 --seconds 20 --heavy 1 --heavy-prompt $p --policy chunked || return 1
    done && for h in 0 10 20 30 40 50 60; do
        for how in fcfs turns "priority --urgent 1" "priority --urgent 1 --ageing 2"; do
            of "many,$h,$(echo "$how" | tr -d ' -')" "$@" --users 900 -p 200 -n 100 --seconds 20 --heavy $h --policy chunked --order $how || return 1
        done
    done ;;
    esac
    rm -f "$out/swept.csv"
}

numbers() {
    case $1 in
    effects | temperature | order | kept) "$strata" figure "$1" ;;
    bends) "$strata" figure effects ;;
    guess) # and what the same acceptance gains for a larger model, whose passes are timed here
        passes >"$out/passes.csv"
        "$strata" figure guess --draft "$draft" --threads 1 | awk -F, -f larger.awk "$out/passes.csv" - ;;
    frontier | frontier-wide | tail | contrast | surprise | beams | roles | owner | mask | particles | choosing | votes | spread | constraint | places | look-back | gaze | mixers | roofline | servers) cat "data/$1.csv" ;;
    variety | odds) cat data/frontier.csv ;;
    heat) spaced data/heat.csv ;;
    hot) spaced data/hot.csv ;;
    cure) spaced data/loops.csv data/harm.csv ;;
    price)
        best=$(awk -F, 'NR > 2 && $2 > 0.5' data/best.csv)
        # shellcheck disable=SC2046
        "$strata" bench samplers --size 131072 --seconds 0.02 --csv "$out/price-times.csv" $(echo "$best" | sed 's/^"\([^"]*\)".*/--chain \1/') >&2
        echo "chain,f,valid,kept,microseconds,f_low,f_high,f_search,between"
        echo "$best" | while IFS=, read -r chain f valid kept rest; do
            echo "$chain,$f,$valid,$kept,$(grep -F ",LLM-like,$chain," "$out/price-times.csv" | grep -v ',scalar,' | cut -d, -f5),$rest"
        done ;;
    load) # what a step costs was measured: strata bench serve -t 1 --own-time --users 48 -p 200 -n 100 --places 16 --costs data/costs.txt
        "$strata" simulate --costs data/costs.txt -p 200 -n 100 --seconds 60 --csv "$out/load.csv" \
            --users 300 --users 600 --users 900 --users 1200 --users 1500 --users 1650 --users 1800 --users 2100 --users 2400 --users 2700 >&2 ;;
    waste | pieces | latency) # a card that is reckoned: 16 GB of weights at 3 TB/s, and 1000 TFLOP/s
        swept "$1" --costs data/costs-card.txt ;;
    memory | shared | fair) swept "$1" --costs data/costs.txt ;;
    heads) worked 4 ;;
    machines) # machines that read 40 GB/s and do 200 GFLOP/s, for one text and for 64; then what was measured: ms a token on two
        echo "gigabits,model,machines,texts,split,milliseconds,tokens_per_second"
        for network in 1:100 10:30 100:5; do for model in 8B 70B 405B; do
            # shellcheck disable=SC2046
            "$strata" simulate --shape $model --bandwidth 40 --flops 200 --network "${network%:*}Gb/s:${network#*:}us" --decode 1 --decode 64 \
                $(printf -- '--machines %s ' 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 20 24 32 48 64 128 256 1000) --csv "$out/decoded.csv" >&2 || return 1
            sed "1d; s/^/${network%:*},$model,/" "$out/decoded.csv"
        done; done
        awk -F, '/^[0-9]/ { for (i = 3; i <= 4; i++) printf "%s,%s,2,1,%s,%s,%.1f\n", $1, i == 3 ? "expected" : "measured", $2, $i, 1000 / $i }' data/machines.csv
        rm -f "$out/decoded.csv" ;;
    words) make -s --no-print-directory -C ../../layer5_models worked WORKED=words ARGS=--csv ;;
    lens) # and the word of each token
        worked 5 | while IFS=, read -r layer rank token probability; do
            case $token in
            token) word=word ;;
            *) word=$(echo "$token" | "$strata" tokenize --decode) ;;
            esac
            printf '%s,%s,%s,%s,"%s"\n' "$layer" "$rank" "$token" "$probability" "$word"
        done ;;
    errors) worked 2 ;;
    turning) worked 3 ;;
    curve) ./curve.sh ../../layer5_models/models ;;
    loss) "$strata" bench quant --documents "$documents" --seconds 0.1 --csv "$out/loss.csv" >&2 ;;
    speed) # shellcheck disable=SC2046
        "$strata" bench samplers $(printf -- '--chain %s ' greedy top_k:40 top_p:0.95 min_p:0.05 typical:0.5 top_n_sigma:1 draw) \
            --size 32768 --size 131072 --size 262144 --seconds "${SPEED_SECONDS:-0.1}" --csv "$out/speed.csv" >&2 ;;
    *) echo "plots: there is no figure '$1'" >&2; return 2 ;;
    esac
}

refuse() { printf 'plots: %s: %s\n' "$name" "$1" >&2; exit 1; }

# Rows there must be, and every number must be one.
sound() {
    rows=$(grep -v '^#' "$1" | awk -F, 'NF > 1 && /[0-9]/' | wc -l)
    [ "$rows" -ge 2 ] || refuse "$(basename "$1") has no rows"
    bad=$(grep -inE '(^|[,"= ])[-+]?(nan|inf|infinity)([,"% ]|$)' "$1" | head -3)
    [ -z "$bad" ] || refuse "$(basename "$1") has numbers that are none:
$bad"
}

for name in ${*:-$(sed -n 's/^\([a-z-]*\) | .*/\1/p' findings.txt)}; do
    echo "plot $name" >&2
    case $name in
    speed | loss | load | waste) numbers "$name" ;;
    *) numbers "$name" >"$out/$name.csv" ;;
    esac
    sound "$out/$name.csv"
    if [ -e "$name.claims" ]; then
        broken=$(awk -f claims.awk -f "$name.claims" "$out/$name.csv") || refuse "$broken"
    fi
    gnuplot -e "data='$out'; out='$out'; format='$format'" "$name.gp"
done
echo "the plots lie in $out" >&2
