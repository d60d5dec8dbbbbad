#!/bin/sh
# soak.sh [SECONDS [CLIENTS]]: a thousand clients of every kind and dialect for ten minutes, against a server under AddressSanitizer and
# UndefinedBehaviorSanitizer; TSAN=1: under ThreadSanitizer.
set -e
cd "$(dirname "$0")/../.."
if [ "$TSAN" ]; then export BUILD=build/tsan; else export SAN=1 BUILD=build/asan; fi
export ASAN_OPTIONS="quarantine_size_mb=16${ASAN_OPTIONS:+:$ASAN_OPTIONS}" # so that memory is flat when nothing leaks
unset MAKEFLAGS MFLAGS MAKELEVEL # the makes below take all cores
make -s && make -s -C tests build-tests
ulimit -n 8192 2>/dev/null || true
exec python3 tests/server/soak.py "${1:-600}" "${2:-1000}"
