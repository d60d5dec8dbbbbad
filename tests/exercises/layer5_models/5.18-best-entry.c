/* right: the walk remembers the entry, what stands there is looked up at the end */
static uint32_t way_on(uint32_t entry);

static int64_t step_to(const Charsmap *map, uint32_t way, unsigned char byte) {
    uint64_t at = way ^ byte;
    if (byte == 0 || at >= map->n_entries) return -1;
    uint32_t entry = map->entries[at];
    return (entry & 0xFF) == byte && !(entry >> 31) ? (int64_t)at : -1;
}

static const char *form_of(const Charsmap *map, int64_t entry) {
    uint32_t value = map->entries[entry], way = (uint32_t)entry ^ way_on(value);
    if (!(value & 0x100) || way >= map->n_entries) return NULL;
    size_t place = map->entries[way] & 0x7FFFFFFF;
    return place < map->size ? map->replacements + place : NULL;
}

Text charsmap_replace(const Charsmap *map, Text text, size_t *taken) {
    const char *best = NULL;
    int64_t entry = 0;
    *taken = 0;
    for (size_t at = 0; map->n_entries && at < text.size; at++) {
        uint32_t way = way_on(map->entries[entry]) ^ (at ? (uint32_t)entry : 0);
        entry = step_to(map, way, (unsigned char)text.data[at]);
        if (entry < 0) break;
        const char *form = form_of(map, entry);
        if (form) best = form, *taken = at + 1;
    }
    return best ? text_of(best) : (Text){"", 0};
}
