/* tools.c - tools in a talk: their file, what answers obey, and the call at an answer's
 * end.  See talk.h and ../calls/tools.h. */
#include "calls/tools.h"
#include "calls/write.h"

#include "input.h"
#include "talk.h"
#include "json.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

bool talk_open_tools(Talk *talk, Fault *fault) {
    const char *path = talk->request->tools;
    size_t size;
    if (!path) return true;
    FILE *file = fopen(path, "rb");
    if (!file)
        return fault_set(fault, "--tools '%.200s' cannot be opened: %s", path, strerror(errno));
    char *bytes = read_all(file, path, &size, fault);
    fclose(file);
    if (!bytes) return false;
    talk->tools = json_read((Text){bytes, size}, fault);
    free(bytes);
    const JsonValue *tools = talk->tools ? json_root(talk->tools) : NULL;
    bool ok = tools && ((tools->kind == JSON_ARRAY && tools->count) ||
                        fault_set(fault, "wanted an array of functions"));
    return (ok && tools_check(tools, fault) &&
            tools_marks(talk->form.calls, talk->loaded.model->tokenizer, &talk->marks,
                        fault)) ||
           fault_prefix(fault, path);
}

/* The samplers behind the stage of the tools. */
static bool open_chain(const Talk *talk, const char *spec, bool required, Chain *chain,
                       Fault *fault) {
    const ToolRule rule = {.required = required, .once = true};
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (!out) return fault_set(fault, "no memory for a chain");
    bool ok = !talk->tools ||
              tools_stage(out, talk->form.calls, json_root(talk->tools), &rule, fault);
    fputs(spec, out);
    const bool whole = memory_close(out, &text);
    ok = ok && (whole || fault_set(fault, "no memory for a chain")) &&
         chain_parse(chain, text, talk->loaded.model->tokenizer, fault);
    free(text);
    return ok;
}

bool talk_choose_chain(Talk *talk, const char *spec, Fault *fault) {
    const char *choice = talk->request->tool_choice;
    bool must = choice && strcmp(choice, "required") == 0;
    Chain chain = {0}, must_call = {0};
    if (!open_chain(talk, spec, false, &chain, fault)) return false;
    if (must && !open_chain(talk, spec, true, &must_call, fault))
        return chain_close(&chain), false;
    if (talk->sequence) engine_remove(&talk->engine, talk->sequence);
    talk->sequence = NULL; /* it borrowed a chain: the conversation is read again */
    chain_close(&talk->chain), chain_close(&talk->must_call);
    talk->chain = chain, talk->must_call = must_call;
    return true;
}

size_t talk_find_call(const Talk *talk, Text reply, char **call, size_t *call_size) {
    ToolPart part;
    ToolPlace place = {0};
    *call = NULL;
    for (size_t at = 0; talk->tools; at = place.at) {
        if (!tools_next(talk->form.calls, reply, true, &place, &part)) break;
        if (part.call && !part.cut) return *call = tools_call(&part, call_size), at;
    }
    return reply.size;
}
