# Debugging labs: the program with one defect in it, to be found from what it does.  Sourced by desk and check, after grading.sh.
#
# exercises/debug/labs.txt has a row for each.  A lab's folder on the desk holds the sources of the layers with the defect in one of
# them, and a program that was made of them.  What the learner changes there is compiled, linked before the library, and run.
lab_field() { awk -F' [|] ' -v n="$2" -v x="$1" '!/^#/ && $1 == x { print $n }' exercises/debug/labs.txt; }
lab_numbers() { awk -F' [|] ' '!/^#/ { print $1 }' exercises/debug/labs.txt; }
is_lab() { case $1 in D[0-9]*) [ -n "$(lab_field "$1" 1)" ] ;; *) false ;; esac; }
LAB_WORK=$OUT/debug.$$ # two gradings at once do not meet
lab_ends() { trap 'rm -rf "$LAB_WORK"' EXIT; trap 'exit 130' INT TERM; }

# The folders that a lab holds, and what make needs to build the story in it.
lab_copy() { # lab_copy TO
    mkdir -p "$1" || return 1
    for layer in layer[1-6]_*; do
        mkdir -p "$1/$layer"
        for part in Makefile src include extras story.c models world; do
            [ ! -e "$layer/$part" ] || cp -R "$layer/$part" "$1/$layer/" || return 1
        done
    done
    mkdir -p "$1/tests" && cp tests/needs.sh tests/guard.* "$1/tests/" && cp Makefile layer.mk "$1/"
}
lab_sources() { (cd "$1" && find layer[1-6]_*/src layer[1-6]_*/include layer[1-6]_*/extras -name '*.[ch]' 2>/dev/null | sort); }

# The library's sources that differ from the repository's, and the first that is missing.
lab_changed() { lab_sources "$1" | while read -r file; do [ ! -e "$file" ] || cmp -s "$file" "$1/$file" || say "$file"; done; }
lab_misses() { lab_sources . | while read -r file; do [ -e "$1/$file" ] || { say "$file"; break; }; done; }

# Compile what differs, and link the program: lab_link FOLDER PROGRAM [FLAGS]
lab_link() {
    folder=$1 program=$2 flags=$3 objects=
    mkdir -p "$LAB_WORK"
    make_objects "compiling what stands around it, once" "$OBJECTS/commands.o" "$OBJECTS/todo.o" || return 1
    for file in $(lab_changed "$folder"); do
        case $file in *.h) say "  $file differs from the library's: the defect is in a .c file" >&2; return 1 ;; esac
        object=$LAB_WORK/$(say "$file" | tr / _).o
        # shellcheck disable=SC2086
        $CC $FLAGS $INCLUDE $flags -I"${file%%/*}/src" -I"${file%%/*}/extras" -I"${file%/*}" -I"build/${file%%/*}" -c "$folder/$file" -o "$object" || return 1
        objects="$objects $object"
    done
    # shellcheck disable=SC2086
    $CC $flags $objects "$OBJECTS/commands.o" "$OBJECTS/todo.o" build/layer6_inference/program.a $LIBS -lm -lpthread -o "$program"
}

# What the commands print: lab_output PROGRAM NUMBER [ISA].  A linked program ends itself when it runs too long (todo.c).
lab_output() {
    rm -rf "$LAB_WORK/to" && mkdir -p "$LAB_WORK/to"
    STRATA=$1 TO=$LAB_WORK/to MODEL=${MODEL:-layer5_models/models/storyteller.gguf} STRATA_ISA=${3:-auto} GRADE_SECONDS=$SECONDS_EACH \
        ASAN_OPTIONS=detect_leaks=1:exitcode=86 sh -c "ulimit -f 100000; $(lab_field "$2" 7)" 2>"$LAB_WORK/errors"
}

lab_has_asan() { mkdir -p "$LAB_WORK" && printf 'int main(void) { return 0; }\n' >"$LAB_WORK/asan.c" && $CC -fsanitize=address "$LAB_WORK/asan.c" -o "$LAB_WORK/asan" 2>/dev/null && "$LAB_WORK/asan"; }

# Is the defect gone?  lab_right NUMBER FOLDER
lab_right() {
    case $(lab_field "$1" 2) in
    memory)
        lab_link "$2" "$LAB_WORK/strata" "-O1 -g -fsanitize=address" || return 1
        lab_output "$LAB_WORK/strata" "$1" >"$LAB_WORK/theirs"
        ! too_long $? || return 1
        if grep -q 'ERROR: \(Address\|Leak\)Sanitizer' "$LAB_WORK/errors"; then grep -m1 'ERROR: ' "$LAB_WORK/errors" | sed 's/.*ERROR: /  /' ; return 1; fi ;;
    *) lab_link "$2" "$LAB_WORK/strata" || return 1 ;;
    esac
    case $(lab_field "$1" 2) in sets) sets="scalar avx2 auto" ;; *) sets=auto ;; esac
    for isa in $sets; do
        ours=$(lab_timed build/bin/strata "$1" $isa "$LAB_WORK/ours") || { say "  the library's own program fails: $(head -1 "$LAB_WORK/errors")"; return 1; }
        theirs=$(lab_timed "$LAB_WORK/strata" "$1" $isa "$LAB_WORK/theirs") || { too_long $? || say "  it ends with: $(head -1 "$LAB_WORK/errors")"; return 1; }
        cmp -s "$LAB_WORK/ours" "$LAB_WORK/theirs" || { say "  it still prints something else$([ $isa = auto ] || say " (STRATA_ISA=$isa)")"; lab_differs; return 1; }
    done
    [ "$(lab_field "$1" 2)" != slow ] || awk -v ours="$ours" -v theirs="$theirs" 'BEGIN { if (theirs > 1.6 * ours + 0.1) { printf "  it still takes %.2f s, the library %.2f\n", theirs, ours; exit 1 } }'
}

# The first line that differs.
lab_differs() { diff -a "$LAB_WORK/ours" "$LAB_WORK/theirs" | awk '/^[<>]/ && !seen[substr($0, 1, 1)]++ { print "    " ($1 == "<" ? "wanted: " : "got:    ") substr($0, 3, 90) }'; }

# Seconds of the processor that the commands take; what they print goes to a file: lab_timed PROGRAM NUMBER ISA FILE
lab_timed() { (lab_output "$1" "$2" "$3" >"$4" || exit; times >"$LAB_WORK/times"; awk 'NR == 2 { for (i = 1; i <= 2; i++) { split($i, t, "m"); s += 60 * t[1] + t[2] } print s }' "$LAB_WORK/times"); }

lab_start() {
    folder=$DESK/$1
    if [ -e "$folder" ]; then
        say "$folder already exists (make reset $1 starts over): $(lab_field "$1" 3)"
    else
        ready
        lab_ends
        lab_copy "$folder" && sed "$(lab_field "$1" 6)" "$(lab_field "$1" 5)" >"$folder/$(lab_field "$1" 5)" &&
            lab_link "$folder" "$folder/strata" -g0 || exit 1
        find "$folder" -exec touch -r Makefile {} +
        say "$folder is ready: $(lab_field "$1" 3), about $(lab_field "$1" 4) minutes"
    fi
    say "The symptom: $(lab_field "$1" 8)"
    say "See it; with STRATA=build/bin/strata it is right:"
    say "    STRATA='$folder/strata' MODEL=layer5_models/models/storyteller.gguf TO=\$(mktemp -d)$([ "$(lab_field "$1" 2)" != sets ] || say "; export STRATA_ISA=avx2")"
    lab_field "$1" 7 | awk '{ gsub(/ && /, "\n"); print }' | sed 's/^/    /'
    say "The defect is one line in one of the .c files below $folder.  Find it with what you have: look, logits, dump, profile and"
    say "generate --trace of that program, a debugger, perf; in $folder, make story DEBUG=1, SAN=1 or TSAN=1.  Mend it there, then: make"
    say "grade $1; make hint $1 helps"
}

lab_grade() {
    folder=$DESK/$1
    [ -e "$folder" ] || { say "$1 is not started: make start $1" >&2; exit 1; }
    missing=$(lab_misses "$folder")
    [ -z "$missing" ] || { say "$folder has no $missing: make reset $1 starts over" >&2; exit 2; }
    ready
    lab_ends
    [ "$(lab_field "$1" 2)" != memory ] || lab_has_asan || { say "$1 needs AddressSanitizer, which this compiler does not have: make deps installs it" >&2; exit 2; }
    if lab_right "$1" "$folder"; then
        note "$1" passed "$(cksum <"$folder/$(lab_field "$1" 5)" | tr ' ' '-')"
        say "passed       $1  $(lab_field "$1" 3)"
    else
        note "$1" failing -
        say "not yet      $1  $(lab_field "$1" 3)"
        return 1
    fi
}

lab_menu() {
    say "Twenty defects to find: make start D1, then make grade D1; make hint D1 helps"
    say ""
    for number in $(lab_numbers); do
        state=$(awk -v x="$number" '$1 == x { print $2 }' "$PROGRESS" 2>/dev/null)
        printf '  %-4s %-7s %-42s %3d min  %s\n' "$number" "$(lab_field "$number" 2)" "$(lab_field "$number" 3)" "$(lab_field "$number" 4)" "$state"
    done
}

lab_reset() {
    [ -e "$DESK/$1" ] || { say "$1 was never started: make start $1 begins it" >&2; exit 1; }
    keep_old "$DESK/$1"
    lab_start "$1"
}
