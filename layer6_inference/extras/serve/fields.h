/* fields.h - the fields of a request, read and checked by one table.
 *
 *     {"n", IN_BOTH, TAKES_INT, 1, 128}      name, where, type, range
 *
 * A request may also have any stage of the chain by name (samplers), and some fields without
 * effect (harmless).  All others are refused by name.
 *
 * Invariant: every field of an accepted request was used, is listed as harmless, or is named to
 * its client as ignored. */
#ifndef STRATA_FIELDS_H
#define STRATA_FIELDS_H

#include "http_error.h"
#include "json.h"

typedef enum FieldId {
    F_MODEL,
    F_MESSAGES,
    F_PROMPT,
    F_INPUT,
    F_QUERY,
    F_DOCUMENTS,
    F_TOP_N,
    F_RETURN_DOCUMENTS,
    F_STREAM,
    F_STREAM_OPTIONS,
    F_MAX_TOKENS,
    F_MAX_COMPLETION_TOKENS,
    F_N,
    F_BEST_OF,
    F_SEED,
    F_STOP,
    F_LOGPROBS,
    F_TOP_LOGPROBS,
    F_ECHO,
    F_RESPONSE_FORMAT,
    F_TOOLS,
    F_TOOL_CHOICE,
    F_PARALLEL_TOOL_CALLS,
    F_CHAIN,
    F_NEGATIVE,
    F_PRIORITY,
    F_SECONDS,
    F_ENABLE_THINKING,
    F_ADD_GENERATION_PROMPT,
    F_ENCODING_FORMAT,
    F_TRUNCATE,
    F_SUFFIX,
    F_DIMENSIONS,
    F_POOLING,
    F_CONTENT,
    F_SPECIAL,
    F_TOKENS,
    F_WITH_PIECES,
    F_LOGIT_BIAS,
    F_MODALITIES,
    F_BANNED_STRINGS,
    F_CACHE_SALT,
    F_THINKING_BUDGET,
    F_REASONING_BUDGET,
    F_REASONING_FORMAT,
    F_REASONING_EFFORT,
    F_CONTEXT_SHIFT,
    F_N_KEEP,
    F_ANSWER_TOKENS,
    F_LORA,
    F_WATCH,
    FIELDS
} FieldId;

/* Requests that may have a field. */
enum {
    IN_CHAT = 1,
    IN_COMPLETION = 2,
    IN_EMBEDDINGS = 4,
    IN_TOKENIZE = 8,
    IN_DETOKENIZE = 16,
    IN_TEMPLATE = 32,
    IN_RERANK = 64,
    IN_STEPS = 128,
    IN_BOTH = IN_CHAT | IN_COMPLETION,
    IN_TEXT = IN_BOTH | IN_STEPS
};

enum { FIELDS_IGNORED = 256 };

typedef struct RequestFields {
    int where;
    Json *json;           /* owns all values */
    JsonValue *respelled; /* owns (spellings.h) */
    const JsonValue *root;
    const JsonValue *value[FIELDS]; /* NULL: missing */
    size_t samplers;                /* number of sampling fields */
    char ignored[FIELDS_IGNORED];   /* names of unknown fields, with commas; if lenient */
} RequestFields;

/* Values of a body, about 40 MB of memory: twice as many as the longest prompt of token ids has
 * tokens. */
enum { FIELDS_VALUES = 1 << 18 };

/* Parse a body, of any dialect.  NULL: it is not a JSON object in UTF-8, has too many values,
 * or a key of an object occurs twice. */
Json *fields_parse(Text body, HttpError *error);

/* From now on ignore unknown fields instead of refusing them.  Before any thread starts. */
void fields_be_lenient(void);
bool fields_are_lenient(void);

/* Read a body.
 *
 * Fails, naming the field, if it cannot be parsed, or a field is unknown, of the wrong type or
 * out of range. */
bool fields_read(RequestFields *fields, int where, Text body, HttpError *error);
void fields_free(RequestFields *fields);

/* An error about a field that has another name in the request says that one. */
void fields_name_error(const RequestFields *fields, HttpError *error);

bool fields_bool(const RequestFields *fields, FieldId field, bool otherwise);
double fields_number(const RequestFields *fields, FieldId field, double otherwise);
Text fields_text(const RequestFields *fields, FieldId field, const char *otherwise);

/* A finite number; an integer within a range. */
bool value_as_number(const JsonValue *value, double *number);
bool value_as_int(const JsonValue *value, double low, double high, double *number);

/* ------------------------------------------------------------------ the chain
 * (chain_fields.c) */

/* Is it a stage, or an alias of a parameter? */
bool is_sampler(Text name);

/* No token is allowed: the request's constraints contradict each other or the vocabulary.  The
 * error names them. */
void fields_dead_end(const RequestFields *fields, const Fault *fault, HttpError *error);

/* The chain of the sampling fields.
 *
 *   first       stages to put before it, "" or "json,"
 *   otherwise   the chain if there are no sampling fields */
bool fields_chain(const RequestFields *fields, const char *first, const char *otherwise,
                  const Tokenizer *tokenizer, Chain *chain, HttpError *error);

#endif
