#!/bin/sh
# All plots: the program writes CSV, gnuplot draws SVG.  usage: make.sh STRATA FOLDER [NAME...]
# Each line below is a figure and the command that makes its numbers.  Numbers that take longer lie in data; measure.sh made them.
# A figure without rows, or with a number that is none, ends the build; so does a claim of NAME.claims that its numbers do not bear out.
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

# Mean and standard error of the column after the first KEYS: mean KEYS COLUMNS
mean() { cut -d, -f"$2" | awk -F, -v keys="$1" -f mean.awk; }

numbers() {
    case $1 in
    effects | temperature | order | kept) "$strata" figure "$1" ;;
    guess) "$strata" figure guess --draft "$draft" ;;
    surprise) "$strata" figure surprise >"$out/surprise-texts.csv" && mean 2 1,3,5 <"$out/surprise-texts.csv" ;;
    repetition)
        while read -r opening; do "$strata" figure repetition -m "$draft" -n 120 -p "$opening" || exit 1; done <openings.txt >"$out/repetition-texts.csv"
        mean 2 1-3 <"$out/repetition-texts.csv" ;;
    frontier | contrast) cat "data/$1.csv" ;;
    heads) worked 4 ;;
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
    roofline) "$strata" bench roofline --seconds 0.4 --csv "$out/roofline.csv" >&2 ;;
    loss) "$strata" bench quant --documents "$documents" --seconds 0.1 --csv "$out/loss.csv" >&2 ;;
    speed) "$strata" bench samplers --seconds "${SECONDS_EACH:-0.5}" --csv "$out/speed.csv" >&2 ;;
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

for name in ${*:-effects temperature kept surprise frontier repetition order contrast guess heads lens errors turning curve loss roofline speed}; do
    echo "plot $name" >&2
    case $name in
    speed | loss | roofline) numbers "$name" ;;
    *) numbers "$name" >"$out/$name.csv" ;;
    esac
    sound "$out/$name.csv"
    if [ -e "$name.claims" ]; then
        broken=$(awk -f claims.awk -f "$name.claims" "$out/$name.csv") || refuse "$broken"
    fi
    gnuplot -e "data='$out'; out='$out'" "$name.gp"
done
echo "the plots lie in $out" >&2
