/* server.c - opens and closes the model, the session and the worker.  See server.h. */
#include "grammar_stages.h"
#include "server.h"
#include "chat.h"

#include <string.h>

static const char *base_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* Sequences of the session: the slots, and one more, so that a text with cfg has its second. */
static bool open_session(Server *s, Fault *fault) {
    const ServeOptions *o = s->options;
    const ModelSizes *sizes = &s->loaded.model->sizes;
    if ((size_t)o->ctx > sizes->ctx)
        return fault_set(fault, "--ctx is %ld: wanted at most %zu, the model's", o->ctx,
                         sizes->ctx);
    const size_t ctx = o->ctx ? (size_t)o->ctx : min_size(sizes->ctx, 4096),
                 places = (size_t)o->places, pages = (ctx + KV_PAGE - 1) / KV_PAGE;
    const bool writes = model_writes(s->loaded.model);
    s->kv = writes || o->compute.kv ? o->compute.kv_format : (KvFormat){0};
    SessionConfig config = {.vectors = !writes,
                            .ctx = ctx,
                            .sequences = places + 1,
                            .max_tokens = PREFILL_BATCH,
                            .max_logits = max_size(2 * places, 32),
                            .kv = s->kv,
                            .prefixes = places * pages};
    return session_open(&s->loaded.session, s->loaded.model, o->compute.pool, config, fault);
}

/* The chain of requests without sampling fields. */
static bool server_check_chain(const Server *s, Fault *fault) {
    Chain chain;
    bool ok = chain_parse(&chain, s->options->chain, s->loaded.model->tokenizer, fault);
    for (size_t i = 0; ok && i < chain.count; i++) {
        const StageKind *kind = chain.stages[i].kind;
        if (kind->needs & (NEEDS_AMATEUR | NEEDS_LOOK_AHEAD | NEEDS_GUIDE))
            ok = fault_set(fault, "--chain: %s is not available on a server", kind->name);
    }
    if (ok) chain_close(&chain);
    return ok;
}

static bool open_eye(Server *s, Fault *fault) {
    const ServeOptions *o = s->options;
    if (!o->vision.mmproj) return true;
    if (!s->form.tree) return *fault = s->no_form, fault_prefix(fault, "--mmproj");
    return pictures_open(&s->pictures, &o->vision, (size_t)o->pictures, &s->loaded.session,
                         o->compute.pool, fault);
}

bool server_open(Server *s, const ServeOptions *o, Fault *fault) {
    const size_t places = (size_t)o->places;
    *s = (Server){.options = o,
                  .name = o->alias ? o->alias : base_name(o->model),
                  .policy = {.budget = PREFILL_BATCH,
                             .chunk = PREFILL_BATCH / 4,
                             .running = places,
                             .waiting = (size_t)o->queue,
                             .ageing = 10,
                             .stretch = o->stretch,
                             .pace = 0.05}}; /* no rate limit */
    pthread_mutex_init(&s->lock, NULL);
    pthread_cond_init(&s->wake, NULL);
    metrics_open(&s->metrics);
    if (!loaded_open_model(&s->loaded, o->model, &o->compute, fault) ||
        !open_session(s, fault) || !server_check_chain(s, fault))
        return false;
    if (!loaded_open_form(&s->loaded, o->form, &s->form, &s->no_form)) {
        if (o->form) return *fault = s->no_form, false;
        fault_prefix(&s->no_form, "the server was started without --form");
    }
    if (!open_eye(s, fault)) return false;
    stage_forbid_files();
    return worker_start(s, fault);
}

void server_close(Server *s) {
    worker_stop(s);
    pictures_close(&s->pictures);
    chat_form_close(&s->form);
    if (s->side.model) session_close(&s->side);
    if (s->loaded.model) loaded_close(&s->loaded);
    pthread_mutex_destroy(&s->lock), pthread_cond_destroy(&s->wake);
}
