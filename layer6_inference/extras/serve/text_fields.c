/* text_fields.c - see text_fields.h. */
#include "text_fields.h"

#include "keys.h"
#include "served_models.h"
#include "json.h"

#include <stdlib.h>
#include <string.h>

enum { STOPS = 16, STOP_BYTES = 256 };

bool model_is(const Server *s, Text name, HttpError *error) {
    if (text_equal(name, text_of(s->name))) return true;
    return models_refuse(s->models, name, error);
}

bool field_model(const RequestFields *fields, const Server *s, HttpError *error) {
    const Text name = fields_text(fields, F_MODEL, s->name);
    const bool weights = fields->where & (IN_EMBEDDINGS | IN_RERANK);
    return (!weights && lora_find(&s->lora, name) < s->lora.count) || model_is(s, name, error);
}

bool field_adapters(TextJob *t, HttpError *error) {
    const Server *s = t->server;
    const Text name = fields_text(&t->fields, F_MODEL, s->name);
    const size_t named = lora_find(&s->lora, name);
    t->model = named < s->lora.count ? s->lora.of[named].name : s->name;
    return (named < s->lora.count || model_is(s, name, error)) &&
           lora_read(&s->lora, name, t->fields.value[F_LORA], &t->lora, error);
}

bool field_stream_options(TextJob *t, HttpError *error) {
    const JsonValue *options = t->fields.value[F_STREAM_OPTIONS];
    t->stream = fields_bool(&t->fields, F_STREAM, false);
    if (!options) return true;
    if (!t->stream)
        return http_error(error, 400, "stream_options", "stream_options: needs stream");
    for (size_t i = 0; i < options->count; i++) {
        const JsonValue *v = &options->items[i];
        bool known = text_equal(options->keys[i], text_of("include_usage")) && json_is_flag(v);
        if (!known)
            return http_error(error, 400, "stream_options",
                              "stream_options: wanted include_usage, true or false");
        t->usage = v->kind == JSON_TRUE;
    }
    return true;
}

/* Copies of a field's strings, one or several; *n of them. */
static bool copy_texts(const JsonValue *v, const char *field, char **texts, size_t *n,
                       HttpError *error) {
    size_t count = !v ? 0 : v->kind == JSON_ARRAY ? v->count : 1;
    *n = 0;
    if (count > STOPS)
        return http_error(error, 400, field, "%s: more than %d texts", field, STOPS);
    for (size_t i = 0; i < count; i++) {
        const JsonValue *one = v->kind == JSON_ARRAY ? &v->items[i] : v;
        if (one->kind != JSON_STRING || !one->text.size || one->text.size > STOP_BYTES ||
            memchr(one->text.data, 0, one->text.size))
            return http_error(error, 400, field, "%s: wanted texts of 1 to %d bytes", field,
                              STOP_BYTES);
        if (!(texts[*n] = strndup(one->text.data, one->text.size)))
            return http_error(error, 500, field, "no memory for texts");
        ++*n;
    }
    return true;
}

bool field_stops(TextJob *t, HttpError *error) {
    char *texts[STOPS];
    size_t n;
    bool ok = copy_texts(t->fields.value[F_STOP], "stop", texts, &n, error);
    ok = ok && (stops_open(&t->job->stops, (const char *const *)texts, n, &error->fault) ||
                http_error_fault(error, 500, "stop"));
    while (n) free(texts[--n]);
    return ok;
}

bool field_banned(const TextJob *t, Answer *a, HttpError *error) {
    char *texts[STOPS];
    size_t n;
    bool ok = copy_texts(t->fields.value[F_BANNED_STRINGS], "banned_strings", texts, &n, error);
    ok = ok && (take_back_open(&a->take_back, (const char *const *)texts, n, &error->fault) ||
                http_error_fault(error, 500, "banned_strings"));
    while (n) free(texts[--n]);
    return ok;
}

bool field_logprobs(TextJob *t, HttpError *error) {
    const JsonValue *v = t->fields.value[F_LOGPROBS];
    double tops = fields_number(&t->fields, F_TOP_LOGPROBS, 0);
    if (t->chat && v && v->kind != JSON_TRUE && v->kind != JSON_FALSE)
        return http_error(error, 400, "logprobs", "logprobs: wanted true or false");
    if (!t->chat && v && !value_as_int(v, 0, NOTE_TOPS, &tops))
        return http_error(error, 400, "logprobs", "logprobs: wanted an integer from 0 to %d",
                          NOTE_TOPS);
    t->logprobs = v && v->kind != JSON_FALSE;
    t->job->logprobs = t->logprobs || t->reported < t->n;
    if (t->fields.value[F_TOP_LOGPROBS] && !t->logprobs)
        return http_error(error, 400, "top_logprobs", "top_logprobs: needs logprobs");
    t->job->tops = (size_t)tops;
    return true;
}

bool field_salt(TextJob *t, Text key, HttpError *error) {
    Text own = fields_text(&t->fields, F_CACHE_SALT, "");
    if (t->fields.value[F_CACHE_SALT] && own.size == 0)
        return http_error(error, 400, "cache_salt", "cache_salt: its text is empty");
    t->salt = lora_salt(&t->lora, keys_salt(key, own)), t->user = keys_salt(key, (Text){0});
    return true;
}

bool field_modalities(const RequestFields *fields, HttpError *error) {
    const JsonValue *v = fields->value[F_MODALITIES];
    return !v ||
           (v->count == 1 && v->items[0].kind == JSON_STRING &&
            text_equal(v->items[0].text, text_of("text"))) ||
           http_error(error, 400, "modalities", "modalities: wanted text only");
}

bool field_think(const TextJob *t, const Chain *chain, bool constrained, HttpError *error) {
    bool limited = false;
    for (size_t i = 0; i < chain->count; i++)
        limited |= chain->stages[i].kind == &stage_think && !stage_is_off(&chain->stages[i]);
    if (limited && !t->server->form.thinks)
        return http_error(
            error, 400, "thinking_budget",
            "this model's template has no <think>, so there is no thinking to limit");
    return !limited || !constrained ||
           http_error(error, 400, "thinking_budget",
                      "a thinking budget does not go with tools or response_format");
}
