/* chain_fields.c - sampling fields become a chain.  See fields.h.
 *
 *     {"temperature": 0.7, "top_k": 40, "dry": {"mult": 0.8, "base": 2}, "ban": ["fox"]}
 *         -->  ban:fox,dry:mult=0.8:base=2,temp:0.7,top_k:40
 *
 * Stages come in the order of `strata samplers`, whatever the order of the fields. */
#include "fields.h"
#include "listing.h"
#include "spellings.h"
#include "calls/write.h"
#include "json.h"

#include <stdlib.h>
#include <string.h>

/* Aliases of stages and parameters. */
static const struct {
    const char *name, *stage, *key;
    double low, high; /* "off" values that the stage itself would refuse */
} others[] = {
    {"temperature", "temp", "t", 0, 100},
    {"frequency_penalty", "penalties", "freq", -2, 2},
    {"presence_penalty", "penalties", "pres", -2, 2},
    {"repetition_penalty", "penalties", "rep", 0, 100},
    {"repeat_penalty", "penalties", "rep", 0, 100},
    {"repeat_last_n", "penalties", "last", -1, 1e9},
    {"typical_p", "typical", "p", 0, 1},
    {"dry_multiplier", "dry", "mult", 0, 1000},
    {"dry_base", "dry", "base", 1, 100},
    {"dry_allowed_length", "dry", "allowed", 1, 1e6},
    {"dry_penalty_last_n", "dry", "last", -1, 1e9},
    {"xtc_probability", "xtc", "p", 0, 1},
    {"xtc_threshold", "xtc", "t", 0, 1},
};

static const char breakers[] = "dry_sequence_breakers"; /* a list of strings: dry's `break` */

enum { OTHERS = sizeof others / sizeof *others };

bool is_sampler(Text name) {
    for (size_t i = 0; i < OTHERS; i++)
        if (text_equal(name, text_of(others[i].name))) return true;
    return text_equal(name, text_of(breakers)) || stage_find(name) != NULL;
}

/* ------------------------------------------------------------------ one stage */

typedef struct Writer {
    const RequestFields *fields;
    const Tokenizer *tokenizer;
    FILE *out;
    bool any;
    HttpError *error;
} Writer;

static void fields_chain_begin_stage(Writer *w, const char *name, bool *begun) {
    if (!*begun) fprintf(w->out, "%s%s", w->any ? "," : "", name);
    *begun = w->any = true;
}

/* A value as a parameter, with or without its key. */
static bool put_param(Writer *w, const char *field, const char *key, const JsonValue *v) {
    fputc(':', w->out);
    if (key) fprintf(w->out, "%s=", key);
    switch (v->kind) {
    case JSON_NUMBER: fwrite(v->text.data, 1, v->text.size, w->out); return true;
    case JSON_TRUE:
    case JSON_FALSE: fputc(v->kind == JSON_TRUE ? '1' : '0', w->out); return true;
    case JSON_STRING:
        list_encoded(w->out, v->text);
        return v->text.size > 0 ||
               http_error(w->error, 400, field, "%s: its text is empty", field);
    default: return http_error(w->error, 400, field, "%s: wanted numbers or texts", field);
    }
}

/* A list repeats its key. */
static bool put_params(Writer *w, const char *field, const char *key, const JsonValue *v) {
    bool ok = v->kind != JSON_ARRAY || v->count > 0 ||
              http_error(w->error, 400, field, "%s: its list is empty", field);
    if (v->kind != JSON_ARRAY) return put_param(w, field, key, v);
    for (size_t i = 0; ok && i < v->count; i++) ok = put_param(w, field, key, &v->items[i]);
    return ok;
}

/* Is this value, or each of a list, of the type that the stage's parameter has?  key "": of the
 * stage itself. */
static bool fields_chain_check_type(Writer *w, const StageKind *kind, Text key,
                                    const JsonValue *v) {
    const bool own = key.size == 0;
    const bool text = own ? kind->list == LIST_TEXTS || kind->list >= LIST_ONE_TEXT
                          : kind->list == LIST_BREAKS && text_equal(key, text_of("break"));
    if (kind->list == LIST_BIASES) return true;
    if (v->kind == JSON_ARRAY && (kind->list != LIST_ONE_TEXT || !own)) {
        for (size_t i = 0; i < v->count; i++)
            if (!fields_chain_check_type(w, kind, key, &v->items[i])) return false;
        return true;
    }
    if (text ? v->kind == JSON_STRING : v->kind == JSON_NUMBER || json_is_flag(v)) return true;
    return http_error(w->error, 400, kind->name, "%s%s%.*s: wanted a %s", kind->name,
                      own ? "" : ".", (int)min_size(key.size, 40), key.data,
                      text ? "text" : "number");
}

/* Keys are letters, digits and _: anything else could be parsed as part of the chain. */
static bool fields_chain_put_key(Writer *w, const char *field, Text key, const JsonValue *v) {
    char word[STAGE_NAME];
    bool ok = key.size > 0 && key.size < sizeof word;
    for (size_t i = 0; ok && i < key.size; i++)
        ok = strchr("abcdefghijklmnopqrstuvwxyz_0123456789", key.data[i]) && key.data[i];
    if (!ok)
        return http_error(w->error, 400, field, "%s has no parameter '%.*s'", field,
                          (int)min_size(key.size, 40), key.data);
    snprintf(word, sizeof word, "%.*s", (int)key.size, key.data);
    return put_params(w, field, word, v);
}

static bool is_off(const StageKind *kind, const JsonValue *v) {
    return v->kind == JSON_STRING && kind->params[0].has_off &&
           text_equal(v->text, text_of("off"));
}

/* Are there names of parameters that an object can have?  A list has none. */
static bool has_params(const StageKind *kind) {
    return kind->list == LIST_NONE || kind->list == LIST_BREAKS;
}

/* What a stage of numbers takes: a number, an object of them, "off" for its first one, and true
 * or false if it needs none.  "0.5" is a text, and not the number. */
static bool check_own(const Writer *w, const StageKind *kind, const JsonValue *v) {
    const bool flag = json_is_flag(v) && !(kind->params[0].key && kind->params[0].required);
    bool ok = is_off(kind, v) || flag || v->kind == JSON_NUMBER || v->kind == JSON_OBJECT;
    if (!has_params(kind)) return true;
    for (size_t i = 0; ok && v->kind == JSON_OBJECT && i < v->count; i++)
        ok = v->items[i].kind == JSON_NUMBER ||
             (kind->list == LIST_BREAKS && text_equal(v->keys[i], text_of("break")));
    return ok || http_error(w->error, 400, kind->name,
                            "%s: wanted a number%s, or an object of numbers", kind->name,
                            kind->params[0].has_off ? " or \"off\"" : "");
}

/* A list of texts, as the stage has them: a|b. */
static bool put_choices(Writer *w, const char *name, const JsonValue *v) {
    fputc(':', w->out);
    for (size_t i = 0; i < v->count; i++) {
        const Text text = json_text(&v->items[i]);
        if (!text.size || memchr(text.data, 0, text.size))
            return http_error(w->error, 400, name,
                              "%s: item %zu: wanted a text, not empty and without a byte 0",
                              name, i);
        if (memchr(text.data, '|', text.size))
            return http_error(w->error, 400, name,
                              "%s: item %zu: wanted a text without | (a grammar may have it)",
                              name, i);
        if (i) list_encoded(w->out, text_of("|"));
        list_encoded(w->out, text);
    }
    return v->count > 0 || http_error(w->error, 400, name, "%s: its list is empty", name);
}

/* The object in the stage's own field. */
static bool put_own(Writer *w, const char *name, const JsonValue *v, bool *begun) {
    bool ok = true;
    if (v->kind == JSON_FALSE) return true;
    fields_chain_begin_stage(w, name, begun);
    if (v->kind == JSON_TRUE) return true;
    if (v->kind == JSON_OBJECT &&
        (strcmp(name, "json_schema") == 0 || strcmp(name, "tags") == 0)) {
        char *text = NULL;
        size_t size;
        FILE *memory = open_memstream(&text, &size);
        if (!memory) return http_error(w->error, 500, name, "no memory for a schema");
        write_value(memory, v);
        if (!memory_close(memory, &text))
            return free(text), http_error(w->error, 500, name, "no memory for a schema");
        fputc(':', w->out), list_encoded(w->out, (Text){text, size});
        free(text);
        return true;
    }
    if (v->kind == JSON_ARRAY && strcmp(name, "choice") == 0) return put_choices(w, name, v);
    const StageKind *kind = stage_find(text_of(name));
    for (size_t i = 0; ok && v->kind == JSON_OBJECT && i < v->count; i++)
        ok = fields_chain_check_type(w, kind, v->keys[i], &v->items[i]);
    if ((v->kind != JSON_OBJECT || !has_params(kind)) && !is_off(kind, v))
        ok = fields_chain_check_type(w, kind, text_of(""), v);
    if (ok && v->kind != JSON_OBJECT && v->kind != JSON_ARRAY)
        return put_param(w, name, NULL, v);
    for (size_t i = 0; ok && i < v->count; i++)
        ok = v->kind == JSON_OBJECT ? fields_chain_put_key(w, name, v->keys[i], &v->items[i])
                                    : put_param(w, name, NULL, &v->items[i]);
    return ok;
}

static bool put_breakers(Writer *w, bool *begun) {
    const JsonValue *v = json_get(w->fields->root, breakers);
    bool ok = !v || v->kind == JSON_NULL || v->kind == JSON_ARRAY;
    if (!v || v->kind == JSON_NULL) return true;
    for (size_t i = 0; ok && i < v->count; i++) ok = v->items[i].kind == JSON_STRING;
    if (!ok) return http_error(w->error, 400, breakers, "%s: wanted a list of texts", breakers);
    fields_chain_begin_stage(w, "dry", begun);
    return put_params(w, breakers, "break", v);
}

static bool put_others(Writer *w, const char *stage, bool *begun) {
    bool whole = false, last = false, ok = true;
    double number;
    for (size_t i = 0; ok && i < OTHERS; i++) {
        const JsonValue *v = json_get(w->fields->root, others[i].name);
        if (!v || v->kind == JSON_NULL || strcmp(others[i].stage, stage) != 0) continue;
        if (!value_as_number(v, &number) || number < others[i].low || number > others[i].high)
            return http_error(w->error, 400, others[i].name,
                              "%s: wanted a number from %g to %g", others[i].name,
                              others[i].low, others[i].high);
        fields_chain_begin_stage(w, stage, begun);
        ok = put_param(w, others[i].name, others[i].key, v);
        whole |= others[i].low == -2;
        last |= strcmp(others[i].key, "last") == 0;
    }
    if (whole && !last) fputs(":last=-1", w->out); /* OpenAI's penalties count the whole text */
    return ok;
}

/* ------------------------------------------------------------------ logit_bias */

static bool put_bias(Writer *w, double id, const JsonValue *v, bool *begun) {
    double number = 0;
    bool never = v->kind == JSON_FALSE;
    if (!never && !(v->kind == JSON_NUMBER && value_as_number(v, &number) &&
                    number >= -BIAS_MAX && number <= BIAS_MAX))
        return http_error(w->error, 400, "logit_bias",
                          "logit_bias: wanted for each token a number from %g to %g, or false",
                          -BIAS_MAX, BIAS_MAX);
    if (id >= (double)tokenizer_count(w->tokenizer))
        return http_error(w->error, 400, "logit_bias",
                          "logit_bias: token %.0f does not exist: the vocabulary has 0 to %zu",
                          id, tokenizer_count(w->tokenizer) - 1);
    fields_chain_begin_stage(w, "bias", begun);
    fprintf(w->out, never ? ":%.0f=-inf" : ":%.0f=%.9g", id, number);
    return true;
}

enum { BIASES = 1024, BIAS_TEXT = 256 };

/* "15" is the token with that id; any other text, each of its tokens. */
static bool put_text_bias(Writer *w, Text key, const JsonValue *v, bool *begun) {
    TokenList tokens = {0};
    JsonValue number = {.kind = JSON_NUMBER, .text = key};
    double id;
    bool ok = true, digits = key.size > 0;
    for (size_t i = 0; i < key.size; i++) digits &= key.data[i] >= '0' && key.data[i] <= '9';
    if (digits && value_as_int(&number, 0, 2e9, &id)) return put_bias(w, id, v, begun);
    if (key.size == 0 || key.size > BIAS_TEXT)
        return http_error(w->error, 400, "logit_bias",
                          "logit_bias: wanted token ids, or texts of 1 to %d bytes", BIAS_TEXT);
    ok = tokenizer_encode(w->tokenizer, key, false, &tokens, &w->error->fault) ||
         http_error_fault(w->error, 400, "logit_bias");
    for (size_t i = 0; ok && i < tokens.count; i++) ok = put_bias(w, tokens.ids[i], v, begun);
    token_list_free(&tokens);
    return ok;
}

static bool fields_chain_put_pair(Writer *w, const JsonValue *pair, bool *begun) {
    double id;
    if (pair->kind == JSON_ARRAY && pair->count == 2) {
        const JsonValue *key = &pair->items[0];
        if (key->kind == JSON_STRING)
            return put_text_bias(w, key->text, &pair->items[1], begun);
        if (value_as_int(key, 0, 2e9, &id)) return put_bias(w, id, &pair->items[1], begun);
    }
    return http_error(w->error, 400, "logit_bias",
                      "logit_bias: wanted pairs of a token or a text and a number");
}

static bool put_biases(Writer *w, bool *begun) {
    const JsonValue *v = w->fields->value[F_LOGIT_BIAS];
    bool ok = true;
    if (!v) return true;
    if ((v->kind != JSON_OBJECT && v->kind != JSON_ARRAY) || v->count > BIASES)
        return http_error(w->error, 400, "logit_bias",
                          "logit_bias: wanted an object of at most %d tokens", BIASES);
    for (size_t i = 0; ok && i < v->count; i++)
        ok = v->kind == JSON_OBJECT ? put_text_bias(w, v->keys[i], &v->items[i], begun)
                                    : fields_chain_put_pair(w, &v->items[i], begun);
    return ok;
}

/* ------------------------------------------------------------------ the whole chain */

static bool fields_chain_put_stage(Writer *w, const StageKind *kind) {
    const char *name = kind->name;
    const JsonValue *own = json_get(w->fields->root, name);
    bool begun = false;
    return (strcmp(name, "bias") != 0 || put_biases(w, &begun)) &&
           (!own || own->kind == JSON_NULL ||
            (check_own(w, kind, own) && put_own(w, name, own, &begun))) &&
           put_others(w, name, &begun) && (strcmp(name, "dry") != 0 || put_breakers(w, &begun));
}

static bool write_stages(Writer *w) {
    const StageKind *const *kinds;
    size_t count = stage_list(&kinds);
    bool ok = true;
    for (size_t i = 0; ok && i < count; i++) ok = fields_chain_put_stage(w, kinds[i]);
    return ok;
}

/* Thinking budget in tokens; -1: no limit. */
static bool put_budget(Writer *w) {
    const RequestFields *fields = w->fields;
    double n =
        fields_number(fields, F_THINKING_BUDGET, fields_number(fields, F_REASONING_BUDGET, -1));
    if (fields->value[F_THINKING_BUDGET] && fields->value[F_REASONING_BUDGET])
        return http_error(w->error, 400, "reasoning_budget",
                          "reasoning_budget: the same as thinking_budget: give one of them");
    if (n >= 0) fprintf(w->out, "think:%.0f,", n);
    return true;
}

static bool write_chain(Writer *w, const char *first, const char *otherwise) {
    const RequestFields *fields = w->fields;
    Text chain = fields_text(fields, F_CHAIN, otherwise);
    fputs(first, w->out);
    if (!put_budget(w)) return false;
    if (fields->value[F_CHAIN] && fields->samplers > 1)
        return http_error(w->error, 400, "chain",
                          "chain replaces all other sampling fields: leave them out, or write "
                          "them into the chain");
    if (memchr(chain.data, 0, chain.size))
        return http_error(w->error, 400, "chain", "chain: contains a zero byte");
    if (fields->samplers && !fields->value[F_CHAIN]) {
        if (!write_stages(w)) return false;
        if (!w->any) fputs("draw", w->out);
        return true;
    }
    fwrite(chain.data, 1, chain.size, w->out);
    return true;
}

void fields_dead_end(const RequestFields *fields, const Fault *fault, HttpError *error) {
    static const char *const limits[] = {"grammar",     "json",
                                         "json_schema", "tags",
                                         "regex",       "choice",
                                         "logit_bias",  "bias",
                                         "ban",         "allow",
                                         "suppress",    "banned_strings",
                                         "tools",       "response_format",
                                         "chain"};
    char names[256] = "";
    const char *first = NULL;
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        const JsonValue *v = json_get(fields->root, limits[i]);
        if (!v || v->kind == JSON_NULL) continue;
        const char *sent = fields_sent_as(json_root(fields->json), fields->root, limits[i]);
        if (first) strcat(names, ", ");
        strcat(names, sent);
        if (!first) first = sent;
    }
    http_error(error, 400, first, "%s%s%.400s", names, first ? ": " : "", fault->text);
}

/* Stages that a server cannot provide. */
static bool fields_chain_check_needs(const RequestFields *fields, const Chain *chain,
                                     HttpError *error) {
    bool moves_away = false;
    for (size_t i = 0; i < chain->count; i++) {
        const StageKind *kind = chain->stages[i].kind;
        if (stage_is_off(&chain->stages[i])) continue;
        if (kind->needs & (NEEDS_AMATEUR | NEEDS_LOOK_AHEAD))
            return http_error(error, 501, kind->name, "%s is not available on a server",
                              kind->name);
        if (kind->needs & NEEDS_GUIDE && !fields->value[F_NEGATIVE])
            return http_error(error, 400, "negative", "%s needs the field \"negative\"",
                              kind->name);
        moves_away |= kind->needs & NEEDS_GUIDE;
    }
    if (fields->value[F_NEGATIVE] && !moves_away)
        return http_error(error, 400, "negative", "negative: needs the stage cfg");
    return true;
}

enum { CHAIN_VALUES = 4096 };

/* A stage looks for a value among all that it has: a hundred thousand of them take a minute.
 * Texts in a chain have no colon of their own (%3A). */
static bool fields_chain_is_short(const char *spec, size_t size, HttpError *error) {
    size_t n = 0;
    for (size_t i = 0; i < size; i++) n += spec[i] == ':';
    return n <= CHAIN_VALUES || http_error(error, 400, NULL,
                                           "the sampling fields have %zu values, wanted at "
                                           "most %d",
                                           n, CHAIN_VALUES);
}

/* The field that an error of chain_parse is about: messages begin with the stage's name. NULL:
 * unknown. */
static const char *fields_chain_blame(const RequestFields *fields, const char *message) {
    if (strncmp(message, "stage ", 6) == 0) message += 6;
    const Text name = {message, strspn(message, "abcdefghijklmnopqrstuvwxyz_0123456789")};
    const StageKind *kind = stage_find(name);
    if (fields->value[F_CHAIN] || !kind) return fields->value[F_CHAIN] ? "chain" : NULL;
    if (json_get(fields->root, kind->name)) return kind->name;
    for (size_t i = 0; i < OTHERS; i++)
        if (strcmp(others[i].stage, kind->name) == 0 && json_get(fields->root, others[i].name))
            return others[i].name;
    if (strcmp(kind->name, "bias") == 0 && fields->value[F_LOGIT_BIAS]) return "logit_bias";
    bool json = fields->value[F_RESPONSE_FORMAT] && strncmp(kind->name, "json", 4) == 0;
    return json ? "response_format" : json_get(fields->root, "tools") ? "tools" : NULL;
}

bool fields_chain(const RequestFields *fields, const char *first, const char *otherwise,
                  const Tokenizer *tokenizer, Chain *chain, HttpError *error) {
    char *spec = NULL;
    size_t size;
    Writer w = {.fields = fields,
                .tokenizer = tokenizer,
                .out = open_memstream(&spec, &size),
                .error = error};
    if (!w.out) return http_error(error, 500, NULL, "no memory for a chain");
    bool ok = write_chain(&w, first, otherwise);
    const bool whole = memory_close(w.out, &spec);
    if (ok && !whole) ok = http_error(error, 500, NULL, "no memory for a chain");
    ok = ok && fields_chain_is_short(spec, size, error);
    if (ok && !chain_parse(chain, spec, tokenizer, &error->fault)) {
        const char *blamed = fields_chain_blame(fields, error->fault.text);
        if (blamed && strcmp(blamed, "response_format") == 0)
            fault_prefix(&error->fault, blamed);
        ok = http_error_fault(error, 400, blamed);
    }
    free(spec);
    if (!ok) return false;
    static const float given = 0; /* of the negative prompt: only whether there is one counts */
    const Step step = {.tokenizer = tokenizer, .unconditional = &given};
    ok = fields_chain_check_needs(fields, chain, error);
    if (ok && !chain_check(chain, &step, &error->fault)) {
        const Fault fault = error->fault;
        fields_dead_end(fields, &fault, error);
        ok = false;
    }
    if (!ok) chain_close(chain);
    return ok;
}
