/* json.h - JSON, parsed into a tree.
 *
 *     {"a": [1, "x"]}    an object with one key, an array of two values
 *
 * Numbers keep their text: 1e400 and 0.1 are not rounded to a double.  Strings are bytes with
 * escapes resolved; a lone surrogate is refused.  Of equal keys the last one wins, as in Python
 * and JavaScript.
 *
 * Invariant: every value of a tree is well formed, whatever the bytes were; the text is not
 * needed afterwards [what_is_no_json_is_refused_by_place, fuzz/published.sh].
 *
 * Source   RFC 8259. */
#ifndef STRATA_JSON_H
#define STRATA_JSON_H

#include "fault.h"
#include "text.h"

#include <stdint.h>

typedef enum JsonKind {
    JSON_NULL,
    JSON_FALSE,
    JSON_TRUE,
    JSON_NUMBER,
    JSON_STRING,
    JSON_ARRAY,
    JSON_OBJECT
} JsonKind;

typedef struct JsonValue JsonValue;
struct JsonValue {
    JsonKind kind;
    Text text;              /* a number as written, a string's bytes */
    size_t count;           /* items of an array or object */
    const JsonValue *items; /* (count) */
    const Text *keys;       /* (count) of an object, in order, without duplicates */
    Text repeated;          /* a key that appeared twice; no data: none */
    size_t place;           /* bytes of the text before it */
};

typedef struct Json Json; /* owns a tree */

enum { JSON_DEPTH = 500 };

/* Parse a text; white space around it is allowed.
 *
 * Fails, naming line and column, when it is not JSON, is nested more than JSON_DEPTH deep, or
 * memory runs out. */
Json *json_read(Text text, Fault *fault);

/* The same, of a stranger's text: a value takes two bytes of it and a hundred of memory, so a
 * text of more than `*left` values is refused; then fewer are left for the next. */
Json *json_read_some(Text text, size_t *left, Fault *fault);
void json_free(Json *json);

const JsonValue *json_root(const Json *json);

/* A text as a value; and back: "" of what is no text, or NULL. */
JsonValue json_string(Text text);
Text json_text(const JsonValue *value);

static inline bool json_is_flag(const JsonValue *value) {
    return value->kind == JSON_TRUE || value->kind == JSON_FALSE;
}

/* The value of a key; NULL: no such key, or `object` is not an object. */
const JsonValue *json_get(const JsonValue *object, const char *key);
const JsonValue *json_find(const JsonValue *object, Text key);

#endif
