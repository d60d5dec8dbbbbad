# The list of exercises, and where each one's files lie: sourced by desk and check.
#
# layerN/exercise/holes.txt has a row for each: number, kind, title, minutes, page, file or command, functions, test, hints.
# An exercise is one or a few functions of a source file of a layer.
CC=${CC:-cc}
DESK=${DESK:-exercises}
OUT=${OUT:-build/exercises}
PROGRESS=$DESK/progress.txt
SYSTEM=${SYSTEM:-$(uname)}
export SYSTEM
mkdir -p "$OUT"

say() { printf '%s\n' "$*"; }
layer_of() { for folder in layer"${1%%.*}"_*; do say "$folder"; done; }
rows() { awk -F' [|] ' -v want="$1" '!/^#/ && (want == "" || ($1 "") == (want "") || index($1, want ".") == 1)' layer*/exercise/holes.txt; }
numbers() { rows "$1" | awk -F' [|] ' '{ print $1 }'; }
field() { awk -F' [|] ' -v n="$2" -v x="$1" '($1 "") == (x "") { print $n }' layer*/exercise/holes.txt; }
known() {
    [ -n "$1" ] || { say "which exercise? Give its number, such as 3.1; make learn lists them" >&2; exit 2; }
    [ -n "$(field "$1" 1)" ] || { say "no exercise '$1': make learn lists them" >&2; exit 2; }
}
# The hints of an exercise, one in a line; the first says the least.
hints_of() { field "$1" 9 | awk '{ gsub(/ \/ /, "\n"); print }'; }
first_hint() { hints_of "$1" | head -1; }
# A layer, an exercise, or nothing: all of them.
selection() { case $1 in '' | [1-6]) ;; *) known "$1" ;; esac; }
is_code() { case $(field "$1" 2) in fill | break | speed) true ;; *) false ;; esac; }

# Where the learner's file of an exercise lies.
file_of() {
    if is_code "$1"; then say "$DESK/$1_$(basename "$(field "$1" 6)")"; else say "$DESK/$1.txt"; fi
}

# The row of an exercise in variables, read once: its kind, source, layer, grader and test (of its layer, or nothing).
about=
about() { # about NUMBER
    [ "$about" != "$1" ] || return 0
    about=$1
    its_kind=$(field "$1" 2) its_source=$(field "$1" 6) its_layer=$(layer_of "$1") its_test=$(field "$1" 8)
    if [ "$its_test" = - ]; then its_test=; else its_test=$its_layer/tests/$its_test.c; fi
    its_grader=$(grep -l "{\"$1\"," "$its_layer"/exercise/grade*.c)
}

# The library's object of a source.
object_of() { say "build/${1%.c}.o"; }

# The global names of objects and libraries, one in a line: "defined softmax", "used vector_max".
globals() {
    nm -g "$@" 2>/dev/null | awk -v mac="$SYSTEM" '
        NF >= 2 && $(NF - 1) ~ /^[A-Za-z]$/ { name = $NF; if (mac == "Darwin") sub(/^_/, "", name); print ($(NF - 1) ~ /^[Uw]$/ ? "used " : "defined ") name }'
}

# A file with several exercises is cut: a starter holds one of them.
hollow() { # hollow NUMBER [-v keep=1]
    of_file=$(field "$1" 6) of_number=$1
    shift
    [ "$(rows "" | awk -F' [|] ' -v file="$of_file" '$6 == file' | wc -l)" -eq 1 ] || set -- "$@" -v cut=1
    awk "$@" -v names="$(field "$of_number" 7)" -v number="$of_number" -f exercises/functions.awk -f exercises/hollow "$of_file"
}
# What the library has in a starter's place.
ours_of() { if [ "$(field "$1" 2)" = break ]; then cat "$(field "$1" 6)"; else hollow "$1" -v keep=1; fi; }

starter() { # starter NUMBER: on standard output
    case $(field "$1" 2) in
    fill) hollow "$1" ;;
    break)
        say "/* Exercise $1.  Something in this file is wrong: find it and fix it, then: make grade $1 */"
        sed "$(field "$1" 7)" "$(field "$1" 6)" ;;
    speed)
        say "/* Exercise $1.  Make $(field "$1" 7) faster, then: make grade $1 */"
        ours_of "$1" ;;
    *) cat "$(layer_of "$1")/exercise/$1.txt" ;;
    esac
}

# What a file holds, in a number and a size: what passed is told from what it became.
sum_of() { cksum <"$1" | tr ' ' '-'; }
has_passed() { grep -q "^$1 passed $(sum_of "$(file_of "$1")")\$" "$PROGRESS" 2>/dev/null; }

note() { # note NUMBER STATE SUM
    touch "$PROGRESS"
    grep -v "^$1 " "$PROGRESS" >"$PROGRESS.new"
    say "$1 $2 $3" >>"$PROGRESS.new"
    mv "$PROGRESS.new" "$PROGRESS"
}
