/* pair.c - two texts as one sequence.  See tokenizers.h. */
#include "kind_data.h"
#include "tokenizers.h"

/* WordPiece ends every text with a separator, which also separates two. */
bool tokenizer_encode_pair(const Tokenizer *t, Text first, Text second, TokenList *tokens,
                           size_t *begin, Fault *fault) {
    size_t start = tokens->count, ends;
    tokenizer_begin(t, tokens);
    bool ok = tokenizer_encode(t, first, false, tokens, fault);
    ends = tokens->count;
    if (ok) tokenizer_end(t, tokens);
    if (ok && t->kind->open != open_wordpiece && t->add_separator && t->separator >= 0)
        token_list_add(tokens, t->separator);
    *begin = tokens->count - start;
    if (ok && tokens->count == ends)
        ok = fault_set(fault, "the tokenizer has nothing to part two texts with: its file asks "
                              "for no token at the end of a text and for none between two");
    ok = ok && tokenizer_encode(t, second, false, tokens, fault);
    if (ok) tokenizer_end(t, tokens);
    if (!ok) tokens->count = start;
    return ok;
}
