#!/bin/sh
# Compare with llama.cpp on the model in the box: the same token ids on 1,000 documents of Tiny World, the same greedy
# continuation of 64 tokens on 20 prompts, by a prebuilt llama.cpp (node-llama-cpp) that npm brings into build/peers: with NPM=1.
# With LLAMA_CPP=DIR also a native build: its speed (speed.sh), behind long texts too (long.sh), many texts at once (serve.sh), servers
# and their clients (clients.py), texts and perplexity in several formats (text.sh), and random models of every family (families.sh).
# By itself, because it needs shared libraries: encoders of pictures (vision.sh).
# With LLM_C=DIR the speed of training beside llm.c (training.sh).
set -e
cd "$(dirname "$0")/../.."
if [ -n "$LLAMA_CPP" ]; then
    tests/peers/speed.sh
    tests/peers/long.sh
    tests/peers/serve.sh
    python3 tests/peers/clients.py
    tests/peers/text.sh
    tests/peers/families.sh
else
    echo "peers: LLAMA_CPP=DIR compares with a native build: speed, texts and perplexity, families"
fi
[ -z "$LLM_C" ] || tests/peers/training.sh
if [ ! -d build/peers/node_modules/node-llama-cpp ] && [ -z "$NPM" ]; then
    echo "peers: token ids and texts are not compared: NPM=1 installs node-llama-cpp, which does that, into build/peers" >&2
    exit 0
fi
mkdir -p build/peers
cp tests/peers/compare.mjs build/peers/
cd build/peers
if [ ! -d node_modules/node-llama-cpp ]; then
    echo "peers: npm install node-llama-cpp (in build/peers)"
    [ -f package.json ] || npm init -y >/dev/null
    npm install --ignore-scripts --no-fund --no-audit node-llama-cpp >/dev/null
fi
../bin/strata world --seed 2 --documents "${DOCUMENTS:-1000}" >documents.txt 2>/dev/null
node compare.mjs ../bin/strata "$(cd ../.. && pwd)/layer5_models/models/storyteller.gguf" documents.txt
