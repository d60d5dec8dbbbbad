/* quant_formats.c - the quantized formats of the core.
 *
 * extras/quant_formats.c, with all formats, replaces this file in programs that link it. */
#include "quant_formats.h"

const QuantFormat quant_formats[DTYPE_COUNT] = {QUANT_FORMATS_OF_THE_CORE};
