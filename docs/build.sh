#!/bin/sh
# The site: make docs.  Installs nothing; says all that is missing at once (make deps docs installs it).
#   build.sh --check              only that
#   build.sh --book core|all      and the book, see book.py
cd "$(dirname "$0")/.." || exit 1
missing=
need() { missing="$missing
  $*"; }
command -v mkdocs >/dev/null 2>&1 || need "MkDocs: apt-get install mkdocs, or python3 -m pip install -r docs/requirements.txt"
python=$(sed -n '1s/^#! *//p' "$(command -v mkdocs || echo /dev/null)" 2>/dev/null)
${python:-python3} -c 'from mkdocs.utils import get_theme_names as n; exit("material" not in n())' >/dev/null 2>&1 || need "its theme Material: apt-get install mkdocs-material, or the same requirements.txt"
command -v gnuplot >/dev/null 2>&1 || need "gnuplot for the figures: apt-get install gnuplot-nox, brew install gnuplot"
for folder in "$STRATA_KATEX" /usr/share/javascript/katex build/docs/node_modules/katex/dist; do
    if [ -n "$folder" ] && [ -e "$folder/katex.min.js" ]; then STRATA_KATEX=$folder; break; fi
done
[ -e "$STRATA_KATEX/katex.min.js" ] || need "KaTeX for the formulas: apt-get install libjs-katex fonts-katex, or npm install --prefix build/docs katex"
export STRATA_KATEX
mkdir -p build/docs build/plots build/playground
docs/playground/build.sh --check build/playground 2>/dev/null ||
    need "clang for WebAssembly, for the playground: apt-get install clang lld wasi-libc libclang-rt-dev-wasm32"
if [ -n "$missing" ]; then
    printf 'docs: to build the site is missing:%s\n  Debian, Ubuntu: make deps docs installs all of it\n' "$missing" >&2
    exit 1
fi
[ "$1" != --check ] || exit 0
python=${python:-python3}
if [ "$1" = --book ]; then $python docs/book.py --check "$2" || exit 1; fi
$python docs/steps.py || exit 1
if [ "$1" = --book ]; then exec $python docs/book.py "$2"; fi
echo "the site is in build/site: make docs-serve shows it"
