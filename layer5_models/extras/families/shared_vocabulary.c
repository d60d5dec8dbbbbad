/* shared_vocabulary.c - do two models have the same vocabulary?  See families.h. */
#include "families.h"

/* Files of one family name unused ids differently; more than 1 % is another vocabulary. */
enum { ODD_SHARE = 100 };

bool model_shares_vocabulary(const Model *m, const Model *companion, const char *name,
                             Fault *fault) {
    const Tokenizer *ours = m->tokenizer, *theirs = companion->tokenizer;
    const size_t vocab = m->sizes.vocab, count = companion->sizes.vocab;
    size_t odd = 0, first = 0;
    if (count != vocab)
        return fault_set(fault,
                         "%s has %zu tokens, the model %zu: they must share a vocabulary", name,
                         count, vocab);
    const size_t named =
        ours && theirs ? min_size(tokenizer_count(ours), tokenizer_count(theirs)) : 0;
    for (size_t id = 0; id < named; id++) {
        Text a = tokenizer_piece(ours, (int32_t)id, true),
             b = tokenizer_piece(theirs, (int32_t)id, true);
        if (!text_equal(a, b) && odd++ == 0) first = id;
    }
    if (odd <= vocab / ODD_SHARE) return true;
    Text a = tokenizer_piece(ours, (int32_t)first, true),
         b = tokenizer_piece(theirs, (int32_t)first, true);
    return fault_set(fault,
                     "%s has another vocabulary: %zu of %zu tokens differ, the first is %zu, "
                     "'%.*s' there and '%.*s' in the model",
                     name, odd, vocab, first, (int)min_size(40, b.size), b.data,
                     (int)min_size(40, a.size), a.data);
}
