/* draft_head.h - a model's own guess at the token after the next one (multi-token prediction: MTP, "nextn").
 *
 *     the model       token p -> ... -> h_p -> norm -> head: what token p + 1 is
 *     its draft head  [ token p + 1 | h_p ] -> join (join.h) -> one block -> norm -> head: what token p + 2 is
 *
 * The head is a model of one block, with a memory of its own, that shares embedding, head and file with the model.
 * Its rows are h again: token p + 2 and they give a guess at token p + 3, and so on.  Files with several heads
 * were trained to use one for each distance; here, as elsewhere, the first one makes all guesses.
 *
 * Invariant: what the head says follows from the tokens and from rows of h; the model never reads anything of it.
 * Source   DeepSeek-AI 2024, arXiv:2412.19437, section 2.2; Gloeckle et al. 2024, arXiv:2404.19737. */
#ifndef STRATA_DRAFT_HEAD_H
#define STRATA_DRAFT_HEAD_H

#include "decoder.h"

/* The draft head of a model's file as a model, which borrows all it has: it is not closed, and ends with the other one.
 * Made when all weights are where they stay (model_pack).
 *
 * Fails when the file has none. */
bool draft_head_open(Model *head, const Model *model, Fault *fault);

/* Does this model read rows beside tokens? */
bool draft_head_is(const Model *model);

/* row (dim) = h of token i of the last batch of a session, of a model or of its draft head. */
void draft_head_row(const Session *session, size_t i, float *row);

#endif
