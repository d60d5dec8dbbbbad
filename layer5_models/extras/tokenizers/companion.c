/* companion.c - data that a higher layer keeps with a tokenizer.  See tokenizers.h. */
#include "tokenizers.h"
#include "vocab/vocab.h"

#include <pthread.h>

void *tokenizer_companion(const Tokenizer *tokenizer,
                          void *(*make)(const Tokenizer *tokenizer, Fault *fault),
                          void (*close)(void *companion), Fault *fault) {
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    Tokenizer *t = (Tokenizer *)tokenizer; /* everything else of it is unchanged */
    pthread_mutex_lock(&lock);
    if (!t->companion) t->companion = make(tokenizer, fault), t->close_companion = close;
    void *companion = t->companion;
    pthread_mutex_unlock(&lock);
    return companion;
}
