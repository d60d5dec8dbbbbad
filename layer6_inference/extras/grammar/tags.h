/* tags.h - free text with tags in it, or tags alone: tool calls, and what looks like XML.
 *
 *     {"triggers": ["<function="],
 *      "structures": [{"begin": "<function=get_time>", "schema": {...}, "end": "</function>"}]}
 *
 *     Let me see. <function=get_time>{"city": "Oslo"}</function> It is late there.
 *     free        trigger: now one of the tags that begin so            free again
 *
 * The text before a trigger is all that holds no trigger; that, as an expression, is a
 * complement:
 *
 *     free      ~(any* trigger any*)
 *     up to     any* trigger & ~(any* trigger any+)       the first one is its end
 *     text  ::= free | up-to  rest-of-a-tag  text
 *
 * {"tags": [...]} is one tag after the other and nothing else.  What stands in a tag is a
 * `schema` (JSON), a `regex`, a `gbnf`, `tags` once more, `any` of several tags (with a
 * `separator`: one or more of them), or any text up to the `end`. With "at_start" a trigger
 * counts as the text's first bytes alone; then nothing but the tag comes.
 *
 * Invariant: free text holds no trigger, so a tag is never begun and left. */
#ifndef STRATA_TAGS_H
#define STRATA_TAGS_H

#include "schema.h"
#include "json.h"

/* The schemas of the tags: each lives as long as the store. */
typedef struct TagSchemas {
    Schema **of; /* owns, and each of them */
    size_t count;
} TagSchemas;

/* Read a description of tags into rules; *root is the rule of the whole text.
 *
 * Fails, naming the tag and what is wrong with it. */
bool tags_read(TagSchemas *schemas, ExprStore *store, const JsonValue *description,
               const GrammarOptions *options, uint32_t *root, Fault *fault);
void tags_free(TagSchemas *schemas);

#endif
