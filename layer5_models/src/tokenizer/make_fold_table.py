#!/usr/bin/env python3
"""Print fold_table.h: lower case, and characters without what is put on them.

    python3 make_fold_table.py > fold_table.h

A row is (first, last, step, to): first, first + step, ... last become to, to + step, ... (or, of the
bases, all of them become `to`).
"""
import unicodedata


def rows_of(pairs, moves):
    rows = []
    for code, to in pairs:
        if rows:
            first, last, step, start = rows[-1]
            gap = code - last
            want = start + code - first if moves else start
            if to == want and gap in (1, 2) and (gap == step or first == last):
                rows[-1] = [first, code, gap, start]
                continue
        rows.append([code, code, 1, to])
    return rows


def show(name, pairs, moves):
    print("static const FoldRow %s[] = {" % name)
    rows = ["{0x%X, 0x%X, %d, 0x%X}" % tuple(row) for row in rows_of(pairs, moves)]
    for i in range(0, len(rows), 3):
        print("    " + ", ".join(rows[i:i + 3]) + ",")
    print("};")


lower, base = [], []
for code in range(0x110000):
    c = chr(code)
    if 0xD800 <= code < 0xE000:
        continue
    low = c.lower()
    if low != c:
        lower.append((code, ord(low[0])))  # one has two: a capital I with a dot
    plain = unicodedata.normalize("NFD", c)
    if plain[0] != c:
        base.append((code, ord(plain[0])))

print("/* fold_table.h - printed by make_fold_table.py from Unicode %s. */" % unicodedata.unidata_version)
show("lower_rows", lower, True)
show("base_rows", base, False)
