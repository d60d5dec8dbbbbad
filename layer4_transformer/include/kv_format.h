/* kv_format.h - in what keys and values are kept.
 *
 *     f32        4 bytes a number
 *     f16, bf16  2 bytes
 *     q8_0       34 bytes for 32 numbers: a byte each, and a scale
 *     q4_0       18 bytes for 32 numbers: half a byte each, and a scale
 *     ...-h      the same of the vector's Hadamard rotation (hadamard.h)
 *
 * A block of 32 has one scale, so one number that is far larger than the others leaves these few
 * steps.  Keys have such numbers.  A rotation shares them out; scores stay, because the query is
 * rotated, too, and what comes out of the values is rotated back.
 *
 * Invariant: what is kept of a position depends on its own key and value alone, so results do not
 * depend on who else is in the batch.
 * Source   Ashkboos et al. 2024, arXiv:2404.00456 (QuaRot). */
#ifndef STRATA_KV_FORMAT_H
#define STRATA_KV_FORMAT_H

#include "nn.h"

typedef struct KvFormat {
    Dtype dtype; /* F32, F16, BF16, Q8_0 or Q4_0 */
    bool hadamard;
} KvFormat;

/* The names of all, with commas. */
extern const char kv_formats[];

/* The format of a name.
 *
 * Fails when there is none. */
bool kv_format_read(const char *name, KvFormat *format, Fault *fault);

const char *kv_format_name(KvFormat format);

#endif
