/* The graders of a family's positions, and of pooling: one row from many, and its length. */
#include "grader.h"
#include "models.h"
#include "pooling.h"

DECLARE_SHIPPED(pooling_run);

enum { WIDE = 256 };

static Model model;

static void open_box(void) {
    Fault fault;
    if (!model_open(&model, "layer5_models/models/storyteller.gguf", &fault))
        printf("  %s\n", fault.text);
    NEED(model.blocks);
}

/* ------------------------------------------------------------------ what is broken */

GRADE(family) {
    open_box();
    Session s;
    Fault fault;
    TokenList ids = {0};
    WorldText text = {0};
    World *world = world_open(&fault);
    SessionConfig config = {
        .ctx = 1024, .sequences = 1, .max_tokens = 1024, .max_logits = 1024};
    NEED(world);
    world_write(world, "story", 7, fresh_below(1000000), &text);
    tokenizer_begin(model.tokenizer, &ids);
    NEED(tokenizer_encode(model.tokenizer, (Text){text.bytes, text.size}, true, &ids, &fault));
    size_t n = ids.count - 1, vocab = model.sizes.vocab;
    NEED(n > 20 && n < 1024 && session_open(&s, &model, NULL, config, &fault) &&
         session_eval(&s, ids.ids, n, true, &fault));
    double sum = 0, first = cross_entropy(s.logits, vocab, (size_t)ids.ids[1]);
    for (size_t i = 0; i < n && i < PREFILL_BATCH; i++)
        sum += cross_entropy(s.logits + i * vocab, vocab, (size_t)ids.ids[i + 1]);
    n = n < PREFILL_BATCH ? n : PREFILL_BATCH;
    SYMPTOM(
        sum / (double)n < 1,
        "the model in the box reads a story of its own world with a surprise of %.2f nats a "
        "token, where it should be some "
        "0.3.  The first token costs %.2f, as it should; those after it cost %.2f on average",
        sum / (double)n, first, (sum - first) / (double)(n - 1));
}

/* ------------------------------------------------------------------ one row of many */

enum { LONGEST = 23 };

static const char *const pooling_hints[] = {
    [POOLING_NONE] =
        "none: the row of every token, each at its own position: token t at t * dim",
    [POOLING_MEAN] = "mean: the sum of all rows, divided by their number",
    [POOLING_CLS] = "cls: the first row, and no other",
    [POOLING_LAST] = "last: the last row, and no other",
};

/* Room for the rows, full of what was there before; the session reads a text in pieces. */
static void pool(Pooling pooling, size_t pieces) {
    static float got[LONGEST * WIDE], want[LONGEST * WIDE];
    int32_t tokens[LONGEST];
    Fault fault;
    Session s;
    size_t count = 1 + fresh_below(LONGEST), rows = pooling == POOLING_NONE ? count : 1;
    SessionConfig config = pooling_session(&model, LONGEST);
    config.max_logits = config.max_tokens = pieces;
    for (size_t i = 0; i < count; i++) tokens[i] = (int32_t)fresh_below(model.sizes.vocab);
    fresh_floats(got, LONGEST * WIDE, 50, 90), memcpy(want, got, sizeof got);
    double there = (double)got[0];
    NEED(model.sizes.dim <= WIDE && session_open(&s, &model, NULL, config, &fault));
    NEED(SHIPPED(pooling_run)(&s, pooling, tokens, count, 0, want, &fault));
    HINT(pooling_run(&s, pooling, tokens, count, 0, got, &fault), "refused: %s", fault.text);
    HINT(pooling != POOLING_MEAN ||
             !close_to((double)(got[0] - want[0]), there / (double)count, 1e-3),
         "the mean begins with the first row: what was in `out` before is not part of it");
    NUMBERS(got, want, rows * model.sizes.dim, 1e-5, "%s", pooling_hints[pooling]);
    session_close(&s);
}

/* Vectors of n numbers, of three sizes. */
static void one_length(size_t n, size_t kind) {
    const double size = (const double[]){1, 1e3, 1e-3}[kind];
    float a[64], b[64], unit[64], zero[64] = {0};
    double aa = 0, bb = 0, ab = 0;
    fresh_floats(a, 64, -2 * size, 2 * size), fresh_floats(b, 64, -2 * size, 2 * size);
    for (size_t i = 0; i < n; i++)
        aa += (double)a[i] * (double)a[i], bb += (double)b[i] * (double)b[i],
            ab += (double)a[i] * (double)b[i];
    NUMBER(pooling_cosine(a, b, n), ab / sqrt(aa) / sqrt(bb), 1e-9,
           "the cosine of %zu numbers of a size of %g: the dot product over both lengths", n,
           size);
    NUMBER(pooling_cosine(a, zero, n), 0, 1e-9, "a vector of zeros has no direction: 0");
    memcpy(unit, a, sizeof a);
    pooling_normalize(zero, n), pooling_normalize(unit, n);
    for (size_t i = 0; i < n; i++) NUMBER(zero[i], 0, 1e-9, "a vector of zeros stays one");
    for (size_t i = 0; i < n; i++)
        NUMBER(unit[i], (double)a[i] / sqrt(aa), 1e-5,
               "number %zu of %zu of a size of %g: each over the root of the sum of squares", i,
               n, size);
    HINT(memcmp(unit + n, a + n, (64 - n) * sizeof *a) == 0,
         "%zu numbers are to be normalized, but the numbers after them have changed", n);
}

GRADE(pooling) {
    open_box();
    for (int i = 0; i < 4; i++)
        pool(POOLING_MEAN, 7), pool(POOLING_CLS, 7), pool(POOLING_LAST, 7),
            pool(POOLING_NONE, 7), pool(POOLING_MEAN, LONGEST);
    for (int i = 0; i < 20; i++) one_length(i < 10 ? 1 + fresh_below(9) : 60, i % 3);
}

GRADES({"5.4", family}, {"5.13", pooling})
