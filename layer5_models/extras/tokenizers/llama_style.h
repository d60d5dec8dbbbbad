/* llama_style.h - how llama.cpp reads text, where it differs from training; private to
 * extras/. */
#ifndef STRATA_LLAMA_STYLE_H
#define STRATA_LLAMA_STYLE_H

#include "../../src/tokenizer/encoder.h"

/* A rule that it splits by differently. */
typedef struct LlamaRule {
    const char *name;               /* the first of the rule's names */
    bool collapsed;                 /* see llama_notation.c */
    const char *stages[MAX_STAGES]; /* other patterns; stages[0] NULL: the rule's own */
} LlamaRule;

/* The last row has no name; see extras/pre_rules.c. */
extern const LlamaRule llama_rules[];

const char *const *llama_stages(const PreRule *rule);
const RegexNotation *llama_rule_notation(const PreRule *rule);

extern const RegexNotation llama_notation;

extern const LlamaStyle llama_style;

/* clean.c: text in which every byte belongs to a character.
 *
 *   clean_prefix   the size of the valid start
 *   clean_text     written to out (at most three times the text); returns the size */
size_t clean_prefix(Text text);
size_t clean_text(Text text, char *out);

#endif
