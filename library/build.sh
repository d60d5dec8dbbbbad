#!/bin/sh
# What other programs include and link: build/include/strata.h and build/lib/libstrata.a, for C and C++.
#
# The header is all public headers in one, the archive all six libraries.  A program may have a `softmax` of its own, in another
# file: to the linker every global name of the archive begins with strata_, while sources go on saying softmax.  Lines at the head of
# the header, `#pragma redefine_extname softmax strata_softmax`, tell gcc and clang so; they are no macros, and touch nothing but
# what the header declares.
set -e
export LC_ALL=C
cd "$(dirname "$0")/.."
build=${BUILD:-build}
case $build in /*) ;; *) build=$(pwd)/$build ;; esac
work=$build/library
rm -rf "$work"
mkdir -p "$work/objects" "$build/include"

# Without a tool that renames (macOS has none: brew install llvm), names stay as they are.
case $(uname) in
Darwin) renamers="llvm-objcopy $(brew --prefix llvm 2>/dev/null)/bin/llvm-objcopy" mark=_ ;;
*) renamers="objcopy llvm-objcopy" mark= ;;
esac
for tool in ${OBJCOPY:-$renamers}; do
    if command -v "$tool" >/dev/null 2>&1; then objcopy=$tool; break; fi
done

# Global names, as the linker knows them, and their new ones.
. library/parts.sh
# shellcheck disable=SC2086
${NM:-nm} -gP $tables $archives | awk '$2 ~ /^[A-TV-Z]$/ && $1 !~ /^__/ { print $1 }' | sort -u >"$work/globals"
sed "s/^$mark\(.*\)/& ${mark}strata_\1/" "$work/globals" >"$work/renames"

# Objects get the name of their folder, too, so that no two are called alike.  A table of extras/ comes instead of the core's.
for object in "$build"/layer[1-6]_*/src/*.o "$build"/layer[1-6]_*/src/*/*.o "$build"/layer[1-6]_*/extras/*.o "$build"/layer[1-6]_*/extras/*/*.o; do
    inside=${object#"$build"/}
    case $inside in layer6_*/extras/program/* | layer6_*/extras/serve/*) continue ;; esac
    [ -e "${inside%.o}.c" ] || continue # of a file that has moved
    if [ "${inside#*/src/}" != "$inside" ] && [ -e "$build/${inside%%/*}/extras/${inside##*/}" ]; then continue; fi
    copy=$work/objects/$(printf %s "${inside#*_}" | tr / -)
    if [ "$objcopy" ]; then "$objcopy" --redefine-syms="$work/renames" "$object" "$copy"; else cp "$object" "$copy"; fi
done
rm -f "$build/lib/libstrata.a"
${AR:-ar} rcs "$build/lib/libstrata.a" "$work"/objects/*.o

# The names that the header declares: what stands outside of all braces and parentheses and is a global name.
awk -f library/header.awk layer[1-6]_*/include/*.h layer[1-6]_*/extras/include/*.h >"$work/strata.h"
${CC:-cc} -std=c11 -E -P "$work/strata.h" | tr -c 'A-Za-z0-9_{}()\n' ' ' |
    awk '{ gsub(/[{}()]/, " & ")
           for (i = 1; i <= NF; i++) if ($i ~ /[{(]/) depth++; else if ($i ~ /[})]/) depth--; else if (!depth) print $i }' |
    sort -u >"$work/outside"
sed "s/^$mark//" "$work/globals" | sort -u | comm -12 - "$work/outside" >"$work/declared"
version=$(library/version.sh)
{
    echo "/* strata.h - Strata $version, all of it: link with -lstrata -lm -lpthread.  Made of the layers' headers. */"
    echo "#ifndef STRATA_H"
    echo "#define STRATA_H"
    echo
    echo "#define STRATA_VERSION \"$version\""
    echo
    if [ "$objcopy" ]; then
        echo "/* To the linker every name begins with strata_. */"
        echo "#ifndef __PRAGMA_REDEFINE_EXTNAME"
        echo "#error \"strata.h is for gcc and clang\""
        echo "#endif"
        sed "s/.*/#pragma redefine_extname & ${mark}strata_&/" "$work/declared"
        echo
    fi
    cat "$work/strata.h"
    echo
    echo "#endif"
} >"$build/include/strata.h"
if [ -z "$objcopy" ]; then echo "libstrata.a: no objcopy, names stay without strata_" >&2; fi
