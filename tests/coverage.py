#!/usr/bin/env python3
"""Which branches no test takes: tests/coverage.sh runs the tests, this adds up what gcov counted.

    coverage.py FOLDER      that of the objects and their counts

Prints lines and branches by folder, and writes FOLDER/missed.txt: every branch of the core that was never taken and every function
that was never called, but for those in tests/not_covered.txt.  That list has rows FILE | WHICH | WHY; WHICH is a part of the
branch's line, or function(), whose branches are all meant.  A row that fits nothing is an error, but for those of MAYBE."""
import collections
import fnmatch
import glob
import os
import re
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import gcov

ROOT = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
LIST = os.path.join(ROOT, "tests/not_covered.txt")
ABORTS = ("REQUIRE", "NEED_MEMORY")  # macros whose branch ends the program
REFUSES = re.compile(r"\|\| *\(?(fault_set|fault_prefix|cannot|refuse|regex_wrong|key_missing)\(")  # always false: one way there is none
MAYBE = ("memory ends", "by chance", "the machine decides")  # reasons of branches that some runs take


class Line:
    def __init__(self, shared):
        self.shared = shared  # a header's: compiled in many objects, in each with other constants
        self.count, self.function, self.taken = 0, "", {}

    def add(self, line):
        """The same line in another object: a header's, a template's.  Where it has as many branches, they are the same."""
        self.count += line["count"]
        self.function = line.get("function_name", "")
        ways = gcov.ways(line)
        self.taken[len(ways)] = [a + b for a, b in zip(ways, self.taken.get(len(ways), [0] * len(ways)))]

    def ways(self):
        """Copies of an always_inline function (no name) are one: their constants decide most branches, each another way."""
        ways = [count for some in self.taken.values() for count in some]
        return ways if (self.function and not self.shared) or len(ways) % 2 else [sum(ways[0::2]), sum(ways[1::2])][:len(ways)]


def read(folder):
    """{path: {line number: Line}}, and {path: {function: (line number, calls)}}."""
    notes = glob.glob(f"{folder}/layer*/**/*.gcno", recursive=True)
    lines, functions = collections.defaultdict(dict), collections.defaultdict(dict)
    for some in (notes[i:i + 40] for i in range(0, len(notes), 40)):
        said = subprocess.run(["gcov", "--json-format", "--stdout", "-b", *some], cwd=ROOT, text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, check=False).stdout
        for path, file in gcov.files(said.split("\n")):
            path = os.path.relpath(path, ROOT)
            if not path.startswith("layer") or path.split("/")[1] not in ("src", "include", "extras"):
                continue
            for line in file["lines"]:
                lines[path].setdefault(line["line_number"], Line(path.endswith(".h"))).add(line)
            for f in file["functions"]:
                before = functions[path].get(f["name"], (0, 0))[1]
                functions[path][f["name"]] = f["start_line"], before + f["execution_count"]
    return lines, functions


def missed(lines, functions):
    """(path, number, function, text, what) of branches that were not taken, of functions that were not called."""
    for path in sorted(lines):
        text = open(f"{ROOT}/{path}", encoding="utf-8").read().split("\n")
        for name, (number, calls) in functions[path].items():
            if calls == 0:
                yield path, number, name, text[number - 1].strip(), "never called"
        for number, line in sorted(lines[path].items()):
            shown, ways = text[number - 1].strip(), line.ways()
            none = ways.count(0) - len(REFUSES.findall("".join(text[number - 1:number + shown.endswith("||")])))
            if none > 0 and not shown.startswith(ABORTS):
                what = f"{none} of {len(ways)} ways never taken" if line.count else "never run"
                yield path, number, line.function, shown, what


def listed():
    with open(LIST, encoding="utf-8") as file:
        return [tuple(part.strip() for part in row.split(" | ")) for row in file if row.strip() and not row.startswith("#")]


def folder_of(path):
    """A folder of the core, or the extras of a layer."""
    parts = path.split("/")
    return "/".join(parts[:2]) if parts[1] == "extras" else os.path.dirname(path)


def table(lines, left, known):
    rows = collections.defaultdict(lambda: [0] * 6)
    for path in lines:
        for total in (folder_of(path), "extras" if "/extras/" in path else "core"):
            row, every = rows[total], lines[path].values()
            ways = [way for line in every for way in line.ways()]
            row[0] += len(lines[path])
            row[1] += sum(line.count > 0 for line in every)
            row[2] += len(ways)
            row[3] += sum(way > 0 for way in ways)
            row[4] += sum(m[0] == path for m in known)
            row[5] += sum(m[0] == path for m in left)
    print(f"{'':36} {'lines':>6} {'run':>7} {'ways':>6} {'taken':>7} {'listed':>6} {'left':>5}")
    for name in sorted(set(rows) - {"core", "extras"}) + ["core", "extras"]:
        n, run, ways, taken, with_reason, without = rows[name]
        print(f"{name:36} {n:6} {100 * run / max(1, n):5.1f} % {ways:6} {100 * taken / max(1, ways):5.1f} % {with_reason:6} {without:5}")


def main():
    lines, functions = read(sys.argv[1])
    rows, used, left, known = listed(), set(), [], []
    for miss in missed(lines, functions):
        fits = [row for row in rows if fnmatch.fnmatch(miss[0], row[0]) and (row[1] in miss[3] or row[1] == miss[2] + "()")]
        used.update(fits)
        (known if fits else left).append(miss)
    table(lines, left, known)
    core = [miss for miss in left if "/extras/" not in miss[0]]
    for name, some in (("missed", core), ("missed-extras", [miss for miss in left if "/extras/" in miss[0]])):
        with open(f"{sys.argv[1]}/{name}.txt", "w", encoding="utf-8") as file:
            file.writelines(f"{path}:{number}: {function}(): {what}: {text}\n" for path, number, function, text, what in some)
    stale = [row for row in rows if row not in used and not row[2].startswith(MAYBE)]
    for row in stale:
        print(f"tests/not_covered.txt: every branch is taken, or there is none: {' | '.join(row)}")
    if core:
        print(f"{sys.argv[1]}/missed.txt: {len(core)} lines of the core with branches that no test takes")
    sys.exit(bool(stale))


main()
