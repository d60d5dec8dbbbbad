/* dry.c - "don't repeat yourself": the longer the sequence a token would repeat, the less likely it
 * becomes.
 *
 *     history   ... the fox ran . . . the fox        "ran" followed "the fox" before:
 *                   ^^^^^^^           ^^^^^^^        a match of length 2, and "ran" would make it 3
 *
 * A match does not reach across tokens that contain a newline, colon, quote or asterisk: lists and
 * dialogues repeat their frames with right. */
#include "stage.h"

#include <math.h>
#include <string.h>

enum { MULT, BASE, ALLOWED, LAST };
enum { LONGEST = 64 };

static bool breaks(const Step *step, int32_t token) {
    if (!step->tokenizer) return false;
    Text piece = tokenizer_piece(step->tokenizer, token, true);
    for (size_t i = 0; i < piece.size; i++)
        if (strchr("\n:\"*", piece.data[i]) && piece.data[i]) return true;
    return false;
}

/* How far the tokens before `at` agree with the end of the text. */
static size_t match_length(const int32_t *text, size_t n, size_t at, size_t reach) {
    size_t length = 0;
    while (length < reach && length < at && text[at - 1 - length] == text[n - 1 - length])
        length++;
    return length;
}

static void apply(Stage *stage, Candidates *c, const Step *step) {
    size_t n = step->history_count, allowed = (size_t)stage->value[ALLOWED], reach = 0;
    if (stage->value[MULT] <= 0) return;
    if (stage->value[LAST] >= 0 && (double)n > stage->value[LAST])
        n = (size_t)stage->value[LAST];
    const int32_t *text = step->history + (step->history_count - n);
    while (reach < LONGEST && reach < n && !breaks(step, text[n - 1 - reach])) reach++;
    if (reach < allowed) return;
    for (size_t at = 1; at < n; at++) { /* marks: the longest match each token would extend */
        size_t length = match_length(text, n, at, reach);
        if (length >= allowed && (size_t)text[at] < c->vocab &&
            (int32_t)length > c->marks[text[at]] && !breaks(step, text[at]))
            c->marks[text[at]] = (int32_t)length;
    }
    for (size_t at = 1; at < n; at++) {
        if ((size_t)text[at] >= c->vocab || !c->marks[text[at]]) continue;
        double power = (double)c->marks[text[at]] - (double)allowed;
        size_t entry = candidates_find(c, text[at]);
        c->marks[text[at]] = 0;
        if (entry == c->count) continue;
        double penalty = fmin(1e30, stage->value[MULT] * pow(stage->value[BASE], power));
        candidates_set(c, entry, (float)((double)c->logits[entry] - penalty));
    }
}

const StageKind stage_dry = {
    .name = "dry",
    .gloss = "the longer the sequence a token would repeat, the less likely it becomes",
    .formula = "a match of n >= A tokens before:  logit' = logit - M B^(n - A)",
    .advice = "stops loops and leaves single words alone; better than rep.  dry:0.8.",
    .source = "p-e-w 2024, text-generation-webui #5677",
    .example = "dry:2",
    .params =
        {{.key = "mult", .low = 0, .high = 1000, .required = true, .off = 0, .has_off = true},
         {.key = "base", .default_value = 1.75, .low = 1, .high = 100},
         {.key = "allowed", .default_value = 2, .low = 1, .high = 1e6, .integer = true},
         {.key = "last", .default_value = -1, .low = -1, .high = 1e9, .integer = true}},
    .apply = apply};
