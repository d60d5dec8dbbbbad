/* pictures.c - see pictures.h. */
#include "pictures.h"

#include "files.h"
#include "prefix.h"
#include "share.h"
#include "picture.h"
#include "vision.h"

#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ opening and closing */

static size_t side_of(const Pictures *p) {
    return model_extras(&p->vision.model)->vision.image;
}

static bool pictures_check_width(const Pictures *p, const char *path, Fault *fault) {
    size_t width = vision_width(&p->vision), dim = p->session->model->sizes.dim;
    return width == dim || fault_set(fault,
                                     "%s makes rows of %zu numbers, and the model reads rows "
                                     "of %zu: it belongs to another model",
                                     path, width, dim);
}

/* Slots for the images, and token ids after the vocabulary. */
static bool pictures_take_room(Pictures *p, size_t room, Fault *fault) {
    const ModelSizes *sizes = &p->session->model->sizes;
    p->room = room, p->each = vision_rows(&p->vision);
    if (room <= (INT32_MAX - sizes->vocab) / p->each) {
        p->rows = malloc(room * p->each * sizes->dim * sizeof *p->rows);
        p->places = calloc(room, sizeof *p->places);
    }
    return (p->rows && p->places) ||
           fault_set(fault, "no memory for the rows of %zu pictures", room);
}

bool pictures_open(Pictures *p, const VisionOptions *o, size_t room, Session *session,
                   Pool *pool, Fault *fault) {
    *p = (Pictures){.session = session, .fit = o->crop ? FIT_CROP : FIT_PAD};
    pthread_mutex_init(&p->lock, NULL), pthread_mutex_init(&p->shaping, NULL);
    return session_lend(session, NULL, 0, fault) &&
           vision_open(&p->vision, o->mmproj, o->class_last ? CLASS_LAST : CLASS_FIRST, pool,
                       fault) &&
           pictures_check_width(p, o->mmproj, fault) && pictures_take_room(p, room, fault) &&
           session_lend(session, p->rows, room * p->each, fault);
}

void pictures_close(Pictures *p) {
    if (!p->session) return;
    vision_close(&p->vision);
    for (size_t i = 0; p->places && i < p->room; i++) free(p->places[i].rgb);
    free(p->places), free(p->rows);
    pthread_mutex_destroy(&p->lock), pthread_mutex_destroy(&p->shaping);
    *p = (Pictures){0};
}

/* ------------------------------------------------------------------ places */

bool pictures_shape(Pictures *p, Text bytes, Picture *square, Fault *fault) {
    Picture picture;
    pthread_mutex_lock(&p->shaping);
    bool ok = picture_read(&picture, bytes.data, bytes.size, fault) &&
              vision_shape(&p->vision, &picture, p->fit, square, fault);
    picture_free(&picture);
    pthread_mutex_unlock(&p->shaping);
    return ok;
}

/* The slot of an equal image, or NULL. */
static PictureSlot *find_equal(const Pictures *p, const Picture *square, uint64_t salt) {
    const size_t bytes = 3 * side_of(p) * side_of(p);
    for (PictureSlot *s = p->places; s < p->places + p->room; s++)
        if (s->rgb && s->salt == salt && memcmp(s->rgb, square->rgb, bytes) == 0) return s;
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

bool pictures_take(Pictures *p, Picture *square, uint64_t user, uint64_t salt, size_t *number) {
    pthread_mutex_lock(&p->lock);
    PictureSlot *s = find_equal(p, square, salt);
    if ((!s || !s->holders) && !has_share(p, user)) {
        s = NULL;
    } else if (!s && (s = find_place(p))) {
        free(s->rgb);
        *s = (PictureSlot){.rgb = square->rgb, .user = user, .salt = salt};
        square->rgb = NULL;
    }
    if (s) s->holders++, s->used = ++p->clock, *number = (size_t)(s - p->places);
    pthread_mutex_unlock(&p->lock);
    picture_free(square);
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

bool pictures_is_read(Pictures *p, size_t number) {
    pthread_mutex_lock(&p->lock);
    bool read = p->places[number].read;
    pthread_mutex_unlock(&p->lock);
    return read;
}

bool pictures_read(Pictures *p, size_t number, Fault *fault) {
    const int32_t first = pictures_first_token(p, number);
    const double start = clock_seconds();
    const Picture square = {side_of(p), side_of(p), p->places[number].rgb};
    if (pictures_is_read(p, number)) return true;
    prefix_forget(&p->session->kv, first, first + (int32_t)p->each);
    if (!vision_read(&p->vision, &square,
                     p->rows + number * p->each * p->session->model->sizes.dim, fault))
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
