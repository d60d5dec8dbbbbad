/* tool_calls.h - tools as OpenAI's clients ask for them, and calls as they read them.  See tools.h.
 *
 *     tools, tool_choice, parallel_tool_calls  -->  a stage before the chain
 *     a call, in whatever form    -->  {"id", "type", "function": {"name", "arguments"}}
 *
 * Invariant: a request whose tools are wrong, or whose choice names none of them, is refused. */
#ifndef STRATA_TOOL_CALLS_H
#define STRATA_TOOL_CALLS_H

#include "fields.h"
#include "calls/tools.h"
#include "chat.h"

/* Check a request's tools, tool_choice and parallel_tool_calls.
 *
 *   any   written: may a tool be called? */
bool tool_calls_read(const RequestFields *fields, bool *any, HttpError *error);

/* Write the stage that goes before the chain, and a comma; nothing where no tool may be called. */
bool tool_calls_constrain(const RequestFields *fields, ChatCalls form, FILE *out,
                          HttpError *error);

/* A call as OpenAI writes it: {"id", "type", "function": {"name", "arguments"}}.
 *
 *   index   of the call in its answer; with `delta` it is written, too */
void tool_call_write(FILE *out, const ToolPart *call, const char *id, size_t answer,
                     size_t index, bool delta);

#endif
