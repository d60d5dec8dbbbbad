/* packed_neon.c - packed weights to panels, 16 bytes at a time.  Read packed.c first. */
#include "kernel_types_extras.h"

#if defined(__aarch64__)
#include "unpack_neon.h"

INLINE void unpack_block(int bits, const unsigned char *block, const int8_t *codebook,
                         int8_t *q) {
    UNROLL for (int quad = 0; quad < 8; quad++) for (int r = 0; r < 4; r++)
        vst1q_s8(q + 64 * quad + 16 * r,
                 quad_of(bits, block, quad, r, load_codebook(codebook), codebook != NULL));
}

INLINE void unpack_scales(ScaleKind kind, const unsigned char *from, size_t groups,
                          float (*out)[PANEL_ROWS]) {
    for (size_t g = 0; g < groups; g++)
        for (size_t row = 0; row < PANEL_ROWS; row += 4)
            vst1q_f32(out[g] + row, scales_of(kind, from, g, row));
}

#include "simd/unpack_template.h"

void panel_unpack_neon(const QuantFormat *f, const unsigned char *tile, Panel *panel) {
    unpack_panel(f, tile, panel);
}
#endif
