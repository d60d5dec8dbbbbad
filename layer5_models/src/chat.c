/* chat.c - see chat.h. */
#include "chat.h"

static bool plain(const Tokenizer *tokenizer, Text text, TokenList *tokens, Fault *fault) {
    return tokenizer_encode(tokenizer, text, false, tokens, fault);
}

static bool open_turn(const Tokenizer *tokenizer, int32_t start, Text role, TokenList *tokens,
                      Fault *fault) {
    token_list_add(tokens, start);
    return plain(tokenizer, role, tokens, fault) &&
           plain(tokenizer, text_of("\n"), tokens, fault);
}

bool chat_encode(const Tokenizer *tokenizer, const ChatTurn *turns, size_t count,
                 TokenList *tokens, Fault *fault) {
    int32_t start = tokenizer_find(tokenizer, "<|im_start|>"),
            end = tokenizer_find(tokenizer, "<|im_end|>");
    if (start < 0 || end < 0)
        return fault_set(fault, "this model does not speak ChatML: its vocabulary has no %s",
                         start < 0 ? "<|im_start|>" : "<|im_end|>");
    for (size_t i = 0; i < count; i++) {
        if (!open_turn(tokenizer, start, turns[i].role, tokens, fault) ||
            !plain(tokenizer, turns[i].content, tokens, fault))
            return false;
        token_list_add(tokens, end);
        if (!plain(tokenizer, text_of("\n"), tokens, fault)) return false;
    }
    return open_turn(tokenizer, start, text_of("assistant"), tokens, fault);
}
