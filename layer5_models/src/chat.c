/* chat.c - see chat.h. */
#include "chat.h"

static void plain(const Tokenizer *tokenizer, Text text, TokenList *tokens) {
    tokenizer_encode(tokenizer, text, false, tokens);
}

static void open_turn(const Tokenizer *tokenizer, int32_t start, Text role, TokenList *tokens) {
    token_list_add(tokens, start);
    plain(tokenizer, role, tokens);
    plain(tokenizer, text_of("\n"), tokens);
}

bool chat_encode(const Tokenizer *tokenizer, const ChatTurn *turns, size_t count,
                 TokenList *tokens, Fault *fault) {
    int32_t start = tokenizer_find(tokenizer, "<|im_start|>"),
            end = tokenizer_find(tokenizer, "<|im_end|>");
    if (start < 0 || end < 0)
        return fault_set(fault, "this model does not speak ChatML: its vocabulary has no %s",
                         start < 0 ? "<|im_start|>" : "<|im_end|>");
    for (size_t i = 0; i < count; i++) {
        open_turn(tokenizer, start, turns[i].role, tokens);
        plain(tokenizer, turns[i].content, tokens);
        token_list_add(tokens, end);
        plain(tokenizer, text_of("\n"), tokens);
    }
    open_turn(tokenizer, start, text_of("assistant"), tokens);
    return true;
}
