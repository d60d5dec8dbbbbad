#!/usr/bin/env python3
"""Patterns with \\b, \\B and look-ahead: strata grammar and Python's re agree on all texts of up to four letters.   looks.py STRATA [PATTERNS]

Each pattern is tried on whole texts (--regex) and searched for (a schema's pattern)."""
import itertools
import json
import random
import re
import subprocess
import sys
import tempfile

GIVEN = [r"\bfoo\b", r"^(?!foo)[a-o]+$", r"^(?=.*[a])(?=.*o).{2,4}$", r"(?!a)\w", r"a\b", r"\Ba", r"\b", r"\B", r"^\b$", r"(?:a(?=o)|f)o", r"o(?=$)", r"(?=a$)a",
         r"(?!a$)a", r"(?=a\b)a", r"f(?!\b)", r"^a?\b f?", r"(?=o)|\ba", r"(?:\ba|f\b)o?", r"^(?!.*oo)f", r"\b\b", r"\b\B", r"(?=)", r"x(?!)|a", r"^(?=a|f)(?!ao).*\bo"]
# not the empty one: there Python's \B holds only since 3.14
TEXTS = ["".join(letters) for n in range(1, 5) for letters in itertools.product("afo -", repeat=n)]
REFUSED = "in the middle|repeated is not|cannot be repeated|a repeated"


def made(rng, depth):
    kind = rng.randrange(9) if depth else 0
    if kind < 3:
        return rng.choice(["a", "f", "o", " ", ".", "[ao]", r"\w", r"\W", "-"])
    if kind == 3:
        return rng.choice([r"\b", r"\B"])
    if kind == 4:
        return f"(?{rng.choice('=!')}{made(rng, depth - 1)}{made(rng, depth - 1)})"
    if kind == 5:
        return f"(?:{made(rng, depth - 1)}|{made(rng, depth - 1)})"
    if kind == 6:
        return rng.choice(["a*", "[ao]?", "(?:of)*", ".*"])
    return made(rng, depth - 1) + made(rng, depth - 1)


def taken(strata, pattern, search):
    """What strata says of each text; None: the pattern is refused."""
    texts = [json.dumps(text) for text in TEXTS] if search else TEXTS
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump({"type": "string", "pattern": pattern}, file)
        file.flush()
        done = subprocess.run([strata, "grammar", *(["--schema", file.name] if search else ["--regex", pattern]), "--accept"],
                              input="".join(json.dumps(text) + "\n" for text in texts), capture_output=True, text=True, timeout=60)
    if "matches no text" in done.stderr:
        return [False] * len(TEXTS)
    if done.returncode == 3 and re.search(REFUSED, done.stderr):
        return None
    return [line == "1" for line in done.stdout.split()] if done.returncode == 0 else [done.stderr]


def main():
    strata, count, wrong, refused = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 60, 0, 0
    rng = random.Random(1)
    patterns = GIVEN + [rng.choice(["", "^"]) + made(rng, 3) + made(rng, 2) + rng.choice(["", "$"]) for _ in range(count)]
    for pattern in patterns:
        judge = re.compile(pattern.replace("$", r"\Z"), re.A)
        for search in (False, True):
            said = taken(strata, pattern, search)
            refused += said is None
            if said is not None and said != [bool(judge.search(text) if search else judge.fullmatch(text)) for text in TEXTS]:
                print(f"{pattern}: otherwise than by re, {'searched for' if search else 'as a whole'}")
                wrong += 1
    print(f"{len(patterns)} patterns, twice, {refused} refused, on {len(TEXTS)} texts: {wrong} answered otherwise than by re")
    return wrong > 0 or refused > 10


if __name__ == "__main__":
    sys.exit(main())
