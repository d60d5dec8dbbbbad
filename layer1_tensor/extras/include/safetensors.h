/* safetensors.h - the format that models are published in: a JSON header, then numbers.
 *
 *     size u64 | header, JSON | data
 *     header    {"NAME": {"dtype": "BF16", "shape": [2, 3], "data_offsets": [0, 12]}, ...}
 *
 * Offsets count from the end of the header.  Shapes are (out, in), as ours.  Nothing is
 * aligned, so numbers are read by safe_numbers.
 *
 * Invariant: after safetensors_parse returns true the tensors cover the data without gaps, and
 * each has the bytes that its shape and format need; names are unique [refuses_what_is_wrong,
 * survives_cuts].
 *
 * Source   github.com/huggingface/safetensors, the format's description and its checks. */
#ifndef STRATA_SAFETENSORS_H
#define STRATA_SAFETENSORS_H

#include "dtype.h"
#include "json.h"

typedef enum SafeType {
    SAFE_BOOL,
    SAFE_U8,
    SAFE_I8,
    SAFE_F8_E4M3,
    SAFE_F8_E5M2,
    SAFE_I16,
    SAFE_U16,
    SAFE_F16,
    SAFE_BF16,
    SAFE_I32,
    SAFE_U32,
    SAFE_F32,
    SAFE_I64,
    SAFE_U64,
    SAFE_F64,
    SAFE_TYPES
} SafeType;

enum { SAFE_MAX_DIMS = 8 };

typedef struct SafeTensor {
    Text name;
    SafeType type;
    int ndim; /* 0: one number */
    size_t shape[SAFE_MAX_DIMS];
    size_t bytes;
    const unsigned char *data;
} SafeTensor;

typedef struct Safetensors {
    Json *header; /* owns: names point into it */
    size_t n_tensors;
    SafeTensor *tensors;       /* owns; in the order of their data */
    const JsonValue *metadata; /* __metadata__, an object of strings; NULL: none */
} Safetensors;

/* Parse the header of a file in memory.
 *
 *   bytes   (size)   borrowed: must outlive the Safetensors
 *
 * Fails, naming the tensor, what was found and what was wanted.  Memory is bounded by the size
 * of the header. */
bool safetensors_parse(Safetensors *safetensors, const void *bytes, size_t size, Fault *fault);
void safetensors_free(Safetensors *safetensors);

const char *safe_type_name(SafeType type);
size_t safe_type_bytes(SafeType type); /* of one number */

/* `count` numbers of a tensor as f32, from number `first` on.  Exact, but for 32-bit and wider
 * integers and F64, which are rounded. */
void safe_numbers(const SafeTensor *tensor, size_t first, float *out, size_t count);

/* An 8-bit float: sign, then exponent and fraction of 4 + 3 bits (bias 7; no infinity, one NaN)
 * or 5 + 2 bits (bias 15; the upper half of an f16).
 * Source   Micikevicius et al. 2022, arXiv:2209.05433, table 1. */
float f8_e4m3_to_f32(uint8_t bits);
float f8_e5m2_to_f32(uint8_t bits);

#endif
