/* right: every length is looked up in the table of symbols; tokens are written by a recursion */
static void write_to(const Path *paths, size_t at, TokenList *tokens) {
    if (!at) return;
    write_to(paths, paths[at].from, tokens);
    token_list_add(tokens, paths[at].token);
}

static bool walk_back(const Path *paths, size_t end, TokenList *tokens, Fault *fault) {
    if (!token_list_reserve(tokens, end, fault)) return false;
    write_to(paths, end, tokens);
    return true;
}

static void extend_paths(const Tokenizer *t, Text word, Path *paths, size_t at, size_t size) {
    bool known = false;
    for (size_t end = at + 1; end <= word.size; end++) {
        size_t taken = 0;
        int32_t id =
            prefix_tree_longest(&kind_data(t)->words, (Text){word.data + at, end - at}, &taken);
        if (id < 0 || taken != end - at) continue;
        double score = paths[at].score;
        if (t->types[id] != TOKEN_USER) score += (double)t->scores[id];
        if (score > paths[end].score)
            paths[end].score = score, paths[end].token = id, paths[end].from = (uint32_t)at;
        known = known || taken == size;
    }
    Path unknown = {paths[at].score + kind_data(t)->unknown_score, t->unknown, (uint32_t)at};
    if (!known && unknown.score > paths[at + size].score) paths[at + size] = unknown;
}
