#!/usr/bin/env python3
"""Print unicode_table.h: the code points that are letters, numbers, white space and punctuation, as ranges.

The pre-tokenizers of byte-level BPE split text by these classes.  Run it again for a newer
Unicode version:   python3 make_unicode_table.py > unicode_table.h
"""
import sys
import unicodedata

CLASSES = [("LETTER", lambda c: unicodedata.category(c)[0] == "L"),
           ("NUMBER", lambda c: unicodedata.category(c)[0] == "N"),
           ("SPACE", lambda c: c in "\t\n\v\f\r \x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000"
                     or 0x2000 <= ord(c) <= 0x200A),
           ("PUNCTUATION", lambda c: unicodedata.category(c)[0] == "P")]

print("/* unicode_table.h - printed by make_unicode_table.py from Unicode %s.  Sorted ranges. */"
      % unicodedata.unidata_version)
print("static const UnicodeRange unicode_ranges[] = {")
rows, start, kind = [], 0, None
for cp in range(0x110000):
    c = chr(cp)
    now = next((name for name, test in CLASSES if test(c)), None)
    if now != kind:
        if kind:
            rows.append("{0x%X, 0x%X, UNICODE_%s}" % (start, cp - 1, kind))
        start, kind = cp, now
for i in range(0, len(rows), 2):
    print("    " + ", ".join(rows[i:i + 2]) + ",")
print("};")
sys.stderr.write("%d ranges\n" % len(rows))
