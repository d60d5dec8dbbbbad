/* small_vocabulary.h - vocabularies of some dozen tokens, for the graders. */
#ifndef STRATA_SMALL_VOCABULARY_H
#define STRATA_SMALL_VOCABULARY_H

#include "../src/vocab/vocab.h"
#include "grader.h"
#include "models.h"
#include "unicode.h"

enum { MOST_TOKENS = 340, LONGEST_NAME = 40 };

typedef struct SmallVocabulary {
    char bytes[MOST_TOKENS][LONGEST_NAME];
    Text names[MOST_TOKENS];
    int64_t types[MOST_TOKENS];
    double scores[MOST_TOKENS];
    size_t count;
} SmallVocabulary;

/* False when it is there already, or no room is left. */
static inline bool add_name(SmallVocabulary *v, Text name, int type, double score) {
    if (v->count == MOST_TOKENS || name.size > LONGEST_NAME) return false;
    for (size_t i = 0; i < v->count; i++)
        if (text_equal(v->names[i], name)) return false;
    memcpy(v->bytes[v->count], name.data, name.size);
    v->names[v->count] = (Text){v->bytes[v->count], name.size};
    v->types[v->count] = type, v->scores[v->count++] = score;
    return true;
}

static inline GgufWriter *small_file(const SmallVocabulary *v, const char *kind) {
    GgufWriter *w = gguf_writer_open(NULL);
    NEED(w);
    gguf_put_string(w, "tokenizer.ggml.model", text_of(kind));
    gguf_put_strings(w, "tokenizer.ggml.tokens", v->names, v->count);
    gguf_put_ints(w, "tokenizer.ggml.token_type", GGUF_I32, v->types, v->count);
    gguf_put_floats(w, "tokenizer.ggml.scores", GGUF_F32, v->scores, v->count);
    return w;
}

static inline Tokenizer *small_tokenizer(GgufWriter *w) {
    Fault fault = {0};
    unsigned char *bytes;
    size_t size;
    Gguf gguf;
    NEED(gguf_write_memory(w, &bytes, &size, &fault) && gguf_parse(&gguf, bytes, size, &fault));
    Tokenizer *t = tokenizer_open(&gguf, &fault);
    if (!t) printf("  %s\n", fault.text);
    NEED(t);
    gguf_writer_close(w), gguf_free(&gguf), free(bytes);
    return t;
}

static inline bool begins(Text text, Text start) {
    return text.size >= start.size && memcmp(text.data, start.data, start.size) == 0;
}

static inline bool same_tokens(const TokenList *a, const TokenList *b) {
    return a->count == b->count &&
           (!a->count || memcmp(a->ids, b->ids, a->count * sizeof *a->ids) == 0);
}

/* Tokens as names, "he|llo". */
static inline const char *in_names(const Tokenizer *t, const TokenList *tokens, char *out,
                                   size_t size) {
    size_t used = 0;
    out[0] = 0;
    for (size_t i = 0; i < tokens->count && used + 48 < size; i++) {
        int32_t id = tokens->ids[i];
        bool known = id >= 0 && (size_t)id < t->count;
        Text name = known ? t->symbols[id] : text_of("no token");
        used += (size_t)snprintf(out + used, size - used, "%s%.*s", i ? "|" : "",
                                 (int)name.size, name.data);
    }
    return out;
}

/* Mistakes that would explain what the work does: those whose tokens are its tokens in every
 * text so far. */
typedef struct Suspects {
    bool cleared[32];
    bool wrong;       /* the work was wrong in one text at least: */
    char first[1800]; /* the first of them, in words */
} Suspects;

static inline void suspect(Suspects *s, int mistake, const TokenList *its,
                           const TokenList *got) {
    if (!same_tokens(its, got)) s->cleared[mistake] = true;
}

static inline void compare_tokens(Suspects *s, const Tokenizer *t, Text text,
                                  const TokenList *got, const TokenList *want) {
    char a[600], b[600];
    if (s->wrong || same_tokens(got, want)) return;
    s->wrong = true;
    snprintf(s->first, sizeof s->first, "the text \"%.*s\": expected %s, got %s",
             (int)text.size, text.data, in_names(t, want, a, sizeof a),
             in_names(t, got, b, sizeof b));
}

/* The hint of the one mistake that explains it all, or else the first text that went wrong. */
static inline void suspects_end(const Suspects *s, const char *const *hints, int n) {
    for (int i = 1; s->wrong && i < n; i++) HINT(s->cleared[i], "%s", hints[i]);
    HINT(!s->wrong, "%s", s->first);
}

#endif
