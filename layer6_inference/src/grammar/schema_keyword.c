/* schema_keyword.c - the keywords, and what each one is to the place it stands at.  See schema.h.
 *
 * Invariant: each keyword that the standard names is here, or is an annotation. */
#include "schema.h"

static const SchemaKeyword keywords[] = {
    {"type", SAYS_DIRECT, TYPE_BIT_ALL},
    {"enum", SAYS_DIRECT, TYPE_BIT_ALL},
    {"const", SAYS_DIRECT, TYPE_BIT_ALL},
    {"minimum", SAYS_DIRECT, TYPE_BIT_NUMBER},
    {"maximum", SAYS_DIRECT, TYPE_BIT_NUMBER},
    {"exclusiveMinimum", SAYS_DIRECT, TYPE_BIT_NUMBER},
    {"exclusiveMaximum", SAYS_DIRECT, TYPE_BIT_NUMBER},
    {"multipleOf", SAYS_DIRECT, TYPE_BIT_NUMBER},
    {"minLength", SAYS_DIRECT, TYPE_BIT_STRING},
    {"maxLength", SAYS_DIRECT, TYPE_BIT_STRING},
    {"pattern", SAYS_DIRECT, TYPE_BIT_STRING},
    {"format", SAYS_DIRECT, TYPE_BIT_STRING},
    {"items", SAYS_DIRECT, TYPE_BIT_ARRAY},
    {"prefixItems", SAYS_DIRECT, TYPE_BIT_ARRAY},
    {"additionalItems", SAYS_DIRECT, TYPE_BIT_ARRAY},
    {"contains", SAYS_DIRECT, TYPE_BIT_ARRAY},
    {"minContains", SAYS_DIRECT, TYPE_BIT_ARRAY},
    {"minItems", SAYS_DIRECT, TYPE_BIT_ARRAY},
    {"maxItems", SAYS_DIRECT, TYPE_BIT_ARRAY},
    {"uniqueItems", SAYS_DIRECT, TYPE_BIT_ARRAY},
    {"properties", SAYS_DIRECT, TYPE_BIT_OBJECT},
    {"patternProperties", SAYS_DIRECT, TYPE_BIT_OBJECT},
    {"additionalProperties", SAYS_DIRECT, TYPE_BIT_OBJECT},
    {"propertyNames", SAYS_DIRECT, TYPE_BIT_OBJECT},
    {"required", SAYS_DIRECT, TYPE_BIT_OBJECT},
    {"minProperties", SAYS_DIRECT, TYPE_BIT_OBJECT},
    {"maxProperties", SAYS_DIRECT, TYPE_BIT_OBJECT},
    {"$ref", SAYS_JOIN, 0},
    {"allOf", SAYS_JOIN, 0},
    {"anyOf", SAYS_CHOICE, 0},
    {"oneOf", SAYS_CHOICE, 0},
    {"not", SAYS_JOIN, 0},
    {"if", SAYS_CHOICE, 0},
    {"then", SAYS_NOTHING, 0}, /* beside `if`, where it is read */
    {"else", SAYS_NOTHING, 0},
    {"dependentRequired", SAYS_CHOICE, 0},
    {"dependentSchemas", SAYS_CHOICE, 0},
    {"dependencies", SAYS_CHOICE, 0},
    {"unevaluatedProperties", REFUSED, 0},
    {"unevaluatedItems", REFUSED, 0},
    {"maxContains", REFUSED, 0},
    {"$dynamicRef", REFUSED, 0},
    {"$recursiveRef", REFUSED, 0},
    {"extends", REFUSED, 0},
    {"disallow", REFUSED, 0},
    {"divisibleBy", REFUSED, 0},
};

SchemaKeyword schema_keyword(Text name) {
    for (size_t i = 0; i < sizeof keywords / sizeof *keywords; i++)
        if (text_equal(name, text_of(keywords[i].name))) return keywords[i];
    return (SchemaKeyword){"", SAYS_NOTHING, 0};
}

bool schema_is_direct(Text keyword) { return schema_keyword(keyword).role == SAYS_DIRECT; }
