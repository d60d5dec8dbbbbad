/* server.c - opens and closes the model, the session and the worker.  See server.h. */
#include "grammar_stages.h"
#include "prefixes.h"
#include "served_models.h"
#include "chat.h"

#include <stdlib.h>

/* --form and --mmproj are about the first model. */
static bool server_is_first(const Server *s) { return s == &s->models->list[0]; }

/* The kind of draft that the options name. */
static bool find_draft(Server *s, Fault *fault) {
    const char *name = s->options->draft;
    if (!name) return true;
    s->draft = draft_find(name);
    return (s->draft && s->draft->draft && s->draft != &draft_forced) ||
           fault_set(fault, "--draft '%.40s': wanted suffix, lookup or jacobi", name);
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
    const size_t rows = s->draft ? (size_t)o->guess + 1 : 1; /* of logits, of a text */
    const bool writes = model_writes(s->loaded.model);
    s->kv = writes || o->compute.kv ? o->compute.kv_format : (KvFormat){0};
    SessionConfig config = {.vectors = !writes,
                            .ctx = ctx,
                            .sequences = places + 1,
                            .max_tokens = PREFILL_BATCH,
                            .max_logits = max_size(2 * places * rows, 32),
                            .rewind = rows - 1,
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

/* No text of more bytes can fit, whatever its tokens are. */
static size_t server_max_bytes(const Server *s) {
    const Tokenizer *tokenizer = s->loaded.model->tokenizer;
    size_t longest = 1;
    for (size_t i = 0; i < tokenizer_count(tokenizer); i++)
        longest = max_size(longest, tokenizer_piece(tokenizer, (int32_t)i, true).size);
    return longest * session_ctx(&s->loaded.session);
}

static bool open_eye(Server *s, Fault *fault) {
    const ServeOptions *o = s->options;
    if (!o->vision.mmproj || !server_is_first(s)) return true;
    if (!s->form.tree) return *fault = s->no_form, fault_prefix(fault, "--mmproj");
    if (!pictures_open(&s->pictures, &o->vision, (size_t)o->pictures, &s->loaded.session,
                       o->compute.pool, fault))
        return false;
    s->pictures.shared = s->admission.shared;
    return true;
}

void server_open(Server *s, struct Models *models, const ServeOptions *o, AccessLog *log) {
    const size_t places = (size_t)o->places;
    *s = (Server){.options = o,
                  .models = models,
                  .access = log,
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
}

/* The first one is loaded by all threads.  Another one is loaded by one thread, while they
 * compute for those that are there. */
static bool server_load_model(Server *s, Fault *fault) {
    ComputeOptions alone = s->options->compute;
    if (s->models->loaded) alone.pool = NULL;
    return loaded_open_model(&s->loaded, s->path, &alone, fault);
}

bool server_load(Server *s, Fault *fault) {
    const char *form = server_is_first(s) ? s->options->form : NULL;
    if (!find_draft(s, fault) || !server_load_model(s, fault) ||
        (server_is_first(s) &&
         !lora_open(&s->lora, &s->options->loras, s->name, &s->loaded.own, fault)) ||
        !prefixes_adapters(s, fault) || !open_session(s, fault) ||
        !server_check_chain(s, fault))
        return false;
    s->max_bytes = server_max_bytes(s);
    if (!loaded_open_form(&s->loaded, form, &s->form, &s->no_form)) {
        if (form) return *fault = s->no_form, false;
        fault_prefix(&s->no_form, "the server was started without --form");
    }
    if (!open_eye(s, fault)) return false;
    prefixes_read(s);
    stage_forbid_files();
    return worker_start(s, fault);
}

void server_unload(Server *s) {
    worker_stop(s);
    prefixes_write(s), s->prefixed = false;
    pictures_close(&s->pictures);
    chat_form_close(&s->form);
    if (s->side.model) session_close(&s->side);
    if (s->loaded.model) loaded_close(&s->loaded);
    lora_close(&s->lora);
    s->no_form = (Fault){0}, s->side = (Session){0}, s->loaded = (LoadedModel){0};
    s->digest = 0, s->past = (Past){0}, s->log = (ScheduleLog){0}, s->rate = (Rate){0};
    pthread_mutex_lock(&s->lock);
    s->stopping = s->draining = false, s->broken = (Fault){0};
    s->load = (Load){0}, s->n_status = 0;
    atomic_store(&s->giving_up, false);
    pthread_mutex_unlock(&s->lock);
}

void server_close(Server *s) {
    free(s->owned);
    pthread_mutex_destroy(&s->lock), pthread_cond_destroy(&s->wake);
}
