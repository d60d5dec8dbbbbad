/* pictures.h - images for a model: each is encoded once, and shared by all texts that show it.
 *
 *     a file --pictures_shape--> the encoder's input --pictures_take--> a slot
 *            --pictures_read---> its rows, for tokens vocab + slot * each ... (shown.h)
 *
 * Images with equal encoder inputs share a slot; they are compared byte by byte, not by hash.
 * An image without holders stays until its slot is needed; then cached prefixes with its tokens
 * are forgotten (prefix.h).
 *
 * Any thread may shape, take and release; only the computing thread reads.
 *
 * Invariant: while an image is held, its tokens stand for it alone. */
#ifndef STRATA_PICTURES_H
#define STRATA_PICTURES_H

#include "compute.h"
#include "picture.h"
#include "vision.h"

#include <pthread.h>

typedef struct VisionOptions {
    const char *mmproj; /* NULL: no images */
    bool crop, whole, class_last;
} VisionOptions;

#define VISION_OPTIONS(e)                                                                      \
    {"--mmproj", OPT_TEXT, &(e).mmproj, "FILE",                                                \
     "the model's vision encoder and projector, a GGUF file"},                                 \
        {"--crop", OPT_FLAG, &(e).crop, NULL,                                                  \
         "crop images to a square, as CLIP does (default: as the model was trained)"},         \
        {"--whole", OPT_FLAG, &(e).whole, NULL,                                                \
         "read images in one piece, without tiles: fewer tokens, less detail"},                \
    {                                                                                          \
        "--class-last", OPT_FLAG, &(e).class_last, NULL,                                       \
            "put the class embedding after the patches, as llama.cpp does, to compare results" \
    }

#define VISION_RULES                                                          \
    {"--crop", NEEDS, "--mmproj", "it says how images are cropped"},          \
        {"--whole", NEEDS, "--mmproj", "it says how images are read"},        \
        {"--whole", NOT_WITH, "--crop", "a cropped image is one piece"}, {    \
        "--class-last", NEEDS, "--mmproj", "it belongs to the vision encoder" \
    }

#define IMAGE_RULE                                                         \
    {                                                                      \
        "--image", NEEDS, "--mmproj",                                      \
            "images need a vision encoder; it is published with the model" \
    }

/* A slot for an image. */
typedef struct PictureSlot {
    Picture shaped;      /* the encoder's input; owns; rgb NULL: free */
    uint64_t user, salt; /* owner, and cache salt */
    uint64_t used;       /* time of the last use */
    size_t holders;
    bool read; /* its rows are computed */
} PictureSlot;

typedef struct Pictures {
    Vision vision;
    Session *session; /* to compute the rows with; borrows */
    bool crop;
    size_t room, each;   /* slots, and rows per image, or the most */
    float *rows;         /* (room * each, dim of the model); owns */
    size_t (*grid)[2];   /* (room) each image's rows down and across; owns */
    PictureSlot *places; /* (room) owns; NULL: no vision encoder */
    size_t n_read;       /* images encoded so far, */
    double seconds;      /* and the time for that */
    uint64_t clock;
    bool shared;                   /* several users: none may hold more slots than are free */
    pthread_mutex_t lock, shaping; /* of the slots; large images are resized one at a time */
} Pictures;

/* Open the vision encoder with slots for so many images, and lend their rows to a session,
 * which has none yet.
 *
 * Fails if the file is no vision encoder or one of another model, the model cannot take
 * rows, or without memory; call pictures_close even then. */
bool pictures_open(Pictures *pictures, const VisionOptions *options, size_t room,
                   Session *session, Pool *pool, Fault *fault);
void pictures_close(Pictures *pictures);

/* What is around its rows in a text, and so on. */
const VisionKind *pictures_kind(const Pictures *pictures);

/* The encoder's input for an image file; *pixels is how many the file has.
 *
 * Fails as picture_read (files.h) and vision_shape do, and for one that no context holds. */
bool pictures_shape(Pictures *pictures, Text bytes, size_t *pixels, Picture *shaped,
                    Fault *fault);

/* Hold a slot for it, or that of an equal image with the same salt: *number.  Takes over the
 * picture.
 *
 *   salt   differs between users
 *
 * False if all slots are held, or the user would hold more than stay free. */
bool pictures_take(Pictures *pictures, Picture *shaped, uint64_t user, uint64_t salt,
                   size_t *number);

/* Hold a held slot once more; release it. */
void pictures_hold(Pictures *pictures, size_t number);
void pictures_release(Pictures *pictures, size_t number);

/* Encode an image, once.
 *
 * Fails if it is no longer wanted (vision.session.is_wanted). */
bool pictures_read(Pictures *pictures, size_t number, Fault *fault);
bool pictures_is_read(Pictures *pictures, size_t number);

/* How many token ids a held image has, and the first one. */
size_t pictures_tokens(const Pictures *pictures, size_t number);
int32_t pictures_first_token(const Pictures *pictures, size_t number);

/* How many of them follow one another, without text between them: all, or those of a tile; how
 * many lines and columns of such tiles come before the whole picture (0 lines: none). */
size_t pictures_run(const Pictures *pictures, size_t number);
void pictures_tiles(const Pictures *pictures, size_t number, size_t grid[2]);

/* Are its tokens among these? */
bool pictures_in(const Pictures *pictures, size_t number, const TokenList *tokens);

#endif
