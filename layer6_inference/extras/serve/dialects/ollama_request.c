/* ollama_request.c - Ollama's requests in OpenAI's words.
 *
 *     {"model": "m:latest", "messages": [...], "options": {"num_predict": 9}, "format": "json"}
 *         --> {"messages": [...], "stream": true, "model": "m", "max_tokens": 9,
 *              "response_format": {"type": "json_object"}}
 *
 * Source   Ollama, docs/api.md */
#include "ollama.h"

#include <string.h>

static const Alias ollama_fields[] = {
    {"model", ""},        {"messages", ""},   {"prompt", ""},     {"system", ""},
    {"images", ""},       {"options", ""},    {"format", ""},     {"raw", ""},
    {"stream", ""},       {"keep_alive", ""}, {"tools", "tools"}, {"think", "enable_thinking"},
    {"suffix", "suffix"},
};

static const Alias ollama_embed[] = {
    {"model", ""},   {"input", "input"}, {"truncate", "truncate"},
    {"options", ""}, {"keep_alive", ""}, {"dimensions", "dimensions"},
};

/* Those about the machine are the operator's here. */
static const Alias ollama_options[] = {
    {"num_predict", ""},
    {"num_ctx", ""},
    {"num_gpu", ""},
    {"num_thread", ""},
    {"num_batch", ""},
    {"main_gpu", ""},
    {"use_mmap", ""},
    {"use_mlock", ""},
    {"low_vram", ""},
    {"numa", ""},
    {"seed", "seed"},
    {"stop", "stop"},
    {"temperature", "temperature"},
    {"top_k", "top_k"},
    {"top_p", "top_p"},
    {"min_p", "min_p"},
    {"typical_p", "typical_p"},
    {"repeat_penalty", "repeat_penalty"},
    {"repeat_last_n", "repeat_last_n"},
    {"presence_penalty", "presence_penalty"},
    {"frequency_penalty", "frequency_penalty"},
};

static const Alias ollama_message[] = {
    {"role", "role"},
    {"content", ""},
    {"images", ""},
    {"tool_calls", "tool_calls"},
    {"tool_name", "name"},
    {"tool_call_id", "tool_call_id"},
    {"thinking", "reasoning_content"},
};

#define OLLAMA_NAMES \
    {"num_predict", "max_tokens"}, {"format", "response_format"}, { "think", "enable_thinking" }
const Alias ollama_chat_names[] = {OLLAMA_NAMES, {0}},
            ollama_generate_names[] = {OLLAMA_NAMES, {"prompt", "messages"}, {0}};

#define LENGTH(table) (sizeof(table) / sizeof *(table))

static bool is_text(const JsonValue *v) { return v && v->kind == JSON_STRING; }
static bool is_true(const JsonValue *v) { return v && v->kind == JSON_TRUE; }

/* A text, or with pictures the parts of a message. */
static bool ollama_content(const JsonValue *text, const JsonValue *images, FILE *out,
                           HttpError *error) {
    const Text said = is_text(text) ? text->text : (Text){"", 0};
    if (text && text->kind != JSON_STRING && text->kind != JSON_NULL)
        return http_error(error, 400, "content", "content: wanted a text");
    if (images && images->kind != JSON_NULL && images->kind != JSON_ARRAY)
        return http_error(error, 400, "images", "images: wanted a list of base64 texts");
    if (!images || images->count == 0) return write_text(out, said), true;
    fputs("[{\"type\":\"text\",\"text\":", out), write_text(out, said), fputc('}', out);
    for (size_t i = 0; i < images->count; i++) {
        if (!is_text(&images->items[i]))
            return http_error(error, 400, "images", "images: wanted a list of base64 texts");
        if (!image_write(text_of("image/png"), images->items[i].text, out, error)) return false;
    }
    return fputc(']', out), true;
}

static bool ollama_messages(const JsonValue *list, FILE *out, HttpError *error) {
    if (!list || list->kind != JSON_ARRAY)
        return http_error(error, 400, "messages", "messages: wanted an array");
    for (size_t i = 0; i < list->count; i++) {
        const JsonValue *m = &list->items[i];
        bool first = true;
        if (m->kind != JSON_OBJECT)
            return http_error(error, 400, "messages", "messages[%zu]: not an object", i);
        fputs(i ? ",{" : "{", out);
        if (!alias_write(m, ollama_message, LENGTH(ollama_message), &first, out, error))
            return false;
        member_begin(out, &first, "content");
        if (!ollama_content(json_get(m, "content"), json_get(m, "images"), out, error))
            return false;
        fputc('}', out);
    }
    return true;
}

/* A prompt as a user's message, after the system's. */
static bool ollama_prompt(const JsonValue *root, FILE *out, HttpError *error) {
    const JsonValue *prompt = json_get(root, "prompt"), *system = json_get(root, "system");
    if (!is_text(prompt)) return http_error(error, 400, "prompt", "prompt: wanted a text");
    if (is_text(system)) {
        fputs("{\"role\":\"system\",\"content\":", out);
        write_text(out, system->text), fputs("},", out);
    }
    fputs("{\"role\":\"user\",\"content\":", out);
    return ollama_content(prompt, json_get(root, "images"), out, error) && fputc('}', out) >= 0;
}

static bool ollama_format(const JsonValue *format, bool *first, FILE *out, HttpError *error) {
    if (!format || format->kind == JSON_NULL || (is_text(format) && format->text.size == 0))
        return true;
    member_begin(out, first, "response_format");
    if (format->kind == JSON_OBJECT) {
        fputs("{\"type\":\"json_schema\",\"json_schema\":{\"schema\":", out);
        write_value(out, format), fputs("}}", out);
        return true;
    }
    return (is_text(format) && text_equal(format->text, text_of("json")) &&
            fputs("{\"type\":\"json_object\"}", out) >= 0) ||
           http_error(error, 400, "format", "format: wanted json or a schema");
}

/* num_predict: -1 and -2 mean as many as fit. */
static bool ollama_limits(const JsonValue *options, const Server *s, bool raw, bool *first,
                          FILE *out, HttpError *error) {
    const JsonValue *most = options ? json_get(options, "num_predict") : NULL,
                    *ctx = options ? json_get(options, "num_ctx") : NULL;
    const size_t room = session_ctx(&s->loaded.session);
    double n = -1, wanted = 0;
    if (most && !value_as_int(most, -2, 1e9, &n))
        return http_error(error, 400, "num_predict", "num_predict: wanted an integer from -2");
    const bool fits = !ctx || (value_as_int(ctx, 1, 1e9, &wanted) && wanted <= (double)room);
    if (!fits && fields_are_lenient())
        member_begin(out, first, "num_ctx"), fputs("null", out); /* the core names it */
    else if (!fits)
        return http_error(error, 400, "num_ctx", "num_ctx: wanted 1 to %zu, the server's",
                          room);
    if (n < 0 && !raw) return true;
    member_begin(out, first, "max_tokens");
    fprintf(out, "%.0f", n < 0 ? (double)room : n);
    return true;
}

static bool ollama_model(const JsonValue *root, bool *first, FILE *out) {
    const JsonValue *model = json_get(root, "model");
    Text name = is_text(model) ? model->text : (Text){"", 0};
    static const char latest[] = ":latest";
    const size_t n = sizeof latest - 1;
    if (!is_text(model)) return true;
    if (name.size > n && memcmp(name.data + name.size - n, latest, n) == 0) name.size -= n;
    member_begin(out, first, "model"), write_text(out, name);
    return true;
}

/* The fields that are read here have their types. */
static bool ollama_types(const JsonValue *root, HttpError *error) {
    static const struct {
        const char *name, *wanted;
        JsonKind kind, other;
    } types[] = {{"model", "a text", JSON_STRING, JSON_STRING},
                 {"system", "a text", JSON_STRING, JSON_STRING},
                 {"raw", "true or false", JSON_TRUE, JSON_FALSE}};
    for (size_t i = 0; i < LENGTH(types); i++) {
        const JsonValue *v = json_get(root, types[i].name);
        if (v && v->kind != JSON_NULL && v->kind != types[i].kind && v->kind != types[i].other)
            return http_error(error, 400, types[i].name, "%s: wanted %s", types[i].name,
                              types[i].wanted);
    }
    return true;
}

static bool ollama_common(const JsonValue *root, const Server *s, bool raw, bool *first,
                          FILE *out, HttpError *error) {
    const JsonValue *options = json_get(root, "options"), *stream = json_get(root, "stream");
    if (options && options->kind != JSON_OBJECT)
        return http_error(error, 400, "options", "options: wanted an object");
    if (stream && stream->kind != JSON_TRUE && stream->kind != JSON_FALSE)
        return http_error(error, 400, "stream", "stream: wanted true or false");
    if (!ollama_types(root, error)) return false;
    member_begin(out, first, "stream");
    fputs(stream && stream->kind == JSON_FALSE ? "false" : "true", out);
    return alias_write(root, ollama_fields, LENGTH(ollama_fields), first, out, error) &&
           ollama_model(root, first, out) &&
           (!options ||
            alias_write(options, ollama_options, LENGTH(ollama_options), first, out, error)) &&
           ollama_format(json_get(root, "format"), first, out, error) &&
           ollama_limits(options, s, raw, first, out, error);
}

bool ollama_chat_translate(const JsonValue *root, const Server *s, FILE *out,
                           HttpError *error) {
    bool first = false;
    fputs("\"messages\":[", out);
    return ollama_messages(json_get(root, "messages"), out, error) && fputc(']', out) >= 0 &&
           ollama_common(root, s, false, &first, out, error);
}

/* "raw", a "suffix", or a model without a chat template: the prompt as it is. */
int ollama_generate_where(const JsonValue *root, const Server *s) {
    const bool plain = is_true(json_get(root, "raw")) || member_text(root, "suffix").size > 0;
    return plain || !s->form.tree ? IN_COMPLETION : IN_CHAT;
}

static bool ollama_raw(const JsonValue *root, const Server *s, FILE *out, HttpError *error) {
    const JsonValue *prompt = json_get(root, "prompt"), *images = json_get(root, "images");
    bool first = false;
    if (!is_text(prompt)) return http_error(error, 400, "prompt", "prompt: wanted a text");
    const bool pictures =
        images && images->kind != JSON_NULL && (images->kind != JSON_ARRAY || images->count);
    const char *field = pictures ? "images" : "system";
    if (pictures || member_text(root, "system").size)
        return http_error(error, 400, field,
                          "%s: this prompt goes to the model as it is: wanted no %s", field,
                          field);
    fputs("\"prompt\":", out), write_text(out, prompt->text);
    return ollama_common(root, s, true, &first, out, error);
}

bool ollama_generate_translate(const JsonValue *root, const Server *s, FILE *out,
                               HttpError *error) {
    bool first = false;
    if (ollama_generate_where(root, s) == IN_COMPLETION) return ollama_raw(root, s, out, error);
    fputs("\"messages\":[", out);
    return ollama_prompt(root, out, error) && fputc(']', out) >= 0 &&
           ollama_common(root, s, false, &first, out, error);
}

bool ollama_load_translate(const JsonValue *root, const Server *s, FILE *out,
                           HttpError *error) {
    bool first = true;
    return ollama_common(root, s, false, &first, out, error);
}

bool ollama_embed_translate(const JsonValue *root, const Server *s, FILE *out,
                            HttpError *error) {
    const JsonValue *cut = json_get(root, "truncate");
    bool first = true;
    (void)s;
    if (!cut || cut->kind == JSON_NULL)
        member_begin(out, &first, "truncate"), fputs("true", out);
    return ollama_model(root, &first, out) &&
           alias_write(root, ollama_embed, LENGTH(ollama_embed), &first, out, error);
}
