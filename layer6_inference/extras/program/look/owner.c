/* owner.c - whose hat?  Which heads carry an owner's name to where it is needed.
 *
 *     ... a lazy puppy named Daisy. ... Then Casper the heron came by.
 *                            ^^^^^ owner     ^^^^^^ friend
 *     "I lost my red hat," said ____
 *
 * The world knows whose it is.  Over many held-out stories: how much of each head's
 * attention goes from `said` to the owner's name, to the friend's, and to the full stop that
 * ends the owner's first sentence; and from that full stop back to the owner's name.  How
 * likely the owner's name and the friend's are with each head removed; and how likely the
 * owner's is when the head is the only one of its layer that is not.  See look.h. */
#include "look.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST = 256, CORPUS = 2 /* held out */ };

/* A story up to the position where the owner's name is needed. */
typedef struct Case {
    TokenList tokens;
    int32_t owner, friend;      /* the first tokens of their names */
    bool *of_owner, *of_friend; /* (tokens.count) parts of a mention */
    size_t mark;                /* the token that ends the owner's first sentence */
} Case;

/* Sums over the stories of one head, or of none. */
typedef struct Sums {
    double to_owner, to_friend, to_mark, back; /* attention; back: from the mark to the name */
    double owner, friend, alone;               /* probabilities */
    size_t right;                              /* the owner is likelier than the friend */
} Sums;

static Text word_at(const char *at) {
    return (Text){at, strspn(at, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")};
}

/* The name after a phrase, from an offset on; "": none. */
static Text name_after(const char *from, const char *phrase) {
    const char *at = from ? strstr(from, phrase) : NULL;
    return at ? word_at(at + strlen(phrase)) : (Text){"", 0};
}

static bool first_token(const Tokenizer *t, Text name, int32_t *token, Fault *fault) {
    char spaced[64];
    TokenList list = {0};
    int size = snprintf(spaced, sizeof spaced, " %.*s", (int)name.size, name.data);
    bool ok = tokenizer_encode(t, (Text){spaced, (size_t)size}, false, &list, fault);
    if (ok) *token = list.ids[0];
    token_list_free(&list);
    return ok;
}

/* Tokens that begin inside a mention of the name. */
static void mark_mentions(const Tokenizer *t, const TokenList *tokens, Text story, Text name,
                          bool *marks) {
    size_t at = 0;
    for (size_t i = 0; i < tokens->count; i++) {
        size_t size = tokenizer_piece(t, tokens->ids[i], false).size;
        marks[i] = false;
        for (size_t k = at; k < at + size && !marks[i]; k++)
            for (size_t back = 0; back < name.size && back <= k; back++)
                if (k - back + name.size <= story.size &&
                    memcmp(story.data + k - back, name.data, name.size) == 0)
                    marks[i] = true;
        at += size;
    }
}

/* The full stop that ends the first sentence with the owner's name; 0: there is none. */
static size_t first_mark(const Tokenizer *t, const Case *c) {
    bool named = false;
    for (size_t i = 0; i < c->tokens.count; i++) {
        Text piece = tokenizer_piece(t, c->tokens.ids[i], false);
        named = named || c->of_owner[i];
        if (named && piece.size == 1 && *piece.data == '.') return i;
    }
    return 0;
}

static void case_free(Case *c) {
    token_list_free(&c->tokens);
    free(c->of_owner), free(c->of_friend);
    *c = (Case){0};
}

/* False, without a fault, when the story has no such place. */
static bool case_read(Case *c, const Tokenizer *t, const char *story, Fault *fault) {
    const char *lost = strstr(story, "\"I lost my "),
               *said = lost ? strstr(lost, ",\" said ") : NULL;
    Text owner = name_after(lost, ",\" said "), friend = name_after(story, "asked ");
    *c = (Case){0}, *fault->text = 0;
    if (!owner.size || !friend.size || friend.data > lost || text_equal(owner, friend))
        return false;
    Text before = {story, (size_t)(said - story) + strlen(",\" said")};
    tokenizer_begin(t, &c->tokens);
    if (!tokenizer_encode(t, before, false, &c->tokens, fault) ||
        !first_token(t, owner, &c->owner, fault) || !first_token(t, friend, &c->friend, fault))
        return false;
    c->of_owner = calloc(c->tokens.count, sizeof(bool));
    c->of_friend = calloc(c->tokens.count, sizeof(bool));
    if (!c->of_owner || !c->of_friend) return fault_set(fault, "no memory for a story");
    mark_mentions(t, &c->tokens, before, owner, c->of_owner);
    mark_mentions(t, &c->tokens, before, friend, c->of_friend);
    c->mark = first_mark(t, c);
    return c->mark && c->owner != c->friend && c->tokens.count <= LONGEST;
}

/* ------------------------------------------------------------------ measuring */

static void add_shares(ActivationCache *g, const Case *c, Sums *sums) {
    const float *shares = activation_lens(g, 2 * g->layers, c->tokens.count - 1);
    sums->owner += (double)shares[c->owner], sums->friend += (double)shares[c->friend];
    sums->right += shares[c->owner] > shares[c->friend];
}

static void add_weights(const ActivationCache *g, const Case *c, size_t layer, size_t head,
                        Sums *sums) {
    const float *row = activation_weights(g, layer, head, c->tokens.count - 1);
    for (size_t i = 0; i < c->tokens.count; i++) {
        sums->to_owner += c->of_owner[i] ? (double)row[i] : 0;
        sums->to_friend += c->of_friend[i] ? (double)row[i] : 0;
    }
    sums->to_mark += (double)row[c->mark];
    row = activation_weights(g, layer, head, c->mark);
    for (size_t i = 0; i <= c->mark; i++) sums->back += c->of_owner[i] ? (double)row[i] : 0;
}

static bool read_case(ActivationCache *g, const Case *c, const Act *acts, size_t count,
                      Fault *fault) {
    return activation_watch(g, acts, count, fault) &&
           session_eval(g->session, c->tokens.ids, c->tokens.count, false, fault);
}

/* The owner's probability when of a layer's heads only one speaks. */
static bool add_alone(ActivationCache *g, const Case *c, size_t layer, size_t head, Sums *sums,
                      Fault *fault) {
    Interventions silent = {.count = 0};
    for (size_t h = 0; h < g->heads && silent.count < INTERVENTIONS; h++)
        if (h != head)
            silent.acts[silent.count++] = (Act){.kind = ACT_HEAD, .layer = layer, .index = h};
    if (!read_case(g, c, silent.acts, silent.count, fault)) return false;
    sums->alone += (double)activation_lens(g, 2 * g->layers, c->tokens.count - 1)[c->owner];
    return true;
}

/* sums[0]: nothing is silent; sums[1 + layer * heads + head] */
static bool owner_measure(ActivationCache *g, const Case *c, Sums *sums, Fault *fault) {
    if (!read_case(g, c, NULL, 0, fault)) return false;
    add_shares(g, c, sums);
    for (size_t i = 0; i < g->layers * g->heads; i++)
        add_weights(g, c, i / g->heads, i % g->heads, &sums[1 + i]);
    for (size_t i = 0; i < g->layers * g->heads; i++) {
        const Act silence = {.kind = ACT_HEAD, .layer = i / g->heads, .index = i % g->heads};
        if (!read_case(g, c, &silence, 1, fault)) return false;
        add_shares(g, c, &sums[1 + i]);
        if (!add_alone(g, c, silence.layer, silence.index, &sums[1 + i], fault)) return false;
    }
    return true;
}

static void owner_print_row(const LookJob *job, const char *head, const Sums *s, double n) {
    printf(job->csv ? "%s,%.0f,%.6f,%.6f,%.6f,%.6f,%.6f,%.6f,%.6f,%.6f\n"
                    : "%5s %6.0f  %6.3f %6.3f %6.3f %8.3f   %6.3f %6.3f %6.3f   %6.3f\n",
           head, n, s->to_owner / n, s->to_friend / n, s->to_mark / n, s->back / n,
           s->owner / n, s->friend / n, (double)s->right / n, s->alone / n);
}

static void owner_print_all(const LookJob *job, const ActivationCache *g, const Sums *sums,
                            double n) {
    printf(
        job->csv
            ? "layer,head,stories,to_owner,to_friend,to_mark,back,owner,friend,right,alone\n"
            : "              attention of `said` to   mark to   with it silent:       alone:\n"
              "%5s %6s  %6s %6s %6s %8s   %6s %6s %6s   %6s\n",
        "head", "texts", "owner", "friend", "mark", "owner", "owner", "friend", "right",
        "owner");
    owner_print_row(job, job->csv ? "none,none" : "none", &sums[0], n);
    for (size_t i = 0; i < g->layers * g->heads; i++) {
        char head[24];
        snprintf(head, sizeof head, job->csv ? "%zu,%zu" : "%zu.%zu", i / g->heads,
                 i % g->heads);
        owner_print_row(job, head, &sums[1 + i], n);
    }
}

static bool owner_measure_all(ActivationCache *g, const LookJob *job, const World *world,
                              Sums *sums, Fault *fault) {
    const Tokenizer *t = g->session->model->tokenizer;
    WorldText text = {0};
    Case c = {0};
    Progress progress;
    long found = 0;
    bool ok = true;
    progress_start(&progress, "stories", "stories", (double)job->documents);
    for (uint64_t i = 0; ok && found < job->documents; i++) {
        world_write(world, "tale", CORPUS, i, &text);
        bool usable = case_read(&c, t, text.bytes, fault);
        ok = usable || !*fault->text;
        if (usable) ok = owner_measure(g, &c, sums, fault), found++;
        case_free(&c);
        progress_show(&progress, (double)found);
    }
    progress_end(&progress, (double)found);
    world_text_free(&text);
    return ok;
}

bool look_owner(LoadedModel *m, const LookJob *job, Fault *fault) {
    ActivationCache cache = {0};
    World *world = NULL;
    Sums *sums = NULL;
    bool ok = loaded_open_session(m, &job->compute, LONGEST, 1, fault) &&
              activation_open(&cache, &m->session, LONGEST, fault) &&
              (world = world_open(fault)) != NULL;
    if (ok && !(sums = calloc(1 + cache.layers * cache.heads, sizeof *sums)))
        ok = fault_set(fault, "no memory for the heads");
    ok = ok && owner_measure_all(&cache, job, world, sums, fault);
    if (ok) owner_print_all(job, &cache, sums, (double)job->documents);
    free(sums), world_close(world), activation_close(&cache);
    return ok;
}
