/* text_queue.c - see text_queue.h. */
#include "text_queue.h"

#include <stdlib.h>
#include <string.h>

bool text_queue_open(TextQueue *q, size_t room, Fault *fault) {
    *q = (TextQueue){.room = room, .bytes = malloc(room)};
    if (!q->bytes) return fault_set(fault, "no memory for a queue of %zu bytes", room);
    pthread_mutex_init(&q->lock, NULL);
    pthread_cond_init(&q->changed, NULL);
    return true;
}

void text_queue_free(TextQueue *q) {
    pthread_mutex_destroy(&q->lock);
    pthread_cond_destroy(&q->changed);
    free(q->bytes);
}

static size_t text_queue_put(TextQueue *q, Text text) {
    size_t n = q->room - q->size < text.size ? q->room - q->size : text.size;
    for (size_t i = 0; i < n; i++) q->bytes[(q->begin + q->size + i) % q->room] = text.data[i];
    q->size += n;
    return n;
}

bool text_queue_push(TextQueue *q, Text text) {
    pthread_mutex_lock(&q->lock);
    while (text.size && !q->cancelled) {
        size_t n = text_queue_put(q, text);
        text.data += n, text.size -= n;
        pthread_cond_broadcast(&q->changed);
        if (text.size) pthread_cond_wait(&q->changed, &q->lock);
    }
    bool ok = !q->cancelled;
    pthread_mutex_unlock(&q->lock);
    return ok;
}

static void set(TextQueue *q, bool *flag) {
    pthread_mutex_lock(&q->lock);
    *flag = true;
    pthread_cond_broadcast(&q->changed);
    pthread_mutex_unlock(&q->lock);
}

void text_queue_close(TextQueue *q) { set(q, &q->closed); }
void text_queue_cancel(TextQueue *q) { set(q, &q->cancelled); }

bool text_queue_is_cancelled(TextQueue *q) {
    pthread_mutex_lock(&q->lock);
    bool cancelled = q->cancelled;
    pthread_mutex_unlock(&q->lock);
    return cancelled;
}

size_t text_queue_pop(TextQueue *q, char *out, size_t max) {
    pthread_mutex_lock(&q->lock);
    while (!q->size && !q->closed && !q->cancelled) pthread_cond_wait(&q->changed, &q->lock);
    size_t n = q->cancelled ? 0 : q->size < max ? q->size : max;
    for (size_t i = 0; i < n; i++) out[i] = q->bytes[(q->begin + i) % q->room];
    q->begin = (q->begin + n) % q->room, q->size -= n;
    pthread_cond_broadcast(&q->changed);
    pthread_mutex_unlock(&q->lock);
    return n;
}
