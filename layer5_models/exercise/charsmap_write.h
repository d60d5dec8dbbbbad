/* charsmap_write.h - a table of plainer forms, packed as SentencePiece packs it
 * (extras/tokenizers/charsmap.h says how).
 *
 * The strings are sorted.  Those with the same beginning lie together, and so do the bytes that
 * may follow it: of these a place is sought where all of them, each XORed to it, are free. */
#ifndef STRATA_CHARSMAP_WRITE_H
#define STRATA_CHARSMAP_WRITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

typedef struct PlainForm {
    const char *text, *form;
} PlainForm;

enum { CHARSMAP_ENTRIES = 2048, CHARSMAP_MOST = 4 + 4 * CHARSMAP_ENTRIES + 4096 };

typedef struct MapWriter {
    const PlainForm *rows;
    uint32_t entries[CHARSMAP_ENTRIES];
    bool taken[CHARSMAP_ENTRIES],
        used[CHARSMAP_ENTRIES]; /* entries; ways: no two places have one way */
    char forms[4096];
    size_t size; /* of forms */
} MapWriter;

static inline bool map_fits(const MapWriter *m, size_t first, size_t last, size_t depth,
                            uint32_t way) {
    bool fits = !m->used[way];
    for (size_t i = first; i < last; i++)
        fits = fits && !m->taken[way ^ (unsigned char)m->rows[i].text[depth]];
    return fits;
}

/* The offset for what follows the entry `at`: the bytes (0: a string ends here) of rows
 * first..last at `depth`.  Every other time an offset that is a multiple of 256 is tried first,
 * which an entry writes in another way. */
static inline uint32_t map_place(const MapWriter *m, size_t first, size_t last, size_t depth,
                                 uint32_t at) {
    uint32_t way = 256 + at % 256, end = CHARSMAP_ENTRIES - 256;
    for (; depth % 2 && way < end; way += 256)
        if (map_fits(m, first, last, depth, way)) return way;
    for (way = 256; way < end; way++)
        if (map_fits(m, first, last, depth, way)) return way;
    return 0;
}

/* An entry's bits from 9 on: how far its way is, in steps of 1 or (bit 9) of 256. */
static inline uint32_t map_distance(uint32_t far) {
    return far % 256 ? far << 10 : far / 256 << 10 | 1u << 9;
}

/* Rows first..last have `depth` bytes in common, which lead to the entry `at`. */
static inline void map_rows(MapWriter *m, size_t first, size_t last, size_t depth,
                            uint32_t at) {
    uint32_t way = map_place(m, first, last, depth, at);
    bool ends = m->rows[first].text[depth] == 0;
    m->used[way] = true;
    m->entries[at] |= map_distance(at ^ way) | (uint32_t)ends << 8;
    for (size_t i = first; i < last; i++)
        m->taken[way ^ (unsigned char)m->rows[i].text[depth]] = true;
    if (ends) {
        m->entries[way] = 0x80000000u | (uint32_t)m->size;
        m->size += strlen(strcpy(m->forms + m->size, m->rows[first++].form)) + 1;
    }
    for (size_t next; first < last; first = next) {
        unsigned char byte = (unsigned char)m->rows[first].text[depth];
        for (next = first + 1; next < last && (unsigned char)m->rows[next].text[depth] == byte;)
            next++;
        m->entries[way ^ byte] = byte;
        map_rows(m, first, next, depth + 1, way ^ byte);
    }
}

/* The bytes of the table, one in each number; returns how many.  `rows` are sorted by their
 * bytes. */
static inline size_t charsmap_write(const PlainForm *rows, size_t n,
                                    int64_t out[CHARSMAP_MOST]) {
    static MapWriter m;
    size_t size = 4;
    m = (MapWriter){.rows = rows};
    m.taken[0] = true; /* the root */
    map_rows(&m, 0, n, 0, 0);
    for (size_t i = 0; i < 4; i++) out[i] = sizeof m.entries >> 8 * i & 255;
    for (size_t i = 0; i < CHARSMAP_ENTRIES; i++)
        for (size_t k = 0; k < 4; k++) out[size++] = m.entries[i] >> 8 * k & 255;
    for (size_t i = 0; i < m.size; i++) out[size++] = (unsigned char)m.forms[i];
    return size;
}

/* A small part of what Unicode calls compatible (NFKC), and white space as spaces. */
static inline size_t plain_forms(int64_t out[CHARSMAP_MOST]) {
    static char wide[52][2][4];
    PlainForm rows[64] = {{"\t", " "},
                          {"\n", " "},
                          {"e\xCC\x81", "\xC3\xA9"},
                          {"\xC2\xA0", " "},
                          {"\xC2\xB2", "2"},
                          {"\xC2\xBD", "1/2"},
                          {"\xE2\x80\xA6", "..."},
                          {"\xE2\x84\xA2", "TM"},
                          {"\xEF\xAC\x80", "ff"},
                          {"\xEF\xAC\x81", "fi"},
                          {"\xEF\xAC\x82", "fl"}};
    size_t n = 11;
    for (int i = 0; i < 52; i++, n++) { /* the wide letters, U+FF21 and U+FF41 on */
        int code = i < 26 ? 0xFF21 + i : 0xFF41 + i - 26;
        snprintf(wide[i][0], 4, "\xEF%c%c", 0x80 | (code >> 6 & 63), 0x80 | (code & 63));
        wide[i][1][0] = (char)(i < 26 ? 'A' + i : 'a' + i - 26);
        rows[n] = (PlainForm){wide[i][0], wide[i][1]};
    }
    return charsmap_write(rows, n, out);
}

#endif
