/* right: one walk down the tree; each name that ends on the way is asked who wrote it */
static int32_t special_here(const Tokenizer *t, Text text, const unsigned char *user,
                            bool control) {
    int32_t longest = -1;
    uint32_t node = 0;
    bool theirs = false;
    for (size_t at = 0; at < text.size; at++) {
        node = prefix_tree_next(&t->specials, node, (unsigned char)text.data[at]);
        if (!node) return longest;
        theirs = theirs || (user && user[at]);
        int32_t id = t->specials.values[node];
        if (id >= 0 && (t->types[id] == TOKEN_USER || (control && !theirs))) longest = id;
    }
    return longest;
}
