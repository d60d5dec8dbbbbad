#!/usr/bin/env python3
"""Search for grammars that cost much: seconds of the processor, megabytes, steps per byte.

grammar_cost.py STRATA FOLDER MINUTES [SEED]

A population of schemas, regular expressions and GBNF files, from the cases of tests/hostile.py and from generators, is mutated and
crossed; what costs more than its parent stays.  FOLDER keeps the worst of each kind, with their figures in their names; what exceeds
2 s or 256 MB is printed."""
import json
import os
import random
import re
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import hostile

LARGEST, POPULATION, ALIKE, SECONDS, MEGABYTES = 100000, 60, 6, 2.0, 256
R = random.Random()


class Individual:
    def __init__(self, kind, genes):
        self.kind, self.genes = kind, genes
        self.text = genes if kind != "schema" else json.dumps(genes)


# ------------------------------------------------------------------ schemas
def places(value, path=()):
    """All places of a JSON value, as paths."""
    yield path
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        yield from places(inner, path + (key,))


def at(value, path):
    for key in path:
        value = value[key]
    return value


def put(value, path, new):
    """A copy with something else at one place."""
    if not path:
        return new
    copy = dict(value) if isinstance(value, dict) else list(value)
    copy[path[0]] = put(value[path[0]], path[1:], new)
    return copy


def number():
    return R.choice((0, 1, 2, 3, 7, 16, 40, 100, 1000, 9999991, 10**6, 10**12, 0.1, 1e30))


def leaf():
    return R.choice((lambda: {"type": R.choice(("string", "integer", "number", "object", "array", "null", "boolean"))},
                     lambda: {"enum": [R.choice(("a", "b", 1, [1, 2], {"a": 1})) if R.random() < 0.3 else f"w{R.randrange(1000)}" for _ in range(R.choice((2, 20, 200)))]},
                     lambda: {"pattern": regex(2)}, lambda: {"multipleOf": number() or 1}, lambda: {"minLength": number(), "maxLength": number()},
                     lambda: {"$ref": R.choice(("#", "#/$defs/a", "#/$defs/b"))}, lambda: {"format": R.choice(("date-time", "email", "uri", "hostname", "ipv6", "uuid"))},
                     lambda: {"minimum": number(), "maximum": number()}, lambda: {"type": "array", "uniqueItems": True, "items": {"enum": list(range(R.randrange(2, 60)))}},
                     lambda: {"const": R.choice((1, "x" * 50, [[]]))}, lambda: {"required": [f"k{R.randrange(9)}"]}, lambda: True, lambda: False))()


def wrap(d):
    k, other = f"k{R.randrange(9)}", leaf()
    return R.choice(({"allOf": [d, d]}, {"anyOf": [d, d]}, {"oneOf": [d, other]}, {"not": d}, {"if": d, "then": other, "else": d}, {"items": d},
                     {"prefixItems": [d, other, d], "items": other}, {"contains": d, "minContains": 2, "maxContains": R.choice((2, 9, 40))},
                     {"properties": {k: d}, "additionalProperties": other}, {"patternProperties": {regex(1): d, "^k": other}}, {"allOf": [d, other]},
                     {"anyOf": [d, other]}, {"properties": {f"k{i}": d for i in range(R.choice((2, 9, 30)))}, "minProperties": R.randrange(9)},
                     {"dependentSchemas": {k: d, "k1": other}}, {"propertyNames": d, "minProperties": 2}, {"$defs": {"a": d, "b": other}, "$ref": "#/$defs/a"},
                     {"allOf": [{"anyOf": [d, other]} for _ in range(R.randrange(2, 9))]}, {"type": "array", "items": d, "minItems": R.choice((2, 50, 1000))}))


def schema(other):
    d = leaf()
    for _ in range(R.randrange(9)):
        d = wrap(d)
    return d


def mutate_schema(d, other):
    path = R.choice(list(places(d))[:3000])
    here = at(d, path)
    way = R.randrange(6)
    if way == 0:
        return put(d, path, wrap(here))
    if way == 1:
        return put(d, path, at(other, R.choice(list(places(other))[:3000])))
    if way == 2 and isinstance(here, list) and here:
        return put(d, path, here * R.choice((2, 3)) if len(here) < 2000 else here[: len(here) // 2])
    if way == 2 and isinstance(here, dict):
        return put(d, path, {**here, **{re.sub("[0-9]+$", "", k) + str(R.randrange(99)): v for k, v in here.items()}, **(R.choice(({}, wrap(True))))})
    if way == 3 and isinstance(here, (int, float)) and not isinstance(here, bool):
        return put(d, path, R.choice((number(), here * 2, here + 1)))
    if way == 4 and isinstance(here, str):
        return put(d, path, R.choice((regex(3), here * 2, "#", "#/$defs/a")))
    return put(d, path, {**here, **leaf()}) if isinstance(here, dict) and isinstance(leaf(), dict) and way == 5 else wrap(d)


# ------------------------------------------------------------------ regular expressions, GBNF
def regex(depth):
    if depth <= 0:
        return R.choice(("a", "b", "[ab]", ".", "[^a]", r"\p{L}", r"\d", r"\w", "x?", "(a|b)*", r"\s", "é"))
    inner = regex(depth - 1)
    return R.choice((inner + regex(depth - 1), f"({inner}|{regex(depth - 1)})", f"({inner})*", f"({inner})?", f"({inner})" + "{%d,%d}" % (R.choice(((0, 9), (2, 40), (100, 1000), (3, 3)))),
                     f"{inner}{regex(1)}", f"({inner}+{regex(0)})" + "{%d}" % R.choice((2, 20, 300))))


def gbnf(other):
    rules = ["root", "a", "b", "c", "d"]

    def term(depth):
        way = R.randrange(7)
        if depth == 0 or way < 2:
            return R.choice(('"x"', '"y"', "[a-z]", '""', "[^x]"))
        if way < 4:
            return R.choice(rules[1:])
        one = term(depth - 1)
        return R.choice((f"({one} {term(depth - 1)})", f"({one} | {term(depth - 1)})", f"({one})*", f"({one})?", f"({one})" + "{%d}" % R.choice((2, 30, 2000))))
    return "".join(f"{name} ::= " + " | ".join(" ".join(term(2) for _ in range(R.randrange(1, 4))) for _ in range(R.randrange(1, 4))) + "\n" for name in rules)


def mutate_text(text, other):
    """Repeat, move or replace a piece between two marks."""
    cuts = [m.start() for m in re.finditer(r"[()|\s\[{*]|$", text)] or [0]
    a, b = sorted((R.choice(cuts), R.choice(cuts)))
    piece, way = text[a:b], R.randrange(5)
    if way == 0:
        return text[:b] + piece * R.choice((1, 2, 9)) + text[b:]
    if way == 1:
        theirs = [m.start() for m in re.finditer(r"[()|\s\[{*]|$", other)] or [0]
        c, e = sorted((R.choice(theirs), R.choice(theirs)))
        return text[:a] + other[c:e][:2000] + text[b:]
    if way == 2:
        return re.sub(r"\d+", lambda m: str(min(int(m[0]) * R.choice((1, 2, 10)) + R.randrange(2), 10**9)), text, count=R.randrange(1, 4))
    if way == 3:
        return text[:a] + "(" + piece + ")" + R.choice(("*", "?", "{30}", "|" + piece)) + text[b:] if piece.strip() and "\n" not in piece else text + piece
    return text[:a] + text[b:]


MAKE = {"schema": schema, "regex": lambda other: regex(R.randrange(1, 6)), "gbnf": gbnf}
MUTATE = {"schema": mutate_schema, "regex": mutate_text, "gbnf": mutate_text}


# ------------------------------------------------------------------ what it costs
def cost(strata, folder, one):
    """(score, seconds, megabytes, what it said): drawing two texts includes compiling."""
    path = os.path.join(folder, "grammar")
    with open(path, "w", encoding="utf-8", errors="surrogateescape") as file:
        file.write(one.text)
    options = ["--left-recursion"] if one.kind == "gbnf" else ["--any-order"] if one.kind == "schema" else []
    given = ["--regex", one.text] if one.kind == "regex" else ["--" + one.kind, path]
    with open(path + ".out", "w", encoding="utf-8") as out:
        child = subprocess.Popen(["timeout", "20", strata, "grammar", *given, *options, "--sample", "2", "--stats"], stdout=out, stderr=out)
        _, status, used = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    seconds, megabytes = used.ru_utime + used.ru_stime, used.ru_maxrss / 1024
    with open(path + ".out", encoding="utf-8", errors="replace") as file:
        said = file.read()[-300:]
    steps = int((re.search(r"(\d+) derivatives", said) or (0, 0))[1])
    score = max(seconds / SECONDS, megabytes / MEGABYTES) + steps / (1000 + len(one.text)) / 1e4
    return score, seconds, megabytes, said.strip().splitlines()[-1][:160] if said.strip() else f"status {child.returncode}"


def add(pool, score, one, said):
    """At most ALIKE of a pool end with the same message; False: it costs too little to stay."""
    said = re.sub(r"[0-9.]+", "0", said)
    same = [p for p in pool if p[2] == said]
    if any(abs(p[0] - score) < 0.003 for p in same) or (len(same) >= ALIKE and same[-1][0] > score):
        return False
    if len(same) >= ALIKE:
        pool.remove(same[-1])
    pool.append((score, one, said))
    pool.sort(key=lambda p: -p[0])
    del pool[POPULATION:]
    return any(p[1] is one for p in pool)


def keep(folder, one, score, seconds, megabytes):
    name = f"{one.kind}-{score:07.3f}-{seconds:.2f}s-{megabytes:.0f}MB-{len(one.text)}"
    with open(os.path.join(folder, name), "w", encoding="utf-8", errors="surrogateescape") as file:
        file.write(one.text)


def main():
    strata, folder, minutes = sys.argv[1], sys.argv[2], float(sys.argv[3])
    R.seed(int(sys.argv[4]) if len(sys.argv) > 4 else 1)
    os.makedirs(folder, exist_ok=True)
    best = {kind: [] for kind in MAKE}
    for _, _, kind, text, _, _ in hostile.CASES:
        if len(text) < 20000:
            best[kind].append((0.0, Individual(kind, json.loads(text) if kind == "schema" else text), ""))
    end, tried, over = time.time() + 60 * minutes, 0, 0
    while time.time() < end:
        kind = R.choice(("schema", "schema", "schema", "regex", "gbnf"))
        pool = best[kind]
        parent, other = max(R.sample(pool, 3), key=lambda p: p[0])[1], R.choice(pool)[1]
        try:
            genes = MAKE[kind](None) if R.random() < 0.15 else parent.genes
            for _ in range(R.choice((1, 1, 2, 4))):
                genes = MUTATE[kind](genes, other.genes)
            child = Individual(kind, genes)
        except (TypeError, RecursionError, KeyError, IndexError):
            continue
        if len(child.text) > LARGEST or "\0" in child.text or not child.text.strip():
            continue
        score, seconds, megabytes, said = cost(strata, folder, child)
        tried += 1
        if seconds > SECONDS or megabytes > MEGABYTES:
            over += 1
            print(f"{kind}: {seconds:.2f} s, {megabytes:.0f} MB, {len(child.text)} bytes: {said}", flush=True)
        if add(pool, score, child, said) and score > 0.2:
            keep(folder, child, score, seconds, megabytes)
    print(f"{tried} grammars tried, {over} of them over {SECONDS:g} s or {MEGABYTES} MB; the worst of each kind:")
    for kind, pool in best.items():
        print(f"  {kind}: " + ", ".join(f"{p[0]:.2f}" for p in pool[:8]))
    return over > 0


if __name__ == "__main__":
    sys.exit(main())
