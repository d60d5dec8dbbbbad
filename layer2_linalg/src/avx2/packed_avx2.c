/* packed_avx2.c - packed weights to panels, 32 bytes at a time.  Read packed.c first. */
#include "../kernels/kernel_types.h"

#if defined(__x86_64__)
#include "unpack_avx2.h"

INLINE void unpack_block(int bits, const unsigned char *block, const int8_t *codebook,
                         int8_t *q) {
    for (size_t half = 0; half < 64; half += 32) UNROLL for (int i = 0; i < 4; i++) {
            __m256i v = load_nibbles(bits, block + half, i);
            UNROLL for (int quad = i; quad < 8; quad += 4) {
                _mm256_storeu_si256((__m256i *)(q + 64 * quad + half),
                                    quad_of(bits, v, block + 256 + half, quad,
                                            load_codebook(codebook), codebook != NULL));
            }
        }
}

INLINE void unpack_scales(ScaleKind kind, const unsigned char *from, size_t groups,
                          float (*out)[PANEL_ROWS]) {
    for (size_t g = 0; g < groups; g++)
        for (size_t row = 0; row < PANEL_ROWS; row += 8)
            _mm256_storeu_ps(out[g] + row, scales_of(kind, from, g, row));
}

#include "../simd/unpack_template.h"

AVX2 void panel_unpack_avx2(const QuantFormat *f, const unsigned char *tile, Panel *panel) {
    unpack_panel(f, tile, panel);
}
#endif
