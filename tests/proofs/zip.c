/* zip.c
 *
 * Proves    the readers of the archive's end, of a record of its directory, of the record's
 *           extra field and of the place that it names read only the file; the directory and
 *           an entry's bytes lie within it
 * Bound     an end in 0 to 100 bytes (the whole of it in 0 to 30), a record in 0 to 58, an extra
 *           field of 0 to 26, an entry in 0 to 40
 * Source    layer1_tensor/src/text.c
 *           layer1_tensor/src/gguf/gguf_read.c
 * Keep      layer1_tensor/extras/import/zip.c | if (wide && !read_end64 | a->place <= a->size
 * Keep      layer1_tensor/extras/import/zip.c | if (wide && !read_end64 | a->place
 * Follow    layer1_tensor/extras/import/zip.c | if (*numbers[i] != | end - at
 * Follow    layer1_tensor/extras/import/zip.c | size_t field = | size
 * Follow    layer1_tensor/extras/import/zip.c | if (field > size - 4) return false; | field
 * Keep      layer1_tensor/extras/import/zip.c | room = a->place - place - ENTRY; | name <= 10
 * Keep      layer1_tensor/extras/import/zip.c | room = a->place - place - ENTRY; | name
 * Keep      layer1_tensor/extras/import/zip.c | room = a->place - place - ENTRY; | extra <= 10
 * Keep      layer1_tensor/extras/import/zip.c | room = a->place - place - ENTRY; | extra
 * Follow    layer1_tensor/extras/import/zip.c | place = gguf_load(r + 42, 4); | name <= 12
 * Follow    layer1_tensor/extras/import/zip.c | place = gguf_load(r + 42, 4); | name
 * Follow    layer1_tensor/extras/import/zip.c | place = gguf_load(r + 42, 4); | extra <= 12
 * Follow    layer1_tensor/extras/import/zip.c | place = gguf_load(r + 42, 4); | extra
 * Options   -eva-precision 1 -eva-interprocedural-splits -eva-slevel 3000 -eva-split-return auto
 * Mutant    layer1_tensor/extras/import/zip.c | END + comment <= a->size | END + comment <= a->size + 1
 * Mutant    layer1_tensor/extras/import/zip.c | place > a->size - END64 | place > a->size - END64 + 1
 * Mutant    layer1_tensor/extras/import/zip.c | a->extent > a->size - a->place || | a->extent > a->size ||
 * Mutant    layer1_tensor/extras/import/zip.c | if (end - at < 8) return | if (end - at < 7) return
 * Mutant    layer1_tensor/extras/import/zip.c | entry->size > room - name - extra | entry->size > room - name
 * Mutant    layer1_tensor/extras/import/zip.c | + comment > rest) | + comment > rest + 1) */
#include "layer1_tensor/extras/import/zip.c"
#include "proof.h"

enum {
    MOST_END = 100,
    MOST_ONE = 30,
    MOST_RECORD = RECORD + 12,
    MOST_EXTRA = 26,
    MOST_ENTRY = 40
};

static unsigned char file[MOST_END];

/* The last n bytes of the array, so that a byte too many is found. */
static unsigned char *last(size_t n) { return file + MOST_END - n; }

static void one_end(size_t n) {
    Archive a = {.bytes = last(n), .size = n};
    const unsigned char *end = find_end(&a);
    PROVE(!end || (end >= last(n) && end <= file + MOST_END - END));
}

static void one_wide_end(size_t n) {
    Archive a = {.bytes = last(n), .size = n};
    size_t before;
    before = ANY_SIZE(0, MOST_END - END);
    //@ split before;
    if (before + END <= n) read_end64(&a, last(n) + before);
}

static void one_directory(size_t n) {
    Archive a = {.bytes = last(n), .size = n};
    if (!read_end(&a)) return;
    PROVE(a.place + a.extent <= n);
    PROVE(a.count <= n / RECORD);
}

static void one_extra(size_t n) {
    uint64_t size, packed, place;
    ANY(size), ANY(packed), ANY(place);
    zip_widen(last(n), n, (uint64_t *[]){&size, &packed, &place});
}

static void one_place(size_t n) {
    static char named[16];
    size_t size = ANY_SIZE(0, SIZE_MAX);
    uint64_t place;
    ANY(place);
    ANY(named);
    if (place <= n) {
        //@ split place;
        ANY(named);
    }
    Archive a = {.bytes = last(n + 1), .size = n + 1, .place = n}; /* a directory of a byte */
    ZipEntry entry = {.name = {named, ANY_SIZE(0, 16)}, .size = size};
    if (!find_data(&a, &entry, place)) return;
    PROVE(entry.data >= a.bytes && entry.size <= (size_t)(a.bytes + n - entry.data));
}

static void one_record(size_t n) {
    Archive a = {.bytes = last(n), .size = n};
    const unsigned char *at = last(n);
    ZipEntry entry = {0};
    if (read_record(&a, &at, file + MOST_END, &entry)) refuted(); /* no room for an entry */
    PROVE(at >= last(n) && at <= file + MOST_END);
    PROVE(!entry.name.size || entry.name.size <= n - RECORD);
}

int main(void) {
    static void (*const parts[])(size_t n) = {one_end,   one_wide_end, one_directory,
                                              one_extra, one_place,    one_record};
    static const size_t most[] = {MOST_END,   MOST_END,   MOST_ONE,
                                  MOST_EXTRA, MOST_ENTRY, MOST_RECORD};
    size_t what = ANY_SIZE(0, 5), n;
    //@ split what;
    n = ANY_SIZE(0, most[what]);
    //@ split n;
    ANY(file);
    parts[what](n);
    END();
}
