/* spellings.h - fields of llama.cpp and vLLM that are OpenAI's, or a stage, by another name.
 *
 *     {"n_predict": -1, "top_k": -1, "guided_json": {...}, "ignore_eos": true}
 *         --> {"max_tokens": 1000000000, "top_k": "off", "json_schema": {...},
 *              "min_tokens": 1000000000}
 *
 * Invariant: a field and its other spelling in one request are refused. */
#ifndef STRATA_SPELLINGS_H
#define STRATA_SPELLINGS_H

#include "http_error.h"
#include "json.h"

/* A copy of the object with all fields by the names that the core knows.
 *
 *   *respelled   the memory to free
 *
 * NULL: refused. */
const JsonValue *fields_respell(const JsonValue *root, JsonValue **respelled, HttpError *error);

/* The name by which the client sent one of these fields; `name`: the same. */
const char *fields_sent_as(const JsonValue *sent, const JsonValue *respelled, const char *name);

#endif
