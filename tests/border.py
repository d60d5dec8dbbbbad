#!/usr/bin/env python3
"""Schemas that are made up, and values near their border: strata grammar and Python's jsonschema agree.   border.py STRATA [SCHEMAS [FIRST]]

Schema N is the same in every run: `border.py STRATA 1 N` tries it alone."""
import decimal
import json
import random
import subprocess
import sys
import tempfile

import jsonschema

KEYS = ["a", "b", "ab", "zz", ""]
PATTERNS = ["^a", "b$", "^(a|b)*$", "z", "^.{2}$", "^[^a]+$", "a|zz"]
TEXTS = ["", "a", "b", "ab", "ba", "aa", "zz", "abb", "é", "\n", "😀"]


def number(rng):
    """A whole number or a decimal fraction, as a text without an exponent."""
    whole = rng.choice([0, 1, 2, 3, 5, 7, 10, 12, 99, 100, 1000]) + rng.choice([0, 0, 1, -1])
    part = rng.choice([0, 0, 0, 1, 5, 25, 99])
    value = decimal.Decimal(rng.choice([1, 1, -1]) * (whole * 100 + part)) / 100
    return int(value) if value == value.to_integral_value() else value


def value(rng, depth=2):
    kind = rng.randrange(7 if depth else 5)
    if kind == 0:
        return rng.choice([None, True, False])
    if kind < 3:
        return number(rng)
    if kind < 5:
        return rng.choice(TEXTS)
    if kind == 5:
        return [value(rng, depth - 1) for _ in range(rng.randrange(4))]
    return {key: value(rng, depth - 1) for key in rng.sample(KEYS, rng.randrange(4))}


# ------------------------------------------------------------------ schemas

TYPES = ["null", "boolean", "object", "array", "string", "number", "integer"]


def few(rng, make, low, high):
    return [make() for _ in range(rng.randint(low, high))]


def spoken(rng, depth):
    """One keyword or two that belong together."""
    def sub():
        return schema(rng, depth - 1)
    count = rng.randrange(4)
    simple = {
        "type": lambda: {"type": rng.choice([rng.choice(TYPES), rng.sample(TYPES, rng.randint(1, 3))])},
        "enum": lambda: {"enum": few(rng, lambda: value(rng, 1), 1, 4)},
        "const": lambda: {"const": value(rng, 1)},
        "minimum": lambda: {rng.choice(["minimum", "exclusiveMinimum"]): number(rng)},
        "maximum": lambda: {rng.choice(["maximum", "exclusiveMaximum"]): number(rng)},
        "multipleOf": lambda: {"multipleOf": rng.choice([1, 2, 3, 7, 12, 100, decimal.Decimal("0.5"), decimal.Decimal("0.25"), decimal.Decimal("0.01")])},
        "minLength": lambda: {"minLength": count},
        "maxLength": lambda: {"maxLength": count},
        "pattern": lambda: {"pattern": rng.choice(PATTERNS)},
        "required": lambda: {"required": rng.sample(KEYS, rng.randint(0, 2))},
        "minProperties": lambda: {"minProperties": count},
        "maxProperties": lambda: {"maxProperties": count},
        "minItems": lambda: {"minItems": count},
        "maxItems": lambda: {"maxItems": count},
        "uniqueItems": lambda: {"items": {"enum": few(rng, lambda: value(rng, 1), 1, 4)}, "uniqueItems": rng.random() < 0.8},
        "dependentRequired": lambda: {"dependentRequired": {rng.choice(KEYS): rng.sample(KEYS, rng.randint(0, 2))}},
        "$ref": lambda: {"$ref": rng.choice(["#", "#/$defs/x", "#/$defs/y"])},
    }
    deep = {
        "properties": lambda: {"properties": {key: sub() for key in rng.sample(KEYS, rng.randint(1, 3))}},
        "patternProperties": lambda: {"patternProperties": {rng.choice(PATTERNS): sub() for _ in range(rng.randint(1, 2))}},
        "additionalProperties": lambda: {"additionalProperties": rng.choice([False, False, True, sub()])},
        "propertyNames": lambda: {"propertyNames": rng.choice([{"maxLength": 1}, {"pattern": rng.choice(PATTERNS)}, {"enum": KEYS[:2]}])},
        "items": lambda: {"items": rng.choice([False, sub(), sub()])},
        "prefixItems": lambda: {"prefixItems": few(rng, sub, 1, 3)},
        "contains": lambda: rng.choice([{"contains": sub()}, {"contains": sub(), "minContains": rng.randrange(2)}]),
        "anyOf": lambda: {"anyOf": few(rng, sub, 1, 3)},
        "oneOf": lambda: {"oneOf": few(rng, sub, 1, 3)},
        "allOf": lambda: {"allOf": few(rng, sub, 1, 3)},
        "not": lambda: {"not": sub()},
        "if": lambda: {"if": sub(), **({"then": sub()} if rng.random() < 0.8 else {}), **({"else": sub()} if rng.random() < 0.6 else {})},
        "dependentSchemas": lambda: {"dependentSchemas": {rng.choice(KEYS): sub()}},
    }
    name = rng.choice(list(deep) if depth and rng.random() < 0.6 else list(simple))
    return (deep.get(name) or simple[name])()


def schema(rng, depth=3):
    if rng.random() < 0.04:
        return rng.random() < 0.7
    made = {}
    for _ in range(rng.choice([1, 1, 2, 2, 3, 4])):
        made.update(spoken(rng, depth))
    for name in ("unevaluatedProperties", "unevaluatedItems"):
        if depth and rng.random() < 0.08:
            made[name] = rng.choice([False, False, schema(rng, 0)])
    return made


def root(rng):
    made = schema(rng)
    if isinstance(made, dict) and "$ref" in json.dumps(made, default=str):
        made["$defs"] = {"x": schema(rng, 1), "y": {"type": rng.choice(TYPES)}}
        return made
    return made


# ------------------------------------------------------------------ values near the border

def constants(given, out):
    if isinstance(given, dict):
        for key, child in given.items():
            if key in ("enum", "const"):
                out += child if key == "enum" else [child]
            elif isinstance(child, (int, decimal.Decimal)) and not isinstance(child, bool):
                out += [child, child + 1, child - 1, child + decimal.Decimal("0.01"), child - decimal.Decimal("0.01"), -child]
            else:
                constants(child, out)
    elif isinstance(given, list):
        for child in given:
            constants(child, out)


def shaped(rng, given, pool, depth=3):
    """A value that a schema speaks of."""
    if not isinstance(given, dict) or depth == 0 or rng.random() < 0.1:
        return rng.choice(pool) if pool and rng.random() < 0.5 else value(rng)
    for key in ("allOf", "anyOf", "oneOf"):
        if given.get(key) and rng.random() < 0.5:
            return shaped(rng, rng.choice(given[key]), pool, depth)
    for key in ("if", "then", "else", "not"):
        if key in given and rng.random() < 0.3:
            return shaped(rng, given[key], pool, depth)
    if any(key in given for key in ("properties", "required", "patternProperties", "additionalProperties", "minProperties", "propertyNames", "dependentRequired", "dependentSchemas")) and rng.random() < 0.9:
        keys = set(rng.sample(KEYS, rng.randrange(3))) | set(rng.sample(given.get("required", []), rng.choice([len(given.get("required", [])), 0])))
        keys |= {key for key in given.get("properties", {}) if rng.random() < 0.6}
        more = given.get("additionalProperties", True)
        return {key: shaped(rng, given.get("properties", {}).get(key, more), pool, depth - 1) for key in rng.sample(sorted(keys), len(keys))}
    if any(key in given for key in ("items", "prefixItems", "contains", "minItems", "maxItems", "uniqueItems")) and rng.random() < 0.9:
        first = given.get("prefixItems", [])
        return [shaped(rng, rng.choice([given["contains"], given.get("items", True)]) if "contains" in given else first[i] if i < len(first) else given.get("items", True),
                       pool, depth - 1) for i in range(rng.randrange(5))]
    return rng.choice(pool) if pool and rng.random() < 0.7 else value(rng)


def written(given):
    """JSON, with numbers as they are."""
    if isinstance(given, decimal.Decimal):
        return str(int(given)) if given == given.to_integral_value() else format(given.normalize(), "f")
    if isinstance(given, list):
        return "[" + ",".join(written(item) for item in given) + "]"
    if isinstance(given, dict):
        return "{" + ",".join(json.dumps(key) + ":" + written(item) for key, item in given.items()) + "}"
    return json.dumps(given, ensure_ascii=False)


def in_python(given):
    """The same schema: Python's $ is before a last line break, too, its \\Z is not."""
    return json.loads(written(given).replace('$"', r'\\Z"'), parse_float=decimal.Decimal)


def tamed(given):
    """Whole numbers are whole, as both sides read them."""
    if isinstance(given, decimal.Decimal):
        return int(given) if given == given.to_integral_value() else given
    if isinstance(given, list):
        return [tamed(item) for item in given]
    if isinstance(given, dict):
        return {key: tamed(item) for key, item in given.items()}
    return given


def accepted(strata, text, texts):
    """What strata says of each text; None: the schema is refused."""
    with tempfile.NamedTemporaryFile("w", suffix=".json", encoding="utf-8") as out:
        out.write(text)
        out.flush()
        done = subprocess.run([strata, "grammar", "--schema", out.name, "--any-order", "--accept"],
                              input="".join(json.dumps(one) + "\n" for one in texts), capture_output=True, text=True, timeout=60)
    if done.returncode == 3:
        return None, done.stderr
    if done.returncode:
        return [], done.stderr
    return [line == "1" for line in done.stdout.split()], ""


def main():
    strata, count = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 300
    first, read, valid, wrong, refused = int(sys.argv[3]) if len(sys.argv) > 3 else 0, 0, 0, 0, {}
    for n in range(first, first + count):
        rng = random.Random(n)
        given = tamed(root(rng))
        pool = []
        constants(given, pool)
        values = [tamed(shaped(rng, given, pool)) for _ in range(60)]
        said, why = accepted(strata, written(given), [written(one) for one in values])
        if said is None:
            reason = why.split(": ")[2] if "schema, at" in why else why.strip()
            refused[reason] = refused.get(reason, 0) + 1
            continue
        check = jsonschema.Draft202012Validator(in_python(given))
        if not said:
            print(f"schema {n}: {written(given)}: {why}")
            wrong += 1
        for one, says in zip(values, said):
            try:
                holds = check.is_valid(one)
            except (RecursionError, TypeError):  # TypeError: it sorts what is left over, to word its message
                continue
            read, valid = read + 1, valid + holds
            if holds != says:
                print(f"schema {n}: {written(given)}: {written(one)} is {'valid, and refused' if holds else 'not valid, and accepted'}")
                wrong += 1
                break
    print(f"{count} schemas, {sum(refused.values())} of them refused; {read} values, {valid} of them valid: {wrong} schemas answered otherwise than by jsonschema")
    for reason, times in sorted(refused.items(), key=lambda item: -item[1]):
        print(f"{times:7} refused: {reason}")
    return wrong > 0


sys.exit(main())
