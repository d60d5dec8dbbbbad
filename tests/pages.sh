#!/bin/sh
# The commands on the pages of build/site, run in a fresh copy of the repository (what git knows, as it stands) after make.
cd "$(dirname "$0")/.." || exit 1
fresh=build/fresh
rm -rf $fresh
mkdir -p $fresh
git ls-files -z | xargs -0 -I{} sh -c '[ ! -e "$1" ] || printf "%s\0" "$1"' - {} | tar --null -cf - -T - | tar -xf - -C $fresh || exit 1
make -s -C $fresh || exit 1
python3 tests/pages.py build/site $fresh
