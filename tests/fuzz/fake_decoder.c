/* fake_decoder.c - decoder.h without a model: the memory is real, what is kept in it is a hash.
 *
 * The key of a position is a hash of its token, of the key before it and of two keys further back, one of them within
 * the window of the layer; the state of a recurrent layer is a hash of the one before it.  The logits are made from
 * them.  So a page that is lost, swapped, written to by another sequence or read too early changes the text from there on. */
#include "families.h"
#include "fake_decoder.h"

#include <math.h>
#include <string.h>

FakeShape fake_shape;

enum { WINDOW = 40 };

static void layout(Session *s, const SessionConfig *c) {
    const KvShape key = {.kv_heads = 1, .key_dim = 1, .value_dim = 1};
    KvShape shapes[3] = {key, key, {.state = 1}};
    shapes[1].window = WINDOW;
    KvConfig config = {.shapes = shapes,
                       .layers = fake_shape.recurrent  ? 3
                                 : fake_shape.windowed ? 2
                                                       : 1,
                       .sequences = c->sequences,
                       .ctx = c->ctx,
                       .batch = c->max_tokens,
                       .budget = c->pages,
                       .prefixes = c->prefixes,
                       .rewind = c->rewind ? c->rewind : 1};
    s->max_tokens = c->max_tokens, s->max_logits = c->max_logits;
    kv_init(&s->kv, &config, &s->arena), prefix_init(&s->kv, &s->arena);
    s->logits = arena_take(&s->arena, c->max_logits * s->model->sizes.vocab, sizeof(float));
}

bool session_open(Session *s, const Model *model, Pool *pool, SessionConfig config,
                  Fault *fault) {
    *s = (Session){.model = model, .pool = pool};
    arena_measure(&s->arena), layout(s, &config);
    if (!arena_init(&s->arena, s->arena.used, fault)) return false;
    return layout(s, &config), true;
}

void session_close(Session *s) {
    arena_free(&s->arena);
    *s = (Session){0};
}

bool session_can_shift(const Session *s, Fault *fault) {
    return !s->kv.snapshots || fault_set(fault, "a state forgets nothing");
}
bool session_shift(Session *s, size_t sequence, size_t keep, size_t gone) {
    return shift_pages(&s->kv, sequence, keep, gone);
}

/* ------------------------------------------------------------------ a forward pass */

static uint64_t key_at(const KvCache *kv, size_t layer, size_t sequence, size_t position) {
    float key;
    kv_read_key(kv, (KvHead){layer, sequence, 0}, position, &key);
    return (uint64_t)key;
}

/* 24 bits: a float holds them as they are. */
static float number_of(uint64_t hash) { return (float)(hash & 0xffffff); }

static void keep_key(KvCache *kv, size_t layer, size_t sequence, size_t p, int32_t token) {
    size_t back = kv->shape[layer].window ? WINDOW - 1 : p / 3 + 1,
           from = p > back ? p - back : 0;
    uint64_t hash = rng_hash((uint64_t)token, layer, p == 0);
    if (p > 0)
        hash = rng_hash(hash, key_at(kv, layer, sequence, p - 1),
                        key_at(kv, layer, sequence, from) * 2 + (from == 0));
    const float key = number_of(hash), value = 0;
    kv_store(kv, layer, sequence, p, &key, &value);
}

static void keep_state(const KvCache *kv, size_t layer, size_t sequence, size_t p,
                       int32_t token) {
    const float *before = kv_state(kv, layer, sequence, p);
    uint64_t hash = rng_hash((uint64_t)token, before ? (uint64_t)*before : 1, layer);
    *kv_state(kv, layer, sequence, p + 1) = number_of(hash);
}

static uint64_t read_token(KvCache *kv, size_t sequence, size_t p, int32_t token) {
    uint64_t all = 0;
    for (size_t l = 0; l < kv->config.layers; l++) {
        if (kv->shape[l].state)
            keep_state(kv, l, sequence, p, token);
        else
            keep_key(kv, l, sequence, p, token);
        all = rng_hash(all,
                       kv->shape[l].state ? (uint64_t)*kv_state(kv, l, sequence, p + 1)
                                          : key_at(kv, l, sequence, p),
                       l);
    }
    return all;
}

/* A few tokens are likely, so that texts meet again and drafts are right at times. */
static void say(const Session *s, uint64_t hash, float *logits) {
    const size_t vocab = s->model->sizes.vocab;
    for (size_t i = 0; i < vocab; i++) logits[i] = -30;
    for (uint64_t i = 0; i < 6; i++)
        logits[97 + (hash >> (4 * i)) % 8] += (float)(24 + 2 * (hash >> (24 + i) & 3));
}

static bool take_room(Session *s, const Batch *b, Fault *fault) {
    for (size_t i = 0; i < b->count; i++) kv_slide(&s->kv, (size_t)b->sequence[i]);
    for (size_t i = 0; i < b->count; i++) {
        size_t sequence = (size_t)b->sequence[i], p = (size_t)b->position[i];
        REQUIRE(p == s->kv.length[sequence], "sequence %zu goes on at %zu, not at %zu",
                sequence, s->kv.length[sequence], p);
        if (!kv_extend(&s->kv, sequence, p + 1))
            return fault_set(fault, "the engine promised pages that are not there");
        if (b->wanted[i]) state_keep(&s->kv, sequence);
    }
    return true;
}

bool session_forward(Session *s, const Batch *b, Fault *fault) {
    float *row = s->logits;
    REQUIRE(b->count <= s->max_tokens, "%zu tokens", b->count);
    if (!take_room(s, b, fault)) return false;
    s->stopped = s->is_wanted && !s->is_wanted(s->context);
    for (size_t i = b->count; s->stopped && i-- > 0;)
        kv_truncate(&s->kv, (size_t)b->sequence[i], (size_t)b->position[i]);
    if (s->stopped) return fault_set(fault, "cancelled");
    for (size_t i = 0; i < b->count; i++) {
        uint64_t hash =
            read_token(&s->kv, (size_t)b->sequence[i], (size_t)b->position[i], b->token[i]);
        if (b->wanted[i]) say(s, hash, row), row += s->model->sizes.vocab;
    }
    REQUIRE((size_t)(row - s->logits) <= s->max_logits * s->model->sizes.vocab,
            "too many rows");
    return true;
}

/* Declared, linked, and never called by a service. */
void session_plan(const Model *model, SessionConfig config, size_t *cache, size_t *work) {
    REQUIRE(!model && !config.ctx && !cache && !work, "the fake decoder has no plan");
}
void session_tap(Session *s, const size_t *layers, size_t count, float *rows) {
    (void)s; /* an engine that closes says that it wants none */
    REQUIRE(!layers && !count && !rows, "the fake decoder has no layers to tap");
}
bool session_eval(Session *s, const int32_t *tokens, size_t count, bool all, Fault *fault) {
    REQUIRE(!s && !tokens && !count && !all && !fault, "the fake decoder has no short cut");
    return false;
}
