/* try_file.h - what is done with any bytes that claim to be a model: open them and, if that works, read a
 * few tokens. */
#ifndef STRATA_TRY_FILE_H
#define STRATA_TRY_FILE_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "draft_head.h"
#include "families.h"
#include "make_model.h"
#include "picture.h"
#include "vision.h"

typedef enum Trial { TRIAL_REFUSED, TRIAL_OPENED, TRIAL_RAN, TRIAL_NAN, TRIALS } Trial;

/* Touch the last byte of every tensor and every value. */
static inline void touch(const void *data, size_t size) {
    volatile unsigned char sum = 0;
    Gguf gguf;
    if (!gguf_parse(&gguf, data, size, NULL)) return;
    for (size_t i = 0; i < gguf.n_tensors; i++)
        if (gguf.tensors[i].bytes)
            sum = (unsigned char)(sum + gguf.tensors[i].data[gguf.tensors[i].bytes - 1]);
    for (size_t i = 0; i < gguf.n_pairs; i++)
        sum = (unsigned char)(sum + gguf_value_bytes(&gguf.pairs[i]));
    gguf_free(&gguf);
}

static inline Trial try_model(const Model *model) {
    Session session;
    const bool writes =
        !model_extras(model)->quirks->vectors; /* an encoder leaves rows without logits */
    SessionConfig config = {.ctx = 4,
                            .sequences = 1,
                            .max_tokens = 3,
                            .max_logits = 1,
                            .vectors = !writes,
                            .bidirectional =
                                writes && model_extras(model)->quirks->bidirectional};
    int32_t tokens[3] = {0, 1, 2};
    size_t count = model->sizes.vocab < 3 ? model->sizes.vocab : 3;
    Trial trial = TRIAL_OPENED;
    if (model_extras(model)->encoder) /* a source of other tokens, and the start of an answer */
        tokens[0] = tokens[1] = model_extras(model)->start ? 0 : 1,
        tokens[2] = model_extras(model)->start, count = 3;
    if (!session_open(&session, model, NULL, config, NULL)) return trial;
    if (session_eval(&session, tokens, count, false, NULL))
        trial = isnan(*(writes ? session.logits : session.hidden)) ? TRIAL_NAN : TRIAL_RAN;
    session_close(&session);
    return trial;
}

/* The same of a draft head, which reads rows of zeros beside the tokens. */
static inline Trial try_rows(const Model *head) {
    Session session;
    SessionConfig config = {.ctx = 4, .sequences = 1, .max_tokens = 1, .max_logits = 1};
    if (!session_open(&session, head, NULL, config, NULL)) return TRIAL_OPENED;
    float *row = calloc(head->sizes.dim, sizeof *row);
    int32_t zero = 0;
    Batch batch = {1, &zero, &zero, &zero, (bool[]){true}, row};
    bool ran = row && session_forward(&session, &batch, NULL);
    Trial trial = !ran ? TRIAL_OPENED : isnan(*session.logits) ? TRIAL_NAN : TRIAL_RAN;
    free(row), session_close(&session);
    return trial;
}

/* The model's own, or, of the file of a head, that one, fitted to a small model. */
static inline Trial try_head(Model *model) {
    Model other;
    MakeModel m = make_model_of("llama", "layers:4");
    size_t size;
    m.dim = m.hidden = 8, m.heads = 2, m.kv_heads = 1, m.head_dim = 4, m.ctx = 8;
    if (model_extras(model)->drafts)
        return draft_head_open(&other, model, NULL) ? try_rows(&other) : TRIAL_OPENED;
    unsigned char *bytes = make_model(&m, &size);
    REQUIRE(model_open_memory(&other, bytes, size, NULL), "a small model opens");
    Trial trial = draft_head_fit(model, &other, NULL) ? try_rows(model) : TRIAL_OPENED;
    return model_close(&other), free(bytes), trial;
}

/* An assistant, which reads two tokens beside a small Gemma 4 that has read the first. */
static inline Trial try_assistant(Model *model) {
    Model other;
    Session session, drafts;
    MakeModel m = make_model_of("gemma4", NULL);
    SessionConfig config = {.ctx = 4, .sequences = 1, .max_tokens = 2, .max_logits = 2};
    const int32_t zero[2] = {0}, place[2] = {0, 1};
    size_t size;
    m.hidden = 8, m.heads = 2, m.kv_heads = 1, m.head_dim = 4, m.ctx = 8;
    unsigned char *bytes = make_model(&m, &size);
    REQUIRE(model_open_memory(&other, bytes, size, NULL), "a small model opens");
    Trial trial = TRIAL_OPENED;
    if (draft_head_fit(model, &other, NULL) &&
        session_open(&session, &other, NULL, config, NULL)) {
        float *rows = calloc(2 * draft_head_width(model), sizeof *rows);
        const Batch batch = {2, zero, zero, place, (bool[]){false, true}, rows};
        bool ran = session_open(&drafts, model, NULL, config, NULL);
        if (ran && rows && assistant_reads(&drafts, &session, NULL) &&
            session_eval(&session, zero, 1, false, NULL) &&
            session_forward(&drafts, &batch, NULL))
            trial = isnan(*drafts.logits) ? TRIAL_NAN : TRIAL_RAN;
        if (ran) session_close(&drafts);
        free(rows), session_close(&session);
    }
    return model_close(&other), free(bytes), trial;
}

/* A file that reads pictures for another model reads one. */
static inline Trial try_eye(const void *data, size_t size) {
    Vision vision;
    Picture picture, square;
    Trial trial = TRIAL_OPENED;
    if (!vision_open_memory(&vision, data, size, CLASS_FIRST, NULL, NULL)) return TRIAL_REFUSED;
    size_t count = vision_rows(&vision) * vision_width(&vision);
    float *rows = malloc(count * sizeof *rows);
    if (rows && picture_init(&picture, 3, 5, NULL)) {
        if (vision_shape(&vision, &picture, false, &square, NULL) &&
            vision_read(&vision, &square, rows, NULL))
            trial = isnan(rows[count - 1]) ? TRIAL_NAN : TRIAL_RAN;
        picture_free(&picture), picture_free(&square);
    }
    free(rows);
    vision_close(&vision);
    return trial;
}

static inline Trial try_file(const void *data, size_t size) {
    Model model;
    Fault fault = {""};
    touch(data, size);
    if (!model_open_memory(&model, data, size, &fault)) {
        REQUIRE(fault.text[0], "a file of %zu bytes is refused without a word", size);
        return try_eye(data, size);
    }
    Trial trial = try_model(&model);
    if ((model_extras(&model)->drafts && trial == TRIAL_RAN) ||
        model_extras(&model)->quirks->is_draft_head)
        trial = try_head(&model);
    if (assistant_is(&model)) trial = try_assistant(&model);
    model_close(&model);
    return trial;
}

/* A small model of every family in turn, then others that take other ways through the loader;
 * false after the last. */
static inline bool opens(const MakeModel *m) {
    Model model;
    size_t size;
    unsigned char *bytes = make_model(m, &size);
    bool ok = model_open_memory(&model, bytes, size, NULL);
    if (ok) model_close(&model);
    free(bytes);
    return ok;
}

/* As small as it opens: of one block, else of as many as it has (where blocks are of several kinds, at once),
 * else of its own sizes. */
static inline MakeModel make_small(const char *arch, const char *more) {
    const MakeModel whole = make_model_of(arch, more);
    MakeModel m = whole;
    const bool kinds = make_says(&m, "ssm") || make_says(&m, "short_conv");
    m.dim = m.hidden = 8, m.heads = 2, m.head_dim = 4, m.ctx = 8;
    m.kv_heads = strcmp(arch, "gpt2") ? 1 : 2;
    for (int all = kinds; all < 2; all++) {
        m.layers = all ? whole.layers : 1;
        if (opens(&m)) return m;
    }
    m = whole, m.ctx = 8;
    return m;
}

static inline bool seed_model(size_t number, MakeModel *m) {
    size_t families = 0;
    while (recipe_row(families)) families++;
    const size_t other = number - families;
    if (number >= families + 6) return false;
    *m = number < families ? make_small(recipe_row(number)->arch, number % 4 ? "bloom" : NULL)
                           : make_small("llama", NULL);
    if (number < families) return true;
    if (other >= 4) { /* draft heads, of one block and of several */
        *m = make_model_of(other == 4 ? "glm4" : "mimo2",
                           other == 4 ? "drafts:1 draft_ends" : "drafts:3");
        m->ctx = 8;
        return true;
    }
    m->more = other == 0 ? "yarn" : other == 2 ? "biases rope_freqs" : NULL;
    m->experts = other == 1 ? 2 : 0;
    m->layers = other == 3 ? 3 : 1;
    return true;
}

#endif
