#!/bin/sh
# The site: make docs.  Installs nothing; says what is missing.
cd "$(dirname "$0")/.." || exit 1
need() { printf 'docs: %s\n' "$*" >&2; exit 1; }
command -v mkdocs >/dev/null 2>&1 ||
    need "MkDocs Material is needed: apt-get install mkdocs mkdocs-material, or python3 -m pip install -r docs/requirements.txt"
command -v gnuplot >/dev/null 2>&1 || need "gnuplot is needed for the figures: apt-get install gnuplot-nox, brew install gnuplot"
for folder in "$STRATA_KATEX" /usr/share/javascript/katex build/docs/node_modules/katex/dist; do
    if [ -n "$folder" ] && [ -e "$folder/katex.min.js" ]; then STRATA_KATEX=$folder; break; fi
done
[ -e "$STRATA_KATEX/katex.min.js" ] ||
    need "KaTeX is needed for the formulas: apt-get install libjs-katex fonts-katex, or npm install --prefix build/docs katex"
export STRATA_KATEX
mkdir -p build/docs build/plots
# Figures are drawn again when the program is newer.
missing=
for name in effects temperature kept surprise frontier repetition order contrast guess heads lens errors turning curve loss roofline; do
    [ build/plots/$name.svg -nt build/bin/strata ] || missing="$missing $name"
done
if [ -n "$missing" ]; then DOCUMENTS=${DOCUMENTS:-20} docs/figures/make.sh build/bin/strata build/plots $missing || exit 1; fi
# So is the playground, when the libraries are.
[ build/playground/playground-data.js -nt build/bin/strata ] && [ build/playground/playground-data.js -nt docs/playground/playground.c ] ||
    docs/playground/build.sh build/playground || need "the playground is compiled by clang, to WebAssembly"
mkdocs build --quiet --strict || exit 1
python3 docs/check_links.py build/site || exit 1
echo "the site is in build/site: make docs-serve shows it"
