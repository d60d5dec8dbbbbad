#!/usr/bin/env python3
"""Print unicode_table.h: the general category of every code point, as ranges.

Pre-tokenizers split text by categories.  A row is the first code point of a range; the range ends
where the next row begins.  Run it again for a newer Unicode version:

    python3 make_unicode_table.py > unicode_table.h
"""
import unicodedata

FINE = {"Lu", "Ll", "Lt", "Lm", "Lo", "Nd", "Nl", "No"}


def category(code):
    name = unicodedata.category(chr(code))
    if name in FINE:
        return name.upper()
    return {"M": "MARK", "P": "PUNCTUATION", "S": "SYMBOL", "Z": "SEPARATOR"}.get(
        name[0], "CONTROL" if name in ("Cc", "Cf", "Cs", "Co") else "OTHER")


print("/* unicode_table.h - printed by make_unicode_table.py from Unicode %s: where each range of one\n"
      " * category begins. */" % unicodedata.unidata_version)
print("static const RangeStart unicode_ranges[] = {")
rows, before = [], None
for code in range(0x110000):
    now = category(code)
    if now != before:
        rows.append("{0x%X, UNICODE_%s}" % (code, now))
        before = now
for i in range(0, len(rows), 4):
    print("    " + ", ".join(rows[i:i + 4]) + ",")
print("};")
