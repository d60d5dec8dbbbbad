/* quantized.c - see quantized.h. */
#include "quantized.h"

const QuantFormat *quant_format(Dtype dtype) {
    return dtype < DTYPE_COUNT && quant_formats[dtype].unpack ? &quant_formats[dtype] : NULL;
}
