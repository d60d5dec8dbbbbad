/* unigram.c - tokenizer.json of kind Unigram: pieces with scores, and normalization.  See
 * parts.h.
 *
 *     {"model": {"type": "Unigram", "unk_id": 2, "vocab": [["<unk>", 0], ["\u2581the", -3.2],
 *     ...]}, "normalizer": {"type": "Precompiled", "precompiled_charsmap": BASE64},
 *     "pre_tokenizer": [WhitespaceSplit,] Metaspace}
 *
 * Source   the tokenizers library's normalizers and pre_tokenizers. */
#include "parts.h"

#include "tokenizers/charsmap.h"
#include "json.h"

#include <stdlib.h>
#include <string.h>

static const char space[] = "\u2581";

typedef struct Plain {
    Conversion *c;
    Text map;      /* base64; data NULL: none */
    bool spaces;   /* a space becomes U+2581 */
    bool prefix;   /* one is added in front */
    bool merge;    /* runs of spaces are merged, and dropped at the ends */
    bool by_words; /* because words are split first */
    bool once;     /* one in front of the text, not of each word */
    bool strip;    /* spaces at the end are dropped */
} Plain;

static bool convert_unigram_refuse(const Plain *p, const JsonValue *step) {
    const JsonValue *type = json_get(step, "type");
    Text name = type && type->kind == JSON_STRING ? type->text : text_of("(no type)");
    return REFUSE(p->c, "tokenizer.json: '%.*s' does what is not built in for Unigram",
                  (int)min_size(60, name.size), name.data);
}

/* ------------------------------------------------------------------ how text is made plain */

static bool convert_unigram_read_normalizer(Plain *p, const JsonValue *step) {
    const JsonValue *type = json_get(step, "type"), *pattern = json_get(step, "pattern"),
                    *content = json_get(step, "content"),
                    *map = json_get(step, "precompiled_charsmap");
    bool first = !p->map.data && !(is_alike(step) && (p->strip || p->merge));
    if (first && read_form(p->c, step)) return true; /* ours comes first */
    if (json_is(type, "Precompiled") && !p->map.data && map && map->kind == JSON_STRING)
        return p->map = map->text, true;
    if (json_is(type, "Strip") && !json_true(step, "strip_left"))
        return p->strip = true; /* only at the end: comes with merging */
    if (json_is(type, "Replace") && json_is(json_get(pattern, "Regex"), " {2,}") &&
        (json_is(content, " ") || json_is(content, space)))
        return p->merge = true;
    return convert_unigram_refuse(p, step);
}

static bool read_pre_tokenizer(Plain *p, const JsonValue *step) {
    const JsonValue *type = json_get(step, "type"), *scheme = json_get(step, "prepend_scheme"),
                    *old = json_get(step, "add_prefix_space");
    if (json_is(type, "WhitespaceSplit")) return p->by_words = p->merge = true;
    if (!json_is(type, "Metaspace") || !json_is(json_get(step, "replacement"), space))
        return convert_unigram_refuse(p, step);
    p->spaces = true, p->once = json_is(scheme, "first");
    p->prefix = scheme ? !json_is(scheme, "never") : !old || old->kind == JSON_TRUE;
    return true;
}

/* A single step, or the steps of a Sequence. */
static bool each(Plain *p, const JsonValue *step, const char *list_name,
                 bool read(Plain *, const JsonValue *)) {
    const JsonValue *list = json_get(step, list_name);
    if (!step || step->kind == JSON_NULL) return true;
    if (!json_is(json_get(step, "type"), "Sequence")) return read(p, step);
    if (!list || list->kind != JSON_ARRAY) return convert_unigram_refuse(p, step);
    for (size_t i = 0; i < list->count; i++)
        if (!read(p, &list->items[i])) return false;
    return true;
}

/* ------------------------------------------------------------------ the table of characters */

static int convert_unigram_digit_of(char c) {
    static const char digits[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const char *at = c ? strchr(digits, c) : NULL;
    return at ? (int)(at - digits) : -1;
}

size_t from_base64(Text text, unsigned char *out) {
    size_t n = 0;
    uint32_t bits = 0;
    if (text.size % 4) return SIZE_MAX;
    while (text.size && text.data[text.size - 1] == '=') text.size--;
    for (size_t i = 0; i < text.size; i++) {
        int digit = convert_unigram_digit_of(text.data[i]);
        if (digit < 0) return SIZE_MAX;
        bits = bits << 6 | (uint32_t)digit;
        if (i % 4) out[n++] = (unsigned char)(bits >> (6 - 2 * (i % 4)));
    }
    return n;
}

bool put_unigram(Conversion *c, Text map, bool prefix, bool merge) {
    int64_t *bytes = malloc((map.size + 1) * sizeof *bytes);
    if (!bytes) return REFUSE(c, "no memory for a table of characters");
    for (size_t i = 0; i < map.size; i++) bytes[i] = (unsigned char)map.data[i];
    if (map.size)
        gguf_put_ints(c->writer, "tokenizer.ggml.precompiled_charsmap", GGUF_U8, bytes,
                      map.size);
    free(bytes);
    gguf_put_string(c->writer, "tokenizer.ggml.model", text_of("t5"));
    gguf_put_int(c->writer, "tokenizer.ggml.add_space_prefix", GGUF_BOOL, prefix);
    gguf_put_int(c->writer, "tokenizer.ggml.remove_extra_whitespaces", GGUF_BOOL, merge);
    return true;
}

static bool joins_lines(Text map) {
    Charsmap table;
    size_t taken = 0;
    if (!charsmap_read(&table, (const unsigned char *)map.data, map.size, NULL)) return false;
    bool joins =
        text_equal(charsmap_replace(&table, text_of("\n"), &taken), text_of(" ")) && taken;
    charsmap_free(&table);
    return joins;
}

/* A note if spaces at the ends of a text are handled differently by GGUF files. */
static void note_ends(const Plain *p, Text map) {
    if ((p->by_words || p->strip) && !joins_lines(map))
        convert_note(p->c, "a line's end is not white space, as it is in tokenizer.json:"
                           " GGUF files cannot say so, and their table of characters "
                           "does not write it as a space");
    if (p->prefix && !p->merge)
        convert_note(p->c, "a text that begins with a space gets one more in front, which "
                           "tokenizer.json leaves out: GGUF files cannot say so");
    if (p->merge && !p->by_words && !p->strip)
        convert_note(p->c, "a space at the end of a text is dropped, which tokenizer.json "
                           "keeps: GGUF files cannot say so");
}

static bool convert_unigram_put_plain(const Plain *p) {
    Conversion *c = p->c;
    if (!p->spaces)
        return REFUSE(c, "tokenizer.json: wanted a Metaspace, which writes a space as U+2581");
    if (p->by_words && (!p->prefix || p->once || !p->map.data))
        return REFUSE(c, "tokenizer.json: WhitespaceSplit without a Precompiled normalizer and "
                         "a space in front of each word, which GGUF files cannot say");
    if (p->merge && !p->prefix)
        return REFUSE(c, "tokenizer.json: runs of spaces as one without a space in front of "
                         "the text, which GGUF files cannot say");
    unsigned char *map = malloc(p->map.size + 4);
    if (!map) return REFUSE(c, "no memory for a table of characters");
    size_t size = from_base64(p->map, map);
    if (size != SIZE_MAX) note_ends(p, (Text){(const char *)map, size});
    bool ok = size == SIZE_MAX
                  ? REFUSE(c, "tokenizer.json: its precompiled_charsmap is not base64")
                  : put_unigram(c, (Text){(const char *)map, size}, p->prefix, p->merge);
    free(map);
    return ok;
}

/* ------------------------------------------------------------------ the pieces */

static bool read_pieces(Conversion *c, Vocab *v, const JsonValue *list, size_t unknown) {
    for (size_t i = 0; i < list->count; i++) {
        const JsonValue *pair = &list->items[i];
        double score;
        if (pair->kind != JSON_ARRAY || pair->count != 2 ||
            pair->items[0].kind != JSON_STRING || !json_number(&pair->items[1], &score))
            return REFUSE(c, "tokenizer.json: piece %zu is not a pair of a text and a score",
                          i);
        if (!vocab_set(v, i, pair->items[0].text, i == unknown ? TOKEN_UNKNOWN : TOKEN_NORMAL,
                       score, false, c->fault))
            return false;
    }
    v->unknown = (int64_t)unknown;
    return unknown < list->count ||
           REFUSE(c, "tokenizer.json: unk_id is %zu, and there are %zu pieces", unknown,
                  list->count);
}

bool read_unigram(Conversion *c, Vocab *v, const JsonValue *root) {
    const JsonValue *model = json_get(root, "model"), *list = json_get(model, "vocab");
    Plain p = {.c = c};
    size_t unknown;
    const JsonValue *bytes = json_get(model, "byte_fallback");
    if (bytes && bytes->kind != JSON_FALSE && bytes->kind != JSON_NULL)
        return REFUSE(c, "tokenizer.json: Unigram with byte_fallback, which GGUF files cannot "
                         "say");
    if (!json_size(json_get(model, "unk_id"), &unknown))
        return REFUSE(c, "tokenizer.json: Unigram without an unk_id");
    if (!list || list->kind != JSON_ARRAY) return REFUSE(c, "tokenizer.json has no vocab");
    v->has_scores = true;
    return each(&p, json_get(root, "normalizer"), "normalizers",
                convert_unigram_read_normalizer) &&
           each(&p, json_get(root, "pre_tokenizer"), "pretokenizers", read_pre_tokenizer) &&
           convert_unigram_put_plain(&p) && read_pieces(c, v, list, unknown) &&
           read_added(c, v, json_get(root, "added_tokens"));
}
