/* fim.c - fill in the middle: the marks that ask for the text between two others, and their
 * order.
 *
 * Invariant: what a user wrote becomes no mark and no end, whatever type the file gives those.
 * Source   Bavarian et al. 2022, arXiv:2207.14255 */
#include "tokenizers.h"
#include "vocab/vocab.h"

#include <stdlib.h>
#include <string.h>

/* What ends a middle in some families, and a text in none. */
static const char *const fim_end_names[] = {"▁<EOT>", "<|file_separator|>", "<file_sep>"};

/* Families that read the suffix first.  All others read prefix, suffix, middle. */
static const struct {
    const char *prefix; /* the name of the mark */
    const char *rule;   /* tokenizer.ggml.pre, where the name alone does not tell; or NULL */
    bool middle;        /* a mark asks for the middle; else it goes on behind the prefix */
} suffix_first[] = {
    {"[PREFIX]", NULL, false},        /* Codestral */
    {"<[fim-prefix]>", NULL, true},   /* Seed-Coder */
    {"<fim_prefix>", "mellum", true}, /* Mellum */
};

/* What the family's prompt looks like. */
typedef struct FimOrder {
    bool suffix_first;
    bool ends_in_mark; /* the middle's; else the prefix ends what is asked */
} FimOrder;

static FimOrder fim_order(const Tokenizer *t) {
    int32_t prefix = t->fim[FIM_PREFIX];
    for (size_t i = 0; prefix >= 0 && i < sizeof suffix_first / sizeof *suffix_first; i++) {
        if (!text_equal(t->symbols[prefix], text_of(suffix_first[i].prefix))) continue;
        const char *rule = suffix_first[i].rule;
        if (!rule || (t->pre && strcmp(t->pre, rule) == 0))
            return (FimOrder){true, suffix_first[i].middle};
    }
    return (FimOrder){false, true};
}

static bool fim_check(const Tokenizer *t, FimOrder order, Fault *fault) {
    static const char *const keys[] = {"fim_pre", "fim_suf", "fim_mid"};
    static const char *const names[] = {"prefix", "suffix", "middle"};
    for (int i = 0; i < FIM_MARKS; i++)
        if (t->fim[i] < 0 && (i != FIM_MIDDLE || order.ends_in_mark))
            return fault_set(fault,
                             "the vocabulary has no token that marks the %s (no key "
                             "tokenizer.ggml.%s_token_id, no <|fim_%s|> or another known name)",
                             names[i], keys[i], names[i]);
    return true;
}

static bool fim_ends(const Tokenizer *t, TokenList *ends, Fault *fault) {
    if (!token_list_reserve(ends, FIM_MARKS + sizeof fim_end_names / sizeof *fim_end_names,
                            fault))
        return false;
    for (int i = 0; i < FIM_MARKS; i++)
        if (t->fim[i] >= 0) token_list_add(ends, t->fim[i]);
    for (size_t i = 0; i < sizeof fim_end_names / sizeof *fim_end_names; i++) {
        int32_t id = tokenizer_find(t, fim_end_names[i]);
        if (id >= 0) token_list_add(ends, id);
    }
    return true;
}

/* A part behind its mark.  No space is put in front of the suffix: it goes on where the middle
 * ends. */
static bool fim_part(const Tokenizer *plain, int mark, Text text, TokenList *tokens,
                     Fault *fault) {
    Tokenizer part = *plain;
    part.add_space_prefix = plain->add_space_prefix && mark == FIM_PREFIX;
    if (!token_list_reserve(tokens, 1, fault)) return false;
    token_list_add(tokens, plain->fim[mark]);
    return tokenizer_encode(&part, text, false, tokens, fault);
}

bool tokenizer_fill(const Tokenizer *t, Text before, Text behind, TokenList *tokens,
                    TokenList *ends, Fault *fault) {
    Tokenizer plain = *t; /* in which marks and ends are control tokens */
    size_t n_tokens = tokens->count, n_ends = ends->count;
    FimOrder order = fim_order(t);
    if (!fim_check(t, order, fault)) return false;
    if (!(plain.types = malloc(t->count)))
        return fault_set(fault, "no memory for %zu tokens", t->count);
    memcpy(plain.types, t->types, t->count);
    bool first = order.suffix_first, ok = fim_ends(t, ends, fault);
    for (size_t i = n_ends; i < ends->count; i++) plain.types[ends->ids[i]] = TOKEN_CONTROL;
    ok = ok && (!first || fim_part(&plain, FIM_SUFFIX, behind, tokens, fault)) &&
         fim_part(&plain, FIM_PREFIX, before, tokens, fault) &&
         (first || fim_part(&plain, FIM_SUFFIX, behind, tokens, fault)) &&
         (!order.ends_in_mark || token_list_reserve(tokens, 1, fault));
    if (ok && order.ends_in_mark) token_list_add(tokens, t->fim[FIM_MIDDLE]);
    if (!ok) tokens->count = n_tokens, ends->count = n_ends;
    free(plain.types);
    return ok;
}
