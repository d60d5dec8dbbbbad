#!/usr/bin/env python3
"""Whether what the public headers promise is tested.

    claims.py          claims and fields, counted; those that no test is named for are errors
    claims.py list     every claim and its tests

A claim is a paragraph of a header's comment that begins with "Invariant", "Error" or "Cost" (passes over memory, which
tests/touches.h counts; a formula's "Flops" are arithmetic), or says "same bits", "to the bit" or "ulp".  It names its tests in brackets, [threads_change_no_bit], by the name in TEST(...), or a script of tests/ by its path.
And a struct that has a row FIELD(Struct, field) in a test has one for each of its fields (tests/fields.h)."""
import glob
import os
import re
import sys

os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
CLAIM = re.compile(r"^(Invariant:|Error   |Cost   )|same bits|to the bit|\bulp\b")
LABEL = re.compile(r"^(Invariant:|[A-Z][a-z]+ {2,})")
NAMED = re.compile(r"\[([a-z][a-z0-9_./, ]+)\]")


def read(pattern):
    return {path: open(path, encoding="utf-8").read() for path in sorted(glob.glob(pattern))}


def paragraphs(comment):
    """The paragraphs of a comment; a label such as "Source" begins one, too."""
    text = []
    for line in comment.strip("/*").split("\n"):
        line = re.sub(r"^ *\* ?", "", line).strip()
        if not line or LABEL.match(line):
            yield " ".join(text)
            text = []
        if line:
            text.append(line)
    yield " ".join(text)


def claims(headers):
    for path, source in headers.items():
        for comment in re.findall(r"/\*.*?\*/", source, re.S):
            for paragraph in paragraphs(comment):
                if CLAIM.search(paragraph):
                    yield path, paragraph


def names(declarations):
    """Members of a struct's body; those of a struct within count as one."""
    declarations = re.sub(r"\{[^{}]*\}", " ", re.sub(r"/\*.*?\*/", " ", declarations, flags=re.S))
    for declaration in declarations.split(";"):
        for part in declaration.split(","):
            pointer = re.search(r"\(\*(\w+)\)", part)
            word = pointer or re.search(r"(\w+)\s*(?:\[[^]]*\])*\s*$", part)
            if word:
                yield word.group(1)


def structs(headers):
    for source in headers.values():
        for match in re.finditer(r"struct (\w+) \{\n(.*?)\n\}", source, re.S):
            yield match.group(1), set(names(match.group(2)))


def main():
    headers = read("layer*/include/*.h") | read("layer*/extras/include/*.h")
    tests = "\n".join((read("layer*/tests/*.c") | read("tests/*.c")).values())
    known = set(re.findall(r"(?:TEST|cmocka_unit_test)\((\w+)\)", tests))
    bad, found = [], list(claims(headers))
    for path, paragraph in found:
        named = [name.strip() for group in NAMED.findall(paragraph) for name in group.split(",")]
        if "list" in sys.argv:
            print(f"{path}: {paragraph}")
        if not named:
            bad.append(f"{path}: no test is named: {paragraph}")
        bad += [f"{path}: there is no test {name}" for name in named
                if name not in known and not os.path.exists(f"tests/{name}")]
    fields = dict(structs(headers))
    rows = set(re.findall(r"FIELD\((\w+), (\w+)\)", tests))
    walked = {struct for struct, _ in rows}
    bad += [f"{struct}.{field} has no row FIELD({struct}, {field}) in a test"
            for struct in sorted(walked) for field in sorted(fields[struct])
            if (struct, field) not in rows]
    print(*bad, sep="\n", end="\n" if bad else "")
    print(f"{len(found)} claims in {len(headers)} headers, {len(rows)} fields of {len(walked)} structs: "
          + (f"{len(bad)} errors" if bad else "each names its test"))
    if len(found) < 100 or len(walked) < 8:
        bad.append("were the headers read?")
    sys.exit(bool(bad))


main()
