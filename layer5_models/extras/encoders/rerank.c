/* rerank.c - see rerank.h. */
#include "rerank.h"
#include "tokenizers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LABELS = 64 };

bool rerank_check(const Model *m, Fault *fault) {
    const TextHead *h = &model_extras(m)->text_head;
    if (h->labels == 1 || (h->labels == 2 && h->softmax)) return true;
    if (h->labels == 0)
        return fault_set(fault,
                         "a %s model without a head that scores texts (cls.output): vectors "
                         "are compared with strata embed",
                         m->recipe->arch);
    return fault_set(fault,
                     "the model scores %zu labels, and none of them says how well a document "
                     "fits: strata embed --pooling rank shows them",
                     h->labels);
}

/* ------------------------------------------------------------------ the text */

/* A template's text with its words replaced; a user's bytes are marked. */
typedef struct Filled {
    char *text;          /* (size) owns */
    unsigned char *user; /* (size) owns */
    size_t size;
} Filled;

static void rerank_add(Filled *f, Text text, bool user) {
    if (f->text) memcpy(f->text + f->size, text.data, text.size);
    if (f->user) memset(f->user + f->size, user, text.size);
    f->size += text.size;
}

/* Into f, whose arrays are NULL while measuring. */
static void rerank_fill(Filled *f, Text template, Text query, Text document) {
    for (size_t at = 0; at < template.size;) {
        Text rest = {template.data + at, template.size - at};
        bool q = text_begins(rest, text_of("{query}")),
             d = text_begins(rest, text_of("{document}"));
        rerank_add(f, q ? query : d ? document : (Text){rest.data, 1}, q || d);
        at += q ? 7 : d ? 10 : 1;
    }
}

static bool encode_template(const Model *m, Text template, Text query, Text document,
                            TokenList *tokens, Fault *fault) {
    Filled f = {0};
    rerank_fill(&f, template, query, document);
    f.text = malloc(f.size + 1), f.user = malloc(f.size + 1);
    bool ok = f.text && f.user;
    if (!ok) fault_set(fault, "no memory for a text of %zu bytes", f.size);
    f.size = 0;
    if (ok) rerank_fill(&f, template, query, document);
    ok = ok &&
         tokenizer_encode_marked(m->tokenizer, (Text){f.text, f.size}, f.user, tokens, fault);
    free(f.text), free(f.user);
    return ok;
}

static bool encode_query_document(const Model *m, Text query, Text document, TokenList *tokens,
                                  size_t *second, Fault *fault) {
    Text template;
    *second = 0;
    if (gguf_string(gguf_find(&m->gguf, "tokenizer.chat_template.rerank"), &template))
        return encode_template(m, template, query, document, tokens, fault);
    if (model_extras(m)->quirks->bidirectional)
        return tokenizer_encode_pair(m->tokenizer, query, document, tokens, second, fault);
    return fault_set(fault, "the file does not say how a query and a document become one text: "
                            "it has no template tokenizer.chat_template.rerank");
}

bool rerank_encode(const Model *m, Text query, Text document, TokenList *tokens, size_t *second,
                   Fault *fault) {
    size_t begin = tokens->count;
    if (!encode_query_document(m, query, document, tokens, second, fault)) return false;
    size_t n = tokens->count - begin;
    if (n <= m->sizes.ctx) return true;
    tokens->count = begin;
    return fault_set(fault,
                     "query and document have %zu tokens, the model reads %zu: shorten one", n,
                     m->sizes.ctx);
}

/* ------------------------------------------------------------------ the score */

bool rerank_score(Session *s, const TokenList *tokens, size_t second, float *score,
                  Fault *fault) {
    float scores[LABELS];
    if (!rerank_check(s->model, fault) ||
        !pooling_run(s, POOLING_RANK, tokens->ids, tokens->count, second, scores, fault))
        return false;
    *score = scores[0];
    return isfinite(*score) || fault_set(fault, "the model's numbers are not finite");
}
