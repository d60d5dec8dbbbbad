#!/usr/bin/env python3
"""What strata grammar draws, read by others: Python's re and jsonschema.   validate.py STRATA [TEXTS]"""
import decimal
import json
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
]


def number(text):
    """Exact, and 7.0 is an integer; 1e999999 stays as it is."""
    exact = decimal.Decimal(text)
    return int(exact) if abs(exact.adjusted()) < 40 and exact == exact.to_integral_value() else exact


def drawn(strata, count, *source, given=None):
    done = subprocess.run([strata, "grammar", *source, "--sample", str(count)], input=given, capture_output=True, check=True)
    return [json.loads(line) for line in done.stdout.decode().split("\n")[:-1]]


def main():
    strata, count, read = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 200, 0
    for pattern in PATTERNS:
        for text in drawn(strata, count, "--regex", pattern):
            if not re.fullmatch(pattern, text, re.ASCII):
                sys.exit(f"{pattern} does not match {text!r}")
            read += 1
    for schema in SCHEMAS:
        check = jsonschema.Draft202012Validator(schema, format_checker=jsonschema.FormatChecker())
        for options in [], ["--space", "free"], ["--any-order"]:
            for text in drawn(strata, count, "--schema", "-", *options, given=json.dumps(schema).encode()):
                error = next(check.iter_errors(json.loads(text, parse_float=number)), None)
                if error:
                    sys.exit(f"{json.dumps(schema)}: {text!r}: {error.message}")
                read += 1
    print(f"{read} texts of {len(PATTERNS)} patterns and {len(SCHEMAS)} schemas are taken by re and jsonschema")


main()
