/* right: how much is ours, counted by a loop, and the longer of two by a helper */
static int32_t longer_of(const Tokenizer *t, int32_t a, int32_t b) {
    if (a < 0 || b < 0) return a < 0 ? b : a;
    return t->symbols[a].size >= t->symbols[b].size ? a : b;
}

static int32_t special_here(const Tokenizer *t, Text text, const unsigned char *user,
                            bool control) {
    size_t ours = 0;
    while (ours < text.size && !(user && user[ours])) ours++;
    int32_t in_all = special_at(t, text, false);
    return control ? longer_of(t, special_at(t, (Text){text.data, ours}, true), in_all)
                   : in_all;
}
