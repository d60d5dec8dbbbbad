/* look.h - what strata look prints: one function for each kind of look. */
#ifndef STRATA_LOOK_H
#define STRATA_LOOK_H

#include "activation_cache.h"
#include "steering.h"
#include "loaded_model.h"

typedef struct LookJob {
    const char *model, *prompt, *head, *from, *patch, *out;
    long documents, position, top, ctx;
    const char *what; /* of the looks */
    bool csv;
    ComputeOptions compute;
    SteeringOptions steering;
    VisionOptions vision;
    OptionList images;
} LookJob;

/* An evaluated text with its activations. */
typedef struct Look {
    const LookJob *job;
    const Tokenizer *tokenizer;
    ActivationCache cache;
    const TokenList *tokens;
    const Shown *shown; /* its images */
    size_t position;    /* that is looked at: --position, or the last */
    size_t layer, head; /* of --head; layer ACT_ALL: all */
    Interventions acts; /* --scale-head and so on, perhaps a patch */
    float *row;         /* (dim) of the patch */
} Look;

/* A token as a word in a table, "quoted", or in CSV; good until the fourth call after it. */
const char *look_word(const Look *look, int32_t token);
const char *look_cell(const Look *look, int32_t token);

/* layer,head,query,key,weight */
bool look_attention(Look *look, Fault *fault);

/* Attention to the images, square by square: picture.c. */
bool look_picture(Look *look, Fault *fault);

/* Logit lens at each place: place,rank,token,probability. */
bool look_lens(Look *look, Fault *fault);

/* The stream's root mean square at each place: position,place,size. */
bool look_stream(Look *look, Fault *fault);

/* Each head removed in turn: layer,head,divergence,... */
bool look_heads(Look *look, Fault *fault);

/* Which heads carry an owner's name to where it is wanted, over stories of Tiny World. */
bool look_owner(LoadedModel *loaded, const LookJob *job, Fault *fault);

size_t look_largest(const float *numbers, size_t n);

#endif
