/* normal_form.h - Unicode's four normal forms, for tokenizers that were trained on text in one;
 * private to extras/.
 *
 *           é         e + accent   ﬁ      ²
 *     nfd   e + ´     e + ´        ﬁ      ²       parts
 *     nfc   é         é            ﬁ      ²       parts, then joined
 *     nfkd  e + ´     e + ´        f i    2       parts, also of what only looks different
 *     nfkc  é         é            f i    2
 *
 * A GGUF file names its form by the key tokenizer.ggml.normalizer.form, which is Strata's own.
 *
 * Source   Unicode Standard Annex 15; section 3.12 of the standard for Hangul. */
#ifndef STRATA_NORMAL_FORM_H
#define STRATA_NORMAL_FORM_H

#include "../../src/tokenizer/encoder.h"

#define NORMAL_FORM_KEY "tokenizer.ggml.normalizer.form"

/* "nfc", "nfd", "nfkc" or "nfkd"; NULL: none of these. */
const NormalForm *normal_form_find(Text name);

/* The form of these properties. */
const NormalForm *normal_form_of(bool alike, bool joins);

/* Write a text in this form.  Bytes that are not UTF-8 stay.
 *
 *   out   freed by the caller
 *
 * Fails when memory is short.  O(n log n), O(n) for all but long runs of accents. */
bool normal_form_write(const NormalForm *form, Text text, char **out, size_t *size,
                       Fault *fault);

/* Read the file's key into tokenizer->form.  Fails for another word than the four. */
bool normal_form_read(Tokenizer *tokenizer, const Gguf *gguf, Fault *fault);

/* The version of the tables' Unicode: "15.0.0". */
extern const char *const normal_form_unicode;

#endif
