/* dot_panel_template.h - many inputs: weights are widened once for all of them.  Included by
 * dot_template.h; read that first.
 *
 *     file     ROWS rows of `in` weights, `w_stride` bytes apart
 *     panel    PART weights of each row as `Numbers`, in the order in which tiles read them
 *
 * A panel and the inputs of a tile stay in the L1 cache.  From one part of the rows to the next
 * a tile's sums are kept as they are, lane by lane: the order of summation does not change. */
#ifndef STRATA_DOT_PANEL_TEMPLATE_H
#define STRATA_DOT_PANEL_TEMPLATE_H

enum {
    PANEL_INPUTS = 128,
    /* a panel and the inputs of a tile take 24 KB of the L1 cache; a multiple of STEP */
    PART = 24 * 1024 / (sizeof(Numbers) / STEP) / (ROWS + COLS) / 32 * 32
};

typedef struct DotPanel {
    Numbers w[PART / STEP][ROWS];
    Sums kept[PANEL_INPUTS][ROWS];
    size_t k, n; /* of the rows: weights k .. k+n-1 */
} DotPanel;

INLINE void panel_widen(Dtype dtype, DotTask t, DotPanel *panel) {
    const size_t whole = panel->n / STEP, rest = panel->n % STEP;
    for (size_t r = 0; r < ROWS; r++) {
        for (size_t i = 0; i < whole; i++)
            panel->w[i][r] =
                load_weights(dtype, weight_at(dtype, t, r, panel->k + i * STEP), STEP);
        if (rest)
            panel->w[whole][r] =
                load_weights(dtype, weight_at(dtype, t, r, panel->k + whole * STEP), rest);
    }
}

#ifndef INPUT_AT
INLINE Numbers input_at(const DotTask *t, size_t c, size_t k, size_t n) {
    return load_inputs(t->x + c * t->x_stride + k, n);
}
#endif

/* sum += a step of the panel times n numbers of C inputs; dot_step's order. */
INLINE void panel_step(int C, const Numbers w[ROWS], const DotTask *t, size_t k, size_t n,
                       Sums sum[COLS][ROWS]) {
    Numbers in[COLS];
    UNROLL for (int c = 0; c < C; c++) in[c] = input_at(t, (size_t)c, k, n);
    UNROLL for (int r = 0; r < ROWS; r++) {
        const Numbers weights = w[r];
        UNROLL for (int c = 0; c < C; c++) {
            sum[c][r] = multiply_add(weights, in[c], sum[c][r]);
        }
    }
}

/* The panel times the first C inputs; to y after the last part. */
INLINE void panel_tile(int C, const DotPanel *panel, DotTask t, Sums (*kept)[ROWS]) {
    const bool first = panel->k == 0, last = panel->k + panel->n == t.n;
    const size_t whole = panel->n / STEP, rest = panel->n % STEP;
    Sums sum[COLS][ROWS];
    UNROLL for (int c = 0; c < C; c++) UNROLL for (int r = 0; r < ROWS; r++) {
        sum[c][r] = first ? zero_sums() : kept[c][r];
    }
    for (size_t i = 0; i < whole; i++)
        panel_step(C, panel->w[i], &t, panel->k + i * STEP, STEP, sum);
    if (rest) panel_step(C, panel->w[whole], &t, panel->k + whole * STEP, rest, sum);
    UNROLL for (int c = 0; c < C; c++) {
        if (last)
            store_sums(ROWS, sum[c], t.y + (size_t)c * t.y_stride);
        else
            UNROLL for (int r = 0; r < ROWS; r++) kept[c][r] = sum[c][r];
    }
}

/* The panel times all inputs.  Meanwhile the weights of the next panel, at `next`, come from
 * main memory: some lines with each tile. */
INLINE void panel_inputs(DotPanel *panel, DotTask t, const char *next, size_t bytes) {
    const size_t some = div_up(bytes, 64 * max_size(t.cols / COLS, 1)) * 64;
    Sums(*kept)[ROWS] = panel->kept;
    for (; t.cols >= COLS; t = after_cols(t, COLS), kept += COLS, next += some) {
        for (size_t r = 0; r < ROWS; r++) prefetch(next + r * t.w_stride, some);
        panel_tile(COLS, panel, t, kept);
    }
    for (; t.cols >= 2; t = after_cols(t, 2), kept += 2) panel_tile(2, panel, t, kept);
    if (t.cols) panel_tile(1, panel, t, kept);
}

/* The first ROWS rows times up to PANEL_INPUTS inputs. */
INLINE void dot_panel(Dtype dtype, DotTask t) {
    DotPanel panel;
    for (panel.k = 0; panel.k < t.n || panel.k == 0; panel.k += PART) { /* also n = 0 */
        panel.n = min_size(PART, t.n - panel.k);
        const bool last = panel.k + panel.n == t.n;
        panel_widen(dtype, t, &panel);
        panel_inputs(&panel, t,
                     last ? weight_at(dtype, t, ROWS, 0)
                          : weight_at(dtype, t, 0, panel.k + PART),
                     min_size(PART, t.n) * number_bytes(dtype));
    }
}

#endif
