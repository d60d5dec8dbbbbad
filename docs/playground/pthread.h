/* pthread.h - threads where there are none, in a page: a lock is always free, and starting a
 * thread fails as it does on a machine out of threads, so a pool has one worker, its caller.
 *
 * Invariant: nothing here ever waits. */
#ifndef STRATA_PLAYGROUND_PTHREAD_H
#define STRATA_PLAYGROUND_PTHREAD_H

typedef int pthread_t, pthread_mutex_t, pthread_cond_t;
#define PTHREAD_MUTEX_INITIALIZER 0

static inline int pthread_none(void *a, const void *b) { return (void)a, (void)b, 0; }

#define pthread_create(thread, attributes, start, argument) (*(thread) = 0, (void)(start), 1)
#define pthread_join(thread, result)                        pthread_none(result, 0)
#define pthread_mutex_init(mutex, attributes)               pthread_none(mutex, attributes)
#define pthread_mutex_destroy(mutex)                        pthread_none(mutex, 0)
#define pthread_mutex_lock(mutex)                           pthread_none(mutex, 0)
#define pthread_mutex_unlock(mutex)                         pthread_none(mutex, 0)
#define pthread_cond_init(condition, attributes)            pthread_none(condition, attributes)
#define pthread_cond_destroy(condition)                     pthread_none(condition, 0)
#define pthread_cond_wait(condition, mutex)                 pthread_none(condition, mutex)
#define pthread_cond_broadcast(condition)                   pthread_none(condition, 0)

#endif
