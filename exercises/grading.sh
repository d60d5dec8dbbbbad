# How a work of code is graded: sourced by desk and check, after list.sh.
#
# A learner's object is linked before the library's own of that file, which is weak: what the learner has takes its place, and
# the rest is the library's.  The exercise's grader, then a test of its layer run the learner's functions: a grader that comes to
# its end says so by its status, which is enough.
. library/parts.sh
LIBS="$tables $archives" TOP= # the last layer of which LIBS has the core, if it has the cores only
OBJECTS=build/exercises/objects
INCLUDE="-Iexercises -Itests $includes"
FLAGS="-std=c11 -D_GNU_SOURCE -ffp-contract=off -O3 -g -Wall -Wextra -Wno-unused-function -Wno-unused-parameter -Wno-unused-variable -Wno-unused-const-variable"
SECONDS_EACH=${SECONDS_EACH:-20} # for a grader; a layer's own test has three times as long
SECONDS_GRADER=$SECONDS_EACH
export CC FLAGS INCLUDE TOP

# Is cmocka there?  Without it only the graders speak.
has_cmocka() { printf '#include <stdarg.h>\n#include <stddef.h>\n#include <setjmp.h>\n#include <stdint.h>\n#include <cmocka.h>\n' | $CC -E - >/dev/null 2>&1; }

# What grading stands on.  A Mac has these when it has a compiler; elsewhere nm comes with one, too.
needs() { # needs PROGRAM WHAT
    command -v "$1" >/dev/null 2>&1 || { say "$1 is missing, which $2: make deps installs it" >&2; return 1; }
}

has_tools() {
    command -v "${CC%% *}" >/dev/null 2>&1 || { say "there is no C compiler '${CC%% *}': make deps installs one; CC=clang names another" >&2; return 1; }
    needs make "builds the graders" && needs nm "tells the library's functions"
}

# Compile what all gradings share, or only what one exercise needs: prepare [NUMBER].  Says so when that takes a while.
prepare() {
    has_tools || return 1
    [ -n "${CMOCKA+told}" ] || CMOCKA=$(has_cmocka && say yes)
    export CMOCKA
    shared=all what="all graders, and what they compare with"
    if [ -n "$1" ]; then
        about "$1"
        what="the grader of $1, and what it compares with"
        shared="$(shared_of "$its_source") $(object_for "$its_grader")"
        [ -z "$CMOCKA" ] || [ -z "$its_test" ] || shared="$shared $(object_for "$its_test")"
    fi
    # shellcheck disable=SC2086
    make_objects "compiling $what, once" $shared
}

# make_objects WORDS FILE...: with a line about it, and how many files that is, when something is to be made.
make_objects() {
    words=$1
    shift
    make_counted "$words" exercises/objects.mk "$@"
}

# make_counted WORDS MAKEFILE FILE...: a rule says "+ FILE" when it begins one.  On a terminal each is shown, else every fortieth.
make_counted() (
    words=$1 all=0
    shift
    unset MAKEFLAGS MAKELEVEL MFLAGS
    make -q -f "$@" 2>/dev/null && exit
    all=$(make -n -s -f "$@" 2>/dev/null | grep -c '^echo "+ ')
    say "$words (files: $all) ..." >&2
    began=$(date +%s) done=0
    { make -s -j"$(cores)" -f "$@"; say "= $?"; } | while read -r sign file; do
        case $sign in
        +) done=$((done + 1))
           if [ -t 2 ]; then printf '\r\033[K[%d of %d] %s' $done "$all" "$file" >&2
           elif [ $((done % 40)) -eq 0 ]; then say "[$done of $all] $file" >&2; fi ;;
        =) [ ! -t 2 ] || printf '\r\033[K' >&2
           [ "$file" -ne 0 ] || say "compiled in $(($(date +%s) - began)) s" >&2
           exit "$file" ;;
        esac
    done
)

# Where not everything is built, an exercise of the core is graded with the cores of its layer and those below, if its grader and
# test pass the library's own work with them: cores_suffice NUMBER.  Sets LIBS.
cores_suffice() {
    about "$1"
    case $its_source in */src/*) ;; *) return 1 ;; esac
    [ ! -e build/bin/strata ] && has_tools || return 1
    TOP=${1%%.*} LIBS=
    first "core-$TOP"
    for layer in layer[1-"$TOP"]_*; do LIBS="build/lib/lib${layer#*_}.a $LIBS"; done
    prepare "$1" || exit 2
    # shellcheck disable=SC2086
    newer "$OUT/$1.cores" "$(object_for "$its_grader")" $LIBS 2>/dev/null && return
    if (check "$1" "$(object_of "$its_source")") >/dev/null 2>&1; then touch "$OUT/$1.cores"; return; fi
    TOP='' LIBS="$tables $archives"
    return 1
}

first() { (unset MAKEFLAGS MFLAGS MAKELEVEL; $BUILD_FIRST "$1") || exit 2; }

# Is a file newer than each of the others?  newer FILE OTHER...
newer() {
    made=$1
    shift
    for other in "$@"; do [ "$made" -nt "$other" ] || return 1; done
}
cores() { nproc 2>/dev/null || sysctl -n hw.ncpu 2>/dev/null || echo 2; }
object_for() { say "$OBJECTS/${1%.c}.o"; }

# Compile a learner's file: compile FILE NUMBER OBJECT
compile() {
    about "$2"
    $CC $FLAGS $INCLUDE -I"$its_layer/src" -I"$its_layer/extras" -I"${its_source%/*}" -c "$1" -o "$3"
}

# Run a grader or a test with a limit of time and of what it prints (some 10 MB), into $OUT/run.log: run_limited ISA PROGRAM ARGUMENTS...
run_limited() {
    isa=$1
    shift
    ( (ulimit -f 20000; STRATA_ISA=$isa GRADE_SECONDS=$SECONDS_EACH exec "$@" >"$OUT/run.log" 2>&1)
    exit $?) 2>/dev/null # the outer shell is the one that remarks on signals
}

# What killed it, by the status the shell gives a signal; nothing when it ended by itself.
killed_by() {
    case $1 in
    132) say "an illegal instruction" ;; 134) say "it was aborted" ;; 135 | 138) say "a bus error" ;;
    136) say "a division by zero" ;; 139) say "a segmentation fault" ;; 142 | 152) say "too slow" ;;
    153) say "it never stopped printing" ;;
    129 | 1[3-5][0-9]) say "signal $(($1 - 128)) ended it" ;;
    esac
}

# Say that it ran too long, if that is how it ended: too_long STATUS
too_long() {
    case $1 in
    152) say "  not done after $SECONDS_EACH seconds: a loop that never ends?" ;;
    142) say "  not done after $((3 * SECONDS_EACH)) seconds by the clock: a loop that never ends, or is it waiting for something?" ;;
    *) return 1 ;;
    esac
}

# Say how it ended before its time, and where, when sanitizers can tell: explain STATUS NUMBER FILE MAIN LIBRARIES...
explain() {
    status=$1 number=$2 file=$3 main=$4
    shift 4
    ! too_long $status || return
    cause=$(killed_by "$status")
    if [ -z "$cause" ]; then say "  the check ended too early (status $status): did something call exit?"; return; fi
    say "  it crashed: $cause"
    grep -m 1 'contract broken' "$OUT/run.log" | sed 's/^/  /'
    [ -n "$file" ] || return
    plain=$FLAGS
    FLAGS="$FLAGS -O0 -fno-omit-frame-pointer -fsanitize=address,undefined"
    # shellcheck disable=SC2046
    if compile "$file" "$number" "$OUT/crash.o" 2>/dev/null &&
        $CC $FLAGS $INCLUDE -I"$its_layer/tests" "$main" "$OUT/crash.o" $(shared_of "$its_source") "$@" $LIBS -lm -lpthread -o "$OUT/crash" 2>/dev/null; then
        ASAN_OPTIONS=detect_leaks=0 run_limited "$isa" "$OUT/crash" "$number"
        where_it_was "$file"
    else
        say "  (a sanitizer would say where: install libasan, or run $OUT/grade $number in a debugger)"
    fi
    FLAGS=$plain
}

# The line that the sanitizers name in the learner's file, and what it does.
where_it_was() {
    where=$(grep -o "$(basename "$1"):[0-9][0-9]*" "$OUT/run.log" | head -1)
    [ -n "$where" ] || return
    say "  at $DESK/$where: $(sed -n "${where##*:}p" "$1" | sed 's/^ *//')"
    case $(cat "$OUT/run.log") in
    *runtime\ error:*) sed -n 's/.*runtime error: /  which is: /p' "$OUT/run.log" | head -1 ;;
    *stack-overflow*) say "  which is: a function that calls itself without end" ;;
    *-overflow*) say "  which is: an index out of range" ;;
    *) say "  which is: a pointer that points nowhere, or an index far out of range" ;;
    esac
}

# A failure of cmocka in words: the test's name, what it demands, and both numbers as people write them; the name alone if it
# ended within a test.
translate() {
    awk 'function decimal(t, v, i, digit) { # of 64 bits; those that begin with f are negative
            if (t !~ /^0x[0-9a-f]+$/) return t
            for (i = 3; i <= length(t); i++) {
                digit = index("0123456789abcdef", substr(t, i, 1)) - 1
                v = v * 16 + (t ~ /^0xf/ && length(t) == 18 ? 15 - digit : digit)
            }
            return sprintf("%.0f", t ~ /^0xf/ && length(t) == 18 ? -v - 1 : v) }
        /^\[ RUN / { test = running = $NF }
        /^\[ +(OK|FAILED) +\]/ { running = "" }
        /^ERROR: / && message == "" { message = substr($0, 8) } # of assert_near
        /^\[  ERROR   \] --- / { sub(/^\[  ERROR   \] --- /, ""); if (message == "" && !/^\[   LINE/) message = $0 }
        /error: Failure!/ && where == "" { where = $0; sub(/^\[   LINE   \] --- /, "", where); sub(/: error: Failure!.*/, "", where); name = test }
        END {
            if (message == "" && where == "") {
                if (running != "") print "  in the layer'"'"'s test " running ":"
                exit
            }
            print "  the layer'"'"'s own test " (name == "" ? test : name) (where == "" ? "" : ", " where) ":"
            at = where; sub(/^.*:/, "", at); file = where; sub(/:[0-9]+$/, "", file)
            if (where != "") while ((getline text < file) > 0) if (++n >= at + 0 && n < at + 4) { gsub(/^[ \t]+/, "", text); print "    " text; if (text ~ /;/) break }
            if (split(message, side, " != ") == 2) print "  got " decimal(side[1]) ", expected " decimal(side[2])
            else if (message !~ /^[(a-z]/ || message ~ /got|want/) print "  " message }' "$OUT/run.log"
}

# What is linked beside a learner's object, of one source or several.
shared_of() {
    for source in "$@"; do say "$OBJECTS/weak/${source%.c}.o"; done
    say "$OBJECTS/todo.o" "$OBJECTS/shipped$TOP.a"
}

# Link a program with the learner's object before the libraries: build_with OBJECT MAIN.o PROGRAM LIBRARIES...
build_with() {
    object=$1 main=$2 program=$3
    shift 3
    # shellcheck disable=SC2046,SC2086
    $CC "$main" "$object" $(shared_of "$its_source") $LIBS "$@" -lm -lpthread -o "$program" 2>"$OUT/link.log" && return
    # shellcheck disable=SC2046,SC2086
    unlinked "$object" "$main" $(shared_of "$its_source") $LIBS
    return 1
}

nearest() { xargs tests/nearest.sh "$1" | head -1; } # of the words on standard input
taken() { say "  hint: the library has, or calls, a function named $1: make yours static, or give it another name"; }

# What the linker misses, or has twice, in words: unlinked OBJECT OTHERS...
unlinked() {
    globals "$1" | while read -r how name; do ! grep -q -w -e "$name" -e "_$name" "$OUT/link.log" || say "$how $name"; done >"$OUT/unlinked"
    shift
    name=$(sed -n 's/^used //p' "$OUT/unlinked" | head -1) twice=$(sed -n 's/^defined //p' "$OUT/unlinked" | head -1)
    if [ -n "$name" ]; then
        say "  hint: your file calls $name, and there is no such function$(globals "$@" | sed -n 's/^defined //p' | nearest "$name" | sed 's/.*/: did you mean &?/')"
    elif [ -n "$twice" ]; then taken "$twice"
    else say "  hint: it does not link: $(grep -m 1 . "$OUT/link.log")"; fi
}
unwritten() { [ "$1" -eq 77 ] && grep -q "not written yet" "$OUT/run.log"; }

# The layer's own test, a net below the grader: by_test NUMBER OBJECT FILE
by_test() {
    build_with "$2" "$(object_for "$its_test")" "$OUT/test" -lcmocka || return 1
    SECONDS_EACH=$((3 * SECONDS_GRADER))
    run_limited $isa "$OUT/test"
    status=$?
    if [ $status -eq 0 ] && grep -q 'PASSED  \] [0-9]* test' "$OUT/run.log"; then return 0; fi
    unwritten $status && return 77
    case $(cat "$OUT/run.log") in
    *exception:\ Seg*) status=139 ;; *exception:\ Abort*) status=134 ;; *exception:\ Floating*) status=136 ;; *exception:\ Ill*) status=132 ;;
    esac
    translate
    if [ $status -eq 0 ] || [ -n "$(killed_by $status)" ]; then explain $status "$1" "$3" "$its_test" -lcmocka; fi
    [ -z "$3" ] || [ "$its_kind" = break ] || say "  hint: $(first_hint "$1")"
    return 1
}

# The library's would stand in for it, unseen.
lacks() { # lacks NUMBER OBJECT
    globals "$(object_of "$its_source")" >"$OUT/shipped.txt"
    [ "$its_kind" != break ] || return 1
    globals "$2" | grep '^defined' | grep -vxF -f "$OUT/shipped.txt" | cut -d' ' -f2 >"$OUT/own.txt"
    for name in $(field "$1" 7 | tr ',' ' '); do
        if ! grep -qx "defined $name" "$OUT/shipped.txt" || globals "$2" | grep -qx "defined $name"; then continue; fi
        say "  hint: the grader looks for $name, and your file has no such function$(nearest "$name" <"$OUT/own.txt" | sed 's/.*/; it has &/')"
        return 0
    done
    return 1
}

# What no function of an exercise needs: the library's under another name, a way out of the grader, a name of its own that others
# call, and a variable that outlives the call, which two threads would share: borrows NUMBER OBJECT MAIN
borrows() {
    globals "$2" | grep -vxF -f "$OUT/shipped.txt" | sed -n 's/^used //p' >"$OUT/used.txt"
    case $1 in 2.*) products='mat\(mul\|vec\).*' ;; *) products=syscall ;; esac
    name=$(grep -m 1 -x -e 'shipped_.*' -e '.*_\(avx2\|avx512.*\|neon\|wasm\)' -e '_*[Eeq].*xit' -e 'v*errx*' -e '.*longjmp.*' \
        -e 'system\|popen\|v*fork\|exec[lv][a-z]*\|posix_spawnp*\|dlsym\|syscall' -e "$products" "$OUT/used.txt")
    [ -z "$name" ] || { say "  hint: your file calls $name: the exercise is to compute the result yourself"; return 0; }
    if [ -s "$OUT/own.txt" ]; then
        # shellcheck disable=SC2086
        name=$(globals "$3" $LIBS | sed -n 's/^used //p' | grep -m 1 -xF -f "$OUT/own.txt")
        [ -z "$name" ] || { taken "$name"; return 0; }
    fi
    [ "$1" != 1.14 ] && ! grep -qx 'call_once\|pthread_once' "$OUT/used.txt" || return 1 # a lock is static, and what is set but once
    kept=$(variables "$2" | grep -vxF "$(variables "$(object_of "$its_source")")" | grep -v -m 1 '^__.*\(gcov\|asan\)' | sed 's/ .*//; s/\.[0-9.]*$//')
    [ -z "$kept" ] || { say "  hint: the variable $kept outlives the call, and threads that call the function at once would share it.  If it is only read, make it const"; return 0; }
    return 1
}

# What an object keeps and may change: name, class and, but on a Mac, size.  Mach-O tells by the letter, ELF by the section.
variables() {
    if [ "$SYSTEM" = Darwin ]; then nm "$1" | awk '$(NF - 1) ~ /^[bBdDC]$/ { print $NF, $(NF - 1) }'
    else nm -f sysv "$1" | awk -F '[ ]*[|][ ]*' '$NF ~ /^([.]l?(data|bss)|[*]COM)/ && $NF !~ /rel[.]ro/ { print $1, $3, $5 }'; fi
}

# The checks of one exercise on an object: check NUMBER OBJECT FILE [explain]; 0 passed, 77 not written, else failed.  Whoever
# calls it has prepared.  With "explain" a crash is run again under sanitizers.
check() {
    isa=auto SECONDS_EACH=$SECONDS_GRADER
    case $1 in 2.*) isa=scalar ;; esac
    source_file=${4:+$3}
    about "$1"
    : >"$OUT/own.txt"
    ! lacks "$1" "$2" && ! borrows "$1" "$2" "$(object_for "$its_grader")" || return 1
    build_with "$2" "$(object_for "$its_grader")" "$OUT/grade" || return 1
    run_limited $isa "$OUT/grade" "$1"
    status=$?
    sed 200q "$OUT/run.log"
    unwritten $status && return 77
    case $status in
    42) ;; # how a grader ends that has come to its end
    1) [ -s "$OUT/run.log" ] || explain $status "$1" "$source_file" "$its_grader"; return 1 ;;
    *) explain $status "$1" "$source_file" "$its_grader"; return 1 ;;
    esac
    [ -n "$its_test" ] && [ -z "$GRADER_ALONE" ] || return 0
    if [ -n "$CMOCKA" ]; then by_test "$1" "$2" "$source_file"; else say "  (the layer's own tests need cmocka: make deps)"; fi
}
