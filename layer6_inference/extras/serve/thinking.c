/* thinking.c - see thinking.h. */
#include "thinking.h"

#include <string.h>

static const char open_mark[] = "<think>", close_mark[] = "</think>";

static bool is_space(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

static size_t skip_space(Text text, size_t at) {
    while (at < text.size && is_space(text.data[at])) at++;
    return at;
}

/* The thought from `begin` on; false: it is not over, and may not grow by what it ends with. */
static bool thinking_end(Text text, size_t begin, bool whole, Text *thought, size_t *after) {
    const size_t mark = sizeof close_mark - 1;
    const char *end = memmem(text.data + begin, text.size - begin, close_mark, mark);
    size_t at = end ? (size_t)(end - text.data) : text.size;
    for (size_t n = min_size(mark - 1, at - begin); !end && !whole && n > 0; n--)
        if (memcmp(text.data + at - n, close_mark, n) == 0) {
            at -= n;
            break;
        }
    *after = end ? at + mark : text.size;
    begin = skip_space(text, begin);
    while (at > begin && is_space(text.data[at - 1])) at--;
    *thought = (Text){text.data + min_size(begin, at), at > begin ? at - begin : 0};
    return end != NULL;
}

Text thinking_split(Text text, bool inside, bool whole, Text *thought) {
    size_t at = 0;
    *thought = (Text){text.data, 0};
    if (!inside) {
        const size_t begin = skip_space(text, 0);
        const Text rest = {text.data + begin, text.size - begin}, mark = text_of(open_mark);
        if (!whole && rest.size < mark.size && text_begins(mark, rest))
            return (Text){text.data + text.size, 0};
        if (!text_begins(rest, mark)) return text;
        at = begin + mark.size;
    }
    if (thinking_end(text, at, whole, thought, &at)) at = skip_space(text, at);
    return (Text){text.data + at, text.size - at};
}

Text thinking_answer(const TextJob *t, const Answer *a, Text *thought) {
    const Text all = {a->shown ? a->text.data : "", a->shown};
    *thought = (Text){all.data, 0};
    return t->thinking ? thinking_split(all, t->thinking == THINKING_BEGUN, a->over, thought)
                       : all;
}

static size_t thinking_tokens_of(const TextJob *t, const Answer *a) {
    Text thought;
    const Text answer = thinking_answer(t, a, &thought);
    const size_t begin = a->shown - answer.size;
    size_t n = 0, bytes = 0;
    if (!thought.size) return 0;
    for (size_t i = a->prompt; i < a->tokens.count && bytes < begin; i++, n++)
        bytes += answer_piece(&a->request.options, t->job->tokenizer, a->tokens.ids[i]).size;
    return n;
}

size_t thinking_tokens(const TextJob *t) {
    size_t n = 0;
    for (size_t i = 0; i < t->job->n; i++)
        if (t->job->answers[i].over) n += thinking_tokens_of(t, &t->job->answers[i]);
    return n;
}

/* ------------------------------------------------------------------ the request */

/* Does the prompt end with <think> and white space? */
static bool thinking_has_begun(const Tokenizer *tokenizer, const TokenList *prompt) {
    size_t left = sizeof open_mark - 1;
    for (size_t i = prompt->count; i-- > 0;) {
        const Text piece = tokenizer_piece(tokenizer, prompt->ids[i], true);
        for (size_t b = piece.size; b-- > 0;) {
            if (left == sizeof open_mark - 1 && is_space(piece.data[b])) continue;
            if (piece.data[b] != open_mark[left - 1]) return false;
            if (--left == 0) return true;
        }
    }
    return false;
}

/* Tags leave the text before the first one free. */
static bool thinking_is_bound(const Chain *chain) {
    for (size_t i = 0; i < chain->count; i++) {
        const Stage *stage = &chain->stages[i];
        if (stage->kind->agrees && !stage_is_off(stage) &&
            strcmp(stage->kind->name, "tags") != 0)
            return true;
    }
    return false;
}

static void thinking_mark(TokenList *marks, const Tokenizer *tokenizer, const char *mark) {
    const int32_t id = tokenizer_find(tokenizer, mark);
    if (id >= 0 && tokenizer_piece(tokenizer, id, false).size == 0) token_list_add(marks, id);
}

bool thinking_read(TextJob *t, const TokenList *prompt, const Chain *chain, HttpError *error) {
    const Text form = fields_text(&t->fields, F_REASONING_FORMAT, "auto");
    const Tokenizer *tokenizer = t->server->loaded.model->tokenizer;
    const bool none = text_equal(form, text_of("none"));
    if (!none && !text_equal(form, text_of("auto")) && !text_equal(form, text_of("deepseek")))
        return http_error(error, 400, "reasoning_format",
                          "reasoning_format: wanted auto, deepseek or none");
    if (none || !t->chat || !t->server->form.thinks || thinking_is_bound(chain) ||
        t->fields.value[F_ANSWER_TOKENS])
        return true;
    t->thinking = thinking_has_begun(tokenizer, prompt) ? THINKING_BEGUN : THINKING_MARKED;
    thinking_mark(&t->job->marks, tokenizer, open_mark);
    thinking_mark(&t->job->marks, tokenizer, close_mark);
    return true;
}
