/* fit.c - search for the scale, or scale and min, of least error; see quants.h. */
#include "quants.h"

static float weight_of(const Fit *f, int i) { return f->importance ? f->importance[i] : 1; }

/* The value of a quant, counted from low. */
static float value_of(const Fit *f, int q) {
    return (float)(f->codebook ? f->codebook[q] : q + f->low);
}

/* The index of the nearest value of a codebook, which is sorted. */
static int codebook_nearest(const int8_t *codebook, int count, float value) {
    int i = 0;
    while (i + 1 < count && value > 0.5f * (float)(codebook[i] + codebook[i + 1])) i++;
    return i;
}

float fit_quants(Fit f, float scale, float min, int8_t *quants) {
    float error = 0, inverse = scale != 0 ? 1 / scale : 0;
    for (int i = 0; i < f.n; i++) {
        float wanted = fminf(fmaxf((f.x[i] + min) * inverse, -1e6f), 1e6f);
        int q = f.codebook ? codebook_nearest(f.codebook, f.high - f.low + 1, wanted)
                           : clamp(nearest(wanted), f.low, f.high) - f.low;
        float got = scale * value_of(&f, q) - min;
        quants[i] = (int8_t)q;
        error += weight_of(&f, i) * (f.x[i] - got) * (f.x[i] - got);
    }
    return error;
}

/* The best scale for given quants. */
static float scale_for(const Fit *f, const int8_t *q) {
    float products = 0, squares = 0;
    for (int i = 0; i < f->n; i++) {
        float l = value_of(f, q[i]), w = weight_of(f, i);
        products += w * f->x[i] * l, squares += w * l * l;
    }
    return squares > 0 ? products / squares : 0;
}

float fit_scale(Fit f, int8_t *q) {
    enum { TRIES = 9 }; /* to each side of the scale that just fits the largest number */
    float far = farthest(f.x, f.n), best = 0, best_error = INFINITY;
    int8_t tried[32];
    for (int i = -TRIES; far != 0 && i <= TRIES; i++)
        for (int side = -1; side <= 1; side += 2) {
            float end = value_of(&f, side < 0 ? 0 : f.high - f.low);
            fit_quants(f, far / (end * (1 + 0.02f * (float)i)), 0, tried);
            float scale = scale_for(&f, tried), error = fit_quants(f, scale, 0, tried);
            if (error < best_error) best = scale, best_error = error;
        }
    fit_quants(f, best, 0, q);
    return best;
}

/* Least squares:  [sum l^2, -sum l; -sum l, sum 1] [scale; min] = [sum x l; -sum x]. */
static float line_for(const Fit *f, const int8_t *q, float *min) {
    float sum_w = 0, sum_l = 0, sum_ll = 0, sum_x = 0, sum_xl = 0;
    for (int i = 0; i < f->n; i++) {
        float w = weight_of(f, i), l = (float)q[i], x = f->x[i];
        sum_w += w, sum_l += w * l, sum_ll += w * l * l, sum_x += w * x, sum_xl += w * x * l;
    }
    float determinant = sum_w * sum_ll - sum_l * sum_l;
    float scale = determinant > 0 ? (sum_w * sum_xl - sum_l * sum_x) / determinant : 0;
    *min = determinant > 0 ? (sum_l * sum_xl - sum_ll * sum_x) / determinant : 0;
    if (determinant > 0 && *min >= 0) return scale;
    *min = 0;
    return sum_ll > 0 ? sum_xl / sum_ll : 0;
}

float fit_scale_min(Fit f, float *min, int8_t *q) {
    enum { TRIES = 12 };
    float low_end = fminf(smallest(f.x, f.n), 0), range = largest(f.x, f.n) - low_end;
    float best = 0, best_min = -low_end, best_error = INFINITY;
    int8_t tried[32];
    for (int i = 0; range > 0 && i < TRIES; i++) { /* ranges of 0.7 to 1.03 times the whole */
        float width = range * (0.7f + 0.03f * (float)i), middle = low_end + range / 2,
              from = fminf(middle - width / 2, 0), scale = width / (float)f.high,
              offset = -from;
        for (int step = 0; step < 2; step++) {
            fit_quants(f, scale, offset, tried);
            scale = line_for(&f, tried, &offset);
            if (!(scale > 0)) break;
            float error = fit_quants(f, scale, offset, tried);
            if (error < best_error) best = scale, best_min = offset, best_error = error;
        }
    }
    *min = best_min;
    fit_quants(f, best, best_min, q);
    return best;
}

float fit_small(Fit f, float *low) {
    int8_t q[32];
    *low = smallest(f.x, f.n);
    float min, d = (largest(f.x, f.n) - *low) / (float)f.high;
    if (f.importance && *low < 0) d = fit_scale_min(f, &min, q), *low = -min;
    return d;
}

static int multiple(float value, float unit, int low, int high) {
    return unit != 0 ? clamp(nearest(fminf(fmaxf(value / unit, -1e6f), 1e6f)), low, high) : 0;
}

Pair fit_pair(Fit f, float d, float dmin, int max, float scale, float min, int8_t *q) {
    int s0 = multiple(scale, d, 0, max), m0 = multiple(min, dmin, 0, max);
    Pair best = {0, 0};
    float best_error = INFINITY;
    for (int s = s0 > 0 ? s0 - 1 : 0; s <= s0 + 1 && s <= max; s++)
        for (int m = m0 > 0 ? m0 - 1 : 0; m <= m0 + 1 && m <= max; m++) {
            float error = fit_quants(f, d * (float)s, dmin * (float)m, q);
            if (error < best_error) best = (Pair){s, m}, best_error = error;
        }
    fit_quants(f, d * (float)best.scale, dmin * (float)best.min, q);
    return best;
}

int fit_multiple(Fit f, float d, int min, int max, float scale, int8_t *q) {
    int s0 = multiple(scale, d, min, max), best = s0;
    float best_error = INFINITY;
    for (int s = clamp(s0 - 1, min, max); s <= s0 + 1 && s <= max; s++) {
        float error = fit_quants(f, d * (float)s, 0, q);
        if (error < best_error) best = s, best_error = error;
    }
    fit_quants(f, d * (float)best, 0, q);
    return best;
}
