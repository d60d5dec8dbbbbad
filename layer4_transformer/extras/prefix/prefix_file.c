/* prefix_file.c - see prefix_file.h.  All numbers are the machine's own: another one's file has
 * another `about`.  Every part is padded to 8 bytes, a page first to the widest layer's. */
#include "prefix_file.h"
#include "file_map.h"
#include "file_write.h"
#include "memory/kv_pages.h"
#include "size.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { NOT_SAVED = -1 };

typedef struct PrefixHead {
    char magic[8];
    uint64_t layers, page_bytes, state_bytes; /* of the cache */
    uint64_t count, about;                    /* prefixes, and bytes of text */
} PrefixHead;

static const char prefix_magic[8] = "STRPFX1";

/* Behind it a byte for each layer that says whether a page follows; then those pages and the
 * state. */
typedef struct SavedPrefix {
    uint64_t hash, salt;
    int32_t parent; /* its number in the file; -1: none */
    int32_t state;  /* 1: has one */
    int32_t tokens[KV_PAGE];
} SavedPrefix;

/* Bijective in each word, so no single change is lost. */
uint64_t prefix_checksum(uint64_t sum, const void *bytes, size_t size) {
    const unsigned char *at = bytes;
    for (uint64_t word; size; at += 8) {
        const size_t n = min_size(size, 8);
        word = 0, memcpy(&word, at, n), size -= n;
        sum = (sum ^ word) * 0x9E3779B97F4A7C15ull;
        sum ^= sum >> 29;
    }
    return sum;
}

/* ------------------------------------------------------------------ pages */

const PrefixElsewhere *prefix_elsewhere;

/* Of one head in a page of a layer; of all heads. */
static size_t head_bytes(const KvCache *kv, size_t layer) {
    return kv_head_bytes(kv->config.dtype, &kv->shape[layer]);
}

static size_t layer_bytes(const KvCache *kv, size_t layer) {
    const size_t own = kv->shape[layer].kv_heads;
    return (prefix_elsewhere ? prefix_elsewhere->heads(kv, layer) : own) *
           head_bytes(kv, layer);
}

/* Of the widest layer. */
static size_t whole_bytes(const KvCache *kv) {
    size_t max = 0;
    for (size_t l = 0; l < kv->config.layers; l++) max = max_size(max, layer_bytes(kv, l));
    return max;
}

/* Does this machine have all heads of a layer? */
static bool has_all(const KvCache *kv, size_t layer) {
    return layer_bytes(kv, layer) == kv->shape[layer].kv_heads * head_bytes(kv, layer);
}

static void read_page(const KvCache *kv, size_t layer, int32_t page, void *whole) {
    if (has_all(kv, layer))
        memcpy(whole, page_bytes(&kv->pages, page), layer_bytes(kv, layer));
    else
        prefix_elsewhere->read(kv, layer, page, head_bytes(kv, layer), whole);
}

static void write_page(KvCache *kv, size_t layer, int32_t page, const void *whole) {
    if (has_all(kv, layer))
        memcpy(page_bytes(&kv->pages, page), whole, layer_bytes(kv, layer));
    else
        prefix_elsewhere->write(kv, layer, page, head_bytes(kv, layer), whole);
}

static PrefixHead head_of(const KvCache *kv, size_t count, size_t about) {
    PrefixHead head = {.layers = kv->config.layers,
                       .page_bytes = whole_bytes(kv),
                       .state_bytes = kv->states.page_bytes,
                       .count = count,
                       .about = about};
    memcpy(head.magic, prefix_magic, sizeof head.magic);
    return head;
}

static size_t padded(size_t size) { return round_up(size, 8); }

/* ------------------------------------------------------------------ writing */

typedef struct PrefixWriter {
    const KvCache *kv;
    FILE *out;
    uint64_t sum;
    int32_t *number;     /* (prefixes) in the file, or NOT_SAVED; owns */
    unsigned char *has;  /* (layers) owns */
    unsigned char *page; /* (size) owns */
    size_t size;
} PrefixWriter;

static void put_part(PrefixWriter *w, const void *data, size_t size) {
    static const char zeros[8];
    fwrite(data, 1, size, w->out), fwrite(zeros, 1, padded(size) - size, w->out);
    w->sum = prefix_checksum(w->sum, data, size);
}

/* A prefix, and by what its place in the file is decided. */
typedef struct Ranked {
    int32_t index;
    uint64_t used;
    size_t depth;
} Ranked;

/* A chain is used from its beginning on, so no prefix was used later than its parent. */
static int by_use(const void *a, const void *b) {
    const Ranked *x = a, *y = b;
    if (x->used != y->used) return x->used > y->used ? -1 : 1;
    if (x->depth != y->depth) return x->depth < y->depth ? -1 : 1;
    return x->index < y->index ? -1 : 1;
}

/* Can it be written: it and all before it have only tokens of the vocabulary? */
static bool is_of_text(const KvCache *kv, int32_t i, int32_t vocab, size_t *depth) {
    for (*depth = 0; i >= 0; i = kv->prefix[i].parent, ++*depth)
        for (size_t k = 0; k < KV_PAGE; k++)
            if (kv->prefix[i].tokens[k] >= vocab) return false;
    return true;
}

/* All that can be written, in the order of the file. */
static size_t rank_prefixes(const KvCache *kv, int32_t vocab, Ranked *ranked) {
    size_t n = 0;
    for (size_t i = 0; i < kv->config.prefixes; i++) {
        Ranked *r = &ranked[n];
        *r = (Ranked){.index = (int32_t)i, .used = kv->prefix[i].used};
        n += kv->prefix[i].kept && is_of_text(kv, (int32_t)i, vocab, &r->depth);
    }
    qsort(ranked, n, sizeof *ranked, by_use);
    return n;
}

static void put_page(PrefixWriter *w, size_t layer, int32_t page) {
    const size_t used = layer_bytes(w->kv, layer);
    memset(w->page + used, 0, w->size - used);
    read_page(w->kv, layer, page, w->page);
    put_part(w, w->page, w->size);
}

static void put_prefix(PrefixWriter *w, const Prefix *p) {
    const KvCache *kv = w->kv;
    SavedPrefix saved = {.hash = p->hash,
                         .salt = p->salt,
                         .parent = p->parent < 0 ? NOT_SAVED : w->number[p->parent],
                         .state = p->state >= 0};
    memcpy(saved.tokens, p->tokens, sizeof saved.tokens);
    put_part(w, &saved, sizeof saved);
    for (size_t l = 0; l < kv->config.layers; l++) w->has[l] = p->page[l] >= 0;
    put_part(w, w->has, kv->config.layers);
    for (size_t l = 0; l < kv->config.layers; l++)
        if (p->page[l] >= 0) put_page(w, l, p->page[l]);
    if (saved.state) put_part(w, page_bytes(&kv->states, p->state), kv->states.page_bytes);
}

static void put_all(PrefixWriter *w, Text about, const Ranked *ranked, size_t n) {
    const PrefixHead head = head_of(w->kv, n, about.size);
    put_part(w, &head, sizeof head), put_part(w, about.data, about.size);
    for (size_t i = 0; i < n; i++) {
        w->number[ranked[i].index] = (int32_t)i;
        put_prefix(w, &w->kv->prefix[ranked[i].index]);
    }
    fwrite(&w->sum, sizeof w->sum, 1, w->out);
}

bool prefix_save(const KvCache *kv, const char *path, Text about, int32_t vocab, size_t *count,
                 Fault *fault) {
    const size_t room = kv->config.prefixes + 1;
    Ranked *ranked = malloc(room * sizeof *ranked);
    PrefixWriter w = {
        .kv = kv, .number = malloc(room * sizeof *w.number), .has = malloc(kv->config.layers)};
    w.size = whole_bytes(kv), w.page = malloc(w.size + 1);
    FileOut file = {0};
    bool ok = (ranked && w.number && w.has && w.page) ||
              fault_set(fault, "no memory for %zu prefixes", room);
    ok = ok && file_begin(&file, path, fault);
    if (ok) {
        w.out = file.stream, *count = rank_prefixes(kv, vocab, ranked);
        ok = fchmod(fileno(w.out), S_IRUSR | S_IWUSR) == 0 ||
             fault_set(fault, "%.200s: cannot be kept from other users", path);
        if (ok) put_all(&w, about, ranked, *count);
        ok = ok ? file_end(&file, fault) : (file_drop(&file), false);
    }
    free(ranked), free(w.number), free(w.has), free(w.page);
    return ok;
}

/* ------------------------------------------------------------------ reading */

typedef struct PrefixReader {
    KvCache *kv;
    const unsigned char *at, *end;
    int32_t *index; /* (count) of the file's prefixes in the cache, or NOT_SAVED; owns */
    size_t count, page_bytes;
} PrefixReader;

/* The next part; NULL: the file ends before. */
static const void *take_part(PrefixReader *r, size_t size) {
    const unsigned char *part = r->at;
    if ((size_t)(r->end - r->at) < padded(size)) return NULL;
    return r->at += padded(size), part;
}

static bool check_file(PrefixReader *r, const FileMap *file, Text about, PrefixHead *head,
                       Fault *fault) {
    const PrefixHead wanted = head_of(r->kv, 0, about.size);
    uint64_t sum;
    r->page_bytes = wanted.page_bytes;
    r->at = file->data, r->end = r->at + file->size / 8 * 8;
    const void *begin = take_part(r, sizeof *head), *text;
    if (!begin || memcmp(begin, prefix_magic, sizeof prefix_magic) != 0)
        return fault_set(fault, "not a file of prefixes");
    memcpy(head, begin, sizeof *head);
    text = head->about <= file->size ? take_part(r, head->about) : NULL;
    if (!text) return fault_set(fault, "damaged: its head is cut off");
    if (head->about != about.size || memcmp(text, about.data, about.size) != 0)
        return fault_set(fault, "written for another model or program: '%.*s', wanted '%.*s'",
                         (int)min_size(head->about, 200), (const char *)text,
                         (int)min_size(about.size, 200), about.data);
    r->end = file->data + file->size - sizeof sum;
    if (file->size % 8 || r->end < r->at) return fault_set(fault, "damaged: it is cut off");
    memcpy(&sum, r->end, sizeof sum);
    if (prefix_checksum(0, file->data, file->size - sizeof sum) != sum)
        return fault_set(fault, "damaged: its checksum is wrong");
    return (head->layers == wanted.layers && head->page_bytes == wanted.page_bytes &&
            head->state_bytes == wanted.state_bytes &&
            head->count <= file->size / sizeof(SavedPrefix)) ||
           fault_set(fault, "pages of %llu bytes in %llu layers: wanted %zu in %zu",
                     (unsigned long long)head->page_bytes, (unsigned long long)head->layers,
                     (size_t)wanted.page_bytes, r->kv->config.layers);
}

/* In the cache, and are its pages in the file? */
static bool has_room(const PrefixReader *r, const SavedPrefix *saved,
                     const unsigned char *has) {
    const KvCache *kv = r->kv;
    size_t pages = 0;
    for (size_t l = 0; l < kv->config.layers; l++) pages += has[l];
    const size_t state = saved->state ? padded(kv->states.page_bytes) : 0;
    return kv->free_prefix >= 0 && pages <= kv->pages.free_count &&
           (!saved->state || kv->states.free_count) &&
           pages * padded(r->page_bytes) + state <= (size_t)(r->end - r->at);
}

/* A free entry of the cache, in its bucket and below its parent. */
static Prefix *link_prefix(KvCache *kv, const SavedPrefix *saved, int32_t parent) {
    const int32_t i = kv->free_prefix;
    Prefix *p = &kv->prefix[i];
    int32_t *bucket = &kv->bucket[saved->hash % kv->config.prefixes];
    kv->free_prefix = p->next, kv->n_prefixes++;
    p->kept = true, p->hash = saved->hash, p->salt = saved->salt;
    p->parent = parent, p->children = 0, p->state = -1;
    p->next = *bucket, *bucket = i;
    memcpy(p->tokens, saved->tokens, sizeof saved->tokens);
    if (parent >= 0) kv->prefix[parent].children++;
    return p;
}

static int32_t fill_page(PrefixReader *r, size_t layer) {
    const int32_t page = page_take(&r->kv->pages);
    write_page(r->kv, layer, page, take_part(r, r->page_bytes));
    return page;
}

static int32_t fill_state(PrefixReader *r) {
    PagePool *pool = &r->kv->states;
    const int32_t page = page_take(pool);
    memcpy(page_bytes(pool, page), take_part(r, pool->page_bytes), pool->page_bytes);
    return page;
}

/* False: there is no more room, or the file is not what its checksum says. */
static bool restore_prefix(PrefixReader *r, size_t number) {
    KvCache *kv = r->kv;
    const SavedPrefix *saved = take_part(r, sizeof *saved);
    const unsigned char *has = take_part(r, padded(kv->config.layers));
    if (!has || saved->parent >= (int32_t)number || !has_room(r, saved, has)) return false;
    Prefix *p = link_prefix(kv, saved, saved->parent < 0 ? -1 : r->index[saved->parent]);
    r->index[number] = (int32_t)(p - kv->prefix);
    for (size_t l = 0; l < kv->config.layers; l++) p->page[l] = has[l] ? fill_page(r, l) : -1;
    if (saved->state) p->state = fill_state(r);
    p->used = r->count - number;
    return true;
}

bool prefix_restore(KvCache *kv, const char *path, Text about, size_t *count, Fault *fault) {
    FileMap file;
    PrefixHead head;
    PrefixReader r = {.kv = kv};
    REQUIRE(kv->n_prefixes == 0, "the cache has %zu prefixes", kv->n_prefixes);
    if (!file_open(&file, path, fault)) return false;
    bool ok = check_file(&r, &file, about, &head, fault);
    r.count = ok ? head.count : 0;
    if (ok && !(r.index = malloc((r.count + 1) * sizeof *r.index)))
        ok = fault_set(fault, "no memory for %zu prefixes", r.count);
    for (*count = 0; ok && *count < r.count && restore_prefix(&r, *count);) ++*count;
    if (ok) kv->clock = r.count;
    free(r.index), file_close(&file);
    return ok || fault_prefix(fault, path);
}
