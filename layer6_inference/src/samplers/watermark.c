/* watermark.c - make a text recognizable: after each token, a secret part of the
 * vocabulary, the green list, becomes more likely.  The detector (watermark_detect.h) counts
 * green tokens. */
#include "watermark.h"

bool watermark_is_green(const Watermark *mark, int32_t before, int32_t token) {
    return rng_unit(mark->key, (uint64_t)(uint32_t)before, (uint64_t)(uint32_t)token) <
           mark->gamma;
}

enum { DELTA, GAMMA, KEY };

/* watermark_is_green for a chunk of tokens at once. */
static void add_dense(const Watermark *mark, int32_t before, float delta, Candidates *c) {
    double u[SCAN_CHUNK];
    for (size_t from = 0; from < c->count; from += SCAN_CHUNK) {
        size_t size = min_size(SCAN_CHUNK, c->count - from);
        rng_units(mark->key, (uint64_t)(uint32_t)before, from, u, size);
        for (size_t i = 0; i < size; i++) c->logits[from + i] += u[i] < mark->gamma ? delta : 0;
    }
}

static void apply(Stage *stage, Candidates *c, const Step *step) {
    float delta = (float)stage->value[DELTA];
    if (step->history_count == 0) return;
    Watermark mark = {(uint64_t)stage->value[KEY], stage->value[GAMMA]};
    int32_t before = step->history[step->history_count - 1];
    if (c->dense) add_dense(&mark, before, delta, c);
    for (size_t i = 0; !c->dense && i < c->count; i++)
        if (watermark_is_green(&mark, before, c->ids[i])) c->logits[i] += delta;
    candidates_changed(c);
}

const StageKind stage_watermark = {
    .name = "watermark",
    .gloss = "make a secret part of the vocabulary likelier; strata watermark finds it again",
    .formula = "logit' = logit + D for the share G of the tokens that hash(key, previous "
               "token, token) makes green",
    .advice = "sure steps stay unmarked.  Of 40 texts of 200 tokens by the storyteller, before "
              "top_p:0.95, 0, 4 and 36 are recognized at delta 2, 4 and 8.",
    .source = "Kirchenbauer et al. 2023, arXiv:2301.10226, algorithm 2",
    .example = "watermark:2",
    .params =
        {{.key = "delta", .low = 0, .high = 100, .required = true, .off = 0, .has_off = true},
         {.key = "gamma", .default_value = 0.25, .low = 0.01, .high = 0.99},
         {.key = "key", .default_value = 15485863, .low = 0, .high = 9e15, .integer = true}},
    .apply = apply};
