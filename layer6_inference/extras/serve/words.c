/* words.c - /tokenize, /detokenize, /apply-template. */
#include "text_fields.h"
#include "json.h"
#include "template.h"

static void write_tokens(FILE *out, const RequestFields *fields, const Server *s,
                         const TokenList *tokens) {
    fputs("{\"tokens\":[", out);
    for (size_t i = 0; i < tokens->count; i++) {
        if (i) fputc(',', out);
        if (!fields_bool(fields, F_WITH_PIECES, false)) {
            fprintf(out, "%d", tokens->ids[i]);
            continue;
        }
        fprintf(out, "{\"id\":%d,\"piece\":", tokens->ids[i]);
        write_text(out, tokenizer_piece(s->loaded.model->tokenizer, tokens->ids[i], true));
        fputc('}', out);
    }
    fputs("]}", out);
}

void handle_tokenize(const HttpRequest *request, Reply *reply) {
    const Tokenizer *tokenizer = request->server->loaded.model->tokenizer;
    TokenList tokens = {0};
    RequestFields fields;
    HttpError error = {0};
    bool ok = fields_read(&fields, IN_TOKENIZE, request->body, &error) &&
              field_model(&fields, request->server, &error);
    if (ok && !fields.value[F_CONTENT])
        ok = http_error(&error, 400, "content", "content: missing");
    ok = ok && prompts_may_fit(request->server, fields.value[F_CONTENT]->text.size, "content",
                               &error);
    ok = ok &&
         (tokenizer_encode(tokenizer, fields.value[F_CONTENT]->text,
                           fields_bool(&fields, F_SPECIAL, false), &tokens, &error.fault) ||
          http_error_fault(&error, 400, "content"));
    FILE *out = ok ? reply_begin(reply) : NULL;
    if (out) write_tokens(out, &fields, request->server, &tokens), reply_end(reply, out);
    if (!ok) reply_error(reply, &error);
    reply_name_ignored(reply, &fields);
    token_list_free(&tokens), fields_free(&fields);
}

static bool words_join(const RequestFields *fields, const Server *s, Bytes *text,
                       HttpError *error) {
    const JsonValue *list = fields->value[F_TOKENS];
    const double most = (double)s->loaded.model->sizes.vocab - 1;
    double id;
    if (!list) return http_error(error, 400, "tokens", "tokens: missing");
    for (size_t i = 0; i < list->count; i++) {
        if (!value_as_int(&list->items[i], 0, most, &id))
            return http_error(error, 400, "tokens", "tokens: wanted ids from 0 to %.0f", most);
        if (!bytes_add(text, tokenizer_piece(s->loaded.model->tokenizer, (int32_t)id,
                                             fields_bool(fields, F_SPECIAL, true))))
            return http_error(error, 500, "tokens", "no memory for a text");
    }
    return true;
}

void handle_detokenize(const HttpRequest *request, Reply *reply) {
    Bytes text = {0};
    RequestFields fields;
    HttpError error = {0};
    bool ok = fields_read(&fields, IN_DETOKENIZE, request->body, &error) &&
              field_model(&fields, request->server, &error) &&
              words_join(&fields, request->server, &text, &error);
    FILE *out = ok ? reply_begin(reply) : NULL;
    if (out) {
        fputs("{\"content\":", out);
        write_text(out, (Text){text.size ? text.data : "", text.size});
        fputc('}', out), reply_end(reply, out);
    }
    if (!ok) reply_error(reply, &error);
    reply_name_ignored(reply, &fields);
    bytes_free(&text), fields_free(&fields);
}

void handle_template(const HttpRequest *request, Reply *reply) {
    Rendered rendered = {0};
    RequestFields fields;
    HttpError error = {0};
    bool ok = fields_read(&fields, IN_TEMPLATE, request->body, &error) &&
              field_model(&fields, request->server, &error) &&
              messages_render(&fields, request->server,
                              fields_bool(&fields, F_ADD_GENERATION_PROMPT, true), NULL,
                              &rendered, &error);
    FILE *out = ok ? reply_begin(reply) : NULL;
    if (out) {
        fputs("{\"prompt\":", out);
        write_text(out, (Text){rendered.text, rendered.size});
        fputc('}', out), reply_end(reply, out);
    }
    if (!ok) reply_error(reply, &error);
    reply_name_ignored(reply, &fields);
    rendered_free(&rendered), fields_free(&fields);
}
