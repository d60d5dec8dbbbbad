/* pictures.h - pictures in a prompt.
 *
 *     --mmproj FILE --image a.png --image b.jpg       -p "<image> and <image>: what is the same?"
 *         rows of both                      tokens    .....vocab.. of each for its mark, text between them
 *
 * Where a text has no mark, the pictures come before it, in their order.
 *
 * Invariant: each picture stands in a text once. */
#ifndef STRATA_PICTURES_H
#define STRATA_PICTURES_H

#include "compute.h"

#define PICTURE_MARK "<image>"

typedef struct PictureOptions {
    const char *mmproj;
    OptionList images;
    bool crop, class_last;
} PictureOptions;

#define PICTURE_OPTIONS(p)                                                                    \
    {"--image", OPT_LIST, &(p).images, "FILE",                                                \
     "a picture (PNG, JPEG, PPM) in the prompt, where it says " PICTURE_MARK                  \
     ", or before it (may be given several times)"},                                          \
        {"--mmproj", OPT_TEXT, &(p).mmproj, "FILE",                                           \
         "what reads pictures for the model: its encoder and projector, in GGUF format"},     \
        {"--crop", OPT_FLAG, &(p).crop, NULL,                                                 \
         "the middle of a picture that is not square, as CLIP; else all of it between bars"}, \
    {                                                                                         \
        "--class-last", OPT_FLAG, &(p).class_last, NULL,                                      \
            "to compare: the encoder as in llama.cpp, whose class row stands behind the "     \
            "patches"                                                                         \
    }

#define PICTURE_RULES                                                        \
    {"--image", NEEDS, "--mmproj",                                           \
     "a model of texts cannot see: its publisher gives that file, too"},     \
        {"--mmproj", NEEDS, "--image", "give it something to look at"},      \
        {"--crop", NEEDS, "--image", "it says which part of one is seen"}, { \
        "--class-last", NEEDS, "--image", "it says how one is read"          \
    }

/* Pictures that were read. */
typedef struct Pictures {
    size_t count, each; /* how many, and rows of each */
    float *rows;        /* (count * each, dim of the model); owns */
    double seconds;
} Pictures;

/* Read the pictures that were named, and lend their rows to a session, which has none yet.
 *
 * Fails when a file cannot be read, the encoder is not one or belongs to another model, or memory runs out. */
bool pictures_open(Pictures *pictures, const PictureOptions *options, Session *session,
                   Pool *pool, Fault *fault);
void pictures_close(Pictures *pictures);

/* Append what a text begins with, and the tokens of a text and of the pictures in it.
 *
 *   user      (text.size) 1: a user wrote this byte, and only there marks are read (chat.h); NULL: all is plain
 *   special   of plain text, as in tokenizer_encode
 *
 * Fails as tokenizer_encode does, and when there are marks, but not as many as pictures. */
bool pictures_encode(const Pictures *pictures, const Tokenizer *tokenizer, Text text,
                     const unsigned char *user, bool special, TokenList *tokens, Fault *fault);

#endif
