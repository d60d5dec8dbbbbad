/* ollama_info.c - what Ollama's clients ask about models: /api/tags, ps, show and version. */
#include "dialect.h"
#include "served_models.h"

#include <string.h>
#include <sys/stat.h>
#include <time.h>

static void ollama_details(FILE *out, const Server *s) {
    const char *arch = s->loaded.model->recipe->arch;
    fprintf(out,
            "\"details\":{\"parent_model\":\"\",\"format\":\"gguf\",\"family\":\"%s\","
            "\"families\":[\"%s\"],\"parameter_size\":\"\",\"quantization_level\":\"\"}",
            arch, arch);
}

/* A model, or one of its adapters.  What needs the model is missing if that is not loaded. */
static void ollama_model_entry(FILE *out, Server *s, Text name, bool loaded) {
    struct stat file = {0};
    char at[32];
    struct tm date;
    (void)stat(s->path, &file);
    gmtime_r(&file.st_mtime, &date);
    strftime(at, sizeof at, "%Y-%m-%dT%H:%M:%SZ", &date);
    fputs("{\"name\":", out), write_text(out, name);
    fputs(",\"model\":", out), write_text(out, name);
    fprintf(out, ",\"modified_at\":\"%s\",\"size\":%lld,\"digest\":\"\"", at,
            (long long)file.st_size);
    if (loaded)
        fprintf(out,
                ",\"expires_at\":\"9999-12-31T00:00:00Z\",\"size_vram\":0,"
                "\"context_length\":%zu",
                session_ctx(&s->loaded.session));
    if (models_look(s)) fputc(',', out), ollama_details(out, s), models_leave(s);
    fputc('}', out);
}

static void ollama_list(const HttpRequest *request, Reply *reply, bool loaded) {
    const Models *models = request->server->models;
    FILE *out = reply_begin(reply);
    size_t n = 0;
    if (!out) return;
    Text name;
    fputs("{\"models\":[", out);
    for (size_t i = 0; (name = models_name(models, i)).size; i++) {
        Server *s = models_find(models, name);
        if (loaded && !models_look(s)) continue;
        if (n++) fputc(',', out);
        ollama_model_entry(out, s, name, loaded);
        if (loaded) models_leave(s);
    }
    fputs("]}", out), reply_end(reply, out);
}

void handle_ollama_tags(const HttpRequest *request, Reply *reply) {
    ollama_list(request, reply, false);
}

void handle_ollama_ps(const HttpRequest *request, Reply *reply) {
    ollama_list(request, reply, true);
}

void handle_ollama_version(const HttpRequest *request, Reply *reply) {
    FILE *out = reply_begin(reply);
    (void)request;
    if (!out) return;
    fprintf(out, "{\"version\":\"%s\"}", strata_version()), reply_end(reply, out);
}

/* {"model": NAME}, perhaps with ":latest": the model, or an adapter. */
static bool ollama_names_model(const HttpRequest *request, HttpError *error) {
    Json *json = fields_parse(request->body, error);
    if (!json) return false;
    const Text asked = json_text(json_get(json_root(json), "model"));
    const Models *models = request->server->models;
    const bool ok = !asked.size ? http_error(error, 400, "model", "model: missing")
                                : models_find(models, asked) == request->server ||
                                      models_refuse(models, asked, error);
    json_free(json);
    return ok;
}

void handle_ollama_show(const HttpRequest *request, Reply *reply) {
    const Server *s = request->server;
    HttpError error = {0};
    if (!ollama_names_model(request, &error)) {
        texts_refuse(&dialect_ollama_chat, &error, reply);
        return;
    }
    const char *arch = s->loaded.model->recipe->arch;
    FILE *out = reply_begin(reply);
    if (!out) return;
    fputs("{\"modelfile\":\"\",\"parameters\":\"\",\"template\":\"\",", out);
    ollama_details(out, s);
    fprintf(
        out,
        ",\"model_info\":{\"general.architecture\":\"%s\",\"%s.context_length\":%zu,"
        "\"%s.embedding_length\":%zu,\"%s.block_count\":%zu},\"capabilities\":[\"%s\"%s%s]}",
        arch, arch, session_ctx(&s->loaded.session), arch, s->loaded.model->sizes.dim, arch,
        s->loaded.model->sizes.layers,
        model_writes(s->loaded.model) ? "completion" : "embedding",
        s->form.tree ? ",\"tools\"" : "", s->pictures.places ? ",\"vision\"" : "");
    reply_end(reply, out);
}
