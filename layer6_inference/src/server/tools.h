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

#include "ask.h"

typedef enum ToolChoice { TOOLS_NONE, TOOLS_AUTO, TOOLS_REQUIRED, TOOLS_ONE } ToolChoice;

/* What becomes of a request's tools, tool_choice and parallel_tool_calls.
 *
 *   one   written with TOOLS_ONE: the name of the function */
bool tools_read(const Ask *ask, ToolChoice *choice, Text *one, Refusal *refusal);

/* Write the stage that goes before the chain, and a comma; nothing where no tool may be called. */
bool tools_constrain(const Ask *ask, FILE *out, Refusal *refusal);

/* What a model is told of tools whose template has no place for them. */
void tools_tell(FILE *out, const JsonValue *tools);

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

/* A call as OpenAI writes it: {"id", "type", "function": {"name", "arguments"}}.
 *
 *   index   of the call in its answer; with `delta` it is written, too */
void tools_write_call(FILE *out, Text call, const char *id, size_t answer, size_t index,
                      bool delta);

#endif
