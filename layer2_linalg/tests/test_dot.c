/* dot: every instruction set and format against the error bound, at every length, offset and
 * tile */
#include "../src/kernels/kernel_table.h"
#include "every_isa.h"
#include "linalg.h"

enum { MAX_LENGTH = 131 };

static double gamma_of(size_t n) { return (double)n * 0x1p-24 / (1 - (double)n * 0x1p-24); }

/* Rows of noise in a format, and the same as doubles. */
static void make_rows(Dtype dtype, size_t rows, size_t n, unsigned char *stored, double *exact,
                      uint64_t *seed) {
    float row[MAX_LENGTH * 2], back[MAX_LENGTH * 2];
    for (size_t r = 0; r < rows; r++) {
        for (size_t k = 0; k < n; k++) row[k] = check_noise(seed);
        unsigned char *to = stored + r * dtype_row_bytes(dtype, n);
        quantize_row(dtype, row, NULL, to, n);
        dequantize_row(dtype, to, back, n);
        for (size_t k = 0; k < n; k++) exact[r * n + k] = (double)back[k];
    }
}

static DotTile *tile_of(const Kernels *k, Dtype dtype) {
    return dtype == DTYPE_F32   ? k->dot_tile_f32
           : dtype == DTYPE_F16 ? k->dot_tile_f16
                                : k->dot_tile_bf16;
}

static void check_tile(const Kernels *isa, Dtype dtype, size_t rows, size_t cols, size_t n,
                       size_t shift) {
    static unsigned char stored[16 * MAX_LENGTH * 8 + 64];
    static double w[16 * MAX_LENGTH * 2];
    static float x[8 * (MAX_LENGTH * 2 + 8)], y[8 * 20];
    uint64_t seed = rows * 1000 + cols * 100 + n;
    size_t x_stride = n + 3, y_stride = rows + 2;
    unsigned char *at = stored + shift * (dtype == DTYPE_F32 ? 4 : 2);
    make_rows(dtype, rows, n, at, w, &seed);
    for (size_t i = 0; i < cols * x_stride; i++) x[i + shift] = check_noise(&seed);
    for (size_t i = 0; i < 8 * 20; i++) y[i] = 77;
    kernels_select(isa->isa, NULL);
    tile_of(isa, dtype)(&(DotTask){at, x + shift, y, dtype_row_bytes(dtype, n), x_stride,
                                   y_stride, rows, cols, n, NULL});
    for (size_t i = 0; i < cols * x_stride; i++)
        x[i + shift] = kernels_input(dtype, x[i + shift]);
    for (size_t c = 0; c < cols; c++)
        for (size_t r = 0; r < rows; r++) {
            double sum = 0, size = 0;
            for (size_t k = 0; k < n; k++) {
                double p = w[r * n + k] * (double)x[shift + c * x_stride + k];
                sum += p, size += fabs(p);
            }
            assert_near(y[c * y_stride + r], sum, gamma_of(n + 1) * size);
        }
    for (size_t c = 0; c < cols; c++)
        assert_true(y[c * y_stride + rows] == 77); /* nothing beyond the tile */
}

static void every_length_and_format(void **state) {
    (void)state;
    static const Dtype formats[] = {DTYPE_F32, DTYPE_F16, DTYPE_BF16};
    const Kernels *list[KERNELS_MAX];
    int count = kernels_tables(list);
    for (int isa = 0; isa < count; isa++)
        for (int f = 0; f < 3; f++)
            for (size_t n = 0; n < MAX_LENGTH; n++) {
                for (size_t shift = 0; shift < 3; shift++)
                    check_tile(list[isa], formats[f], 1, 1, n, shift);
                check_tile(list[isa], formats[f], 1 + n % 13, 1 + n % 7, n, n % 4);
            }
    kernels_select(NULL, NULL);
}

/* A row and a vector give the same bits alone and in any tile: the basis of determinism. */
static void company_changes_nothing(void **state) {
    (void)state;
    static const Dtype formats[] = {DTYPE_F32, DTYPE_F16, DTYPE_BF16};
    const Kernels *list[KERNELS_MAX];
    int count = kernels_tables(list);
    static unsigned char stored[13 * 64 * 4];
    static double exact[13 * 64];
    static float x[7 * 64], all[7 * 13], one;
    uint64_t seed = 5;
    for (int isa = 0; isa < count; isa++)
        for (int f = 0; f < 3; f++) {
            size_t bytes = dtype_row_bytes(formats[f], 64);
            make_rows(formats[f], 13, 64, stored, exact, &seed);
            for (size_t i = 0; i < 7 * 64; i++) x[i] = check_noise(&seed);
            tile_of(list[isa],
                    formats[f])(&(DotTask){stored, x, all, bytes, 64, 13, 13, 7, 64, NULL});
            for (size_t c = 0; c < 7; c++)
                for (size_t r = 0; r < 13; r++) {
                    tile_of(list[isa], formats[f])(&(DotTask){
                        stored + r * bytes, x + c * 64, &one, bytes, 64, 1, 1, 1, 64, NULL});
                    assert_memory_equal(&one, &all[c * 13 + r], sizeof one);
                }
        }
}

/* Inputs that come rounded are taken in x's place by panels, which have eight rows.  Here they
 * are twice as large. */
static void rounded_inputs_are_taken(void **state) {
    (void)state;
    enum { ROWS = 29, COLS = 133, N = 2309 };
    static float w[ROWS * N], x[COLS * N], once[COLS * ROWS], twice[COLS * ROWS];
    static uint16_t stored[ROWS * N], rounded[COLS * N];
    const Kernels *list[KERNELS_MAX];
    int count = kernels_tables(list);
    uint64_t seed = 7;
    for (size_t i = 0; i < ROWS * N; i++) w[i] = check_noise(&seed);
    quantize_row(DTYPE_BF16, w, NULL, stored, ROWS * N);
    for (int isa = 0; isa < count; isa++) {
        if (!list[isa]->round_inputs) continue;
        for (size_t i = 0; i < COLS * N; i++) x[i] = 2 * check_noise(&seed);
        list[isa]->round_inputs(x, COLS * N, rounded);
        for (size_t i = 0; i < COLS * N; i++) {
            assert_int_equal(rounded[i], bf16_from_f32(x[i]));
            x[i] /= 2;
        }
        DotTask task = {stored, x, once, 2 * N, N, ROWS, ROWS, COLS, N, NULL};
        list[isa]->dot_tile_bf16(&task);
        task.rounded = rounded, task.y = twice;
        list[isa]->dot_tile_bf16(&task);
        for (size_t c = 0; c < COLS; c++)
            for (size_t r = 0; r < ROWS / 8 * 8; r++)
                assert_true(twice[c * ROWS + r] == 2 * once[c * ROWS + r]);
    }
}

/* Long rows and many inputs are taken in parts; one input takes rows in streams. */
static void parts_change_nothing(void **state) {
    (void)state;
    enum { ROWS = 29, COLS = 133, N = 2309 };
    static const Dtype formats[] = {DTYPE_F32, DTYPE_F16, DTYPE_BF16};
    static float w[ROWS * N], x[COLS * N], many[COLS * ROWS], fewer[COLS * ROWS], column[ROWS];
    static float one;
    static unsigned char stored[ROWS * N * 4];
    const Kernels *list[KERNELS_MAX];
    int count = kernels_tables(list);
    uint64_t seed = 6;
    for (size_t i = 0; i < ROWS * N; i++) w[i] = check_noise(&seed);
    for (size_t i = 0; i < COLS * N; i++) x[i] = check_noise(&seed);
    for (int isa = 0; isa < count; isa++)
        for (int f = 0; f < 3; f++) {
            size_t bytes = dtype_row_bytes(formats[f], N);
            DotTile *tile = tile_of(list[isa], formats[f]);
            quantize_row(formats[f], w, NULL, stored, ROWS * N);
            tile(&(DotTask){stored, x, many, bytes, N, ROWS, ROWS, COLS, N, NULL});
            for (size_t c = 0; c < COLS; c += 11) {
                tile(&(DotTask){stored, x + c * N, column, bytes, N, ROWS, ROWS, 1, N, NULL});
                assert_memory_equal(column, many + c * ROWS, sizeof column);
            }
            for (size_t r = 0; r < ROWS; r++) {
                tile(&(DotTask){stored + r * bytes, x + 132 * N, &one, bytes, N, 1, 1, 1, N,
                                NULL});
                assert_memory_equal(&one, &many[132 * ROWS + r], sizeof one);
            }
            tile(&(DotTask){stored, x, fewer, bytes, N, ROWS, ROWS, COLS - 4, N, NULL});
            assert_memory_equal(fewer, many, (COLS - 4) * ROWS * sizeof *many);
            tile(&(DotTask){stored, x, many, bytes, 0, ROWS, ROWS, COLS, 0, NULL});
            for (size_t i = 0; i < COLS * ROWS; i++) assert_true(many[i] == 0);
        }
}

static void special_values(void **state) {
    (void)state;
    const Kernels *list[KERNELS_MAX];
    int count = kernels_tables(list);
    for (int isa = 0; isa < count; isa++) {
        float a[40], b[40], y;
        const DotTask all = {.w = a, .x = b, .y = &y, .rows = 1, .cols = 1, .n = 40};
        for (int i = 0; i < 40; i++) a[i] = 1, b[i] = 1;
        a[37] = NAN;
        list[isa]->dot_tile_f32(&all);
        assert_true(isnan(y));
        a[37] = INFINITY;
        list[isa]->dot_tile_f32(&all);
        assert_true(isinf(y) && y > 0);
        a[37] = 1e-45f, b[37] = 1; /* a subnormal counts */
        for (int i = 0; i < 37; i++) a[i] = 0;
        a[38] = a[39] = -0.0f;
        list[isa]->dot_tile_f32(&all);
        assert_true(y == 1e-45f);
    }
    assert_near(dot_f32((float[]){1, 2, 3}, (float[]){4, 5, 6}, 3), 32, 0);
    assert_near(dot_f32(NULL, NULL, 0), 0, 0);
}

/* Every table has a known name. */
static void every_set_is_known(void **state) {
    (void)state;
    EACH_ISA (isa) {
        assert_contains(KERNELS_KNOWN, isa);
        assert_string_equal(kernels()->isa, isa);
    }
}

static void instruction_sets_are_chosen_by_name(void **state) {
    (void)state;
    Fault fault;
    assert_true(kernels_select("scalar", &fault));
    assert_string_equal(kernels()->isa, "scalar");
    assert_false(kernels_select("vax", &fault));
    assert_contains(fault.text, "choose auto, scalar");
    assert_contains(fault.text, KERNELS_KNOWN);
    assert_string_equal(kernels()->isa, "scalar");
    assert_true(kernels_select("auto", &fault));
    const Kernels *list[KERNELS_MAX];
    assert_string_equal(kernels()->isa, list[kernels_tables(list) - 1]->isa);
    assert_true(kernels_select(NULL, &fault));
}

/* Set a variable for one call of `run`. */
static void with_variable(const char *value, void (*run)(void)) {
    const char *was = getenv("STRATA_ISA");
    char copy[64];
    snprintf(copy, sizeof copy, "%s", was ? was : "");
    setenv("STRATA_ISA", value, 1);
    run();
    setenv("STRATA_ISA", copy, 1);
}

static void choose_by_variable(void) {
    assert_true(kernels_select(NULL, NULL));
    assert_string_equal(kernels()->isa, "scalar");
}

static void choose_by_wrong_variable(void) {
    Fault fault;
    assert_false(kernels_select(NULL, &fault));
    assert_contains(fault.text, "STRATA_ISA");
    assert_contains(fault.text, "'vax'");
}

static void the_variable_chooses(void **state) {
    (void)state;
    with_variable("scalar", choose_by_variable);
    with_variable("vax", choose_by_wrong_variable);
    EACH_ISA (isa) {}
    const char *said = getenv("STRATA_ISA"); /* a walk through all sets ends where it began */
    if (*said && strcmp(said, "auto") != 0) assert_string_equal(kernels()->isa, said);
}

RUN(TEST(every_length_and_format), TEST(company_changes_nothing), TEST(parts_change_nothing),
    TEST(rounded_inputs_are_taken), TEST(special_values), TEST(every_set_is_known),
    TEST(instruction_sets_are_chosen_by_name), TEST(the_variable_chooses))
