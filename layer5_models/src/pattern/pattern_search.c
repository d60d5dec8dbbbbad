/* pattern_search.c - searching a text with a pattern's table.  See pattern.h. */
#include "pattern.h"
#include "unicode.h"

#include <stdlib.h>
#include <string.h>

/* The class of the character at `at` < size, and its bytes; an invalid byte is U+FFFD. */
static size_t kind_at(const Pattern *p, Text text, size_t at, size_t *taken) {
    unsigned char first = (unsigned char)text.data[at];
    if (first < 128) return *taken = 1, p->ascii[first];
    uint32_t code = utf8_decode(text.data + at, text.size - at, taken);
    return p->cells[(size_t)p->page[code >> 8] * 256 + (code & 255)];
}

static size_t symbol_at(const Search *s, size_t at, size_t *taken) {
    const Pattern *p = s->pattern;
    size_t kind = at < s->text.size ? kind_at(p, s->text, at, taken) : p->kinds;
    return p->far.states && s->looks[at] ? kind + p->kinds + 1 : kind;
}

/* ------------------------------------------------------------------ looking far */

/* For each character: does what follows match the lookahead?  Walked from the right: a
 * state of its machine has the answer of the next state, one character on. */
static void look_far(Search *s, bool *now, bool *after) {
    const Pattern *p = s->pattern;
    const Machine *far = &p->far;
    size_t taken, symbols = p->kinds + 1, before = s->text.size;
    memset(s->looks, 0, s->text.size + 1);
    for (size_t at = 0; at < s->text.size; at += taken)
        kind_at(p, s->text, at, &taken), s->looks[at] = true; /* a character begins */
    for (size_t at = s->text.size; before != SIZE_MAX; at = before) {
        size_t kind = at < s->text.size ? kind_at(p, s->text, at, &taken) : p->kinds;
        for (size_t state = 1; state < far->states; state++) {
            TableStep step = far->steps[state * symbols + kind];
            now[state] = step.match || after[step.next];
        }
        for (before = at - 1; before != SIZE_MAX && !s->looks[before];) before--;
        bool word = before != SIZE_MAX && p->is_word[kind_at(p, s->text, before, &taken)];
        s->looks[at] = now[far->start[word]];
        bool *swap = now;
        now = after, after = swap;
    }
}

static bool answer_looks(Search *s, Fault *fault) {
    bool *answers = calloc(2 * s->pattern->far.states, sizeof *answers);
    if (s->looks_room < s->text.size + 1) {
        free(s->looks);
        s->looks_room = s->text.size + 1;
        s->looks = malloc(s->looks_room * sizeof *s->looks);
    }
    if (!answers || !s->looks) {
        free(answers), free(s->looks);
        s->looks = NULL, s->looks_room = 0;
        return fault_set(fault, "no memory to split a text of %zu bytes", s->text.size);
    }
    look_far(s, answers, answers + s->pattern->far.states);
    free(answers);
    return true;
}

bool search_begin(Search *search, const Pattern *pattern, Text text, Fault *fault) {
    search->pattern = pattern;
    search->text = text;
    search->barren_from = search->barren_to = 0;
    return !pattern->far.states || answer_looks(search, fault);
}

void search_free(Search *search) {
    free(search->looks), free(search->barren);
    *search = (Search){0};
}

/* ------------------------------------------------------------------ the search */

/* Remember the states from `at` to `end`, where nothing matched.  A match may end at `at`
 * itself, so that position is checked again.  Short runs are not worth it; without memory the
 * search is only slower. */
static void remember_barren(Search *s, size_t at, size_t end, uint16_t state) {
    const Pattern *p = s->pattern;
    size_t taken;
    if (s->barren_room < end - at) {
        free(s->barren);
        s->barren = malloc((end - at) * sizeof *s->barren);
        s->barren_room = s->barren ? end - at : 0;
        if (!s->barren) {
            s->barren_to = 0;
            return;
        }
    }
    s->barren_from = at, s->barren_to = end;
    while (at < end) {
        s->barren[at - s->barren_from] = state;
        size_t symbol = symbol_at(s, at, &taken);
        for (size_t i = 1; i < taken; i++) s->barren[at + i - s->barren_from] = 0;
        at += taken;
        state = p->machine.steps[state * p->symbols + symbol].next;
    }
    s->barren[0] = 0;
}

static bool is_barren(const Search *s, size_t at, uint16_t state) {
    return at >= s->barren_from && s->barren[at - s->barren_from] == state;
}

/* The match that begins at `start`. */
static bool match_at(Search *s, size_t start, Match *match) {
    const Pattern *p = s->pattern;
    const TableStep *steps = p->machine.steps;
    uint16_t state = p->machine.start[0], matched = 0, state_there = state;
    size_t at = start, taken = 0;
    match->start = match->end = start;
    while (state && !(at < s->barren_to && is_barren(s, at, state))) {
        TableStep step = steps[state * p->symbols + symbol_at(s, at, &taken)];
        if (step.match) match->end = at, matched = step.match, state_there = state;
        if (at == s->text.size) break;
        state = step.next;
        at += taken;
    }
    if (at - match->end >= 64) remember_barren(s, match->end, at, state_there);
    match->alternative = matched - 1;
    return matched > 0;
}

size_t search_step(const Search *s, size_t at) {
    size_t taken = 0; /* at the end of the text */
    symbol_at(s, at, &taken);
    return at + taken;
}

bool search_next(Search *s, size_t from, Match *match) {
    const bool *skips = s->pattern->skips;
    for (size_t at = from;; at = search_step(s, at)) {
        while (at < s->text.size && (s->text.data[at] & 0x80) == 0 &&
               skips[(unsigned char)s->text.data[at]])
            at++;
        if (match_at(s, at, match)) return true;
        if (at == s->text.size) return false;
    }
}
