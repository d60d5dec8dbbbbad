#!/bin/sh
# A Homebrew formula, build/homebrew/strata.rb, and the archive of the sources that it builds.
#
#   make formula                     installs from this machine: brew install --formula build/homebrew/strata.rb
#   make formula URL=https://...     for others: URL is where the archive will lie, HOMEPAGE= the project's page
set -e
cd "$(dirname "$0")/../.."
build=${BUILD:-build}
case $build in /*) ;; *) build=$(pwd)/$build ;; esac
work=$build/homebrew
version=$(library/version.sh)
archive=$work/strata-$version.tar.gz
rm -rf "$work"
mkdir -p "$work"
if [ "$(git status --porcelain --untracked-files=no)" ]; then echo "formula: the archive is the last commit; what is not committed is not in it" >&2; fi
git archive --format=tar --prefix="strata-$version/" HEAD | gzip -9n >"$archive"
sum=$( (sha256sum "$archive" 2>/dev/null || shasum -a 256 "$archive") | cut -d' ' -f1)
url=${URL:-file://$archive}
sed -e "s|@URL@|$url|" -e "s|@HOMEPAGE@|${HOMEPAGE:-$url}|" -e "s|@VERSION@|$version|" -e "s|@SHA256@|$sum|" library/packaging/strata.rb.in >"$work/strata.rb"
echo "${work#"$(pwd)/"}/strata.rb: brew install --formula ${work#"$(pwd)/"}/strata.rb"
