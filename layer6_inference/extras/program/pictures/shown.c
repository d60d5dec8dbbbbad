/* shown.c - see shown.h. */
#include "shown.h"

#include "input.h"
#include "chat.h"
#include "picture.h"
#include "template.h"

#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ which */

void shown_add(Shown *s, size_t number) {
    REQUIRE(s->count < SHOWN_MOST, "picture %zu of a text", s->count + 1);
    s->number[s->count++] = number;
}

static bool take_file(Shown *s, const char *path, size_t *number, Fault *fault) {
    size_t size, pixels;
    Picture square;
    char *bytes = read_named(path, &size, fault);
    if (!bytes) return false;
    bool ok = pictures_shape(s->of, (Text){bytes, size}, &pixels, &square, fault) ||
              fault_prefix(fault, path);
    free(bytes);
    return ok && (pictures_take(s->of, &square, 0, 0, number) ||
                  fault_set(fault, "all %zu image slots are taken", s->of->room));
}

bool shown_add_file(Shown *s, const char *path, Fault *fault) {
    size_t number;
    if (s->count == SHOWN_MOST)
        return fault_set(fault, "at most %d images per text", SHOWN_MOST);
    if (!take_file(s, path, &number, fault)) return false;
    bool ok = pictures_read(s->of, number, fault);
    if (ok) return shown_add(s, number), true;
    pictures_release(s->of, number);
    return false;
}

void shown_copy(const Shown *from, Shown *to) {
    *to = *from;
    for (size_t i = 0; i < from->count; i++) pictures_hold(from->of, from->number[i]);
}

void shown_release(Shown *s) {
    while (s->count) pictures_release(s->of, s->number[--s->count]);
}

/* ------------------------------------------------------------------ where */

static size_t count_marks(Text said) {
    size_t n = 0;
    for (const char *at = said.data, *end = said.data + said.size;
         (at = memmem(at, (size_t)(end - at), PICTURE_MARK, strlen(PICTURE_MARK)));
         at += strlen(PICTURE_MARK))
        n++;
    return n;
}

static bool shown_check_marks(size_t pictures, Text said, size_t marks, Fault *fault) {
    const char *byte = memchr(said.data, PICTURE_BYTE, said.size);
    if (byte)
        return fault_set(fault,
                         "byte %zu of the text is not UTF-8, as a prompt with images must be",
                         (size_t)(byte - said.data) + 1);
    return !marks || marks == pictures ||
           fault_set(fault,
                     "the text has %zu mark%s " PICTURE_MARK
                     " for %zu image%s: wanted one mark per image, or none to put them first",
                     marks, marks == 1 ? "" : "s", pictures, pictures == 1 ? "" : "s");
}

char *shown_mark(const Shown *s, Text said, bool message, size_t *size, Fault *fault) {
    const size_t pictures = s->count, marks = count_marks(said), mark = strlen(PICTURE_MARK);
    const char *behind = message && pictures ? pictures_kind(s->of)->behind : "";
    char *text = NULL;
    if (!shown_check_marks(pictures, said, marks, fault)) return NULL;
    FILE *out = open_memstream(&text, size);
    if (!out) return fault_set(fault, "no memory for a text"), NULL;
    for (size_t i = 0; !marks && i < pictures; i++)
        fputc(PICTURE_BYTE, out), fputs(behind, out);
    for (size_t i = 0; i < said.size;) {
        bool is = said.size - i >= mark && memcmp(said.data + i, PICTURE_MARK, mark) == 0;
        fputc(is ? PICTURE_BYTE : (unsigned char)said.data[i], out);
        i += is ? mark : 1;
    }
    if (fclose(out) == 0) return text;
    free(text);
    return fault_set(fault, "no memory for a text"), NULL;
}

/* ------------------------------------------------------------------ tokens */

/* How far the images of a text are in its tokens: image n from its row on. */
typedef struct ShownNext {
    size_t n, row;
} ShownNext;

/* The next rows that follow one another. */
static void add_run(const Shown *s, ShownNext *next, TokenList *tokens) {
    const size_t number = s->number[next->n], end = next->row + pictures_run(s->of, number);
    for (; next->row < end; next->row++)
        token_list_add(tokens, pictures_first_token(s->of, number) + (int32_t)next->row);
    if (end == pictures_tokens(s->of, number)) next->n++, next->row = 0;
}

/* A text with what stands around its images written into it; bytes of that are no user's. */
typedef struct Around {
    char *text;
    unsigned char *user;
    size_t size;
} Around;

static void around_add(Around *a, const char *text, size_t size, const unsigned char *user,
                       unsigned char all) {
    memcpy(a->text + a->size, text, size);
    for (size_t i = 0; i < size; i++) a->user[a->size + i] = user ? user[i] : all;
    a->size += size;
}

/* A text before, between or after rows; NULL: none.  # is the line, then the column. */
static void around_add_text(Around *a, const char *text, size_t line, size_t column) {
    char number[24];
    for (size_t *next = &line; text && *text; text++) {
        if (*text != '#') {
            around_add(a, text, 1, NULL, 0);
            continue;
        }
        const int size = snprintf(number, sizeof number, "%zu", *next + 1);
        around_add(a, number, (size_t)size, NULL, 0), next = &column;
    }
}

/* One byte for each run of an image's rows, and the texts around them. */
static void around_add_picture(Around *a, const VisionKind *k, const size_t grid[2]) {
    const char rows[1] = {(char)PICTURE_BYTE};
    around_add_text(a, k->begin, 0, 0);
    for (size_t line = 0; line < grid[0]; line++) {
        for (size_t column = 0; column < grid[1]; column++) {
            around_add_text(a, k->tile, line, column), around_add(a, rows, 1, NULL, 0);
            if (column + 1 < grid[1]) around_add_text(a, k->beside, 0, 0);
        }
        around_add_text(a, line + 1 < grid[0] ? k->line : k->last, 0, 0);
    }
    around_add_text(a, k->whole, 0, 0), around_add(a, rows, 1, NULL, 0);
    around_add_text(a, k->end, 0, 0);
}

static size_t length_of(const char *text) { return text ? strlen(text) : 0; }

/* Bytes that the texts around all images take at most. */
static size_t around_room(const Shown *s) {
    const VisionKind *k = pictures_kind(s->of);
    size_t room = 0, grid[2];
    for (size_t i = 0; i < s->count; i++) {
        pictures_tiles(s->of, s->number[i], grid);
        room += length_of(k->begin) + length_of(k->whole) + length_of(k->end) +
                length_of(k->last) + 1 + grid[0] * length_of(k->line) +
                grid[0] * grid[1] * (length_of(k->tile) + length_of(k->beside) + 40);
    }
    return room;
}

static bool around_write(const Shown *s, Text text, const unsigned char *user, bool special,
                         Around *a, Fault *fault) {
    const size_t room = text.size + around_room(s) + 1;
    size_t n = 0, grid[2];
    *a = (Around){malloc(room), malloc(room), 0};
    if (!a->text || !a->user) return fault_set(fault, "no memory for a text");
    for (size_t i = 0; i < text.size; i++) {
        const bool picture = (unsigned char)text.data[i] == PICTURE_BYTE && n < s->count;
        if (picture) {
            pictures_tiles(s->of, s->number[n++], grid);
            around_add_picture(a, pictures_kind(s->of), grid);
        } else {
            around_add(a, text.data + i, 1, user ? user + i : NULL, !special);
        }
    }
    return true;
}

/* How the pieces of a text are encoded. */
typedef struct Encoding {
    const Tokenizer *tokenizer;
    const unsigned char *user; /* of the whole text; NULL: all is plain */
    bool rendered;             /* by a template, which may write the first token itself */
    bool special;
} Encoding;

/* Text before, between or after images. */
static bool shown_encode_part(const Encoding *e, Text text, size_t at, size_t end,
                              TokenList *tokens, Fault *fault) {
    const Text part = {text.data + at, end - at};
    const unsigned char *user = e->user ? e->user + at : NULL;
    const Rendered rendered = {(char *)part.data, (unsigned char *)user, part.size};
    if (e->rendered && at == 0)
        return chat_encode_rendered(e->tokenizer, &rendered, tokens, fault);
    if (!token_list_reserve(tokens, 1, fault)) return false;
    if (at == 0) tokenizer_begin(e->tokenizer, tokens);
    return user ? tokenizer_encode_marked(e->tokenizer, part, user, tokens, fault)
                : tokenizer_encode(e->tokenizer, part, e->special, tokens, fault);
}

/* Offset of the next image from `at` on; text.size: none. */
static size_t find_picture(const Shown *s, Text text, size_t at) {
    const char *found = NULL;
    if (s->count) found = memchr(text.data + at, PICTURE_BYTE, text.size - at);
    return found ? (size_t)(found - text.data) : text.size;
}

static bool encode_pieces(const Shown *s, const Encoding *e, Text text, TokenList *tokens,
                          Fault *fault) {
    ShownNext next = {0};
    size_t left = 0; /* places without an image */
    for (size_t at = 0, end; at <= text.size; at = end + 1) {
        end = find_picture(s, text, at);
        if (!shown_encode_part(e, text, at, end, tokens, fault)) return false;
        if (end == text.size) continue;
        if (next.n < s->count)
            add_run(s, &next, tokens);
        else
            left++;
    }
    return (next.n == s->count && !left) ||
           fault_set(fault,
                     "the text has places for %zu pictures (bytes 0xFF), and %zu are shown: "
                     "wanted UTF-8, and a template that prints each message once, as it is",
                     next.n + left, s->count);
}

bool shown_encode(const Shown *s, const Tokenizer *t, Text text, const unsigned char *user,
                  bool special, TokenList *tokens, Fault *fault) {
    Encoding e = {t, user, user != NULL, special};
    if (!s->count || !(*pictures_kind(s->of)->begin || *pictures_kind(s->of)->end))
        return encode_pieces(s, &e, text, tokens, fault);
    Around around;
    bool ok = around_write(s, text, user, special, &around, fault);
    e.user = around.user;
    ok = ok && encode_pieces(s, &e, (Text){around.text, around.size}, tokens, fault);
    free(around.text), free(around.user);
    return ok;
}
