/* The grader of layer 3: linear maps in every form that weights are stored in, of some rows of
 * x, with scale, bias and adapters. */
#include "near.h"
#include "nn.h"

enum { MAPS = 5, ROWS = 9, IN = 96, OUT = 40, RANK = 3 };

/* A map, and its weights as plain numbers. */
typedef struct Map {
    Linear linear;
    float w[OUT * IN], scale, bias[OUT], a[2][RANK * IN], b[2][OUT * RANK];
    unsigned char stored[OUT * IN * 4], repacked[1 << 15];
    PackedWeights packed;
    LowRank adapters[2];
} Map;

static Map maps[MAPS];
static float x[ROWS * IN], y[LINEAR_PRODUCTS][ROWS * OUT + 1];

/* A map's own function: numbers of its rows of x, times 3. */
static void own_rows(const LinearOwn *own, Pool *pool, const LinearProduct *p,
                     const float *rows, void *scratch) {
    const size_t in = p->map->w.shape[1], out = p->map->w.shape[0];
    (void)own, (void)pool, (void)scratch;
    for (size_t c = 0; c < p->n; c++)
        for (size_t r = 0; r < out; r++)
            p->y[c * out + r] = 3 * rows[(p->first + c) * in + r % in];
}

static const LinearOwn own = {own_rows};

static void make_map(Map *m, Dtype dtype, size_t in, size_t out) {
    size_t row = dtype_row_bytes(dtype, in);
    fresh_floats(m->w, out * in, -1, 1), fresh_floats(m->bias, out, 2, 5);
    m->scale = 1.375f;
    for (size_t r = 0; r < out; r++) {
        quantize_row(dtype, m->w + r * in, NULL, m->stored + r * row, in);
        dequantize_row(dtype, m->stored + r * row, m->w + r * in, in);
    }
    m->linear = (Linear){.w = tensor_view(dtype, 2, (size_t[]){out, in}, m->stored),
                         .scale = out % 2 ? &m->scale : NULL,
                         .bias = fresh_below(3) ? m->bias : NULL,
                         .adapters = fresh_below(3) ? m->adapters : NULL,
                         .own = fresh_below(6) ? NULL : &own};
    if (dtype_is_quantized(dtype) && fresh_below(2)) {
        NEED(packed_bytes(dtype, out, in) <= sizeof m->repacked);
        packed_fill(NULL, &m->packed, &m->linear.w, m->repacked);
        m->linear.packed = &m->packed;
    }
    for (int i = 0; i < 2; i++) {
        fresh_floats(m->a[i], RANK * in, -1, 1), fresh_floats(m->b[i], out * RANK, -1, 1);
        m->adapters[i] = (LowRank){m->a[i], m->b[i], RANK, in, out, 1.5f, NULL, NULL};
    }
    if (fresh_below(2)) m->adapters[0].next = &m->adapters[1];
}

typedef enum Slip {
    FINE,
    FIRST_ROWS,
    ALL_FIRST_ROWS,
    NO_SCALE,
    SCALED_BIAS,
    NO_BIAS,
    BIAS_ONCE,
    ONE_BIAS,
    BIAS_ALONE,
    NO_ADAPTERS,
    ONE_ADAPTER,
    ADAPTERS_FIRST_ROWS,
    OWN_LEFT_OUT,
    OWN_AND_REST,
    SLIPS
} Slip;

static const char *const hints[SLIPS] = {
    [FIRST_ROWS] = "a product takes the rows first .. first+n-1 of x, not the first n",
    [ALL_FIRST_ROWS] = "a product takes the rows first .. first+n-1 of x, not the first n",
    [NO_SCALE] = "the map's scale is left out: what the matrix gives is multiplied by *scale",
    [SCALED_BIAS] = "the scale is the matrix's alone: the bias is added afterwards",
    [NO_BIAS] = "the bias is left out: bias[r] is added to output r",
    [BIAS_ONCE] = "the bias is added to the first row only: every row of outputs gets it",
    [ONE_BIAS] = "every output has a bias of its own: bias[r], not the first one",
    [BIAS_ALONE] = "the bias is added to what the product gave, not written over it",
    [NO_ADAPTERS] = "what the map's adapters add is left out: low_rank_rows",
    [ONE_ADAPTER] = "the list of adapters goes on: the first one's `next` adds, too",
    [ADAPTERS_FIRST_ROWS] =
        "adapters read the rows that the map reads: from row `first` of x on, not from row 0",
    [OWN_LEFT_OUT] = "a map with a function of its own is computed by it: own->rows",
    [OWN_AND_REST] = "own->rows computes a map whole: nothing is added to what it gives"};

static double adapted(const LowRank *l, const float *row, size_t r, Slip slip) {
    double sum = 0;
    for (; l; l = slip == ONE_ADAPTER ? NULL : l->next)
        for (size_t k = 0; k < l->rank; k++) {
            double t = 0;
            for (size_t i = 0; i < l->in; i++)
                t += (double)l->a[k * l->in + i] * (double)row[i];
            sum += (double)l->scale * t * (double)l->b[r * l->rank + k];
        }
    return sum;
}

/* Of a map with a function of its own. */
static void wanted_own(const LinearProduct *p, Slip slip, double *to) {
    const size_t out = p->map->w.shape[0], in = p->map->w.shape[1];
    for (size_t c = 0; c < p->n; c++)
        for (size_t r = 0; r < out; r++) {
            const float *row = x + (p->first + c) * in;
            double *y = &to[c * out + r];
            *y = 3 * (double)row[r % in];
            if (slip != OWN_AND_REST) continue;
            *y *= p->map->scale ? (double)*p->map->scale : 1;
            *y += p->map->bias ? (double)p->map->bias[r] : 0;
            *y += adapted(p->map->adapters, row, r, slip);
        }
}

static void wanted(const LinearProduct *p, Slip slip, double *to) {
    const Map *m = (const Map *)p->map; /* its first member */
    size_t out = p->map->w.shape[0], in = p->map->w.shape[1];
    if (p->map->own && slip != OWN_LEFT_OUT) {
        wanted_own(p, slip, to);
        return;
    }
    for (size_t c = 0; c < p->n; c++) {
        bool low = slip == FIRST_ROWS || slip == ALL_FIRST_ROWS,
             adapter_low = slip == ADAPTERS_FIRST_ROWS || slip == ALL_FIRST_ROWS;
        const float *row = x + (low ? c : p->first + c) * in,
                    *other = x + (adapter_low ? c : p->first + c) * in;
        for (size_t r = 0; r < out; r++) {
            double sum = slip == NO_ADAPTERS ? 0 : adapted(p->map->adapters, other, r, slip),
                   scale = p->map->scale && slip != NO_SCALE ? (double)*p->map->scale : 1,
                   bias = 0;
            for (size_t i = 0; i < in && slip != BIAS_ALONE; i++)
                sum += scale * (double)m->w[r * in + i] * (double)row[i];
            if (p->map->bias && slip != NO_BIAS && (slip != BIAS_ONCE || c == 0))
                bias = (double)m->bias[slip == ONE_BIAS ? 0 : r];
            to[c * out + r] = sum + (slip == SCALED_BIAS ? scale * bias : bias);
        }
    }
}

/* With quantized weights x is rounded, too, and on some machines with bf16 weights as well. */
static double bound_of(const Linear *map) {
    return dtype_is_quantized(map->w.dtype) ? 0.08 : map->w.dtype == DTYPE_BF16 ? 0.03 : 2e-3;
}

static void check_product(const LinearProduct *p, const char *where) {
    static double want[ROWS * OUT], slip[ROWS * OUT];
    size_t out = p->map->w.shape[0], n = p->n * out, right = 0;
    double bound = bound_of(p->map);
    HINT(p->y[n] == -7, "%s: something is written past the (n, out) outputs", where);
    wanted(p, FINE, want);
    if (all_near(p->y, want, n, bound)) return;
    for (Slip s = FINE + 1; s < SLIPS; s++) {
        wanted(p, s, slip);
        HINT(!all_near(p->y, slip, n, bound), "%s: %s", where, hints[s]);
    }
    for (size_t c = 0; c < p->n; c++)
        right += all_near(p->y + c * out, want + c * out, out, bound);
    HINT(!right || !dtype_is_quantized(p->map->w.dtype),
         "%s: for %s weights x is rounded, and %zu of %zu rows of outputs are right: "
         "matmul_products rounds as many rows of x as it is told, and all of them are wanted",
         where, dtype_name(p->map->w.dtype), right, p->n);
    HINT(p->map->w.dtype == DTYPE_F32,
         "%s: weights in %s are not read as they should be (expected %.5g first, got %.5g): "
         "matmul_products reads every format, when it is told of all rows of x",
         where, dtype_name(p->map->w.dtype), want[0], (double)p->y[0]);
    expect(where, p->y, want, n, bound);
}

static void prepare(LinearProduct *p, const Linear *map, size_t first, size_t n, float *to) {
    size_t out = map->w.shape[0];
    *p = (LinearProduct){map, first, n, to};
    fresh_floats(to, n * out, 50, 60), to[n * out] = -7;
}

static void check_round(Pool *pool, size_t count) {
    static unsigned char scratch[1 << 16];
    static const Dtype dtypes[MAPS] = {DTYPE_F32, DTYPE_F16, DTYPE_Q8_0, DTYPE_BF16,
                                       DTYPE_Q4_0};
    static LinearProduct products[LINEAR_PRODUCTS];
    size_t in = 32 + 32 * fresh_below(3), from = fresh_below(MAPS);
    fresh_floats(x, ROWS * in, -1, 1);
    NEED(linear_scratch_bytes(ROWS, in) <= sizeof scratch);
    for (int m = 0; m < MAPS; m++) make_map(&maps[m], dtypes[m], in, 2 + fresh_below(OUT - 1));
    for (size_t i = 0; i < count; i++) {
        size_t first = fresh_below(5);
        prepare(&products[i], &maps[(from + i) % MAPS].linear, first,
                1 + fresh_below(ROWS - first), y[i]);
    }
    memset(scratch, 0xff, sizeof scratch);
    linear_products(pool, products, count, x, ROWS, scratch);
    for (size_t i = 0; i < count; i++) check_product(&products[i], "linear_products");
    for (int m = 0; m < MAPS; m++) {
        const Linear *map = &maps[m].linear;
        prepare(products, map, 0, ROWS, y[0]);
        memset(scratch, 0xff, sizeof scratch);
        linear(pool, map, x, ROWS, y[0], dtype_is_quantized(dtypes[m]) ? scratch : NULL);
        check_product(products, "linear");
    }
}

GRADE(linear_maps) {
    Fault fault;
    Pool *pool = pool_open(3, false, &fault);
    NEED(pool);
    for (int round = 0; round < 24; round++)
        check_round(round % 2 ? pool : NULL, round ? 1 + fresh_below(6) : 1);
    check_round(pool, LINEAR_PRODUCTS);
    pool_close(pool);
}

GRADES({"3.8", linear_maps})
