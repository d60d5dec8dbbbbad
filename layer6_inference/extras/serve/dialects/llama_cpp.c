/* llama_cpp.c - what programs for llama.cpp's server ask about it: /props, /slots and
 * /lora-adapters.
 *
 * Source   llama.cpp, tools/server/README.md */
#include "dialect.h"

#include <string.h>

void handle_props(const HttpRequest *request, Reply *reply) {
    const Server *s = request->server;
    FILE *out = reply_begin(reply);
    if (!out) return;
    fprintf(out, "{\"total_slots\":%zu,\"default_generation_settings\":{\"n_ctx\":%zu},",
            s->policy.running, session_ctx(&s->loaded.session));
    fputs("\"model_alias\":", out), write_text(out, text_of(s->name));
    fprintf(out,
            ",\"modalities\":{\"vision\":%s,\"audio\":false},\"build_info\":\"strata-%s\"}",
            s->pictures.places ? "true" : "false", strata_version());
    reply_end(reply, out);
}

/* Without its request's choice, none acts. */
void handle_loras(const HttpRequest *request, Reply *reply) {
    const Lora *lora = &request->server->lora;
    FILE *out = reply_begin(reply);
    if (!out) return;
    fputc('[', out);
    for (size_t i = 0; i < lora->count; i++) {
        const char *slash = strrchr(lora->of[i].path, '/');
        fprintf(out, "%s{\"id\":%zu,\"name\":", i ? "," : "", i);
        write_text(out, text_of(lora->of[i].name)), fputs(",\"path\":", out);
        write_text(out, text_of(slash ? slash + 1 : lora->of[i].path));
        fputs(",\"scale\":0}", out);
    }
    fputc(']', out), reply_end(reply, out);
}

/* A slot for each answer that may run; those that do come first. */
void handle_slots(const HttpRequest *request, Reply *reply) {
    Server *s = request->server;
    FILE *out = reply_begin(reply);
    size_t id = 0;
    if (!out) return;
    fputc('[', out);
    pthread_mutex_lock(&s->lock);
    for (size_t i = 0; i < s->n_status && id < s->policy.running; i++) {
        const SlotStatus *status = &s->status[i];
        if (!status->running) continue;
        fprintf(out,
                "%s{\"id\":%zu,\"is_processing\":true,\"n_ctx\":%zu,\"id_task\":%llu,"
                "\"n_prompt_tokens\":%zu,\"n_decoded\":%zu}",
                id ? "," : "", id, session_ctx(&s->loaded.session),
                (unsigned long long)status->id, status->prompt, status->tokens);
        id++;
    }
    pthread_mutex_unlock(&s->lock);
    for (; id < s->policy.running; id++)
        fprintf(out, "%s{\"id\":%zu,\"is_processing\":false,\"n_ctx\":%zu}", id ? "," : "", id,
                session_ctx(&s->loaded.session));
    fputc(']', out), reply_end(reply, out);
}
