# How much of the straight path is the learner's: sourced by desk and check, after story.sh.
#
# The straight path is what runs again for every further token of a story, or every further step of a training.  It is
# measured: the library's own program, its calls counted (path.mk), tells a short and a longer story and trains for one step and
# for two; what the longer run calls more often is on the path, and what both call alike runs once.
PATH_TO=build/exercises/path

# build/exercises/path.txt: FILE FUNCTION, and story, training, both or once.  Needs addr2line, which says in which file a function stands.
measure_path() {
    make_counted "compiling the library once more, with its calls counted, once" exercises/path.mk || return 1
    [ ! -s "$OUT/path.txt" ] || [ ! "$OUT/path.txt" -nt $PATH_TO/strata ] || return 0
    say "counting the calls of two stories and two trainings ..." >&2
    rm -f $PATH_TO/*.calls
    for tokens in 8 24; do
        CALLS_TO=$PATH_TO/story$tokens.calls STRATA_ISA=scalar $PATH_TO/strata generate -m layer5_models/models/storyteller.gguf \
            -p "Once upon a time" --seed 1 -n $tokens >/dev/null 2>&1 || return 1
    done
    for steps in 1 2; do
        CALLS_TO=$PATH_TO/train$steps.calls STRATA_ISA=scalar STRATA=$PATH_TO/strata TO=$PATH_TO \
            sh -c "$(commands_of train | sed "s/--steps 3/--steps $steps/")" 2>/dev/null || return 1
    done
    nm $PATH_TO/strata | awk -v to=$PATH_TO '
        function value(t, v, i) { sub(/^0x/, "", t); for (i = 1; i <= length(t); i++) v = v * 16 + index("0123456789abcdef", substr(t, i, 1)) - 1; return v }
        / calls_anchor$/ { anchor = value($1) }
        END {
            for (i = split("story8 story24 train1 train2", run, " "); i; i--) {
                file = to "/" run[i] ".calls"
                while ((getline line < file) > 0) { split(line, part, " "); if (part[2] == 0) distance = value(part[1]) - anchor; else n[run[i], part[1]] += part[2]; seen[part[1]] }
                for (at in seen) { address = sprintf("%x", value(at) - distance); count[run[i], address] += n[run[i], at]; all[address] }
                split("", seen)
            }
            for (at in all) {
                story = count["story24", at] > count["story8", at]; train = count["train2", at] > count["train1", at]
                print at, story && train ? "both" : story ? "story" : train ? "training" : "once"
            } }' >"$OUT/places.txt"
    awk '{ print $1 }' "$OUT/places.txt" | addr2line -f -e $PATH_TO/strata | awk -v places="$OUT/places.txt" '
        NR % 2 { name = $1; next }
        { getline place < places; split(place, part, " "); file = $0; sub(/:[0-9?]*( .*)?$/, "", file); # a cache of compiled files may have met this one in another folder
          if (match(file, /layer[1-6]_[a-z]*\//)) file = substr(file, RSTART); if (file ~ /^layer/) print file, name, part[2] }' |
        awk '{ if (($1, $2) in when && when[$1, $2] != $3) $3 = when[$1, $2] == "once" ? $3 : $3 == "once" ? when[$1, $2] : "both"; when[$1, $2] = $3 }
             END { for (key in when) { split(key, part, SUBSEP); print part[1], part[2], when[key] } }' | sort >"$OUT/path.txt"
}

# The share in words, of the exercises in $OUT/finished.txt
share() {
    command -v addr2line >/dev/null || { say "(how much of the straight path is yours is counted where there is addr2line: binutils)"; return 0; }
    measure_path || { say "the straight path was not measured"; return 1; }
    { sed 's/^/done | /' "$OUT/finished.txt"
      sed -n 's/^\([^#]\)/ours | \1/p' exercises/ours.txt
      rows "" | sed 's/^/hole | /'
      sed 's/ / | /g; s/^/path | /' "$OUT/path.txt"; } | awk -F' [|] ' -f exercises/share.awk
}
