#!/bin/sh
# The commands on the pages of build/site, in a fresh copy of the repository: make docs has run each there once, see pages.py.
cd "$(dirname "$0")/.." || exit 1
python3 tests/pages.py build/site
