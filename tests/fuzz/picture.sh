#!/bin/sh
# Damaged pictures under AddressSanitizer and UndefinedBehaviorSanitizer.   picture.sh [CASES [FIRST]]
. "$(dirname "$0")/build.sh"
build=build/asan program=layer6_inference/extras/program
make -s SAN=1
# shellcheck disable=SC2086
compile $sanitizers -I$program -I$program/pictures -o $build/fuzz_picture \
    tests/fuzz/fuzz_picture.c $program/input.c $program/pictures/files.c $program/pictures/png.c $program/pictures/jpeg.c -ldl
mkdir -p $build/pictures
(cd $build/pictures && . ../../../tests/pictures.sh)
$build/fuzz_picture $build/pictures "$@"
