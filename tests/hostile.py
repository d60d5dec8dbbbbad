#!/usr/bin/env python3
"""Grammars that cost much for their size: each is compiled, or refused with a message, within 2 s of the processor and 256 MB, and
computes a mask over 128,000 tokens, or says that it cannot, within 50 ms.

hostile.py STRATA [NAME ...]

Steps are counted, not seconds, so the outcome of a case is the same on every machine; the time is not, and SLOW=2 allows twice as much."""
import json
import os
import random
import subprocess
import sys
import tempfile

SLOW = float(os.environ.get("SLOW", "1"))
SECONDS, MEGABYTES, MASK = 2.0 * SLOW, 256, 50000 * SLOW  # MASK: microseconds
CASES = []


def case(name, outcome, kind, text, *options, stdin=""):
    """outcome: ok, refused (exit status 3) or spent (1: compiled, but the text goes beyond the limits)"""
    CASES.append((name, outcome, kind, text if isinstance(text, str) else json.dumps(text), options, stdin))


def lines(*texts):
    return "".join(json.dumps(text) + "\n" for text in texts)


def nested(levels, wrap, inner):
    for _ in range(levels):
        inner = wrap(inner)
    return inner


def objects(n, **more):
    return {"type": "object", "properties": {f"k{i}": {"type": "string"} for i in range(n)}, **more}


# ------------------------------------------------------------------ schemas
for levels in (10, 14, 16):
    case(f"allOf doubled {levels} times", "ok" if levels == 10 else "refused", "schema",
         nested(levels, lambda d: {"allOf": [d, d]}, {"type": "string"}))
    case(f"anyOf doubled {levels} times", "ok" if levels == 10 else "refused", "schema",
         nested(levels, lambda d: {"anyOf": [d, d]}, {"type": "string"}))
case("oneOf doubled 12 times", "ok", "schema", nested(12, lambda d: {"oneOf": [d, d]}, {"type": "string"}))
case("not over allOf over not, 16 levels", "ok", "schema",
     nested(8, lambda d: {"not": {"allOf": [d, {"not": d}]}}, {"type": "string"}))
case("allOf of 12 anyOf of 4", "refused", "schema",
     {"allOf": [{"anyOf": [{"required": [f"{i}{k}"]} for k in range(4)]} for i in range(12)]})
case("oneOf of 2000 objects", "refused", "schema", {"oneOf": [objects(2, required=[f"k{i}"]) for i in range(2000)]})
case("oneOf of 300 equal enums of 300", "refused", "schema", {"oneOf": [{"enum": list(range(300))} for _ in range(300)]})
case("anyOf of 40000 constants", "refused", "schema", {"anyOf": [{"const": i} for i in range(40000)]})
case("enum of 200000 words", "refused", "schema", {"enum": [f"word {i * 7919 % 1000003}" for i in range(200000)]})
case("enum of a million ones", "ok", "schema", '{"enum": [' + "1," * 1000000 + "1]}")
case("if nested 12 deep", "ok", "schema",
     nested(12, lambda d: {"if": {"required": ["a"]}, "then": d, "else": d}, {"type": "object"}))
case("if in 16 allOf", "refused", "schema",
     {"allOf": [{"if": {"required": [f"a{i}"]}, "then": {"required": [f"b{i}"]}, "else": {"required": [f"c{i}"]}} for i in range(16)]})
case("8 dependentRequired in allOf", "refused", "schema",
     {"allOf": [{"dependentRequired": {f"{i}{k}": [f"{k}{i}"] for k in range(6)}} for i in range(8)]})
case("500 properties", "ok", "schema", objects(500))
case("500 required properties in any order, drawn", "spent", "schema", objects(500, required=[f"k{i}" for i in range(500)]), "--any-order", "--sample", "1")
case("24 optional properties in any order, drawn", "ok", "schema", objects(24, minProperties=20, additionalProperties=False), "--any-order", "--sample", "5")
case("24 patternProperties", "refused", "schema", {"patternProperties": {f"[a-{chr(98 + i)}]{{{i}}}x": {"type": "string"} for i in range(24)}})
case("a chain of 50000 references", "refused", "schema",
     {"$ref": "#/$defs/0", "$defs": {**{str(i): {"$ref": f"#/$defs/{i + 1}"} for i in range(50000)}, "50000": {}}})
case("a chain of 3000 objects, last first", "ok", "schema",
     {"$ref": "#/$defs/0", "$defs": {**{str(i): {"type": "object", "properties": {"n": {"$ref": f"#/$defs/{i + 1}"}}, "required": ["n"]} for i in range(3000)}, "3000": {}}})
case("30000 anchors", "refused", "schema",
     {"anyOf": [{"$ref": f"#a{i}"} for i in range(30000)], "$defs": {str(i): {"$anchor": f"a{i}", "const": i} for i in range(30000)}})
case("references of pairs, 2^60 paths", "ok", "schema",
     {"$ref": "#/$defs/0", "$defs": {**{str(i): {"allOf": [{"$ref": f"#/$defs/{i + 1}"}, {"$ref": f"#/$defs/{i + 1}"}]} for i in range(60)}, "60": {}}})
case("anyOf of references, 2^60 paths", "ok", "schema",
     {"$ref": "#/$defs/0", "$defs": {**{str(i): {"anyOf": [{"$ref": f"#/$defs/{i + 1}"}, {"$ref": f"#/$defs/{i + 1}"}]} for i in range(60)}, "60": {}}})
for n, least in ((14, 3), (24, 3), (40, 20), (400, 10)):
    case(f"uniqueItems of {n}, at least {least}, drawn", "ok", "schema",
         {"type": "array", "uniqueItems": True, "items": {"enum": [f"c{i}" for i in range(n)]}, "minItems": least}, "--sample", "2")
case("uniqueItems of 512 long lists", "refused", "schema",
     {"type": "array", "uniqueItems": True, "items": {"enum": [[i] * 200 for i in range(512)]}})
case("prefixItems of 20000", "refused", "schema", {"type": "array", "prefixItems": [{"const": i} for i in range(20000)]})
case("items 10^9 times, drawn", "spent", "schema", {"type": "array", "minItems": 10**9, "items": {"type": "null"}}, "--sample", "1")
case("a string of 10^6, drawn", "spent", "schema", {"type": "string", "minLength": 10**6}, "--sample", "1")
case("a multiple of 9999991 beyond 10^30, drawn", "spent", "schema", {"multipleOf": 9999991, "minimum": 1e30, "maximum": 1e31}, "--sample", "2")
case("multiples of six primes", "ok", "schema", {"allOf": [{"multipleOf": p} for p in (9999991, 9999973, 9999971, 9999943, 9999937, 9999931)]})
case("a multiple between two others", "refused", "schema", {"type": "integer", "multipleOf": 9999991, "minimum": 9999992, "maximum": 19999981})
case("20 patterns of one string", "refused", "schema",
     {"allOf": [{"pattern": f"[ab]*a[ab]{{{i}}}c"} for i in range(20)]})
case("not a pattern, 20 deep", "ok", "schema", {"type": "string", "allOf": [{"not": {"pattern": f"a.{{{i + 10}}}b"}} for i in range(20)]})
case("a pattern with 10^4 states, longer than 10^4", "refused", "schema", {"type": "string", "pattern": "^(.{97}|.{89})*$", "minLength": 10000, "maxLength": 10001})
case("500 nested arrays", "ok", "schema", nested(240, lambda d: {"type": "array", "items": d, "minItems": 1}, {"type": "null"}), "--sample", "1")

for n in (12, 200):
    case(f"unevaluatedProperties at each of {n} levels of allOf", "ok", "schema", nested(n, lambda d: {"allOf": [d], "properties": {"a": {}}, "unevaluatedProperties": False}, {}))
    case(f"unevaluatedProperties over 2^{n} paths of references", "ok", "schema",
         {"$ref": "#/$defs/0", "unevaluatedProperties": False, "$defs": {**{str(i): {"allOf": [{"$ref": f"#/$defs/{i + 1}"}, {"$ref": f"#/$defs/{i + 1}"}]} for i in range(n)}, str(n): objects(3)}})
case("unevaluatedProperties beside 2000 properties", "refused", "schema", {"allOf": [objects(2000)], "unevaluatedProperties": False})
case("unevaluatedItems over itself", "ok", "schema", {"allOf": [{"$ref": "#"}], "unevaluatedItems": False, "prefixItems": [{}] * 500})

# ------------------------------------------------------------------ regular expressions
case("(a|b)*a(a|b){40}", "ok", "regex", "(a|b)*a(a|b){40}", "--accept", stdin=lines("".join(random.Random(1).choice("ab") for _ in range(100000))))
case("((a{500}){500}){500}", "ok", "regex", "((a{500}){500}){500}", "--accept", stdin=lines("a" * 20000))
case("(.*.*){9}=(.*.*){9}", "ok", "regex", "(.*.*){9}=(.*.*){9}", "--accept", stdin=lines("x" * 5000))
case("(a?){400}a{400}", "ok", "regex", "(a?){400}a{400}", "--accept", stdin=lines("a" * 800))
case("20000 classes of letters", "refused", "regex", r"\p{L}" * 20000)
case("20000 words", "ok", "regex", "|".join(f"w{i * 7919 % 100003}" for i in range(20000)))
case("((((a*)*)*)*)* nested 200 deep", "ok", "regex", "(" * 200 + "a" + "*)" * 200 + "*", "--accept", stdin=lines("a" * 1000))

for n in (4, 12, 24):
    case(f"{n} word boundaries in alternatives", "ok" if n == 4 else "refused", "regex", r"(?:a\b|b| )" * n)
    case(f"{n} look-aheads one behind another", "refused" if n == 24 else "ok", "regex", "".join(f"(?=.*{chr(97 + i)})" for i in range(n)) + "[a-z]*")
    case(f"{n} negative look-aheads along a text", "ok", "regex", r"(?!.{%d}x)." * n % tuple(range(n)))
    case(f"look-aheads nested {n} deep", "ok", "regex", "(?=a|(?!b" * n + "))" * n + ".*")
    case(f"{n} boundaries within look-aheads", "ok" if n == 4 else "refused", "regex", r"(?=.*\ba)(?!.*b\b)" * n + ".*", "--sample", "1")

# ------------------------------------------------------------------ GBNF
AMBIGUOUS = 'root ::= a\na ::= "x" a "x" | "x" a | "x"\n'
case("an ambiguous rule, 500 letters", "ok", "gbnf", AMBIGUOUS, "--accept", stdin=lines("x" * 500))
case("an ambiguous rule, 20000 letters", "spent", "gbnf", AMBIGUOUS, "--accept", stdin=lines("x" * 20000))
case("s ::= s s, 300 letters", "ok", "gbnf", 'root ::= s\ns ::= s s | "a"\n', "--left-recursion", "--accept", stdin=lines("a" * 300))
case("s ::= s s, 20000 letters", "spent", "gbnf", 'root ::= s\ns ::= s s | "a"\n', "--left-recursion", "--accept", stdin=lines("a" * 20000))
case("an even palindrome, 3000 letters", "ok", "gbnf", 'root ::= p\np ::= "a" p "a" | "b" p "b" | ""\n', "--accept", stdin=lines("ab" * 700))
case("brackets 50000 deep", "ok", "gbnf", 'root ::= "[" root? "]"\n', "--accept", stdin=lines("[" * 50000 + "]" * 50000))
case("a chain of 4000 rules", "ok", "gbnf", "root ::= r0\n" + "".join(f"r{i} ::= r{i + 1}\n" for i in range(4000)) + 'r4000 ::= "x"\n', "--sample", "1")
case("a chain of 100000 rules, last first", "refused", "gbnf", 'r0 ::= "x"\n' + "".join(f"r{i + 1} ::= \"y\" r{i}\n" for i in range(100000)) + "root ::= r100000\n", "--sample", "1")
case("a chain of 100000 rules, first first", "refused", "gbnf", "root ::= r0\n" + "".join(f"r{i} ::= \"y\" r{i + 1} | \"z\" r{i + 1} \"z\"\n" for i in range(100000)) + 'r100000 ::= "x"\n', "--sample", "1")
case("50000 ways to begin", "refused", "gbnf", "root ::= " + " | ".join(f"r{i}" for i in range(50000)) + "\n" + "".join(f"r{i} ::= \"{i}\" root?\n" for i in range(50000)))
case("an empty rule 100000 times", "refused", "gbnf", "root ::= " + "e " * 100000 + "\ne ::= \"\" | \"x\"\n")
case("(e*){2000} thrice", "refused", "gbnf", 'root ::= ((e{2000}){2000}){2000}\ne ::= "x" | ""\n', "--accept", stdin=lines("x" * 300))
case("[^a] 400000 times", "refused", "gbnf", "root ::= " + "[^a] " * 400000)
case("100000 strings", "refused", "gbnf", "root ::= " + " | ".join(f'"{i * 7919 % 100003}"' for i in range(100000)))


# ------------------------------------------------------------------ found by tests/fuzz/grammar_cost.py: [kind, outcome, text]
with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "hostile.jsonl"), encoding="utf-8") as found:
    for number, line in enumerate(found, 1):
        kind, outcome, text = json.loads(line)
        case(f"found {number}", outcome, kind, text, *{"gbnf": ("--left-recursion",), "schema": ("--any-order",), "regex": ()}[kind], "--sample", "1")


def run(strata, path, case):
    name, outcome, kind, text, options, stdin = case
    if kind == "regex" and len(text) < 100000:
        command = [strata, "grammar", "--regex", text, *options]
    elif kind == "regex":
        command = [strata, "grammar", "--schema", path, *options]
        text = json.dumps({"type": "string", "pattern": f"^(?:{text})$".replace("(?:", "(")})
    else:
        command = [strata, "grammar", "--" + kind, path, *options]
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    with open(path + ".in", "w", encoding="utf-8") as file:
        file.write(stdin)
    with open(path + ".in", encoding="utf-8") as given, open(path + ".out", "w", encoding="utf-8") as out:
        child = subprocess.Popen(["sh", "-c", 'exec "$@"', "sh", "timeout", "8", *command] if os.environ.get("TIMEOUT") else command, stdin=given, stdout=out, stderr=out)
        _, status, used = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    seconds, megabytes = used.ru_utime + used.ru_stime, used.ru_maxrss / 1024
    with open(path + ".out", encoding="utf-8", errors="replace") as file:
        said = file.read()[-200:].strip()
    found = {0: "ok", 1: "spent", 3: "refused"}.get(child.returncode, f"status {child.returncode}")
    wrong = found != outcome or seconds > SECONDS or megabytes > MEGABYTES or (found != "ok" and not said)
    if wrong or os.environ.get("TABLE"):
        print(f"{name:45} {found:8} {seconds:6.2f} s {megabytes:6.0f} MB{'  WRONG, wanted ' + outcome if wrong else ''}  {said[:150] if wrong or found != 'ok' else ''}", flush=True)
    return wrong, seconds


def masks(strata, folder, cases):
    """Texts drawn token by token from all that compile: how many masks, and how many of the grammars take too long for one."""
    suffix = {"schema": "json", "regex": "regex", "gbnf": "gbnf"}
    for number, one in enumerate(cases):
        with open(os.path.join(folder, f"{number:03}.{suffix[one[2]]}"), "w", encoding="utf-8") as file:
            file.write(one[3])
    csv = os.path.join(folder, "masks.csv")
    subprocess.run([strata, "bench", "grammar", "--masks", folder, "--csv", csv], check=True, stdout=subprocess.DEVNULL)
    rows = [line.split(",") for line in open(csv, encoding="utf-8").read().splitlines() if line[0].isdigit()]
    slow = [row for row in rows if float(row[5]) > MASK]
    for row in slow:
        print(f"{cases[int(row[0][:3])][0]:45} a mask takes {float(row[5]) / 1000:.0f} ms  WRONG, wanted {MASK / 1000:.0f}")
    return sum(int(row[2]) for row in rows), len(slow) + (len(rows) != len(cases))


def main():
    strata, names = sys.argv[1], sys.argv[2:]
    wrong, total, count, compiled = 0, 0.0, 0, []
    with tempfile.TemporaryDirectory() as folder:
        for one in CASES:
            if names and not any(name in one[0] for name in names):
                continue
            bad, seconds = run(strata, os.path.join(folder, "grammar"), one)
            wrong, total, count = wrong + bad, total + seconds, count + 1
            compiled += [one] if one[1] != "refused" else []
    with tempfile.TemporaryDirectory() as folder:
        n_masks, slow = masks(strata, folder, compiled) if compiled else (0, 0)
    print(f"{count} hostile grammars, {wrong} wrong, {total:.1f} s of the processor; {n_masks} masks, {slow} wrong")
    return wrong + slow > 0 or count == 0


if __name__ == "__main__":
    sys.exit(main())
