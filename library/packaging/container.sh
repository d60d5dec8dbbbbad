#!/bin/sh
# The image `strata`, by podman or docker: what git knows of the tree, and no build folder, is sent to it.
# The program that builds it: the first of these that works, or CONTAINERS=podman.
set -e
cd "$(dirname "$0")/../.."
for program in ${CONTAINERS:-podman docker}; do
    if "$program" info >/dev/null 2>&1; then found=$program; break; fi
done
if [ -z "$found" ]; then
    echo "make container: neither podman nor docker runs here (podman info, docker info). Install podman, or start docker's daemon" >&2
    exit 1
fi
context=${BUILD:-build}/container
rm -rf "$context"
mkdir -p "$context"
git ls-files -z | xargs -0 tar -cf - | tar -xf - -C "$context"
"$found" build -f library/packaging/Containerfile -t "strata:$(library/version.sh)" -t strata "$context"
rm -rf "$context"
echo "the image strata: $found run --rm -p 127.0.0.1:8080:8080 strata, then http://127.0.0.1:8080"
