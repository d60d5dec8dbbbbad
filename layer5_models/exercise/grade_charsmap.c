/* The grader of normalisation: a table of replacements. */
#include "../extras/tokenizers/charsmap.h"
#include "charsmap_write.h"
#include "small_vocabulary.h"

enum { ROWS = 40, LONGEST_STRING = 12, PLACES = 128, THERE = 64, FORMS = 40 };

typedef enum Slip {
    NO_SLIP,
    FIRST_HIT,
    ENDS_ANYWHERE,
    ROOT_NEAR,
    OTHERS_NEAR,
    FOUR_STEPS,
    EIGHT_STEPS,
    ZERO_GOES_ON,
    PLACE_BREAKS,
    PLACE_GIVES_UP,
    WAY_BREAKS,
    SLIPS
} Slip;

#define BIT_9 "bit 9 of an entry makes its distance 256 times as large: way_on() knows"
#define AS_FAR \
    "the longest string that has a replacement counts: the walk goes as far as the table does"
#define DAMAGED                                                          \
    "a damaged table: if the way leads out of the table, or the offset " \
    "is outside the replacements, "
#define AS_NONE DAMAGED "no string ends, but what was found before counts, and the walk goes on"

static const char *const slip_hints[SLIPS] = {
    [FIRST_HIT] =
        "the longest string that has a replacement counts: the walk goes on after a hit",
    [ENDS_ANYWHERE] = "a string ends only where bit 8 of the entry says so; the beginning of a "
                      "longer one does not count",
    [ROOT_NEAR] = BIT_9 " (here that of the root)",
    [OTHERS_NEAR] = BIT_9,
    [FOUR_STEPS] = AS_FAR,
    [EIGHT_STEPS] = AS_FAR,
    [ZERO_GOES_ON] = "no string has a byte 0: there the walk ends",
    [PLACE_BREAKS] = AS_NONE,
    [PLACE_GIVES_UP] = AS_NONE,
    [WAY_BREAKS] = AS_NONE,
};

static uint32_t distance(uint32_t value, bool near) {
    return near || !(value & 512) ? value >> 10 : value >> 10 << 8;
}

/* The walk, with one mistake. */
static Text walk_slowly(const Charsmap *map, Text text, Slip slip, size_t *taken) {
    Text found = {"", 0};
    size_t most = slip == FOUR_STEPS ? 4 : slip == EIGHT_STEPS ? 8 : text.size;
    uint32_t way = distance(map->entries[0], slip == ROOT_NEAR);
    *taken = 0;
    for (size_t at = 0; at < min_size(most, text.size); at++) {
        unsigned char byte = (unsigned char)text.data[at];
        uint32_t entry = way ^ byte;
        if ((byte == 0 && slip != ZERO_GOES_ON) || entry >= map->n_entries) break;
        uint32_t value = map->entries[entry];
        if ((value & 0xFF) != byte || value >> 31) break;
        way = entry ^ distance(value, slip == OTHERS_NEAR);
        if (!(value & 256) && slip != ENDS_ANYWHERE) continue;
        if (way >= map->n_entries && slip == WAY_BREAKS) break;
        if (way >= map->n_entries) continue;
        size_t place = map->entries[way] & 0x7FFFFFFF;
        if (place >= map->size && slip == PLACE_GIVES_UP) return *taken = 0, (Text){"", 0};
        if (place >= map->size && slip == PLACE_BREAKS) break;
        if (place >= map->size) continue;
        found = text_of(map->replacements + place), *taken = at + 1;
        if (slip == FIRST_HIT) break;
    }
    return found;
}

/* The work's answer for a text, next to that of each mistake; true: it is right. */
static bool as_wanted(Suspects *s, const Charsmap *map, Text text, Text want, size_t wanted) {
    size_t taken, other;
    Text got = charsmap_replace(map, text, &taken);
    for (Slip slip = 1; slip < SLIPS; slip++) {
        Text its = walk_slowly(map, text, slip, &other);
        if (other != taken || !text_equal(its, got)) s->cleared[slip] = true;
    }
    if (s->wrong || (taken == wanted && text_equal(got, want))) return true;
    s->wrong = true;
    if (taken != wanted)
        snprintf(s->first, sizeof s->first,
                 "the bytes of the text that are replaced (0: the table has nothing): expected "
                 "%zu, got %zu",
                 wanted, taken);
    else
        snprintf(s->first, sizeof s->first,
                 "what stands for it: expected \"%.*s\", got \"%.*s\": the number of the entry "
                 "at the way on, without its highest bit, is the offset in `replacements`",
                 (int)want.size, want.data, (int)min_size(got.size, 80), got.data);
    return false;
}

/* ------------------------------------------------------------------ tables of strings */

static char strings[ROWS][LONGEST_STRING + 1], forms[ROWS][8];
static PlainForm rows[ROWS];

static char some_letter(void) { return "ab\xC3\xA9\xEF"[fresh_below(5)]; }

static int by_bytes(const void *a, const void *b) {
    return strcmp(((const PlainForm *)a)->text, ((const PlainForm *)b)->text);
}

/* Strings of few letters, so that many begin alike; returns how many are different. */
static size_t some_rows(void) {
    size_t n = 0;
    for (size_t i = 0; i < ROWS; i++) {
        size_t size = 1 + fresh_below(i % 4 ? 6 : LONGEST_STRING), k = 0;
        for (; k < size; k++) strings[i][k] = some_letter();
        strings[i][k] = 0;
        snprintf(forms[i], sizeof forms[i], "%.*s", (int)fresh_below(6), "vwxyz");
        rows[n++] = (PlainForm){strings[i], forms[i]};
    }
    qsort(rows, n, sizeof *rows, by_bytes);
    size_t to = 0;
    for (size_t i = 0; i < n; i++)
        if (!to || strcmp(rows[to - 1].text, rows[i].text) != 0) rows[to++] = rows[i];
    return to;
}

static void replace_slowly(size_t n, Text text, const char **form, size_t *taken) {
    *form = "", *taken = 0;
    for (size_t i = 0; i < n; i++)
        if (begins(text, text_of(rows[i].text)) && strlen(rows[i].text) > *taken)
            *form = rows[i].form, *taken = strlen(rows[i].text);
}

static Charsmap read_map(const int64_t *numbers, size_t size) {
    static unsigned char bytes[CHARSMAP_MOST];
    Charsmap map;
    Fault fault;
    for (size_t i = 0; i < size; i++) bytes[i] = (unsigned char)numbers[i];
    NEED(charsmap_read(&map, bytes, size, &fault));
    return map;
}

/* A string of the table, or the beginning of one, and some letters; now and then with a byte 0
 * between. */
static Text some_text(size_t n, char *out) {
    const char *string = rows[fresh_below(n)].text;
    size_t size = fresh_below(strlen(string) + 1), more = fresh_below(4);
    if (fresh_below(2)) size = strlen(string);
    memcpy(out, string, size);
    if (fresh_below(3) == 0) {
        size_t at = fresh_below(size + 1);
        memmove(out + at + 1, out + at, size - at);
        out[at] = 0, size++;
    }
    while (more--) out[size++] = some_letter();
    return (Text){out, size};
}

static void tables_of_strings(void) {
    static int64_t numbers[CHARSMAP_MOST];
    Suspects suspects = {0};
    for (int round = 0; round < 30; round++) {
        size_t n = some_rows(), taken;
        Charsmap map = read_map(numbers, charsmap_write(rows, n, numbers));
        for (int i = 0; i < 120; i++) {
            char bytes[LONGEST_STRING + 8];
            const char *form;
            Text text = some_text(n, bytes);
            replace_slowly(n, text, &form, &taken);
            as_wanted(&suspects, &map, text, text_of(form), taken);
        }
        charsmap_free(&map);
    }
    suspects_end(&suspects, slip_hints, SLIPS);
}

/* ----------------------------------------------------------------- what a broken file holds */

/* Entries that lead to each other, and sometimes out of the table; the root is one of them. */
static void some_entries(uint32_t *entries) {
    uint32_t ways[8] = {THERE};
    bool ends[PLACES] = {false};
    for (size_t i = 1; i < 8; i++) ways[i] = (uint32_t)fresh_below(THERE + 8);
    for (size_t i = 0; i < 8; i++) ends[ways[i]] = fresh_below(4) > 0;
    for (uint32_t e = 0; e < PLACES; e++) {
        uint32_t byte = e ^ ways[fresh_below(8)], far = e ^ ways[fresh_below(8)];
        entries[e] = ends[e] ? 0x80000000u | byte : far << 10 | byte;
        if (!ends[e] && fresh_below(2)) entries[e] |= 256;
        if (fresh_below(16) == 0) entries[e] |= 512;
    }
    entries[0] = ways[fresh_below(8)] << 10;
}

/* A text that the table leads on, by entries behind its end, too. */
static Text tempting_text(const uint32_t *entries, char *out, size_t size) {
    uint32_t way = entries[0] >> 10;
    for (size_t k = 0; k < size; k++) {
        unsigned char byte = (unsigned char)fresh_below(PLACES);
        for (size_t tries = 0; tries < PLACES; tries++, byte = (byte + 1) % PLACES)
            if ((way ^ byte) < PLACES && (entries[way ^ byte] & 0xFF) == byte) break;
        out[k] = (char)byte;
        if ((way ^ byte) < PLACES) way ^= byte ^ entries[way ^ byte] >> 10;
    }
    return (Text){out, size};
}

/* Memory goes on after the table and the replacements, but may not be read. */
static void damaged_tables(void) {
    uint32_t entries[PLACES];
    char texts[PLACES + 1] = {0}, bytes[16];
    Charsmap map = {.entries = entries, THERE, .replacements = texts, .size = FORMS};
    Suspects suspects = {0};
    for (int i = 0; i < 8000; i++) {
        size_t wanted;
        some_entries(entries);
        for (size_t k = 0; k < PLACES; k++) texts[k] = "vwxyz"[fresh_below(6)];
        Text text = tempting_text(entries, bytes, sizeof bytes),
             want = walk_slowly(&map, text, NO_SLIP, &wanted);
        if (!as_wanted(&suspects, &map, text, want, wanted))
            snprintf(suspects.first, sizeof suspects.first,
                     DAMAGED "it counts as nothing; both are counted from 0 (here %zu bytes "
                             "should be replaced by \"%.*s\")",
                     wanted, (int)want.size, want.data);
    }
    suspects_end(&suspects, slip_hints, SLIPS);
}

/* An entry with bit 31 is the end of a string and no step; in a small table its way would lead
 * out. */
static void ends_are_no_steps(void) {
    enum { FAR = 1 << 21, ENTRIES = FAR + 1024, AT = 256 ^ 'a' };
    size_t taken;
    Charsmap map = {.entries = calloc(ENTRIES, 4), ENTRIES, .replacements = "v", .size = 1};
    NEED(map.entries);
    map.entries[0] = 256 << 10;
    map.entries[AT] = 0x80000000u | 256 | 'a';
    charsmap_replace(&map, text_of("a"), &taken);
    COUNT(taken, 0,
          "an entry with bit 31 is the end of a string, and its other bits are an offset: no "
          "byte leads there, even if the lowest ones are that byte");
    free(map.entries);
}

GRADE(plainer) {
    size_t taken = 9;
    Charsmap none = {0};
    Text nothing = charsmap_replace(&none, text_of("ab"), &taken);
    HINT(nothing.size == 0 && taken == 0, "without a table nothing is replaced: *taken is 0");
    tables_of_strings();
    damaged_tables();
    ends_are_no_steps();
}

GRADES({"5.18", plainer})
