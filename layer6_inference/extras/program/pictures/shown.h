/* shown.h - pictures in a text.
 *
 *     -p "<image> and <image>"  --shown_mark-->  "@ and @"  --a template-->  "USER: @ and @"  --shown_encode-->
 *         tokens of "USER: ", those of the first picture, tokens of " and ", those of the second
 *
 * Here @ is the byte PICTURE_BYTE, which no UTF-8 has: nobody can type it, a client of the server least of all.
 *
 * Invariant: the pictures of a text are held until shown_release, and each stands in it once. */
#ifndef STRATA_SHOWN_H
#define STRATA_SHOWN_H

#include "pictures.h"

#define PICTURE_MARK "<image>"

enum { PICTURE_BYTE = 0xFF, SHOWN_MOST = 64 };

typedef struct Shown {
    Pictures *of; /* borrows; NULL: there are none */
    size_t number[SHOWN_MOST], count;
} Shown;

/* Add a picture in a file, or on standard input ("-"), and have it read.
 *
 * Fails when it is no picture, and when there are SHOWN_MOST already. */
bool shown_add_file(Shown *shown, const char *path, Fault *fault);

/* Add a picture that is held. */
void shown_add(Shown *shown, size_t number);

/* Hold all of another text's, too. */
void shown_copy(const Shown *from, Shown *to);

/* Let go of all of them. */
void shown_release(Shown *shown);

/* A user's text with PICTURE_BYTE for each PICTURE_MARK; where it has none the pictures come before it, each with
 * `behind` behind it.  Free it.
 *
 * NULL, with the fault, when there are marks, but not as many as pictures, or the byte is there already. */
char *shown_mark(size_t pictures, Text said, const char *behind, size_t *size, Fault *fault);

/* Append what a text begins with, and the tokens of a text and of the pictures in it; of no pictures, those of the text.
 *
 *   user      (text.size) 1: a user wrote this byte (chat.h); NULL: all is plain
 *   special   of plain text, as in tokenizer_encode
 *
 * Fails as tokenizer_encode does, and when a template did not print all pictures, each once. */
bool shown_encode(const Shown *shown, const Tokenizer *tokenizer, Text text,
                  const unsigned char *user, bool special, TokenList *tokens, Fault *fault);

#endif
