#!/bin/sh
# Everything that is checked beyond the tests, in two lanes side by side.  Each check prints a line: its seconds by the clock and
# those of the processor; of one that fails, what it said last.  At the end stands where the time went.
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
        [ $result = ok ] || tail -40 "build/check-$lane.log"
    } >"build/check-$lane.said"
    cat "build/check-$lane.said"
    [ $result = ok ] || cat "build/check-$lane.said" >>build/check-failed
    printf '%4d   %s\n' "$processor" "$name" >>"build/check-$lane.steps"
}
skip() { printf 'skipped %s\n' "$1"; }

# A layer includes only its own headers and those of lower layers.
includes_go_down() {
    bad=0
    for n in 1 2 3 4 5 6; do
        for higher in $(seq $((n + 1)) 6); do
            for header in layer"$higher"_*/include/*.h; do
                if grep -rl "#include \"$(basename "$header")\"" layer${n}_*/include layer${n}_*/src; then bad=1; fi
            done
        done
    done
    return $bad
}

formatted() { git ls-files '*.c' '*.h' | grep -v -e unicode_table.h -e fold_table.h -e grids.h | xargs clang-format --dry-run --Werror; }

# Functions of headers that only tests call, and why each may stay.
only_tested='
'

# Every function a header declares is called by something that is not a test: declared, defined, and named once more outside
# comments.
used() {
    bad=0
    for file in $(git ls-files 'layer*/include/*.h' 'layer*/src/*.[ch]' 'layer*/exercise/*.[ch]' 'exercises/*.[ch]' 'docs/playground/*.c' 'docs/examples/*.c'); do
        gcc -fpreprocessed -dD -E -P "$file" 2>/dev/null
    done | grep -oE '[a-z][a-z0-9_]*' | sort | uniq -c | awk '{ print $2, $1 }' >build/names
    for header in layer*/include/*.h; do
        for function in $(gcc -fpreprocessed -dD -E -P "$header" 2>/dev/null | grep -v '#define' |
                          grep -oE '(^|[^A-Za-z0-9_])[a-z][a-z0-9_]*\(' | tr -cd 'a-z0-9_\n' | sort -u); do
            # macros call fault_abort and profile_*; instruction sets are reached through macros, too
            case $function in __attribute__|cleanup|sizeof|format|defined|fault_abort|profile_enter|profile_leave|*_scalar|*_f16c|*_neon) continue ;; esac
            count=$(awk -v name="$function" '$1 == name { print $2 }' build/names)
            listed=$(printf '%s' "$only_tested" | grep -c "^$function ")
            if [ "$count" -lt 3 ] && [ "$listed" -eq 0 ]; then echo "$header: $function is called by no one, or by tests only"; bad=1; fi
            if [ "$count" -ge 3 ] && [ "$listed" -gt 0 ]; then echo "$header: $function is used now: take it off the list"; bad=1; fi
        done
    done
    return $bad
}

# An archive's members have names of their own, so that replacing one replaces that one.
members() {
    for library in build/lib/*.a; do ar t "$library" | sort | uniq -d | sed "s,^,$library: two members are called ,"; done >build/twice
    cat build/twice
    [ ! -s build/twice ]
}

analyzed() {
    # shellcheck disable=SC2046
    cppcheck -q --library=tests/cppcheck.cfg --enable=warning,portability --std=c11 --error-exitcode=1 --inline-suppr -j "$jobs" \
        --suppress=missingIncludeSystem --suppress=normalCheckLevelMaxBranches --suppress=unknownMacro \
        --suppressions-list=tests/cppcheck-suppressions.txt \
        $(for layer in layer[1-6]_*; do printf ' -I %s/include' "$layer"; done) -I layer6_inference/src/program layer[1-6]_*/src
}

cross() { # compile for AArch64 and test there under qemu-user
    aarch64-linux-gnu-gcc --version >/dev/null || return 1
    for layer in 1 2 3 4; do
        for source in layer${layer}_*/src/*.c layer${layer}_*/src/*/*.c; do
            [ -f "$source" ] || continue
            mkdir -p build/arm64
            # shellcheck disable=SC2046
            aarch64-linux-gnu-gcc -std=c11 -D_GNU_SOURCE -O3 -ffp-contract=off -Wall -Wextra -Werror \
                $(for l in layer[1-6]_*; do printf ' -I%s/include' "$l"; done) -c "$source" -o "build/arm64/$layer-$(basename "$source").o" || return 1
        done
    done
    # shellcheck disable=SC2046
    aarch64-linux-gnu-gcc -std=c11 -D_GNU_SOURCE -O3 -ffp-contract=off \
        $(for l in layer[1-6]_*; do printf ' -I%s/include' "$l"; done) tests/kernels/compare.c build/arm64/*.o -static -lm -lpthread -o build/arm64/compare || return 1
    qemu-aarch64 build/arm64/compare
}

wasm_kernels() { # the same program, as WebAssembly under node
    # shellcheck disable=SC2046
    clang --target=wasm32-wasi -std=c11 -D_GNU_SOURCE -D_WASI_EMULATED_MMAN -O2 -ffp-contract=off -Wno-unused-command-line-argument -Idocs/playground \
        $(for l in layer[1-4]_*; do printf ' -I%s/include' "$l"; done) tests/kernels/compare.c $(find layer[1-2]_*/src -name '*.c' ! -name file_write.c) \
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

# What looks at the sources, and what runs damaged input.
sources_and_fuzz() {
    lane=sources
    step "layers include only downwards" includes_go_down
    step "clang-format" formatted
    # one compiler has built everything by now, and its warnings are errors
    if cc -dM -E - </dev/null | grep -q __clang__; then other=gcc; else other=clang; fi
    step "$other, warnings as errors, in a path with a space" copied
    step "tests there, under AddressSanitizer and UndefinedBehaviorSanitizer" in_copy make SAN=1 test
    step "no public function that only tests use" used
    step "members of archives" members
    step "cppcheck" analyzed
    if command -v codespell >/dev/null 2>&1; then
        step "spelling" codespell -L pres,explanes,dout,nd,bu,thex docs README.md exercises layer1_tensor layer2_linalg/include layer2_linalg/src \
            layer3_nn layer4_transformer layer5_models/include layer6_inference/include layer6_inference/src layer6_inference/exercise
    else
        skip "spelling (needs codespell)"
    fi
    step "the pool under ThreadSanitizer" make -C layer1_tensor TSAN=1 test
    step "every family of models against double precision" make families
    step "20000 damaged model headers" in_copy tests/fuzz/damage.sh
    step "20000 chains of samplers" in_copy tests/fuzz/chain.sh
    if python3 -c 'import jsonschema' 2>/dev/null; then
        step "texts of patterns and schemas, taken by Python's re and jsonschema" python3 tests/validate.py build/bin/strata 100 40
        step "schemas made up, and values near their border: as jsonschema has them" python3 tests/border.py build/bin/strata 300
    else
        skip "texts of patterns and schemas (needs python3 with jsonschema)"
    fi
    step "masks beside a recogniser that tries everything: 5000 of them" tests/fuzz/mask.sh 5000
    step "a service: 300000 operations in random order" tests/fuzz/serve.sh 300000
    step "5000 damaged grammars, schemas, patterns and tags" in_copy tests/fuzz/grammar.sh
    step "5000 damaged chat templates" in_copy tests/fuzz/template.sh 5000
    step "6000 damaged pictures" in_copy tests/fuzz/picture.sh
    step "40000 damaged files of other people" in_copy tests/fuzz/published.sh 40000
    if command -v aarch64-linux-gnu-gcc >/dev/null 2>&1 && command -v qemu-aarch64 >/dev/null 2>&1; then
        step "NEON, compiled and run under qemu" cross
    else
        skip "NEON (needs aarch64-linux-gnu-gcc and qemu-aarch64)"
    fi
}

# What a reader and a learner meet.
site_and_exercises() {
    lane=site
    if docs/playground/build.sh build/playground >/dev/null 2>&1; then wasm=yes; else wasm=; fi
    if command -v mkdocs >/dev/null 2>&1 && command -v gnuplot >/dev/null 2>&1 && [ -e "${STRATA_KATEX:-/usr/share/javascript/katex}/katex.min.js" ] && [ $wasm ]; then
        step "the site: every name, command and link" env DOCUMENTS=6 SPEED_SECONDS=0.02 make docs
        step "the commands of the pages, in a fresh copy" tests/pages.sh
    else
        skip "the site (needs mkdocs, gnuplot, KaTeX and clang for WebAssembly: make docs says how)"
    fi
    if command -v node >/dev/null 2>&1 && [ $wasm ]; then
        step "SIMD128, compiled and run under node" wasm_kernels
        step "the playground writes what the program writes" node tests/playground.mjs build/bin/strata build/playground
        chromium=$(command -v chromium || command -v chromium-browser || command -v google-chrome)
        if [ "$chromium" ]; then
            if [ -x build/bin/strata-serve ]; then step "the server's page in a browser" node tests/server/page.mjs build/bin/strata "$chromium"; fi
            if [ -e build/site/index.html ]; then step "each fourth page in a browser" env EVERY=4 node tests/walk.mjs build/site "$chromium"; fi
            step "explorer and playground in a browser" node tests/browser.mjs build/bin/strata build/playground "$chromium"
        else
            skip "explorer and playground in a browser (needs chromium)"
        fi
    else
        skip "the playground (needs node, and clang with lld, wasi-libc and libclang-rt-dev-wasm32)"
    fi
    step "exercises: starters, shipped sources, right works, a tenth of the wrong ones" env EVERY=10 make check-exercises
}

sources_and_fuzz &
site_and_exercises &
wait
echo "seconds of the processor:"
sort -rn build/check-*.steps | awk '$1 >= 10 { print } { all += $1 } END { printf "%4d   all\n", all }'
if [ -e build/check-failed ]; then
    echo "$(grep -c '^FAILED ' build/check-failed) checks failed"
    exit 1
fi
echo "all checks passed"
