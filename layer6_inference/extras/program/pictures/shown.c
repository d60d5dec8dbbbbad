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
    size_t size;
    Picture square;
    char *bytes = read_named(path, &size, fault);
    if (!bytes) return false;
    bool ok =
        pictures_shape(s->of, (Text){bytes, size}, &square, fault) || fault_prefix(fault, path);
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

char *shown_mark(size_t pictures, Text said, const char *behind, size_t *size, Fault *fault) {
    const size_t marks = count_marks(said), mark = strlen(PICTURE_MARK);
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

static void add_picture(const Pictures *p, size_t number, TokenList *tokens) {
    for (size_t i = 0; i < p->each; i++)
        token_list_add(tokens, pictures_first_token(p, number) + (int32_t)i);
}

/* Text before, between or after images. */
static bool shown_encode_part(const Tokenizer *t, Text part, const unsigned char *user,
                              bool first, bool special, TokenList *tokens, Fault *fault) {
    const Rendered rendered = {(char *)part.data, (unsigned char *)user, part.size};
    if (user && first) return chat_encode_rendered(t, &rendered, tokens, fault);
    if (user) return tokenizer_encode_marked(t, part, user, tokens, fault);
    if (first) tokenizer_begin(t, tokens);
    return tokenizer_encode(t, part, special, tokens, fault);
}

/* Offset of the next image from `at` on; text.size: none. */
static size_t find_picture(const Shown *s, Text text, size_t at) {
    const char *found = NULL;
    if (s->count) found = memchr(text.data + at, PICTURE_BYTE, text.size - at);
    return found ? (size_t)(found - text.data) : text.size;
}

bool shown_encode(const Shown *s, const Tokenizer *t, Text text, const unsigned char *user,
                  bool special, TokenList *tokens, Fault *fault) {
    size_t n = 0;
    for (size_t at = 0, end; at <= text.size; at = end + 1) {
        end = find_picture(s, text, at);
        if (!shown_encode_part(t, (Text){text.data + at, end - at}, user ? user + at : NULL,
                               at == 0, special, tokens, fault))
            return false;
        if (end < text.size && n++ < s->count) add_picture(s->of, s->number[n - 1], tokens);
    }
    return n == s->count ||
           fault_set(fault,
                     "the text has places for %zu pictures (bytes 0xFF), and %zu are shown: "
                     "wanted UTF-8, and a template that prints each message once, as it is",
                     n, s->count);
}
