/* zip.c - see zip.h. */
#include "zip.h"
#include "gguf/gguf_bytes.h"

#include "size.h"

#include <stdlib.h>
#include <string.h>

enum {
    ENTRY = 30,
    RECORD = 46,
    END = 22,
    LOCATOR = 20,
    END64 = 56
}; /* bytes before the names */

typedef struct Archive {
    const unsigned char *bytes;
    size_t size;
    uint64_t count, place, extent; /* of the directory */
    Fault *fault;
} Archive;

static bool is_mark(const unsigned char *at, int a, int b) {
    return at[0] == 'P' && at[1] == 'K' && at[2] == a && at[3] == b;
}

static bool zip_damaged(const Archive *a, const char *what) {
    return fault_set(a->fault, "the archive %s: it is cut short or damaged, fetch it again",
                     what);
}

/* ------------------------------------------------------------------ the end */

/* The end of the directory is last, except for a comment whose size it states. */
static const unsigned char *find_end(const Archive *a) {
    for (size_t comment = 0; comment <= UINT16_MAX && END + comment <= a->size; comment++) {
        const unsigned char *at = a->bytes + a->size - END - comment;
        if (is_mark(at, 5, 6) && gguf_load(at + 20, 2) == comment) return at;
    }
    return NULL;
}

/* The 64-bit end, at the offset given by a second mark before the first one. */
static bool read_end64(Archive *a, const unsigned char *end) {
    const unsigned char *locator = end - LOCATOR;
    if ((size_t)(end - a->bytes) < LOCATOR || !is_mark(locator, 6, 7))
        return zip_damaged(a, "has no second end");
    uint64_t place = gguf_load(locator + 8, 8);
    if (a->size < END64 || place > a->size - END64 || !is_mark(a->bytes + place, 6, 6))
        return zip_damaged(a, "has no second end where it should be");
    a->count = gguf_load(a->bytes + place + 32, 8);
    a->extent = gguf_load(a->bytes + place + 40, 8);
    a->place = gguf_load(a->bytes + place + 48, 8);
    return true;
}

static bool read_end(Archive *a) {
    const unsigned char *end = find_end(a);
    if (!end) return zip_damaged(a, "has no end");
    a->count = gguf_load(end + 10, 2);
    a->extent = gguf_load(end + 12, 4);
    a->place = gguf_load(end + 16, 4);
    bool wide = a->count == UINT16_MAX || a->extent == UINT32_MAX || a->place == UINT32_MAX;
    if (wide && !read_end64(a, end)) return false;
    if (a->place > a->size || a->extent > a->size - a->place || a->count > a->extent / RECORD)
        return zip_damaged(a, "has a directory outside of the file");
    return true;
}

/* ------------------------------------------------------------------ one entry */

static bool zip_refuse(const Archive *a, const ZipEntry *entry, const char *what) {
    return fault_set(a->fault, "the entry '%.*s' %s", (int)min_size(80, entry->name.size),
                     entry->name.data, what);
}

/* Extra field number 1: the record's numbers that did not fit, in order. */
static bool zip_widen(const unsigned char *extra, size_t size, uint64_t *numbers[3]) {
    while (size >= 4) {
        size_t field = (size_t)gguf_load(extra + 2, 2);
        if (field > size - 4) return false;
        if (gguf_load(extra, 2) == 1) {
            const unsigned char *at = extra + 4, *end = at + field;
            for (int i = 0; i < 3; i++) {
                if (*numbers[i] != UINT32_MAX) continue;
                if (end - at < 8) return false;
                *numbers[i] = gguf_load(at, 8), at += 8;
            }
            return true;
        }
        extra += 4 + field, size -= 4 + field;
    }
    for (int i = 0; i < 3; i++)
        if (*numbers[i] == UINT32_MAX) return false;
    return true;
}

/* After the entry's own name and extra field, whose sizes may differ from the record's. */
static bool find_data(const Archive *a, ZipEntry *entry, uint64_t place) {
    if (place > a->place || a->place - place < ENTRY || !is_mark(a->bytes + place, 3, 4))
        return zip_refuse(a, entry, "does not begin where the directory says");
    const unsigned char *at = a->bytes + place;
    uint64_t name = gguf_load(at + 26, 2), extra = gguf_load(at + 28, 2),
             room = a->place - place - ENTRY;
    if (name + extra > room || entry->size > room - name - extra)
        return zip_refuse(a, entry,
                          "is larger than the archive: it is damaged, fetch it again");
    if (name != entry->name.size || memcmp(at + ENTRY, entry->name.data, name) != 0)
        return zip_refuse(a, entry,
                          "has another name in the directory: the archive is damaged");
    entry->data = at + ENTRY + name + extra;
    return true;
}

/* Advances *at past the record. */
static bool read_record(const Archive *a, const unsigned char **at, const unsigned char *end,
                        ZipEntry *entry) {
    const unsigned char *r = *at;
    if (end - r < RECORD || !is_mark(r, 1, 2)) return zip_damaged(a, "has a broken directory");
    size_t name = (size_t)gguf_load(r + 28, 2), extra = (size_t)gguf_load(r + 30, 2),
           comment = (size_t)gguf_load(r + 32, 2), rest = (size_t)(end - r) - RECORD;
    uint64_t size = gguf_load(r + 24, 4), packed = gguf_load(r + 20, 4),
             place = gguf_load(r + 42, 4);
    if (name + extra + comment > rest) return zip_damaged(a, "has a broken directory");
    *entry = (ZipEntry){.name = {(const char *)r + RECORD, name}};
    if (gguf_load(r + 8, 2) & 1) return zip_refuse(a, entry, "is encrypted");
    if (gguf_load(r + 10, 2) != 0)
        return zip_refuse(a, entry, "is compressed: wanted entries that are stored");
    if (!zip_widen(r + RECORD + name, extra, (uint64_t *[]){&size, &packed, &place}) ||
        size != packed || size > a->size)
        return zip_refuse(a, entry, "has no size: the archive is damaged");
    entry->size = (size_t)size;
    *at = r + RECORD + name + extra + comment;
    return find_data(a, entry, place);
}

/* ------------------------------------------------------------------ the whole */

static int zip_by_name(const void *a, const void *b) {
    return text_order(((const ZipEntry *)a)->name, ((const ZipEntry *)b)->name);
}

static bool read_directory(Zip *zip, const Archive *a) {
    const unsigned char *at = a->bytes + a->place, *end = at + a->extent;
    for (; zip->count < a->count; zip->count++)
        if (!read_record(a, &at, end, &zip->entries[zip->count])) return false;
    qsort(zip->entries, zip->count, sizeof *zip->entries, zip_by_name);
    for (size_t i = 1; i < zip->count; i++)
        if (text_equal(zip->entries[i - 1].name, zip->entries[i].name))
            return zip_refuse(a, &zip->entries[i], "appears twice in the archive");
    return true;
}

bool zip_open(Zip *zip, const unsigned char *bytes, size_t size, Fault *fault) {
    Archive a = {.bytes = bytes, .size = size, .fault = fault};
    *zip = (Zip){0};
    if (!read_end(&a)) return false;
    zip->entries = calloc((size_t)a.count + 1, sizeof *zip->entries);
    bool ok = zip->entries ? read_directory(zip, &a)
                           : fault_set(fault, "no memory for %zu entries", (size_t)a.count);
    if (!ok) zip_close(zip);
    return ok;
}

void zip_close(Zip *zip) {
    free(zip->entries);
    *zip = (Zip){0};
}

const ZipEntry *zip_find(const Zip *zip, Text name) {
    size_t low = 0, high = zip->count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        int way = text_order(name, zip->entries[middle].name);
        if (way == 0) return &zip->entries[middle];
        if (way < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return NULL;
}
