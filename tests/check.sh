#!/bin/sh
# Everything that is checked beyond the tests, in two lanes side by side.  Each check prints a line: its seconds by the clock and
# those of the processor; of one that fails, what it said last.  At the end stands what was skipped, and where the time went.
#
#   check.sh [long]    long: under sanitizers every test runs, and every exercise is graded
#
# A check whose tool is missing is skipped, and a line says what to install.  Where CI=true a tool that `make deps docs` installs has
# to be there: without it the check counts as failed.
cd "$(dirname "$0")/.." || exit 1
jobs=$(nproc 2>/dev/null || sysctl -n hw.ncpu 2>/dev/null || echo 2)
mkdir -p build
rm -f build/check-*
unset MAKEFLAGS MFLAGS MAKELEVEL # each make below takes all cores
. tests/seconds.sh
step() { # step NAME COMMAND...
    name=$1 seconds_file=build/check-$lane.seconds
    shift
    seconds_begin
    if "$@" >"build/check-$lane.log" 2>&1; then result=ok; else result=FAILED; fi
    seconds_end
    {
        printf '%-7s %-72s %4d s, %4d s of the processor\n' $result "$name" "$clock" "$processor"
        [ $result = ok ] || shown "build/check-$lane.log" | sed 's/^/  /'
    } >"build/check-$lane.said"
    cat "build/check-$lane.said"
    [ $result = ok ] || cat "build/check-$lane.said" >>build/check-failed
    printf '%4d   %s\n' "$processor" "$name" >>"build/check-$lane.steps"
}
# What a failed check said of its failures, and last.
shown() {
    grep -E '^(not ok|FAILED|\[  FAILED|[^ ]*(ERROR|error): )' "$1" | head -20
    tail -40 "$1"
}
# skip NAME TOOLS [deps]: the check that is not made, and what it lacks; deps: `make deps docs` installs that.
skip() {
    said="$1: NOT CHECKED, install $2"
    if [ "${3:-}" = deps ]; then said="$said (make deps docs)"; fi
    if [ "${3:-}" = deps ] && [ "${CI:-}" = true ]; then
        printf 'FAILED  %s\n' "$said" | tee -a build/check-failed
    else
        printf 'SKIPPED %s\n' "$said" | tee -a build/check-skipped
    fi
}
has() { command -v "$1" >/dev/null 2>&1; }

# A layer includes only its own headers and those of lower layers.
includes_go_down() {
    bad=0
    for n in 1 2 3 4 5 6; do
        for higher in $(seq $((n + 1)) 6); do
            for header in layer"$higher"_*/include/*.h layer"$higher"_*/extras/include/*.h; do
                if grep -rl "#include \"$(basename "$header")\"" layer${n}_*/include layer${n}_*/src layer${n}_*/extras; then bad=1; fi
            done
        done
    done
    return $bad
}

# Comments end where code ends (clang-format breaks no comment), but for tables and drawings.  Characters are counted, not bytes.
narrow() {
    git ls-files 'layer*.c' 'layer*.h' 'docs/*.c' | grep -v -e unicode_table.h -e case_table.h -e fold_table.h -e normal_table.h -e grids.h |
        LC_ALL=C xargs awk '{ wide = $0; gsub(/[\200-\277]/, "", wide) }
            length(wide) > 96 && /^ *(\/\*|\*|\/\/)/ && !/   |[|]/ { print FILENAME ":" FNR ": " length(wide) " columns"; bad = 1 } END { exit bad }'
}

# A label (Source, Needs, ...) is set off by spaces and begins a line of its comment; an editor that fills paragraphs moves it.
labelled() {
    git ls-files 'layer*.c' 'layer*.h' | xargs awk '
        FNR == 1 { inside = 0 }
        inside || /\/\*/ {
            if (/[^* ] +((Source|Tutorial|Fails|Needs|Returns|Invariant|Page)(   |$)|(Source|Tutorial) +(layer[1-6]|docs)\/|Invariant: )/ &&
                $0 !~ /^ *\/\* +Invariant: /) {
                print FILENAME ":" FNR ": a label in the middle of a line: " $0; bad = 1
            }
            inside = !/\*\//
        }
        END { exit bad }'
}

formatted() { git ls-files '*.c' '*.h' | grep -v -e unicode_table.h -e case_table.h -e normal_table.h -e grids.h | xargs clang-format --dry-run --Werror; }

# Functions of headers that only tests call, and why each may stay.
only_tested='
'

# Every function a header declares is called by something that is not a test: declared, defined, and named once more outside
# comments.  gcc takes the comments out, of all files at once.
without_comments() { gcc -fpreprocessed -dD -E -P -x c - 2>/dev/null; }
used() {
    # shellcheck disable=SC2046
    cat $(git ls-files 'layer*/include/*.h' 'layer*/src/*.[ch]' 'layer*/extras/*.[ch]' 'layer*/exercise/*.[ch]' 'exercises/*.[ch]' \
              'docs/playground/*.c' 'docs/examples/*.c') |
        without_comments | grep -oE '[a-z][a-z0-9_]*' | sort | uniq -c >build/names
    for header in layer*/include/*.h layer*/extras/include/*.h; do
        printf '\nHEADER %s ;\n' "$header"
        cat "$header"
    done | without_comments | awk -v only_tested="$only_tested" '
        BEGIN {
            while ((getline line < "build/names") > 0) { split(line, part, " "); count[part[2]] = part[1] }
            for (i = split(only_tested, line_of, "\n"); i; i--) { split(line_of[i], part, " "); if (part[1] != "") listed[part[1]] = 1 }
            # macros call fault_abort and profile_*; instruction sets are reached through macros, too
            other = "^(__attribute__|cleanup|sizeof|format|defined|fault_abort|profile_enter|profile_leave|pthread_.*|.*_scalar)$"
        }
        $1 == "HEADER" { header = $2; gsub(/ /, "", header); seen_headers++; next }
        /#define/ { next }
        {
            for (rest = " " $0; match(rest, /[^A-Za-z0-9_][a-z][a-z0-9_]*\(/); rest = substr(rest, RSTART + RLENGTH)) {
                name = substr(rest, RSTART + 1, RLENGTH - 2)
                if (name ~ other || (header, name) in seen) continue
                seen[header, name] = 1; functions++
                if (count[name] < 3 && !(name in listed)) { print header ": " name " is called by no one, or by tests only"; bad = 1 }
                if (count[name] >= 3 && name in listed) { print header ": " name " is used now: take it off the list"; bad = 1 }
            }
        }
        END { if (seen_headers < 10 || functions < 100) { print functions " functions in " seen_headers " headers: were they read?"; bad = 1 }; exit bad }'
}

# A file with conditions of its own is looked at once for each of them, and so are the layers of instruction sets; the others are
# told one machine: for them a header's `#if defined(__x86_64__)` would mean three looks at the same text.
analyzed() {
    find layer[1-6]_*/src layer[1-6]_*/extras layer6_inference/story.c -name '*.c' | sort >build/check-sources
    # shellcheck disable=SC2046
    grep -lE '^ *# *(if|elif)' $(cat build/check-sources) >build/check-conditional
    grep -E '^layer[12]_' build/check-sources | cat - build/check-conditional | sort -u >build/check-each
    comm -23 build/check-sources build/check-each >build/check-once
    analyze build/check-each && analyze build/check-once -D__x86_64__
}
analyze() { # analyze LIST OPTIONS...
    list=$1
    shift
    # shellcheck disable=SC2046
    cppcheck -q --library=tests/cppcheck.cfg --enable=warning,portability --std=c11 --error-exitcode=1 --inline-suppr -j "$jobs" \
        --suppress=missingIncludeSystem --suppress=normalCheckLevelMaxBranches --suppress=unknownMacro \
        --suppressions-list=tests/cppcheck-suppressions.txt \
        $(for layer in layer[1-6]_*; do printf ' -I %s/include -I %s/extras/include -I %s/src -I %s/extras' "$layer" "$layer" "$layer" "$layer"; done) \
        -I layer6_inference/extras/program "$@" --file-list="$list"
}

cross() { # compile for AArch64 and test there under qemu-user
    aarch64-linux-gnu-gcc --version >/dev/null || return 1
    . library/parts.sh
    rm -rf build/arm64
    mkdir -p build/arm64
    for source in layer[1-5]_*/src/*.c layer[1-5]_*/src/*/*.c layer[1-4]_*/extras/*.c layer[1-4]_*/extras/*/*.c \
        layer5_models/extras/train/delta_family.c layer5_models/extras/train/masks.c; do
        case $source in layer5_*) ;; */src/*) [ ! -e "${source%%/*}/extras/${source##*/}" ] || continue ;; esac # its table comes from extras
        [ ! -f "$source" ] || echo "$source"
    done | xargs -P "$jobs" -I{} sh -c "aarch64-linux-gnu-gcc -std=c11 -D_GNU_SOURCE -O3 -ffp-contract=off -Wall -Wextra -Werror $includes -I$build/layer5_models \
        -I\$(echo {} | cut -d/ -f1)/src -I\$(echo {} | cut -d/ -f1)/extras -c {} -o build/arm64/\$(echo {} | tr / -).o" || return 1
    # shellcheck disable=SC2046
    aarch64-linux-gnu-gcc -std=c11 -D_GNU_SOURCE -O3 -ffp-contract=off \
        $includes -Ilayer2_linalg/src tests/kernels/compare.c build/arm64/*.o -static -lm -lpthread -o build/arm64/compare || return 1
    # shellcheck disable=SC2086
    aarch64-linux-gnu-gcc -std=c11 -D_GNU_SOURCE -O3 -ffp-contract=off \
        $includes tests/kernels/train.c build/arm64/*.o -static -lm -lpthread -o build/arm64/train || return 1
    qemu-aarch64 build/arm64/compare && qemu-aarch64 build/arm64/train
}

wasm_kernels() { # the same program, as WebAssembly under node
    . library/parts.sh
    # shellcheck disable=SC2046
    clang --target=wasm32-wasi -std=c11 -D_GNU_SOURCE -D_WASI_EMULATED_MMAN -O2 -ffp-contract=off -Wno-unused-command-line-argument -Idocs/playground \
        $includes -Ilayer2_linalg/src -Ilayer2_linalg/extras -Ilayer1_tensor/src -Ilayer1_tensor/extras tests/kernels/compare.c \
        $(find layer[1-2]_*/src layer[1-2]_*/extras -name '*.c' ! -name file_write.c ! -path 'layer1_tensor/src/file_kind.c' ! -path 'layer2_linalg/src/kernels/kernel_sets.c' ! -path 'layer2_linalg/src/quant_formats.c') \
        -lwasi-emulated-mman -o build/playground/compare.wasm || return 1
    node --no-warnings tests/kernels/run_wasm.mjs build/playground/compare.wasm
}

# A copy of the tree under a name with a space in it, built by the other compiler with sanitizers; its warnings are errors, too.
copied() {
    rm -rf "build/a copy"
    mkdir -p "build/a copy"
    git ls-files -z | tar --null -T - -cf - | tar -xf - -C "build/a copy" || return 1
    in_copy make SAN=1 build && in_copy make SAN=1 run PROMPT="Once upon a time"
}
in_copy() ( unset BUILD; cd "build/a copy" && CC=$other "$@" )

# In a folder of its own: a library that was built without the sanitizer would hide its locks.
threads_watched() ( unset BUILD; make -C layer1_tensor TSAN=1 test )

# What looks at the sources, and what runs damaged input.
sources_and_fuzz() {
    lane=sources
    step "layers include only downwards" includes_go_down
    step "each folder has a row in its layer's README" tests/core.sh check
    step "one word per thing, and the field's" tests/terms.py
    step "comments end at column 96" narrow
    step "labels begin a line of their comment" labelled
    if has python3; then step "what headers promise names its test" python3 tests/claims.py; else skip "what headers promise names its test" python3; fi
    if has clang-format; then step "clang-format" formatted; else skip "clang-format" clang-format deps; fi
    # one compiler has built everything by now, and its warnings are errors
    if cc -dM -E - </dev/null | grep -q __clang__; then other=gcc; else other=clang; fi
    if ! has $other; then
        skip "warnings of a second compiler" $other deps
        other=cc
    fi
    step "$other, warnings as errors, in a path with a space" copied
    step "$tests there, under AddressSanitizer and UndefinedBehaviorSanitizer" in_copy make SAN=1 test WITHOUT="$without"
    if has gcc; then step "no public function that only tests use" used; else skip "no public function that only tests use" gcc deps; fi
    if has cppcheck; then step "cppcheck" analyzed; else skip "cppcheck" cppcheck deps; fi
    if has codespell; then
        step "spelling" codespell -L pres,explanes,dout,nd,bu,thex,te,generat docs README.md exercises layer1_tensor layer2_linalg/include layer2_linalg/src layer2_linalg/extras \
            layer3_nn layer4_transformer layer5_models/include layer5_models/extras/include layer6_inference/include layer6_inference/extras layer6_inference/src layer6_inference/story.c layer6_inference/exercise
    else
        skip "spelling" codespell
    fi
    step "the pool under ThreadSanitizer" threads_watched
    step "every family of models against double precision" make families
    step "20000 damaged model headers" in_copy tests/fuzz/damage.sh
    step "20000 chains of samplers" in_copy tests/fuzz/chain.sh
    if python3 -c 'import jsonschema' 2>/dev/null; then
        step "texts of patterns and schemas, taken by Python's re and jsonschema" python3 tests/validate.py build/bin/strata 100 40
        if python3 -c 'import importlib.metadata as m; raise SystemExit([int(n) for n in m.version("jsonschema").split(".")[:2]] < [4, 18])'; then
            step "schemas made up, and values near their border: as jsonschema has them" python3 tests/border.py build/bin/strata 300
        else # older ones do not see what additionalProperties evaluates
            skip "schemas made up, and values near their border" "jsonschema 4.18 or later"
        fi
    else
        skip "texts of patterns and schemas" "python3 with jsonschema"
    fi
    step "patterns with \\b and look-ahead, on all short texts: as Python's re has them" python3 tests/looks.py build/bin/strata 40
    step "hostile grammars: compiled or refused within 6 s (2 on a fast, quiet machine) and 256 MB" env SLOW="${SLOW:-3}" python3 tests/hostile.py build/bin/strata
    step "masks beside a recogniser that tries everything: 5000 of them" tests/fuzz/mask.sh 5000
    if has python3 && [ "$(uname)" = Linux ] && getconf GNU_LIBC_VERSION >/dev/null 2>&1; then
        step "memory that ends, disks that fail: each command, some calls of it" make failures SECONDS=0.4
    else
        skip "memory that ends, disks that fail" "python3 and the GNU C library"
    fi
    if has python3; then
        step "mutants of layer 3: the unit tests notice most of them" python3 tests/mutants/run.py --count 20 --least 80 layer3_nn/src
    else
        skip "mutants of layer 3" python3
    fi
    step "a service: 300000 operations in random order" tests/fuzz/serve.sh 300000
    step "5000 damaged grammars, schemas, patterns and tags" in_copy tests/fuzz/grammar.sh
    step "5000 damaged chat templates" in_copy tests/fuzz/template.sh 5000
    step "6000 damaged pictures" in_copy tests/fuzz/picture.sh
    step "40000 damaged files of other people" in_copy tests/fuzz/published.sh 40000
    if has aarch64-linux-gnu-gcc && has qemu-aarch64; then
        step "NEON and a training, compiled and run under qemu" cross
    else
        skip "NEON" "aarch64-linux-gnu-gcc and qemu-aarch64"
    fi
}

# What a reader and a learner meet.
site_and_exercises() {
    lane=site
    if docs/playground/build.sh --check build/playground >/dev/null 2>&1; then wasm=yes; else wasm=; fi
    if has mkdocs && has gnuplot && [ -e "${STRATA_KATEX:-/usr/share/javascript/katex}/katex.min.js" ] && [ $wasm ]; then
        step "the site: every name, command and link" env DOCUMENTS=6 SPEED_SECONDS=0.02 make docs
        step "the commands of the pages, in a fresh copy" tests/pages.sh
    else
        skip "the site, and the commands of its pages" "mkdocs, gnuplot, KaTeX and clang for WebAssembly" deps
        if [ $wasm ]; then step "the playground, compiled" docs/playground/build.sh build/playground; fi # for the checks below
    fi
    if has node && [ $wasm ]; then
        step "SIMD128, compiled and run under node" wasm_kernels
        step "the playground writes what the program writes" node tests/playground.mjs build/bin/strata build/playground
        chromium=$(command -v chromium || command -v chromium-browser || command -v google-chrome)
        if [ "$chromium" ]; then
            if [ -x build/bin/strata-serve ]; then step "the server's page in a browser" node tests/server/page.mjs build/bin/strata "$chromium"; fi
            if [ -e build/site/index.html ]; then step "each fourth page in a browser" env EVERY=4 node tests/walk.mjs build/site "$chromium"; fi
            if [ -e build/site/index.html ]; then step "pages that anybody can use, in a browser" node tests/access.mjs build/site "$chromium"; fi
            if [ -e build/site/index.html ]; then step "the search of the site, from disk and over http" node tests/search.mjs build/site "$chromium"; fi
            step "the frontier lab in a browser" node tests/lab.mjs build/bin/strata build/playground "$chromium"
            step "explorer and playground in a browser" node tests/browser.mjs build/bin/strata build/playground "$chromium"
            step "the pictures that move, in a browser" node tests/moving.mjs build/bin/strata build/playground "$chromium"
        else
            skip "explorer and playground in a browser" chromium
        fi
    else
        skip "the playground" "node, and clang with lld, wasi-libc and libclang-rt-dev-wasm32"
    fi
    step "exercises: each edit that makes a wrong work changes something" exercises/check --edits
    step "$exercises: starters, shipped sources, right works, a tenth of the wrong ones" env EVERY=10 PART=$part make check-exercises
}

# Under sanitizers run the tests that read what others wrote, or keep memory: files, texts, grammars, requests, pictures, and each kind
# of model.  These compute for long what those compute, too.  Of the upper two layers' tests, and of those that cross layers, half run
# at a time, and of the exercises a third: which ones follows from the commit.
without="schedule chains train search quantized draft_head program drafts look"
. exercises/turn.sh
half=$(for test in layer[56]_*/tests/test_*.c tests/test_*.c tests/test_*.sh; do basename "${test%.*}" | sed 's/^test_//'; done | one_in 2)
case ${1:-} in
long) without= tests=tests part=1 exercises=exercises ;;
*) tests="half of the tests" part=3 exercises="a third of the exercises" without="$without $(printf '%s' "$half" | tr '\n' ' ')" ;;
esac

sources_and_fuzz &
site_and_exercises &
wait
echo "seconds of the processor:"
sort -rn build/check-*.steps | awk '$1 >= 10 { print } { all += $1 } END { printf "%4d   all\n", all }'
if [ -e build/check-skipped ]; then sort -u build/check-skipped; fi
if [ -e build/check-failed ]; then
    echo "$(grep -c '^FAILED ' build/check-failed) checks failed"
    exit 1
fi
if [ -e build/check-skipped ]; then echo "all checks passed but for $(wc -l <build/check-skipped | tr -d ' ') that were skipped"; else echo "all checks passed"; fi
