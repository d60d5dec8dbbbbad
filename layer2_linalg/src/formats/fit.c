/* fit.c - the scale, or scale and min, with which a few whole quants come nearest to some numbers;
 * see quants.h. */
#include "quants.h"

static float weight_of(const float *importance, int i) {
    return importance ? importance[i] : 1;
}

/* The index of the table's entry nearest to a value; codebook ascend. */
static int nearest_code(const int8_t *table, int count, float value) {
    int i = 0;
    while (i + 1 < count && value > 0.5f * (float)(table[i] + table[i + 1])) i++;
    return i;
}

float fit_quants(const float *x, const float *importance, int n, float scale, float min,
                 int low, int high, const int8_t *table, int8_t *quants) {
    float error = 0, inverse = scale != 0 ? 1 / scale : 0;
    for (int i = 0; i < n; i++) {
        float wanted = fminf(fmaxf((x[i] + min) * inverse, -1e6f), 1e6f);
        int q = table ? nearest_code(table, high - low + 1, wanted)
                      : clamp(nearest(wanted), low, high) - low;
        float got = scale * (float)(table ? table[q] : q + low) - min;
        quants[i] = (int8_t)q;
        error += weight_of(importance, i) * (x[i] - got) * (x[i] - got);
    }
    return error;
}

/* The best scale for given quants. */
static float scale_for(const float *x, const float *importance, int n, int low,
                       const int8_t *table, const int8_t *quants) {
    float products = 0, squares = 0;
    for (int i = 0; i < n; i++) {
        float l = (float)(table ? table[quants[i]] : quants[i] + low),
              w = weight_of(importance, i);
        products += w * x[i] * l, squares += w * l * l;
    }
    return squares > 0 ? products / squares : 0;
}

float fit_scale(const float *x, const float *importance, int n, int low, int high,
                const int8_t *table, int8_t *quants) {
    enum { TRIES = 9 }; /* to each side of the scale that just holds the largest number */
    float far = farthest(x, n), best = 0, best_error = INFINITY;
    float end = table ? (float)table[0] : (float)low;
    int8_t tried[32];
    for (int i = -TRIES; far != 0 && i <= TRIES; i++)
        for (int side = -1; side <= 1; side += 2) {
            float reach = (side < 0 ? end
                           : table  ? (float)table[high - low]
                                    : (float)high) *
                          (1 + 0.02f * (float)i);
            fit_quants(x, importance, n, far / reach, 0, low, high, table, tried);
            float scale = scale_for(x, importance, n, low, table, tried);
            float error = fit_quants(x, importance, n, scale, 0, low, high, table, tried);
            if (error < best_error) best = scale, best_error = error;
        }
    fit_quants(x, importance, n, best, 0, low, high, table, quants);
    return best;
}

/* Least squares for both:  [sum l^2, -sum l; -sum l, sum 1] [scale; min] = [sum x l; -sum x]. */
static float line_for(const float *x, const float *importance, int n, const int8_t *quants,
                      float *min) {
    float all = 0, l1 = 0, l2 = 0, x1 = 0, xl = 0;
    for (int i = 0; i < n; i++) {
        float w = weight_of(importance, i), l = (float)quants[i];
        all += w, l1 += w * l, l2 += w * l * l, x1 += w * x[i], xl += w * x[i] * l;
    }
    float determinant = all * l2 - l1 * l1;
    float scale = determinant > 0 ? (all * xl - l1 * x1) / determinant : 0;
    *min = determinant > 0 ? (l1 * xl - l2 * x1) / determinant : 0;
    if (determinant > 0 && *min >= 0) return scale;
    *min = 0;
    return l2 > 0 ? xl / l2 : 0;
}

float fit_scale_min(const float *x, const float *importance, int n, int high, float *min,
                    int8_t *quants) {
    enum { TRIES = 12 };
    float low_end = fminf(smallest(x, n), 0), range = largest(x, n) - low_end;
    float best = 0, best_min = -low_end, best_error = INFINITY;
    int8_t tried[32];
    for (int i = 0; range > 0 && i < TRIES; i++) { /* ranges from 0.7 to 1.03 of the whole */
        float width = range * (0.7f + 0.03f * (float)i), middle = low_end + range / 2,
              from = fminf(middle - width / 2, 0), scale = width / (float)high, offset = -from;
        for (int step = 0; step < 2; step++) {
            fit_quants(x, importance, n, scale, offset, 0, high, NULL, tried);
            scale = line_for(x, importance, n, tried, &offset);
            if (!(scale > 0)) break;
            float error = fit_quants(x, importance, n, scale, offset, 0, high, NULL, tried);
            if (error < best_error) best = scale, best_min = offset, best_error = error;
        }
    }
    *min = best_min;
    fit_quants(x, importance, n, best, best_min, 0, high, NULL, quants);
    return best;
}

static int multiple(float value, float unit, int low, int high) {
    return unit != 0 ? clamp(nearest(fminf(fmaxf(value / unit, -1e6f), 1e6f)), low, high) : 0;
}

Pair fit_pair(const float *x, const float *importance, int n, int high, float d, float dmin,
              int most, float scale, float min, int8_t *quants) {
    int s0 = multiple(scale, d, 0, most), m0 = multiple(min, dmin, 0, most);
    Pair best = {0, 0};
    float best_error = INFINITY;
    for (int s = s0 > 0 ? s0 - 1 : 0; s <= s0 + 1 && s <= most; s++)
        for (int m = m0 > 0 ? m0 - 1 : 0; m <= m0 + 1 && m <= most; m++) {
            float error = fit_quants(x, importance, n, d * (float)s, dmin * (float)m, 0, high,
                                     NULL, quants);
            if (error < best_error) best = (Pair){s, m}, best_error = error;
        }
    fit_quants(x, importance, n, d * (float)best.scale, dmin * (float)best.min, 0, high, NULL,
               quants);
    return best;
}

int fit_multiple(const float *x, const float *importance, int n, int low, int high,
                 const int8_t *table, float d, int lowest, int most, float scale,
                 int8_t *quants) {
    int s0 = multiple(scale, d, lowest, most), best = s0;
    float best_error = INFINITY;
    for (int s = clamp(s0 - 1, lowest, most); s <= s0 + 1 && s <= most; s++) {
        float error = fit_quants(x, importance, n, d * (float)s, 0, low, high, table, quants);
        if (error < best_error) best = s, best_error = error;
    }
    fit_quants(x, importance, n, d * (float)best, 0, low, high, table, quants);
    return best;
}
