/* The grader of the model's forward pass.
 *
 * The model in the box runs, with options of other families added.  Where the work differs from
 * the library's own, that runs that is asked again with one part left out: the one that then
 * agrees is the part that is missing. */
#include "grader.h"
#include "session_probe.h"
#include "model/bind.h"
#include "models.h"

DECLARE_SHIPPED(session_forward);

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
    OUT_NORM,
    CAP,
    LAST_LAYER,
    FIRST_LAYER,
    PARTS
} Part;

static const char *const part_hints[PARTS] = {
    [EMBED_SCALE] = "embedding_scale is missing: it multiplies the row of the table",
    [PLACES] = "learned positions are missing: position_add_learned(), where the model has a "
               "table of them",
    [OUT_NORM] = "the last norm is missing: hidden rows are out_norm of x",
    [CAP] = "logit_softcap is missing: cap_logits()",
    [LAST_LAYER] = "the last block is left out",
    [FIRST_LAYER] = "the first block is left out",
};

static float places[POSITIONS * WIDE];

/* The model with one part left out. */
static Model without(Part part) {
    Model m = model;
    if (part == EMBED_SCALE) m.embedding_scale = 1;
    if (part == PLACES) m.positions.data = NULL;
    if (part == OUT_NORM) m.out_norm.kind = NORM_NONE;
    if (part == CAP) m.logit_softcap = 0;
    if (part == LAST_LAYER) m.sizes.layers--;
    if (part == FIRST_LAYER) m.sizes.layers--, m.blocks++;
    return m;
}

static void give_parts(void) {
    size_t dim = model.sizes.dim;
    NEED(dim <= WIDE);
    fresh_floats(places, POSITIONS * dim, -0.5, 0.5);
    model.embedding_scale = (float)fresh_between(2, 4);
    model.logit_softcap = (float)fresh_between(3, 5);
    model.positions = tensor_view(DTYPE_F32, 2, (size_t[]){POSITIONS, dim}, places);
}

static void take_parts(void) {
    model.embedding_scale = 1, model.logit_softcap = 0, model.positions.data = NULL;
}

typedef struct Call {
    Batch batch;
    int32_t token[ROOM], sequence[ROOM], position[ROOM];
    bool wanted[ROOM];
    size_t rows; /* wanted */
} Call;

/* TOKENS tokens of each sequence from a position on, taking turns; some are wanted. */
static void new_call(Call *c, int32_t from) {
    c->rows = 0;
    for (int32_t i = 0; i < ROOM; i++) {
        c->token[i] = (int32_t)fresh_below(model.sizes.vocab), c->sequence[i] = i % SEQUENCES;
        c->position[i] = from + i / SEQUENCES,
        c->wanted[i] = i == ROOM - 1 || fresh_below(3) == 0;
        c->rows += c->wanted[i];
    }
    c->batch = (Batch){ROOM, c->token, c->sequence, c->position, c->wanted, NULL};
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

/* Two calls, one after the other, of the library's with a part left out: is the second one's
 * outcome that of the work? */
static bool agrees(const Session *mine, const Call *first, const Call *second, Part part) {
    Fault fault;
    Session s;
    Model m = without(part);
    open_session(&s, &m);
    NEED(SHIPPED(session_forward)(&s, &first->batch, &fault) &&
         SHIPPED(session_forward)(&s, &second->batch, &fault));
    bool same = near(mine->hidden, s.hidden, second->rows * model.sizes.dim, 2e-3) &&
                near(mine->logits, s.logits, second->rows * model.sizes.vocab, 2e-3);
    session_close(&s);
    return same;
}

static bool is_empty(const Session *s, size_t layer) {
    for (size_t i = 0; i < model.blocks[layer].attention.shape.head_dim; i++)
        if (((const float *)kv_key(&s->kv, (KvHead){layer, 0, 0}, 0))[STRIP * i] != 0)
            return false;
    return true;
}

/* With `alone` the second call is one token of the second sequence. */
static void two_calls(const char *kind, bool alone) {
    static Call first, second;
    Fault fault = {0};
    Session mine, ours;
    new_call(&first, 0), new_call(&second, TOKENS);
    if (alone)
        second.sequence[0] = 1, second.wanted[0] = true, second.rows = second.batch.count = 1;
    open_session(&mine, &model), open_session(&ours, &model);
    memset(mine.hidden, 0x7f, first.rows * model.sizes.dim * sizeof(float));
    HINT(session_forward(&mine, &first.batch, &fault), "%s: refused, with the words \"%s\"",
         kind, fault.text);
    for (size_t l = 0; l < model.sizes.layers; l++)
        HINT(!is_empty(&mine, l),
             "%s: nothing was stored in layer %zu of the memory: block l reads and writes its "
             "own layer",
             kind, l);
    HINT(session_forward(&mine, &second.batch, &fault),
         "%s: the second call is refused, with the words \"%s\"", kind, fault.text);
    NEED(SHIPPED(session_forward)(&ours, &first.batch, &fault) &&
         SHIPPED(session_forward)(&ours, &second.batch, &fault));
    HINT(!mine.run.read,
         "%s: run.read is left as it was for the last block: after the loop it "
         "is NULL again, since the batch will be gone",
         kind);
    bool right = agrees(&mine, &first, &second, WHOLE);
    for (Part part = 1; part < PARTS && !right; part++)
        HINT(!agrees(&mine, &first, &second, part), "%s: %s", kind, part_hints[part]);
    NUMBERS(mine.hidden, ours.hidden, second.rows * model.sizes.dim, 2e-3,
            "%s: the hidden rows, %zu of %zu numbers, those of the tokens that are wanted, one "
            "after the other (and only the last block may leave rows out: rows_read)",
            kind, second.rows, model.sizes.dim);
    NUMBERS(mine.logits, ours.logits, second.rows * model.sizes.vocab, 2e-3,
            "%s: the logits, %zu rows of %zu: head, then cap", kind, second.rows,
            model.sizes.vocab);
    session_close(&mine), session_close(&ours);
}

static void hidden_rows_only(void) {
    static Call call;
    Fault fault = {0};
    Session s;
    new_call(&call, 0);
    open_session(&s, &model);
    s.hidden_only = true;
    s.logits[0] = 12345;
    HINT(session_forward(&s, &call.batch, &fault),
         "hidden rows only: refused, with the words \"%s\"", fault.text);
    HINT(s.logits[0] == 12345,
         "where hidden_only is set the head is left out: the logits stay as they were");
    session_close(&s);
}

/* Where all_rows is set the last block leaves none out. */
static void all_rows_are_read(void) {
    static Call call;
    Fault fault = {0};
    Session mine, ours;
    new_call(&call, 0);
    open_session(&mine, &model), open_session(&ours, &model);
    mine.all_rows = ours.all_rows = true;
    NEED(SHIPPED(session_forward)(&ours, &call.batch, &fault));
    HINT(session_forward(&mine, &call.batch, &fault), "refused, with the words \"%s\"",
         fault.text);
    NUMBERS(
        mine.x, ours.x, call.batch.count * model.sizes.dim, 2e-3,
        "where all_rows is set, x behind the last block, %zu rows of %zu numbers, those that "
        "are not wanted, too (rows_read)",
        call.batch.count, model.sizes.dim);
    session_close(&mine), session_close(&ours);
}

/* Logits of rows that are not wanted stay untouched. */
static void rows_behind(void) {
    static Call call;
    Fault fault = {0};
    Session s;
    new_call(&call, 0), call.batch.count = 3, call.rows = 0;
    for (size_t i = 0; i < 3; i++) call.rows += call.wanted[i] = i == 1;
    model.logit_softcap = 4;
    open_session(&s, &model);
    float *behind = s.logits + call.rows * model.sizes.vocab;
    *behind = 3;
    HINT(session_forward(&s, &call.batch, &fault), "refused, with the words \"%s\"",
         fault.text);
    HINT(*behind == 3,
         "one row of logits is wanted, but those of the row after it are capped, too");
    model.logit_softcap = 0;
    session_close(&s);
}

static size_t way_taken;
static bool own_way(Session *s, const Batch *batch, Fault *fault) {
    (void)batch, (void)fault;
    way_taken += !s->stopped;
    return true;
}

/* A family with hooks has its own forward pass. */
static void goes_the_hooks_way(void) {
    static Call call;
    const FamilyHooks hooks = {.forward = own_way};
    Fault fault = {0};
    Session s;
    new_call(&call, 0), open_session(&s, &model);
    s.hooks = &hooks, s.stopped = true, way_taken = 0;
    HINT(session_forward(&s, &call.batch, &fault) && !s.stopped,
         "`stopped` is of the last batch: it is false when a batch begins, with hooks, too");
    COUNT(way_taken, 1,
          "calls of s->hooks->forward(), which replaces all this if a session has hooks; "
          "`stopped` is false by then");
    s.hooks = NULL;
    session_close(&s);
}

/* ------------------------------------------------------------------ cancelled */

static size_t asked, stop_at;
static bool wanted_so_far(void *context) {
    (void)context;
    return ++asked != stop_at;
}

static void stopped_at(size_t layer) {
    static Call call;
    Fault fault = {0};
    Session s;
    new_call(&call, 0), open_session(&s, &model);
    s.is_wanted = wanted_so_far, asked = 0, stop_at = layer + 1;
    bool went = session_forward(&s, &call.batch, &fault);
    HINT(asked, "call is_wanted before each layer: the batch may have been cancelled");
    HINT(!went && asked == stop_at,
         "is_wanted says before layer %zu that the batch is cancelled, and it goes "
         "on: ask before each layer, and stop",
         layer);
    HINT(s.stopped, "a cancelled batch was stopped: set `stopped`");
    HINT(fault.text[0], "a batch was stopped, and the fault does not say so");
    for (size_t i = 0; i < SEQUENCES; i++)
        COUNT(session_length(&s, i), 0,
              "a batch that was stopped is as if it had never come: stop_batch()");
    s.is_wanted = NULL;
    HINT(session_forward(&s, &call.batch, &fault),
         "after a batch that was stopped the same one is refused, with the words \"%s\"",
         fault.text);
    HINT(!s.stopped,
         "`stopped` is of the last batch: it becomes false when another one begins");
    session_close(&s);
}

static void stops(void) {
    for (size_t l = 0; l < model.sizes.layers; l++) stopped_at(l);
}

/* ------------------------------------------------------------------ what is seen */

static size_t embedded_seen;
static double embedded_sum;

static void sees(void *context, const Seen *seen) {
    (void)context;
    embedded_seen += seen->part == PROBE_EMBEDDED && seen->layer == 0;
    for (size_t i = 0; seen->part == PROBE_EMBEDDED && i < seen->count * seen->width; i++)
        embedded_sum += fabs((double)seen->rows[i]);
}

static void probed(void) {
    static Call call;
    Fault fault = {0};
    Session s;
    Probe probe = {.see = sees, .wants = 1u << PROBE_EMBEDDED};
    double wanted;
    new_call(&call, 0), open_session(&s, &model);
    NEED(session_probe(&s, &probe, &fault));
    NEED(SHIPPED(session_forward)(&s, &call.batch, &fault));
    session_reset(&s), wanted = embedded_sum, embedded_seen = 0, embedded_sum = 0;
    HINT(session_forward(&s, &call.batch, &fault),
         "with a probe: refused, with the words \"%s\"", fault.text);
    COUNT(embedded_seen, 1,
          "a probe (run.probe, which may be NULL) is to see what goes into the first block: "
          "probe_enter() with the first layer, probe_stream() with PROBE_EMBEDDED");
    NUMBER(embedded_sum, wanted, 1e-3 * wanted,
           "what a probe sees before the first layer is s->x after embed(): the sum of all "
           "without their signs");
    session_close(&s);
}

/* ------------------------------------------------------------------ what is refused */

/* A refused call changes nothing: `calls` succeed, the next does not. */
static void refused(const char *why, Call *call, int32_t calls, size_t max_logits) {
    static Call good;
    Fault fault = {0};
    Session s;
    open_session(&s, &model);
    for (int32_t i = 0; i < calls; i++) {
        new_call(&good, i * TOKENS);
        NEED(session_forward(&s, &good.batch, &fault));
    }
    s.max_logits = max_logits;
    HINT(!session_forward(&s, &call->batch, &fault),
         "%s is to be refused: check_batch() and take_room() find out", why);
    HINT(fault.text[0], "%s is refused, but the fault does not say why", why);
    for (size_t i = 0; i < SEQUENCES; i++)
        COUNT(session_length(&s, i), calls * TOKENS, "after %s the memory is as long as before",
              why);
    session_close(&s);
}

static void refusals(void) {
    static Call call;
    new_call(&call, TOKENS);
    call.token[5] = (int32_t)model.sizes.vocab;
    refused("a token outside the vocabulary", &call, 1, ROOM);
    call.token[5] = -1;
    refused("a token below 0", &call, 1, ROOM);
    call.token[5] = 0;
    refused("a batch that wants more logits than there is room for", &call, 1, call.rows - 1);
    new_call(&call, 3 * TOKENS);
    refused("a batch for which the context is too short", &call, 3, ROOM);
}

GRADE(forward) {
    open_box();
    two_calls("a llama", false);
    give_parts();
    two_calls("a model with all that families may add", false);
    two_calls("one token of the second text", true);
    take_parts();
    all_rows_are_read();
    rows_behind();
    goes_the_hooks_way();
    stops();
    probed();
    hidden_rows_only();
    refusals();
}

GRADES({"5.5", forward})
