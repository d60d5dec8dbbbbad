/* tags.h - free text with tags in it, or tags alone: tool calls, XML-like formats.
 *
 *     {"triggers": ["<function="],
 *      "structures": [{"begin": "<function=get_time>", "schema": {...}, "end": "</function>"}]}
 *
 *     Let me see. <function=get_time>{"city": "Oslo"}</function> It is late there.
 *     free        trigger: only tags that begin this way         free again
 *
 * Text before a trigger must not contain one; as an expression, that is a complement:
 *
 *     free      ~(any* trigger any*)
 *     up to     any* trigger & ~(any* trigger any+)       ends with the first trigger
 *     text  ::= free | up-to  rest-of-a-tag  text
 *
 * {"tags": [...]} is a sequence of tags without text between.  The content of a tag is a
 * `schema` (JSON), `regex`, `gbnf`, nested `tags`, `any` of several tags (with a `separator`:
 * one or more), or any text up to `end`.  With "at_start" only a trigger at the start of the
 * text counts; then the tag is the whole text.
 *
 * Invariant: free text contains no trigger, so a tag that was begun must be finished. */
#ifndef STRATA_TAGS_H
#define STRATA_TAGS_H

#include "schema.h"
#include "json.h"

/* The schemas of the tags: they live as long as the store. */
typedef struct TagSchemas {
    Schema **of; /* owned, with all elements */
    size_t count;
} TagSchemas;

/* Read a description of tags into rules; *root is the rule of the whole text.
 *
 * Fails, naming the tag and the error. */
bool tags_read(TagSchemas *schemas, ExprStore *store, const JsonValue *description,
               const GrammarOptions *options, uint32_t *root, Fault *fault);
void tags_free(TagSchemas *schemas);

#endif
