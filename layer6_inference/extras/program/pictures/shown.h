/* shown.h - images in a text.
 *
 *     -p "<image> and <image>"  --shown_mark-->  "@ and @"  --a template-->  "USER: @ and @"
 *         --shown_encode-->  tokens of "USER: ", the first image, " and ", the second image
 *
 * @ is the byte PICTURE_BYTE, which valid UTF-8 never contains, so no client can send it.
 *
 * Invariant: the images of a text are held until shown_release, and each appears in it once. */
#ifndef STRATA_SHOWN_H
#define STRATA_SHOWN_H

#include "pictures.h"

#define PICTURE_MARK "<image>"

enum { PICTURE_BYTE = 0xFF, SHOWN_MOST = 64 };

typedef struct Shown {
    Pictures *of; /* borrows; NULL: there are none */
    size_t number[SHOWN_MOST], count;
    size_t pixels; /* of a request's files */
} Shown;

/* Add an image file, or standard input ("-"), and encode it.
 *
 * Fails if it is no image, and if there are SHOWN_MOST already. */
bool shown_add_file(Shown *shown, const char *path, Fault *fault);

/* Add a held image. */
void shown_add(Shown *shown, size_t number);

/* Hold all images of another text, too. */
void shown_copy(const Shown *from, Shown *to);

void shown_release(Shown *shown);

/* A user's text with PICTURE_BYTE for each PICTURE_MARK; without marks the images come first,
 * each followed by what the model's processor puts there if `message`.  Free it.
 *
 * NULL, with the fault, if the number of marks differs from that of the images, or the text
 * has the byte already. */
char *shown_mark(const Shown *shown, Text said, bool message, size_t *size, Fault *fault);

/* Append the begin-of-sequence token, and the tokens of a text and its images, with the text
 * that the model's processor puts around each.
 *
 *   user      (text.size) 1: a user wrote this byte (chat.h); NULL: all is plain
 *   special   for plain text, as in tokenizer_encode
 *
 * Fails as tokenizer_encode does, and if a template did not print each image exactly once. */
bool shown_encode(const Shown *shown, const Tokenizer *tokenizer, Text text,
                  const unsigned char *user, bool special, TokenList *tokens, Fault *fault);

#endif
