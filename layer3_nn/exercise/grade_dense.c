/* The grader of layer 3: a linear map of f32 weights, and the way back through it, by sums in
 * double precision. */
#include "near.h"
#include "nn.h"

#define NEAR 1e-4

static void widen(double *to, const float *from, size_t n) {
    for (size_t i = 0; i < n; i++) to[i] = (double)from[i];
}

enum { N = 300, SMALL = 40, SCRATCH = 1 << 20 };
static float weights[N * N], x[N * N], dy[N * N], got_y[N * N], dx[N * N], dw[N * N],
    scratch[SCRATCH];

typedef enum { FINE, TRANSPOSED, SWAPPED, OVERWRITTEN, LAST_ROW, WRONG_ADD } Slip;

static void dense_wanted(size_t out, size_t in, size_t n, Slip slip, double *y) {
    for (size_t c = 0; c < n; c++)
        for (size_t r = 0; r < out; r++) {
            y[c * out + r] = 0;
            for (size_t k = 0; k < in; k++)
                y[c * out + r] +=
                    (double)x[c * in + k] *
                    (double)weights[slip == TRANSPOSED ? k * out + r : r * in + k];
        }
}

static void dx_wanted(size_t out, size_t in, size_t n, Slip slip, const double *before,
                      double *to) {
    for (size_t c = 0; c < n; c++)
        for (size_t k = 0; k < in; k++) {
            to[c * in + k] = before[c * in + k];
            for (size_t r = 0; r < out; r++)
                to[c * in + k] +=
                    (double)dy[c * out + r] *
                    (double)weights[slip == TRANSPOSED ? k * out + r : r * in + k];
        }
}

static void dw_wanted(size_t out, size_t in, size_t n, Slip slip, const double *before,
                      double *to) {
    for (size_t r = 0; r < out; r++)
        for (size_t k = 0; k < in; k++) {
            size_t at = slip == SWAPPED ? k * out + r : r * in + k;
            to[at] = slip == OVERWRITTEN ? 0 : before[at];
            for (size_t c = slip == LAST_ROW ? n - 1 : 0; c < n; c++)
                to[at] += (double)dy[c * out + r] * (double)x[c * in + k];
        }
}

static void check_dense(size_t out, size_t in, size_t n, bool add) {
    static double want[N * N], slip[N * N], before[N * N], none[N * N];
    fresh_floats(weights, out * in, -1, 1), fresh_floats(x, n * in, -1, 1),
        fresh_floats(dy, n * out, -1, 1);
    fresh_floats(got_y, n * out, 5, 9), fresh_floats(dx, n * in, 1, 2),
        fresh_floats(dw, out * in, 1, 2);
    linear_dense(NULL, weights, out, in, x, n, got_y, scratch);
    dense_wanted(out, in, n, FINE, want), dense_wanted(out, in, n, TRANSPOSED, slip);
    HINT(out == 1 || in == 1 || all_near(got_y, want, n * out, NEAR) ||
             !all_near(got_y, slip, n * out, NEAR),
         "the weights are (out, in): weight (r, k) is at w[r * in + k], and the product takes "
         "W transposed");
    expect("linear_dense", got_y, want, n * out, NEAR);
    widen(before, dw, out * in), dw_wanted(out, in, n, FINE, before, want);
    static double dx_before[N * N];
    widen(dx_before, dx, n * in);
    linear_backward(NULL, dx, add, dw, weights, out, in, x, dy, n, scratch);
    for (Slip s = SWAPPED; s <= LAST_ROW && !all_near(dw, want, out * in, NEAR); s++) {
        dw_wanted(out, in, n, s, before, slip);
        if ((s == SWAPPED && (out == 1 || in == 1)) || (s == LAST_ROW && n == 1) ||
            !all_near(dw, slip, out * in, NEAR))
            continue;
        HINT(s != SWAPPED, "dw is (out, in) as w is: dw[r * in + k] += dy[r] * x[k]; here rows "
                           "and columns are exchanged");
        HINT(s != OVERWRITTEN,
             "dw is added to: earlier tokens and batches have put something there");
        HINT(s != LAST_ROW,
             "dw takes something from each of the n rows, here it has the last one's");
    }
    expect("dw", dw, want, out * in, NEAR);
    dx_wanted(out, in, n, FINE, add ? dx_before : none, want);
    if (all_near(dx, want, n * in, NEAR)) return;
    dx_wanted(out, in, n, FINE, add ? none : dx_before, slip);
    HINT(!all_near(dx, slip, n * in, NEAR),
         add ? "with add_dx the gradient is added to what is in dx"
             : "without add_dx dx is written, whatever was there before");
    dx_wanted(out, in, n, TRANSPOSED, add ? dx_before : none, slip);
    HINT(out == 1 || in == 1 || !all_near(dx, slip, n * in, NEAR),
         "dx = dy W: dx[k] takes w[r * in + k] of every row r, which is column k of W; here "
         "rows and columns are exchanged");
    expect("dx", dx, want, n * in, NEAR);
}

/* 0 times infinity is NaN in all three products, whichever of the two is 0. */
static void check_zeros(void) {
    for (int turn = 0; turn < 2; turn++) {
        float zero = turn ? INFINITY : 0, other = turn ? 0 : INFINITY, y, dx_one = 0,
              dw_one = 0;
        linear_dense(NULL, &zero, 1, 1, &other, 1, &y, scratch);
        HINT(isnan(y), "y: %g times %g is NaN, and %g came: no product is left out",
             (double)zero, (double)other, (double)y);
        float one = 1, was = dw_one;
        linear_backward(NULL, &dx_one, false, &was, &zero, 1, 1, &one, &other, 1, scratch);
        HINT(isnan(dx_one),
             "dx: dy = %g times w = %g is NaN, and %g came: no product is left out",
             (double)other, (double)zero, (double)dx_one);
        linear_backward(NULL, &dx_one, false, &dw_one, &one, 1, 1, &zero, &other, 1, scratch);
        HINT(isnan(dw_one),
             "dw: dy = %g times x = %g is NaN, and %g came: no product is left out",
             (double)other, (double)zero, (double)dw_one);
    }
}

GRADE(dense) {
    HINT(matmul_scratch_floats(1, N) < SCRATCH, "no room"); /* as large as linear.h says */
    for (int round = 0; round < 24; round++)
        check_dense(1 + fresh_below(SMALL), 1 + fresh_below(SMALL), 1 + fresh_below(SMALL),
                    round % 2);
    check_dense(N, N, 3, true), check_dense(70, 5, 130, false), check_dense(2, 129, 65, true);
    check_dense(2, 3, 1000, false), check_zeros();
}

GRADES({"3.12", dense})
