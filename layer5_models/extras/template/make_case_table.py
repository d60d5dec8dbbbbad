#!/usr/bin/env python3
"""Print case_table.h: the large and small form of every letter, in ranges.   make_case_table.py > case_table.h"""
import sys
import unicodedata


def ranges(pairs):
    """(letter, partner) pairs, sorted, as rows of (first, last, step, distance)."""
    rows = []
    for letter, partner in pairs:
        distance = partner - letter
        if rows and rows[-1][3] == distance:
            first, last, step, _ = rows[-1]
            gap = letter - last
            if gap <= 2 and (step == gap or first == last):
                rows[-1] = (first, letter, gap, distance)
                continue
        rows.append((letter, letter, 1, distance))
    return rows


def print_table(name, convert):
    letters = [chr(c) for c in range(0x110000) if not 0xD800 <= c < 0xE000]
    changed = [c for c in letters if convert(c) != c]
    rows = ranges([(ord(c), ord(convert(c))) for c in changed if len(convert(c)) == 1])
    cells = [f"{{0x{a:X}, 0x{b:X}, {step}, {distance}}}" for a, b, step, distance in rows]
    print(f"static const CaseRange {name}_ranges[] = {{")
    for i in range(0, len(cells), 3):
        print("    " + ", ".join(cells[i:i + 3]) + ",")
    print("};")
    cells = [f'{{0x{ord(c):X}, "{convert(c)}"}}' for c in changed if len(convert(c)) > 1]
    print(f"static const CaseSpecial {name}_specials[] = {{")
    for i in range(0, len(cells), 5):
        print("    " + ", ".join(cells[i:i + 5]) + ",")
    print("};")


print("/* case_table.h - printed by make_case_table.py from Unicode %s. */" % unicodedata.unidata_version)
print_table("upper", str.upper)
print_table("lower", str.lower)
sys.stdout.flush()
