# The program with the learner's functions: linked, run, its calls counted, and compared with the library's.  Sourced by desk
# and check, after grading.sh.
RUNS=build/exercises/runs # a folder each for what mine and ours leave

# The exercises that are finished: fill and speed, passed, and not changed since.
finished() { # finished [SELECTION]
    for number in $(rows "$1" | awk -F' [|] ' '$2 == "fill" || $2 == "speed" { print $1 }'); do
        grep -q "^$number passed" "$PROGRESS" 2>/dev/null && [ -e "$(file_of "$number")" ] || continue
        if has_passed "$number"; then say "$number"; else say "left out: $number has changed since it passed: make grade $number" >&2; fi
    done
}

# A function's name as the reader knows it: a sampler's apply is called by its file.
known_as() { if [ "$2" = apply ]; then basename "$(field "$1" 6)" .c; else say "$2"; fi; }

# An object whose calls are counted: counted NUMBER.  A static function gets the exercise's number before its name, because
# every sampler has an apply.  Its warnings were shown when it was graded.
counted() {
    plain=$FLAGS
    FLAGS="$FLAGS -g0 -w -finstrument-functions"
    globals "$(object_of "$(field "$1" 6)")" >"$OUT/globals.txt"
    for name in $(field "$1" 7 | tr ',' ' '); do
        if grep -qx "defined $name" "$OUT/globals.txt"; then unique=$name; else unique=own_$(say "$1" | tr . _)_$name FLAGS="$FLAGS -D$name=$unique"; fi
        say "$1 $unique $(known_as "$1" "$name")" >>"$OUT/functions.txt"
    done
    file=$(file_of "$1")
    sum="$(sum_of "$file") $FLAGS"
    # shellcheck disable=SC2086
    if [ "$(cat "$OUT/$1.counted" 2>/dev/null)" != "$sum" ] || ! newer "$OUT/$1.counted.o" $LIBS; then
        compile "$file" "$1" "$OUT/$1.counted.o" || exit 1
        say "$sum" >"$OUT/$1.counted"
    fi
    FLAGS=$plain
}

# build/exercises/strata with every finished function in place of the library's.
link() {
    [ "$1" = all ] || selection "$1"
    finished "$([ "$1" = all ] || say "$1")" >"$OUT/finished.txt"
    [ -s "$OUT/finished.txt" ] || { say "no finished exercise to link: make grade first" >&2; exit 1; }
    : >"$OUT/functions.txt"
    mine= sources=
    isa=auto
    all=$(wc -l <"$OUT/finished.txt" | tr -d ' ') done=0
    say "compiling your functions, with their calls counted: $all files ..." >&2
    while read -r number; do
        counted "$number"
        done=$((done + 1))
        [ $((done % 20)) -ne 0 ] || [ $done -eq "$all" ] || say "  $done of $all" >&2
        mine="$mine $OUT/$number.counted.o" sources="$sources $(field "$number" 6)"
        case $number in 2.*) isa=scalar ;; esac # the library's fast siblings are not the learner's
    done <"$OUT/finished.txt"
    # shellcheck disable=SC2046,SC2086
    set -- $(shared_of $(printf '%s\n' $sources | sort -u)) "$OBJECTS/calls.o" "$OBJECTS/commands.o"
    # shellcheck disable=SC2086
    make_objects "compiling what stands around them, once" "$@" || exit 1
    # shellcheck disable=SC2086
    $CC $mine "$@" build/layer6_inference/program.a $LIBS -lm -lpthread -o "$OUT/strata" || { say "two of your files define the same function: keep it in one of them; each starter has its own" >&2; exit 1; }
    say $isa >"$OUT/isa"
    say "[yours: $(awk '{ printf "%s%s", between, $3; between = " " }' "$OUT/functions.txt")]" >&2
}

# The commands of a run.  What is said aloud is the learner's story.
commands_of() {
    if [ "$1" = story ]; then say '$STRATA generate -m "$MODEL" -p "$PROMPT" --chain "$CHAIN" --seed "$SEED" --trace $TO/trace.csv'; return; fi
    awk -F' [|] ' -v name="$1" '$1 == name && $4 != "-" { print $4 }' exercises/runs.txt
}
run_names() { awk -F' [|] ' '!/^#/ && $4 != "-" { print $1 }' exercises/runs.txt; }

run_with() { # run_with PROGRAM FOLDER COMMANDS
    rm -rf "$2"
    mkdir -p "$2"
    STRATA=$1 TO=$2 STRATA_ISA=$(cat "$OUT/isa") sh -c "$3"
}

# How often each of the learner's functions was called: number, name, count.  Addresses are those of the program in memory; its
# symbol table has them from another beginning, and the distance is that of calls_anchor.
counts_of_calls() {
    { nm "$OUT/strata" | awk -v mac="$(uname)" 'NF == 3 { if (mac == "Darwin") sub(/^_/, "", $3); print "symbol", $1, $3 }'
      sed 's/^/call /' "$OUT/calls.txt"
      sed 's/^/mine /' "$OUT/functions.txt"; } | awk '
        function value(t, v, i) { sub(/^0x/, "", t); for (i = 1; i <= length(t); i++) v = v * 16 + index("0123456789abcdef", substr(t, i, 1)) - 1; return v }
        $1 == "symbol" { name[value($2)] = $3; if ($3 == "calls_anchor") anchor = value($2) }
        $1 == "call" && $3 == 0 { distance = value($2) - anchor }
        $1 == "call" { total[name[value($2) - distance]] += $3 }
        $1 == "mine" { printf "%s %s %.0f\n", $2, $4, total[$3] }'
}

# Which run calls what a story does not.
run_for() { awk -F' [|] ' -v x="$1" '!/^#/ && index(" " $3 " ", " " x " ") { print $1; exit }' exercises/runs.txt; }

show_calls() { # show_calls RUN MINE
    say
    what_ran="the run $1"
    [ "$1" != story ] || what_ran="the story"
    say "yours, and how often $what_ran called it:"
    counts_of_calls | while read -r number name count; do
        other=
        [ "$count" -gt 0 ] || other=$(run_for "$name")
        case $count$other in
        0tests) what="never, in any run: only tests and worked exercises do" ;;
        0 | "0$1") what=never ;;
        0?*) what="never; make run MINE=$2 RUN=$other calls it" ;;
        1) what=once ;;
        *) what="$(say "$count" | awk '{ for (n = $1; n ~ /^[0-9][0-9][0-9][0-9]/; ) { rest = "," substr(n, length(n) - 2) rest; n = substr(n, 1, length(n) - 3) } print n rest }') times" ;;
        esac
        printf '  %-5s %-26s %s\n' "$number" "$name" "$what"
    done
}

# The first line in which two traces differ, in words.
where_it_parts() {
    awk -F, -v mine="$RUNS/mine/trace.csv" '
        function text_of(line) { return match(line, /,"([^"]|"")*",/) ? substr(line, RSTART + 1, RLENGTH - 2) : "" }
        { if ((getline other < mine) <= 0) { print "  yours ends after token " $2 ", the library'"'"'s goes on"; exit }
          if (other == $0) next
          ours = $0; split(ours, a, ","); n = split(other, b, ",")
          same = text_of(ours) == text_of(other)
          rest_a = ours; rest_b = other
          sub(/.*",/, "", rest_a); sub(/.*",/, "", rest_b); split(rest_a, x, ","); split(rest_b, y, ",")
          if (a[4] != b[4] || a[2] != b[2]) print "  at token " a[2] + 1 " one has gone through another stage: " b[4] ", and the library'"'"'s " a[4]
          else if (!same) print "  at token " a[2] + 1 ", after " a[4] ", place " a[5] ": yours has " text_of(other) ", the library " text_of(ours)
          else print "  at token " a[2] + 1 ", after " a[4] ": the logit of " text_of(ours) " is " y[1] ", and the library'"'"'s " x[1]
          exit }' "$RUNS/ours/trace.csv"
}

# Are the folders alike, to the bit?  compare RUN
compare() {
    what=run
    [ "$1" != story ] || what=story
    if diff -rq "$RUNS/mine" "$RUNS/ours" >"$OUT/differ.txt" 2>&1; then say "same $what as the library's, to the bit: yes"; return 0; fi
    if [ "$1" = story ] && cmp -s "$RUNS/mine/said.txt" "$RUNS/ours/said.txt"; then say "same $what as the library's, to the bit: no; the words are the same, but not all numbers behind them (right sums of floats in another order differ in their last digits):"
    else say "same $what as the library's, to the bit: no"; fi
    if [ "$1" = story ]; then where_it_parts; else sed "s,$RUNS/,,g; s/^/  /" "$OUT/differ.txt"; fi
    return 1
}

# Link, run aloud, run the library's, and say what they share: run MINE [RUN].  The run "share" is no run: it counts.
run() {
    if [ "$2" = share ]; then
        finished "" >"$OUT/finished.txt"
        share >&2
        return
    fi
    [ -n "$(commands_of "${2:-story}")" ] || { say "no run '$2'. There are: story $(run_names | tr '\n' ' ')share" >&2; exit 2; }
    link "$1"
    run_both "${2:-story}" || exit
    show_calls "${2:-story}" "$1" >&2
    compare "${2:-story}" >&2 || : # another way to the same words is no error
    say "how much of what runs for each token is yours: make run MINE=all RUN=share" >&2
}
run_both() {
    commands=$(commands_of "$1")
    export MODEL="${MODEL:-layer5_models/models/storyteller.gguf}" PROMPT="${PROMPT:-Once upon a time}" CHAIN="${CHAIN:-balanced}" SEED="${SEED:-1}"
    : >"$OUT/calls.txt"
    [ "$1" = story ] || say "$1: $(awk -F' [|] ' -v name="$1" '$1 == name { print $2 }' exercises/runs.txt)" >&2
    { CALLS_TO=$OUT/calls.txt run_with "$OUT/strata" "$RUNS/mine" "$commands"; say $? >"$OUT/status"; } | tee "$OUT/said.txt"
    mv "$OUT/said.txt" "$RUNS/mine/said.txt"
    [ "$(cat "$OUT/status")" -ne 77 ] || { say "not on this machine: it lacks the instructions" >&2; return 77; }
    [ "$(cat "$OUT/status")" -eq 0 ] || { say "it ended with status $(cat "$OUT/status")" >&2; return 1; }
    run_with build/bin/strata "$RUNS/ours" "$commands" >"$OUT/said.txt" 2>/dev/null
    mv "$OUT/said.txt" "$RUNS/ours/said.txt"
}
