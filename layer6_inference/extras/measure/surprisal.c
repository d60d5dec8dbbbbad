/* surprisal.c - see surprisal.h. */
#include "surprisal.h"

bool surprisal_add(Surprisal *all, Session *s, const int32_t *tokens, size_t n, size_t first,
                   Fault *fault) {
    size_t vocab = s->model->sizes.vocab;
    session_rewind(s, 0, 0);
    if (first > 0 && !session_eval(s, tokens, first, false, fault)) return false;
    for (size_t at = first; at + 1 < n; at += SURPRISAL_ROWS) {
        size_t rows = n - 1 - at < SURPRISAL_ROWS ? n - 1 - at : SURPRISAL_ROWS;
        if (!session_eval(s, tokens + at, rows, true, fault)) return false;
        for (size_t i = 0; i < rows; i++) {
            double nats =
                cross_entropy(s->logits + i * vocab, vocab, (size_t)tokens[at + i + 1]);
            all->sum += nats, all->squares += nats * nats, all->count++;
        }
    }
    return true;
}
