/* The graders of the model: its forward pass, and what a family says about positions.
 *
 * The model in the box is asked, with what other families have added to it.  Where the work differs from the library's own,
 * that is asked again with one part left out: the one that then agrees is the part that is missing. */
#include "grader.h"
#include "models.h"

DECLARE_SHIPPED(model_forward);
DECLARE_SHIPPED(pooling_run);

static Model model;

static void open_box(void) {
    Fault fault;
    if (!model_open(&model, "layer5_models/models/storyteller.gguf", &fault))
        printf("  %s\n", fault.text);
    NEED(model.blocks);
}

/* ------------------------------------------------------------------ the forward pass */

enum { TOKENS = 7, SEQUENCES = 2, ROOM = 14, WIDE = 256, POSITIONS = 64 };

typedef enum Part {
    WHOLE,
    EMBED_SCALE,
    PLACES,
    EMBED_NORM,
    OUT_NORM,
    LOGIT_SCALE,
    CAP,
    LAST_LAYER,
    FIRST_LAYER,
    PARTS
} Part;

static const char *const part_hints[PARTS] = {
    [EMBED_SCALE] = "embedding_scale is missing: it multiplies the row of the table",
    [PLACES] = "learned positions are missing: position_add_learned(), where the model has a "
               "table of them",
    [EMBED_NORM] = "embedding_norm is missing: what goes into the first block passes it",
    [OUT_NORM] = "the last norm is missing: hidden rows are out_norm of x",
    [LOGIT_SCALE] = "logit_scale is missing: it multiplies the logits",
    [CAP] = "logit_softcap is missing: cap_logits(), after the scale",
    [LAST_LAYER] = "the last block is left out",
    [FIRST_LAYER] = "the first block is left out",
};

static float places[POSITIONS * WIDE], gains[WIDE];

/* The model with one part less. */
static Model without(Part part) {
    Model m = model;
    if (part == EMBED_SCALE) m.embedding_scale = 1;
    if (part == PLACES) m.positions.data = NULL;
    if (part == EMBED_NORM) m.embedding_norm.kind = NORM_NONE;
    if (part == OUT_NORM) m.out_norm.kind = NORM_NONE;
    if (part == LOGIT_SCALE) m.logit_scale = 1;
    if (part == CAP) m.logit_softcap = 0;
    if (part == LAST_LAYER) m.sizes.layers--;
    if (part == FIRST_LAYER) m.sizes.layers--, m.blocks++;
    return m;
}

static void give_parts(void) {
    size_t dim = model.sizes.dim;
    NEED(dim <= WIDE);
    fresh_floats(places, POSITIONS * dim, -0.5, 0.5), fresh_floats(gains, dim, 0.5, 2);
    model.embedding_scale = (float)fresh_between(2, 4),
    model.logit_scale = (float)fresh_between(0.3, 0.6);
    model.logit_softcap = (float)fresh_between(3, 5);
    model.positions = tensor_view(DTYPE_F32, 2, (size_t[]){POSITIONS, dim}, places);
    model.embedding_norm = (Norm){.kind = NORM_RMS, .width = dim, .eps = 1e-5f, .gain = gains};
}

static void take_parts(void) {
    model.embedding_scale = model.logit_scale = 1, model.logit_softcap = 0;
    model.positions.data = NULL, model.embedding_norm.kind = NORM_NONE;
}

typedef struct Call {
    Batch batch;
    int32_t token[ROOM], sequence[ROOM], position[ROOM];
    bool wanted[ROOM];
    float input[ROOM * WIDE];
    size_t rows; /* wanted */
} Call;

/* TOKENS tokens of each sequence from a position on, taking turns; some are wanted. */
static void new_call(Call *c, int32_t from, bool as_rows) {
    c->rows = 0;
    for (int32_t i = 0; i < ROOM; i++) {
        c->token[i] = (int32_t)fresh_below(model.sizes.vocab), c->sequence[i] = i % SEQUENCES;
        c->position[i] = from + i / SEQUENCES,
        c->wanted[i] = i == ROOM - 1 || fresh_below(3) == 0;
        c->rows += c->wanted[i];
    }
    fresh_floats(c->input, ROOM * model.sizes.dim, -1, 1);
    c->batch =
        (Batch){ROOM, c->token, c->sequence, c->position, c->wanted, as_rows ? c->input : NULL};
}

static void open_session(Session *s, const Model *m) {
    Fault fault;
    SessionConfig config = {
        .ctx = 3 * TOKENS, .sequences = SEQUENCES, .max_tokens = ROOM, .max_logits = ROOM};
    NEED(session_open(s, m, NULL, config, &fault));
}

static bool near(const float *a, const float *b, size_t n, double bound) {
    for (size_t i = 0; i < n; i++)
        if (!close_to((double)a[i], (double)b[i], bound)) return false;
    return true;
}

/* Two calls, one after the other, of the library's with a part left out: is the second one's outcome that of the work? */
static bool agrees(const Session *mine, const Call *first, const Call *second, Part part) {
    Fault fault;
    Session s;
    Model m = without(part);
    open_session(&s, &m);
    NEED(SHIPPED(model_forward)(&s, &first->batch, &fault) &&
         SHIPPED(model_forward)(&s, &second->batch, &fault));
    bool same = near(mine->hidden, s.hidden, second->rows * model.sizes.dim, 2e-3) &&
                near(mine->logits, s.logits, second->rows * model.sizes.vocab, 2e-3);
    session_close(&s);
    return same;
}

static bool is_empty(const Session *s, size_t layer) {
    for (size_t i = 0; i < model.blocks[layer].attention.shape.head_dim; i++)
        if (((const float *)kv_key(&s->kv, layer, 0, 0, 0))[STRIP * i] != 0) return false;
    return true;
}

static void two_calls(const char *kind, bool as_rows) {
    static Call first, second;
    Fault fault = {0};
    Session mine, ours;
    new_call(&first, 0, as_rows), new_call(&second, TOKENS, false);
    open_session(&mine, &model), open_session(&ours, &model);
    memset(mine.hidden, 0x7f, first.rows * model.sizes.dim * sizeof(float));
    HINT(model_forward(&mine, &first.batch, &fault), "%s: refused, with the words \"%s\"", kind,
         fault.text);
    for (size_t l = 0; l < model.sizes.layers; l++)
        HINT(!is_empty(&mine, l),
             "%s: nothing was stored in layer %zu of the memory: block l reads and writes its "
             "own layer",
             kind, l);
    HINT(model_forward(&mine, &second.batch, &fault),
         "%s: the second call is refused, with the words \"%s\"", kind, fault.text);
    NEED(SHIPPED(model_forward)(&ours, &first.batch, &fault) &&
         SHIPPED(model_forward)(&ours, &second.batch, &fault));
    bool right = agrees(&mine, &first, &second, WHOLE);
    for (Part part = 1; part < PARTS && !right; part++)
        HINT(!agrees(&mine, &first, &second, part), "%s: %s", kind, part_hints[part]);
    NUMBERS(mine.hidden, ours.hidden, second.rows * model.sizes.dim, 2e-3,
            "%s: the hidden rows, %zu of %zu numbers, those of the tokens that are wanted, one "
            "after the other",
            kind, second.rows, model.sizes.dim);
    NUMBERS(mine.logits, ours.logits, second.rows * model.sizes.vocab, 2e-3,
            "%s: the logits, %zu rows of %zu: head, then scale, then cap", kind, second.rows,
            model.sizes.vocab);
    session_close(&mine), session_close(&ours);
}

static void hidden_rows_only(void) {
    static Call call;
    Fault fault = {0};
    Session s;
    new_call(&call, 0, false);
    open_session(&s, &model);
    s.hidden_only = true;
    s.logits[0] = 12345;
    HINT(model_forward(&s, &call.batch, &fault),
         "hidden rows only: refused, with the words \"%s\"", fault.text);
    HINT(s.logits[0] == 12345,
         "where hidden_only is set the head is left out: the logits stay as they were");
    session_close(&s);
}

/* What is refused leaves all as it was: `calls` go well, the next does not. */
static void refused(const char *why, Call *call, int32_t calls, size_t max_logits) {
    static Call good;
    Fault fault = {0};
    Session s;
    open_session(&s, &model);
    for (int32_t i = 0; i < calls; i++) {
        new_call(&good, i * TOKENS, false);
        NEED(model_forward(&s, &good.batch, &fault));
    }
    s.max_logits = max_logits;
    HINT(!model_forward(&s, &call->batch, &fault),
         "%s is to be refused: check_batch() and take_room() find out", why);
    HINT(fault.text[0], "%s is refused, but the fault does not say why", why);
    for (size_t i = 0; i < SEQUENCES; i++)
        COUNT(session_length(&s, i), calls * TOKENS, "after %s the memory is as long as before",
              why);
    session_close(&s);
}

static void refusals(void) {
    static Call call;
    new_call(&call, TOKENS, false);
    call.token[5] = (int32_t)model.sizes.vocab;
    refused("a token outside the vocabulary", &call, 1, ROOM);
    call.token[5] = -1;
    refused("a token below 0", &call, 1, ROOM);
    call.token[5] = 0;
    refused("a batch that wants more logits than there is room for", &call, 1, call.rows - 1);
    new_call(&call, 3 * TOKENS, false);
    refused("a batch for which the context is too short", &call, 3, ROOM);
}

GRADE(forward) {
    open_box();
    two_calls("a llama", false);
    give_parts();
    two_calls("a model with all that families may add", false);
    two_calls("rows that the batch brings in place of tokens", true);
    take_parts();
    hidden_rows_only();
    refusals();
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
    [POOLING_NONE] = "none: the row of every token, each has its place: token t at t * dim",
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
         "%zu numbers are to be normalized, and those behind them are others now", n);
}

GRADE(pooling) {
    open_box();
    for (int i = 0; i < 4; i++)
        pool(POOLING_MEAN, 7), pool(POOLING_CLS, 7), pool(POOLING_LAST, 7),
            pool(POOLING_NONE, 7), pool(POOLING_MEAN, LONGEST);
    for (int i = 0; i < 20; i++) one_length(i < 10 ? 1 + fresh_below(9) : 60, i % 3);
}

GRADES({"5.4", family}, {"5.5", forward}, {"5.13", pooling})
