#!/bin/sh
# All plots: the program writes CSV, gnuplot draws SVG.  usage: make.sh STRATA FOLDER [NAME...]
# Each line below is a figure and the command that makes its numbers.
set -e
strata=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
mkdir -p "$2"
out=$(cd "$2" && pwd)
shift 2
cd "$(dirname "$0")"
command -v gnuplot >/dev/null || { echo "plots: gnuplot is needed (apt install gnuplot-nox, brew install gnuplot)" >&2; exit 1; }
documents=${DOCUMENTS:-60}
draft=../../layer5_models/models/draft.gguf

# The numbers of a worked exercise.
worked() { make -s --no-print-directory -C "$(ls -d ../../layer"$1"_*)" worked ARGS=--csv; }

numbers() {
    case $1 in
    effects | temperature | order | kept | surprise | repetition) "$strata" figure "$1" ;;
    guess) "$strata" figure guess --draft "$draft" ;;
    frontier)
        "$strata" compare --documents "$documents" --csv "$out/frontier.csv" --chains \
            greedy temp:0.3 temp:0.6 temp:0.8 temp:1 temp:1.2 temp:1.5 temp:2 top_k:2 top_k:5 top_k:20 top_k:100 \
            top_k:400 top_p:0.3 top_p:0.6 top_p:0.8 top_p:0.9 top_p:0.95 top_p:0.99 min_p:0.5 min_p:0.2 min_p:0.1 \
            min_p:0.05 min_p:0.01 typical:0.3 typical:0.6 typical:0.9 typical:0.98 top_n_sigma:0.5 top_n_sigma:1 \
            top_n_sigma:1.5 top_n_sigma:2.5 mirostat_v2:0.3 mirostat_v2:0.6 mirostat_v2:1 mirostat_v2:2 \
            eta:0.3 eta:0.1 eta:0.02 eta:0.002 >&2 ;;
    contrast)
        "$strata" compare --documents "$documents" --amateur "$draft" --csv "$out/expert.csv" --chains \
            draw contrast:0.1:beta=0.25 contrast:0.1:beta=0.5 contrast:0.1:beta=1 >&2
        "$strata" compare -m "$draft" --documents "$documents" --csv "$out/amateur.csv" --chains draw >&2
        { sed 's/^"draw"/"expert alone"/' "$out/expert.csv"; sed -n 's/^"draw"/"amateur alone"/p' "$out/amateur.csv"; } >"$out/contrast.csv" ;;
    heads) worked 4 ;;
    lens) worked 5 ;;
    errors) worked 2 ;;
    turning) worked 3 ;;
    curve) cat ../../layer5_models/models/first.csv ;;
    roofline) "$strata" bench roofline --seconds 0.4 --csv "$out/roofline.csv" >&2 ;;
    loss) "$strata" bench quant --documents "$documents" --seconds 0.1 --csv "$out/loss.csv" >&2 ;;
    speed) "$strata" bench samplers --seconds "${SECONDS_EACH:-0.5}" --csv "$out/speed.csv" >&2 ;;
    esac
}

for name in ${*:-effects temperature kept surprise frontier repetition order contrast guess heads lens errors turning curve loss roofline speed}; do
    echo "plot $name" >&2
    case $name in
    frontier | contrast | speed | loss | roofline) numbers "$name" ;;
    *) numbers "$name" >"$out/$name.csv" ;;
    esac
    gnuplot -e "data='$out'; out='$out'" "$name.gp"
done
echo "the plots lie in $out" >&2
