/* kernel_types_extras.h - the kernels of avx512/, neon/ and wasm/. */
#ifndef STRATA_KERNEL_TYPES_EXTRAS_H
#define STRATA_KERNEL_TYPES_EXTRAS_H

#include "kernels/kernel_types.h"

#if defined(__x86_64__)
FLOAT_KERNELS(DECLARE, avx512)
BYTE_KERNELS(DECLARE, vnni)
DotTile dot_tile_bf16_avx512, dot_tile_bf16_avx512bf16;
RoundInputs round_inputs_avx512bf16;
PanelProduct panel_product_avxvnni, panel_product_vnni;
PanelUnpack panel_unpack_avx512;
RowsProduct rows_product_vnni;
Micro micro_avx512;
enum { MICRO_ROWS_avx512 = 8, MICRO_COLS_avx512 = 48 };
#elif defined(__aarch64__)
#define scan_below_neon scan_below_scalar /* has none of its own */
FLOAT_KERNELS(DECLARE, neon)
BYTE_KERNELS(DECLARE, neon)
DotTile dot_tile_bf16_neon;
PanelProduct panel_product_neon, panel_product_dotprod;
PanelUnpack panel_unpack_neon;
RowsProduct rows_product_dotprod;
Micro micro_neon;
enum { MICRO_ROWS_neon = 6, MICRO_COLS_neon = 16 };
#elif defined(__wasm__)
/* these have no version of their own */
#define vector_mask_wasm       vector_mask_scalar
#define recurrence_step_wasm   recurrence_step_scalar
#define recurrence_strips_wasm recurrence_strips_scalar
#define scan_below_wasm        scan_below_scalar
FLOAT_KERNELS(DECLARE, wasm)
DotTile dot_tile_bf16_wasm;
Micro micro_wasm;
enum { MICRO_ROWS_wasm = 4, MICRO_COLS_wasm = 8 };
#endif

#endif
