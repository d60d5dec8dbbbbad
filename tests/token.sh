#!/bin/sh
# The code that runs for one more token of a story: functions, lines and files, by layer.   make token
#
# The core is compiled with counters (gcov); a shorter and a longer story are told, and what the longer one calls more often is what
# a token needs.
cd "$(dirname "$0")/.." || exit 1
out=build/token
command -v python3 >/dev/null 2>&1 && command -v gcov >/dev/null 2>&1 || { echo "make token: missing: python3 or gcov" >&2; exit 1; }
(unset MAKEFLAGS MAKELEVEL MFLAGS; make -s BUILD=$out CC="gcc --coverage" CFLAGS="-O1 -g1" story) || exit 1
for tokens in 4 20; do
    find $out -name '*.gcda' -exec rm -f {} +
    STRATA_ISA=scalar $out/bin/story -n $tokens >/dev/null 2>&1 || exit 1
    find $out -name '*.gcda' | xargs gcov --json-format --stdout >$out/calls-$tokens.json 2>/dev/null
done
PYTHONPATH=tests PYTHONDONTWRITEBYTECODE=1 python3 - $out/calls-4.json $out/calls-20.json <<'END'
import os, sys
import gcov

def counts(path):
    calls, lines = {}, {}
    for place, file in gcov.files(open(path)):
        place = place[place.find("layer"):] if "layer" in place else place
        for f in file["functions"]:
            key = place, f["name"]
            calls[key] = calls.get(key, 0) + f["execution_count"]
        for l in file["lines"]:
            key = place, l["line_number"]
            lines[key] = lines.get(key, 0) + l["count"]
    return calls, lines

def more(few, many): return [key for key in many if many[key] > few.get(key, 0) and key[0].startswith("layer")]

(few, few_lines), (many, many_lines) = counts(sys.argv[1]), counts(sys.argv[2])
layer = lambda key: key[0].split("/")[0]
functions, lines = more(few, many), more(few_lines, many_lines)
print(f"{'layer':20} {'files':>6} {'functions':>10} {'lines':>6}")
for name in sorted({layer(k) for k in functions}):
    own = [k for k in functions if layer(k) == name]
    print(f"{name:20} {len({k[0] for k in own}):6} {len(own):10} {sum(layer(k) == name for k in lines):6}")
print(f"{'a token':20} {len({k[0] for k in functions}):6} {len(functions):10} {len(lines):6}")
if os.environ.get("LIST"): print("\n".join(sorted(f"{a} {b}" for a, b in functions)))
END
