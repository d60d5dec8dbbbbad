#!/usr/bin/env python3
"""Print normal_table.h: what characters are made of, which make one together, and classes of accents.

Reads the Unicode Character Database of Debian's package unicode-data (apt-get install unicode-data):

    python3 make_normal_table.py > normal_table.h
"""
FOLDER = "/usr/share/unicode/"


def show(kind, name, cells, across):
    print("static const %s %s[] = {" % (kind, name))
    for i in range(0, len(cells), across):
        print("    " + ", ".join(cells[i:i + across]) + ",")
    print("};")


def lines(name):
    for line in open(FOLDER + name, encoding="utf-8"):
        fields = [field.strip() for field in line.split("#")[0].split(";")]
        if fields[0]:
            yield fields


def excluded():
    for fields in lines("DerivedNormalizationProps.txt"):
        if fields[1] == "Full_Composition_Exclusion":
            first, _, last = fields[0].partition("..")
            yield from range(int(first, 16), int(last or first, 16) + 1)


def runs(codes, key):
    """Neighbours with the same key: (first, last, key)."""
    rows = []
    for code in codes:
        if rows and rows[-1][1] == code - 1 and rows[-1][2] == key(code):
            rows[-1][1] = code
        else:
            rows.append([code, code, key(code)])
    return rows


classes, same, alike = {}, {}, {}
for fields in lines("UnicodeData.txt"):
    code, kind, parts = int(fields[0], 16), int(fields[3]), fields[5].split()
    if kind:
        classes[code] = kind
    if parts and parts[0][0] == "<":
        alike[code] = [int(part, 16) for part in parts[1:]]
    elif parts:
        same[code] = [int(part, 16) for part in parts]

version = open(FOLDER + "DerivedAge.txt", encoding="utf-8").readline().split("-")[1].split(".txt")[0]
print("/* normal_table.h - printed by make_normal_table.py from Unicode %s.  A row has the index\n"
      " * of its first character's parts; the last part of each character is negative. */" % version)
print('#define NORMAL_UNICODE "%s"' % version)
show("ClassRow", "class_rows", ["{0x%X, 0x%X, %d}" % tuple(row) for row in runs(sorted(classes), classes.get)], 4)
stream = []
for name, table in ("same_rows", same), ("alike_rows", alike):
    rows = []
    for first, last, _ in runs(sorted(table), lambda code: 0):
        rows.append("{0x%X, 0x%X, %d}" % (first, last, len(stream)))
        for code in range(first, last + 1):
            parts = table[code]
            stream += ["0x%X" % part for part in parts[:-1]] + ["-0x%X" % parts[-1]]
    show("PartsRow", name, rows, 3)
show("int32_t", "parts", stream, 9)
barred = set(excluded())
print("/* What two characters make, in the order of these two. */")
show("uint32_t", "composites", ["0x%X" % code for code in sorted(set(same) - barred, key=same.get)], 9)
