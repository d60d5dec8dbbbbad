/* draft_lookup.c - prompt lookup: draft what followed the same words before.  See
 * speculate.h. */
#include "draft.h"

#include <string.h>

size_t speculate_lookup(const int32_t *tokens, size_t n, size_t max, int32_t *draft) {
    for (size_t words = n > 3 ? 3 : n ? n - 1 : 0; words > 0; words--)
        for (size_t at = n - 1; at-- > words - 1;) {
            const int32_t *end = tokens + at + 1; /* the token after position `at` */
            if (memcmp(end - words, tokens + n - words, words * sizeof *tokens) != 0) continue;
            size_t count = n - (at + 1) < max ? n - (at + 1) : max;
            memcpy(draft, end, count * sizeof *draft);
            return count;
        }
    return 0;
}

static size_t look_up(Sequence *s, int32_t *tokens, size_t room) {
    return speculate_lookup(s->tokens->ids, s->tokens->count, room, tokens);
}

const DraftKind draft_lookup = {
    .name = "lookup",
    .gloss = "what followed the text's last three, two or one tokens before",
    .draft = look_up};
