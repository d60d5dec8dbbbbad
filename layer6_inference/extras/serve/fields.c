/* fields.c - the table of fields, and reading a body by it.  See fields.h. */
#include "fields.h"
#include "json.h"
#include "spellings.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef enum Takes {
    TAKES_ANY, /* checked where it is used */
    TAKES_BOOL,
    TAKES_INT,
    TAKES_NUMBER,
    TAKES_TEXT,
    TAKES_ARRAY,
    TAKES_OBJECT
} Takes;

typedef struct Field {
    const char *name;
    int where;
    Takes takes;
    double low, high; /* range of a number */
} Field;

static const Field field_table[FIELDS] = {
    [F_MODEL] = {"model", ~0, TAKES_TEXT, 0, 0},
    [F_MESSAGES] = {"messages", IN_CHAT | IN_TEMPLATE | IN_STEPS, TAKES_ARRAY, 0, 0},
    [F_PROMPT] = {"prompt", IN_COMPLETION | IN_STEPS, TAKES_ANY, 0, 0},
    [F_INPUT] = {"input", IN_EMBEDDINGS, TAKES_ANY, 0, 0},
    [F_QUERY] = {"query", IN_RERANK, TAKES_TEXT, 0, 0},
    [F_DOCUMENTS] = {"documents", IN_RERANK, TAKES_ARRAY, 0, 0},
    [F_TOP_N] = {"top_n", IN_RERANK, TAKES_INT, 1, 1e9},
    [F_RETURN_DOCUMENTS] = {"return_documents", IN_RERANK, TAKES_BOOL, 0, 0},
    [F_STREAM] = {"stream", IN_BOTH, TAKES_BOOL, 0, 0},
    [F_STREAM_OPTIONS] = {"stream_options", IN_BOTH, TAKES_OBJECT, 0, 0},
    [F_MAX_TOKENS] = {"max_tokens", IN_BOTH, TAKES_INT, 0, 1e9},
    [F_MAX_COMPLETION_TOKENS] = {"max_completion_tokens", IN_CHAT, TAKES_INT, 1, 1e9},
    [F_N] = {"n", IN_BOTH, TAKES_INT, 1, 128},
    [F_BEST_OF] = {"best_of", IN_COMPLETION, TAKES_INT, 1, 128},
    [F_SEED] = {"seed", IN_TEXT, TAKES_INT, -9007199254740991.0, 9007199254740991.0},
    [F_STOP] = {"stop", IN_BOTH, TAKES_ANY, 0, 0},
    [F_LOGPROBS] = {"logprobs", IN_BOTH, TAKES_ANY, 0, 0},
    [F_TOP_LOGPROBS] = {"top_logprobs", IN_CHAT, TAKES_INT, 0, 20},
    [F_ECHO] = {"echo", IN_COMPLETION, TAKES_BOOL, 0, 0},
    [F_RESPONSE_FORMAT] = {"response_format", IN_BOTH, TAKES_OBJECT, 0, 0},
    [F_TOOLS] = {"tools", IN_CHAT | IN_TEMPLATE, TAKES_ARRAY, 0, 0},
    [F_TOOL_CHOICE] = {"tool_choice", IN_CHAT, TAKES_ANY, 0, 0},
    [F_PARALLEL_TOOL_CALLS] = {"parallel_tool_calls", IN_CHAT, TAKES_BOOL, 0, 0},
    [F_CHAIN] = {"chain", IN_TEXT, TAKES_TEXT, 0, 0},
    [F_NEGATIVE] = {"negative", IN_TEXT, TAKES_TEXT, 0, 0},
    [F_PRIORITY] = {"priority", IN_TEXT, TAKES_INT, -100, 100},
    [F_SECONDS] = {"seconds", IN_TEXT, TAKES_NUMBER, 0.001, 1e6},
    [F_ENABLE_THINKING] = {"enable_thinking", IN_CHAT | IN_TEMPLATE | IN_STEPS, TAKES_BOOL, 0,
                           0},
    [F_ADD_GENERATION_PROMPT] = {"add_generation_prompt", IN_TEMPLATE, TAKES_BOOL, 0, 0},
    [F_ENCODING_FORMAT] = {"encoding_format", IN_EMBEDDINGS, TAKES_TEXT, 0, 0},
    [F_TRUNCATE] = {"truncate", IN_EMBEDDINGS, TAKES_BOOL, 0, 0},
    [F_SUFFIX] = {"suffix", IN_COMPLETION, TAKES_TEXT, 0, 0},
    [F_DIMENSIONS] = {"dimensions", IN_EMBEDDINGS, TAKES_INT, 1, 1e9},
    [F_POOLING] = {"pooling", IN_EMBEDDINGS, TAKES_TEXT, 0, 0},
    [F_CONTENT] = {"content", IN_TOKENIZE, TAKES_TEXT, 0, 0},
    [F_SPECIAL] = {"special", IN_TOKENIZE | IN_DETOKENIZE, TAKES_BOOL, 0, 0},
    [F_TOKENS] = {"tokens", IN_DETOKENIZE, TAKES_ARRAY, 0, 0},
    [F_WITH_PIECES] = {"with_pieces", IN_TOKENIZE, TAKES_BOOL, 0, 0},
    [F_LOGIT_BIAS] = {"logit_bias", IN_TEXT, TAKES_ANY, 0, 0},
    [F_BANNED_STRINGS] = {"banned_strings", IN_BOTH, TAKES_ARRAY, 0, 0},
    [F_CACHE_SALT] = {"cache_salt", IN_TEXT, TAKES_TEXT, 0, 0},
    [F_THINKING_BUDGET] = {"thinking_budget", IN_BOTH, TAKES_INT, -1, 1e9},
    [F_REASONING_BUDGET] = {"reasoning_budget", IN_BOTH, TAKES_INT, -1, 1e9},
    [F_REASONING_FORMAT] = {"reasoning_format", IN_CHAT | IN_STEPS, TAKES_TEXT, 0, 0},
    [F_REASONING_EFFORT] = {"reasoning_effort", IN_CHAT | IN_TEMPLATE, TAKES_TEXT, 0, 0},
    [F_CONTEXT_SHIFT] = {"context_shift", IN_BOTH, TAKES_BOOL, 0, 0},
    [F_N_KEEP] = {"n_keep", IN_BOTH, TAKES_INT, 0, 1e6},
    [F_ANSWER_TOKENS] = {"answer_tokens", IN_TEXT, TAKES_ARRAY, 0, 0},
    [F_LORA] = {"lora", IN_TEXT, TAKES_ARRAY, 0, 0},
    [F_WATCH] = {"watch", IN_STEPS, TAKES_ARRAY, 0, 0},
    [F_MODALITIES] = {"modalities", IN_CHAT, TAKES_ARRAY, 0, 0},
};

/* Fields that OpenAI's clients send and that have no effect here; a prediction only makes its
 * answer faster. */
static const char *const harmless[] = {"user",         "metadata",          "store",
                                       "service_tier", "safety_identifier", "prompt_cache_key",
                                       "cache_prompt", "prediction"};

/* ------------------------------------------------------------------ values */

bool value_as_number(const JsonValue *v, double *number) {
    char copy[64], *end;
    if (v->kind != JSON_NUMBER || v->text.size >= sizeof copy) return false;
    memcpy(copy, v->text.data, v->text.size);
    copy[v->text.size] = 0;
    *number = strtod(copy, &end);
    return *end == 0 && isfinite(*number);
}

bool value_as_int(const JsonValue *v, double low, double high, double *number) {
    return value_as_number(v, number) && *number == floor(*number) && *number >= low &&
           *number <= high;
}

bool fields_bool(const RequestFields *fields, FieldId field, bool otherwise) {
    return fields->value[field] ? fields->value[field]->kind == JSON_TRUE : otherwise;
}

double fields_number(const RequestFields *fields, FieldId field, double otherwise) {
    double number;
    return fields->value[field] && value_as_number(fields->value[field], &number) ? number
                                                                                  : otherwise;
}

Text fields_text(const RequestFields *fields, FieldId field, const char *otherwise) {
    return fields->value[field] ? fields->value[field]->text : text_of(otherwise);
}

/* ------------------------------------------------------------------ reading */

static bool fields_check_value(const Field *f, const JsonValue *v, HttpError *error) {
    double number;
    switch (f->takes) {
    case TAKES_ANY: return true;
    case TAKES_BOOL:
        return json_is_flag(v) ||
               http_error(error, 400, f->name, "%s: wanted true or false", f->name);
    case TAKES_INT:
        return value_as_int(v, f->low, f->high, &number) ||
               http_error(error, 400, f->name, "%s: wanted an integer from %.0f to %.0f",
                          f->name, f->low, f->high);
    case TAKES_NUMBER:
        return (value_as_number(v, &number) && number >= f->low && number <= f->high) ||
               http_error(error, 400, f->name, "%s: wanted a number from %g to %g", f->name,
                          f->low, f->high);
    case TAKES_TEXT:
        return v->kind == JSON_STRING ||
               http_error(error, 400, f->name, "%s: wanted a text", f->name);
    case TAKES_ARRAY:
        return v->kind == JSON_ARRAY ||
               http_error(error, 400, f->name, "%s: wanted an array", f->name);
    case TAKES_OBJECT:
        return v->kind == JSON_OBJECT ||
               http_error(error, 400, f->name, "%s: wanted an object", f->name);
    }
    return false;
}

static bool is_harmless(Text key) {
    for (size_t i = 0; i < sizeof harmless / sizeof *harmless; i++)
        if (text_equal(key, text_of(harmless[i]))) return true;
    return false;
}

static bool lenient;

void fields_be_lenient(void) { lenient = true; }
bool fields_are_lenient(void) { return lenient; }

/* Its name goes into a header, so only letters, digits and _ of it do. */
static bool fields_ignore(RequestFields *fields, const char *name) {
    const size_t used = strlen(fields->ignored);
    if (!lenient) return false;
    if (used + strlen(name) + 3 > sizeof fields->ignored) return true;
    char *to = fields->ignored + used;
    if (used) memcpy(to, ", ", 2), to += 2;
    for (; *name; name++) *to++ = isalnum((unsigned char)*name) ? *name : '_';
    return *to = 0, true;
}

/* sent: its name in the request */
static bool read_field(RequestFields *fields, Text key, Text sent, const JsonValue *v,
                       HttpError *error) {
    for (size_t i = 0; i < FIELDS; i++) {
        if (!text_equal(key, text_of(field_table[i].name)) ||
            !(field_table[i].where & fields->where))
            continue;
        if (v->kind == JSON_NULL) return true; /* null counts as missing */
        if (i == F_CHAIN || i == F_LOGIT_BIAS) fields->samplers++;
        fields->value[i] = v;
        return fields_check_value(&field_table[i], v, error);
    }
    if ((fields->where & IN_TEXT) && is_sampler(key)) {
        fields->samplers += v->kind != JSON_NULL;
        return true;
    }
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)min_size(sent.size, 60), sent.data);
    return is_harmless(key) || fields_ignore(fields, name) ||
           http_error(error, 400, name, "unknown field '%s'", name);
}

/* JSON parsers disagree about which of two equal keys wins, so a proxy may have checked the
 * other one. */
static bool check_once(const JsonValue *value, HttpError *error) {
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)min_size(value->repeated.size, 60),
             value->repeated.data ? value->repeated.data : "");
    if (value->repeated.data)
        return http_error(error, 400, name, "an object has two keys '%s'", name);
    for (size_t i = 0; i < value->count; i++)
        if (!check_once(&value->items[i], error)) return false;
    return true;
}

enum { ASK_FIELDS = 128 };

static bool check_parsed(const JsonValue *root, HttpError *error) {
    if (root->kind != JSON_OBJECT)
        return http_error(error, 400, NULL, "the body is not a JSON object");
    if (root->count > ASK_FIELDS)
        return http_error(error, 400, NULL, "the body has %zu fields, more than %d",
                          root->count, ASK_FIELDS);
    return check_once(root, error);
}

Json *fields_parse(Text body, HttpError *error) {
    const size_t whole = utf8_whole(body);
    size_t left = FIELDS_VALUES;
    if (whole < body.size)
        return http_error(error, 400, NULL, "the body is not UTF-8: byte %zu", whole), NULL;
    Json *json = json_read_some(body, &left, &error->fault);
    if (!json) {
        if (left == 0)
            return http_error(error, 400, NULL, "the body has more than %d values",
                              FIELDS_VALUES),
                   NULL;
        fault_prefix(&error->fault, "the body is no JSON");
        return http_error_fault(error, 400, NULL), NULL;
    }
    if (check_parsed(json_root(json), error)) return json;
    return json_free(json), NULL;
}

bool fields_read(RequestFields *fields, int where, Text body, HttpError *error) {
    *fields = (RequestFields){.where = where};
    if (!(fields->json = fields_parse(body, error))) return false;
    fields->root = fields_respell(json_root(fields->json), &fields->respelled, error);
    bool ok = fields->root != NULL;
    for (size_t i = 0; ok && i < fields->root->count; i++)
        ok = read_field(fields, fields->root->keys[i], json_root(fields->json)->keys[i],
                        &fields->root->items[i], error);
    if (!ok) fields_name_error(fields, error);
    return ok;
}

void fields_name_error(const RequestFields *f, HttpError *error) {
    char name[sizeof error->param];
    memcpy(name, error->param, sizeof name);
    if (f->root)
        http_error_rename(error, name, fields_sent_as(json_root(f->json), f->root, name));
}

void fields_free(RequestFields *fields) {
    json_free(fields->json), free(fields->respelled);
    *fields = (RequestFields){0};
}
