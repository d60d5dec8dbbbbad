#!/bin/sh
# The site: make docs.  Installs nothing; says all that is missing at once (make deps docs installs it).
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
# shellcheck disable=SC2086
$python docs/test_hooks.py >build/docs/test_hooks.log 2>&1 || { cat build/docs/test_hooks.log >&2; exit 1; }
# The figures that pages show are drawn again when the program is newer, or a model, or stored numbers, or what draws them.
models=layer5_models/models
stale=
for name in $(grep -rhoE '\{\{ figure [a-z-]+' docs --include='*.md' | sed 's/.* //' | sort -u); do
    svg=build/plots/$name.svg
    [ "$svg" -nt build/bin/strata ] && [ -z "$(find docs/figures $models \( -name "$name.*" -o -name '*.awk' -o -name '*.sh' -o -name style.gp -o -name '*.csv' -o -name '*.gguf' \) -newer "$svg")" ] || stale="$stale $name"
done
# shellcheck disable=SC2086
if [ -n "$stale" ]; then DOCUMENTS=${DOCUMENTS:-20} docs/figures/make.sh build/bin/strata build/plots $stale || exit 1; fi
# So is the playground, when the libraries are, or the model.
[ build/playground/playground-data.js -nt build/bin/strata ] && [ -z "$(find docs/playground $models \( -name '*.[ch]' -o -name '*.gguf' \) -newer build/playground/playground-data.js)" ] ||
    docs/playground/build.sh build/playground || exit 1
mkdocs build --quiet --strict || exit 1
python3 docs/check_links.py build/site || exit 1
echo "the site is in build/site: make docs-serve shows it"
