/* sequence.c - a text begins and ends: see sequence.h and take.h.  What it does in between is sequence_take.c. */
#include "generate.h"
#include "take.h"

#include <stdlib.h>

static const float *any_logits(const Reader *reader) {
    return reader->session ? reader->session->logits : NULL;
}

bool sequence_open(Sequence *s, const Session *session, Fault *fault) {
    const GenerateOptions *o = &s->options;
    if (!generate_check_prompt(session, s->tokens, o->shift, fault)) return false;
    if (o->negative && o->negative->count == 0)
        return fault_set(fault, "what cfg moves away from is empty: give it a negative text");
    if (session->model->sizes.encoder && chain_looks_ahead(o->chain))
        return fault_set(fault,
                         "a stage that looks ahead compares all tokens of a text, and those of "
                         "a source are another text's: take another stage");
    s->result = (GenerateResult){.prompt_tokens = s->tokens->count, .reason = STOP_LIMIT};
    s->start = clock_seconds(), s->ctx = o->shift ? SIZE_MAX : session_ctx(session);
    REQUIRE(!o->take_back || (o->chain && !o->speculation && !o->heal),
            "what is taken back was chosen by a chain, token by token");
    REQUIRE(!o->chain != !o->on_logits, "a text is continued by a chain or by somebody else");
    if (o->chain) {
        o->chain->owed = o->heal ? o->heal->size : 0;
        chain_reset(o->chain);
    }
    s->step = (Step){.seed = o->seed,
                     .prompt_count = s->tokens->count,
                     .tokenizer = session->model->tokenizer,
                     .amateur = any_logits(&s->reader[READS_AMATEUR]),
                     .unconditional = any_logits(&s->reader[READS_NEGATIVE])};
    if (chain_looks_ahead(o->chain))
        s->step.look_ahead = look_ahead, s->step.look_ahead_context = &s->look;
    if (o->want_raw && !(s->raw = malloc(session->model->sizes.vocab * sizeof *s->raw)))
        return fault_set(fault, "no memory for a copy of the logits");
    return long_text_check(s, fault) && (!o->chain || chain_check(o->chain, &s->step, fault)) &&
           (!o->speculation || draft_open(s, session, fault));
}

void sequence_close(Sequence *s) {
    look_ahead_close(&s->look);
    draft_close(s->draft);
    free(s->raw);
    *s = (Sequence){0};
}

/* What might have become a banned text will not. */
static void let_rest_out(const Sequence *s, StopReason *reason) {
    TakeBack *t = s->options.take_back;
    Text rest = take_back_ready(t, true);
    if (s->options.stream && !stream_push(s->options.stream, rest)) *reason = STOP_STRING;
    take_back_let_go(t, rest.size);
}

void sequence_end(Sequence *s, StopReason reason) {
    if (s->options.take_back && reason != STOP_STRING) let_rest_out(s, &reason);
    s->live = false, s->result.reason = reason;
    s->result.decode_seconds = s->result.tokens ? clock_seconds() - s->first : 0;
    if (s->options.stream && reason != STOP_STRING) stream_finish(s->options.stream);
}

bool sequence_waits(const Sequence *s) {
    return s->options.on_logits && s->answered == s->tokens->count;
}

void sequence_fail(Sequence *s) {
    s->failed = true;
    sequence_end(s, STOP_CALLER);
}
