/* chat.h - a conversation as one text.
 *
 *     <|im_start|>user
 *     Tell me a story.<|im_end|>
 *     <|im_start|>assistant
 *
 * ChatML is the only template built in so far; others go beside it.
 * Source   OpenAI's ChatML (2023), as used by Qwen and many fine-tunes. */
#ifndef STRATA_CHAT_H
#define STRATA_CHAT_H

#include "tokenizer.h"

typedef struct ChatTurn {
    Text role, content; /* "system", "user", "assistant" */
} ChatTurn;

/* Append the tokens of the turns, and the opening of the assistant's turn.  Contents are plain
 * text: the names of special tokens inside them stay text.
 *
 * Fails when the tokenizer lacks <|im_start|> or <|im_end|>. */
bool chat_encode(const Tokenizer *tokenizer, const ChatTurn *turns, size_t count,
                 TokenList *tokens, Fault *fault);

#endif
