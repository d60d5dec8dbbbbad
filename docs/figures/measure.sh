#!/bin/sh
# Measure again what takes too long for every build of the site: make measure, or measure.sh STRATA [NAME...].
# The numbers lie in docs/figures/data and belong to the repository; make.sh draws them.
#
# Five times the same 100 openings, with five seeds: validity is a share of 500 stories, with its standard error; distinct-2 is the mean of
# five samples of 100 stories, with its standard error (it falls with the size of the sample, so every chain has the same).
set -e
strata=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
shift
cd "$(dirname "$0")"
models=../../layer5_models/models
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# study LABEL OPTIONS...: rows "chain",label,stories,valid,its error,distinct-2,its error
study() {
    label=$1
    shift
    for seed in 1 2 3 4 5; do
        "$strata" compare --documents 100 --seed $seed --csv "$scratch/$seed.csv" "$@" >&2
    done
    cat "$scratch"/[1-5].csv | awk -v label="$label" '
        match($0, /^"[^"]*"/) && !/^"?chain/ {
            chain = substr($0, 1, RLENGTH)
            split(substr($0, RLENGTH + 2), column, ",")
            sub(/,draw"$/, "\"", chain)
            if (!(chain in n)) order[++chains] = chain
            n[chain]++; valid[chain] += column[1]; d[chain] += column[3]; dd[chain] += column[3] ^ 2
        }
        END {
            for (i = 1; i <= chains; i++) {
                c = order[i]; v = valid[c] / n[c]; m = d[c] / n[c]; s = dd[c] / n[c] - m * m
                printf "%s,%s,%d,%.4f,%.4f,%.4f,%.4f\n", c, label, 100 * n[c], v, sqrt(v * (1 - v) / (100 * n[c])),
                       m, sqrt((s > 0 ? s : 0) / (n[c] - 1))
            }
        }'
}

# Why stories of a model with one head silent are no stories of this world: rows layer,head,stories,valid,who,what,where,form
roles() { # roles LAYER HEAD [OPTIONS...]
    layer=$1 head=$2
    shift 2
    "$strata" compare --documents 100 --seeds 5 --chains min_p:0.2 --csv "$scratch/roles.csv" "$@" >&2
    tail -n 1 "$scratch/roles.csv" | awk -F'"' -v at="$layer,$head" '
        BEGIN { split("name who pronoun who kind who place where spot where grammar form", pair, " ")
                for (i = 1; i in pair; i += 2) group[pair[i]] = pair[i + 1] }
        {
            n = split($4, reason, " "); split($3, column, ",")
            for (i = 1; i <= n; i += 2) count[reason[i] in group ? group[reason[i]] : "what"] += reason[i + 1]
            printf "%s,500,%d,%d,%d,%d,%d\n", at, column[2] * 500 + 0.5, count["who"], count["what"], count["where"], count["form"]
        }'
}

measure() {
    echo "# made by: docs/figures/measure.sh build/bin/strata $1"
    case $1 in
    roles) echo "layer,head,stories,valid,who,what,where,form" ;;
    *) echo "chain,model,stories,valid,valid_error,distinct_2,distinct_2_error" ;;
    esac
    case $1 in
    roles)
        roles none none
        for layer in 0 1 2; do
            for head in 0 1 2 3 4 5 6 7; do roles $layer $head --scale-head $layer.$head=0; done
        done ;;
    frontier)
        study storyteller --chains greedy temp:0.3 temp:0.6 temp:0.8 temp:1 temp:1.2 temp:1.5 temp:2 \
            top_k:2 top_k:5 top_k:20 top_k:100 top_k:400 top_p:0.3 top_p:0.6 top_p:0.8 top_p:0.9 top_p:0.95 top_p:0.99 \
            min_p:0.5 min_p:0.2 min_p:0.1 min_p:0.05 min_p:0.01 typical:0.3 typical:0.6 typical:0.9 typical:0.98 \
            top_n_sigma:0.5 top_n_sigma:1 top_n_sigma:1.5 top_n_sigma:2.5 \
            mirostat_v2:0.3 mirostat_v2:0.6 mirostat_v2:1 mirostat_v2:2 eta:0.3 eta:0.1 eta:0.02 eta:0.002 ;;
    contrast)
        study expert --amateur $models/draft.gguf --chains draw min_p:0.1,draw \
            contrast:0.1:beta=0.25,draw contrast:0.1:beta=0.5,draw contrast:0.1:beta=1,draw
        study amateur -m $models/draft.gguf --chains draw min_p:0.1,draw ;;
    *) echo "measure: no figure '$1': there are frontier, contrast, roles" >&2; exit 2 ;;
    esac
}

for name in ${*:-frontier contrast roles}; do
    measure "$name" >"$scratch/new"
    mv "$scratch/new" "data/$name.csv"
done
