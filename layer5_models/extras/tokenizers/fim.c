/* fim.c - fill-in-the-middle prompts: which special tokens, in which order.
 *
 * Invariant: a user's text becomes none of these tokens, whatever types the file gives them.
 * Source   Bavarian et al. 2022, arXiv:2207.14255 */
#include "tokenizers.h"
#include "vocab/vocab.h"

#include <stdlib.h>
#include <string.h>

/* Tokens that end a middle in some families, but no text. */
static const char *const fim_end_names[] = {"▁<EOT>", "<|file_separator|>", "<file_sep>"};

/* Families that read the suffix first.  All others: prefix, suffix, middle. */
static const struct {
    const char *prefix; /* the name of the token */
    const char *rule;   /* tokenizer.ggml.pre, if the name is ambiguous; or NULL */
    bool middle;        /* has a middle token; else the prefix comes last */
} suffix_first[] = {
    {"[PREFIX]", NULL, false},        /* Codestral */
    {"<[fim-prefix]>", NULL, true},   /* Seed-Coder */
    {"<fim_prefix>", "mellum", true}, /* Mellum */
};

/* The form of the family's prompt. */
typedef struct FimOrder {
    bool suffix_first;
    bool ends_in_mark; /* the prompt ends with the middle token; else with the prefix */
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

/* A part after its token.  No space is added to the suffix: it continues where the middle
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
    Tokenizer plain = *t; /* in which these are control tokens */
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
