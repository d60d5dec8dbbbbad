/* shared.c - see shared.h. */
#include "shared.h"
#include "fault_try.h"
#include "memory_limit.h"

#include <stdlib.h>
#include <string.h>

void shared_use(SharedGrammar *shared) {
    pthread_mutex_lock(&shared->lock);
    shared->users++;
    pthread_mutex_unlock(&shared->lock);
}

/* The last reference closes it.  Returns the vocabulary that keeps it. */
static Lexicon *shared_drop(SharedGrammar *shared, bool list) {
    pthread_mutex_lock(&shared->lock);
    bool last = --shared->users == 0;
    if (list) shared->keeper = NULL;
    Lexicon *keeper = shared->keeper;
    pthread_mutex_unlock(&shared->lock);
    if (!last) return keeper;
    grammar_close(shared->grammar);
    pthread_mutex_destroy(&shared->lock);
    free(shared->key), free(shared);
    return NULL;
}

void shared_release(SharedGrammar *shared) {
    Lexicon *keeper = shared_drop(shared, false);
    if (keeper) shared_trim(keeper);
}

void shared_forget(SharedGrammar *shared) { shared_drop(shared, true); }

bool shared_run(SharedGrammar *shared, void (*run)(void *context), void *context) {
    Fault fault;
    pthread_mutex_lock(&shared->lock);
    bool ok = !grammar_is_exhausted(shared->grammar);
    if (ok && !fault_try(run, context, &fault)) grammar_spoil(shared->grammar), ok = false;
    pthread_mutex_unlock(&shared->lock);
    return ok;
}

/* Over a limit, or close to it?  The next user compiles it again. */
static bool is_worn(SharedGrammar *shared) {
    pthread_mutex_lock(&shared->lock);
    bool worn = grammar_is_worn(shared->grammar);
    pthread_mutex_unlock(&shared->lock);
    return worn;
}

/* Unlink from the list; NULL: not found. */
static SharedGrammar *take_out(Lexicon *lexicon, Text key) {
    for (SharedGrammar **at = &lexicon->shared; *at; at = &(*at)->next) {
        SharedGrammar *one = *at;
        if (one->key_size != key.size || memcmp(one->key, key.data, key.size) != 0) continue;
        *at = one->next;
        return one;
    }
    return NULL;
}

/* Move to the front of the list; may evict the least recently used one. */
static void put_first(Lexicon *lexicon, SharedGrammar *shared) {
    size_t count = 1;
    shared->next = lexicon->shared;
    lexicon->shared = shared;
    SharedGrammar *last = shared;
    for (; last->next && count < SHARED_KEPT; last = last->next) count++;
    SharedGrammar *gone = last->next;
    last->next = NULL;
    if (gone) shared_forget(gone);
}

/* The least recently used one that only the list uses; with its lock held that stays so. */
static SharedGrammar **find_unused(Lexicon *lexicon, bool exhausted) {
    SharedGrammar **found = NULL;
    for (SharedGrammar **at = &lexicon->shared; *at; at = &(*at)->next) {
        SharedGrammar *one = *at;
        pthread_mutex_lock(&one->lock);
        if (one->users == 1 && (!exhausted || grammar_is_exhausted(one->grammar))) found = at;
        pthread_mutex_unlock(&one->lock);
    }
    return found;
}

void shared_trim(Lexicon *lexicon) {
    SharedGrammar **at;
    pthread_mutex_lock(&lexicon->shared_lock);
    while ((at = find_unused(lexicon, !memory_limit_is_short()))) {
        SharedGrammar *one = *at;
        *at = one->next;
        shared_forget(one);
    }
    pthread_mutex_unlock(&lexicon->shared_lock);
}

SharedGrammar *shared_find(Lexicon *lexicon, Text key) {
    pthread_mutex_lock(&lexicon->shared_lock);
    SharedGrammar *found = take_out(lexicon, key);
    if (found && is_worn(found)) shared_forget(found), found = NULL;
    if (found) shared_use(found), put_first(lexicon, found);
    pthread_mutex_unlock(&lexicon->shared_lock);
    return found;
}

SharedGrammar *shared_keep(Lexicon *lexicon, Grammar *grammar, Text key) {
    SharedGrammar *shared = calloc(1, sizeof *shared);
    char *copy = malloc(key.size + 1);
    if (!shared || !copy) {
        free(shared), free(copy), grammar_close(grammar);
        return NULL;
    }
    memcpy(copy, key.data, key.size);
    *shared = (SharedGrammar){.grammar = grammar,
                              .tokenizer = lexicon->tokenizer,
                              .users = 2, /* the caller and the list */
                              .keeper = lexicon,
                              .key = copy,
                              .key_size = key.size};
    pthread_mutex_init(&shared->lock, NULL);
    pthread_mutex_lock(&lexicon->shared_lock);
    SharedGrammar *same = take_out(lexicon, key); /* another thread made it in the meantime */
    if (same) shared_forget(same);
    put_first(lexicon, shared);
    pthread_mutex_unlock(&lexicon->shared_lock);
    return shared;
}
