#!/bin/sh
# The playground: the libraries (which write no files there) as WebAssembly, and with the storyteller as one script, which a page can load from a disk, too.
#
#   docs/playground/build.sh OUT            OUT/strata.wasm, OUT/playground-data.js, OUT/frontier-data.js
#   docs/playground/build.sh --check OUT    only whether clang can do it
#
# CLANG may be several words ("ccache clang"); JOBS files are compiled at a time.
cd "$(dirname "$0")/../.." || exit 1
check=
if [ "$1" = --check ]; then check=yes; shift; fi
out=$1
CLANG=${CLANG:-clang}
mkdir -p "$out/objects"
echo 'int main(void) { return 0; }' >"$out/objects/probe.c"
# shellcheck disable=SC2086
$CLANG --target=wasm32-wasi ${WASI_SYSROOT:+--sysroot="$WASI_SYSROOT"} "$out/objects/probe.c" -o "$out/objects/probe.wasm" 2>/dev/null || {
    echo "clang cannot compile to WebAssembly: apt-get install clang lld wasi-libc libclang-rt-dev-wasm32" >&2
    exit 1
}
if [ $check ]; then exit 0; fi
includes="-Idocs/playground -Ibuild/layer5_models"
for layer in layer[1-6]_*; do includes="$includes -I$layer/include -I$layer/extras/include"; done
# A table of extras/ comes instead of the core's.  What no page calls is not compiled.
program=layer6_inference/extras/program
compare=$program/compare # of strata compare what the lab page runs
sources="docs/playground/playground.c docs/playground/explorer.c docs/playground/lab.c $program/steering.c
    $compare/documents.c $compare/write.c $compare/truth.c $compare/chance.c $compare/estimate.c $compare/common.c
    $(find layer[1-6]_*/src layer[1-6]_*/extras \
    \( -name program -o -name serve -o -name convert -o -name train -o -name machines -o -name group -o -name "avx*" -o -name neon \) -prune -o -name "*.c" ! -name file_write.c ! -name prefix_file.c -print |
    while read -r source; do case $source in */src/*) [ ! -e "${source%%/*}/extras/${source##*/}" ] || continue ;; esac; echo "$source"; done)"
sources="$sources $(find docs/playground/moving layer5_models/src/train -name "*.c")" # the pictures that move, one of which trains a model
for layer in layer[1-6]_*; do includes="$includes -I$layer/src -I$layer/extras"; done
includes="$includes -I$program -I$compare"
rm -f "$out"/objects/*.o
# shellcheck disable=SC2086,SC2016
printf '%s\n' $sources | xargs -P "${JOBS:-$(nproc)}" -I {} sh -c 'source=$1; object=$2/$(echo "$source" | tr / _).o; shift 2; "$@" -c "$source" -o "$object"' - {} "$out/objects" \
    $CLANG --target=wasm32-wasi ${WASI_SYSROOT:+--sysroot="$WASI_SYSROOT"} -std=c11 -D_GNU_SOURCE -D_WASI_EMULATED_MMAN \
    -O2 -ffp-contract=off -Wall -Wextra -Werror -Wno-unused-command-line-argument $includes || exit 1
# shellcheck disable=SC2086
$CLANG --target=wasm32-wasi ${WASI_SYSROOT:+--sysroot="$WASI_SYSROOT"} -mexec-model=reactor "$out"/objects/*.o -lwasi-emulated-mman -Wl,--gc-sections,--strip-all,--stack-first,-z,stack-size=1048576 \
    -o "$out/strata.wasm" || exit 1
{
    printf 'window.strata = {wasm: "'
    base64 <"$out/strata.wasm" | tr -d '\n'
    printf '",\nmodel: "'
    base64 <layer5_models/models/storyteller.gguf | tr -d '\n'
    printf '"};\n'
} >"$out/playground-data.js"
{
    printf 'window.frontier = `\n' # the measured chains, for the lab's plot
    cat docs/figures/data/frontier.csv
    printf '`;\n'
} >"$out/frontier-data.js"
