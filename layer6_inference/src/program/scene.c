/* scene.c - opening and closing what strata generate needs.  See scene.h. */
#include "listing.h"
#include "scene.h"

static bool chain_has(const Chain *chain, size_t offset) {
    for (size_t i = 0; i < chain->count; i++)
        if (*(const bool *)((const char *)chain->stages[i].kind + offset)) return true;
    return false;
}

static bool open_companions(Scene *s, Fault *fault) {
    const Request *r = s->request;
    const Model *model = s->expert.model;
    size_t ctx = s->expert.session.kv.blocks_each * KV_BLOCK;
    if (r->amateur) {
        if (!speaker_open(&s->amateur, r->amateur, &r->machine, ctx, 1, fault)) return false;
        s->has_amateur = true;
        if (s->amateur.model->sizes.vocab != model->sizes.vocab)
            return fault_set(fault,
                             "the amateur has %zu tokens, the model %zu: they must share "
                             "a vocabulary",
                             s->amateur.model->sizes.vocab, model->sizes.vocab);
    }
    if (r->draft) {
        if (!speaker_open(&s->draft, r->draft, &r->machine, ctx, 1, fault)) return false;
        s->has_draft = true;
    }
    if (chain_has(&s->chain, offsetof(StageKind, needs_unconditional))) {
        if (!speaker_share(&s->unconditional, model, &r->machine, ctx, 1, fault)) return false;
        s->has_unconditional = true;
        if (!speaker_read(&s->expert, text_of(r->negative ? r->negative : ""), false,
                          &s->negative, fault))
            return false;
        if (s->negative.count == 0)
            return fault_set(fault, "this model's texts begin with no token of their own: give "
                                    "a --negative text for cfg");
    }
    return true;
}

bool scene_open(Scene *s, Fault *fault) {
    const Request *r = s->request;
    size_t vocab;
    if (!speaker_open(&s->expert, r->model, &r->machine, r->ctx > 0 ? (size_t)r->ctx : 0,
                      r->beams ? 2 * (size_t)r->beams : 1, fault))
        return false;
    vocab = s->expert.model->sizes.vocab;
    if (!chain_parse(&s->chain, r->chain, s->expert.model->tokenizer, fault) ||
        !stops_open(&s->stops, r->stops.items, r->stops.count, fault) ||
        !open_companions(s, fault) ||
        (r->stop_ids && !list_read_ids(r->stop_ids, vocab, &s->stop_ids, fault)))
        return false;
    if (!r->trace) return true;
    if (!(s->trace_file = fopen(r->trace, "w")))
        return fault_set(fault, "%s cannot be written", r->trace);
    if (!trace_open(&s->trace, s->trace_file, vocab, s->expert.model->tokenizer, fault))
        return false;
    s->trace.most = (size_t)r->trace_most;
    trace_watch(&s->trace, &s->chain);
    return true;
}

void scene_close(Scene *s) {
    chain_close(&s->chain);
    stops_close(&s->stops);
    trace_close(&s->trace);
    if (s->trace_file) fclose(s->trace_file);
    token_list_free(&s->tokens), token_list_free(&s->negative), token_list_free(&s->stop_ids);
    if (s->has_amateur) speaker_close(&s->amateur);
    if (s->has_unconditional) speaker_close(&s->unconditional);
    if (s->has_draft) speaker_close(&s->draft);
    if (s->expert.model) speaker_close(&s->expert);
}
