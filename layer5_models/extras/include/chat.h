/* chat.h - a conversation as the tokens of one text.
 *
 *     <|im_start|>user
 *     Tell me a story.<|im_end|>
 *     <|im_start|>assistant
 *
 * The form is a chat template (template.h): the model file's own, or a built-in one.
 *
 * Invariant: a user's text never becomes part of a control token [a_users_text_is_known,
 * texts_never_become_marks]. */
#ifndef STRATA_CHAT_H
#define STRATA_CHAT_H

#include "template.h"
#include "tokenizer.h"
#include "json.h"

typedef struct ChatTurn {
    Text role, content; /* "system", "user", "assistant" */
} ChatTurn;

/* A built-in form. */
typedef struct ChatFormKind {
    const char *name;  /* "chatml" */
    const char *marks; /* required tokens, separated by spaces */
    const char *gloss; /* the models that use it */
    const char *text;  /* in Jinja */
} ChatFormKind;

/* All of them; the row after the last has no name. */
extern const ChatFormKind chat_form_kinds[];

/* How a model writes a function call. */
typedef enum ChatCalls {
    /* <tool_call> {"name": N, "arguments": A} </tool_call>: Hermes, Qwen, Granite 4 */
    CALLS_TAGGED,
    CALLS_BARE,    /* {"name": N, "parameters": A} is the answer: Llama 3 */
    CALLS_LISTED,  /* [TOOL_CALLS][{"name": N, "arguments": A}, ...]: Mistral until 2024 */
    CALLS_NAMED,   /* [TOOL_CALLS]N[ARGS]A: Mistral since then */
    CALLS_NUMBERED /* [TOOL_CALLS]N[CALL_ID]nine letters[ARGS]A: between the two */
} ChatCalls;

typedef struct ChatForm {
    Template *tree;   /* owns */
    const char *name; /* of the built-in one, or "the model's own", "a given one" */
    bool tells_tools; /* it can describe functions */
    ChatCalls calls;  /* the format of its calls */
    bool thinks;      /* it mentions <think> and </think> */
    bool may_think;   /* and has a switch: enable_thinking */
} ChatForm;

/* Choose a model's form.
 *
 *   source   a template; data NULL: the one that is named
 *   name     a built-in one; NULL: the file's own (tokenizer.chat_template), or else the first
 *            built-in one whose marks are in its vocabulary
 *
 * Fails when the template is invalid, the name is unknown, its marks are not in the vocabulary,
 * or no form fits. */
bool chat_form_open(ChatForm *form, const Gguf *gguf, const Tokenizer *tokenizer, Text source,
                    const char *name, Fault *fault);
void chat_form_close(ChatForm *form);

/* A conversation in the form of the API. */
typedef struct ChatTalk {
    const JsonValue *messages; /* an array of objects, each with a role */
    const JsonValue *tools;    /* descriptions of functions; NULL: none */
    bool open;                 /* also begin the assistant's turn */
    bool think;                /* enable_thinking in the template */
} ChatTalk;

/* Render the template; free with rendered_free. */
bool chat_render(const ChatForm *form, const Tokenizer *tokenizer, const ChatTalk *talk,
                 Rendered *rendered, Fault *fault);

/* Append the tokens of a rendered text, with BOS if the file asks for it. */
bool chat_encode_rendered(const Tokenizer *tokenizer, const Rendered *rendered,
                          TokenList *tokens, Fault *fault);

/* The same for turns.
 *
 *   open    also begin the assistant's turn
 *   think   enable_thinking in the template
 *
 * Fails when the template refuses the turns, with its message. */
bool chat_render_turns(const ChatForm *form, const Tokenizer *tokenizer, const ChatTurn *turns,
                       size_t count, bool open, bool think, Rendered *rendered, Fault *fault);

#endif
