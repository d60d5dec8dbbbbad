#!/usr/bin/env python3
"""terms.py [FOLDER or FILE...]: the words of tests/terms.txt that stand in pages, comments and messages where the field has another.

    terms.py               all of it; fails when there is one
    terms.py docs/layer4   the findings below a folder
    terms.py --count       how many findings each pattern has, pages and code apart"""
import fnmatch
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
# A string or a comment of C; the first group is a comment, the second a string.
PARTS = re.compile(r"""(//[^\n]*|/\*.*?\*/)|("(?:\\.|[^"\\\n])*")|'(?:\\.|[^'\\\n])*'""", re.S)
# What a page quotes: fences, tags, `code`, *italics*, addresses.
QUOTED = re.compile(r"^```.*?^```|\{\{.*?\}\}|`[^`\n]*`|(?<![*\w])\*[^*\n]+\*(?!\*)|\]\([^)]*\)|<[^>\n]*>", re.S | re.M)


def rows():
    found = []
    for number, line in enumerate((ROOT / "tests/terms.txt").read_text().split("\n"), 1):
        if not line.strip() or line.startswith("#"):
            continue
        *pattern, advice, where, allowed = (line + " |" * (line.count(" | ") == 2)).rsplit(" |", 3)
        limit, where = re.fullmatch(r" (?:(\d+) )?(all|pages|code)", where.rstrip()).groups()
        found.append((re.compile(r"\b(?:" + pattern[0].strip() + r")\b", re.I), pattern[0].strip(), advice.strip(), where, int(limit or 0), allowed.split()))
    return found


def blank(text):
    return re.sub(r"[^\n]", " ", text)


def words_of(path, text):
    """(kind, text) of a file, with all that is not language made blank, so that lines keep their numbers."""
    if path.endswith((".c", ".h")):
        kept, last = [], 0
        for part in PARTS.finditer(text):
            kept += [blank(text[last:part.start()]), part.group(0) if part.group(1) or part.group(2) else blank(part.group(0))]
            last = part.end()
        return "code", "".join(kept) + blank(text[last:])
    return "pages", QUOTED.sub(lambda match: blank(match.group(0)), text)


def files(below):
    names = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard", "--", *(below or ["."])],
                           cwd=ROOT, capture_output=True, text=True, check=True).stdout.split("\n")
    return [name for name in names if name.endswith((".c", ".h", ".md", "holes.txt")) and (ROOT / name).is_file()]


def findings(below):
    table = rows()
    any_row = re.compile("|".join(row[0].pattern for row in table), re.I)  # most files have none
    for path in files(below):
        kind, text = words_of(path, (ROOT / path).read_text(errors="replace"))
        if not any_row.search(text):
            continue
        for pattern, name, advice, where, limit, allowed in table:
            if where in ("all", kind) and not any(fnmatch.fnmatch(path, glob) for glob in allowed):
                for match in pattern.finditer(text):
                    yield name, kind, limit, f"{path}:{text.count(chr(10), 0, match.start()) + 1}: '{match.group(0)}': {advice}"


def main(arguments):
    count = "--count" in arguments
    by_name = {}
    for name, kind, limit, line in findings([a for a in arguments if a != "--count"]):
        by_name.setdefault(name, ([], [], limit))[kind == "code"].append(line)
    if count:
        for name, (pages, code, _) in by_name.items():
            print(f"{len(pages):5} pages {len(code):5} code   {name}")
        return 0
    wrong = [line for pages, code, limit in by_name.values() if len(pages) + len(code) > limit for line in pages + code]
    print("\n".join(wrong) if wrong else "every word is the field's")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
