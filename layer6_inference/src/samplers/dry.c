/* dry.c - "don't repeat yourself": the longer the sequence a token would repeat, the less
 * likely it becomes.
 *
 *     history   ... the fox ran . . . the fox        "ran" followed "the fox" before:
 *                   ^^^^^^^           ^^^^^^^        a match of length 2, "ran" would make it 3
 *
 * A match does not extend across a token in which a breaker ends (a newline, colon, quote or
 * asterisk, or the texts of `break`): lists and dialogues are allowed to repeat their
 * frames. */
#include "stage.h"

#include <math.h>

enum { MULT, BASE, ALLOWED, LAST };
enum { LONGEST = 64 };

static const char breakers[] = "\1\n\1:\1\"\1*"; /* each after its size */

/* Does the text up to token `at`, without that token's last `but` bytes, end in these? */
static bool dry_ends_in(const Step *step, const int32_t *text, size_t at, size_t but,
                        const char *bytes, size_t size) {
    Text piece = tokenizer_piece(step->tokenizer, text[at], true);
    for (size_t left = piece.size - but; size > 0;) {
        if (left == 0 && at == 0) return false;
        if (left == 0)
            piece = tokenizer_piece(step->tokenizer, text[--at], true), left = piece.size;
        else if (piece.data[--left] != bytes[--size])
            return false;
    }
    return true;
}

static bool breaks(const Stage *stage, const Step *step, const int32_t *text, size_t at) {
    if (!step->tokenizer) return false;
    size_t own = tokenizer_piece(step->tokenizer, text[at], true).size;
    for (const char *b = stage->text ? stage->text : breakers; *b; b += 1 + *b)
        for (size_t but = 0; but < own; but++)
            if (dry_ends_in(step, text, at, but, b + 1, (size_t)*b)) return true;
    return false;
}

/* How many tokens before `at` equal the end of the text. */
static size_t match_length(const int32_t *text, size_t n, size_t at, size_t reach) {
    size_t length = 0;
    while (length < reach && length < at && text[at - 1 - length] == text[n - 1 - length])
        length++;
    return length;
}

static void apply(Stage *stage, Candidates *c, const Step *step) {
    size_t n = step->history_count, allowed = (size_t)stage->value[ALLOWED], reach = 0;
    if (stage->value[LAST] >= 0 && (double)n > stage->value[LAST])
        n = (size_t)stage->value[LAST];
    const int32_t *text = step->history + (step->history_count - n);
    while (reach < LONGEST && reach < n && !breaks(stage, step, text, n - 1 - reach)) reach++;
    if (reach < allowed) return;
    for (size_t at = 1; at < n; at++) { /* marks: the longest match each token would extend */
        size_t length = match_length(text, n, at, reach);
        if (length >= allowed && (size_t)text[at] < c->vocab &&
            (int32_t)length > c->marks[text[at]] && !breaks(stage, step, text, at))
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
    .list = LIST_BREAKS,
    .params =
        {{.key = "mult", .low = 0, .high = 1000, .required = true, .off = 0, .has_off = true},
         {.key = "base", .default_value = 1.75, .low = 1, .high = 100},
         {.key = "allowed", .default_value = 2, .low = 1, .high = 1e6, .integer = true},
         {.key = "last", .default_value = -1, .low = -1, .high = 1e9, .integer = true}},
    .apply = apply};
