"""What a grader never runs of the functions it grades.

    gcov --json-format --stdout -b FILE.gcda | python3 exercises/coverage.py SOURCE FUNCTION,...

Prints "LINES BRANCHES" (all of them, then those never run), and a line for each that was not: "SOURCE:LINE  text".  A branch
that the compiler makes for an error in a macro (REQUIRE) does not count.
"""
import json
import sys

source, names = sys.argv[1], set(sys.argv[2].split(","))
lines, branches, missed = 0, 0, []
text = open(source).read().split("\n")
for unit in (json.loads(line) for line in sys.stdin if line.startswith("{")):
    for file in unit["files"]:
        if not file["file"].endswith(source.rsplit("/", 1)[-1]):
            continue
        for line in file["lines"]:
            shown = text[line["line_number"] - 1].strip()
            if line.get("function_name") not in names or shown.startswith("REQUIRE"):
                continue
            lines += 1
            ways = [b["count"] for b in line["branches"] if not b["throw"]]
            branches += len(ways)
            if line["count"] == 0:
                missed.append((line["line_number"], "never run", shown))
            elif ways and min(ways) == 0:
                missed.append((line["line_number"], f"{ways.count(0)} of {len(ways)} ways never taken", shown))
print(lines, branches, len(missed))
for number, why, shown in sorted(missed):
    print(f"    {number:4}  {why}: {shown}")
