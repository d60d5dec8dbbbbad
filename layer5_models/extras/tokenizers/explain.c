/* explain.c - how a text becomes tokens: the events of tokenizer_explain.
 *
 * Merges are reported one by one, searching for the best pair each time: what merge.c does with
 * a heap, but slowly. */
#include "llama_style.h"
#include "tokenizer/tokenizer_kinds.h"
#include "tokenizers.h"
#include "unicode.h"

#include <string.h>

enum { MAX_MERGED = 100 }; /* max pieces of a word whose merges are reported */

/* The report's context. */
typedef struct Explained {
    TokenReport *report;
    void *context;
} Explained;

static void report_event(const Encoder *encoder, TokenEvent event) {
    const Explained *to = encoder->report->context;
    to->report(to->context, &event);
}

/* An alternative of a pattern, as written: alternatives are separated by | outside ( ) and [
 * ]. */
static Text alternative_of(const char *source, int alternative) {
    const char *from = source;
    int depth = 0, at = 0;
    bool in_class = false;
    for (const char *p = source;; p++) {
        if (*p == '\0' || (*p == '|' && depth == 0 && !in_class)) {
            if (at++ == alternative || *p == '\0') return (Text){from, (size_t)(p - from)};
            from = p + 1;
        } else if (*p == '\\') {
            p++;
        } else if (in_class) {
            depth -= *p == ']';
            in_class = depth > 0 && *p != ']';
        } else {
            in_class = *p == '[';
            depth += in_class || *p == '(';
            depth -= *p == ')';
        }
    }
}

static void report_word(const Encoder *encoder, Text word) {
    const Tokenizer *t = encoder->tokenizer;
    TokenEvent event = {.kind = EVENT_WORD, .text = word, .stage = -1};
    const Cut *cut = encoder->cut;
    if (cut && cut->alternative >= 0) {
        const char *const *stages = t->as_llama ? llama_stages(t->rule) : t->rule->stages;
        event.stage = (int)cut->stage;
        event.rule = alternative_of(stages[cut->stage], cut->alternative);
    }
    report_event(encoder, event);
}

/* A piece for each byte or character; returns how many, 0 for too many. */
static size_t first_pieces(const Tokenizer *t, Text word, Piece *pieces) {
    bool bytes = t->unescape == unescape_visible;
    size_t n = 0, size = 1;
    for (size_t at = 0; at < word.size; at += size) {
        if (n == MAX_MERGED) return 0;
        if (!bytes) utf8_decode(word.data + at, word.size - at, &size);
        int32_t symbol = bytes ? t->byte_token[(unsigned char)word.data[at]]
                               : vocab_find(t, (Text){word.data + at, size});
        pieces[n++] = (Piece){.data = word.data + at, .size = (uint32_t)size, .symbol = symbol};
    }
    return n;
}

static size_t best_merge(const Tokenizer *t, const Piece *pieces, size_t n, double *priority,
                         int32_t *merged) {
    MergeRule *rule = t->kind->merges ? merge_learned : merge_scored;
    size_t best = n;
    for (size_t i = 0; i + 1 < n; i++) {
        double p;
        int32_t m;
        if (!rule(t, &pieces[i], &pieces[i + 1], &p, &m) || (best < n && p >= *priority))
            continue;
        best = i, *priority = p, *merged = m;
    }
    return best;
}

static void report_merges(const Encoder *encoder, Text word) {
    const Tokenizer *t = encoder->tokenizer;
    Piece pieces[MAX_MERGED];
    Text texts[MAX_MERGED];
    size_t n = first_pieces(t, word, pieces), best;
    double priority = 0;
    int32_t merged = -1;
    while ((best = best_merge(t, pieces, n, &priority, &merged)) < n) {
        pieces[best].size += pieces[best + 1].size;
        pieces[best].symbol = merged;
        n--;
        memmove(pieces + best + 1, pieces + best + 2, (n - best - 1) * sizeof *pieces);
        for (size_t i = 0; i < n; i++) texts[i] = (Text){pieces[i].data, pieces[i].size};
        report_event(encoder, (TokenEvent){.kind = EVENT_MERGE,
                                           .text = texts[best],
                                           .pieces = texts,
                                           .n_pieces = n,
                                           .changed = best,
                                           .priority = priority});
    }
}

static void explain_word(const Encoder *encoder, Text word, const TokenList *tokens,
                         size_t first) {
    const Tokenizer *t = encoder->tokenizer;
    bool merges = t->kind->encode == encode_merged_text || t->kind->merges;
    report_word(encoder, word);
    /* a word that is a token was not merged */
    if (merges && tokens->count - first < word.size &&
        !(t->ignore_merges && tokens->count - first == 1))
        report_merges(encoder, word);
    for (size_t i = first; i < tokens->count; i++)
        report_event(
            encoder,
            (TokenEvent){.kind = EVENT_TOKEN,
                         .text = t->pieces[tokens->ids[i]],
                         .id = tokens->ids[i],
                         .priority = t->scores ? (double)t->scores[tokens->ids[i]] : 0});
}

static void explain_special(const Encoder *encoder, int32_t id) {
    Text name = encoder->tokenizer->symbols[id];
    report_event(encoder, (TokenEvent){.kind = EVENT_SPECIAL, .text = name, .id = id});
}

bool tokenizer_explain(const Tokenizer *tokenizer, Text text, bool special, TokenReport *to,
                       void *context, TokenList *tokens, Fault *fault) {
    Explained explained = {to, context};
    EncodeReport report = {explain_special, explain_word, &explained};
    return encoder_run(tokenizer, text, NULL, special, &report, tokens, fault);
}

bool tokenizer_has_ranks(const Tokenizer *tokenizer) { return tokenizer->kind->merges; }
