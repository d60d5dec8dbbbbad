/* guidance.c - see guidance.h. */
#include "guidance.h"
#include "engine/take.h"

/* Any row until the first is evaluated, so that stages find a second text. */
static bool amateur_open(Extra *x, Engine *e, Sequence *s, Fault *fault) {
    (void)e, (void)fault;
    s->step.amateur = x->slot->session->logits;
    return true;
}

static void amateur_choose(Extra *x, Sequence *s, float *logits) {
    (void)logits;
    s->step.amateur = slot_row(x->slot);
}

static bool negative_open(Extra *x, Engine *e, Sequence *s, Fault *fault) {
    (void)e;
    if (x->instead->count == 0) return fault_set(fault, "cfg: the negative prompt is empty");
    s->step.unconditional = x->slot->session->logits;
    return true;
}

static void negative_choose(Extra *x, Sequence *s, float *logits) {
    (void)logits;
    s->step.unconditional = slot_row(x->slot);
}

static const ExtraKind amateur_kind = {.open = amateur_open, .choose = amateur_choose},
                       negative_kind = {.open = negative_open, .choose = negative_choose};

void with_amateur(GenerateOptions *o, Session *amateur) {
    generate_with(o, (Extra){.kind = &amateur_kind, .session = amateur});
}

void with_negative(GenerateOptions *o, const TokenList *negative) {
    generate_with(o, (Extra){.kind = &negative_kind, .instead = negative});
}
