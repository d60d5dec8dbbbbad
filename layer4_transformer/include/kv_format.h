/* kv_format.h - number formats of stored keys and values.
 *
 *     f32        4 bytes a number
 *     f16, bf16  2 bytes
 *     q8_0       34 bytes for 32 numbers: a byte each, and a scale
 *     q4_0       18 bytes for 32 numbers: half a byte each, and a scale
 *     ...-h      the same after a Hadamard rotation of the vector (hadamard.h)
 *
 * The 32 numbers of a block share a scale, so an outlier leaves few steps for the others.  Keys
 * have outliers.  The rotation spreads them; scores stay the same because the query is rotated
 * too, and the mixed values are rotated back.
 *
 * Invariant: a position's bytes depend only on its key and value [nor_do_they_in_few_bits].
 * Source   Ashkboos et al. 2024, arXiv:2404.00456 (QuaRot). */
#ifndef STRATA_KV_FORMAT_H
#define STRATA_KV_FORMAT_H

#include "nn.h"

typedef struct KvFormat {
    Dtype dtype; /* F32, F16, BF16, Q8_0 or Q4_0 */
    bool hadamard;
} KvFormat;

/* All names, separated by commas. */
extern const char kv_formats[];

/* The format of a name.
 *
 * Fails    for an unknown name; the fault suggests the nearest one. */
bool kv_format_read(const char *name, KvFormat *format, Fault *fault);

const char *kv_format_name(KvFormat format);

#endif
