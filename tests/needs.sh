#!/bin/sh
# needs.sh GOAL...: can what make is asked for be built here?  Says in one sentence what is missing, before anything is compiled.
cd "$(dirname "$0")/.." || exit 1
build=${BUILD:-build}

if ! mkdir -p "$build" 2>/dev/null; then
    echo "make: $build cannot be written. Build elsewhere: make BUILD=/tmp/strata" >&2
    exit 1
fi
if [ ! -w "$build" ]; then
    echo "make: $build cannot be written, so that what is there is used as it is. BUILD=/tmp/strata builds elsewhere" >&2
fi

have() { command -v "$1" >/dev/null 2>&1; }
have_header() { printf '\043include <%s>\n' stddef.h stdarg.h setjmp.h stdint.h "$1" | ${CC:-cc} -E - >/dev/null 2>&1; }
have_node_llama() { [ "$LLAMA_CPP$NPM" ] || [ -d build/peers/node_modules/node-llama-cpp ]; }

missing="" apt="" brew="" others=""
lack() { # lack WHAT APT BREW, or lack WHAT: deps does not bring it
    missing="$missing${missing:+, }$1"
    if [ "$2" ]; then apt="$apt $2" brew="$brew $3"; else others=yes; fi
}
want() {
    for what in "$@"; do
        case $what in
        cmocka) have_header cmocka.h || lack cmocka libcmocka-dev cmocka ;;
        microhttpd) have_header microhttpd.h || lack libmicrohttpd libmicrohttpd-dev libmicrohttpd ;;
        clang) have clang || lack clang clang llvm ;;
        containers) have podman || have docker || lack "podman or docker" ;;
        git | python3 | npm | dpkg-deb) have "$what" || lack "$what" ;;
        *) have "$what" || lack "$what" "$what" "$what" ;;
        esac
    done
}
for goal in "$@"; do
    missing="" apt="" brew="" others=""
    case $goal in
    test) want cmocka ;;
    check) want cmocka git clang clang-format cppcheck ;;
    format) want git clang-format ;;
    fuzz) want clang ;;
    soak) want python3 cmocka microhttpd ;;
    peers) if [ "$NPM" ]; then want npm; elif ! have_node_llama; then
        echo "make peers: node-llama-cpp is missing. NPM=1 installs it into build/peers; LLAMA_CPP=DIR compares with a native build" >&2
        exit 1
    fi ;;
    install) library/install.sh check || exit 1 ;;
    deb) want dpkg-deb ;;
    formula) want git ;;
    container) want git containers ;;
    esac
    [ "$missing" ] || continue
    how="Install it by your system's means"
    if [ -z "$others" ]; then
        if have apt-get; then how="Install: make deps, or apt-get install$apt"
        elif have brew; then how="Install: make deps, or brew install$brew"; fi
    fi
    echo "make $goal: missing: $missing. $how" >&2
    exit 1
done
