/* session_length.c - how much a session holds, and rolling it back. */
#include "model/bind.h"

size_t session_tokens(const Session *s) {
    return s->hooks ? s->hooks->tokens(s) : s->model->sizes.vocab;
}

size_t session_ctx(const Session *s) { return s->kv.config.ctx; }

size_t session_length(const Session *s, size_t sequence) { return s->kv.length[sequence]; }

size_t session_rewind(Session *s, size_t sequence, size_t length) {
    return kv_truncate(&s->kv, sequence, length);
}

void session_reset(Session *s) {
    for (size_t i = 0; i < s->kv.config.sequences; i++) kv_truncate(&s->kv, i, 0);
}
