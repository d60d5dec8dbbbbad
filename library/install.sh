#!/bin/sh
# Put program, library and model under DESTDIR and PREFIX.
#
#   install.sh              install; share/strata/installed there lists the folders that were made for it
#   install.sh check        say whether the folder can be written, before anything is built
#   install.sh uninstall    remove these files, and the listed folders that are empty then
set -e
cd "$(dirname "$0")/.."
build=${BUILD:-build} prefix=${PREFIX:-/usr/local} list=share/strata/installed
case $prefix in /*) ;; *) echo "install: PREFIX is '$prefix': wanted a path that begins with /" >&2; exit 1 ;; esac
while [ "$prefix" != "${prefix%/}" ]; do prefix=${prefix%/}; done
root=$DESTDIR$prefix

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
bin/strata-chat 755 $build/bin/strata-chat
bin/strata-convert 755 $build/bin/strata-convert
bin/strata-lab 755 $build/bin/strata-lab
bin/strata-serve 755 $build/bin/strata-serve
lib/strata/strata-mpi.so 755 $build/bin/strata-mpi.so
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
Version: $(library/version.sh)
Cflags: -I"\${includedir}"
Libs: -L"\${libdir}" -lstrata -lm -lpthread
END
}

refuse() {
    echo "install: $1 cannot be written. For yourself: make install PREFIX=\$HOME/.local; for all users: sudo make install" >&2
    exit 1
}
check() { # of each file, the nearest folder that is there
    files | while read -r file mode source; do
        folder=$(dirname "$root/$file")
        while [ ! -e "$folder" ]; do folder=$(dirname "$folder"); done
        if [ ! -d "$folder" ] || [ ! -w "$folder" ]; then refuse "$folder"; fi
    done
}

# Make a folder and those above it, outermost first, and note the new ones.  A staged tree (DESTDIR) is its package manager's.
made=
make_folder() {
    if [ -d "$1" ]; then return; fi
    make_folder "$(dirname "$1")"
    mkdir "$1" 2>/dev/null || refuse "$1"
    if [ -z "$DESTDIR" ]; then made="$made$1
"; fi
}
note_made() {
    if [ "$made" ]; then printf '%s' "$made" >>"$root/$list"; fi
}

# Symbols that only a debugger reads are left out; STRIP=: keeps them.
strip_copy() {
    case $1 in
    bin/* | *.so) ${STRIP:-strip} "$root/$1" 2>/dev/null || true ;;
    *.a) ${STRIP:-strip} -S "$root/$1" 2>/dev/null || true ;;
    esac
}

install_all() {
    files | {
        while read -r file mode source; do
            case $file in bin/strata-serve | *.so) [ -e "$source" ] || continue ;; esac # built only where their libraries are
            make_folder "$(dirname "$root/$file")"
            if [ "$source" ]; then install -m "$mode" "$source" "$root/$file"; else describe >"$root/$file"; fi
            strip_copy "$file"
        done
        note_made
    }
}

# Only empty folders go, the innermost first, and only those on the way to the prefix or below it.
remove_folders() {
    awk '{ line[NR] = $0 } END { for (i = NR; i; i--) print line[i] }' | while read -r folder; do
        case $folder/ in */../*) continue ;; "$root"/*) ;; *) case $root/ in "$folder"/*) ;; *) continue ;; esac ;; esac
        rmdir "$folder" 2>/dev/null || true
    done
}
uninstall() {
    made=$(cat "$root/$list" 2>/dev/null || true)
    files | while read -r file mode source; do
        rm -f "$root/$file" 2>/dev/null ||
            { echo "uninstall: $root/$file cannot be removed: sudo make uninstall, or PREFIX= where it was installed" >&2; exit 1; }
    done
    rm -f "$root/$list"
    printf '%s\n' "$made" "$root/share/strata" | remove_folders
}

case $1 in
check) check ;;
uninstall) uninstall ;;
*) install_all; echo "strata, strata.h and libstrata.a are in $root: bin, include and lib" ;;
esac
