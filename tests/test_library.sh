#!/bin/sh
# Strata as its user's library: installed somewhere, compiled against from C and C++, taken away again.
build=${BUILD:-build}
. "$(dirname "$0")/program.sh"
cd "$here/.." || exit 1
unset MAKEFLAGS MAKELEVEL MFLAGS
place="$work/a place/usr"
sanitize="${SAN:+-fsanitize=address,undefined}${TSAN:+-fsanitize=thread}"

list=share/strata/installed # of the folders that install made
mkdir -p "$place/bin"
echo before >"$place/bin/other"
expect "make install" 0 "libstrata.a are in $place" make -s BUILD="$build" install PREFIX="$place"
expect "PREFIX is a whole path" 2 "PREFIX is 'here': wanted" make -s BUILD="$build" install PREFIX=here
make -s BUILD="$build" install DESTDIR="$work/stage" PREFIX=/opt/strata >/dev/null
same "DESTDIR goes before PREFIX" "$(cd "$work/stage/opt/strata" && find . -type f | sort)" "$(cd "$place" && find . -type f | grep -v -e other -e $list | sort)"
expect "DESTDIR is not in strata.pc" 0 "^prefix=/opt/strata$" cat "$work/stage/opt/strata/lib/pkgconfig/strata.pc"

# flags as quoted words: the place has a space in it
pkg_config=${PKG_CONFIG:-pkg-config}
if $pkg_config --version >/dev/null 2>&1; then
    flags=$(PKG_CONFIG_PATH="$place/lib/pkgconfig" $pkg_config --cflags --libs strata)
else
    echo "no pkg-config: flags are read from strata.pc"
    flags=$(prefix=$place; eval "$(sed -n '/dir=/p' "$place/lib/pkgconfig/strata.pc" | sed 's/=\(.*\)/="\1"/')"
            sed -n 's/^Cflags: //p; s/^Libs: //p' "$place/lib/pkgconfig/strata.pc" |
                sed "s,\${includedir},$includedir,; s,\${libdir},$libdir,")
fi
flags=$(printf '%s' "$flags" | tr '\n' ' ')
compile() { # compile OUT COMPILER SOURCE...
    out=$work/$1
    shift
    eval "\"\$@\" $sanitize -o \"\$out\" $flags"
}
works() { # works NAME COMMAND...: it ends well
    name=$1
    shift
    if "$@" >"$work/out" 2>&1; then ok "$name"; else not "$name" "exit status $?: $(head -c 600 "$work/out")"; fi
}
strict="-Wall -Wextra -pedantic -Werror"
have_cxx=
if ${CXX:-c++} --version >/dev/null 2>&1; then have_cxx=yes; else echo "no C++ compiler: C alone is tested"; fi

# The example, from C and from C++.
# shellcheck disable=SC2086
works "the example compiles as C11" compile own_c ${CC:-cc} -std=c11 $strict docs/examples/own_stage.c
greedy=$("$strata" generate --quiet -m "$model" -p "Once upon a time" -n 40 --kv f32 --chain greedy)
same "a stage of one's own that does nothing" "$("$work/own_c" "$model" "Once upon a time" avoid:by=0,greedy | sed '$d')" "$greedy"
story=$("$work/own_c" "$model" "Once upon a time" avoid:100,greedy)
case $(printf '%s' "${story#Once upon a time}" | sed '$d') in
*[kp]* | "") not "a stage of one's own that acts" "$story" ;;
*) ok "a stage of one's own that acts" ;;
esac
expect "its parameter has a range" 1 "avoid: by is '101', wanted a number from 0 to 100" "$work/own_c" "$model" Once avoid:101
expect "it stands in the list" 1 "contrastive_search, ref, .*min_k, avoid" "$work/own_c" "$model" Once zigzag
if [ $have_cxx ]; then
    # shellcheck disable=SC2086
    works "the example compiles as C++20" compile own_cxx ${CXX:-c++} -std=c++20 $strict -Wno-missing-field-initializers -x c++ docs/examples/own_stage.c -x none
    same "C++ tells the same story" "$("$work/own_cxx" "$model" "Once upon a time" avoid:100,greedy)" "$story"
    printf '#include <algorithm>\n#include <strata.h>\n#include <strata.h>\nint main() { int a[2]; std::generate(a, a + 2, [] { return 1; }); return !*kernels_isa(); }\n' >"$work/header.cc"
    for standard in c++11 c++17; do
        # shellcheck disable=SC2086
        works "strata.h is $standard" compile header ${CXX:-c++} -std=$standard $strict "$work/header.cc"
    done
fi

# A picture for a model that was trained on pictures spelled as words (docs/layer5/vision.md): each patch is its color's word.
# shellcheck disable=SC2086
works "an encoder that is set by hand compiles" compile color_encoder ${CC:-cc} -std=c11 $strict docs/examples/color_encoder.c
awk -v seed=1 -v texts=999 -f docs/figures/squares.awk >"$work/squares.txt"
"$strata" train --corpus "$work/squares.txt" --vocab 291 --dim 64 --hidden 128 --layers 2 --heads 4 --kv-heads 4 --batch 1000 --steps 100 --ctx 64 \
    --eval-documents 1 --out "$work/squares.gguf" >/dev/null 2>&1
works "it is made for a model" "$work/color_encoder" "$work/squares.gguf" "$work/eye.gguf"
expect "which must have the words" 1 'is [0-9] tokens: wanted one' "$work/color_encoder" "$here/../layer5_models/models/draft.gguf" "$work/none.gguf"
next() { "$strata" generate -m "$work/squares.gguf" --logprobs 9 -n 2 --chain greedy "$@" 2>&1 >/dev/null | sed -n 's/\(\.[0-9][0-9][0-9]\)[0-9]*/\1/g; s/^[0-9]\t.*\t//p'; } # the likeliest
shown() { # shown WORDS: the next tokens behind this picture
    # shellcheck disable=SC2059
    printf "$(echo "$1" | awk -f docs/figures/paint.awk)" >"$work/squares.ppm"
    next --mmproj "$work/eye.gguf" --image "$work/squares.ppm" -p "<image>. red"
}
spelled="white red white white white green white white white white white white white white white blue"
same "a patch is its word" "$(shown "$spelled")" "$(next -p " $spelled. red")"
if [ "$(shown "$spelled")" != "$(shown "red $spelled")" ]; then ok "another picture, another next token"; else not "another picture, another next token" "the same"; fi

# Names.
if grep -q '^#pragma redefine_extname' "$place/include/strata.h"; then
    others=$(nm -gP "$place/lib/libstrata.a" 2>/dev/null | awk '$2 ~ /^[A-TV-Z]$/ && $1 !~ /^__/ && $1 !~ /^_?strata_/ { print $1 }')
    same "every global name begins with strata_" "$others" ""
    sed -n 's/^#pragma redefine_extname \([^ ]*\) .*/\1/p' "$place/include/strata.h" >"$work/names"
    {
        echo '#include <strata.h>'
        echo 'int main(void) { const void *const all[] = {' # not outside: the address of a thread's variable is no constant
        sed 's/.*/(const void *)\&&,/' "$work/names"
        echo '0}; return !all[0]; }'
    } >"$work/all.c"
    # shellcheck disable=SC2086
    works "what the header names, the archive has ($(grep -c . "$work/names") names)" compile all ${CC:-cc} "$work/all.c"
    ${CC:-cc} -fpreprocessed -dD -E -P "$place/include/strata.h" 2>/dev/null | grep -oE '[a-z][a-z0-9_]* ?\(' | tr -d ' (' | sort -u >"$work/called"
    for library in tensor linalg nn transformer models inference; do nm -gP "$BUILD/lib/lib$library.a" "$BUILD/lib/lib${library}_extras.a" 2>/dev/null; done | awk '$2 == "T" { sub(/^_/, "", $1); print $1 }' | sort -u |
        comm -12 - "$work/called" | sort | comm -23 - "$work/names" >"$work/left"
    same "what the header declares, it names" "$(cat "$work/left")" ""
    printf 'int softmax(void) { return 3; }\nint theirs(void) { return softmax(); }\n' >"$work/theirs.c"
    printf '#include <strata.h>\nint theirs(void);\nint main(void) { float x[2] = {0, 0}; softmax(x, x, 2); return x[0] != 0.5f || theirs() != 3; }\n' >"$work/ours.c"
    # shellcheck disable=SC2086
    works "a program may have a softmax of its own elsewhere" compile both ${CC:-cc} "$work/ours.c" "$work/theirs.c"
    works "and each file calls the one it means" "$work/both"
else
    echo "no objcopy: the archive has the names of the sources"
fi

version=$(sed -n 's/^Version: //p' "$place/lib/pkgconfig/strata.pc")
expect "the program tells the version and the instruction set" 0 "^strata $version, [a-z0-9]*$" "$place/bin/strata" --version
expect "so does the header" 0 "define STRATA_VERSION \"$version\"" cat "$place/include/strata.h"
same "the installed program finds its model" "$(cd / && "$place/bin/strata" generate --quiet -n 40 --kv f32 --chain greedy)" "$greedy"
expect "its man page is there" 0 '^\.TH STRATA.-GENERATE 1 ' cat "$place/share/man/man1/strata-generate.1"
if command -v man >/dev/null 2>&1; then
    expect "and found by man" 0 "continue a prompt" env MANPATH="$place/share/man" man strata-generate
fi
same "completion for three shells is there" "$(cd "$place/share" && ls bash-completion/completions/strata zsh/site-functions/_strata fish/vendor_completions.d/strata.fish | wc -l | tr -d ' ')" 3
echo '.TH STRATAGEM 1 "" "" "Games"' >"$place/share/man/man1/stratagem.1"
make -s BUILD="$build" uninstall PREFIX="$place"
if [ -e "$place/share/man/man1/stratagem.1" ]; then ok "another program's page stays"; else not "another program's page stays" "it is gone"; fi
rm -rf "$place/share"
make -s BUILD="$build" install PREFIX="$place" >/dev/null
same "and its symbols are stripped" "$(nm "$place/bin/strata" 2>/dev/null)" ""
same "the library has no debug information" "$(objdump -h "$place/lib/libstrata.a" 2>/dev/null | grep debug_info)" ""
make -s BUILD="$build" install PREFIX="$place" >/dev/null # over itself: the list stays
make -s BUILD="$build" uninstall PREFIX="$place"
same "make uninstall leaves what it did not bring, and no folder that install made" "$(cd "$place" && find . | sort)" "$(printf '.\n./bin\n./bin/other')"
make -s BUILD="$build" install PREFIX="$work/deep/er" >/dev/null
make -s BUILD="$build" uninstall PREFIX="$work/deep/er"
same "where nothing was, nothing stays" "$(ls -d "$work/deep" 2>/dev/null)" ""
make -s BUILD="$build" install PREFIX="$work/deep/er" >/dev/null
echo theirs >"$work/deep/er/share/strata/notes"
printf '%s\n' "$work/other place" "$work/deep/er/share/../../../other place" >>"$work/deep/er/$list"
mkdir "$work/other place"
make -s BUILD="$build" uninstall PREFIX="$work/deep/er"
same "a file of somebody else stays with its folder" "$(cd "$work/deep" && find . -type f)" "./er/share/strata/notes"
same "and a folder elsewhere stays whatever the list says" "$(ls -d "$work/other place")" "$work/other place"

# Without rights.
expect "a folder that cannot be made" 2 "install: $work/own_c cannot be written. For yourself: make install PREFIX=.HOME/.local; for all users: sudo" \
    make -s BUILD="$build" install PREFIX="$work/own_c/usr"
mkdir "$work/locked"
chmod 755 "$work" && chmod 555 "$work/locked"
other_user=
if [ "$(id -u)" -eq 0 ]; then other_user="setpriv --reuid 65534 --regid 65534 --clear-groups"; fi
if $other_user true 2>/dev/null; then
    # shellcheck disable=SC2086
    expect "a folder of somebody else" 2 "install: $work/locked cannot be written" $other_user make -s BUILD="$build" install PREFIX="$work/locked"
    same "and nothing was put there" "$(ls "$work/locked")" ""
else
    echo "no setpriv: as root, every folder can be written"
fi
