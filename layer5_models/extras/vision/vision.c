/* vision.c - see vision.h. */
#include "vision.h"

#include <string.h>

size_t vision_rows(const Vision *v) { return v->model.extras->vision.patches; }
size_t vision_width(const Vision *v) { return v->model.extras->vision.project[1].w.shape[0]; }

static void vision_layout(Vision *v) {
    const VisionTower *s = &v->model.extras->vision;
    const size_t dim = v->model.sizes.dim, n = s->patches, f = sizeof(float),
                 pixels = 3 * s->patch * s->patch, mid = s->project[0].w.shape[0];
    v->patches = arena_take(&v->arena, n * pixels, f);
    v->input = arena_take(&v->arena, (n + 1) * dim, f);
    v->mid = arena_take(&v->arena, n * mid, f);
    size_t widest = max_size(max_size(pixels, dim), mid);
    v->scratch = arena_take(&v->arena, linear_scratch_bytes(n, widest), 1);
    v->sequence = arena_take(&v->arena, n + 1, sizeof *v->sequence);
    v->position = arena_take(&v->arena, n + 1, sizeof *v->position);
    v->wanted = arena_take(&v->arena, n + 1, sizeof *v->wanted);
}

static bool open_rest(Vision *v, Pool *pool, Fault *fault) {
    const size_t rows = v->model.extras->vision.patches + 1;
    SessionConfig config = {
        .vectors = true, .sequences = 1, .max_tokens = rows, .max_logits = rows};
    arena_measure(&v->arena), vision_layout(v);
    bool ok = session_open(&v->session, &v->model, pool, config, fault) &&
              arena_init(&v->arena, v->arena.used, fault);
    if (!ok) return vision_close(v), false;
    vision_layout(v);
    for (size_t i = 0; i < rows; i++) v->position[i] = (int32_t)i, v->wanted[i] = i > 0;
    return true;
}

bool vision_open_memory(Vision *v, const void *bytes, size_t size, ClassPlace place, Pool *pool,
                        Fault *fault) {
    *v = (Vision){0};
    return model_open_vision(&v->model, bytes, size, place, fault) && open_rest(v, pool, fault);
}

bool vision_open(Vision *v, const char *path, ClassPlace place, Pool *pool, Fault *fault) {
    FileMap file;
    *v = (Vision){0};
    if (!file_open(&file, path, fault)) return false;
    bool ok = vision_open_memory(v, file.data, file.size, place, pool, fault);
    v->file = file;
    if (ok) return true;
    vision_close(v);
    return fault_prefix(fault, path);
}

void vision_close(Vision *v) {
    if (v->session.model) session_close(&v->session);
    arena_free(&v->arena);
    model_close(&v->model);
    if (v->file.data) file_close(&v->file);
    *v = (Vision){0};
}

bool vision_shape(const Vision *v, const Picture *picture, PictureFit fit, Picture *out,
                  Fault *fault) {
    const VisionTower *s = &v->model.extras->vision;
    unsigned char colour[3];
    for (int c = 0; c < 3; c++) colour[c] = (unsigned char)(255 * s->mean[c]);
    return picture_square(out, picture, fit, colour, s->image, fault);
}

bool vision_read(Vision *v, const Picture *square, float *out, Fault *fault) {
    const VisionTower *s = &v->model.extras->vision;
    const size_t n = s->patches, dim = v->model.sizes.dim;
    Pool *pool = v->session.pool;
    REQUIRE(square->width == s->image && square->height == s->image,
            "a picture of %zu by %zu pixels, and the vision tower reads %zu by %zu",
            square->width, square->height, s->image, s->image);
    picture_patches(v->patches, square, s->patch, s->mean, s->spread);
    float *own = v->input + (s->class_last ? n * dim : 0),
          *rows = v->input + (s->class_last ? 0 : dim);
    memcpy(own, s->class_row, dim * sizeof *own);
    linear(pool, &s->embed, v->patches, n, rows, v->scratch);
    Batch batch = {.count = n + 1,
                   .sequence = v->sequence,
                   .position = v->position,
                   .wanted = v->wanted,
                   .input = v->input};
    if (!session_forward(&v->session, &batch, fault)) return false;
    linear(pool, &s->project[0], v->session.hidden, n, v->mid, v->scratch);
    activate(s->project_act, v->mid, v->mid, n * s->project[0].w.shape[0]);
    linear(pool, &s->project[1], v->mid, n, out, v->scratch);
    return true;
}
