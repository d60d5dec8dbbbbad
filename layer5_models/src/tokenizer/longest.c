/* longest.c - RWKV's way: the longest token that the text begins with, again and again. */
#include "vocab.h"

/* Append the tokens of a text, and tell of each; a byte that begins none is the unknown one: without it, a fault says
 * which, as 0x78. */
bool encode_longest(Words *words, Text text, TokenList *tokens, Fault *fault) {
    const Tokenizer *t = words->tokenizer;
    while (text.size) {
        size_t size = 1;
        int32_t id = prefix_tree_longest(&t->words, text, &size);
        if (id < 0) id = t->unknown;
        if (id < 0)
            return fault_set(fault, "the vocabulary has no token for the byte 0x%02X",
                             (unsigned char)text.data[0]);
        if (!token_list_reserve(tokens, 1, fault)) return false;
        token_list_add(tokens, id);
        words_tell(words, (Text){text.data, size}, tokens, tokens->count - 1);
        text = (Text){text.data + size, text.size - size};
    }
    return true;
}
