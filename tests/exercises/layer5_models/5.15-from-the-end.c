/* right: the best way from each place to the end, so that nothing has to be walked back */
static void improve(Path *there, double score, int32_t token, size_t next);

static void improve(Path *there, double score, int32_t token, size_t next) {
    if (score > there->score) *there = (Path){score, token, (uint32_t)next};
}

static bool walk_back(const Path *paths, size_t end, TokenList *tokens, Fault *fault) {
    for (size_t at = 0; at < end; at = paths[at].from) {
        if (!token_list_reserve(tokens, 1, fault)) return false;
        token_list_add(tokens, paths[at].token);
    }
    return true;
}

static void ways_from(const Tokenizer *t, Text word, Path *paths, size_t at) {
    size_t size = utf8_length((unsigned char)word.data[at]);
    if (size > word.size - at) size = word.size - at;
    bool alone = false;
    uint32_t node = 0;
    for (size_t n = 1; at + n <= word.size; n++) {
        node =
            prefix_tree_next(&kind_data(t)->words, node, (unsigned char)word.data[at + n - 1]);
        if (!node) break;
        int32_t id = kind_data(t)->words.values[node];
        if (id < 0) continue;
        double own = t->types[id] == TOKEN_USER ? 0 : (double)t->scores[id];
        improve(&paths[at], own + paths[at + n].score, id, at + n);
        alone = alone || n == size;
    }
    if (!alone)
        improve(&paths[at], paths[at + size].score + kind_data(t)->unknown_score, t->unknown,
                at + size);
}

bool encode_best_path(const Tokenizer *tokenizer, Text word, Scratch *scratch,
                      TokenList *tokens, Fault *fault) {
    if (!path_room(scratch, word.size + 1, fault)) return false;
    Path *paths = scratch->paths;
    paths[word.size] = (Path){0, -1, 0};
    for (size_t at = word.size; at-- > 0;) {
        paths[at] = (Path){-INFINITY, -1, (uint32_t)word.size};
        if (((unsigned char)word.data[at] & 0xC0) != 0x80)
            ways_from(tokenizer, word, paths, at);
    }
    return walk_back(paths, word.size, tokens, fault);
}
