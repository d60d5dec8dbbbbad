/* words.c - texts and tokens: /tokenize, /detokenize, /apply-template. */
#include "text_job.h"
#include "json.h"
#include "template.h"

static bool words_check_name(const Ask *ask, const Server *s, Refusal *refusal) {
    return text_equal(ask_text(ask, F_MODEL, s->name), text_of(s->name)) ||
           refuse(refusal, 404, "model", "this is %s", s->name);
}

static void write_tokens(FILE *out, const Ask *ask, const Server *s, const TokenList *tokens) {
    fputs("{\"tokens\":[", out);
    for (size_t i = 0; i < tokens->count; i++) {
        if (i) fputc(',', out);
        if (!ask_bool(ask, F_WITH_PIECES, false)) {
            fprintf(out, "%d", tokens->ids[i]);
            continue;
        }
        fprintf(out, "{\"id\":%d,\"piece\":", tokens->ids[i]);
        write_text(out, tokenizer_piece(s->loaded.model->tokenizer, tokens->ids[i], true));
        fputc('}', out);
    }
    fputs("]}", out);
}

void handle_tokenize(const Call *call, Reply *reply) {
    const Tokenizer *tokenizer = call->server->loaded.model->tokenizer;
    TokenList tokens = {0};
    Ask ask;
    Refusal refusal = {0};
    bool ok = ask_read(&ask, IN_TOKENIZE, call->body, &refusal) &&
              words_check_name(&ask, call->server, &refusal);
    if (ok && !ask.value[F_CONTENT])
        ok = refuse(&refusal, 400, "content", "content: there is none");
    ok = ok && (tokenizer_encode(tokenizer, ask.value[F_CONTENT]->text,
                                 ask_bool(&ask, F_SPECIAL, false), &tokens, &refusal.fault) ||
                refuse_fault(&refusal, 400, "content"));
    FILE *out = ok ? reply_begin(reply) : NULL;
    if (out) write_tokens(out, &ask, call->server, &tokens), reply_end(reply, out);
    if (!ok) reply_refuse(reply, &refusal);
    token_list_free(&tokens), ask_free(&ask);
}

/* The bytes of all tokens. */
static bool words_join(const Ask *ask, const Server *s, Bytes *text, Refusal *refusal) {
    const JsonValue *list = ask->value[F_TOKENS];
    const double most = (double)s->loaded.model->sizes.vocab - 1;
    double id;
    if (!list) return refuse(refusal, 400, "tokens", "tokens: there are none");
    for (size_t i = 0; i < list->count; i++) {
        if (!value_as_int(&list->items[i], 0, most, &id))
            return refuse(refusal, 400, "tokens", "tokens: wanted ids from 0 to %.0f", most);
        if (!bytes_add(text, tokenizer_piece(s->loaded.model->tokenizer, (int32_t)id,
                                             ask_bool(ask, F_SPECIAL, true))))
            return refuse(refusal, 500, "tokens", "no memory for a text");
    }
    return true;
}

void handle_detokenize(const Call *call, Reply *reply) {
    Bytes text = {0};
    Ask ask;
    Refusal refusal = {0};
    bool ok = ask_read(&ask, IN_DETOKENIZE, call->body, &refusal) &&
              words_check_name(&ask, call->server, &refusal) &&
              words_join(&ask, call->server, &text, &refusal);
    FILE *out = ok ? reply_begin(reply) : NULL;
    if (out) {
        fputs("{\"content\":", out);
        write_text(out, (Text){text.size ? text.data : "", text.size});
        fputc('}', out), reply_end(reply, out);
    }
    if (!ok) reply_refuse(reply, &refusal);
    bytes_free(&text), ask_free(&ask);
}

void handle_template(const Call *call, Reply *reply) {
    Rendered rendered = {0};
    Ask ask;
    Refusal refusal = {0};
    bool ok = ask_read(&ask, IN_TEMPLATE, call->body, &refusal) &&
              words_check_name(&ask, call->server, &refusal) &&
              messages_render(&ask, call->server, ask_bool(&ask, F_ADD_GENERATION_PROMPT, true),
                              NULL, &rendered, &refusal);
    FILE *out = ok ? reply_begin(reply) : NULL;
    if (out) {
        fputs("{\"prompt\":", out);
        write_text(out, (Text){rendered.text, rendered.size});
        fputc('}', out), reply_end(reply, out);
    }
    if (!ok) reply_refuse(reply, &refusal);
    rendered_free(&rendered), ask_free(&ask);
}
