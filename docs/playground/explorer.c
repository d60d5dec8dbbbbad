/* explorer.c - a look inside the storyteller, for a page: two sides, each a text evaluated with
 * interventions.
 *
 *     activation_begin(side, text, seed)           evaluate a text; three strings, each with a NUL:
 *                                             prompt, interventions (interventions.h), chain
 *     activation_patch(side, layer, position)      the same with the other side's stream patched in;
 *                                             layer -1: without
 *     activation_step(side)                        the chain chooses a token, the model evaluates it
 *     activation_back(side)                        remove the last token
 *     activation_sizes(side), activation_tokens(side)   layers, heads, ...; a row for each token: CSV
 *     activation_row(side, layer, head, position)  attention: position + 1 weights
 *     activation_neurons_of(side, layer, position) the feed-forward's numbers
 *     activation_numbers(side, place, position)    the stream's numbers
 *     activation_size_of(side, place, position)    and their root mean square
 *     activation_words(side, place, position)      logit lens: the likeliest tokens there, CSV
 *     activation_chain(side, position)             what the chain does with the logits there, as CSV
 *
 * Invariant: every number comes from activation_cache.h, which records it in the forward pass
 * itself. */
#include "playground.h"

#include <stdlib.h>
#include <string.h>

enum { SIDES = 2, CTX = 192, WORDS = 5, ROWS = 8 };

typedef struct Side {
    Session session;
    ActivationCache cache;
    TokenList tokens;
    size_t prompt;
    Interventions acts;
    char chain[400];
    uint64_t seed;
} Side;

static Side sides[SIDES];
static Candidates candidates;
static Arena arena;
static float *copy;
static Fault fault;

static bool open_side(Side *s) {
    SessionConfig config = {.ctx = CTX,
                            .sequences = 1,
                            .max_tokens = CTX,
                            .max_logits = 1,
                            .kv = {DTYPE_F16, false}};
    const Model *m = play_model();
    if (s->session.model) return true;
    if (!copy && (!(copy = malloc(m->sizes.vocab * sizeof *copy)) ||
                  !candidates_open(&candidates, m->sizes.vocab, &arena, &fault)))
        return false;
    return session_open(&s->session, m, NULL, config, &fault) &&
           activation_open(&s->cache, &s->session, CTX, &fault);
}

static bool check_chain(const char *text) {
    Chain chain;
    if (!chain_parse(&chain, text, play_model()->tokenizer, &fault)) return false;
    chain_close(&chain);
    return strlen(text) < sizeof sides->chain ||
           fault_set(&fault, "the chain is too long: %zu characters", strlen(text));
}

/* Evaluate all tokens of the side again. */
static const char *read_again(Side *s) {
    if (s->tokens.count > CTX)
        return fault_set(
                   &fault,
                   "The text has %zu tokens, and the explorer can look at %d. Shorten it.",
                   s->tokens.count, CTX),
               text_fault(&fault);
    if (!activation_watch(&s->cache, s->acts.acts, s->acts.count, &fault) ||
        !session_eval(&s->session, s->tokens.ids, s->tokens.count, false, &fault))
        return text_fault(&fault);
    return NULL;
}

const char *EXPORT(activation_begin)(unsigned side, const char *prompt, unsigned seed) {
    Side *s = &sides[side % SIDES];
    const Tokenizer *t = play_model()->tokenizer;
    const char *acts = prompt + strlen(prompt) + 1, *chain = acts + strlen(acts) + 1;
    if (!open_side(s) || !interventions_read(&s->acts, acts, &fault) || !check_chain(chain))
        return text_fault(&fault);
    strcpy(s->chain, chain);
    s->seed = seed, s->tokens.count = 0;
    tokenizer_begin(t, &s->tokens);
    if (!tokenizer_encode(t, text_of(prompt), false, &s->tokens, &fault))
        return text_fault(&fault);
    s->prompt = s->tokens.count;
    return read_again(s);
}

const char *EXPORT(activation_patch)(unsigned side, int layer, unsigned position) {
    Side *s = &sides[side % SIDES];
    const Side *other = &sides[(side + 1) % SIDES];
    if (s->acts.count && s->acts.acts[s->acts.count - 1].kind == ACT_PATCH) s->acts.count--;
    if (layer >= 0) {
        if (!other->session.model || position >= other->tokens.count ||
            position >= s->tokens.count || (size_t)layer >= s->cache.layers ||
            s->acts.count == INTERVENTIONS)
            return fault_set(&fault, "no stream to patch in at layer %d, token %u", layer,
                             position),
                   text_fault(&fault);
        s->acts.acts[s->acts.count++] =
            (Act){.kind = ACT_PATCH,
                  .layer = (size_t)layer,
                  .index = position,
                  .row = activation_stream(&other->cache, 2 * (size_t)layer + 2, position)};
    }
    return read_again(s);
}

/* ------------------------------------------------------------------ the next token */

/* The chain, as if it began here, on the logits after a position; -1: it failed. */
static int32_t choose(Side *s, size_t position, FILE *out) {
    const Model *m = play_model();
    Chain chain;
    Trace trace = {0};
    int32_t chosen = -1;
    Step step = {.seed = s->seed,
                 .position = position + 1,
                 .history = s->tokens.ids,
                 .history_count = position + 1,
                 .prompt_count = s->prompt < position + 1 ? s->prompt : position + 1,
                 .tokenizer = m->tokenizer};
    session_lens(&s->session, activation_stream(&s->cache, 2 * s->cache.layers, position));
    memcpy(copy, s->session.logits, m->sizes.vocab * sizeof *copy);
    if (!chain_parse(&chain, s->chain, m->tokenizer, &fault)) return -1;
    bool ok = chain_check(&chain, &step, &fault) &&
              (!out || trace_open(&trace, out, m->sizes.vocab, m->tokenizer, &fault));
    if (ok && out) trace.max_rows = ROWS, trace_observe(&trace, &chain);
    ok = ok && candidates_load(&candidates, copy, &fault) &&
         chain_run(&chain, &candidates, &step, &chosen, &fault);
    trace_close(&trace);
    chain_close(&chain);
    return ok ? chosen : -1;
}

const char *EXPORT(activation_chain)(unsigned side, unsigned position) {
    FILE *out = text_begin();
    int32_t chosen = choose(&sides[side % SIDES], position, out);
    const char *text = text_end(out);
    return chosen < 0 ? text_fault(&fault) : text;
}

/* The token that the chain chooses after a position. */
int32_t EXPORT(activation_chosen)(unsigned side, unsigned position) {
    return choose(&sides[side % SIDES], position, NULL);
}

const char *EXPORT(activation_step)(unsigned side) {
    Side *s = &sides[side % SIDES];
    int32_t token = choose(s, s->tokens.count - 1, NULL);
    if (token < 0) return text_fault(&fault);
    if (tokenizer_is_end(play_model()->tokenizer, token)) return "The story has ended.";
    if (s->tokens.count == CTX) {
        fault_set(&fault, "The text has %d tokens, the most that the explorer can look at.",
                  CTX);
        return text_fault(&fault);
    }
    token_list_add(&s->tokens, token);
    return session_eval(&s->session, &token, 1, false, &fault) ? NULL : text_fault(&fault);
}

const char *EXPORT(activation_back)(unsigned side) {
    Side *s = &sides[side % SIDES];
    if (s->tokens.count <= s->prompt) return NULL;
    session_rewind(&s->session, 0, --s->tokens.count);
    return NULL;
}

/* ------------------------------------------------------------------ what the page draws */

const char *EXPORT(activation_sizes)(unsigned side) {
    const ActivationCache *g = &sides[side % SIDES].cache;
    FILE *out = text_begin();
    fprintf(out, "layers,heads,hidden,dim,places,page,prompt\n%zu,%zu,%zu,%zu,%zu,%d,%zu\n",
            g->layers, g->heads, g->hidden, g->dim, activation_places(g), KV_PAGE,
            sides[side % SIDES].prompt);
    return text_end(out);
}

static void put_word(FILE *out, int32_t token) {
    text_cell(out, tokenizer_piece(play_model()->tokenizer, token, true));
    fputc('\n', out);
}

const char *EXPORT(activation_tokens)(unsigned side) {
    const Side *s = &sides[side % SIDES];
    FILE *out = text_begin();
    fprintf(out, "token,text\n");
    for (size_t i = 0; i < s->tokens.count; i++) {
        fprintf(out, "%d,", s->tokens.ids[i]);
        put_word(out, s->tokens.ids[i]);
    }
    return text_end(out);
}

const float *EXPORT(activation_row)(unsigned side, unsigned layer, unsigned head,
                                    unsigned position) {
    return activation_weights(&sides[side % SIDES].cache, layer, head, position);
}

const float *EXPORT(activation_neurons_of)(unsigned side, unsigned layer, unsigned position) {
    return activation_neurons(&sides[side % SIDES].cache, layer, position);
}

const float *EXPORT(activation_numbers)(unsigned side, unsigned place, unsigned position) {
    return activation_stream(&sides[side % SIDES].cache, place, position);
}

float EXPORT(activation_size_of)(unsigned side, unsigned place, unsigned position) {
    return activation_size(&sides[side % SIDES].cache, place, position);
}

const char *EXPORT(activation_words)(unsigned side, unsigned place, unsigned position) {
    ActivationCache *g = &sides[side % SIDES].cache;
    const size_t vocab = play_model()->sizes.vocab;
    FILE *out = text_begin();
    activation_lens(g, place, position);
    fprintf(out, "token,probability,text\n");
    for (int rank = 0; rank < WORDS; rank++) {
        size_t best = 0;
        for (size_t i = 1; i < vocab; i++)
            if (g->shares[i] > g->shares[best]) best = i;
        fprintf(out, "%zu,%.9g,", best, (double)g->shares[best]);
        put_word(out, (int32_t)best);
        g->shares[best] = -1;
    }
    return text_end(out);
}
