#!/bin/sh
# Do the official clients of others work with strata serve?  npm brings them into build/clients, in the versions that package.json
# names; they are no part of the repository.  Without node, npm or the network nothing is tried, and a line says so.
set -e
cd "$(dirname "$0")/../.."
model=layer5_models/models/storyteller.gguf
skip() { echo "CLIENTS NOT TRIED: $1" >&2; exit 0; }
[ -x build/bin/strata-serve ] || skip "strata serve is not built (libmicrohttpd)"
for tool in node npm; do command -v $tool >/dev/null 2>&1 || skip "there is no $tool"; done
mkdir -p build/clients
if ! cmp -s tests/clients/package.json build/clients/package.json || [ ! -d build/clients/node_modules ]; then
    cp tests/clients/package.json build/clients/
    echo "clients: npm install (in build/clients)"
    (cd build/clients && npm install --ignore-scripts --no-fund --no-audit >npm.log 2>&1) || {
        rm -f build/clients/package.json
        skip "npm could not install them (build/clients/npm.log)"
    }
fi
cp tests/clients/*.mjs build/clients/
# A template whose answers begin within a thought, unless they are not to.
printf '%s' "{% for m in messages %}{{ m.role }}: {{ m.content }}{% if '</think>' in m.content %}{% endif %}
{% endfor %}assistant: <think>
{% if enable_thinking is defined and not enable_thinking %}</think>
{% endif %}" >build/clients/thinks.jinja
pids=""
trap 'kill $pids 2>/dev/null || true; wait' EXIT
start() { # start NAME OPTION...: its address is in build/clients/NAME.log
    name=$1 && shift
    build/bin/strata serve -m $model --port 0 --quiet "$@" >"build/clients/$name.log" 2>&1 &
    pids="$pids $!"
    for _ in $(seq 100); do
        address=$(sed -n 's/.* answers at //p' "build/clients/$name.log")
        if [ "$address" ]; then return; fi
        sleep 0.1
    done
    cat "build/clients/$name.log" >&2
    exit 1
}
start plain --places 8 && plain=$address
start thinker --form @build/clients/thinks.jinja && thinker=$address
cd build/clients
node table.mjs "$plain" "$thinker"
