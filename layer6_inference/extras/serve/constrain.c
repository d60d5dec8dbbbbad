/* constrain.c - see constrain.h.
 *
 *     response_format {"type": "json_schema", "json_schema": {"name": ..., "schema": {...}}}
 *         --> json_schema:%7B...%7D, */
#include "constrain.h"

#include "listing.h"
#include "tool_calls.h"
#include "calls/write.h"
#include "chat.h"
#include "json.h"

#include <stdlib.h>

/* A stage that takes a JSON value as its text. */
static bool put_value_stage(FILE *out, const char *stage, const JsonValue *value) {
    char *text = NULL;
    size_t size;
    FILE *memory = open_memstream(&text, &size);
    if (!memory) return false;
    write_value(memory, value);
    if (!memory_close(memory, &text)) return free(text), false;
    fprintf(out, "%s:", stage);
    list_encoded(out, (Text){text, size});
    fputc(',', out);
    free(text);
    return true;
}

static bool constrain_check_keys(const JsonValue *object, const char *const *known,
                                 HttpError *error) {
    for (size_t i = 0; i < object->count; i++) {
        bool found = false;
        for (const char *const *k = known; *k; k++)
            found |= text_equal(object->keys[i], text_of(*k));
        if (!found)
            return http_error(error, 400, "response_format",
                              "response_format: unknown key '%.*s'",
                              (int)min_size(object->keys[i].size, 60), object->keys[i].data);
    }
    return true;
}

static bool put_schema(FILE *out, const JsonValue *format, HttpError *error) {
    static const char *const keys[] = {"name", "description", "schema", "strict", NULL};
    const JsonValue *inner = json_get(format, "json_schema"),
                    *schema = inner ? json_get(inner, "schema") : NULL;
    if (!inner || inner->kind != JSON_OBJECT || !schema || schema->kind != JSON_OBJECT)
        return http_error(error, 400, "response_format",
                          "response_format: wanted json_schema with its schema, an object");
    return constrain_check_keys(inner, keys, error) &&
           (put_value_stage(out, "json_schema", schema) ||
            http_error(error, 500, "response_format", "no memory for a schema"));
}

static bool put_format(FILE *out, const JsonValue *format, HttpError *error) {
    static const char *const keys[] = {"type", "json_schema", NULL};
    const JsonValue *type = json_get(format, "type");
    if (!type || type->kind != JSON_STRING || !constrain_check_keys(format, keys, error))
        return type && type->kind == JSON_STRING
                   ? false
                   : http_error(error, 400, "response_format",
                                "response_format: type is missing");
    if (text_equal(type->text, text_of("json_schema"))) return put_schema(out, format, error);
    if (json_get(format, "json_schema"))
        return http_error(error, 400, "response_format",
                          "response_format: json_schema needs the type json_schema");
    if (text_equal(type->text, text_of("text"))) return true;
    if (text_equal(type->text, text_of("json_object"))) return fputs("json,", out) >= 0;
    return http_error(error, 400, "response_format",
                      "response_format: wanted the type text, json_object or json_schema");
}

bool constrain(const RequestFields *fields, ChatCalls form, char **stages, HttpError *error) {
    const JsonValue *format = fields->value[F_RESPONSE_FORMAT];
    size_t size;
    FILE *out = open_memstream(stages, &size);
    if (!out) return http_error(error, 500, NULL, "no memory for a chain");
    bool ok = (!format || put_format(out, format, error)) &&
              tool_calls_constrain(fields, form, out, error);
    const bool whole = memory_close(out, stages);
    return ok && (whole || http_error(error, 500, NULL, "no memory for a chain"));
}
