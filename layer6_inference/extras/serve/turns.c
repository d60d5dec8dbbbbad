/* turns.c - see turns.h. */
#include "turns.h"

void turns_open(Turns *t) {
    *t = (Turns){0};
    pthread_mutex_init(&t->lock, NULL);
    pthread_cond_init(&t->changed, NULL);
}

void turns_close(Turns *t) {
    pthread_mutex_destroy(&t->lock), pthread_cond_destroy(&t->changed);
}

void turns_take(Turns *t) {
    pthread_mutex_lock(&t->lock);
    for (const uint64_t mine = t->given++; t->now != mine;)
        pthread_cond_wait(&t->changed, &t->lock);
    pthread_mutex_unlock(&t->lock);
}

void turns_give(Turns *t) {
    pthread_mutex_lock(&t->lock);
    t->now++;
    pthread_cond_broadcast(&t->changed);
    pthread_mutex_unlock(&t->lock);
}
