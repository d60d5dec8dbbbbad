/* right: the reasons from the last to the first, each overwriting the one before */
bool ends_after(const Limits *limits, const int32_t *tokens, size_t count, size_t room,
                double start, StopReason *reason) {
    bool over = false;
    double gone = clock_seconds() - start;
    if (limits->repeats > 0 && ends_in_repetition(tokens, count, limits->repeats))
        *reason = STOP_REPEAT, over = true;
    if (limits->max_seconds > 0 && !(gone < limits->max_seconds))
        *reason = STOP_TIME, over = true;
    if (!room) *reason = STOP_CONTEXT, over = true;
    if (!(count < limits->max_tokens)) *reason = STOP_LIMIT, over = true;
    return over;
}
