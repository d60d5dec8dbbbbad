/* right: a recursion, in which what is longer is asked first */
static bool longer(const Charsmap *map, uint32_t way, Text text, size_t at, Text *form,
                   size_t *taken) {
    if (at == text.size) return false;
    int64_t entry = step_to(map, way, (unsigned char)text.data[at]);
    if (entry < 0) return false;
    way = (uint32_t)entry ^ way_on(map->entries[entry]);
    if (longer(map, way, text, at + 1, form, taken)) return true;
    if (!(map->entries[entry] & 1u << 8) || way >= map->n_entries) return false;
    size_t place = map->entries[way] & 0x7FFFFFFFu;
    if (place >= map->size) return false;
    *form = text_of(map->replacements + place), *taken = at + 1;
    return true;
}

Text charsmap_replace(const Charsmap *map, Text text, size_t *taken) {
    Text form = {"", 0};
    *taken = 0;
    if (map->n_entries) longer(map, way_on(map->entries[0]), text, 0, &form, taken);
    return form;
}
