/* embeddings.c - /v1/embeddings: texts as vectors of length 1, the same as strata embed's. */
#include "base64.h"
#include "text_job.h"
#include "json.h"
#include "pooling.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { INPUTS = 256 };

/* A text for the worker. */
typedef struct Embedding {
    TokenList *tokens;
    Pooling pooling;
    float *vector; /* (dim) owns */
    size_t dim;
} Embedding;

static bool embeddings_embed(Session *session, void *context, Fault *fault) {
    Embedding *e = context;
    if (!pooling_run(session, e->pooling, e->tokens->ids, e->tokens->count, 0, e->vector,
                     fault))
        return false;
    pooling_normalize(e->vector, e->dim);
    return isfinite(pooling_cosine(e->vector, e->vector, e->dim)) ||
           fault_set(fault, "the model's numbers are not finite");
}

static void write_vector(FILE *out, const RequestFields *fields, const float *x, size_t dim,
                         size_t index) {
    fprintf(out, "{\"object\":\"embedding\",\"index\":%zu,\"embedding\":", index);
    if (text_equal(fields_text(fields, F_ENCODING_FORMAT, "float"), text_of("base64"))) {
        fputc('"', out), base64_write(out, x, dim * sizeof *x), fputc('"', out);
    } else {
        for (size_t k = 0; k < dim; k++) fputc(k ? ',' : '[', out), write_number(out, x[k]);
        fputc(']', out);
    }
    fputc('}', out);
}

static bool embeddings_read_fields(const RequestFields *fields, const Server *s,
                                   Pooling *pooling, Prompts *inputs, HttpError *error) {
    char name[16];
    Text format = fields_text(fields, F_ENCODING_FORMAT, "float"),
         pool = fields_text(fields, F_POOLING, pooling_name(pooling_of_model(s->loaded.model)));
    const size_t dim = s->loaded.model->sizes.dim;
    if (!text_equal(fields_text(fields, F_MODEL, s->name), text_of(s->name)))
        return http_error(error, 404, "model", "this is %s", s->name);
    if (!fields->value[F_INPUT]) return http_error(error, 400, "input", "input: missing");
    if (!text_equal(format, text_of("float")) && !text_equal(format, text_of("base64")))
        return http_error(error, 400, "encoding_format",
                          "encoding_format: wanted float or base64");
    if (fields_number(fields, F_DIMENSIONS, (double)dim) != (double)dim)
        return http_error(error, 400, "dimensions", "dimensions: wanted %zu, the model's", dim);
    snprintf(name, sizeof name, "%.*s", (int)min_size(pool.size, 15), pool.data);
    bool known = pooling_parse(name, pooling, &error->fault);
    if (known && *pooling == POOLING_RANK && !fields->value[F_POOLING])
        return http_error(error, 400, NULL, "this is a reranking model: POST /v1/rerank");
    if (!known || *pooling == POOLING_NONE || *pooling == POOLING_RANK)
        return http_error(error, 400, "pooling", "pooling: wanted mean, last or cls");
    if (!pooling_check(s->loaded.model, *pooling, &error->fault))
        return http_error_fault(error, 400, "model");
    return prompts_read_shapes(fields->value[F_INPUT], "input", INPUTS, s, inputs, error);
}

/* Append the model's end tokens, as for whole texts. */
static bool check_inputs(const RequestFields *fields, const Server *s, Prompts *inputs,
                         HttpError *error) {
    const JsonValue *v = fields->value[F_INPUT];
    const size_t ctx = session_ctx(&s->loaded.session);
    for (size_t i = 0; i < inputs->count; i++) {
        const JsonValue *one = inputs->count > 1 || (v->kind == JSON_ARRAY && v->count == 1 &&
                                                     v->items[0].kind != JSON_NUMBER)
                                   ? &v->items[i]
                                   : v;
        if (one->kind == JSON_STRING && one->text.size == 0)
            return http_error(error, 400, "input", "input: a text is empty");
        if (one->kind == JSON_STRING)
            tokenizer_end(s->loaded.model->tokenizer, &inputs->lists[i]);
        if (inputs->lists[i].count > ctx)
            return http_error(error, 400, "input",
                              "input: a text has %zu tokens, the model reads %zu",
                              inputs->lists[i].count, ctx);
    }
    return true;
}

/* One task per text, so that decode steps run in between. */
static bool run_all(const HttpRequest *request, const RequestFields *fields, Embedding *e,
                    const Prompts *inputs, FILE *out, HttpError *error) {
    size_t tokens = 0;
    fputs("{\"object\":\"list\",\"data\":[", out);
    for (size_t i = 0; i < inputs->count; i++) {
        Task task = {.run = embeddings_embed, .context = e};
        e->tokens = &inputs->lists[i];
        if (request->is_gone(request->client))
            return http_error(error, 499, NULL, "the client disconnected");
        if (!worker_run(request->server, &task, &error->fault))
            return http_error_fault(error, 503, NULL);
        if (i) fputc(',', out);
        write_vector(out, fields, e->vector, e->dim, i);
        tokens += inputs->lists[i].count;
    }
    fputs("],\"model\":", out);
    write_text(out, text_of(request->server->name));
    fprintf(out, ",\"usage\":{\"prompt_tokens\":%zu,\"total_tokens\":%zu}}", tokens, tokens);
    return true;
}

void handle_embeddings(const HttpRequest *request, Reply *reply) {
    Prompts inputs = {0};
    RequestFields fields;
    HttpError error = {0};
    Embedding e = {.dim = request->server->loaded.model->sizes.dim};
    bool ok = fields_read(&fields, IN_EMBEDDINGS, request->body, &error) &&
              embeddings_read_fields(&fields, request->server, &e.pooling, &inputs, &error) &&
              check_inputs(&fields, request->server, &inputs, &error);
    if (ok && !(e.vector = malloc(e.dim * sizeof *e.vector)))
        ok = http_error(&error, 500, NULL, "no memory for a vector");
    FILE *out = ok ? reply_begin(reply) : NULL;
    if (out) {
        ok = run_all(request, &fields, &e, &inputs, out, &error);
        reply_end(reply, out);
    }
    if (!ok) free(reply->body), reply_error(reply, &error);
    free(e.vector), prompts_free(&inputs), fields_free(&fields);
}
