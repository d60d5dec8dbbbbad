/* embeddings.c - /v1/embeddings, and /api/embed in Ollama's dialect: texts as vectors of length
 * 1, the same as strata embed's. */
#include "dialects/ollama.h"
#include "base64.h"
#include "text_fields.h"
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

static void write_vector(FILE *out, const float *x, size_t dim) {
    for (size_t k = 0; k < dim; k++) fputc(k ? ',' : '[', out), write_number(out, x[k]);
    fputc(']', out);
}

static void embeddings_write_one(FILE *out, const RequestFields *fields, const float *x,
                                 size_t dim, size_t index) {
    fprintf(out, "{\"object\":\"embedding\",\"index\":%zu,\"embedding\":", index);
    if (text_equal(fields_text(fields, F_ENCODING_FORMAT, "float"), text_of("base64")))
        fputc('"', out), base64_write(out, x, dim * sizeof *x), fputc('"', out);
    else
        write_vector(out, x, dim);
    fputc('}', out);
}

static bool embeddings_read_fields(const RequestFields *fields, const Server *s,
                                   Pooling *pooling, Prompts *inputs, HttpError *error) {
    char name[16];
    Text format = fields_text(fields, F_ENCODING_FORMAT, "float"),
         pool = fields_text(fields, F_POOLING, pooling_name(pooling_of_model(s->loaded.model)));
    const size_t dim = s->loaded.model->sizes.dim;
    if (!field_model(fields, s, error)) return false;
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

/* Append the model's end tokens, as for whole texts; cut what is too long, if asked to. */
static bool check_inputs(const RequestFields *fields, const Server *s, Prompts *inputs,
                         HttpError *error) {
    const JsonValue *v = fields->value[F_INPUT];
    const size_t ctx = session_ctx(&s->loaded.session);
    if (v->kind == JSON_ARRAY && v->count == 0)
        return http_error(error, 400, "input", "input: wanted at least one text");
    for (size_t i = 0; i < inputs->count; i++) {
        const JsonValue *one = inputs->count > 1 || (v->kind == JSON_ARRAY && v->count == 1 &&
                                                     v->items[0].kind != JSON_NUMBER)
                                   ? &v->items[i]
                                   : v;
        if (one->kind == JSON_STRING && one->text.size == 0)
            return http_error(error, 400, "input", "input: a text is empty");
        if (one->kind == JSON_STRING)
            tokenizer_end(s->loaded.model->tokenizer, &inputs->lists[i]);
        if (fields_bool(fields, F_TRUNCATE, false))
            inputs->lists[i].count = min_size(inputs->lists[i].count, ctx);
        if (inputs->lists[i].count > ctx)
            return http_error(error, 400, "input",
                              "input: a text has %zu tokens, the model reads %zu",
                              inputs->lists[i].count, ctx);
    }
    return true;
}

/* A request on its way; ollama: answered in its dialect. */
typedef struct EmbeddingRun {
    const HttpRequest *request;
    RequestFields fields;
    Prompts inputs;
    Embedding one;
    bool ollama;
    double began;
} EmbeddingRun;

static void embeddings_write_end(FILE *out, const EmbeddingRun *r, size_t tokens) {
    fputs("],\"model\":", out);
    write_text(out, text_of(r->request->server->name));
    if (r->ollama)
        fprintf(out, ",\"total_duration\":%.0f,\"load_duration\":0,\"prompt_eval_count\":%zu}",
                1e9 * (clock_seconds() - r->began), tokens);
    else
        fprintf(out, ",\"usage\":{\"prompt_tokens\":%zu,\"total_tokens\":%zu}}", tokens,
                tokens);
}

/* One task per text, so that decode steps run in between. */
static bool run_all(EmbeddingRun *r, FILE *out, HttpError *error) {
    Embedding *e = &r->one;
    size_t tokens = 0;
    fputs(r->ollama ? "{\"embeddings\":[" : "{\"object\":\"list\",\"data\":[", out);
    for (size_t i = 0; i < r->inputs.count; i++) {
        Task task = {.run = embeddings_embed,
                     .context = e,
                     .is_gone = r->request->is_gone,
                     .client = r->request->client};
        e->tokens = &r->inputs.lists[i];
        if (r->request->is_gone(r->request->client))
            return http_error(error, 499, NULL, "the client disconnected");
        if (!worker_run(r->request->server, &task, &error->fault))
            return http_error_fault(error, 503, NULL);
        if (i) fputc(',', out);
        if (r->ollama)
            write_vector(out, e->vector, e->dim);
        else
            embeddings_write_one(out, &r->fields, e->vector, e->dim, i);
        tokens += e->tokens->count;
    }
    embeddings_write_end(out, r, tokens);
    return true;
}

/* Answer a body in OpenAI's words. */
static void embeddings_answer(EmbeddingRun *r, Text body, Reply *reply) {
    const Dialect *dialect = r->ollama ? &dialect_ollama_chat : &dialect_openai;
    const Server *s = r->request->server;
    HttpError error = {0};
    r->began = clock_seconds(), r->one.dim = s->loaded.model->sizes.dim;
    bool ok = fields_read(&r->fields, IN_EMBEDDINGS, body, &error) &&
              embeddings_read_fields(&r->fields, s, &r->one.pooling, &r->inputs, &error) &&
              check_inputs(&r->fields, s, &r->inputs, &error);
    if (ok && !(r->one.vector = malloc(r->one.dim * sizeof *r->one.vector)))
        ok = http_error(&error, 500, NULL, "no memory for a vector");
    FILE *out = ok ? reply_begin(reply) : NULL;
    if (out) {
        ok = run_all(r, out, &error);
        reply_end(reply, out);
    }
    if (!ok) free(reply->body), texts_refuse(dialect, &error, reply);
    reply_name_ignored(reply, &r->fields);
    free(r->one.vector), prompts_free(&r->inputs), fields_free(&r->fields);
}

void handle_embeddings(const HttpRequest *request, Reply *reply) {
    EmbeddingRun run = {.request = request};
    embeddings_answer(&run, request->body, reply);
}

void handle_ollama_embed(const HttpRequest *request, Reply *reply) {
    static const Dialect embed = {.translate = ollama_embed_translate};
    EmbeddingRun run = {.request = request, .ollama = true};
    HttpError error = {0};
    size_t size;
    int where = IN_EMBEDDINGS;
    Json *json = fields_parse(request->body, &error);
    char *body =
        json ? texts_translate(json_root(json), request->server, &embed, &where, &size, &error)
             : NULL;
    if (body)
        embeddings_answer(&run, (Text){body, size}, reply);
    else
        texts_refuse(&dialect_ollama_chat, &error, reply);
    json_free(json), free(body);
}
