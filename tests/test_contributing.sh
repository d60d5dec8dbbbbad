#!/bin/sh
# The recipes of CONTRIBUTING.md, as they are printed there, run in a copy of the tree with a copy of what was built.
build=${BUILD:-build}
. "$(dirname "$0")/program.sh"
cd "$here/.." || exit 1
unset MAKEFLAGS MAKELEVEL MFLAGS BUILD
[ -z "$SAN$TSAN" ] || { ok "recipes are of the plain build"; exit 0; }
export CFLAGS="${CFLAGS:--O1}" # what is compiled here is not timed

copy="$work/a copy"
mkdir -p "$copy/build/exercises"
git ls-files -z | tar --null -T - -cf - | tar -xf - -C "$copy"
cp -a "$build/bin" "$build/lib" "$build"/layer[1-6]_* "$copy/build/"
if [ -d "$build/exercises/objects" ]; then cp -a "$build/exercises/objects" "$copy/build/exercises/"; fi

recipe() { # recipe HEADING: the first block below it
    awk -v heading="## $1" '/^## / { on = $0 == heading } /^```/ { if (open) exit; if (on) open = 1; next } open' CONTRIBUTING.md
}
follow() { # follow HEADING: into $work/said, with what went wrong as the last line
    recipe "$1" >"$work/recipe"
    lines=$(grep -c . "$work/recipe")
    if [ "$lines" -ge 1 ] && [ "$lines" -le 10 ]; then ok "$1: $lines lines"; else not "$1" "$lines lines, wanted 1 to 10"; fi
    (cd "$copy" && sh "$work/recipe") >"$work/said" 2>&1 </dev/null
    status=$?
}
says() { # says NAME PATTERN
    if grep -q -e "$2" "$work/said"; then ok "$1"; else not "$1" "no '$2' in: $(tail -c 700 "$work/said")"; fi
}
ends_with() { same "$1" "$status" "$2"; }
same "every recipe is run here" "$(sed -n 's/^ *follow "\(.*\)"$/\1/p' tests/test_contributing.sh | sort)" \
    "$(awk '/^## / { heading = substr($0, 4) } /^```sh/ { print heading }' CONTRIBUTING.md | sort)"

if tests/needs.sh test 2>/dev/null; then
    follow "Build and test"
    ends_with "to build and test ends well" 0
    says "the tests of a layer are run" " passed, 0 failed"
    says "and editors get their file" "compile_commands.json: [0-9]* files"
else
    echo "SKIPPED: cmocka is not installed, how to build and test is not tried"
fi

follow "Add a family of models"
ends_with "a new family ends well" 0
says "it is listed" "^fable  *Fable 1"
says "random models of it agree with the reference" "^fable .* 24/24 "
says "and a file of it is read" "fable"

follow "Add a sampler"
ends_with "a new sampler ends well" 0
says "it is described" "keep the two best"
says "it writes a story" "top_two,temp:2,draw"
same "and acts" "$(printf '3\n2\n1\n0\n' | "$copy/build/bin/strata" chain --chain top_two,draw 2>/dev/null | awk -F, '$2 == "top_two" && $7 == 1' | grep -c .)" 2

if command -v mkdocs >/dev/null 2>&1; then
    follow "Add a page"
    ends_with "a new page ends well" 0
    says "it shows the source" "candidates_keep_best"
    says "and what a command printed" "1,top_k,1,0,2,"
    sed -i.old 's, layer6/two.md\,,,' "$copy/mkdocs.yml"
    (cd "$copy" && docs/page.sh docs/layer6/two.md) >"$work/said" 2>&1
    says "a page that is not in the navigation is refused" "docs/layer6/two.md: not in the navigation. Add it to nav in mkdocs.yml"
    echo '{{ run false }}' >>"$copy/docs/layer6/automata.md"
    (cd "$copy" && docs/page.sh docs/layer6/automata.md) >"$work/said" 2>&1
    says "and a command that fails, with its place" "docs/layer6/automata.md:[0-9]*: fails with 1: false"
else
    echo "SKIPPED: mkdocs is not installed, how to add a page is not tried"
fi

follow "Add an exercise"
says "a new exercise is listed" "3.99  *fill  *length one"
says "it has a starter" "exercises/3.99_norm.c is ready"
says "which is not graded before it is started" "3.99 is not started"
sed 's/float length = sqrtf(dot_f32(x, x, dim)), scale/float length = dot_f32(x, x, dim), scale/' layer3_nn/src/norm.c >"$copy/exercises/3.99_norm.c"
(cd "$copy" && make -s grade 3.99) >"$work/said" 2>&1
says "a wrong work gets the hint" "hint: 3 and 4: length 5"
cp layer3_nn/src/norm.c "$copy/exercises/3.99_norm.c"
(cd "$copy" && make -s grade 3.99) >"$work/said" 2>&1
says "and a right one passes" "^passed  *3.99"
