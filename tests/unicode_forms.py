#!/usr/bin/env python3
"""Print texts with their normal forms, as Python's unicodedata has them.

The first line is the version of its Unicode.  Then for each text five times four bytes of size and as many
bytes: the text, NFC, NFD, NFKC, NFKD.  The texts are all assigned characters (one each), then TEXTS random ones,
mostly of characters that have parts or are accents.

    python3 tests/unicode_forms.py TEXTS SEED
"""
import random
import struct
import sys
import unicodedata

out = sys.stdout.buffer
texts, seed = int(sys.argv[1]), int(sys.argv[2])
out.write(unicodedata.unidata_version.encode() + b"\n")


def show(text):
    for form in (text, *(unicodedata.normalize(form, text) for form in ("NFC", "NFD", "NFKC", "NFKD"))):
        data = form.encode()
        out.write(struct.pack("<I", len(data)) + data)


known = [chr(code) for code in range(0x110000) if unicodedata.category(chr(code)) not in ("Cn", "Cs")]
for character in known:
    show(character)
apart = [c for c in known if unicodedata.normalize("NFKD", c) != c and not 0xAC00 <= ord(c) < 0xD7A4]
accents = [c for c in known if unicodedata.combining(c)]
parts = sorted({part for c in apart for part in unicodedata.normalize("NFD", c)})
jamo = [chr(code) for code in (*range(0x10FF, 0x1114), *range(0x1160, 0x1177), *range(0x11A6, 0x11C4),
                               0xABFF, *range(0xAC00, 0xAC40), 0xD7A3, 0xD7A4)]
pools = [apart, accents, accents, parts, parts, jamo, "aAeEoOuU ", known]
dice = random.Random(seed)
for _ in range(texts):
    show("".join(dice.choice(dice.choice(pools)) for _ in range(dice.randint(1, 12))))
