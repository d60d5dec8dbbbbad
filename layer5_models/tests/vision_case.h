/* vision_case.h - a picture of noise, and a random vision tower that has read one. */
#ifndef STRATA_VISION_CASE_H
#define STRATA_VISION_CASE_H

#include "check.h"
#include "make_model.h"
#include "vision.h"

/* A picture of noise with a gradient across it. */
static inline Picture scene(size_t width, size_t height) {
    Picture p;
    assert_true(picture_init(&p, width, height, NULL));
    for (size_t i = 0; i < 3 * width * height; i++)
        p.rgb[i] = (unsigned char)((rng_hash(5, 0, i) & 63) + i * 190 / (3 * width * height));
    return p;
}

typedef struct Sample {
    unsigned char *bytes;
    Vision vision;
    Picture picture;
    float *rows;
} Sample;

static inline void sample_open(Sample *s, MakeModel m, ClassPlace place, Pool *pool) {
    size_t size;
    Fault fault = {""};
    s->bytes = make_model(&m, &size);
    if (!vision_open_memory(&s->vision, s->bytes, size, place, pool, &fault))
        fail_msg("%s: %s", m.more ? m.more : "", fault.text);
    size_t side = model_extras(&s->vision.model)->vision.image;
    s->picture = scene(make_size(&m, "across", side), make_size(&m, "down", side));
    s->rows = malloc(vision_rows(&s->vision) * vision_width(&s->vision) * sizeof *s->rows);
    assert_true(vision_read(&s->vision, &s->picture, s->rows, &fault));
}

static inline void sample_close(Sample *s) {
    vision_close(&s->vision), picture_free(&s->picture);
    free(s->rows), free(s->bytes);
}

#endif
