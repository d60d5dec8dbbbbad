/* rerank.h - how well a document answers a query, by a model that reads both at once.
 *
 *     vectors     query -> vector, document -> vector, cosine   documents are read once, in
 *                 advance
 *     reranker    query and document -> one text -> score       every pair is read
 *
 * So vectors find a hundred candidates among millions, and the reranker sorts those.
 *
 * Source   Nogueira & Cho 2019, arXiv:1901.04085 (BERT, a score for a pair); Zhang et al. 2025,
 *          arXiv:2506.05176 (Qwen 3: a decoder's share of "yes" against "no").
 * Tutorial docs/layer5/encoders.md. */
#ifndef STRATA_RERANK_H
#define STRATA_RERANK_H

#include "pooling.h"

/* Fails when the model has no scoring head, or its labels are neither one score nor yes and
 * no. */
bool rerank_check(const Model *model, Fault *fault);

/* Append the tokens of a query and a document: by the file's template for them
 * (tokenizer.chat_template.rerank, with the words {query} and {document}), else one after the
 * other (tokenizer_encode_pair).
 *
 *   second   where the document begins; 0 with a template: then the model reads a single text
 *
 * Fails, and appends nothing, as tokenizer_encode does; without a template when the model is
 * causal or the tokenizer has no separator; and when the text is longer than the model's
 * context. */
bool rerank_encode(const Model *model, Text query, Text document, TokenList *tokens,
                   size_t *second, Fault *fault);

/* The score of such a text: larger is better.  Unbounded, or the probability of yes.
 *
 * Fails as pooling_run does, and when the score is not finite. */
bool rerank_score(Session *session, const TokenList *tokens, size_t second, float *score,
                  Fault *fault);

#endif
