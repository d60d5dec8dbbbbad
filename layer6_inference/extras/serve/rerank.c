/* rerank.c - /v1/rerank: documents ordered by how well they answer a query, the same as
 * strata rerank's. */
#include "text_fields.h"
#include "json.h"
#include "rerank.h"

#include <stdlib.h>

enum { DOCUMENTS = 1024 };

/* A document for the worker. */
typedef struct Document {
    Text text;
    TokenList tokens; /* query and document; owns */
    size_t second, index;
    float score;
} Document;

typedef struct Ranking {
    Document *documents; /* (count) owns */
    size_t count, shown;
    bool with_texts;
} Ranking;

static bool score(Session *session, void *context, Fault *fault) {
    Document *d = context;
    return rerank_score(session, &d->tokens, d->second, &d->score, fault);
}

/* A document is a string, or an object {"text": "..."}. */
static bool read_document(const JsonValue *v, Text *text, HttpError *error) {
    const JsonValue *of = v->kind == JSON_OBJECT ? json_get(v, "text") : v;
    if (!of || of->kind != JSON_STRING)
        return http_error(error, 400, "documents", "documents: wanted texts");
    if (of->text.size == 0)
        return http_error(error, 400, "documents", "documents: a text is empty");
    *text = of->text;
    return true;
}

static bool read_documents(const RequestFields *fields, const Server *s, Ranking *r,
                           HttpError *error) {
    const JsonValue *list = fields->value[F_DOCUMENTS];
    if (!list || list->count == 0)
        return http_error(error, 400, "documents", "documents: missing");
    if (list->count > DOCUMENTS)
        return http_error(error, 400, "documents", "documents: %zu of them, more than %d",
                          list->count, DOCUMENTS);
    if (!(r->documents = calloc(list->count, sizeof *r->documents)))
        return http_error(error, 500, NULL, "no memory for %zu documents", list->count);
    r->count = list->count;
    for (size_t i = 0; i < r->count; i++) {
        Document *d = &r->documents[i];
        d->index = i;
        if (!read_document(&list->items[i], &d->text, error)) return false;
        if (!prompts_may_fit(s, fields->value[F_QUERY]->text.size + d->text.size, "documents",
                             error))
            return false;
        if (!rerank_encode(s->loaded.model, fields->value[F_QUERY]->text, d->text, &d->tokens,
                           &d->second, &error->fault))
            return http_error_fault(error, 400, "documents");
        if (d->tokens.count > session_ctx(&s->loaded.session))
            return http_error(
                error, 400, "documents",
                "documents: query and document have %zu tokens, the model reads %zu",
                d->tokens.count, session_ctx(&s->loaded.session));
    }
    return true;
}

static bool rerank_read_fields(const RequestFields *fields, const Server *s, Ranking *r,
                               HttpError *error) {
    if (!field_model(fields, s, error)) return false;
    if (!rerank_check(s->loaded.model, &error->fault))
        return http_error_fault(error, 400, NULL);
    if (!fields->value[F_QUERY] || fields->value[F_QUERY]->text.size == 0)
        return http_error(error, 400, "query", "query: missing");
    if (!read_documents(fields, s, r, error)) return false;
    r->shown = (size_t)fields_number(fields, F_TOP_N, (double)r->count);
    r->shown = min_size(r->shown, r->count);
    r->with_texts = fields_bool(fields, F_RETURN_DOCUMENTS, false);
    return true;
}

/* Best first; ties keep their order. */
static int by_score(const void *a, const void *b) {
    const Document *x = a, *y = b;
    if (x->score != y->score) return x->score < y->score ? 1 : -1;
    return x->index < y->index ? -1 : 1;
}

static bool score_all(const HttpRequest *request, Ranking *r, size_t *tokens,
                      HttpError *error) {
    for (size_t i = 0; i < r->count; i++) {
        Task task = {.run = score,
                     .context = &r->documents[i],
                     .is_gone = request->is_gone,
                     .client = request->client};
        if (request->is_gone(request->client))
            return http_error(error, 499, NULL, "the client disconnected");
        if (!worker_run(request->server, &task, &error->fault))
            return http_error_fault(error, 503, NULL);
        *tokens += r->documents[i].tokens.count;
    }
    qsort(r->documents, r->count, sizeof *r->documents, by_score);
    return true;
}

static void write_ranking(FILE *out, const HttpRequest *request, const Ranking *r,
                          size_t tokens) {
    fputs("{\"object\":\"list\",\"model\":", out);
    write_text(out, text_of(request->server->name));
    fputs(",\"results\":[", out);
    for (size_t i = 0; i < r->shown; i++) {
        const Document *d = &r->documents[i];
        fprintf(out, "%s{\"index\":%zu,\"relevance_score\":", i ? "," : "", d->index);
        write_number(out, (double)d->score);
        if (r->with_texts) fputs(",\"document\":{\"text\":", out), write_text(out, d->text);
        fputs(r->with_texts ? "}}" : "}", out);
    }
    fprintf(out, "],\"usage\":{\"prompt_tokens\":%zu,\"total_tokens\":%zu}}", tokens, tokens);
}

void handle_rerank(const HttpRequest *request, Reply *reply) {
    Ranking r = {0};
    RequestFields fields;
    HttpError error = {0};
    size_t tokens = 0;
    bool ok = fields_read(&fields, IN_RERANK, request->body, &error) &&
              rerank_read_fields(&fields, request->server, &r, &error) &&
              score_all(request, &r, &tokens, &error);
    FILE *out = ok ? reply_begin(reply) : NULL;
    if (out) write_ranking(out, request, &r, tokens), reply_end(reply, out);
    if (!ok) reply_error(reply, &error);
    reply_name_ignored(reply, &fields);
    for (size_t i = 0; i < r.count; i++) token_list_free(&r.documents[i].tokens);
    free(r.documents), fields_free(&fields);
}
