/* pre.c - cutting text into words: a rule's patterns, one stage after the other.
 *
 *   "Call 555-0123!"
 *   stage 1, [0-9]+:      Call_ 555 - 0123 !     what matches, and what is between
 *   stage 2, [A-Za-z]+:   Call _ 555 - 0123 !    the same on each piece of that
 *
 * A stage holds one piece of the previous stage, and asks for the next one when it has emitted
 * all of it. */
#include "pre.h"

#include <string.h>

const PreRule *pre_rule_by_name(Text name) {
    for (const PreRule *rule = pre_rules; rule->names; rule++)
        for (const char *const *known = rule->names; *known; known++)
            if (text_equal(name, text_of(*known))) return rule;
    return NULL;
}

/* ------------------------------------------------------------------ splitting */

bool splitter_open(Splitter *splitter, const char *const *stages, const RegexNotation *notation,
                   Fault *fault) {
    *splitter = (Splitter){0};
    for (size_t i = 0; i < MAX_STAGES && stages[i]; i++) {
        Pattern *pattern = pattern_open(stages[i], notation, fault);
        if (!pattern) return splitter_close(splitter), false;
        splitter->stages[splitter->count++] = pattern;
    }
    return true;
}

void splitter_close(Splitter *splitter) {
    for (size_t i = 0; i < splitter->count; i++) pattern_close(splitter->stages[i]);
    *splitter = (Splitter){0};
}

void pre_begin(PreTokenizer *pre, const Splitter *splitter, Text text) {
    pre->splitter = splitter;
    pre->begun = false;
    for (size_t i = 0; i < MAX_STAGES; i++) {
        pre->stages[i].at = 0;
        pre->stages[i].ahead = false;
        pre->stages[i].search.text = (Text){text.data, i == 0 ? text.size : 0};
    }
}

void pre_free(PreTokenizer *pre) {
    for (size_t i = 0; i < MAX_STAGES; i++) search_free(&pre->stages[i].search);
}

/* The next match from `at` on.  An empty one only cuts, if there is text before it. */
static bool find_match(Search *search, size_t at, Match *match) {
    for (size_t from = at; search_next(search, from, match);) {
        if (match->end > match->start || match->start > at) return true;
        from = search_step(search, match->start);
    }
    return false;
}

static Cut next_piece(PreTokenizer *c, size_t stage) {
    PreStage *s = &c->stages[stage];
    const Text text = s->search.text;
    const Match *match = &s->match;
    size_t at = s->at, end = text.size;
    bool found = s->ahead || find_match(&s->search, at, &s->match);
    s->ahead = false;
    if (found && match->start > at)
        end = match->start, s->ahead = match->end > match->start, found = false;
    else if (found)
        end = match->end;
    s->at = end;
    return (Cut){{text.data + at, end - at}, stage, found ? match->alternative : -1};
}

static bool pre_begin_stage(PreTokenizer *c, size_t stage, Text text, Fault *fault) {
    c->stages[stage].at = 0;
    return search_begin(&c->stages[stage].search, c->splitter->stages[stage], text, fault);
}

bool pre_next(PreTokenizer *c, Cut *cut, bool *end, Fault *fault) {
    size_t last = c->splitter->count - 1, stage = last;
    *end = false;
    if (!c->begun) {
        c->begun = true;
        if (!pre_begin_stage(c, 0, c->stages[0].search.text, fault)) return false;
    }
    while (c->stages[stage].at == c->stages[stage].search.text.size) {
        if (stage == 0) return *end = true;
        stage--;
    }
    *cut = next_piece(c, stage);
    while (stage < last) {
        Cut whole = *cut;
        if (!pre_begin_stage(c, ++stage, whole.word, fault)) return false;
        *cut = next_piece(c, stage);
        bool same = cut->word.size == whole.word.size;
        if (same && (whole.alternative >= 0 || cut->alternative < 0)) *cut = whole;
    }
    return true;
}
