/* surprise.c - see surprise.h. */
#include "surprise.h"

bool surprise_add(Surprise *all, Session *s, const int32_t *tokens, size_t n, size_t first,
                  Fault *fault) {
    size_t vocab = s->model->sizes.vocab;
    session_rewind(s, 0, 0);
    if (first > 0 && !session_feed(s, tokens, first, false, fault)) return false;
    for (size_t at = first; at + 1 < n; at += SURPRISE_ROWS) {
        size_t rows = n - 1 - at < SURPRISE_ROWS ? n - 1 - at : SURPRISE_ROWS;
        if (!session_feed(s, tokens + at, rows, true, fault)) return false;
        for (size_t i = 0; i < rows; i++) {
            double nats =
                cross_entropy(s->logits + i * vocab, vocab, (size_t)tokens[at + i + 1]);
            all->sum += nats, all->squares += nats * nats, all->count++;
        }
    }
    return true;
}
