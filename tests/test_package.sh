#!/bin/sh
# What is handed to others: the version, the changelog, packages, and the flags that editors read.
build=${BUILD:-build}
. "$(dirname "$0")/program.sh"
cd "$here/.." || exit 1
unset MAKEFLAGS MAKELEVEL MFLAGS
[ -z "$SAN$TSAN" ] || { ok "packages are of the plain build"; exit 0; }

# The version stands in one file.
version=$(library/version.sh)
case $version in [0-9]*.[0-9]*.[0-9]*) ok "the version is $version" ;; *) not "the version" "'$version'" ;; esac
same "the program says so" "$("$strata" --version | sed 's/, .*//')" "strata $version"
newest=$(sed -n 's/^## \[*\([0-9][0-9.]*\).*/\1/p' CHANGELOG.md | head -1)
same "the newest version of CHANGELOG.md" "$newest" "$version"
same "which has a section of what is not released, above it" "$(grep -m 1 '^## ' CHANGELOG.md)" "## [Unreleased]"
same "one source holds it" "$(git grep -lF "\"$version\"" -- 'layer[1-6]_*/*.[ch]' library Makefile layer.mk)" "layer6_inference/src/version.c"
# (Asked with -W, not touch: another test may run make in this tree at the same time.)
make -s BUILD="$build" >/dev/null 2>&1
make -n -C layer6_inference -W src/version.c BUILD="$build" 2>/dev/null | grep -o -e ' -c [^ ]*\.c' | sort -u >"$work/compiled"
same "a new version compiles one file" "$(cat "$work/compiled")" " -c src/version.c"

# For Debian and Ubuntu.
if command -v dpkg-deb >/dev/null 2>&1; then
    export DEBFULLNAME="A Tester" DEBEMAIL=tester@debian.org
    expect "make deb" 0 "strata_${version}_.*deb: install it with" make -s BUILD="$build" deb
    package=$(ls "$build"/deb/strata_"$version"_*.deb)
    cp "$package" "$work/first.deb"
    make -s BUILD="$build" deb >/dev/null
    same "the same sources make the same package" "$(cksum <"$package")" "$(cksum <"$work/first.deb")"
    same "it is of this version" "$(dpkg-deb -f "$package" Version)" "$version"
    case $(dpkg-deb -f "$package" Depends) in *libc6\ *\(\>=*) ok "what it depends on is computed" ;; *) not "what it depends on is computed" "$(dpkg-deb -f "$package" Depends)" ;; esac
    if [ -e "$BUILD/bin/strata-serve" ]; then
        case $(dpkg-deb -f "$package" Depends) in *libmicrohttpd*) ok "with the server's library" ;; *) not "with the server's library" "$(dpkg-deb -f "$package" Depends)" ;; esac
    fi
    dpkg-deb -x "$package" "$work/unpacked"
    same "its program tells a story" "$(cd / && "$work/unpacked/usr/bin/strata" generate -m "$model" --quiet -n 8 --chain greedy)" "$("$strata" generate -m "$model" --quiet -n 8 --chain greedy)"
    same "the list of install's folders is not in it" "$(find "$work/unpacked" -name installed)" ""
    same "its sums are right" "$(dpkg-deb --ctrl-tarfile "$package" | tar -xOf - ./md5sums | (cd "$work/unpacked" && md5sum -c --quiet -) 2>&1)" ""
    if command -v lintian >/dev/null 2>&1; then
        lintian --allow-root --fail-on error "$package" >"$work/lintian" 2>&1
        same "lintian finds no errors" "$? $(grep '^E:' "$work/lintian")" "0 "
    else
        echo "SKIPPED: lintian is not installed, the package's form is not checked"
    fi
else
    echo "SKIPPED: no dpkg-deb, no Debian package is made"
fi

# For podman and docker: built and asked where one of them works.
containers=
for program in podman docker; do if "$program" info >/dev/null 2>&1; then containers=$program; break; fi; done
if [ "$containers" ] && { "$containers" image inspect debian:bookworm-slim || "$containers" pull debian:bookworm-slim; } >/dev/null 2>&1; then
    expect "make container" 0 "the image strata" make -s BUILD="$build" CONTAINERS="$containers" container
    expect "the image has this version" 0 "^strata $version," "$containers" run --rm strata --version
    id=$("$containers" run -d --rm -p 127.0.0.1::8080 strata)
    at=$("$containers" port "$id" 8080 | head -1)
    for _ in 1 2 3 4 5 6 7 8 9 10; do curl -s "http://$at/v1/models" >"$work/served" && break; sleep 1; done
    expect "and it serves" 0 storyteller cat "$work/served"
    "$containers" stop "$id" >/dev/null
else
    echo "SKIPPED: neither podman nor docker works here (or the base image cannot be had): the image is NOT built"
fi
# What is sent to the builder, seen by one that builds nothing.
printf '#!/bin/sh\n[ "$1" = info ] || { shift; for last; do :; done; echo "$@"; find "$last" -type f; }\n' >"$work/builder"
chmod +x "$work/builder"
make -s BUILD="$build" CONTAINERS="$work/builder" container >"$work/sent" 2>&1
expect "the image is built from what git knows" 0 "/container/layer6_inference/src/version.c$" cat "$work/sent"
same "and from nothing else" "$(grep -c "/container/" "$work/sent")" "$(git ls-files | grep -c .)"
printf '#!/bin/sh\nexit 1\n' >"$work/builder"
expect "where none works, it is said" 2 "neither podman nor docker runs here" make -s BUILD="$build" CONTAINERS="$work/builder" container
copied=$(sed -n 's/^COPY --from=build \([^ ]*\) .*/\1/p' library/packaging/Containerfile)
same "the image takes what was staged" "$(grep -c "DESTDIR=$copied " library/packaging/Containerfile)" 1

# For Homebrew.
expect "make formula" 0 "strata.rb: brew install" make -s BUILD="$build" formula URL=https://example.org/strata.tar.gz
archive=$(ls "$build"/homebrew/strata-"$version".tar.gz)
same "its sum is the archive's" "$(sed -n 's/ *sha256 "\(.*\)"/\1/p' "$build/homebrew/strata.rb")" "$( (sha256sum "$archive" 2>/dev/null || shasum -a 256 "$archive") | cut -d' ' -f1)"
same "nothing is left to fill in" "$(grep -c @ "$build/homebrew/strata.rb")" 0
expect "it is of this version, at that address" 0 "url \"https://example.org/strata.tar.gz\"" grep -A 1 'url "' "$build/homebrew/strata.rb"
same "the archive is the last commit" "$(gzip -dc "$archive" | tar -tf - | grep -vc '/$')" "$(git ls-tree -r --name-only HEAD | grep -c .)"
if command -v ruby >/dev/null 2>&1; then expect "ruby reads it" 0 "Syntax OK" ruby -c "$build/homebrew/strata.rb"; fi

# For clangd.
rm -f compile_commands.json
expect "make compile_commands.json" 0 "compile_commands.json: [0-9]* files" make -s BUILD="$build" compile_commands.json
if command -v python3 >/dev/null 2>&1; then
    cat >"$work/commands.py" <<'END'
import json, os, sys
commands = {os.path.normpath(os.path.join(c["directory"], c["file"])): c["arguments"] for c in json.load(open("compile_commands.json"))}
for source in sys.stdin.read().split():
    arguments = commands.get(os.path.abspath(source))
    if arguments is None: print("missing", source)
    elif "-std=c11" not in arguments or "-Iinclude" not in arguments: print("flags", source, arguments)
for path in commands:
    if not os.path.exists(path): print("no such file", path)
END
    git ls-files 'layer[1-6]_*/src/*.c' 'layer[1-6]_*/extras/*.c' 'layer[1-6]_*/tests/test_*.c' 'tests/test_*.c' |
        if [ -e "$BUILD/bin/strata-serve" ]; then cat; else grep -v extras/serve/; fi >"$work/sources"
    if ! tests/needs.sh test 2>/dev/null; then grep -v tests/ "$work/sources" >"$work/fewer"; mv "$work/fewer" "$work/sources"; fi
    same "it has every file, with its flags" "$(python3 "$work/commands.py" <"$work/sources")" ""
fi
if command -v clangd >/dev/null 2>&1; then
    for file in layer3_nn/src/softmax.c layer6_inference/tests/test_samplers.c; do
        expect "clangd reads $file" 0 "All checks completed, 0 errors" clangd --check="$file"
    done
fi
