/* schema_keyword.c - the keywords and what each one means.  See schema.h.
 *
 * Invariant: every keyword of the standard is here or is an annotation, and gets only arguments
 * that its code reads. */
#include "schema.h"
#include "json.h"

#include <stdio.h>
#include <string.h>

/* Kinds of arguments. */
enum { STRING = 1, NUMBER = 2, LIST = 4, OBJECT = 8, BOOL = 16, ANY = 31 };

static const SchemaKeyword keywords[] = {
    {"type", SAYS_DIRECT, TYPE_BIT_ALL, STRING | LIST},
    {"enum", SAYS_DIRECT, TYPE_BIT_ALL, LIST},
    {"const", SAYS_DIRECT, TYPE_BIT_ALL, ANY},
    {"minimum", SAYS_DIRECT, TYPE_BIT_NUMBER, NUMBER},
    {"maximum", SAYS_DIRECT, TYPE_BIT_NUMBER, NUMBER},
    {"exclusiveMinimum", SAYS_DIRECT, TYPE_BIT_NUMBER, NUMBER | BOOL},
    {"exclusiveMaximum", SAYS_DIRECT, TYPE_BIT_NUMBER, NUMBER | BOOL},
    {"multipleOf", SAYS_DIRECT, TYPE_BIT_NUMBER, NUMBER},
    {"minLength", SAYS_DIRECT, TYPE_BIT_STRING, NUMBER},
    {"maxLength", SAYS_DIRECT, TYPE_BIT_STRING, NUMBER},
    {"pattern", SAYS_DIRECT, TYPE_BIT_STRING, STRING},
    {"format", SAYS_DIRECT, TYPE_BIT_STRING, STRING},
    {"items", SAYS_DIRECT, TYPE_BIT_ARRAY, OBJECT | BOOL | LIST},
    {"prefixItems", SAYS_DIRECT, TYPE_BIT_ARRAY, LIST},
    {"additionalItems", SAYS_DIRECT, TYPE_BIT_ARRAY, OBJECT | BOOL},
    {"contains", SAYS_DIRECT, TYPE_BIT_ARRAY, OBJECT | BOOL},
    {"minContains", SAYS_DIRECT, TYPE_BIT_ARRAY, NUMBER},
    {"minItems", SAYS_DIRECT, TYPE_BIT_ARRAY, NUMBER},
    {"maxItems", SAYS_DIRECT, TYPE_BIT_ARRAY, NUMBER},
    {"uniqueItems", SAYS_DIRECT, TYPE_BIT_ARRAY, BOOL},
    {"properties", SAYS_DIRECT, TYPE_BIT_OBJECT, OBJECT},
    {"patternProperties", SAYS_DIRECT, TYPE_BIT_OBJECT, OBJECT},
    {"additionalProperties", SAYS_DIRECT, TYPE_BIT_OBJECT, OBJECT | BOOL},
    {"propertyNames", SAYS_DIRECT, TYPE_BIT_OBJECT, OBJECT | BOOL},
    {"required", SAYS_DIRECT, TYPE_BIT_OBJECT, LIST},
    {"minProperties", SAYS_DIRECT, TYPE_BIT_OBJECT, NUMBER},
    {"maxProperties", SAYS_DIRECT, TYPE_BIT_OBJECT, NUMBER},
    {"$ref", SAYS_JOIN, 0, STRING},
    {"allOf", SAYS_JOIN, 0, LIST},
    {"anyOf", SAYS_CHOICE, 0, LIST},
    {"oneOf", SAYS_CHOICE, 0, LIST},
    {"not", SAYS_JOIN, 0, OBJECT | BOOL},
    {"if", SAYS_CHOICE, 0, OBJECT | BOOL},
    {"then", SAYS_NOTHING, 0, OBJECT | BOOL}, /* read with `if` */
    {"else", SAYS_NOTHING, 0, OBJECT | BOOL},
    {"dependentRequired", SAYS_CHOICE, 0, OBJECT},
    {"dependentSchemas", SAYS_CHOICE, 0, OBJECT},
    {"dependencies", SAYS_CHOICE, 0, OBJECT},
    {"unevaluatedProperties", REFUSED, 0, ANY},
    {"unevaluatedItems", REFUSED, 0, ANY},
    {"maxContains", REFUSED, 0, ANY},
    {"$dynamicRef", REFUSED, 0, ANY},
    {"$recursiveRef", REFUSED, 0, ANY},
    {"extends", REFUSED, 0, ANY},
    {"disallow", REFUSED, 0, ANY},
    {"divisibleBy", REFUSED, 0, ANY},
};

SchemaKeyword schema_keyword(Text name) {
    for (size_t i = 0; i < sizeof keywords / sizeof *keywords; i++)
        if (text_equal(name, text_of(keywords[i].name))) return keywords[i];
    return (SchemaKeyword){"", SAYS_NOTHING, 0, ANY};
}

bool schema_is_direct(Text keyword) { return schema_keyword(keyword).role == SAYS_DIRECT; }

static unsigned shape_of(const JsonValue *value) {
    switch (value->kind) {
    case JSON_STRING: return STRING;
    case JSON_NUMBER: return NUMBER;
    case JSON_ARRAY: return LIST;
    case JSON_OBJECT: return OBJECT;
    case JSON_TRUE:
    case JSON_FALSE: return BOOL;
    case JSON_NULL: break;
    }
    return 0;
}

bool schema_check_shape(Schema *s, const JsonValue *schema, uint32_t index) {
    static const char *const names[] = {"a string", "a number", "a list", "an object",
                                        "true or false"};
    SchemaKeyword keyword = schema_keyword(schema->keys[index]);
    char why[80] = "wanted ";
    if (keyword.shape == ANY || keyword.shape & shape_of(&schema->items[index])) return true;
    for (size_t i = 0, n = 0; i < sizeof names / sizeof *names; i++)
        if (keyword.shape >> i & 1)
            snprintf(why + strlen(why), sizeof why - strlen(why), "%s%s", n++ ? " or " : "",
                     names[i]);
    return schema_refuse(s, schema, keyword.name, why);
}
