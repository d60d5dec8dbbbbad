/* heal.c - see heal.h. */
#include "heal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Does a longer token begin with `text`? */
static bool heal_can_go_on(const Tokenizer *t, const char *text, size_t size) {
    for (size_t id = 0; id < tokenizer_count(t); id++) {
        Text piece = tokenizer_piece(t, (int32_t)id, false);
        if (piece.size > size && text_begins(piece, (Text){text, size})) return true;
    }
    return false;
}

static bool put_before(Heal *heal, Text piece, Fault *fault) {
    char *more = realloc(heal->pending, heal->size + piece.size);
    if (!more) return fault_set(fault, "no memory for the end of the prompt");
    memmove(more + piece.size, more, heal->size);
    memcpy(more, piece.data, piece.size);
    heal->pending = more, heal->size += piece.size;
    return true;
}

bool heal_prompt(Heal *heal, const Tokenizer *t, TokenList *prompt, Fault *fault) {
    size_t drop = 0, keep = 0; /* tokens to drop; bytes of the others */
    *heal = (Heal){0};
    for (size_t n = 1; n <= HEAL_MAX && n < prompt->count; n++) {
        Text piece = tokenizer_piece(t, prompt->ids[prompt->count - n], false);
        if (piece.size == 0) break; /* a special token */
        if (!put_before(heal, piece, fault)) return heal_free(heal), false;
        keep += piece.size;
        if (heal_can_go_on(t, heal->pending, heal->size)) drop = n, keep = 0;
    }
    heal->size -= keep;
    if (keep) memmove(heal->pending, heal->pending + keep, heal->size);
    prompt->count -= drop;
    return true;
}

void heal_free(Heal *heal) {
    free(heal->pending);
    *heal = (Heal){0};
}

void heal_mask(const Heal *heal, size_t spelled, const Tokenizer *t, float *logits,
               size_t vocab) {
    size_t left = heal->size - spelled;
    if (left == 0) return;
    const char *pending = heal->pending + spelled;
    for (size_t i = 0; i < vocab; i++) {
        Text piece = tokenizer_piece(t, (int32_t)i, false);
        size_t n = piece.size < left ? piece.size : left;
        if (n == 0 || memcmp(piece.data, pending, n) != 0) logits[i] = -INFINITY;
    }
}

Text heal_cut(const Heal *heal, size_t *spelled, Text piece) {
    size_t left = heal->size - *spelled, old = piece.size < left ? piece.size : left;
    *spelled += old;
    return (Text){piece.data + old, piece.size - old};
}

/* ------------------------------------------------------------------ the extra; count: bytes
 * spelled so far */

static bool heal_open(Extra *x, Engine *e, Sequence *s, Fault *fault) {
    (void)e, (void)fault;
    if (s->options.chain) s->options.chain->pending = ((const Heal *)x->wish)->size;
    return true;
}

static void heal_choose(Extra *x, Sequence *s, float *logits) {
    heal_mask(x->wish, x->count, s->step.tokenizer, logits, s->candidates->vocab);
}

static bool heal_text(Extra *x, Sequence *s, Text *text) {
    (void)s;
    *text = heal_cut(x->wish, &x->count, *text);
    return true;
}

static const ExtraKind heal_kind = {
    .open = heal_open, .choose = heal_choose, .text = heal_text};

void with_heal(GenerateOptions *o, const Heal *heal) {
    if (heal->size) generate_with(o, (Extra){.kind = &heal_kind, .wish = (Heal *)heal});
}
