/* lexicon.c - see lexicon.h. */
#include "lexicon.h"
#include "fault_try.h"
#include "gbnf.h"
#include "shared.h"
#include "tokenizers.h"

#include <stdlib.h>
#include <string.h>

static bool find_ends(Lexicon *l) {
    l->ends = malloc((l->vocab + 1) * sizeof *l->ends);
    for (size_t id = 0; l->ends && id < l->vocab; id++)
        if (tokenizer_is_end(l->tokenizer, (int32_t)id)) l->ends[l->n_ends++] = (int32_t)id;
    return l->ends != NULL;
}

static void close_loop(Loop *loop) {
    for (uint32_t i = 0; loop->level && i <= loop->most; i++) free(loop->level[i]);
    trie_close(&loop->rest);
    free(loop->key), free(loop->begun), free(loop->level), free(loop);
}

static void lexicon_close(void *object) {
    Lexicon *l = object;
    while (l->shared) {
        SharedGrammar *next = l->shared->next;
        shared_forget(l->shared);
        l->shared = next;
    }
    while (l->loops) {
        Loop *next = l->loops->next;
        close_loop(l->loops);
        l->loops = next;
    }
    slices_free(l->slices);
    trie_close(&l->trie);
    pthread_mutex_destroy(&l->lock), pthread_mutex_destroy(&l->shared_lock);
    free(l->ends), free(l);
}

static void *lexicon_open(const Tokenizer *tokenizer, Fault *fault) {
    Lexicon *l = calloc(1, sizeof *l);
    if (!l) return fault_set(fault, "no memory for the words of a grammar"), NULL;
    l->tokenizer = tokenizer, l->vocab = tokenizer_count(tokenizer);
    l->words = (l->vocab + 63) / 64;
    pthread_mutex_init(&l->lock, NULL), pthread_mutex_init(&l->shared_lock, NULL);
    if (trie_open(&l->trie, tokenizer, fault) &&
        slices_make(l->slices, &l->trie, l->words, fault)) {
        if (find_ends(l)) return l;
        fault_set(fault, "no memory for the words of a grammar");
    }
    lexicon_close(l);
    return NULL;
}

Lexicon *lexicon_of(const Tokenizer *tokenizer, Fault *fault) {
    return tokenizer_companion(tokenizer, lexicon_open, lexicon_close, fault);
}

/* ------------------------------------------------------------------ the walk of a loop */

/* One depth of the walk: the state, and the rounds begun before it. */
typedef struct Level {
    const Expr *moves;
    uint32_t begun;
    bool between; /* between two rounds */
} Level;

typedef struct Around {
    Lexicon *lexicon;
    ExprStore *store;
    Loop *loop;
    Expr x, again; /* again: x{0,} */
    Level *level;
    TrieEntry *rest;
    size_t n_rest, rest_room;
} Around;

/* Tokens below this node leave the loop after `depth` bytes. */
static void add_rests(Around *a, uint32_t node, size_t depth, uint32_t begun) {
    const Trie *trie = &a->lexicon->trie;
    for (uint32_t k = trie->node[node].first, end = trie_end(trie, node); k < end; k++) {
        Text bytes = tokenizer_piece(a->lexicon->tokenizer, trie->order[k], false);
        NEED_MEMORY(GROW(a->rest, a->rest_room, a->n_rest + 1), "the masks of a grammar");
        a->rest[a->n_rest++] =
            (TrieEntry){{bytes.data + depth, bytes.size - depth}, trie->order[k], begun};
    }
}

/* Inside a round that cannot be over yet: its rest, then the loop. */
static bool is_within(const Around *a, Expr e) {
    bool more = false;
    const ExprNode *node = a->store->node;
    for (; node[e].kind == KIND_CAT; e = node[e].b)
        more = more || !expr_is_nullable(a->store, node[e].a);
    return more && e == a->again;
}

/* One level down; false: the rounds are ambiguous. */
static bool go_on(Around *a, const Level *from, Level *to, Expr next) {
    to->between = next == a->again;
    to->begun = from->begun + from->between;
    to->moves = expr_moves(a->store, next);
    return to->between || is_within(a, next);
}

static bool walk(Around *a) {
    const Trie *trie = &a->lexicon->trie;
    Loop *loop = a->loop;
    a->level[0] = (Level){expr_moves(a->store, a->again), 0, true};
    loop->first = expr_first(a->store, a->again);
    if (byte_set_has(&loop->first, TOKEN_MARK) || a->store->node[a->again].a != a->x)
        return false;
    for (uint32_t i = 0; i < trie->count;) {
        const TrieNode *node = &trie->node[i];
        const Level *from = &a->level[node->depth - 1];
        Expr next = from->moves[node->byte];
        if (next == EXPR_NONE) {
            if (from->between && node->depth > 1)
                add_rests(a, i, node->depth - 1u, from->begun);
            i = node->skip;
            continue;
        }
        if (from->between && node->byte == '\\' && node->depth > 1)
            add_rests(a, i, node->depth - 1u, from->begun);
        Level *to = &a->level[node->depth];
        if (!go_on(a, from, to, next)) return false;
        for (uint32_t k = node->first; k < node->last; k++)
            loop->begun[trie->order[k]] = (uint16_t)to->begun;
        if (node->first < node->last && to->begun > loop->most) loop->most = to->begun;
        i++;
    }
    return true;
}

static void *memory(size_t count, size_t size) {
    void *out = calloc(count ? count : 1, size);
    NEED_MEMORY(out, "the masks of a grammar");
    return out;
}

/* level[n]: the tokens that begin n rounds or fewer. */
static void fill_levels(const Lexicon *l, Loop *loop) {
    loop->level = memory(loop->most + 1, sizeof *loop->level);
    for (uint32_t n = 0; n <= loop->most; n++)
        loop->level[n] = memory(l->words, sizeof **loop->level);
    for (size_t id = 0; id < l->vocab; id++)
        if (loop->begun[id] != LOOP_OUTSIDE)
            loop->level[loop->begun[id]][id / 64] |= (uint64_t)1 << (id % 64);
    for (uint32_t n = 1; n <= loop->most; n++)
        for (size_t w = 0; w < l->words; w++) loop->level[n][w] |= loop->level[n - 1][w];
}

static Loop *make_loop(Lexicon *l, ExprStore *store, Expr x) {
    Loop *loop = memory(1, sizeof *loop);
    Around a = {.lexicon = l, .store = store, .loop = loop, .x = x};
    Fault fault;
    a.again = expr_repeat(store, x, 0, EXPR_FOREVER);
    a.level = memory(l->trie.max_depth + 2, sizeof *a.level);
    loop->begun = memory(l->vocab, sizeof *loop->begun);
    memset(loop->begun, 0xFF, l->vocab * sizeof *loop->begun);
    loop->counted = walk(&a) && !store->budget.over;
    if (loop->counted) {
        fill_levels(l, loop);
        bool ok = trie_make(&loop->rest, a.rest, a.n_rest, &fault);
        NEED_MEMORY(ok, "the masks of a grammar");
    }
    free(loop->begun), loop->begun = NULL;
    free(a.level), free(a.rest);
    return loop;
}

typedef struct MakeLoop {
    Lexicon *lexicon;
    ExprStore *store;
    Expr x;
    const unsigned char *key;
    size_t size;
    Loop *loop;
} MakeLoop;

/* A new loop that others may use, too. */
static void lexicon_make_loop(void *context) {
    MakeLoop *m = context;
    Loop *loop = make_loop(m->lexicon, m->store, m->x);
    loop->key = memory(m->size, 1);
    memcpy(loop->key, m->key, m->size);
    loop->key_size = m->size, loop->next = m->lexicon->loops;
    if (m->store->budget.over) { /* it may be wrong */
        close_loop(loop);
        return;
    }
    m->lexicon->loops = m->loop = loop, m->lexicon->n_loops++;
}

Loop *lexicon_loop(Lexicon *lexicon, ExprStore *store, Expr x) {
    unsigned char key[LOOP_KEY];
    const ExprNode *n = &store->node[x];
    if (n->calls || n->filters || expr_is_nullable(store, x)) return NULL;
    if (byte_set_count(expr_first(store, x)) < LOOP_WIDE) return NULL;
    size_t size = expr_write(store, x, key, sizeof key);
    if (size > sizeof key) return NULL;
    pthread_mutex_lock(&lexicon->lock);
    Loop *loop = lexicon->loops;
    while (loop && (loop->key_size != size || memcmp(loop->key, key, size) != 0))
        loop = loop->next;
    if (!loop && lexicon->n_loops < LOOPS && budget_spend(&store->budget, LOOP_WORK)) {
        MakeLoop make = {lexicon, store, x, key, size, NULL};
        Fault fault;
        if (!fault_try(lexicon_make_loop, &make, &fault)) {
            pthread_mutex_unlock(&lexicon->lock);
            fault_no_memory("the masks of a grammar");
        }
        loop = make.loop;
    }
    pthread_mutex_unlock(&lexicon->lock);
    return loop && loop->counted ? loop : NULL;
}
