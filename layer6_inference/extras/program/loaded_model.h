/* loaded_model.h - a model and a session of it: all it takes to compute logits.
 *
 * Invariant: a loaded model is not moved in memory; the model may point into itself. */
#ifndef STRATA_LOADED_MODEL_H
#define STRATA_LOADED_MODEL_H

#include "compute.h"
#include "pictures/shown.h"
#include "chat.h"

typedef struct LoadedModel {
    const Model *model;
    Model own;     /* when it was opened here */
    size_t rewind; /* tokens that a rejected draft may roll back */
    Session session;
} LoadedModel;

/* Open a model file. */
bool loaded_open_model(LoadedModel *loaded, const char *path, const ComputeOptions *compute,
                       Fault *fault);

/* A command's work with a loaded model. */
typedef bool LoadedRun(LoadedModel *loaded, Fault *fault);

/* Choose the model (NULL: the one in the box), start the threads, open it and its adapters,
 * run, and close all of it again.
 *
 *   model   a path; while it runs, that of the model that was chosen */
bool loaded_run(const char **model, ComputeOptions *compute, LoadedRun *run, Fault *fault);

/* A session for the model: `ctx` positions (0: the model's, at most 4096) of each of
 * `sequences` sequences. */
bool loaded_open_session(LoadedModel *loaded, const ComputeOptions *compute, size_t ctx,
                         size_t sequences, Fault *fault);

/* A session of one sequence of exactly `tokens` positions, with up to `rows` rows of logits at
 * once.
 *
 *   advice   what to give when the model's context is shorter, and this fails */
bool loaded_open_exactly(LoadedModel *loaded, const ComputeOptions *compute, size_t tokens,
                         size_t rows, const char *advice, Fault *fault);

/* Open both. */
bool loaded_open(LoadedModel *loaded, const char *path, const ComputeOptions *compute,
                 size_t ctx, size_t sequences, Fault *fault);

void loaded_close(LoadedModel *loaded);

/* Fails when a companion ("the draft", "the amateur") cannot read as far as the one it goes
 * with: the run would end in the middle. */
bool loaded_check_ctx(const LoadedModel *companion, const char *name, const LoadedModel *with,
                      Fault *fault);

/* Tokens of a text, with a begin-of-sequence token if the model uses one. */
bool loaded_tokenize(const LoadedModel *loaded, Text text, bool special, TokenList *tokens,
                     Fault *fault);

/* The same of a text with images: at their marks, or before it. */
bool loaded_tokenize_shown(const LoadedModel *loaded, Text text, const Shown *shown,
                           bool special, TokenList *tokens, Fault *fault);

/* The form of conversations.
 *
 *   name   a built-in one, or a file's behind @; NULL: as chat_form_open chooses */
bool loaded_open_form(const LoadedModel *loaded, const char *name, ChatForm *form,
                      Fault *fault);

/* Tokens of a user's message, and of the pictures in it, in the form the model knows, up to
 * where its answer begins. */
bool loaded_encode_message(const LoadedModel *loaded, Text message, const Shown *shown,
                           TokenList *tokens, Fault *fault);

#endif
