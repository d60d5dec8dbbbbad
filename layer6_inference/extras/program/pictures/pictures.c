/* pictures.c - see pictures.h. */
#include "pictures.h"

#include "files.h"
#include "prefix.h"
#include "share.h"
#include "picture.h"
#include "vision.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* ------------------------------------------------------------------ opening and closing */

static bool pictures_any_size(const Pictures *p) {
    return vision_any_size(&model_extras(&p->vision.model)->vision);
}

static bool pictures_check_width(const Pictures *p, const char *path, Fault *fault) {
    const size_t width = vision_width(&p->vision),
                 wanted = session_lent_width(p->session->model);
    return width == wanted || fault_set(fault,
                                        "%s makes rows of %zu numbers, and the model reads "
                                        "rows of %zu: it belongs to another model",
                                        path, width, wanted);
}

/* Does the token exist that begins a text around a picture, a name in <>?  What follows it may
 * be plain text: Idefics 3 has no tokens <global-img> and <row_1_col_1>, SmolVLM has. */
static bool pictures_check_around(const Pictures *p, const char *text, const char *path,
                                  Fault *fault) {
    const Tokenizer *t = p->session->model->tokenizer;
    char name[64];
    if (!text || !(text = strchr(text, '<'))) return true;
    snprintf(name, sizeof name, "%.*s", (int)strcspn(text, ">") + 1, text);
    return tokenizer_find(t, name) >= 0 ||
           fault_set(fault,
                     "%s puts pictures behind or before the token %s, and the model has none "
                     "of that name: it belongs to another model",
                     path, name);
}

const VisionKind *pictures_kind(const Pictures *p) {
    return model_extras(&p->vision.model)->vision.kind;
}

static bool pictures_check(const Pictures *p, const VisionOptions *o, Fault *fault) {
    const char *path = o->mmproj;
    if (p->crop && pictures_any_size(p))
        return fault_set(fault, "%s reads pictures of any shape: leave out --crop", path);
    const VisionKind *k = pictures_kind(p);
    if (o->whole && k->grid == GRID_NONE)
        return fault_set(fault, "%s reads pictures without tiles: leave out --whole", path);
    const char *const around[] = {k->begin, k->whole, k->tile, k->beside, k->line, k->end};
    bool ok = pictures_check_width(p, path, fault);
    for (size_t i = 0; ok && i < sizeof around / sizeof *around; i++)
        ok = pictures_check_around(p, around[i], path, fault);
    return ok;
}

/* Do a picture's rows see each other?  Gemma 4's small models, whose layers look tokens up by
 * themselves, read them as a text. */
static bool pictures_together(const Pictures *p) {
    const ModelExtras *m = model_extras(p->session->model);
    return pictures_kind(p)->together && !m->layer_table.table.data;
}

/* Lend the rows to the session. */
static bool pictures_lend(Pictures *p, Fault *fault) {
    if (!session_lend(p->session, p->rows, p->room * p->each,
                      pictures_together(p) ? p->each : 0, fault))
        return false;
    return session_grid(p->session, (const size_t(*)[2])p->grid, p->each), true;
}

static size_t rows_bytes(const Pictures *p) {
    return p->room * p->each * session_lent_width(p->session->model) * sizeof *p->rows;
}

/* Slots for the images, and token ids after the vocabulary.  Pages of rows that no picture has
 * filled take no memory. */
static bool pictures_take_room(Pictures *p, size_t room, Fault *fault) {
    p->room = room, p->each = vision_rows(&p->vision);
    if (p->vision.model.extras->vision.rows < p->each || pictures_any_size(p))
        p->each = min_size(p->each, session_ctx(p->session));
    if (room <= (INT32_MAX - p->session->model->sizes.vocab) / p->each) {
        void *rows = mmap(NULL, rows_bytes(p), PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (rows != MAP_FAILED) p->rows = rows;
        p->places = calloc(room, sizeof *p->places);
        p->grid = calloc(room, sizeof *p->grid);
    }
    return (p->rows && p->places && p->grid) ||
           fault_set(fault, "no memory for the rows of %zu pictures", room);
}

bool pictures_open(Pictures *p, const VisionOptions *o, size_t room, Session *session,
                   Pool *pool, Fault *fault) {
    *p = (Pictures){.session = session, .crop = o->crop};
    pthread_mutex_init(&p->lock, NULL), pthread_mutex_init(&p->shaping, NULL);
    return session_lend(session, NULL, 0, 0, fault) &&
           vision_open(&p->vision, o->mmproj, o->class_last ? CLASS_LAST : CLASS_FIRST, pool,
                       fault) &&
           (!o->whole || (vision_read_whole(&p->vision), true)) &&
           pictures_check(p, o, fault) && pictures_take_room(p, room, fault) &&
           pictures_lend(p, fault);
}

void pictures_close(Pictures *p) {
    if (!p->session) return;
    vision_close(&p->vision);
    for (size_t i = 0; p->places && i < p->room; i++) picture_free(&p->places[i].shaped);
    if (p->rows) munmap(p->rows, rows_bytes(p));
    free(p->places), free(p->grid);
    pthread_mutex_destroy(&p->lock), pthread_mutex_destroy(&p->shaping);
    *p = (Pictures){0};
}

/* ------------------------------------------------------------------ places */

static bool pictures_check_rows(const Pictures *p, Picture *shaped, Fault *fault) {
    const size_t rows = vision_rows_of(&p->vision, shaped), w = shaped->width,
                 h = shaped->height;
    if (rows <= p->each) return true;
    picture_free(shaped);
    return fault_set(fault,
                     "a picture that is read as %zu by %zu pixels becomes %zu tokens, and the "
                     "context has %zu: make it smaller, or the context longer (--ctx)",
                     w, h, rows, session_ctx(p->session));
}

bool pictures_shape(Pictures *p, Text bytes, size_t *pixels, Picture *shaped, Fault *fault) {
    Picture picture;
    pthread_mutex_lock(&p->shaping);
    bool ok = picture_read(&picture, bytes.data, bytes.size, fault) &&
              vision_shape(&p->vision, &picture, p->crop, shaped, fault) &&
              pictures_check_rows(p, shaped, fault);
    *pixels = picture.width * picture.height;
    picture_free(&picture);
    pthread_mutex_unlock(&p->shaping);
    return ok;
}

/* The slot of an equal image, or NULL. */
static PictureSlot *find_equal(const Pictures *p, const Picture *shaped, uint64_t salt) {
    const size_t w = shaped->width, h = shaped->height;
    for (PictureSlot *s = p->places; s < p->places + p->room; s++)
        if (s->shaped.rgb && s->salt == salt && s->shaped.width == w && s->shaped.height == h &&
            s->shaped.columns == shaped->columns &&
            memcmp(s->shaped.rgb, shaped->rgb, 3 * w * h) == 0)
            return s;
    return NULL;
}

/* The least recently used slot without holders; NULL: all are held. */
static PictureSlot *find_place(const Pictures *p) {
    PictureSlot *oldest = NULL;
    for (PictureSlot *s = p->places; s < p->places + p->room; s++)
        if (!s->holders && (!oldest || s->used < oldest->used)) oldest = s;
    return oldest;
}

/* May a user hold another slot? */
static bool has_share(const Pictures *p, uint64_t user) {
    size_t held = 0, free = 0;
    for (const PictureSlot *s = p->places; s < p->places + p->room; s++)
        held += s->holders && s->user == user, free += !s->holders;
    return free && (!p->shared || share_allows(held, 1, free));
}

bool pictures_take(Pictures *p, Picture *shaped, uint64_t user, uint64_t salt, size_t *number) {
    pthread_mutex_lock(&p->lock);
    PictureSlot *s = find_equal(p, shaped, salt);
    if ((!s || !s->holders) && !has_share(p, user)) {
        s = NULL;
    } else if (!s && (s = find_place(p))) {
        picture_free(&s->shaped);
        *s = (PictureSlot){.shaped = *shaped, .user = user, .salt = salt};
        vision_grid(&p->vision, shaped, p->grid[s - p->places]);
        *shaped = (Picture){0};
    }
    if (s) s->holders++, s->used = ++p->clock, *number = (size_t)(s - p->places);
    pthread_mutex_unlock(&p->lock);
    picture_free(shaped);
    return s != NULL;
}

void pictures_hold(Pictures *p, size_t number) {
    pthread_mutex_lock(&p->lock);
    p->places[number].holders++;
    pthread_mutex_unlock(&p->lock);
}

void pictures_release(Pictures *p, size_t number) {
    pthread_mutex_lock(&p->lock);
    p->places[number].holders--;
    pthread_mutex_unlock(&p->lock);
}

/* ------------------------------------------------------------------ rows */

int32_t pictures_first_token(const Pictures *p, size_t number) {
    return (int32_t)(p->session->model->sizes.vocab + number * p->each);
}

size_t pictures_tokens(const Pictures *p, size_t number) {
    return vision_rows_of(&p->vision, &p->places[number].shaped);
}

size_t pictures_run(const Pictures *p, size_t number) {
    const size_t rows = pictures_tokens(p, number);
    return pictures_kind(p)->whole ? min_size(rows, p->vision.model.extras->vision.rows) : rows;
}

void pictures_tiles(const Pictures *p, size_t number, size_t grid[2]) {
    const size_t runs = pictures_tokens(p, number) / pictures_run(p, number);
    grid[1] = p->places[number].shaped.columns;
    grid[0] = runs > 1 ? (runs - 1) / grid[1] : 0;
}

bool pictures_is_read(Pictures *p, size_t number) {
    pthread_mutex_lock(&p->lock);
    bool read = p->places[number].read;
    pthread_mutex_unlock(&p->lock);
    return read;
}

bool pictures_read(Pictures *p, size_t number, Fault *fault) {
    const int32_t first = pictures_first_token(p, number);
    const double start = clock_seconds();
    if (pictures_is_read(p, number)) return true;
    prefix_forget(&p->session->kv, first, first + (int32_t)p->each);
    if (!vision_read(&p->vision, &p->places[number].shaped,
                     p->rows + number * p->each * session_lent_width(p->session->model), fault))
        return false;
    pthread_mutex_lock(&p->lock);
    p->places[number].read = true;
    p->n_read++, p->seconds += clock_seconds() - start;
    pthread_mutex_unlock(&p->lock);
    return true;
}

bool pictures_in(const Pictures *p, size_t number, const TokenList *tokens) {
    const int32_t first = pictures_first_token(p, number);
    for (size_t i = 0; i < tokens->count; i++)
        if (tokens->ids[i] >= first && tokens->ids[i] < first + (int32_t)p->each) return true;
    return false;
}
