/* world_check.c - parse a document of Tiny World.  See world_check.h.
 *
 * The parser keeps a list of what must still come.  Text must match letter by letter; a bound
 * variable must show its word; an unbound one takes any free word that fits; a rule tries each
 * alternative.  All derivations are found, so the summed probability of the document is exact.
 * With `prefix`, a derivation ends where the bytes end: its possible continuations have
 * probability 1 in total, so the sum is that of all documents which begin like this.
 *
 * A failure is explained at the furthest position that any derivation reached. */
#include "world/rules.h"
#include "world_check.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct Pending {
    const Symbol *at, *end;
    const struct Pending *next;
    const Rule *rule;
} Pending;

typedef struct Checker {
    const World *world;
    const char *bytes;
    size_t size;
    bool prefix;
    double ln_p; /* summed over all derivations found */
    unsigned derivations;
    long steps;
    /* the furthest failure */
    size_t furthest;
    WorldVerdict *verdict;
} Checker;

enum { MAX_STEPS = 4000000 };

static void match(Checker *c, size_t at, const Pending *todo, Memory memory, double nats);

static bool rule_starts(const Rule *rule, const char *word) {
    return rule && text_begins(rule->name, text_of(word));
}

/* The section decides the name of a wrong fact: in an answer or on a card. */
static const char *section_of(const Pending *todo) {
    for (; todo; todo = todo->next) {
        if (rule_starts(todo->rule, "question_turn") ||
            rule_starts(todo->rule, "second_turn") ||
            rule_starts(todo->rule, "plot_question") || rule_starts(todo->rule, "others"))
            return "answer";
        if (rule_starts(todo->rule, "facts")) return "card";
    }
    return NULL;
}

static void note_failure(Checker *c, size_t place, const char *reason, Text wanted,
                         const Pending *todo) {
    if (place < c->furthest ||
        (place == c->furthest && strcmp(reason, "grammar") == 0 && c->verdict->reason[0]))
        return;
    const char *section = section_of(todo);
    WorldVerdict *v = c->verdict;
    c->furthest = place;
    v->place = place;
    snprintf(v->reason, sizeof v->reason, "%s",
             section && strcmp(reason, "grammar") != 0 ? section : reason);
    int shown = c->size - place < 40 ? (int)(c->size - place) : 40;
    snprintf(v->detail, sizeof v->detail, "found '%.*s', wanted '%.*s'%s%s", shown,
             c->bytes + place, (int)(wanted.size < 60 ? wanted.size : 60), wanted.data,
             section ? " in the " : "", section ? section : "");
    for (char *p = v->detail; *p; p++)
        if (*p == '\n' || *p == '\t') *p = ' ';
}

/* How many bytes of `wanted` match at `at`. */
static size_t common(const Checker *c, size_t at, Text wanted) {
    size_t n = 0;
    while (n < wanted.size && at + n < c->size && c->bytes[at + n] == wanted.data[n]) n++;
    return n;
}

/* One more derivation.  ln(p + q) from logarithms: a long document's p underflows. */
static void add_derivation(Checker *c, double nats) {
    double more = fmax(c->ln_p, -nats), less = fmin(c->ln_p, -nats);
    c->derivations++;
    c->ln_p = more + log1p(exp(less - more));
}

static bool cut_short(Checker *c, size_t end, double nats) {
    if (!c->prefix || end != c->size) return false;
    add_derivation(c, nats);
    return true;
}

/* A bound variable shows another word: the reason is its class, or the pronoun. */
static void note_wrong_word(Checker *c, size_t at, const Symbol *symbol, Text wanted,
                            const Pending *todo) {
    const Class *class = &c->world->classes[c->world->variables[symbol->index].class_index];
    char word[128], name[16];
    for (int i = 0; i < class->count; i++) {
        Text other = {word, world_render(c->world, symbol, i, word, sizeof word)};
        if (common(c, at, other) != other.size || text_equal(other, wanted)) continue;
        snprintf(name, sizeof name, "%.*s", (int)class->name.size, class->name.data);
        note_failure(c, at + other.size, symbol->column >= 0 ? "pronoun" : name, wanted, todo);
        c->verdict->place = c->furthest == at + other.size ? at : c->verdict->place;
        return;
    }
    note_failure(c, at + common(c, at, wanted), "grammar", wanted, todo);
}

static void try_words(Checker *c, size_t at, const Symbol *symbol, const Pending *rest,
                      Memory memory, double nats) {
    const Class *class = &c->world->classes[c->world->variables[symbol->index].class_index];
    double total = world_words_weight(c->world, symbol->index, &memory);
    char word[128];
    bool any = false;
    REQUIRE(symbol->column < 0, "a column of a variable that has no word yet");
    for (int i = 0; i < class->count; i++) {
        Text wanted = {word, world_render(c->world, symbol, i, word, sizeof word)};
        size_t same = common(c, at, wanted);
        double cost = log(total / world_word_weight(c->world, symbol->index, i));
        if (same < wanted.size) {
            if (world_word_free(c->world, symbol->index, i, &memory))
                any |= cut_short(c, at + same, nats + cost);
            continue;
        }
        if (!world_word_free(c->world, symbol->index, i, &memory)) continue;
        any = true;
        memory.word[symbol->index] = (short)i;
        match(c, at + wanted.size, rest, memory, nats + cost);
        memory.word[symbol->index] = -1;
    }
    if (!any) note_failure(c, at, "grammar", class->name, rest);
}

static void try_rule(Checker *c, size_t at, const Rule *rule, const Pending *rest,
                     const Memory *memory, double nats) {
    double total = world_weight(c->world, rule, memory);
    for (size_t i = 0; i < rule->count; i++) {
        const Alternative *a = &rule->alternatives[i];
        if (!world_allows(c->world, a, memory)) continue;
        Memory after = *memory;
        after.tags |= a->sets;
        Pending inner = {a->symbols, a->symbols + a->n_symbols, rest, rule};
        match(c, at, &inner, after, nats - log(a->weight / total));
    }
}

/* Match a text or a bound variable at `at`, and advance. */
static bool world_check_take_text(Checker *c, size_t *at, const Symbol *symbol, int bound,
                                  const Pending *rest, double nats) {
    char word[128];
    Text wanted = symbol->text;
    if (symbol->kind == SYMBOL_VAR)
        wanted = (Text){word, world_render(c->world, symbol, bound, word, sizeof word)};
    size_t same = common(c, *at, wanted);
    *at += same;
    if (same == wanted.size) return true;
    if (cut_short(c, *at, nats)) return false;
    if (symbol->kind == SYMBOL_VAR)
        note_wrong_word(c, *at - same, symbol, wanted, rest);
    else
        note_failure(c, *at, "grammar", wanted, rest);
    return false;
}

static void match_end(Checker *c, size_t at, double nats) {
    if (at == c->size)
        add_derivation(c, nats);
    else
        note_failure(c, at, "grammar", text_of("the end"), NULL);
}

static void match(Checker *c, size_t at, const Pending *todo, Memory memory, double nats) {
    if (c->steps++ > MAX_STEPS || cut_short(c, at, nats)) return;
    while (todo && todo->at == todo->end) todo = todo->next;
    if (!todo) {
        match_end(c, at, nats);
        return;
    }
    const Symbol *symbol = todo->at;
    Pending rest = {symbol + 1, todo->end, todo->next, todo->rule};
    int bound = symbol->kind == SYMBOL_VAR ? memory.word[symbol->index] : 0;
    if (symbol->kind == SYMBOL_RULE)
        try_rule(c, at, &c->world->rules[symbol->index], &rest, &memory, nats);
    else if (bound < 0)
        try_words(c, at, symbol, &rest, memory, nats);
    else if (world_check_take_text(c, &at, symbol, bound, &rest, nats))
        match(c, at, &rest, memory, nats);
}

WorldVerdict world_check(const World *world, const char *rule, const char *bytes, size_t size,
                         bool prefix) {
    WorldVerdict verdict = {0};
    Checker c = {.world = world,
                 .bytes = bytes,
                 .size = size,
                 .prefix = prefix,
                 .verdict = &verdict,
                 .ln_p = -INFINITY};
    const Rule *start = world_rule(world, rule);
    REQUIRE(start, "no rule '%s'", rule);
    Symbol symbol = {.kind = SYMBOL_RULE, .index = (int)(start - world->rules), .column = -1};
    Pending todo = {&symbol, &symbol + 1, NULL, NULL};
    match(&c, 0, &todo, world_memory(), 0);
    verdict.derivations = c.derivations;
    verdict.valid = c.derivations > 0 && c.steps <= MAX_STEPS;
    verdict.nats = verdict.valid ? -c.ln_p : INFINITY;
    if (c.steps > MAX_STEPS) {
        snprintf(verdict.reason, sizeof verdict.reason, "ways");
        snprintf(verdict.detail, sizeof verdict.detail, "too many ways to read it");
    }
    return verdict;
}
