/* prompts.c - prompts as tokens.  See text_job.h. */
#include "text_job.h"
#include "json.h"
#include "template.h"
#include "tokenizers.h"

#include <stdlib.h>

void prompts_free(Prompts *p) {
    for (size_t i = 0; i < p->count; i++) token_list_free(&p->lists[i]);
    free(p->lists);
    shown_release(&p->shown), token_list_free(&p->ends);
    *p = (Prompts){0};
}

bool prompts_read_ids(const JsonValue *v, const char *field, const Server *server,
                      TokenList *list, HttpError *error) {
    const double most = (double)server->loaded.model->sizes.vocab - 1;
    double id;
    if (!token_list_reserve(list, v->count, &error->fault))
        return http_error_fault(error, 500, field);
    for (size_t i = 0; i < v->count; i++) {
        if (!value_as_int(&v->items[i], 0, most, &id))
            return http_error(error, 400, field, "%s: wanted token ids from 0 to %.0f", field,
                              most);
        token_list_add(list, (int32_t)id);
    }
    return true;
}

bool prompts_may_fit(const Server *server, size_t bytes, const char *field, HttpError *error) {
    if (bytes <= server->max_bytes) return true;
    http_error(error, 400, field,
               "%s: %zu bytes, and the context of %zu tokens holds at most %zu", field, bytes,
               session_ctx(&server->loaded.session), server->max_bytes);
    error->code = "context_length_exceeded";
    return false;
}

static bool prompts_read_one(const JsonValue *v, const char *field, const Server *server,
                             TokenList *list, HttpError *error) {
    const LoadedModel *m = &server->loaded;
    if (v->kind == JSON_ARRAY) return prompts_read_ids(v, field, server, list, error);
    if (v->kind != JSON_STRING)
        return http_error(error, 400, field,
                          "%s: wanted a string, strings, token ids, or arrays of token ids",
                          field);
    if (!prompts_may_fit(server, v->text.size, field, error)) return false;
    return loaded_tokenize(m, v->text, false, list, &error->fault) ||
           http_error_fault(error, 400, field);
}

static bool prompts_are_many(const JsonValue *v) {
    return v->kind == JSON_ARRAY && v->count &&
           (v->items[0].kind == JSON_STRING || v->items[0].kind == JSON_ARRAY);
}

bool prompts_count(const JsonValue *v, const char *field, size_t most, size_t *count,
                   HttpError *error) {
    *count = v && prompts_are_many(v) ? v->count : 1;
    return *count <= most ||
           http_error(error, 400, field, "%s: %zu, wanted at most %zu", field, *count, most);
}

bool prompts_read_shapes(const JsonValue *v, const char *field, size_t most,
                         const Server *server, Prompts *p, HttpError *error) {
    const bool many = prompts_are_many(v);
    size_t count;
    if (!prompts_count(v, field, most, &count, error)) return false;
    if (!(p->lists = calloc(count, sizeof *p->lists)))
        return http_error(error, 500, field, "no memory for %zu texts", count);
    p->count = count;
    for (size_t i = 0; i < count; i++) {
        if (!prompts_read_one(many ? &v->items[i] : v, field, server, &p->lists[i], error))
            return false;
        if (p->lists[i].count == 0)
            return http_error(error, 400, field, "%s: a text is empty", field);
    }
    return true;
}

static bool read_chat(const RequestFields *fields, const Server *server, Prompts *p,
                      HttpError *error) {
    Rendered rendered = {0};
    if (!(p->lists = calloc(1, sizeof *p->lists)))
        return http_error(error, 500, NULL, "no memory for a prompt");
    p->count = 1;
    bool ok = messages_render(fields, server, true, p, &rendered, error) &&
              prompts_may_fit(server, rendered.size, "messages", error) &&
              (shown_encode(&p->shown, server->loaded.model->tokenizer,
                            (Text){rendered.text, rendered.size}, rendered.user, true,
                            &p->lists[0], &error->fault) ||
               http_error_fault(error, 400, "messages"));
    rendered_free(&rendered);
    return ok;
}

/* The text between "prompt" and "suffix" is asked for. */
static bool prompts_read_fill(const RequestFields *fields, const Server *server, Prompts *p,
                              HttpError *error) {
    const JsonValue *before = fields->value[F_PROMPT], *behind = fields->value[F_SUFFIX];
    const Tokenizer *t = server->loaded.model->tokenizer;
    if (before->kind != JSON_STRING)
        return http_error(error, 400, "prompt", "prompt: wanted a text, with a suffix");
    if (!prompts_may_fit(server, before->text.size + behind->text.size, "prompt", error))
        return false;
    if (!(p->lists = calloc(1, sizeof *p->lists)))
        return http_error(error, 500, NULL, "no memory for a prompt");
    p->count = 1;
    tokenizer_begin(t, &p->lists[0]);
    if (tokenizer_fill(t, before->text, behind->text, &p->lists[0], &p->ends, &error->fault))
        return true;
    fault_prefix(&error->fault, "this model cannot fill in the middle");
    return http_error_fault(error, 400, "suffix");
}

bool prompts_read(const RequestFields *fields, const Server *server, Prompts *p,
                  HttpError *error) {
    const JsonValue *prompt = fields->value[F_PROMPT];
    if (prompt && fields->value[F_MESSAGES])
        return http_error(error, 400, "prompt", "prompt: does not go with messages");
    if (fields->where == IN_CHAT || fields->value[F_MESSAGES])
        return read_chat(fields, server, p, error);
    if (!prompt) return http_error(error, 400, "prompt", "prompt: missing");
    if (fields->value[F_SUFFIX]) return prompts_read_fill(fields, server, p, error);
    return prompts_read_shapes(prompt, "prompt", PROMPTS, server, p, error);
}
