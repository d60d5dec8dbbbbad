/* tools.h - functions that a model may call: what it is told of them, what its text must obey, and how its
 * calls are found in the text again.
 *
 *     Let me look. <tool_call>
 *     {"name": "weather", "arguments": {"city": "Rome"}}
 *     </tool_call>
 *
 * This is how Hermes and Qwen write calls; a grammar (stage tags) sees to it that every call is one of a
 * function that there is, with arguments that fulfil its schema.
 *
 * Invariant: a text is its contents and calls, in their order: nothing of it is left out but the marks. */
#ifndef STRATA_TOOLS_H
#define STRATA_TOOLS_H

#include "inference.h"

#include <stdio.h>

/* Are these descriptions of functions, as OpenAI's clients write them?
 *
 *     [{"type": "function", "function": {"name": "weather", "description": ..., "parameters": SCHEMA}}, ...]
 *
 *   tools   an array
 *
 * Fails, naming the entry. */
bool tools_check(const JsonValue *tools, Fault *fault);

/* The function of this name; NULL: none has it. */
const JsonValue *tools_find(const JsonValue *tools, Text name);

/* How a text may call. */
typedef struct ToolRule {
    const JsonValue *only; /* of the tools; NULL: any of them */
    bool required;         /* no text without a call */
    bool once;             /* nothing follows the first call */
} ToolRule;

/* Write the stage that goes before a chain, and a comma.  Fails when memory is short. */
bool tools_stage(FILE *out, const JsonValue *tools, const ToolRule *rule, Fault *fault);

/* Tell a model of tools whose template has no place for them: its system's message begins with them.
 *
 *   messages   an array of at least one; replaced by one whose new parts `pieces` hold
 *
 * Fails when memory is short. */
bool tools_tell(const JsonValue *tools, Pieces *pieces, JsonValue *messages, Fault *fault);

/* A part of a text: contents, or a call. */
typedef struct ToolPart {
    bool call;
    Text text; /* contents; or a call's JSON */
    size_t next;
} ToolPart;

/* The next part of a text from a place on.
 *
 *   whole   nothing follows any more: then what is left is contents
 *
 * False: there is none yet, or at the end none any more. */
bool tools_next(Text text, size_t from, bool whole, ToolPart *part);

#endif
