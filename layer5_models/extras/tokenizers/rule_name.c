/* rule_name.c - the name of the pre-tokenizer rule with given patterns.  See tokenizers.h. */
#include "pretokenize/pre.h"
#include "tokenizers.h"

const char *tokenizer_rule_name(const Text *patterns, size_t count, bool ignore_merges) {
    for (const PreRule *rule = pre_rules; rule->names; rule++) {
        bool same = !rule->encode && rule->ignore_merges == ignore_merges;
        for (size_t s = 0; s < MAX_STAGES && same; s++) {
            const char *stage = rule->stages[s];
            same = s < count ? stage && text_equal(patterns[s], text_of(stage)) : !stage;
        }
        if (same && count <= MAX_STAGES) return rule->names[0];
    }
    return NULL;
}
