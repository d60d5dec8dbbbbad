/* pictures.c - see pictures.h. */
#include "pictures.h"

#include "files.h"

#include <stdlib.h>
#include <string.h>

static bool read_one(Vision *eye, const PictureOptions *o, size_t i, float *rows,
                     Fault *fault) {
    Picture picture;
    if (!picture_open(&picture, o->images.items[i], fault)) return false;
    bool ok = vision_read(eye, &picture, o->crop ? FIT_CROP : FIT_PAD, rows, fault);
    picture_free(&picture);
    return ok || fault_prefix(fault, o->images.items[i]);
}

static bool read_all_pictures(Pictures *p, Vision *eye, const PictureOptions *o,
                              const Session *session, Fault *fault) {
    size_t width = vision_width(eye), dim = session->model->sizes.dim;
    if (width != dim)
        return fault_set(fault,
                         "%s makes rows of %zu numbers, and the model reads rows of %zu: it "
                         "belongs to another model",
                         o->mmproj, width, dim);
    p->count = o->images.count, p->each = vision_rows(eye);
    if (!(p->rows = malloc(p->count * p->each * dim * sizeof *p->rows)))
        return fault_set(fault, "no memory for the rows of %zu pictures", p->count);
    for (size_t i = 0; i < p->count; i++)
        if (!read_one(eye, o, i, p->rows + i * p->each * dim, fault)) return false;
    return true;
}

bool pictures_open(Pictures *p, const PictureOptions *o, Session *session, Pool *pool,
                   Fault *fault) {
    Vision eye;
    double start = clock_seconds();
    *p = (Pictures){0};
    if (!session_lend(session, NULL, 0, fault) ||
        !vision_open(&eye, o->mmproj, o->class_last ? CLASS_LAST : CLASS_FIRST, pool, fault))
        return false;
    bool ok = read_all_pictures(p, &eye, o, session, fault) &&
              session_lend(session, p->rows, p->count * p->each, fault);
    vision_close(&eye);
    p->seconds = clock_seconds() - start;
    return ok;
}

void pictures_close(Pictures *p) {
    free(p->rows);
    *p = (Pictures){0};
}

/* ------------------------------------------------------------------ texts with pictures */

static bool all_users(const unsigned char *user, size_t n) {
    while (user && n > 0 && user[n - 1]) n--;
    return !user || n == 0;
}

/* Where the next mark stands from `at` on; text.size: nowhere. */
static size_t find_mark(Text text, const unsigned char *user, size_t at) {
    const size_t n = strlen(PICTURE_MARK);
    for (; at + n <= text.size; at++)
        if (memcmp(text.data + at, PICTURE_MARK, n) == 0 &&
            all_users(user ? user + at : NULL, n))
            return at;
    return text.size;
}

static void add_picture(const Pictures *p, const Tokenizer *t, size_t number,
                        TokenList *tokens) {
    for (size_t i = 0; i < p->each; i++)
        token_list_add(tokens, (int32_t)(tokenizer_count(t) + number * p->each + i));
}

/* What stands before, between or behind pictures. */
static bool encode_part(const Tokenizer *t, Text part, const unsigned char *user, bool first,
                        bool special, TokenList *tokens, Fault *fault) {
    const Rendered rendered = {(char *)part.data, (unsigned char *)user, part.size};
    if (user && first) return chat_encode_rendered(t, &rendered, tokens, fault);
    if (user) return tokenizer_encode_marked(t, part, user, tokens, fault);
    if (first) tokenizer_begin(t, tokens);
    return tokenizer_encode(t, part, special, tokens, fault);
}

bool pictures_encode(const Pictures *p, const Tokenizer *t, Text text,
                     const unsigned char *user, bool special, TokenList *tokens, Fault *fault) {
    size_t marks = 0, at = 0, shown = 0;
    for (size_t i = 0; (i = find_mark(text, user, i)) < text.size; i++) marks++;
    if (marks && marks != p->count)
        return fault_set(fault,
                         "the text has %zu mark%s " PICTURE_MARK " for %zu picture%s: wanted "
                         "one for each, or none, and all come before it",
                         marks, marks == 1 ? "" : "s", p->count, p->count == 1 ? "" : "s");
    if (!marks) {
        if (!encode_part(t, (Text){"", 0}, NULL, true, special, tokens, fault)) return false;
        for (; shown < p->count; shown++) add_picture(p, t, shown, tokens);
    }
    for (bool more = true; more; at += strlen(PICTURE_MARK)) {
        size_t end = find_mark(text, user, at);
        if (!encode_part(t, (Text){text.data + at, end - at}, user ? user + at : NULL,
                         marks && at == 0, special, tokens, fault))
            return false;
        more = end < text.size;
        if (more) add_picture(p, t, shown++, tokens);
        at = end;
    }
    return true;
}
