/* draft_suffix.c - draft from a store of runs, of this text and of those before it.  See
 * suffix_store.h. */
#include "draft.h"

#include <stdlib.h>

enum { OWN_NODES = 1 << 16 }; /* of a text without a shared store */

typedef struct Suffixes {
    SuffixStore *store, *own;
    SuffixText text;
} Suffixes;

static bool suffixes_open(Draft *g, Sequence *s, Fault *fault) {
    (void)s;
    Suffixes *x = g->state = calloc(1, sizeof *x);
    if (x && !g->asked->past) x->own = suffix_store_open(OWN_NODES);
    if (!x || !(x->store = x->own ? x->own : g->asked->past))
        return fault_set(fault, "no memory for a suffix store");
    return true;
}

static void suffixes_close(Draft *g) {
    Suffixes *x = g->state;
    if (x) suffix_store_close(x->own);
}

static void suffixes_read(Sequence *s) {
    Suffixes *x = sequence_draft(s)->state;
    suffix_store_read(x->store, &x->text, s->tokens->ids, s->tokens->count);
}

static size_t suffixes_draft(Sequence *s, int32_t *tokens, size_t room) {
    const Suffixes *x = sequence_draft(s)->state;
    suffixes_read(s);
    return suffix_store_draft(x->store, s->tokens->ids, s->tokens->count, room, tokens);
}

const DraftKind draft_suffix = {
    .name = "suffix",
    .gloss = "what most often followed the longest known end of the text, here and in earlier "
             "texts",
    .open = suffixes_open,
    .draft = suffixes_draft,
    .seen = suffixes_read,
    .close = suffixes_close};
