/* text_queue.c
 *
 * Proves    push and pop touch only the ring, the text and the output; the ring stays in its
 *           bounds, whatever the other thread does while one waits
 * Bound     ring of 4 bytes in any state, text of 0 to 6 bytes, output of 0 to 6
 * Source    layer6_inference/src/output/text_queue.c
 * Follow    layer6_inference/src/output/text_queue.c | while (text.size && !q->cancelled) { | text.size
 * Follow    layer6_inference/src/output/text_queue.c | while (text.size && !q->cancelled) { | q->size
 * Options   -eva-precision 2 -eva-interprocedural-splits
 * Mutant    layer6_inference/src/output/text_queue.c | (q->begin + q->size + i) % q->room | (q->begin + q->size + i) % (q->room + 1)
 * Mutant    layer6_inference/src/output/text_queue.c | q->size < max ? q->size : max | q->size < max ? max : q->size
 * Mutant    layer6_inference/src/output/text_queue.c | q->size += n; | q->size += n + 1; */
#include "proof.h"
#include "text_queue.h"

enum { ROOM = 4, BYTES = 6 };

static char ring[ROOM], text[BYTES];
static TextQueue q;

/* Any state that the invariant allows. */
static void other_thread(void) {
    q.begin = ANY_SIZE(0, ROOM - 1), q.size = ANY_SIZE(0, ROOM);
    //@ split q.size;
    q.closed = Frama_C_nondet(0, 1), q.cancelled = Frama_C_nondet(0, 1);
}

int pthread_mutex_lock(pthread_mutex_t *lock) { return (void)lock, 0; }
int pthread_mutex_unlock(pthread_mutex_t *lock) { return (void)lock, 0; }
int pthread_cond_broadcast(pthread_cond_t *changed) { return (void)changed, 0; }
int pthread_cond_wait(pthread_cond_t *changed, pthread_mutex_t *lock) {
    PROVE(q.begin < ROOM && q.size <= ROOM);
    other_thread();
    return (void)changed, (void)lock, 0;
}

int main(void) {
    q.bytes = ring, q.room = ROOM;
    ANY(ring), ANY(text);
    other_thread();
    size_t n = ANY_SIZE(0, BYTES);
    //@ split n;
    if (Frama_C_nondet(0, 1))
        text_queue_push(&q, (Text){text + BYTES - n, n});
    else
        PROVE(text_queue_pop(&q, text + BYTES - n, n) <= n);
    PROVE(q.begin < ROOM && q.size <= ROOM);
    END();
}
