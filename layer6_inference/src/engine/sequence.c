/* sequence.c - a text begins and ends.  See sequence.h, take.h; in between: sequence_take.c. */
#include "generate.h"
#include "take.h"

#include <stdlib.h>

void generate_with(GenerateOptions *o, Extra extra) {
    size_t n = 0;
    while (o->extras[n].kind) n++;
    REQUIRE(n < EXTRAS, "a text has %d extras", EXTRAS);
    o->extras[n] = extra;
}

/* What a token may need, before the first, so that running out of memory is a Fault: the
 * tokens to come, and room for a token's text. */
static bool reserve(Sequence *s, Fault *fault) {
    enum { TEXT_ROOM = 512 };
    const size_t room = s->ctx == SIZE_MAX ? 0 : s->ctx;
    Stream *stream = s->options.stream;
    if (!token_list_reserve(s->tokens, min_size(s->options.limits.max_tokens, room), fault))
        return false;
    return !stream || GROW(stream->pending, stream->pending_room, TEXT_ROOM) ||
           fault_set(fault, "no memory for %d bytes of text", TEXT_ROOM);
}

bool sequence_open(Sequence *s, Engine *e, Fault *fault) {
    const GenerateOptions *o = &s->options;
    const Session *session = e->runners[0].session;
    s->result = (GenerateResult){.prompt_tokens = s->tokens->count, .reason = STOP_LIMIT};
    s->start = clock_seconds(), s->ctx = session_ctx(session);
    s->step = (Step){.seed = o->seed,
                     .prompt_count = s->tokens->count,
                     .tokenizer = session->model->tokenizer};
    if (o->chain) o->chain->pending = 0;
    EACH_EXTRA(x, s, take) s->taker = x;
    REQUIRE(o->chain || s->taker, "a text needs a chain, or an extra that takes its tokens");
    EACH_EXTRA(x, s, open) {
        if (!x->kind->open(x, e, s, fault)) return false;
    }
    if (!generate_check_prompt(session, s->tokens, s->ctx == SIZE_MAX, fault) ||
        !reserve(s, fault))
        return false;
    if (o->want_raw && !(s->raw = malloc(session->model->sizes.vocab * sizeof *s->raw)))
        return fault_set(fault, "no memory for a copy of the logits");
    if (o->chain) chain_reset(o->chain);
    return !o->chain || chain_check(o->chain, &s->step, fault);
}

void sequence_close(Sequence *s) {
    EACH_EXTRA(x, s, close) x->kind->close(x);
    free(s->raw);
    *s = (Sequence){0};
}

void sequence_end(Sequence *s, StopReason reason) {
    EACH_EXTRA(x, s, end) x->kind->end(x, s, &reason);
    s->live = false, s->result.reason = reason;
    s->result.decode_seconds = s->result.tokens ? clock_seconds() - s->first : 0;
    if (s->options.stream && reason != STOP_STRING) stream_finish(s->options.stream);
}

void sequence_fail(Sequence *s) {
    s->failed = true;
    sequence_end(s, STOP_CALLER);
}
