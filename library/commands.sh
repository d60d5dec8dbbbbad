#!/bin/sh
# compile_commands.json, for clangd and other tools that read C: each file's flags as make gives them to the compiler.
#
# The layers are built once more into an empty folder by a "compiler" that notes its arguments and writes empty files: this script.
note() { # note ARGUMENT...: as the compiler, with empty files as results
    last=
    for word; do
        case $last in -o | -MF) : >"$word" ;; esac
        if [ "$last" = -o ]; then result=$word; fi
        last=$word
    done
    case " $* " in *.c\ *) printf '%s\n' "$PWD" "$@" >"$result.command" ;; esac
}
if [ "$STRATA_COMPILER" ]; then
    case " $* " in *" -E "*) exec $STRATA_COMPILER "$@" ;; esac # the layers ask the compiler what is installed
    note "$@"
    exit
fi

set -e
cd "$(dirname "$0")/.."
build=${BUILD:-build}
work=$build/commands
rm -rf "$work"
recorder=$(pwd)/library/commands.sh
case $recorder in *" "*) # make takes a space for the end of a word
    recorder=$(mktemp -d)/commands
    ln -s "$(pwd)/library/commands.sh" "$recorder"
    trap 'rm -rf "${recorder%/*}"' EXIT ;;
esac
record() { # record ARGUMENT...: of make
    STRATA_COMPILER=${CC:-cc} "${MAKE:-make}" -s BUILD="$work" CC="$recorder" "$@" 2>"$build/commands.log" ||
        { cat "$build/commands.log" >&2; exit 1; }
}
mkdir -p "$work"
for layer in layer[1-6]_*; do record -C "$layer" all; done
record -C layer6_inference story program
if tests/needs.sh test; then
    for folder in layer[1-6]_* tests; do record -C "$folder" build-tests; done
fi

find "$work" -name '*.command' | sort | while read -r file; do cat "$file"; echo; done | awk -v compiler="${CC:-cc}" -v work="$work" -v build="$build" '
function quoted(text) { gsub(/\\/, "\\\\", text); gsub(/"/, "\\\"", text); gsub(/\t/, "\\t", text); return "\"" text "\"" }
function add(word) { words = words (words == "" ? "" : ", ") quoted(word) }
BEGIN { sub(/^.*ccache +/, "", compiler); n_words = split(compiler, first, " "); print "[" }
line == 0 { folder = $0; words = file = ""; for (i = 1; i <= n_words; i++) add(first[i]); line = 1; next }
$0 == "" { printf "%s{\"directory\": %s, \"file\": %s, \"arguments\": [%s]}", comma, quoted(folder), quoted(file), words; comma = ",\n"; line = 0; next }
skip { skip = 0; next }
/^-(o|MF|MT)$/ { skip = 1; next }
/^-(MMD|MP|l.*|L.*)$/ || /\.[ao]$/ { next }
{ at = index($0, work); if (at) $0 = substr($0, 1, at - 1) build substr($0, at + length(work)) }
/\.c$/ { file = $0 }
{ add($0) }
END { print "\n]" }' >compile_commands.json
rm -rf "$work" "$build/commands.log"
echo "compile_commands.json: $(grep -c '"file"' compile_commands.json) files"
