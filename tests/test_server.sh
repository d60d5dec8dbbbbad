#!/bin/sh
# strata serve: its routes as OpenAI's clients know them, and what a server must survive.  Where it is not built, or there is no
# Python, nothing is tried and a line says so.
. "$(dirname "$0")/program.sh"
if [ ! -x "$BUILD/bin/strata-serve" ]; then
    expect "without its library strata serve says what to install" 1 "apt-get install libmicrohttpd-dev" "$strata" serve
    echo "ok the server is not tried: it was not built (libmicrohttpd)"
    exit
fi
if ! command -v python3 >/dev/null 2>&1; then
    echo "ok the server is not tried: there is no python3"
    exit
fi
export BUILD
for part in null readers api models prefixes thirty names calls pieces lora limits logs doors heads service tls two dialects responses infill watched pictures sockets attacks; do python3 "$here/server/$part.py" || exit 1; done
