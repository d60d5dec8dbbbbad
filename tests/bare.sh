#!/bin/sh
# A fresh clone of the commit on a machine that has a C compiler, make and the C library's headers, and nothing else.  It takes a minute and a half on two cores.
#
#   tests/bare.sh            all four below; prints `ok NAME` and `not ok NAME`
#
#   gcc       make run tells the story, make builds the rest; what needs a library says which one and how to get it
#   clang     a story, in a path with a space (tests/check.sh builds all the rest so)
#   user      without root: make deps says what to ask an administrator for
#   reader    in a source tree that cannot be written, BUILD= elsewhere
#
# As root, one process sees the machine without optional headers and libraries: a mount namespace with overlays in which these are
# deleted.  Otherwise the compiler is wrapped and sees a folder with the C library's headers only.
cd "$(dirname "$0")/.." || exit 1
if [ "$1" = --inside ]; then shift; else
    work=$(mktemp -d)
    trap 'chmod -R u+w "$work"; rm -rf "$work"' EXIT
    git clone -q . "$work/gcc" && git clone -q . "$work/a path with clang" && git clone -q . "$work/user" && git clone -q . "$work/reader" || exit 1
    chmod 755 "$work"
    if [ "$(id -u)" -eq 0 ] && unshare -m true 2>/dev/null; then
        unshare -m "$0" --inside overlay "$work" || failed=1
    else
        "$0" --inside wrapper "$work" || failed=1
    fi
    exit ${failed:-0}
fi
way=$1 work=$2 bad=0
log=$work/log
ok() { echo "ok $1"; }
not() { echo "not ok $1: $2"; bad=1; }
skip() { echo "SKIPPED, AND SO NOT CHECKED: $1"; }

# ------------------------------------------------------------------ what is there

# The headers of the C library and of the kernel, as Debian's packages list them.
c_headers() {
    dpkg -L libc6-dev linux-libc-dev libcrypt-dev libnsl-dev libtirpc-dev rpcsvc-proto libc-dev-bin 2>/dev/null | grep '^/usr/include/' | sort -u
}
optional_headers="microhttpd.h png.h pngconf.h libpng16 jpeglib.h jconfig.h histedit.h editline cmocka.h cmocka zlib.h"

# An overlay over a folder: what is deleted in it is there again when the namespace ends.
cover() {
    layer=$work/overlay/$(echo "$1" | tr / _)
    mkdir -p "$layer/upper" "$layer/work"
    mount -t overlay overlay -o "lowerdir=$1,upperdir=$layer/upper,workdir=$layer/work" "$1"
}

make_bare() {
    mount --make-rprivate / || return 1
    mkdir "$work/overlay" && mount -t tmpfs tmpfs "$work/overlay" || return 1
    cover /usr/include || return 1
    if c_headers >"$work/kept" && [ -s "$work/kept" ]; then
        find /usr/include ! -type d | sort >"$work/there"
        comm -23 "$work/there" "$work/kept" | while IFS= read -r file; do rm -f "$file"; done
    else
        for header in $optional_headers; do rm -rf "/usr/include/$header"; done
    fi
    for folder in /usr/lib/*-linux-gnu* /usr/lib64 /usr/local/lib /usr/local/include; do
        [ -d "$folder" ] && [ ! -L "$folder" ] || continue
        cover "$folder" || return 1
        rm -rf "$folder"/libmicrohttpd* "$folder"/libpng* "$folder"/libjpeg* "$folder"/libcmocka* "$folder"/microhttpd.h "$folder"/cmocka*
    done
}

# A folder of links to the only programs that there are.
tools="sh bash dash ls cat cp mv rm ln mkdir rmdir mktemp chmod touch head tail wc sort uniq tr cut od sed awk gawk mawk grep find xargs tee printf echo true
       false test [ expr seq date env nproc uname id dirname basename readlink install nm objcopy ar as ld ld.bfd gcc cc clang make git script getconf sleep
       mount chown stat cksum sha256sum comm paste tar strip ranlib pwd which kill timeout setpriv su strings"
only_tools() {
    mkdir -p "$work/bin"
    for tool in $tools; do
        place=$(command -v "$tool") || continue
        case $place in /*) ln -sf "$place" "$work/bin/$tool" ;; esac
    done
    PATH=$work/bin
}

# Without rights to mount: a compiler that is shown the C library's headers alone.
wrap() { # wrap NAME
    real=$(command -v "$1") || return 1
    [ -d "$work/headers" ] || {
        c_headers >"$work/kept" && [ -s "$work/kept" ] || return 1
        mkdir "$work/headers"
        while IFS= read -r file; do
            [ ! -d "$file" ] || continue
            mkdir -p "$work/headers/$(dirname "${file#/usr/include/}")" && ln -s "$file" "$work/headers/${file#/usr/include/}"
        done <"$work/kept"
    }
    own=$($real -print-file-name=include)
    rm -f "$work/bin/$1"
    printf '#!/bin/sh\nexec %s "$@" -nostdinc -isystem "%s" -isystem "%s" -isystem "%s"\n' "$real" "$own" "$work/headers" "$work/headers/$(gcc -dumpmachine)" >"$work/bin/$1"
    chmod 755 "$work/bin/$1"
}

# ------------------------------------------------------------------ what has to work

story() { # story NAME MAKE...
    name=$1
    shift
    if "$@" run >"$log" 2>&1 && grep -q '^Once upon a time there was' "$log"; then ok "$name: make run tells a story"
    else not "$name: make run tells a story" "$(tail -3 "$log")"; fi
}
builds() { # builds NAME MAKE...
    name=$1
    shift
    if "$@" >"$log" 2>&1; then ok "$name: make builds"; else not "$name: make builds" "$(tail -3 "$log")"; fi
}
# says NAME STATUS TEXT COMMAND...: one line on stderr with what is missing and how to get it
says() {
    name=$1 status=$2 text=$3
    shift 3
    "$@" >"$log" 2>&1 </dev/null
    got=$?
    sed -i '/^make.*: \*\*\*/d' "$log" # make's own line
    if [ $got -ne "$status" ]; then not "$name" "status $got: $(tail -3 "$log")"
    elif [ "$(grep -c . "$log")" -gt 1 ] && [ "$status" -ne 0 ]; then not "$name" "more than one sentence: $(head -5 "$log")"
    elif grep -q -- "$text" "$log"; then ok "$name"
    else not "$name" "no '$text' in: $(tail -3 "$log")"; fi
}

only_tools
if [ "$way" = overlay ] && ! make_bare; then way=wrapper; fi
if [ "$way" = wrapper ] && ! { wrap gcc && wrap cc && { ! command -v clang >/dev/null || wrap clang; }; }; then
    skip "a bare machine: neither a mount namespace nor a list of the C library's headers can be had here"
    exit 0
fi
echo "bare machine by $way: $(find -L /usr/include -maxdepth 1 | wc -l) names in /usr/include"
unset MAKEFLAGS MAKELEVEL MFLAGS BUILD CC CFLAGS
if printf '#include <microhttpd.h>\n' | cc -E - >/dev/null 2>&1; then not "nothing optional can be seen" "microhttpd.h is there"; fi

cd "$work/gcc" || exit 1
story gcc make
make -s start 3.1 >"$log" && (. exercises/list.sh && ours_of 3.1 >"$(file_of 3.1)") && make -s grade 3.1 >>"$log" 2>&1
if grep -q '^passed  *3.1' "$log" && [ ! -e build/bin/strata ]; then ok "gcc: the first grade builds no more"; else not "gcc: the first grade builds no more" "$(tail -3 "$log")"; fi
builds gcc make
says "gcc: strata serve says what is missing" 1 "needs libmicrohttpd: install it (make deps, apt-get install libmicrohttpd-dev" build/bin/strata serve
make -s -C tests models >"$log" 2>&1 && build/tests/families llama "" "$work/llama.gguf" && build/tests/families clip "" "$work/eye.gguf" || not "gcc: random models" "$(tail -3 "$log")"
(cd "$work" && . "$work/gcc/tests/pictures.sh")
says "gcc: --image says what is missing, PNG" 1 "without libpng: install it (make deps; apt-get install libpng-dev" \
    build/bin/strata generate -m "$work/llama.gguf" --mmproj "$work/eye.gguf" --image "$work/six.png" -p hi
says "gcc: --image says what is missing, JPEG" 1 "without libjpeg: install it (make deps; apt-get install libjpeg-dev" \
    build/bin/strata generate -m "$work/llama.gguf" --mmproj "$work/eye.gguf" --image "$work/grey.jpg" -p hi
says "gcc: make test says what is missing" 2 "make test: missing: cmocka. Install" make -s test
if make -s run >"$log" 2>&1; then ok "gcc: a second make run"; else not "gcc: a second make run" "$(tail -3 "$log")"; fi

cd "$work/a path with clang" || exit 1
if command -v clang >/dev/null && [ "$way" = wrapper ] || clang --version >/dev/null 2>&1; then
    story "clang, in a path with spaces" make CC=clang
else
    skip "clang: it is not installed"
fi

# As user 65534, without sudo among the programs.
cd "$work/user" || exit 1
if [ "$(id -u)" -eq 0 ]; then
    chown -R 65534 . && as_user="setpriv --reuid 65534 --regid 65534 --clear-groups env HOME=$work/user"
    command -v setpriv >/dev/null || as_user=
else
    as_user=env
fi
if [ "$as_user" ]; then
    # shellcheck disable=SC2086
    story "a user without rights" $as_user make
    if [ -x /usr/bin/apt-get ]; then
        mkdir "$work/apt" && ln -s /usr/bin/apt-get /usr/bin/dpkg "$work/apt/"
        # shellcheck disable=SC2086
        PATH=$PATH:$work/apt says "a user without rights: make deps says what to ask for" 2 "ask an administrator for: apt-get install" $as_user make -s deps
    fi
else
    skip "a user without rights: there is no setpriv"
fi

cd "$work/reader" || exit 1
chmod -R a-w .
if [ "$(id -u)" -eq 0 ]; then # root writes anyway: a mount that cannot be written
    [ "$way" = overlay ] && mount --bind "$work/reader" "$work/reader" && mount -o remount,ro,bind "$work/reader" && cd "$work/reader" || skip "a tree that cannot be written"
fi
story "a tree that cannot be written, BUILD elsewhere" make BUILD="$work/elsewhere"
says "a tree that cannot be written: make says to use BUILD" 2 "BUILD=" make -s run

# Last: without libedit clang no longer runs.
cd "$work/gcc" || exit 1
if [ "$way" = overlay ]; then
    rm -rf /usr/lib/*/libedit*
    says "gcc: chat says what is missing" 1 "libedit, for editing and history, is not installed.*apt-get install libedit2" \
        script -qec "build/bin/strata chat --history $work/history" /dev/null
fi
exit $bad
