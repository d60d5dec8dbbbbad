# How fast a learner's functions are, beside the library's and what the machine reaches at most.  Sourced by desk, after grading.sh.
#
# exercises/score.txt says what is timed; the best of each is kept in scores.txt on the desk: number, share of the library, speed.
SCORES=$DESK/scores.txt
SCORE_SECONDS=${SCORE_SECONDS:-0.2} # of a measurement, of which each version has three, in turns
SCORE_OBJECTS="$OBJECTS/score/score.o $OBJECTS/score/numbers.o $OBJECTS/score/texts.o"

score_row() { awk -F' [|] ' -v n="$2" -v x="$1" '!/^#/ && ($1 "") == (x "") { print $n }' exercises/score.txt; }
scored() { awk -F' [|] ' '!/^#/ { print $1 }' exercises/score.txt; }

# A program that times: score_link OBJECT PROGRAM
score_link() {
    # shellcheck disable=SC2046,SC2086
    $CC $SCORE_OBJECTS "$1" $(shared_of "$its_source") $LIBS -lm -lpthread -o "$2" && return
    say "  hint: it does not link.  Make your own helpers static, and keep whatever else the starter contains"
    return 1
}

# timed ISA PROGRAM ARGUMENTS...: units a second, or nothing when it does not end well
timed() {
    isa=$1
    shift
    run_limited "$isa" "$@" && tail -1 "$OUT/run.log" | grep -x '[0-9.e+-]*'
}
faster() { awk -v a="$1" -v b="$2" 'BEGIN { print (a + 0 > b + 0 ? a : b) }'; }

# Why there is no time.
score_fault() {
    case $(tail -1 "$OUT/run.log") in
    *wrong\ result) say "  with other numbers, of the size that is timed, its result is wrong" ;;
    *) say "  it does not end well with the size that is timed: $(tail -1 "$OUT/run.log" | cut -c1-80)" ;;
    esac
}

# The three versions in turns, the best of each: sets plain, yours, library
time_versions() { # time_versions NUMBER
    yours_isa=auto plain='' yours='' library=''
    case $1 in 2.*) yours_isa=scalar ;; esac # the library's fast siblings are not the learner's
    for _ in 1 2 3; do
        t=$(SECONDS_EACH=5; timed $yours_isa "$OUT/score-yours" "$1" own "$SCORE_SECONDS") || { score_fault; return 1; }
        yours=$(faster "$t" "$yours")
        t=$(timed auto "$OUT/score-ours" "$1" library "$SCORE_SECONDS") || return 1
        library=$(faster "$t" "$library")
        [ "$(score_row "$1" 5)" != plain ] || { t=$(timed scalar "$OUT/score-ours" "$1" own "$SCORE_SECONDS") && plain=$(faster "$t" "$plain"); } || return 1
    done
}

# A line of the table: speed_line NAME SPEED UNIT WORDS
speed_line() { awk -v name="$1" -v speed="$2" -v unit="$3" -v words="$4" 'BEGIN { printf "  %-11s %9.3g %-17s %s\n", name, speed, unit, words }'; }
times_of() { awk -v a="$1" -v b="$2" 'BEGIN { printf "%.3g", a / b }'; }
percent() { awk -v a="$1" -v b="$2" 'BEGIN { printf a < b ? "%.3g" : "%.0f", 100 * a / b }'; }

# Keep the best share: note_score NUMBER SHARE SPEED
note_score() {
    best=$(awk -v x="$1" '($1 "") == (x "") { print $2 }' "$SCORES" 2>/dev/null)
    [ "$(faster "$2" "${best:-0}")" = "$2" ] || { say "score: $2 % of the library's speed (your best: $best %)"; return; }
    { grep -v "^$1 " "$SCORES" 2>/dev/null; say "$1 $2 $3"; } >"$SCORES.new.$$"
    mv "$SCORES.new.$$" "$SCORES"
    say "score: $2 % of the library's speed, your best"
}

score_one() {
    known "$1"
    [ -n "$(score_row "$1" 1)" ] || { say "the speed of $1 is not scored.  Those are: $(scored | tr '\n' ' ')" >&2; exit 2; }
    about "$1"
    file=$(file_of "$1")
    [ -e "$file" ] || { say "$1 is not started: make start $1" >&2; exit 1; }
    has_passed "$1" || { say "$1 counts when it is right: make grade $1 first" >&2; exit 1; }
    ready
    # shellcheck disable=SC2046,SC2086
    prepare "$1" && make_objects "compiling what times it, once" $SCORE_OBJECTS || exit 1
    compile "$file" "$1" "$OUT/score.o" && score_link "$OUT/score.o" "$OUT/score-yours" && score_link "$(object_of "$its_source")" "$OUT/score-ours" || exit 1
    unit=$(score_row "$1" 3) limit=$(score_row "$1" 4)
    say "$1 $(field "$1" 3): $(score_row "$1" 2)"
    time_versions "$1" || exit 1
    [ -z "$plain" ] || speed_line "plain C" "$plain" "$unit" "the library's scalar version"
    speed_line yours "$yours" "$unit" "${plain:+$(times_of "$yours" "$plain") times plain C}"
    speed_line library "$library" "$unit" "${plain:+with $(build/bin/strata --version | sed 's/.*, //')}"
    case $limit in
    flops) speed_line limit "$(timed auto "$OUT/score-ours" flops 0.2)" "$unit" "multiply-adds in registers; loading takes time, too" ;;
    memory) speed_line limit "$(timed auto "$OUT/score-ours" memory 0.6)" "$unit" "one thread reading main memory" ;;
    esac
    note_score "$1" "$(percent "$yours" "$library")" "$(awk -v x="$yours" 'BEGIN { printf "%.3g", x }') $unit"
}

# All of them, and the best so far.
score_board() {
    say "How fast is yours?  Pass an exercise, make it faster, then: make score NUMBER"
    say "Other programs disturb: repeat it on a quiet machine.  rm $SCORES forgets the best."
    say ""
    for number in $(scored); do
        best=$(sed -n "s/^$number //p" "$SCORES" 2>/dev/null)
        awk -v number="$number" -v title="$(field "$number" 3)" -v what="$(score_row "$number" 2)" -v best="${best%% *}" -v speed="${best#* }" \
            'BEGIN { printf "  %-5s %-30s %s\n", number, title, best == "" ? what : sprintf("%s %% of the library, %s", best, speed) }'
    done
}
score() { if [ -n "$1" ]; then score_one "$1"; else score_board; fi; }
