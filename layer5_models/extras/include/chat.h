/* chat.h - a conversation as the tokens of one text.
 *
 *     <|im_start|>user
 *     Tell me a story.<|im_end|>
 *     <|im_start|>assistant
 *
 * The form is a template (template.h): the model file's own, or one of those that are built in.
 *
 * Invariant: what a user wrote is never part of a control token. */
#ifndef STRATA_CHAT_H
#define STRATA_CHAT_H

#include "template.h"
#include "tokenizer.h"
#include "json.h"

typedef struct ChatTurn {
    Text role, content; /* "system", "user", "assistant" */
} ChatTurn;

/* A form that is built in. */
typedef struct ChatFormKind {
    const char *name;  /* "chatml" */
    const char *marks; /* tokens it cannot do without, with blanks between */
    const char *gloss; /* whose form it is */
    const char *text;  /* in Jinja */
} ChatFormKind;

/* All of them; the row after the last has no name. */
extern const ChatFormKind chat_form_kinds[];

/* How a model writes a call of a function. */
typedef enum ChatCalls {
    CALLS_TAGGED, /* <tool_call> {"name": N, "arguments": A} </tool_call>: Hermes, Qwen, Granite 4 */
    CALLS_BARE,    /* {"name": N, "parameters": A} is the answer: Llama 3 */
    CALLS_LISTED,  /* [TOOL_CALLS][{"name": N, "arguments": A}, ...]: Mistral until 2024 */
    CALLS_NAMED,   /* [TOOL_CALLS]N[ARGS]A: Mistral since */
    CALLS_NUMBERED /* [TOOL_CALLS]N[CALL_ID]nine letters[ARGS]A: between the two */
} ChatCalls;

typedef struct ChatForm {
    Template *tree;   /* owns */
    const char *name; /* of the built-in one; "the model's own", "a given one" */
    bool tells_tools; /* it has a place for descriptions of functions */
    ChatCalls calls;  /* and what it makes of a call */
    bool thinks;      /* it knows of <think> and </think> */
    bool may_think;   /* and asks whether to: enable_thinking */
} ChatForm;

/* Choose a model's form.
 *
 *   source   a template; with data NULL the one that is named
 *   name     of one that is built in; NULL: the file's own (tokenizer.chat_template), and when it has none the
 *            first built-in one whose marks are in its vocabulary
 *
 * Fails when the template is none, when nothing has that name or its marks are not in the vocabulary, and when
 * no form fits. */
bool chat_form_open(ChatForm *form, const Gguf *gguf, const Tokenizer *tokenizer, Text source,
                    const char *name, Fault *fault);
void chat_form_close(ChatForm *form);

/* A conversation as its clients write it. */
typedef struct ChatTalk {
    const JsonValue *messages; /* an array of objects, each with a role */
    const JsonValue *tools;    /* descriptions of functions; NULL: none */
    bool open;                 /* also the opening of the assistant's turn */
    bool think;                /* what the template finds as enable_thinking */
} ChatTalk;

/* The text that the template makes of it; free with rendered_free. */
bool chat_render(const ChatForm *form, const Tokenizer *tokenizer, const ChatTalk *talk,
                 Rendered *rendered, Fault *fault);

/* Append the tokens of such a text, from what a text begins with on. */
bool chat_encode_rendered(const Tokenizer *tokenizer, const Rendered *rendered,
                          TokenList *tokens, Fault *fault);

/* The text of turns; chat_render's.
 *
 *   open    also the opening of the assistant's turn
 *   think   what it finds as enable_thinking
 *
 * Fails when the template refuses the turns, with its words. */
bool chat_render_turns(const ChatForm *form, const Tokenizer *tokenizer, const ChatTurn *turns,
                       size_t count, bool open, bool think, Rendered *rendered, Fault *fault);

#endif
