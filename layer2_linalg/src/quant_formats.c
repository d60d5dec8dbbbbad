/* quant_formats.c - the core's quantized formats.
 *
 * Programs that link extras/quant_formats.c get all formats. */
#include "quant_formats.h"

const QuantFormat quant_formats[DTYPE_COUNT] = {QUANT_FORMATS_OF_THE_CORE};
