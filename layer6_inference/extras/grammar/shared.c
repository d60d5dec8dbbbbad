/* shared.c - see shared.h. */
#include "shared.h"

#include <stdlib.h>
#include <string.h>

void shared_use(SharedGrammar *shared) {
    pthread_mutex_lock(&shared->lock);
    shared->users++;
    pthread_mutex_unlock(&shared->lock);
}

void shared_release(SharedGrammar *shared) {
    pthread_mutex_lock(&shared->lock);
    bool last = --shared->users == 0;
    pthread_mutex_unlock(&shared->lock);
    if (!last) return;
    grammar_close(shared->grammar);
    pthread_mutex_destroy(&shared->lock);
    free(shared->key), free(shared);
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
    if (gone) shared_release(gone);
}

SharedGrammar *shared_find(Lexicon *lexicon, Text key) {
    pthread_mutex_lock(&lexicon->shared_lock);
    SharedGrammar *found = take_out(lexicon, key);
    if (found && is_worn(found)) shared_release(found), found = NULL;
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
                              .key = copy,
                              .key_size = key.size};
    pthread_mutex_init(&shared->lock, NULL);
    pthread_mutex_lock(&lexicon->shared_lock);
    SharedGrammar *same = take_out(lexicon, key); /* another thread made it in the meantime */
    if (same) shared_release(same);
    put_first(lexicon, shared);
    pthread_mutex_unlock(&lexicon->shared_lock);
    return shared;
}
