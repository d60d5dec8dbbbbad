/* fields.h - what a request asks for: its fields, read by one table and checked.
 *
 *     {"n", IN_CHAT | IN_COMPLETION, TAKES_INT, 1, 128}      name, where, what, from, to
 *
 * Besides the table a request may have any stage of the chain by its name (samplers), and some
 * fields that change nothing here (harmless).  Whatever else it has is refused by name.
 *
 * Invariant: every field of a request was used, or is listed as harmless, or the request was refused. */
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
    F_CONTEXT_SHIFT,
    F_N_KEEP,
    FIELDS
} FieldId;

/* Where a field may stand. */
enum {
    IN_CHAT = 1,
    IN_COMPLETION = 2,
    IN_EMBEDDINGS = 4,
    IN_TOKENIZE = 8,
    IN_DETOKENIZE = 16,
    IN_TEMPLATE = 32,
    IN_RERANK = 64,
    IN_BOTH = IN_CHAT | IN_COMPLETION
};

typedef struct RequestFields {
    int where;
    Json *json; /* owns; all values are its */
    const JsonValue *root;
    const JsonValue *value[FIELDS]; /* NULL: not given */
    size_t samplers;                /* how many fields are about the chain */
} RequestFields;

/* Read a body.
 *
 * Fails, naming the field, when it is no JSON object in UTF-8 and when a field is unknown, of the wrong
 * type or out of range. */
bool fields_read(RequestFields *fields, int where, Text body, HttpError *error);
void fields_free(RequestFields *fields);

bool fields_bool(const RequestFields *fields, FieldId field, bool otherwise);
double fields_number(const RequestFields *fields, FieldId field, double otherwise);
Text fields_text(const RequestFields *fields, FieldId field, const char *otherwise);
const char *field_name(FieldId field);

/* A finite number; one without fraction within a range. */
bool value_as_number(const JsonValue *value, double *number);
bool value_as_int(const JsonValue *value, double low, double high, double *number);

/* ------------------------------------------------------------------ the chain (chain_fields.c) */

/* Is it a stage, or another name for a parameter of one? */
bool is_sampler(Text name);

/* The chain that the fields describe, behind what constrains the text.
 *
 *   first       stages that go before it, "" or "json,"
 *   otherwise   the chain when no field says anything about it */
bool fields_chain(const RequestFields *fields, const char *first, const char *otherwise,
                  const Tokenizer *tokenizer, Chain *chain, HttpError *error);

#endif
