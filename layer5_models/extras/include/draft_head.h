/* draft_head.h - predicting the token after the next one, from the model's hidden state.
 *
 *     the model      token p -> ... -> h_p -> norm -> head -> token p + 1
 *     a draft head   [ token p + 1 | h_p ] -> join (join.h) -> one block -> ... -> token p + 2
 *
 * The head is a model of one block with its own KV cache.  Its output is an h again: with token
 * p + 2 it predicts token p + 3, and so on.  Three kinds:
 *
 *     MTP       in the model's file, sharing embedding and head with it; h is the row after the
 *               last layer.  Files with several heads trained one for each distance; here, as
 *               elsewhere, the first predicts all
 *     EAGLE-3   a file of its own, which may lack embedding and head; h is a map of the rows
 *               that enter three layers (low, middle, high); it predicts frequent tokens only;
 *               and its first row, which has no h, is masked
 *     assistant a file of its own (Gemma 4), of several blocks without keys and values: each
 *               reads those of the model's last layer with a window, or without one
 *               (assistant.c); the token is embedded as in the model, no norms come before the
 *               map, and another map makes h of what leaves its blocks
 *
 * Invariant: the head's output depends on tokens and rows of h; the model never reads from it
 * [drafts_are_what_the_head_says].
 * Source   DeepSeek-AI 2024, arXiv:2412.19437, section 2.2; Gloeckle et al. 2024,
 * arXiv:2404.19737;
 *          Li et al. 2025, arXiv:2503.01840, section 3; llama.cpp (d8a24cc),
 *          src/models/eagle3.cpp, src/models/gemma4-assistant.cpp. */
#ifndef STRATA_DRAFT_HEAD_H
#define STRATA_DRAFT_HEAD_H

#include "families.h"

/* The draft head in a model's file as a model that borrows everything; it need not be closed.
 * Open it after model_pack.
 *
 * Fails when the file has none. */
bool draft_head_open(Model *head, const Model *model, Fault *fault);

/* Attach a head or assistant that was opened from its own file: it borrows from this model what
 * it lacks.  Attach after model_pack of both; close the head first.
 *
 * Fails when it is not a draft head or not for this model: another vocabulary, another width, a
 * missing layer, for an assistant another family or keys of other sizes. */
bool draft_head_fit(Model *head, const Model *model, Fault *fault);

/* Does this model read rows of h beside tokens? */
bool draft_head_is(const Model *model);

/* Is it an assistant? */
bool assistant_is(const Model *model);

/* Numbers of a row of h. */
size_t draft_head_width(const Model *head);

/* From now on an assistant reads keys and values of this session of its model, in its sequences
 * extras->assistant.sequence.  What that session has read of a text is as long as the text
 * before the first row whose logits are wanted.
 *
 * Fails when other machines have some of them. */
bool assistant_reads(Session *assistant, const Session *model, Fault *fault);

/* h of the first tokens of a session's last batch, as the draft head reads it.
 *
 *   head      its session
 *   session   of its model (tapped if the head reads more than the last row: session_tap), or
 *             its own; with all_rows, but for an assistant
 *   rows      (count, draft_head_width); of an assistant's own, those with wanted logits */
void draft_head_rows(Session *head, const Session *session, size_t count, float *rows);

#endif
