/* rule_name.c - the name of the pre-tokenizer rule with given patterns.  See tokenizers.h.
 *
 * The same pattern can be spelled in several ways (\n or the character itself, \p{N} or
 * [\p{N}]).  So two patterns that differ as texts are compared as what they compile to. */
#include "pretokenize/pre.h"
#include "tokenizers.h"

#include <stdlib.h>
#include <string.h>

static bool same_machine(const Pattern *a, const Machine *x, const Machine *y) {
    return x->states == y->states && memcmp(x->start, y->start, sizeof x->start) == 0 &&
           (x->states == 0 ||
            memcmp(x->steps, y->steps, x->states * a->symbols * sizeof *x->steps) == 0);
}

/* The same classes of characters in the same order, and the same table over them. */
static bool same_pattern(const Pattern *a, const Pattern *b) {
    if (a->kinds != b->kinds || a->symbols != b->symbols ||
        memcmp(a->is_word, b->is_word, sizeof a->is_word) != 0)
        return false;
    for (size_t page = 0; page < sizeof a->page / sizeof *a->page; page++)
        if (memcmp(a->cells + (size_t)a->page[page] * 256,
                   b->cells + (size_t)b->page[page] * 256, 256) != 0)
            return false;
    return same_machine(a, &a->machine, &b->machine) && same_machine(a, &a->far, &b->far);
}

/* Null: it is not a pattern that can be compiled. */
static Pattern *compile(Text text) {
    char *source = memchr(text.data, 0, text.size) ? NULL : strndup(text.data, text.size);
    Pattern *pattern = source ? pattern_open(source, &word_notation, NULL) : NULL;
    free(source);
    return pattern;
}

static bool same_text(Text pattern, const char *stage) {
    return text_equal(pattern, text_of(stage));
}

static bool same_when_compiled(Text pattern, const char *stage) {
    if (same_text(pattern, stage)) return true;
    Pattern *ours = compile(text_of(stage)), *theirs = ours ? compile(pattern) : NULL;
    bool same = theirs && same_pattern(ours, theirs);
    if (ours) pattern_close(ours);
    if (theirs) pattern_close(theirs);
    return same;
}

static const char *name_by(bool (*same)(Text pattern, const char *stage), const Text *patterns,
                           size_t count, bool ignore_merges) {
    for (const PreRule *rule = pre_rules; rule->names; rule++) {
        bool all = !rule->encode && rule->ignore_merges == ignore_merges;
        for (size_t s = 0; s < MAX_STAGES && all; s++) {
            const char *stage = rule->stages[s];
            all = s < count ? stage && same(patterns[s], stage) : !stage;
        }
        if (all) return rule->names[0];
    }
    return NULL;
}

const char *tokenizer_rule_name(const Text *patterns, size_t count, bool ignore_merges) {
    if (count > MAX_STAGES) return NULL;
    const char *name = name_by(same_text, patterns, count, ignore_merges);
    return name ? name : name_by(same_when_compiled, patterns, count, ignore_merges);
}
