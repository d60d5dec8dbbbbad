#!/usr/bin/env python3
"""Print case_table.h: upper case, lower case, and characters without their accents.

    python3 make_case_table.py > case_table.h

A row is (first, last, step, to): first, first + step, ... last become to, to + step, ... (of the bases all
of them become `to`).  Letters that become two or three have a table of their own.
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


def show(kind, name, cells, across):
    print("static const %s %s[] = {" % (kind, name))
    for i in range(0, len(cells), across):
        print("    " + ", ".join(cells[i:i + across]) + ",")
    print("};")


def show_rows(name, pairs, moves):
    show("CaseRow", name, ["{0x%X, 0x%X, %d, 0x%X}" % tuple(row) for row in rows_of(pairs, moves)], 4)


letters = [chr(code) for code in range(0x110000) if not 0xD800 <= code < 0xE000]
print("/* case_table.h - printed by make_case_table.py from Unicode %s. */" % unicodedata.unidata_version)
for name, convert in ("upper", str.upper), ("lower", str.lower):
    changed = [(c, convert(c)) for c in letters if convert(c) != c]
    show_rows(name + "_rows", [(ord(c), ord(to)) for c, to in changed if len(to) == 1], True)
    show("CaseSpecial", name + "_specials", ['{0x%X, "%s"}' % (ord(c), to) for c, to in changed if len(to) > 1], 6)
bases = [(c, unicodedata.normalize("NFD", c)[0]) for c in letters]
show_rows("base_rows", [(ord(c), ord(base)) for c, base in bases if base != c], False)
