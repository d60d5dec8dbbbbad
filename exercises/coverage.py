"""What a grader never runs of the functions it grades.

    gcov --json-format --stdout -b FILE.gcda | python3 exercises/coverage.py SOURCE FUNCTION,...

Prints "LINES BRANCHES" (all of them, then those never run), and a line for each that was not: "SOURCE:LINE  text".  A branch
that the compiler makes for an error in a macro (REQUIRE) does not count.
"""
import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../tests"))
import gcov

source, names = sys.argv[1], set(sys.argv[2].split(","))
lines, branches, missed = 0, 0, []
text = open(source).read().split("\n")
for path, file in gcov.files(sys.stdin):
    if not path.endswith(source.rsplit("/", 1)[-1]):
        continue
    for line in file["lines"]:
        shown = text[line["line_number"] - 1].strip()
        if line.get("function_name") not in names or shown.startswith("REQUIRE"):
            continue
        lines += 1
        ways = gcov.ways(line)
        branches += len(ways)
        if line["count"] == 0:
            missed.append((line["line_number"], "never run", shown))
        elif ways and min(ways) == 0:
            missed.append((line["line_number"], f"{ways.count(0)} of {len(ways)} ways never taken", shown))
print(lines, branches, len(missed))
for number, why, shown in sorted(missed):
    print(f"    {number:4}  {why}: {shown}")
