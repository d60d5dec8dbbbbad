#!/bin/sh
# Put program, library and model under DESTDIR and PREFIX, or with `uninstall` take just them away.
set -e
cd "$(dirname "$0")/.."
build=${BUILD:-build} prefix=${PREFIX:-/usr/local}
case $prefix in /*) ;; *) echo "install: PREFIX is '$prefix': wanted a path that begins with /" >&2; exit 1 ;; esac

action=$1
pages() { # the man pages: written by the program when they are installed, found by their heads when they are to go
    folder=$build/share/man/man1
    if [ "$action" = uninstall ]; then folder=$DESTDIR$prefix/share/man/man1
    elif [ -x "$build/bin/strata" ]; then library/man.sh "$build/bin/strata" "$folder"; fi
    for page in "$folder"/strata*.1; do
        if grep -q '^\.TH STRATA.* "Strata"$' "$page" 2>/dev/null; then echo "share/man/man1/${page##*/} 644 $page"; fi
    done
}

files() { # what goes where, with which mode, and whence: but for strata.pc, which is written
    cat <<END
bin/strata 755 $build/bin/strata
bin/strata-serve 755 $build/bin/strata-serve
include/strata.h 644 $build/include/strata.h
lib/libstrata.a 644 $build/lib/libstrata.a
lib/pkgconfig/strata.pc 644
share/strata/storyteller.gguf 644 layer5_models/models/storyteller.gguf
share/bash-completion/completions/strata 644 library/completions/strata.bash
share/zsh/site-functions/_strata 644 library/completions/_strata
share/fish/vendor_completions.d/strata.fish 644 library/completions/strata.fish
END
    pages
}

describe() { # the file that pkg-config reads
    cat <<END
prefix=$prefix
includedir=\${prefix}/include
libdir=\${prefix}/lib

Name: Strata
Description: language models in C: GGUF files, samplers, generated text
Version: $(sed -n 's/.*define STRATA_VERSION "\(.*\)"/\1/p' layer6_inference/include/version.h)
Cflags: -I"\${includedir}"
Libs: -L"\${libdir}" -lstrata -lm -lpthread
END
}

if [ "$1" = uninstall ]; then
    files | while read -r file mode source; do rm -f "$DESTDIR$prefix/$file"; done
    rmdir "$DESTDIR$prefix/share/strata" 2>/dev/null || true
    exit
fi
files | while read -r file mode source; do
    if [ "$file" = bin/strata-serve ] && [ ! -e "$source" ]; then continue; fi # built only where its library is
    mkdir -p "$(dirname "$DESTDIR$prefix/$file")"
    if [ "$source" ]; then install -m "$mode" "$source" "$DESTDIR$prefix/$file"; else describe >"$DESTDIR$prefix/$file"; fi
done
echo "strata, strata.h and libstrata.a are in $DESTDIR$prefix: bin, include and lib"
