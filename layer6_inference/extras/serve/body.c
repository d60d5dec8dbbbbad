/* body.c - the bytes of a request's body.  See connection.h. */
#include "connection.h"
#include "memory_limit.h"

/* Count a body's room, which doubles. */
static bool body_hold(Connection *x, size_t size) {
    const size_t more = size > x->held ? max_size(size, 2 * x->held) - x->held : 0;
    if (!memory_limit_take(more)) return false;
    x->held += more;
    return true;
}

void body_drop(Connection *x) {
    bytes_free(&x->body);
    memory_limit_give(x->held);
    x->held = 0;
}

void body_take(Connection *x, const char *data, size_t size) {
    const size_t most = (size_t)x->web->options->body << 10;
    x->large = x->large || x->body.size + size > most;
    x->starved = x->starved || (!x->large && !(body_hold(x, x->body.size + size) &&
                                               bytes_add(&x->body, (Text){data, size})));
    if (x->large || x->starved) body_drop(x);
}
