#!/bin/sh
# A package for Debian and Ubuntu, build/deb/strata_VERSION_ARCHITECTURE.deb: what make install brings, under /usr.
#
# Who builds a package is its maintainer: DEBFULLNAME and DEBEMAIL, or the name and address that git has.
set -e
cd "$(dirname "$0")/../.."
build=${BUILD:-build}
case $build in /*) ;; *) build=$(pwd)/$build ;; esac
work=$build/deb root=$build/deb/root
version=$(library/version.sh)
architecture=$(dpkg --print-architecture)
name=${DEBFULLNAME:-$(git config user.name 2>/dev/null || id -un)}
address=${DEBEMAIL:-$(git config user.email 2>/dev/null || echo "$(id -un)@$(hostname)")}
maintainer="$name <$address>"
# The package is the same to the byte for the same commit and maintainer.
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || date +%s)}
export SOURCE_DATE_EPOCH
umask 022

# The packages that hold libraries, in at least the versions of this machine: holders SONAME...
holders() {
    for soname in "$@"; do
        dpkg-query -S "*/$soname" 2>/dev/null | sed -n "s/:$architecture: .*//p"
    done | sort -u | while read -r package; do
        dpkg-query -W -f '${Package} (>= ${source:Upstream-Version})\n' "$package:$architecture"
    done | paste -sd, - | sed 's/,/, /g'
}
needed() { objdump -p "$root"/usr/bin/* | awk '$1 == "NEEDED" { print $2 }' | sort -u; }
# Loaded when they are there: for the keys of strata chat, and for PNG and JPEG files.
loaded() { ldconfig -p | awk '$1 ~ /^(libedit\.so\.2|libpng16\.so\.16|libjpeg\.so\.[0-9]+)$/ { print $1 }' | sort -u; }

control() {
    # shellcheck disable=SC2046
    cat <<END
Package: strata
Version: $version
Architecture: $architecture
Maintainer: $maintainer
Installed-Size: $(du -sk "$root" | cut -f1)
Depends: $(holders $(needed))
$(recommended=$(holders $(loaded)); [ -z "$recommended" ] || echo "Recommends: $recommended")
Section: science
Priority: optional
Description: language models in C, to read, break and rebuild
 Strata runs language models from GGUF files: stories, chats, an HTTP server
 that speaks OpenAI's protocol, grammars, forty samplers, quantization and
 training. A small storyteller comes with it. The library for other programs
 is one header, strata.h, and one archive, libstrata.a.
END
}

changelog() { # as dpkg reads it: what CHANGELOG.md says of this version, or of what is not released yet
    echo "strata ($version) unstable; urgency=medium"
    echo
    awk -v version="$version" '
        function wrap(   line, n, i, word) {
            n = split(entry, word, " ")
            line = "  *"
            for (i = 1; i <= n; i++) if (length(line) + length(word[i]) > 77) { print line; line = "    " word[i] } else line = line " " word[i]
            if (n) print line
            entry = ""
        }
        /^## / { on = index($0, version) || /Unreleased/ }
        !/^  / { wrap() }
        on && /^(- |  )/ { entry = entry substr($0, 2) }
        END { wrap() }' CHANGELOG.md
    echo
    echo " -- $maintainer  $(date -u -d "@$SOURCE_DATE_EPOCH" '+%a, %d %b %Y %H:%M:%S +0000')"
}

copyright() {
    echo "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/"
    echo "Upstream-Name: Strata"
    echo
    echo "Files: *"
    sed -n 's/^Copyright (c) /Copyright: /p' LICENSE
    echo "License: Expat"
    sed '1,/^Copyright/d' LICENSE | sed '1{/^$/d;}; s/^$/./; s/^/ /'
}

rm -rf "$work"
mkdir -p "$root/DEBIAN" "$root/usr/share/doc/strata"
DESTDIR=$root PREFIX=/usr library/install.sh >/dev/null
find "$root/usr/share/man" -type f ! -name '*.gz' -exec gzip -9n {} + 2>/dev/null || true
changelog | gzip -9n >"$root/usr/share/doc/strata/changelog.gz"
copyright >"$root/usr/share/doc/strata/copyright"
control | sed '/^$/d' >"$root/DEBIAN/control"
(cd "$root" && find usr -type f | sort | xargs md5sum) >"$root/DEBIAN/md5sums"
package=$work/strata_${version}_$architecture.deb
dpkg-deb --root-owner-group --build "$root" "$package" >/dev/null
echo "${package#"$(pwd)/"}: install it with sudo apt-get install ./${package##*/}, in that folder"
