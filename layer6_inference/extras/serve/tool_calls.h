/* tool_calls.h - OpenAI's tools and tool calls.  See tools.h.
 *
 *     tools, tool_choice, parallel_tool_calls  -->  a stage before the chain
 *     a call, in the model's format    -->  {"id", "type", "function": {"name", "arguments"}}
 *
 * Invariant: a request with invalid tools, or a choice that names none of them, is refused. */
#ifndef STRATA_TOOL_CALLS_H
#define STRATA_TOOL_CALLS_H

#include "fields.h"
#include "calls/tools.h"
#include "chat.h"

/* Check tools, tool_choice and parallel_tool_calls.
 *
 *   any   set to whether a tool may be called */
bool tool_calls_read(const RequestFields *fields, bool *any, HttpError *error);

/* Write the stage that goes before the chain, and a comma; nothing if no tool may be called. */
bool tool_calls_constrain(const RequestFields *fields, ChatCalls form, FILE *out,
                          HttpError *error);

/* Write `name`: and the id of a call. */
void tool_call_write_id(FILE *out, const char *name, const char *id, size_t answer,
                        size_t index);

/* Write a call as OpenAI does: {"id", "type", "function": {"name", "arguments"}}. */
void tool_call_write(FILE *out, const ToolPart *call, const char *id, size_t answer,
                     size_t index);

#endif
