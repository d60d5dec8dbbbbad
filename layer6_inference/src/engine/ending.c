/* ending.c - see ending.h. */
#include "ending.h"

#include <string.h>

const char *stop_reason_name(StopReason reason) {
    static const char *const names[] = {
        "end of text", "stop token",   "stopped",    "stop string", "grammar complete",
        "token limit", "context full", "time limit", "repetition",  "dead end"};
    return names[reason];
}

bool ends_before(const Limits *limits, const Tokenizer *t, int32_t token, StopReason *reason) {
    if (limits->only_bos_ends ? token == tokenizer_bos(t) : tokenizer_is_end(t, token))
        return *reason = STOP_END, true;
    for (size_t i = 0; i < limits->n_stop_ids; i++)
        if (limits->stop_ids[i] == token) return *reason = STOP_ID, true;
    return false;
}

bool ends_after(const Limits *limits, const int32_t *tokens, size_t count, size_t room,
                double start, StopReason *reason) {
    if (count >= limits->max_tokens) return *reason = STOP_LIMIT, true;
    if (room == 0) return *reason = STOP_CONTEXT, true;
    if (limits->max_seconds > 0 && clock_seconds() - start >= limits->max_seconds)
        return *reason = STOP_TIME, true;
    if (limits->repeats && ends_in_repetition(tokens, count, limits->repeats))
        return *reason = STOP_REPEAT, true;
    return false;
}

bool ends_in_repetition(const int32_t *tokens, size_t n, size_t times) {
    for (size_t size = 1; times > 1 && size <= 64 && size * times <= n; size++) {
        const int32_t *tail = tokens + (n - size * times);
        if (memcmp(tail, tail + size, size * (times - 1) * sizeof *tail) == 0) return true;
    }
    return false;
}
