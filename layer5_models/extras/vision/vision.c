/* vision.c - see vision.h. */
#include "vision/parts.h"

#include <stdlib.h>
#include <string.h>

static size_t vision_inputs(const Vision *v) {
    return v->room + v->model.extras->vision.kind->class_row;
}

/* Memory for pictures of up to v->room patches. */
static void vision_layout(Vision *v) {
    const VisionTower *s = &v->model.extras->vision;
    const size_t dim = v->model.sizes.dim, n = vision_inputs(v), f = sizeof(float),
                 pixels = 3 * s->patch * s->patch, in = merged_width(v),
                 rows = v->room / (s->side * s->side), mid = projector_mid(s);
    v->cut = arena_take(&v->arena, s->image % s->patch ? v->room * pixels : 0, 1);
    v->patches = arena_take(&v->arena, v->room * pixels, f);
    v->input = arena_take(&v->arena, n * dim, f);
    v->merged = arena_take(&v->arena, max_size(rows * max_size(in, mid), v->room * dim), f);
    v->mid = arena_take(&v->arena, max_size(rows * mid, s->width), f);
    v->deep = arena_take(&v->arena, n * s->n_deep * dim, f);
    v->part = arena_take(&v->arena, s->n_deep ? rows * s->text : 0, f);
    v->turned = arena_take(&v->arena, s->kind->turned ? vision_width(v) * dim : 0, f);
    v->place = arena_take(&v->arena, s->n_places ? dim : 0, f);
    size_t widest = max_size(max_size(pixels, in), mid);
    v->scratch = arena_take(&v->arena, linear_scratch_bytes(n, widest), 1);
    v->order = arena_take(&v->arena, v->room, sizeof *v->order);
    v->windows =
        arena_take(&v->arena, s->full_every ? n * div_up(n, 64) : 0, sizeof *v->windows);
    v->sequence = arena_take(&v->arena, n, sizeof *v->sequence);
    v->position = arena_take(&v->arena, n, sizeof *v->position);
    v->wanted = arena_take(&v->arena, n, sizeof *v->wanted);
    v->model.extras->vision.held = arena_take(&v->arena, n * s->held_width, f);
}

/* Turn the projector's map (in, out) of the file into (out, in), which products read. */
static void vision_turn(Vision *v) {
    Linear *map = &v->model.extras->vision.projector.maps[0];
    const size_t in = map->w.shape[0], out = map->w.shape[1];
    for (size_t i = 0; i < in; i++) {
        embedding(v->mid, &map->w, i);
        for (size_t k = 0; k < out; k++) v->turned[k * in + i] = v->mid[k];
    }
    map->w = tensor_view(DTYPE_F32, 2, (size_t[]){out, in}, v->turned);
}

/* Which inputs are patches: all but the class row.  llama.cpp keeps the class row where LLaVA's
 * projector reads, and drops the first patch. */
static void vision_positions(Vision *v) {
    const VisionTower *s = &v->model.extras->vision;
    const size_t n = vision_inputs(v),
                 dropped = s->class_after && !s->kind->skips_block ? n - 1 : 0;
    for (size_t i = 0; i < n; i++)
        v->position[i] = (int32_t)i, v->wanted[i] = !s->kind->class_row || i != dropped;
}

static void vision_leave_room(Vision *v) {
    if (v->session.model) session_close(&v->session);
    arena_free(&v->arena);
    v->room = 0;
}

/* Make room for a picture of so many patches; a smaller picture before it had less. */
static bool vision_take_room(Vision *v, size_t patches, Fault *fault) {
    const Session old = v->session;
    if (patches <= v->room) return true;
    vision_leave_room(v);
    v->room = patches;
    const size_t n = vision_inputs(v);
    SessionConfig config = {
        .vectors = true, .ctx = n, .sequences = 1, .max_tokens = n, .max_logits = n};
    arena_measure(&v->arena), vision_layout(v);
    bool ok = session_open(&v->session, &v->model, v->pool, config, fault) &&
              arena_init(&v->arena, v->arena.used, fault);
    if (!ok) return vision_leave_room(v), false;
    v->session.is_wanted = old.is_wanted, v->session.context = old.context;
    v->session.all_rows = true;
    vision_layout(v);
    vision_positions(v);
    const VisionTower *s = &v->model.extras->vision;
    if (s->n_deep) session_tap(&v->session, s->deep_taps, s->n_deep, v->deep);
    return true;
}

/* The least picture of an encoder for any size, else the only one. */
static bool open_rest(Vision *v, Pool *pool, Fault *fault) {
    const VisionTower *s = &v->model.extras->vision;
    v->pool = pool;
    if (s->kind->sandwich && !turn_heads(v, fault)) return vision_close(v), false;
    if (!vision_take_room(v, vision_any_size(s) ? s->side * s->side : s->patches, fault))
        return vision_close(v), false;
    if (s->kind->turned) vision_turn(v);
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
    vision_leave_room(v);
    model_close(&v->model);
    free(v->heads);
    if (v->file.data) file_close(&v->file);
    *v = (Vision){0};
}

/* Give each patch a place among the encoder's inputs, window by window, so that a window is a
 * run of them, which sees itself alone. */
static void vision_order(Vision *v) {
    const VisionTower *s = &v->model.extras->vision;
    SessionExtras *x = v->session.extras;
    const size_t n = v->down * v->across, words = div_up(n, 64), step = s->patch * s->side,
                 window = s->full_every ? VISION_WINDOW / step * s->side : n,
                 from = s->kind->learned_too;
    size_t at = 0;
    for (size_t top = 0; top < v->down; top += window)
        for (size_t left = 0; left < v->across; left += window) {
            const size_t begin = at, bottom = min_size(top + window, v->down),
                         right = min_size(left + window, v->across);
            for (size_t y = top; y < bottom; y++)
                for (size_t c = left; c < right; c++, at++) {
                    v->order[y * v->across + c] = at;
                    if (!s->axes) continue;
                    x->places[at][1] = (int32_t)(y + from);
                    x->places[at][2] = (int32_t)(c + from);
                }
            for (size_t i = begin; i < at && s->full_every; i++) {
                memset(v->windows + i * words, 0, words * sizeof *v->windows);
                for (size_t k = begin; k < at; k++)
                    v->windows[i * words + k / 64] |= (uint64_t)1 << k % 64;
            }
        }
    x->windows = v->windows, x->window_words = words;
    if (!s->axes) return;
    if (s->class_row) memset(x->places[n], 0, sizeof x->places[n]);
    x->placed = v->model.ropes[0], x->placed.places = (const int32_t(*)[3])x->places;
}

/* The picture, without the pixels that fill no patch. */
static Picture vision_whole_patches(const Vision *v, const Picture *square) {
    const VisionTower *s = &v->model.extras->vision;
    const size_t side = s->image / s->patch * s->patch;
    if (vision_any_size(s) || side == s->image) return *square;
    for (size_t y = 0; y < side; y++)
        memcpy(v->cut + 3 * side * y, square->rgb + 3 * s->image * y, 3 * side);
    return (Picture){side, side, v->cut, 0};
}

/* rows (patches, dim) in the encoder's order = the patches through the map of each frame. */
static void embed_patches(Vision *v, float *rows) {
    const VisionTower *s = &v->model.extras->vision;
    const size_t n = v->down * v->across, dim = v->model.sizes.dim;
    memset(rows, 0, n * dim * sizeof *rows);
    for (int frame = 0; frame < (s->kind->two_frames ? 2 : 1); frame++) {
        linear(v->session.pool, &s->embed[frame], v->patches, n, v->merged, v->scratch);
        for (size_t i = 0; i < n; i++)
            axpy(rows + v->order[i] * dim, 1, v->merged + i * dim, dim);
    }
}

/* Read a rectangle, a square, or one of several. */
static bool read_tile(Vision *v, const Picture *shaped, float *out, Fault *fault) {
    const VisionTower *s = &v->model.extras->vision;
    const size_t dim = v->model.sizes.dim;
    const bool first = s->class_row && !s->class_after;
    v->across = shaped->width / s->patch, v->down = shaped->height / s->patch;
    const size_t n = v->across * v->down;
    if (!vision_take_room(v, n, fault)) return false;
    const Picture whole = vision_whole_patches(v, shaped);
    picture_patches(v->patches, &whole, s->patch, s->mean, s->spread);
    vision_order(v);
    float *own = v->input + (first ? 0 : n * dim), *rows = v->input + (first ? dim : 0);
    if (s->class_row) memcpy(own, s->class_row, dim * sizeof *own);
    embed_patches(v, rows);
    add_places(v, rows);
    Batch batch = {.count = n + s->kind->class_row,
                   .sequence = v->sequence,
                   .position = v->position,
                   .wanted = v->wanted,
                   .input = v->input};
    if (!session_forward(&v->session, &batch, fault)) return false;
    vision_project(v, out);
    return true;
}

bool vision_read(Vision *v, const Picture *shaped, float *out, Fault *fault) {
    const VisionTower *s = &v->model.extras->vision;
    const size_t step = s->patch * s->side, w = shaped->width, h = shaped->height,
                 side = s->image;
    REQUIRE(vision_any_size(s) ? w % step == 0 && h % step == 0 : w == side && h % side == 0,
            "a picture of %zu by %zu pixels, and the vision tower reads %zu by %zu", w, h, side,
            side);
    if (vision_any_size(s)) return read_tile(v, shaped, out, fault);
    for (size_t top = 0; top < h; top += side, out += s->rows * s->width) {
        const Picture tile = {side, side, shaped->rgb + 3 * side * top, 0};
        if (!read_tile(v, &tile, out, fault)) return false;
    }
    return true;
}
