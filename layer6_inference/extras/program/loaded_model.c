/* loaded_model.c - see loaded_model.h. */
#include "loaded_model.h"

#include "input.h"
#include "on_machines.h"
#include "chat.h"
#include "template.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool loaded_open_model(LoadedModel *s, const char *path, const ComputeOptions *compute,
                       Fault *fault) {
    if (!compute_load_model(compute, path, &s->own, fault)) return false;
    s->model = &s->own;
    return true;
}

bool loaded_run(const char **model, ComputeOptions *compute, LoadedRun *run, Fault *fault) {
    LoadedModel loaded = {0};
    if (!choose_model(model, fault) || !compute_open(compute, fault)) return false;
    bool ok = loaded_open_model(&loaded, *model, compute, fault) &&
              compute_adapt(compute, &loaded.own, fault) && run(&loaded, fault);
    if (loaded.model) loaded_close(&loaded);
    compute_close(compute);
    return ok;
}

bool loaded_open_session(LoadedModel *s, const ComputeOptions *compute, size_t ctx,
                         size_t sequences, Fault *fault) {
    size_t max = s->model->sizes.ctx;
    if (ctx == 0) ctx = max < 4096 ? max : 4096;
    SessionConfig config = {.ctx = ctx < max ? ctx : max,
                            .sequences = sequences,
                            .max_tokens = PREFILL_BATCH,
                            .max_logits = sequences > 32 ? sequences : 32,
                            .kv = compute->kv_format,
                            .rewind = s->rewind};
    return session_open(&s->session, s->model, compute->pool, config, fault);
}

bool loaded_open_exactly(LoadedModel *s, const ComputeOptions *compute, size_t tokens,
                         size_t rows, const char *advice, Fault *fault) {
    SessionConfig config = {.ctx = tokens,
                            .sequences = 1,
                            .max_tokens = PREFILL_BATCH,
                            .max_logits = rows,
                            .kv = compute->kv_format};
    if (tokens > s->model->sizes.ctx)
        return fault_set(fault, "%zu tokens are more than the model's context of %zu: give %s",
                         tokens, s->model->sizes.ctx, advice);
    return session_open(&s->session, s->model, compute->pool, config, fault);
}

bool loaded_open(LoadedModel *s, const char *path, const ComputeOptions *compute, size_t ctx,
                 size_t sequences, Fault *fault) {
    if (!loaded_open_model(s, path, compute, fault)) return false;
    if (loaded_open_session(s, compute, ctx, sequences, fault)) return true;
    loaded_close(s);
    return false;
}

void loaded_close(LoadedModel *s) {
    session_close(&s->session);
    if (s->model == &s->own) compute_close_model(&s->own);
    s->model = NULL;
}

bool loaded_check_ctx(const LoadedModel *companion, const char *name, const LoadedModel *with,
                      Fault *fault) {
    size_t has = session_ctx(&companion->session), wants = session_ctx(&with->session);
    if (has >= wants) return true;
    return fault_set(fault, "%s has a context of %zu tokens, the model %zu: give --ctx %zu",
                     name, has, wants, has);
}

bool loaded_tokenize(const LoadedModel *s, Text text, bool special, TokenList *tokens,
                     Fault *fault) {
    if (!token_list_reserve(tokens, 1, fault)) return false;
    tokenizer_begin(s->model->tokenizer, tokens);
    if (!tokenizer_encode(s->model->tokenizer, text, special, tokens, fault) ||
        !token_list_reserve(tokens, 1, fault))
        return false;
    return model_end_prompt(s->model, tokens), true;
}

bool loaded_tokenize_shown(const LoadedModel *s, Text text, const Shown *shown, bool special,
                           TokenList *tokens, Fault *fault) {
    size_t size;
    if (!shown->count) return loaded_tokenize(s, text, special, tokens, fault);
    char *marked = shown_mark(shown, text, false, &size, fault);
    bool ok = marked && shown_encode(shown, s->model->tokenizer, (Text){marked, size}, NULL,
                                     special, tokens, fault);
    free(marked);
    return ok;
}

bool loaded_open_form(const LoadedModel *s, const char *name, ChatForm *form, Fault *fault) {
    const Model *model = s->model;
    if (!name || name[0] != '@')
        return chat_form_open(form, &model->gguf, model->tokenizer, (Text){0}, name, fault);
    size_t size;
    FILE *file = fopen(name + 1, "rb");
    if (!file)
        return fault_set(fault, "--form '%.200s' cannot be opened: %s", name, strerror(errno));
    char *bytes = read_all(file, name + 1, &size, fault);
    fclose(file);
    bool ok = bytes &&
              (size || fault_set(fault, "--form '%.200s' is empty: wanted a template", name));
    ok = ok &&
         chat_form_open(form, &model->gguf, model->tokenizer, (Text){bytes, size}, NULL, fault);
    free(bytes);
    return ok;
}

bool loaded_encode_message(const LoadedModel *s, Text message, const Shown *shown,
                           TokenList *tokens, Fault *fault) {
    const Model *model = s->model;
    char *marked = NULL;
    if (shown->count) {
        size_t size;
        if (!(marked = shown_mark(shown, message, true, &size, fault))) return false;
        message = (Text){marked, size};
    }
    ChatTurn turn = {text_of("user"), message};
    Rendered rendered = {0};
    ChatForm form;
    bool ok =
        chat_form_open(&form, &model->gguf, model->tokenizer, (Text){0}, NULL, fault) &&
        chat_render_turns(&form, model->tokenizer, &turn, 1, true, true, &rendered, fault) &&
        shown_encode(shown, model->tokenizer, (Text){rendered.text, rendered.size},
                     rendered.user, true, tokens, fault);
    rendered_free(&rendered), chat_form_close(&form), free(marked);
    return ok;
}
