#!/usr/bin/env python3
"""What strata grammar draws, read by others: Python's re and jsonschema.   validate.py STRATA [TEXTS [GRAMMARS]]

GRAMMARS: so many more are made up, half of them patterns and half of them schemas, the same in every run."""
import decimal
import json
import random
import re
import subprocess
import sys

import jsonschema

PATTERNS = [r"(a|b)*abb", r"[^\d\s]{1,9}x?", r"x{2,3}|", r"(?:cat|dog)s?( and (?:cat|dog)s?)*",
            r"[0-9]{4}-(0[1-9]|1[0-2])-[0-3][0-9]", r"\w+@\w+\.[a-z]{2,3}", r"[\x20-\x7e]{1,40}", r"(a+)+b|(c*)*d"]
SCHEMAS = [
    {}, True,
    {"type": "integer", "minimum": -5, "maximum": 1200, "multipleOf": 7},
    {"type": "number", "exclusiveMinimum": 0.5, "maximum": 3},
    {"not": {"type": ["integer", "object"]}},
    {"type": "string", "pattern": "^a|z$", "maxLength": 3},
    {"type": "string", "minLength": 2, "maxLength": 4},
    {"enum": [1, "a", None, {"b": [2]}], "type": ["number", "object"]},
    {"type": "object", "properties": {"a": {"type": "integer"}, "b": {}}, "required": ["b"]},
    {"type": "object", "patternProperties": {"^s": {"type": "string"}, "n$": {"minLength": 2}}, "additionalProperties": False},
    {"type": "object", "minProperties": 2, "maxProperties": 2, "properties": {"a": {}, "b": {}, "c": {}}, "additionalProperties": False},
    {"oneOf": [{"multipleOf": 3}, {"multipleOf": 5}], "type": "integer"},
    {"if": {"type": "string"}, "then": {"minLength": 2}, "else": {"const": 0}},
    {"$defs": {"n": {"type": "object", "properties": {"v": {"const": 1}, "n": {"$ref": "#/$defs/n"}}, "required": ["v"],
                     "additionalProperties": False}}, "$ref": "#/$defs/n"},
    {"type": "array", "prefixItems": [{"const": 1}], "items": {"const": 2}, "minItems": 2, "maxItems": 3},
    {"type": "array", "contains": {"const": 7}, "items": {"type": "integer"}},
    {"dependentRequired": {"a": ["b"]}, "type": "object"},
    {"type": "object", "propertyNames": {"maxLength": 1}},
    {"allOf": [{"properties": {"a": {"type": "string"}}}, {"required": ["a"]}], "type": "object"},
    {"type": "string", "format": "date"},
    {"type": "array", "items": {"enum": ["a", "b", 1, 1.0, None], "not": {"const": "b"}}, "uniqueItems": True, "minItems": 1},
    {"type": "object", "patternProperties": {f"^{letter}": {"const": number} for number, letter in enumerate("abcdefgh")},
     "additionalProperties": False},
]


class Doubled(Exception):
    """A key that is not declared came twice, as it may."""


def distinct(pairs):
    if len(dict(pairs)) < len(pairs):
        raise Doubled
    return dict(pairs)


def number(text):
    """Exact, and 7.0 is an integer; 1e999999 stays as it is."""
    exact = decimal.Decimal(text)
    return int(exact) if abs(exact.adjusted()) < 40 and exact == exact.to_integral_value() else exact


def exact(schema):
    """The same schema, its numbers as they are written: 0.1 is a tenth."""
    return json.loads(json.dumps(schema), parse_float=number)


def drawn(strata, count, *source, given=None):
    """Texts of a grammar: all, or as many as were there when one of them had no end in sight."""
    done = subprocess.run([strata, "grammar", *source, "--sample", str(count)], input=given, capture_output=True)
    if done.returncode and b"no end of this text" not in done.stderr:
        sys.exit(f"{source} {given}: {done.stderr.decode()}")
    return [json.loads(line) for line in done.stdout.decode().split("\n")[:-1]]


def made_up_pattern(rng, depth=3):
    """A pattern that all dialects read alike."""
    if depth == 0 or rng.random() < 0.3:
        return rng.choice(["a", "b", "xy", "[a-d]", "[^a-y]", r"\d", r"\.", "[0-9a-f]", "é", "[α-ω]", r"[\x20-\x7e]", "1"])
    parts = [made_up_pattern(rng, depth - 1) for _ in range(rng.randint(1, 3))]
    kind = rng.randrange(4)
    if kind == 0:
        return "(?:" + "|".join(parts) + ")"
    if kind == 1:
        low = rng.randint(0, 3)
        return "(?:" + "".join(parts) + ")" + rng.choice(["*", "+", "?", "{%d}" % low, "{%d,%d}" % (low, low + rng.randint(0, 4))])
    return "".join(parts)


def made_up_string(rng):
    schema = {"type": "string"}
    if rng.random() < 0.4:
        schema["pattern"] = rng.choice(["", "^"]) + made_up_pattern(rng, 2) + rng.choice(["", "$"])
    elif rng.random() < 0.4:
        schema["format"] = rng.choice(["date", "ipv4", "email", "uuid"])
    else:
        schema["minLength"] = rng.randint(0, 3)
        schema["maxLength"] = schema["minLength"] + rng.randint(0, 9)
    return schema


def made_up_number(rng):
    schema = {"type": rng.choice(["integer", "number"])}
    low = rng.randint(-50, 50)
    if rng.random() < 0.6:
        schema[rng.choice(["minimum", "exclusiveMinimum"])] = low
    if rng.random() < 0.6:
        schema[rng.choice(["maximum", "exclusiveMaximum"])] = low + rng.randint(5, 2000)
    if rng.random() < 0.3:
        schema["multipleOf"] = rng.choice([2, 3, 0.5])
    return schema


def made_up_object(rng, depth):
    keys = rng.sample(["a", "b", "id", "name", "x y", "é"], rng.randint(1, 4))
    schema = {"type": "object", "properties": {key: made_up_schema(rng, depth - 1) for key in keys}}
    schema["required"] = [key for key in keys if rng.random() < 0.5]
    if rng.random() < 0.6:
        schema["additionalProperties"] = rng.choice([False, {"type": "boolean"}])
    if rng.random() < 0.2:
        schema["patternProperties"] = {"^z": {"type": "null"}}
    if rng.random() < 0.2:
        schema["minProperties"] = rng.randint(0, len(keys))
    return schema


def made_up_schema(rng, depth=3):
    kind = rng.randrange(9 if depth else 4)
    if kind == 8:
        return {"type": "array", "items": {"enum": rng.sample(["x", "y", 1, None, True, -0.5], rng.randint(2, 5))}, "uniqueItems": True}
    if kind == 0:
        return made_up_string(rng)
    if kind == 1:
        return made_up_number(rng)
    if kind == 2:
        return {"enum": rng.sample([1, "a", None, True, [1, "b"], {"k": 2}, -0.5, "é\n"], rng.randint(1, 4))}
    if kind == 3:
        return {"type": rng.sample(["null", "boolean", "integer", "string"], 2)}
    if kind == 4:
        low = rng.randint(0, 2)
        return {"type": "array", "items": made_up_schema(rng, depth - 1), "minItems": low, "maxItems": low + rng.randint(0, 3)}
    if kind == 5:
        return {"anyOf": [made_up_schema(rng, depth - 1) for _ in range(2)]}
    if kind == 6:
        return {"allOf": [made_up_object(rng, depth - 1), {"type": "object", "maxProperties": 6}]}
    return made_up_object(rng, depth)


def empty(strata, schema):
    """Nothing fulfils it, so that nothing can be drawn."""
    done = subprocess.run([strata, "grammar", "--schema", "-", "--sample", "1"], input=json.dumps(schema).encode(), capture_output=True)
    return b"grammar matches no text" in done.stderr


def main():
    decimal.getcontext().prec = 2000  # remainders of long numbers
    strata, count, read = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 200, 0
    rng = random.Random(1)
    for _ in range((int(sys.argv[3]) if len(sys.argv) > 3 else 0) // 2):
        PATTERNS.append(made_up_pattern(rng))
        schema = made_up_schema(rng)
        while empty(strata, schema):
            schema = made_up_schema(rng)
        SCHEMAS.append(schema)
    for pattern in PATTERNS:
        for text in drawn(strata, count, "--regex", pattern):
            if not re.fullmatch(pattern, text, re.ASCII):
                sys.exit(f"{pattern} does not match {text!r}")
            read += 1
    for schema in SCHEMAS:
        check = jsonschema.Draft202012Validator(exact(schema), format_checker=jsonschema.FormatChecker())
        for options in [], ["--space", "free"], ["--any-order"]:
            for text in drawn(strata, count, "--schema", "-", *options, given=json.dumps(schema).encode()):
                try:
                    value = json.loads(text, parse_float=number, object_pairs_hook=distinct)
                except Doubled:
                    continue
                error = next(check.iter_errors(value), None)
                if error:
                    sys.exit(f"{json.dumps(schema)}: {text!r}: {error.message}")
                read += 1
    print(f"{read} texts of {len(PATTERNS)} patterns and {len(SCHEMAS)} schemas are taken by re and jsonschema")


main()
