/* think.c - a model's thinking ends after N tokens: its end mark is forced.
 *
 *     <think> ......................... </think> The answer is ...
 *             |------ N tokens ------|  |------|
 *                                       one token at a time; no other token is allowed
 *
 * A thought begins where the prompt ends with <think>, or the answer begins with it. */
#include "stage.h"

#include <math.h>
#include <string.h>

enum { N };

static const char open_mark[] = "<think>", close_mark[] = "</think>";

static bool think_is_blank(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

static Text think_text_at(const Step *step, size_t i) {
    return tokenizer_piece(step->tokenizer, step->history[i], true);
}

/* Does the prompt end with <think>, apart from white space? */
static bool prompt_thinks(const Step *step) {
    size_t left = sizeof open_mark - 1;
    for (size_t i = step->prompt_count; i-- > 0;) {
        Text piece = think_text_at(step, i);
        for (size_t b = piece.size; b-- > 0;) {
            if (left == sizeof open_mark - 1 && think_is_blank(piece.data[b])) continue;
            if (piece.data[b] != open_mark[left - 1]) return false;
            if (--left == 0) return true;
        }
    }
    return false;
}

/* The index after the token that completes the mark; 0: none does.
 *
 *   first   only white space may come before it */
static size_t after_mark(const Step *step, size_t begin, const char *mark, bool first) {
    size_t matched = 0;
    for (size_t i = begin; i < step->history_count; i++) {
        Text piece = think_text_at(step, i);
        for (size_t b = 0; b < piece.size; b++) {
            char c = piece.data[b];
            bool goes_on = c == mark[matched];
            if (!goes_on && first && (matched || !think_is_blank(c))) return 0;
            matched = goes_on ? matched + 1 : c == mark[0];
            if (!mark[matched]) return i + 1;
        }
    }
    return 0;
}

static void leave_only(Candidates *c, int32_t token) {
    for (size_t i = 0; i < c->count; i++)
        if (candidates_id(c, i) != token) c->logits[i] = -INFINITY;
    candidates_changed(c);
}

static void apply(Stage *stage, Candidates *c, const Step *step) {
    TokenList end = {0};
    Fault fault;
    size_t begin = prompt_thinks(step) ? step->prompt_count
                                       : after_mark(step, step->prompt_count, open_mark, true);
    size_t n = step->history_count - begin;
    if (begin == 0 || (double)n < stage->value[N] || after_mark(step, begin, close_mark, false))
        return;
    bool ok = tokenizer_encode(step->tokenizer, text_of(close_mark), true, &end, &fault);
    REQUIRE(ok, "no tokens for the end of a thought");
    size_t at = n - (size_t)stage->value[N];
    if (at < end.count) leave_only(c, end.ids[at]);
    token_list_free(&end);
}

const StageKind stage_think = {
    .name = "think",
    .gloss = "a model's thinking ends after N tokens",
    .formula = "N tokens after <think>:  logit = -infinity for all but what spells </think>",
    .advice = "models that think for too long.  think:500.",
    .source = "Muennighoff et al. 2025, s1, arXiv:2501.19393",
    .example = "think:500",
    .params = {{.key = "n",
                .low = -1,
                .high = 1e9,
                .integer = true,
                .required = true,
                .off = -1,
                .has_off = true}},
    .needs = NEEDS_TOKENIZER,
    .apply = apply};
