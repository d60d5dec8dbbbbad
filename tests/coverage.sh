#!/bin/sh
# Which lines and branches of the sources the tests run and take.   make coverage
#
# Sources and tests are compiled with gcc's counters, so that each && and ?: keeps its branches; then the unit tests run, and the
# scripts named below, and every command while its n-th allocation fails (the first 150), and tests/coverage.py adds up.  Left out are scripts that build or grade for themselves, and what runs for long.
cd "$(dirname "$0")/.." || exit 1
for tool in gcc gcov python3; do command -v $tool >/dev/null 2>&1 || { echo "make coverage: missing: $tool" >&2; exit 1; }; done
scripts="chat completion drafts encoders files grammar look options program server story template tune vision"
unset MAKEFLAGS MAKELEVEL MFLAGS
export BUILD=build/coverage
built() { make -s BUILD=$BUILD CC="${CC:-gcc}" CFLAGS="-O2 -w --coverage -fno-early-inlining -fno-ssa-phiopt --param logical-op-non-short-circuit=0" "$@" || exit 1; }
built build
for layer in layer[1-6]_* tests; do built -C "$layer" build-tests; done
find $BUILD -name '*.gcda' -exec rm -f {} +
# shellcheck disable=SC2046
tests/run_tests.sh $(printf 'tests/test_%s.sh ' $scripts) $(find $BUILD/layer* $BUILD/tests -maxdepth 1 -name 'test_*' -perm -u+x -type f | sort) \
    >$BUILD/log || grep '^FAILED' $BUILD/log # what it ran counts all the same
tail -1 $BUILD/log
# gcov allocates, too, and crashes where that fails: what went wrong here says nothing
python3 tests/failures/run.py memory --first 150 >$BUILD/failures.log 2>&1 || grep -m 1 -i 'error\|denied' $BUILD/failures.log
echo "not run: $(for script in tests/test_*.sh; do name=${script#tests/test_}; case " $scripts " in *" ${name%.sh} "*) ;; *) printf '%s ' "${name%.sh}" ;; esac; done)"
python3 tests/coverage.py $BUILD
