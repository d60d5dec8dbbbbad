/* tools.h - functions that a model may call: what it is told of them, what its text must
 * obey, and how its calls are found in the text again.
 *
 *     CALLS_TAGGED     Let me look. <tool_call>
 *                      {"name": "weather", "arguments": {"city": "Rome"}}
 *                      </tool_call>
 *     CALLS_BARE       {"name": "weather", "parameters": {"city": "Rome"}}
 *     CALLS_LISTED     [TOOL_CALLS][{"name": "weather", "arguments": {"city": "Rome"}}]
 *     CALLS_NAMED      [TOOL_CALLS]weather[ARGS]{"city": "Rome"}
 *     CALLS_NUMBERED   [TOOL_CALLS]weather[CALL_ID]a1b2c3d4e[ARGS]{"city": "Rome"}
 *
 * Models were trained on one of these, their template says which (chat.h); a grammar (stage
 * tags) sees to it that every call is one of a function that there is, with arguments that
 * fulfil its schema.
 *
 * Invariant: a text is its contents and calls, in their order: nothing of it is left out but
 * the marks. */
#ifndef STRATA_TOOLS_H
#define STRATA_TOOLS_H

#include "inference_extras.h"

#include <stdio.h>

/* Checks tool descriptions as OpenAI's clients write them.
 *
 *     [{"type": "function",
 *       "function": {"name": "weather", "description": ..., "parameters": SCHEMA}}, ...]
 *
 *   tools   an array
 *
 * Fails, naming the entry. */
bool tools_check(const JsonValue *tools, Fault *fault);

/* The function with this name, or NULL. */
const JsonValue *tools_find(const JsonValue *tools, Text name);

/* How a text may call. */
typedef struct ToolRule {
    const JsonValue *only; /* one of the tools; NULL: any */
    bool required;         /* a call is required */
    bool once;             /* nothing may follow the first call */
} ToolRule;

/* Write the stage that goes before a chain, and a comma (tools_stage.c).  A text has at most
 * one bare call.
 *
 * Fails without memory. */
bool tools_stage(FILE *out, ChatCalls form, const JsonValue *tools, const ToolRule *rule,
                 Fault *fault);

/* The special tokens among the marks of calls: they must be part of the text for calls to be
 * found.
 *
 * Fails without memory. */
bool tools_marks(ChatCalls form, const Tokenizer *tokenizer, TokenList *marks, Fault *fault);

/* For templates without tools: describe the tools at the start of the system message.
 *
 *   messages   an array of at least one; replaced by one whose new parts `region` owns
 *
 * Fails without memory. */
bool tools_tell(const JsonValue *tools, Region *region, JsonValue *messages, Fault *fault);

/* ------------------------------------------------------------------ calls in a text
 * (tools_read.c) */

/* How much of a text has been parsed. */
typedef struct ToolPlace {
    size_t at;   /* byte */
    bool inside; /* within a list of calls */
} ToolPlace;

typedef struct ToolPart {
    bool call;
    bool cut;     /* the call is not complete */
    Text text;    /* content; or a call's arguments, JSON as the model wrote it */
    Text name;    /* of the function */
    Text written; /* the whole part, marks included */
} ToolPart;

/* The next part of a text from `at` on, which is advanced.
 *
 *   whole   the text is complete, so the rest is a part, too: a call that was cut off, or
 *           content
 *
 * False: no complete part yet, or the end of the text. */
bool tools_next(ChatCalls form, Text text, bool whole, ToolPlace *place, ToolPart *part);

/* After tools_next: the call that is being written.  As the text grows, the arguments only
 * grow, up to those of the complete call; any that are no object come with the complete call.
 *
 * False: no call has begun, or its name is not complete. */
bool tools_begun(ChatCalls form, Text text, const ToolPlace *place, ToolPart *part);

/* Write a call's arguments as a JSON value in one line; {} if they were cut off. */
void tools_write_arguments(FILE *out, const ToolPart *part);

/* A call as {"name": ..., "arguments": ...}, whatever its format; NULL without memory.  Free
 * it. */
char *tools_call(const ToolPart *part, size_t *size);

#endif
