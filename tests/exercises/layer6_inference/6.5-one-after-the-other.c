/* right: element by element, and the reason found first */
bool ends_before(const Limits *limits, const Tokenizer *t, int32_t token, StopReason *reason) {
    bool end = tokenizer_is_end(t, token), listed = false;
    if (limits->only_bos_ends) end = tokenizer_bos(t) == token;
    for (size_t i = 0; i < limits->n_stop_ids; i++)
        listed = listed || limits->stop_ids[i] == token;
    if (listed) *reason = STOP_ID;
    if (end) *reason = STOP_END;
    return end || listed;
}

bool ends_in_repetition(const int32_t *tokens, size_t n, size_t times) {
    if (times < 2) return false;
    for (size_t size = 1; size <= 64 && size * times <= n; size++) {
        size_t same = 0, wanted = size * (times - 1);
        while (same < wanted && tokens[n - 1 - same] == tokens[n - 1 - same - size]) same++;
        if (same == wanted) return true;
    }
    return false;
}
