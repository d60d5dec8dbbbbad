/* The graders of the updates: AdamW, and Muon. */
#include "trainees.h"

DECLARE_SHIPPED(train_update);

/* ------------------------------------------------------------------ AdamW */

typedef enum Slip {
    NO_SLIP,
    NO_DECAY,
    DECAY_IN_GRADIENT,
    DECAY_ON_GAINS,
    DECAY_WITHOUT_RATE,
    NO_CLIP,
    ALWAYS_CLIPPED,
    NOT_CORRECTED,
    STEP_FROM_ZERO,
    NO_ROOT,
    EPSILON_INSIDE,
    MEANS_FORGET,
    SAME_BETA,
    SLIPS
} Slip;

static const char *const slip_hints[SLIPS] = {
    [NO_DECAY] = "weights decay: rate * decay * w goes off as well",
    [DECAY_IN_GRADIENT] = "the decay is taken from the weight itself: added to the gradient it "
                          "would be divided by the root, "
                          "too, and that is Adam with L2, not AdamW",
    [DECAY_WITHOUT_RATE] = "the decay goes by the rate, too: rate * decay * w",
    [DECAY_ON_GAINS] = "gains (tensors of one row) do not decay",
    [NO_CLIP] =
        "a gradient longer than clip is cut: its scale acts on g before m and v are made",
    [ALWAYS_CLIPPED] = "a gradient shorter than clip stays as it is",
    [NOT_CORRECTED] = "m and v began at 0: divide them by 1 - beta^t",
    [STEP_FROM_ZERO] = "the first step has t = 1: trainer->step counts the steps that are done",
    [NO_ROOT] = "the step is m over the root of v",
    [EPSILON_INSIDE] = "epsilon is added to the root, not under it",
    [MEANS_FORGET] = "m and v are running means: b * old + (1 - b) * new",
    [SAME_BETA] = "m goes by beta1, v by beta2",
};

/* One tensor, in double, by the formula; what it should hold afterwards. */
static void adamw(const Trainer *t, const Parameter *p, double norm, double rate, Slip slip,
                  float *w, float *m, float *v) {
    const TrainConfig *c = &t->config;
    double b1 = c->beta1, b2 = slip == SAME_BETA ? c->beta1 : c->beta2,
           round = (double)t->step + (slip != STEP_FROM_ZERO),
           scale = norm > c->clip || slip == ALWAYS_CLIPPED ? c->clip / norm : 1,
           decay = p->rows > 1 || slip == DECAY_ON_GAINS ? c->weight_decay : 0;
    if (slip == NO_CLIP) scale = 1;
    for (size_t i = 0; i < p->rows * p->cols; i++) {
        double g = (double)t->gradients[p->offset + i] * scale,
               old = (double)t->values[p->offset + i];
        if (slip == DECAY_IN_GRADIENT) g += decay * old;
        double mean = b1 * (double)t->moment1[p->offset + i] + (1 - b1) * g,
               square = b2 * (double)t->moment2[p->offset + i] + (1 - b2) * g * g;
        if (slip == MEANS_FORGET) mean = (1 - b1) * g, square = (1 - b2) * g * g;
        m[i] = (float)mean, v[i] = (float)square;
        if (slip != NOT_CORRECTED) mean /= 1 - pow(b1, round), square /= 1 - pow(b2, round);
        double root = slip == NO_ROOT          ? square + c->epsilon
                      : slip == EPSILON_INSIDE ? sqrt(square + c->epsilon)
                                               : sqrt(square) + c->epsilon;
        double less = slip == NO_DECAY || slip == DECAY_IN_GRADIENT ? 0 : decay * old;
        if (slip == DECAY_WITHOUT_RATE) less /= rate;
        w[i] = (float)(old - rate * (mean / root + less));
    }
}

/* The tensors that AdamW moves; the others are Muon's, if it has momentum. */
static bool by_adamw(const Trainer *t, const Parameter *p) {
    return t->config.momentum == 0 || p->rows == 1 ||
           t->values + p->offset == t->weights.embedding;
}

enum { LARGEST = 64 * 300, SHARE = 16384 };
typedef struct Outcome {
    float w[LARGEST], m[LARGEST], v[LARGEST];
} Outcome;

static bool is_outcome(const Trainer *t, const Parameter *p, const Outcome *o) {
    size_t n = p->rows * p->cols;
    return near(t->values + p->offset, o->w, n, 2e-5) &&
           near(t->moment1 + p->offset, o->m, n, 2e-5) &&
           near(t->moment2 + p->offset, o->v, n, 2e-5);
}

static double norm_of(const Trainer *t) {
    double sum = 0;
    for (size_t i = 0; i < t->size; i++)
        sum += (double)t->gradients[i] * (double)t->gradients[i];
    return sqrt(sum);
}

static void check_tensor(const Trainer *before, const Trainer *mine, const Parameter *p,
                         double norm, double rate, const char *kind) {
    static Outcome want, other;
    size_t n = p->rows * p->cols;
    adamw(before, p, norm, rate, NO_SLIP, want.w, want.m, want.v);
    if (is_outcome(mine, p, &want)) return;
    HINT(before->config.momentum > 0 ||
             !near(mine->moment2 + p->offset, before->moment2 + p->offset, n, 0),
         "%s: %s has no running mean of the square: without momentum (config.momentum is 0) "
         "AdamW moves the matrices of the blocks, too",
         kind, p->name);
    HINT(!near(mine->values + p->offset, before->values + p->offset, n, 0),
         "%s: %s, which begins at number %zu of the flat arrays, did not move: u->first is "
         "where a tensor begins",
         kind, p->name, p->offset);
    for (size_t i = 0; i < n; i++)
        HINT(isfinite(mine->values[p->offset + i]),
             "%s, %s: a number is NaN or infinite: t counts from 1, or 1 - beta^t is 0", kind,
             p->name);
    HINT(n <= SHARE || !near(mine->values + p->offset + SHARE, want.w + SHARE, n - SHARE, 2e-5),
         "%s, %s: the last of %zu numbers are right, the first are not: the tensor comes in "
         "ranges, and update_range() moves numbers begin .. end - 1 of it, no others",
         kind, p->name, n);
    for (Slip slip = 1; slip < SLIPS; slip++) {
        adamw(before, p, norm, rate, slip, other.w, other.m, other.v);
        HINT(!is_outcome(mine, p, &other), "%s, %s: %s", kind, p->name, slip_hints[slip]);
    }
    NUMBERS(mine->moment1 + p->offset, want.m, n, 2e-5,
            "%s, %s: m, the running mean of the gradient", kind, p->name);
    NUMBERS(mine->moment2 + p->offset, want.v, n, 2e-5,
            "%s, %s: v, the running mean of its square", kind, p->name);
    NUMBERS(mine->values + p->offset, want.w, n, 2e-5, "%s, %s: the weights", kind, p->name);
}

static void update_and_compare(const TrainConfig *c, size_t step, const char *kind) {
    Trainer *mine = new_trainer(c), *ours = new_trainer(c), *before = new_trainer(c);
    double rate = fresh_between(0.01, 0.1);
    shake(mine, ours), shake(before, ours);
    memcpy(mine->values, ours->values, ours->size * sizeof(float)),
        memcpy(mine->gradients, ours->gradients, ours->size * sizeof(float));
    memcpy(mine->moment1, ours->moment1, ours->size * sizeof(float)),
        memcpy(mine->moment2, ours->moment2, ours->size * sizeof(float));
    mine->step = ours->step = before->step = step;
    double norm = norm_of(before), got = train_update(mine, rate);
    NUMBER(got, norm, 1e-3 * norm,
           "%s: train_update() returns the gradient's norm, of all tensors together, before it "
           "is cut",
           kind);
    SHIPPED(train_update)(ours, rate);
    for (size_t i = ours->n_parameters; i-- > 0;) {
        const Parameter *p = &ours->parameters[i];
        if (by_adamw(before, p)) {
            check_tensor(before, mine, p, norm, rate, kind);
            continue;
        }
        HINT(!near(mine->values + p->offset, before->values + p->offset, p->rows * p->cols, 0),
             "%s: the matrix %s did not move: those inside the blocks go to "
             "train_update_matrix()",
             kind, p->name);
        NUMBERS(mine->values + p->offset, ours->values + p->offset, p->rows * p->cols, 1e-4,
                "%s: the matrix %s is inside a block: train_update_matrix() moves it, with the "
                "scale of the clipping and the rate",
                kind, p->name);
    }
    trainer_close(mine), trainer_close(ours), trainer_close(before);
}

GRADE(adam) {
    Fault fault;
    open_world();
    TrainConfig c = small();
    c.weight_decay = 0.3, c.clip = 300, c.epsilon = 1e-2;
    update_and_compare(&c, 0, "the first step, a gradient that is not cut");
    update_and_compare(&c, 7, "the eighth step, a gradient that is not cut");
    c.clip = 1;
    update_and_compare(&c, 3, "the fourth step, a gradient that is cut");
    c.momentum = 0.3;
    update_and_compare(&c, 20 + fresh_below(100), "a late step, with a small momentum");
    c.momentum = 0;
    update_and_compare(&c, fresh_below(5), "without momentum");
    c.momentum = 0.9;
    c.layers = 1, c.weight_decay = 0;
    update_and_compare(&c, 1, "without decay");
    c.shape.dim = LARGEST / 300, c.weight_decay = 0.3;
    trainee_pool = pool_open(3, false, &fault);
    NEED(trainee_pool);
    update_and_compare(&c, 2, "a tensor that threads divide");
    pool_close(trainee_pool), trainee_pool = NULL;
}

/* ------------------------------------------------------------------ Muon */

typedef enum Fumble {
    NO_FUMBLE,
    NOT_NORMED,
    FOUR_ROUNDS,
    SIX_ROUNDS,
    NO_SQUARE_TERM,
    NO_MOMENTUM,
    OLD_MOMENTUM,
    NO_MATRIX_STEP,
    SHORTER_SIDE,
    NO_SCALE,
    NO_M_DECAY,
    FUMBLES
} Fumble;

static const char *const fumble_hints[FUMBLES] = {
    [NOT_NORMED] = "the matrix has length 1 before the first round: divide by the root of the "
                   "sum of its squares",
    [FOUR_ROUNDS] = "there are five rounds, not four",
    [SIX_ROUNDS] = "there are five rounds, not six",
    [NO_SQUARE_TERM] =
        "a round is a X + (b G + c G^2) X with G = X X': the term with G^2 is missing",
    [NO_MOMENTUM] =
        "what is made orthogonal is g + b m, with the momentum m: it is not the gradient alone",
    [OLD_MOMENTUM] = "first m = b m + g, then g + b m with the new m",
    [NO_MATRIX_STEP] = "the step is rate * 0.2 * sqrt(max(rows, cols))",
    [SHORTER_SIDE] = "the step goes by the longer of rows and cols",
    [NO_SCALE] = "the gradient is scaled first: that is how it is cut",
    [NO_M_DECAY] = "weights decay: rate * weight_decay * w goes off as well",
};

enum { SIDE = 104 };

static void turn_square(double *x, size_t rows, size_t cols, Fumble fumble) {
    double norm = 0;
    static double g[SIDE][SIDE], square[SIDE][SIDE], y[SIDE * SIDE];
    for (size_t i = 0; i < rows * cols; i++) norm += x[i] * x[i];
    for (size_t i = 0; i < rows * cols && fumble != NOT_NORMED; i++) x[i] /= sqrt(norm) + 1e-12;
    for (int round = 0; round < (fumble == FOUR_ROUNDS  ? 4
                                 : fumble == SIX_ROUNDS ? 6
                                                        : 5);
         round++) {
        for (size_t i = 0; i < rows; i++)
            for (size_t j = 0; j < rows; j++) {
                g[i][j] = 0;
                for (size_t k = 0; k < cols; k++) g[i][j] += x[i * cols + k] * x[j * cols + k];
            }
        for (size_t i = 0; i < rows; i++)
            for (size_t j = 0; j < rows; j++) {
                square[i][j] = 0;
                for (size_t l = 0; l < rows && fumble != NO_SQUARE_TERM; l++)
                    square[i][j] += g[i][l] * g[l][j];
            }
        for (size_t i = 0; i < rows; i++)
            for (size_t k = 0; k < cols; k++) {
                y[i * cols + k] = 3.4445 * x[i * cols + k];
                for (size_t j = 0; j < rows; j++)
                    y[i * cols + k] +=
                        (-4.7750 * g[i][j] + 2.0315 * square[i][j]) * x[j * cols + k];
            }
        memcpy(x, y, rows * cols * sizeof *x);
    }
}

/* A matrix after its update, by the formulas in double. */
static void muon(const Trainer *t, const Parameter *p, double scale, double rate, Fumble fumble,
                 float *w, float *m) {
    static double x[SIDE * SIDE];
    double b = t->config.momentum, sides[2] = {(double)p->rows, (double)p->cols};
    size_t n = p->rows * p->cols;
    for (size_t i = 0; i < n; i++) {
        double g = (double)t->gradients[p->offset + i] * (fumble == NO_SCALE ? 1 : scale),
               old = (double)t->moment1[p->offset + i], now = b * old + g;
        m[i] = (float)now;
        x[i] = fumble == NO_MOMENTUM ? g : g + b * (fumble == OLD_MOMENTUM ? old : now);
    }
    turn_square(x, p->rows, p->cols, fumble);
    double side = (sides[0] > sides[1]) == (fumble != SHORTER_SIDE) ? sides[0] : sides[1],
           step = rate * (fumble == NO_MATRIX_STEP ? 1 : 0.2 * sqrt(side));
    for (size_t i = 0; i < n; i++) {
        double old = (double)t->values[p->offset + i];
        w[i] = (float)(old - step * x[i] -
                       (fumble == NO_M_DECAY ? 0 : rate * t->config.weight_decay * old));
    }
}

static void orthogonal(Trainer *t, size_t rows, size_t cols) {
    static float x[SIDE * SIDE], want[SIDE * SIDE], other[SIDE * SIDE];
    static double y[SIDE * SIDE];
    size_t n = rows * cols;
    fresh_floats(x, n, -3, 3);
    for (Fumble fumble = NO_FUMBLE; fumble <= NO_SQUARE_TERM; fumble++) {
        static float start[SIDE * SIDE];
        if (fumble == NO_FUMBLE) memcpy(start, x, sizeof start);
        for (size_t i = 0; i < n; i++) y[i] = (double)start[i];
        turn_square(y, rows, cols, fumble);
        for (size_t i = 0; i < n; i++) (fumble ? other : want)[i] = (float)y[i];
        if (fumble == NO_FUMBLE) {
            train_orthogonalize(t, x, rows, cols);
            if (near(x, want, n, 1e-3)) return;
        } else
            HINT(!near(x, other, n, 1e-3),
                 "a matrix of %zu rows and %zu columns, made orthogonal: %s", rows, cols,
                 fumble_hints[fumble]);
    }
    for (size_t i = 0; i < n; i++)
        HINT(fabsf(x[i]) < 100,
             "a matrix of %zu rows and %zu columns, made orthogonal: its numbers grow without "
             "bound: it has length 1 before the "
             "first round, and a round is a X + (b G + c G^2) X with G = X X'",
             rows, cols);
    NUMBERS(x, want, n, 1e-3,
            "a matrix of %zu rows and %zu columns, made orthogonal: length 1, then five times "
            "X = a X + b (X X') X + c (X X')^2 X",
            rows, cols);
}

static void move_matrix(const TrainConfig *c, size_t which) {
    Trainer *mine = new_trainer(c), *before = new_trainer(c);
    static float w[SIDE * SIDE], m[SIDE * SIDE];
    double rate = fresh_between(0.05, 0.1), scale = fresh_between(0.2, 0.6);
    shake(mine, before);
    const Parameter *p = &mine->parameters[which];
    size_t n = p->rows * p->cols;
    NEED(n <= SIDE * SIDE && p->rows > 1);
    train_update_matrix(mine, p, (float)scale, rate);
    bool right = false;
    for (Fumble fumble = NO_FUMBLE; fumble < FUMBLES && !right; fumble++) {
        muon(before, p, scale, rate, fumble, w, m);
        bool same = near(mine->values + p->offset, w, n, 1e-3) &&
                    near(mine->moment1 + p->offset, m, n, 1e-4);
        if (fumble == NO_FUMBLE)
            right = same;
        else
            HINT(!same || (fumble == SHORTER_SIDE && p->rows == p->cols),
                 "%s, %zu rows and %zu columns: %s", p->name, p->rows, p->cols,
                 fumble_hints[fumble]);
    }
    muon(before, p, scale, rate, NO_FUMBLE, w, m);
    NUMBERS(mine->moment1 + p->offset, m, n, 1e-4, "%s: the momentum m = b m + g", p->name);
    NUMBERS(mine->values + p->offset, w, n, 1e-3,
            "%s: w = w - rate * (0.2 sqrt(max(rows, cols)) * orthogonal(g + b m) + decay * w)",
            p->name);
    for (size_t i = 0; i < mine->size; i++)
        HINT((i >= p->offset && i < p->offset + n) || mine->values[i] == before->values[i],
             "number %zu of the flat array has moved, which does not belong to %s (%zu .. %zu)",
             i, p->name, p->offset, p->offset + n - 1);
    trainer_close(mine), trainer_close(before);
}

GRADE(matrices) {
    open_world();
    TrainConfig c = small(), large = c;
    c.weight_decay = 0.5, c.momentum = fresh_between(0.3, 0.9);
    large.shape.dim = 56, large.shape.head_dim = 14, large.shape.hidden = 100;
    Trainer *t = new_trainer(&c);
    orthogonal(t, 12, 12), orthogonal(t, 12, 20), orthogonal(t, 20, 12), orthogonal(t, 8, 12),
        orthogonal(t, 16, 12);
    trainer_close(t);
    t = new_trainer(&large); /* more than one tile of the products */
    orthogonal(t, 56, 100), orthogonal(t, 100, 56);
    trainer_close(t);
    for (size_t which = 0; which < 30; which++) {
        t = new_trainer(&c);
        bool matrix = which < t->n_parameters && t->parameters[which].rows > 1 &&
                      t->parameters[which].rows < 100;
        trainer_close(t);
        if (matrix) move_matrix(&c, which);
    }
}

GRADES({"5.8", adam}, {"5.9", matrices})
