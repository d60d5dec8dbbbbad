/* charsmap.c - see charsmap.h. */
#include "charsmap.h"

#include <stdlib.h>
#include <string.h>

/* The entry reached by a byte from base w; -1: none. */
static int64_t step_to(const Charsmap *map, uint32_t way, unsigned char byte) {
    uint32_t at = way ^ byte;
    bool there = byte && at < map->n_entries && (map->entries[at] & 0x800000FF) == byte;
    return there ? (int64_t)at : -1;
}

static uint32_t way_on(uint32_t entry) { return entry >> 10 << (entry >> 9 & 1) * 8; }

Text charsmap_replace(const Charsmap *map, Text text, size_t *taken) {
    Text best = {"", 0};
    *taken = 0;
    if (map->n_entries == 0) return best;
    uint32_t way = way_on(map->entries[0]);
    for (size_t at = 0; at < text.size; at++) {
        int64_t entry = step_to(map, way, (unsigned char)text.data[at]);
        if (entry < 0) break;
        way = (uint32_t)entry ^ way_on(map->entries[entry]);
        if (!(map->entries[entry] >> 8 & 1) || way >= map->n_entries) continue;
        size_t place = map->entries[way] & 0x7FFFFFFF;
        if (place >= map->size) continue;
        best = text_of(map->replacements + place);
        *taken = at + 1;
    }
    return best;
}

static void find_copies(Charsmap *map) {
    uint32_t way = map->n_entries ? way_on(map->entries[0]) : 0;
    for (int c = 0; c < 128; c++) {
        int64_t entry = map->n_entries ? step_to(map, way, (unsigned char)c) : -1;
        map->copies[c] = entry < 0 || !(map->entries[entry] >> 8 & 1);
        uint32_t next = entry < 0 ? 0 : (uint32_t)entry ^ way_on(map->entries[entry]);
        for (int d = 1; entry >= 0 && d < 128; d++)
            if (step_to(map, next, (unsigned char)d) >= 0) map->copies[c] = false;
    }
}

bool charsmap_read(Charsmap *map, const unsigned char *bytes, size_t size, Fault *fault) {
    uint32_t table = 0;
    for (size_t i = 0; size >= 4 && i < 4; i++) table |= (uint32_t)bytes[i] << 8 * i;
    *map = (Charsmap){0};
    if (size && (size < 4 || table % 4 || table > size - 4))
        return fault_set(fault,
                         "tokenizer.ggml.precompiled_charsmap is cut short or no such table: "
                         "%zu bytes, of which the table is said to have %u",
                         size, table);
    map->n_entries = table / 4;
    map->size = size ? size - 4 - table : 0;
    map->entries = malloc(table + 1);
    map->replacements = calloc(map->size + 1, 1);
    if (!map->entries || !map->replacements)
        return charsmap_free(map), fault_set(fault, "no memory for a table of %zu bytes", size);
    for (size_t i = 0; i < map->n_entries; i++)
        map->entries[i] = (uint32_t)bytes[4 + 4 * i] | (uint32_t)bytes[5 + 4 * i] << 8 |
                          (uint32_t)bytes[6 + 4 * i] << 16 | (uint32_t)bytes[7 + 4 * i] << 24;
    if (map->size) memcpy(map->replacements, bytes + 4 + table, map->size);
    find_copies(map);
    return true;
}

void charsmap_free(Charsmap *map) {
    free(map->entries), free(map->replacements);
    *map = (Charsmap){0};
}
