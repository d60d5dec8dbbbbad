/* dequantize.c
 *
 * Proves    each format's unpack reads only its block and writes every quant, each from 0 to the
 *           format's span (all but Q5_0 and Q5_1); dequantize_row writes every number
 * Bound     block of the 24 quantized formats
 * Source    layer2_linalg/src/convert.c layer2_linalg/extras/quant_formats.c
 *           layer2_linalg/src/formats/q2_k.c layer2_linalg/src/formats/q3_k.c
 *           layer2_linalg/src/formats/q4.c layer2_linalg/src/formats/q4_k.c
 *           layer2_linalg/src/formats/q5.c layer2_linalg/src/formats/q6_k.c
 *           layer2_linalg/src/formats/q8_0.c layer2_linalg/extras/formats/iq1.c
 *           layer2_linalg/extras/formats/iq2.c layer2_linalg/extras/formats/iq3.c
 *           layer2_linalg/extras/formats/iq4.c layer2_linalg/extras/formats/mxfp4.c
 *           layer2_linalg/extras/formats/nvfp4.c layer2_linalg/extras/formats/q1_0.c
 *           layer2_linalg/extras/formats/tq.c layer1_tensor/src/half.c layer1_tensor/src/dtype.c
 * Options   -eva-precision 1 -eva-auto-loop-unroll 300 -warn-special-float none
 * Mutant    layer2_linalg/extras/formats/tq.c | l < 4; l++) out->q[240 | l < 5; l++) out->q[240
 * Mutant    layer2_linalg/src/formats/q3_k.c | i % 4] >> | i % 8] >>
 * Mutant    layer2_linalg/extras/formats/iq2.c | [block->q[p] & 511] | [block->q[p] & 1023]
 * Mutant    layer2_linalg/src/formats/q2_k.c | for (int s = 0; s < 8; s++) | for (int s = 0; s < 7; s++) */
#include "convert.h"
#include "proof.h"
#include "quantized.h"

/*@ assigns \result \from bits;
  @ ensures \result == 0 || \result == 1; */
int __builtin_parity(unsigned bits);

enum { BLOCK = 256 }; /* bytes; the largest has 210 */

int main(void) {
    unsigned char bytes[BLOCK];
    float out[PANEL_COLS];
    Quants quants;
    ANY(bytes);
    size_t id = ANY_SIZE(0, DTYPE_COUNT - 1);
    //@ split id;
    const QuantFormat *format = quant_format((Dtype)id);
    if (format) {
        const DtypeInfo *info = dtype_info((uint32_t)id);
        const unsigned char *block = bytes + BLOCK - info->bytes;
        format->unpack(block, info->block, &quants);
        /* add_bits adds to eight quants as one integer: Eva keeps no range of its bytes */
        const int span = id == DTYPE_Q5_0 || id == DTYPE_Q5_1 ? 0 : format->span;
        for (int k = 0; k < info->block; k++) {
            int q = quants.q[k];
            PROVE(span == 0 || (q >= 0 && q <= span));
        }
        dequantize_row((Dtype)id, block, out, info->block);
        for (int k = 0; k < info->block; k++) (void)out[k];
    }
    END();
}
