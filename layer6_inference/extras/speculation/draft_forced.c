/* draft_forced.c - draft what the chain's grammar forces.  See speculate.h. */
#include "draft.h"

/* The tokens forced by the first stage that knows. */
static size_t forced_tokens(Sequence *s, int32_t *tokens, size_t room) {
    const Chain *chain = s->options.chain;
    size_t n = 0;
    for (size_t i = 0; i < chain->count && n == 0; i++) {
        const Stage *stage = &chain->stages[i];
        if (stage->kind->forced) n = stage->kind->forced(stage, tokens, room);
    }
    return n;
}

const DraftKind draft_forced = {
    .name = "forced", .gloss = "what the chain's grammar forces", .draft = forced_tokens};
