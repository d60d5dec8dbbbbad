/* draft_head.h - a guess at the token after the next one, from what a model knows when it
 * chooses the next.
 *
 *     the model       token p -> ... -> h_p -> norm -> head: what token p + 1 is
 *     a draft head    [ token p + 1 | h_p ] -> join (join.h) -> one block -> norm -> head: what token p + 2 is
 *
 * The head is a model of one block, with a memory of its own.  Its rows are h again: token p +
 * 2 and they give a guess at token p + 3, and so on.  Two kinds:
 *
 *     MTP       stands in the model's file, and shares embedding and head with it; h is the row behind the last layer.  Files
 *               with several heads were trained to use one for each distance; here, as elsewhere, the first makes all guesses
 *     EAGLE-3   a file of its own, which may lack embedding and head; h is a map of the rows that go into three layers, low,
 *               middle and high; it guesses among the tokens that are frequent; and nobody sees its first row, which has no h
 *
 * Invariant: what the head says follows from the tokens and from rows of h; the model never
 * reads anything of it.
 * Source   DeepSeek-AI 2024, arXiv:2412.19437, section 2.2; Gloeckle et al. 2024, arXiv:2404.19737; Li et al. 2025,
 *          arXiv:2503.01840, section 3; llama.cpp (d8a24cc), src/models/eagle3.cpp. */
#ifndef STRATA_DRAFT_HEAD_H
#define STRATA_DRAFT_HEAD_H

#include "families.h"

/* The draft head of a model's file as a model, which borrows all it has: it is not closed, and
 * ends with the other one. Made when all weights are where they stay (model_pack).
 *
 * Fails when the file has none. */
bool draft_head_open(Model *head, const Model *model, Fault *fault);

/* A head in a file of its own, which was opened as a model is: from now on it drafts for this
 * one, and borrows what it lacks.  Both have their weights where they stay (model_pack); the
 * head is closed, before the model.
 *
 * Fails when it is none, or not for this model: another vocabulary, rows of another width, a
 * layer that is not there. */
bool draft_head_fit(Model *head, const Model *model, Fault *fault);

/* Does this model read rows beside tokens? */
bool draft_head_is(const Model *model);

/* h of the first tokens of a session's last batch, as a draft head reads it.
 *
 *   head      its session
 *   session   of its model, whose rows are tapped where the head reads more than the last (session_tap); or its own
 *   rows      (count, dim of the head) */
void draft_head_rows(Session *head, const Session *session, size_t count, float *rows);

#endif
