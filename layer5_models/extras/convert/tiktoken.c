/* tiktoken.c - a vocabulary as tiktoken writes it.  See parts.h.
 *
 *     dGhl 1820        a token's bytes in base64, and its rank, which is its id
 *
 * GGUF files list pairs to merge instead.  Of a token that is the pair which is left of its
 * bytes when all pairs of a lower rank are merged, the lowest first.
 *
 * Special tokens are in tokenizer_config.json; Qwen 1's stand in its code. */
#include "parts.h"
#include "json.h"
#include "unicode.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST = 512 }; /* bytes of a token */

static const struct {
    const char *file, *pre;
} kinds[] = {
    {"qwen.tiktoken", "qwen2"}, {"hy.tiktoken", "hunyuan"}, {"tiktoken.model", "kimi-k2"}};

typedef struct Ranked {
    Text bytes;
    size_t rank;
} Ranked;

typedef struct Ranks {
    Conversion *c;
    Vocab *v;
    Ranked *rows; /* (count) owns; by bytes */
    size_t count;
} Ranks;

static int tiktoken_by_bytes(const void *a, const void *b) {
    return text_order(((const Ranked *)a)->bytes, ((const Ranked *)b)->bytes);
}

/* SIZE_MAX: no token has these bytes. */
static size_t tiktoken_rank(const Ranks *r, Text bytes) {
    const Ranked key = {bytes, 0},
                 *found = bsearch(&key, r->rows, r->count, sizeof key, tiktoken_by_bytes);
    return found ? found->rank : SIZE_MAX;
}

/* Bytes as GPT-2 writes them, in memory of the vocabulary; data NULL: no memory. */
static Text tiktoken_visible(Vocab *v, Text bytes) {
    char *out = region_alloc(&v->region, 2 * bytes.size + 1);
    size_t size = 0;
    for (size_t i = 0; out && i < bytes.size; i++)
        size += utf8_encode(byte_to_visible((unsigned char)bytes.data[i]), out + size);
    return (Text){out, size};
}

/* ------------------------------------------------------------------ merges */

/* Merge a token's bytes by what ranks lower; returns how many parts are left, of which *second
 * is where the second one begins. */
static size_t tiktoken_split(const Ranks *r, Text token, size_t rank, size_t *second) {
    uint16_t ends[LONGEST];
    size_t count = token.size;
    for (size_t i = 0; i < count; i++) ends[i] = (uint16_t)(i + 1);
    while (count > 2) {
        size_t best = rank, at = 0;
        for (size_t i = 0; i + 1 < count; i++) {
            const size_t begin = i ? ends[i - 1] : 0,
                         pair =
                             tiktoken_rank(r, (Text){token.data + begin, ends[i + 1] - begin});
            if (pair < best) best = pair, at = i;
        }
        if (best == rank) break;
        memmove(ends + at, ends + at + 1, (--count - at) * sizeof *ends);
    }
    return *second = ends[0], count;
}

static bool tiktoken_pairs(const Ranks *r, const Text *by_rank, size_t all) {
    Text *merges = malloc((all + 1) * sizeof *merges);
    size_t count = 0, second;
    if (!merges) return REFUSE(r->c, "no memory for %zu merges", all);
    for (size_t rank = 0; rank < all; rank++) {
        const Text token = by_rank[rank];
        if (token.size < 2 || tiktoken_split(r, token, rank, &second) != 2) continue;
        const Text left = tiktoken_visible(r->v, (Text){token.data, second}),
                   right =
                       tiktoken_visible(r->v, (Text){token.data + second, token.size - second});
        char *pair = region_alloc(&r->v->region, left.size + right.size + 2);
        if (!left.data || !right.data || !pair)
            return free(merges), REFUSE(r->c, "no memory for %zu merges", all);
        snprintf(pair, left.size + right.size + 2, "%.*s %.*s", (int)left.size, left.data,
                 (int)right.size, right.data);
        merges[count++] = text_of(pair);
    }
    gguf_put_strings(r->c->writer, "tokenizer.ggml.merges", merges, count);
    return free(merges), true;
}

/* ------------------------------------------------------------------ tokens */

/* One line; the bytes are kept in the vocabulary's memory. */
static bool tiktoken_line(Ranks *r, Text line, const char *file, size_t number) {
    const char *space = memchr(line.data, ' ', line.size);
    const size_t size = space ? (size_t)(space - line.data) : 0;
    unsigned char *bytes = region_alloc(&r->v->region, size + 3);
    if (!bytes) return REFUSE(r->c, "no memory for a token");
    const size_t n = size ? from_base64((Text){line.data, size}, bytes) : SIZE_MAX,
                 rank = space ? strtoul(space + 1, NULL, 10) : 0;
    if (n == SIZE_MAX || n == 0 || n > LONGEST)
        return REFUSE(r->c, "%s: line %zu is not a token in base64 and its rank", file, number);
    const Text token = {(char *)bytes, n}, name = tiktoken_visible(r->v, token);
    r->rows[r->count++] = (Ranked){token, rank};
    return name.data ? vocab_set(r->v, rank, name, TOKEN_NORMAL, 0, false, r->c->fault)
                     : REFUSE(r->c, "no memory for a token");
}

static bool tiktoken_lines(Ranks *r, Text text, const char *file) {
    for (size_t number = 1; text.size; number++) {
        const char *end = memchr(text.data, '\n', text.size);
        const Text line = {text.data, end ? (size_t)(end - text.data) : text.size};
        if (r->count == r->v->count && line.size)
            return REFUSE(r->c, "%s has more tokens than the embedding rows, %zu", file,
                          r->v->count);
        if (line.size && !tiktoken_line(r, line, file, number)) return false;
        const size_t taken = min_size(text.size, line.size + 1);
        text = (Text){text.data + taken, text.size - taken};
    }
    return true;
}

/* "<|endoftext|>" and so on, behind all others. */
static bool add_qwen_specials(Ranks *r) {
    static const char *const named[] = {"<|endoftext|>", "<|im_start|>", "<|im_end|>"};
    for (size_t i = 0; i < 208 && r->count + i < r->v->count; i++) {
        char *name = region_alloc(&r->v->region, 24);
        if (!name) return REFUSE(r->c, "no memory for a token");
        if (i < 3)
            snprintf(name, 24, "%s", named[i]);
        else
            snprintf(name, 24, "<|extra_%zu|>", i - 3);
        if (!vocab_set(r->v, r->count + i, text_of(name), TOKEN_CONTROL, 0, true, r->c->fault))
            return false;
    }
    return true;
}

static bool tiktoken_merges(Ranks *r) {
    Text *by_rank = calloc(r->v->count + 1, sizeof *by_rank);
    if (!by_rank) return REFUSE(r->c, "no memory for %zu tokens", r->v->count);
    for (size_t i = 0; i < r->count; i++) by_rank[r->rows[i].rank] = r->rows[i].bytes;
    qsort(r->rows, r->count, sizeof *r->rows, tiktoken_by_bytes);
    bool ok = tiktoken_pairs(r, by_rank, r->v->count);
    return free(by_rank), ok;
}

bool read_tiktoken(Conversion *c, Vocab *v, bool *found) {
    size_t kind = 0;
    FileMap file;
    while (kind < 3 && !folder_has(&c->folder, kinds[kind].file)) kind++;
    if (!(*found = kind < 3)) return true;
    if (!folder_map(&c->folder, kinds[kind].file, &file, c->fault)) return false;
    Ranks r = {c, v, malloc((v->count + 1) * sizeof *r.rows), 0};
    bool ok = r.rows || REFUSE(c, "no memory for %zu tokens", v->count);
    ok = ok &&
         tiktoken_lines(&r, (Text){(const char *)file.data, file.size}, kinds[kind].file) &&
         tiktoken_merges(&r) && (kind == 0 ? add_qwen_specials(&r) : read_added_by_id(c, v));
    gguf_put_string(c->writer, "tokenizer.ggml.model", text_of("gpt2"));
    gguf_put_string(c->writer, "tokenizer.ggml.pre", text_of(kinds[kind].pre));
    free(r.rows), file_close(&file);
    return ok;
}

/* ------------------------------------------------------------------ special tokens */

/* "added_tokens_decoder": {"163584": {"content": "[BOS]", "special": true}} */
bool read_added_by_id(Conversion *c, Vocab *v) {
    c->fault->text[0] = 0;
    Json *json = folder_json(&c->folder, "tokenizer_config.json", true, c->fault);
    const JsonValue *list = json ? json_get(json_root(json), "added_tokens_decoder") : NULL;
    bool ok = json || !c->fault->text[0];
    for (size_t i = 0; ok && list && list->kind == JSON_OBJECT && i < list->count; i++) {
        const Text content = json_text(json_get(&list->items[i], "content"));
        char *name = region_alloc(&v->region, content.size + 1), *end;
        const size_t id = strtoul(list->keys[i].data, &end, 10);
        if (!name) ok = REFUSE(c, "no memory for a token");
        if (!ok || !content.size) continue;
        memcpy(name, content.data, content.size);
        if (id < v->count) v->tokens[id].data = NULL; /* its name here counts */
        ok = vocab_set(v, id, (Text){name, content.size},
                       json_true(&list->items[i], "special") ? TOKEN_CONTROL : TOKEN_USER, 0,
                       true, c->fault);
    }
    return json_free(json), ok;
}
