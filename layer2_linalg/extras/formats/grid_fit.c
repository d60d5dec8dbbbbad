/* grid_fit.c - see grid_fit.h.
 *
 *     for each group      try scales around the one that just fits the largest number: for the
 *                         points that a scale gives, the best scale is sum x l / sum l^2
 *     then                d from the largest scale; each group's multiple of it
 *
 * The point of least error is found exactly: half of a point's numbers have at most 256
 * combinations of levels, so the error of a point is the sum of two numbers of a table; and
 * where the second alone is too large, all points with that half are passed over. */
#include "grid_fit.h"

enum { POINTS_OF_GROUP = 8 };

/* The second halves of a grid's points, in their order, and where the points of each begin. */
typedef struct Halves {
    int count, begin[257];
    uint8_t second[256];
} Halves;

/* The numbers of a group, signs taken away, and their weights. */
typedef struct Numbers {
    const Grid *grid;
    const Halves *halves;
    const float *x, *w; /* (grid->group) */
} Numbers;

/* The points of a group, for one scale. */
typedef struct Choice {
    uint16_t point[POINTS_OF_GROUP];
    uint8_t side[POINTS_OF_GROUP];
    float error, xl, ll; /* sums of w (x - s l)^2, w x l, w l^2 */
} Choice;

static float level_of(const Grid *g, int side, unsigned point, int number) {
    unsigned level = point >> (g->bits * number) & ((1u << g->bits) - 1);
    return (float)(g->levels[side][level] - g->offset);
}

static void add_error(const float *restrict from, float *restrict to, int n, float more) {
    for (int k = 0; k < n; k++) to[k] = from[k] + more;
}

/* The errors of all combinations of levels of n numbers. */
static void errors_of(const Grid *g, int side, const float *x, const float *w, int n,
                      float scale, float errors[256]) {
    int known = 1;
    errors[0] = 0;
    for (int j = 0; j < n; j++, known <<= g->bits)
        for (int level = (1 << g->bits) - 1; level >= 0; level--) {
            float off = level_of(g, side, (unsigned)level, 0) * scale - x[j],
                  more = w[j] * off * off;
            if (level)
                add_error(errors, errors + level * known, known, more);
            else
                for (int k = 0; k < known; k++) errors[k] += more;
        }
}

/* The nearest point to the numbers of one; its error.  Second halves are looked at from the one
 * of least error on. */
static float nearest_point(const Numbers *n, int p, int side, float scale, uint16_t *point) {
    const Grid *g = n->grid;
    const Halves *all = n->halves;
    const int half = g->numbers / 2, first = p * g->numbers;
    const unsigned mask = (1u << (half * g->bits)) - 1;
    float low[256], high[256], least = INFINITY;
    int nearest = 0;
    errors_of(g, side, n->x + first, n->w + first, half, scale, low);
    errors_of(g, side, n->x + first + half, n->w + first + half, half, scale, high);
    for (int h = 1; h < all->count; h++)
        if (high[all->second[h]] < high[all->second[nearest]]) nearest = h;
    for (int h = -1; h < all->count; h++) {
        const int at = h < 0 ? nearest : h;
        const float more = high[all->second[at]];
        for (int i = all->begin[at]; i < all->begin[at + 1] && more < least; i++) {
            float error = low[g->points[i] & mask] + more;
            if (error < least) least = error, *point = (uint16_t)i;
        }
    }
    return least;
}

static void add_sums(const Numbers *n, int p, Choice *c) {
    const Grid *g = n->grid;
    for (int j = 0; j < g->numbers; j++) {
        int k = p * g->numbers + j;
        float level = level_of(g, c->side[p], g->points[c->point[p]], j);
        c->xl += n->w[k] * n->x[k] * level, c->ll += n->w[k] * level * level;
    }
}

/* The points of a group with this scale and, of two sets of levels, `side` or (-1) any. */
static Choice choose_points(const Numbers *n, int side, float scale) {
    Choice c = {.error = 0};
    for (int p = 0; p < n->grid->group / n->grid->numbers; p++) {
        float least = INFINITY;
        for (int s = side < 0 ? 0 : side; s <= (side < 0 ? 1 : side); s++) {
            uint16_t point = 0;
            float error = nearest_point(n, p, s, scale, &point);
            if (error < least) least = error, c.point[p] = point, c.side[p] = (uint8_t)s;
        }
        c.error += least;
        add_sums(n, p, &c);
    }
    return c;
}

static Choice choose(const Numbers *n, float scale) {
    const Grid *g = n->grid;
    Choice first = choose_points(n, g->any_side ? -1 : 0, scale);
    if (!g->group_side) return first;
    Choice second = choose_points(n, 1, scale);
    return second.error < first.error ? second : first;
}

/* The scale of least error of a group, whatever multiples there are.  The last trials are for
 * numbers of one size, which may be nearest to a point of small levels. */
static float scale_of_group(const Numbers *n) {
    static const float trials[] = {0.5f, 0.6f, 0.675f, 0.75f, 0.825f,
                                   0.9f, 1,    1.125f, 2,     5.375f};
    float max = fabsf(farthest(n->x, n->grid->group)), best = 0, gain = 0;
    for (size_t t = 0; max > 0 && t < sizeof trials / sizeof *trials; t++) {
        Choice c = choose(n, max / (float)n->grid->top * trials[t]);
        float of_this = c.xl > 0 ? c.xl * (c.xl / c.ll) : 0;
        if (of_this > gain) gain = of_this, best = c.xl / c.ll;
    }
    return best;
}

/* The signs of eight numbers, which lose them; if the minuses must be even, the number whose
 * sign costs least keeps the wrong one. */
static uint8_t take_signs(const Grid *g, float *x, const float *w) {
    unsigned signs = 0;
    int least = 0;
    if (!g->has_signs) return 0;
    for (int j = 0; j < 8; j++) {
        if (x[j] < 0) signs |= 1u << j, x[j] = -x[j];
        if (w[j] * x[j] * x[j] < w[least] * x[least] * x[least]) least = j;
    }
    if (g->even && __builtin_parity(signs)) signs ^= 1u << least, x[least] = -x[least];
    return (uint8_t)signs;
}

/* The multiple of least error, of the two next to a scale, and its points. */
static void put_group(const Numbers *n, float unit, float scale, int group, GridBlock *out) {
    const Grid *g = n->grid;
    const int points = g->group / g->numbers;
    int low = unit > 0 ? clamp((int)((scale / unit - 1) / 2), 0, g->max_scale) : 0;
    Choice best = choose(n, unit * (float)(2 * low + 1));
    out->scale[group] = (uint8_t)low;
    if (unit > 0 && low < g->max_scale) {
        Choice next = choose(n, unit * (float)(2 * low + 3));
        if (next.error < best.error) best = next, out->scale[group]++;
    }
    memcpy(out->point + points * group, best.point, (size_t)points * sizeof *best.point);
    memcpy(out->side + points * group, best.side, (size_t)points);
}

static Halves halves_of(const Grid *g) {
    Halves all = {.count = 0};
    for (int i = 0; i < g->count; i++) {
        uint8_t second = (uint8_t)(g->points[i] >> (g->numbers / 2 * g->bits));
        if (i && second == all.second[all.count - 1]) continue;
        all.second[all.count] = second, all.begin[all.count++] = i;
    }
    all.begin[all.count] = g->count;
    return all;
}

void grid_fit(const Grid *grid, const float *x, const float *importance, GridBlock *out) {
    float rest[SUPER_BLOCK], w[SUPER_BLOCK], scale[16], most = 0;
    const int groups = SUPER_BLOCK / grid->group;
    Numbers n[16];
    memset(out, 0, sizeof *out), memcpy(rest, x, sizeof rest);
    const Halves halves = halves_of(grid);
    for (int k = 0; k < SUPER_BLOCK; k++) w[k] = importance ? importance[k] : 1;
    for (int i = 0; i < 32; i++) out->signs[i] = take_signs(grid, rest + 8 * i, w + 8 * i);
    for (int i = 0; i < groups; i++) {
        n[i] = (Numbers){grid, &halves, rest + grid->group * i, w + grid->group * i};
        scale[i] = scale_of_group(&n[i]);
        most = fmaxf(most, scale[i]);
    }
    out->d = f16_from_f32(most / (float)(2 * grid->max_scale + 1) / grid->unit);
    for (int i = 0; i < groups; i++)
        put_group(&n[i], f16_to_f32(out->d) * grid->unit, scale[i], i, out);
}
