/* pictures.h - pictures that a model sees: each is read once, and shared by all texts that show it.
 *
 *     a file --pictures_shape--> what the eye sees of it --pictures_take--> a number --pictures_read--> its rows
 *                                                              |
 *                        tokens vocab + number * each ... in every text that shows it (shown.h)
 *
 * Two pictures of which the eye sees the same are one picture; they are compared byte by byte, no hash decides.  What
 * nobody shows any more stays until its place is needed; then its number is another picture's, and what was read
 * of a text with that number is forgotten (prefix.h).
 *
 * Any thread may shape, take and release; the one that computes reads.
 *
 * Invariant: as long as a picture is held its tokens stand for it, and for no other. */
#ifndef STRATA_PICTURES_H
#define STRATA_PICTURES_H

#include "compute.h"
#include "picture.h"
#include "vision.h"

#include <pthread.h>

typedef struct VisionOptions {
    const char *mmproj; /* NULL: the model sees nothing */
    bool crop, class_last;
} VisionOptions;

#define VISION_OPTIONS(e)                                                                      \
    {"--mmproj", OPT_TEXT, &(e).mmproj, "FILE",                                                \
     "the model's vision encoder and projector, a GGUF file"},                                 \
        {"--crop", OPT_FLAG, &(e).crop, NULL,                                                  \
         "crop images to a square, as CLIP does (default: pad with bars)"},                    \
    {                                                                                          \
        "--class-last", OPT_FLAG, &(e).class_last, NULL,                                       \
            "put the class embedding after the patches, as llama.cpp does, to compare results" \
    }

#define VISION_RULES                                                          \
    {"--crop", NEEDS, "--mmproj", "it says how images are cropped"}, {        \
        "--class-last", NEEDS, "--mmproj", "it belongs to the vision encoder" \
    }

#define IMAGE_RULE                                                         \
    {                                                                      \
        "--image", NEEDS, "--mmproj",                                      \
            "images need a vision encoder; it is published with the model" \
    }

/* A place for a picture. */
typedef struct PictureSlot {
    unsigned char *rgb;  /* (side, side, 3) what the eye sees; owns; NULL: free */
    uint64_t user, salt; /* whose it is, and which of his texts show it, too */
    uint64_t used;       /* when it was last taken */
    size_t holders;
    bool read; /* its rows are there */
} PictureSlot;

typedef struct Pictures {
    Vision vision;
    Session *session; /* which reads the rows; borrows */
    PictureFit fit;
    size_t room, each;   /* places, and rows of a picture */
    float *rows;         /* (room * each, dim of the model); owns */
    PictureSlot *places; /* (room) owns; NULL: there is no eye */
    size_t n_read;       /* pictures, so far, */
    double seconds;      /* and what that took */
    uint64_t clock;
    bool shared; /* there are several users: none may hold more places than are free */
    pthread_mutex_t lock, shaping; /* of places; a large picture is shaped alone */
} Pictures;

/* Open the eye, with places for so many pictures, and lend their rows to a session, which has none yet.
 *
 * Fails when the file is none that reads pictures or belongs to another model, the model cannot read rows, or memory
 * runs out; pictures_close may be called then, too. */
bool pictures_open(Pictures *pictures, const VisionOptions *options, size_t room,
                   Session *session, Pool *pool, Fault *fault);
void pictures_close(Pictures *pictures);

/* What the eye sees of a picture, which comes as the bytes of a file.
 *
 * Fails as picture_read does (files.h). */
bool pictures_shape(Pictures *pictures, Text bytes, Picture *square, Fault *fault);

/* Hold it: *number is its own, or that of an equal one of the same salt.  The square is the caller's no more.
 *
 *   salt   no two users have the same
 *
 * False when all places are held, or the user would hold more of them than stay free for others. */
bool pictures_take(Pictures *pictures, Picture *square, uint64_t user, uint64_t salt,
                   size_t *number);

/* Hold one that is held once more; let go of it. */
void pictures_hold(Pictures *pictures, size_t number);
void pictures_release(Pictures *pictures, size_t number);

/* Have the eye read it, unless it has.
 *
 * Fails when nobody wants it any more (eye.session.is_wanted). */
bool pictures_read(Pictures *pictures, size_t number, Fault *fault);
bool pictures_is_read(Pictures *pictures, size_t number);

/* The first of its `each` tokens. */
int32_t pictures_first_token(const Pictures *pictures, size_t number);

/* Are there tokens of it among these? */
bool pictures_in(const Pictures *pictures, size_t number, const TokenList *tokens);

#endif
