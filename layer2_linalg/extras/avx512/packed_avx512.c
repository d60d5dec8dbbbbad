/* packed_avx512.c - packed weights to panels, 64 bytes at a time.  Read packed.c first. */
#include "kernel_types_extras.h"

#if defined(__x86_64__)
#include "unpack_avx512.h"

INLINE void unpack_block(int bits, const unsigned char *block, const int8_t *codebook,
                         int8_t *q) {
    UNROLL for (int quad = 0; quad < 8; quad++) {
        _mm512_storeu_si512(q + 64 * quad, quad_of(bits, block, quad, load_codebook(codebook),
                                                   codebook != NULL));
    }
}

INLINE void unpack_scales(ScaleKind kind, const unsigned char *from, size_t groups,
                          float (*out)[PANEL_ROWS]) {
    for (size_t g = 0; g < groups; g++) _mm512_storeu_ps(out[g], scales_of(kind, from, g));
}

#include "simd/unpack_template.h"

AVX512 void panel_unpack_avx512(const QuantFormat *f, const unsigned char *tile, Panel *panel) {
    unpack_panel(f, tile, panel);
}
#endif
