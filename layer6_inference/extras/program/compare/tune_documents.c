/* tune_documents.c - the user's documents, each with its opening.  See tune.h. */
#include "tune.h"
#include "input.h"
#include "train_runs.h"

#include <stdlib.h>
#include <string.h>

/* The documents of a file, one after the other. */
typedef struct Reading {
    Text rest, document;
    bool marked; /* by lines <|endoftext|> */
    size_t line; /* of the document; the next one's first */
    size_t next;
} Reading;

static bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

static Reading reading_of(const Tune *t) {
    Text all = {t->bytes, t->size}, rest = all, first = corpus_cut_document(&rest);
    return (Reading){.rest = all, .marked = first.size + 1 < all.size, .next = 1};
}

/* Empty documents are skipped. */
static bool reading_next(Reading *r) {
    while (r->rest.size) {
        Text before = r->rest;
        r->document = r->marked ? corpus_cut_document(&r->rest) : text_cut(&r->rest, '\n');
        r->line = r->next;
        for (size_t i = 0; i < before.size - r->rest.size; i++)
            r->next += before.data[i] == '\n';
        while (r->document.size && is_blank(r->document.data[r->document.size - 1]))
            r->document.size--;
        if (r->document.size) return true;
    }
    return false;
}

/* Bytes of the first words; all, if there are no more. */
static size_t words_end(Text text, long words) {
    size_t at = 0;
    for (; words > 0; words--) {
        while (at < text.size && is_blank(text.data[at])) at++;
        while (at < text.size && !is_blank(text.data[at])) at++;
    }
    return at;
}

bool tune_read(Tune *t, Fault *fault) {
    t->bytes = read_named(t->documents, &t->size, fault);
    if (!t->bytes) return false;
    const char *zero = memchr(t->bytes, 0, t->size);
    return !zero || fault_set(fault, "%.200s is not text: its byte %zu is zero", t->documents,
                              (size_t)(zero - t->bytes) + 1);
}

static bool count_documents(Tune *t, Fault *fault) {
    size_t n = 0, few = 0, line = 0;
    for (Reading r = reading_of(t); reading_next(&r); n++) {
        if (words_end(r.document, t->job.words) < r.document.size) continue;
        if (few++ == 0) line = r.line;
    }
    if (n < 2)
        return fault_set(fault,
                         "%.200s: got %s, wanted two or more: one per line, or of many lines "
                         "with a line <|endoftext|> between them",
                         t->documents, n ? "one document" : "no documents");
    if (few)
        return fault_set(fault,
                         "%.200s, line %zu: nothing follows the first %ld words of this "
                         "document%s; wanted a longer one. Remove it or give fewer --words",
                         t->documents, line, t->job.words,
                         few > 1 ? ", and it is not the only one" : "");
    t->study.n_openings = n;
    t->study.openings = calloc(n, sizeof *t->study.openings);
    return t->study.openings || fault_set(fault, "no memory for %zu documents", n);
}

/* Are the first `size` bytes at most max_tokens more than the opening? */
static bool is_short(const Tune *t, const Opening *o, size_t size, bool *fits, Fault *fault) {
    TokenList tokens = {0};
    tokenizer_begin(t->study.model.tokenizer, &tokens);
    bool ok = tokenizer_encode(t->study.model.tokenizer, (Text){o->text.bytes, size}, false,
                               &tokens, fault);
    *fits = tokens.count <= o->tokens.count + (size_t)t->job.max_tokens;
    token_list_free(&tokens);
    return ok;
}

/* Cut a long document before a word, so that it is no longer than a generated text. */
static bool shorten_document(const Tune *t, Opening *o, Fault *fault) {
    size_t low = o->end, high = o->text.size, cut;
    bool fits;
    if (!is_short(t, o, high, &fits, fault)) return false;
    if (fits) return true;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (!is_short(t, o, middle, &fits, fault)) return false;
        if (fits)
            low = middle;
        else
            high = middle;
    }
    for (cut = low; cut > o->end && !is_blank(o->text.bytes[cut]);) cut--;
    o->text.size = cut > o->end ? cut : low;
    return true;
}

bool tune_openings(Tune *t, Fault *fault) {
    if (!count_documents(t, fault)) return false;
    Opening *o = t->study.openings;
    for (Reading r = reading_of(t); reading_next(&r); o++) {
        world_text_append(&o->text, r.document);
        o->line = r.line, o->end = words_end(r.document, t->job.words);
        if (!opening_tokenize(&t->study, o, fault) || !shorten_document(t, o, fault))
            return false;
    }
    return true;
}
