/* text_queue.h - text from the thread that generates to the thread that shows it.
 *
 *     generate -> stream -> | bytes |           | -> terminal, socket, window
 *                            push waits when full, pop waits when empty
 *
 * Invariant: bytes come out in order, as soon as they are in, however they were split; after a
 * cancel, push returns false at once [the_queue_delivers_in_order]. */
#ifndef STRATA_TEXT_QUEUE_H
#define STRATA_TEXT_QUEUE_H

#include "models.h"

#include <pthread.h>

typedef struct TextQueue {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    char *bytes; /* (room) a ring; owns */
    size_t room, begin, size;
    bool closed, cancelled;
} TextQueue;

/* room: capacity in bytes.
 *
 * Fails when memory runs out. */
bool text_queue_open(TextQueue *queue, size_t room, Fault *fault);
void text_queue_free(TextQueue *queue);

/* The producer's side.  False: the consumer has cancelled. */
bool text_queue_push(TextQueue *queue, Text text);
void text_queue_close(TextQueue *queue); /* no more will come */

/* The consumer's side: up to `max` bytes, as soon as there are any; 0: closed and empty, or
 * cancelled. */
size_t text_queue_pop(TextQueue *queue, char *out, size_t max);
void text_queue_cancel(TextQueue *queue);
bool text_queue_is_cancelled(TextQueue *queue);

#endif
