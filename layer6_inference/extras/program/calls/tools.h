/* tools.h - functions that a model may call: what it is told of them, what its text must obey, and how its
 * calls are found in the text again.
 *
 *     CALLS_TAGGED     Let me look. <tool_call>
 *                      {"name": "weather", "arguments": {"city": "Rome"}}
 *                      </tool_call>
 *     CALLS_BARE       {"name": "weather", "parameters": {"city": "Rome"}}
 *     CALLS_LISTED     [TOOL_CALLS][{"name": "weather", "arguments": {"city": "Rome"}}]
 *     CALLS_NAMED      [TOOL_CALLS]weather[ARGS]{"city": "Rome"}
 *     CALLS_NUMBERED   [TOOL_CALLS]weather[CALL_ID]a1b2c3d4e[ARGS]{"city": "Rome"}
 *
 * Models were trained on one of these, their template says which (chat.h); a grammar (stage tags) sees to it that every call
 * is one of a function that there is, with arguments that fulfil its schema.
 *
 * Invariant: a text is its contents and calls, in their order: nothing of it is left out but the marks. */
#ifndef STRATA_TOOLS_H
#define STRATA_TOOLS_H

#include "inference_extras.h"

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

/* Write the stage that goes before a chain, and a comma (tools_stage.c).  Of bare calls a text has one at most.
 *
 * Fails when memory is short. */
bool tools_stage(FILE *out, ChatCalls form, const JsonValue *tools, const ToolRule *rule,
                 Fault *fault);

/* The special tokens among the marks of calls: their names have to be part of the text for calls to be found in it.
 *
 * Fails when memory is short. */
bool tools_marks(ChatCalls form, const Tokenizer *tokenizer, TokenList *marks, Fault *fault);

/* Tell a model of tools whose template has no place for them: its system's message begins with them.
 *
 *   messages   an array of at least one; replaced by one whose new parts `region` holds
 *
 * Fails when memory is short. */
bool tools_tell(const JsonValue *tools, Region *region, JsonValue *messages, Fault *fault);

/* ------------------------------------------------------------------ calls in a text (tools_read.c) */

/* How far a text has been read. */
typedef struct ToolPlace {
    size_t at;   /* byte */
    bool inside; /* a list of calls */
} ToolPlace;

/* A part of a text: contents, or a call. */
typedef struct ToolPart {
    bool call;
    Text text; /* contents; or a call's JSON, with a name its arguments alone */
    Text name;
} ToolPart;

/* The next part of a text from a place on, which is moved behind it.
 *
 *   whole   nothing follows any more: then what is left is contents
 *
 * False: there is none yet, or at the end none any more. */
bool tools_next(ChatCalls form, Text text, bool whole, ToolPlace *place, ToolPart *part);

/* A call as {"name": ..., "arguments": ...}, whatever it was written as; NULL when memory is short.  Free it. */
char *tools_call(const ToolPart *part, size_t *size);

#endif
