/* The grader of the block.
 *
 * It compares with the library's block.  Where they differ, it runs the library's again with
 * one part left out: the one that then agrees names the missing part. */
#include "parts.h"

DECLARE_SHIPPED(block_forward);
DECLARE_SHIPPED(sequential_wiring);
DECLARE_SHIPPED(parallel_wiring);

enum {
    B_WHOLE,
    B_ATTN_NORM,
    B_FFN_NORM,
    B_ATTN_POST,
    B_FFN_POST,
    B_SCALE,
    B_ATTENTION,
    B_FFN,
    B_EXPERTS,
    B_MIXER,
    B_SECOND,
    B_PARTS
};

static const char *const block_hints[B_PARTS] = {
    [B_ATTN_NORM] = "attention reads x without its norm (attn_norm)",
    [B_FFN_NORM] = "the feed-forward network reads x without its norm (ffn_norm)",
    [B_ATTN_POST] = "what attention returns goes through attn_post_norm before it is added",
    [B_FFN_POST] =
        "what the feed-forward network returns goes through ffn_post_norm before it is added",
    [B_SCALE] = "what a branch returns is scaled by residual_scale before it is added",
    [B_ATTENTION] = "attention adds nothing to x",
    [B_FFN] = "the feed-forward network adds nothing to x",
    [B_EXPERTS] = "the block's network is of another kind (experts), and a dense one was "
                  "computed: call the forward of b->network",
    [B_MIXER] = "one of the block's mixers is of another kind, and attention was computed: "
                "call the forward of each of b->mixer",
    [B_SECOND] = "the second mixer is left out: each of b->mixer adds to x",
};

static Block block_without(const Block *b, int part) {
    Block c = *b;
    if (part == B_ATTN_NORM) c.attn_norm.kind = NORM_NONE;
    if (part == B_FFN_NORM) c.ffn_norm.kind = NORM_NONE;
    if (part == B_ATTN_POST) c.attn_post_norm.kind = NORM_NONE;
    if (part == B_FFN_POST) c.ffn_post_norm.kind = NORM_NONE;
    if (part == B_SCALE) c.residual_scale = 1;
    if (part == B_ATTENTION) c.attn_post_norm = (Norm){NORM_RMS, DIM, false, 1e30f, NULL, NULL};
    if (part == B_FFN) c.ffn_post_norm = (Norm){NORM_RMS, DIM, false, 1e30f, NULL, NULL};
    if (part == B_EXPERTS) c.network = &dense_part;
    for (size_t i = 0; part == B_MIXER && i < BLOCK_MIXERS && b->mixer[i]; i++)
        c.mixer[i] = &attention_part;
    if (part == B_SECOND) c.mixer[1] = NULL;
    return c;
}

/* The block with the library's own wiring. */
static Block shipped_block(const Block *b) {
    Block c = *b;
    c.wiring =
        b->wiring == &parallel_wiring ? &SHIPPED(parallel_wiring) : &SHIPPED(sequential_wiring);
    return c;
}

/* Two batches through a layer, the second of which reads the cache of the first; returns what
 * is added. */
static size_t layer, rows = ROWS;
static const bool *some_read; /* of the rows; NULL: all */
static void through(Place *p, const Block *b, const Block *first, const float *x, bool shipped,
                    float *added) {
    int32_t sequence[ROWS], position[ROWS];
    Batch batch = rows_of_two(sequence, position);
    const Pass pass = {&p->run, &p->kv, layer, &batch, DIM};
    batch.count = rows, p->run.read = some_read;
    for (int round = 0; round < 2; round++) {
        const Block *now = round ? b : first, theirs = shipped_block(now);
        memcpy(p->x, x, sizeof p->x);
        if (shipped)
            SHIPPED(block_forward)(&theirs, &pass, p->x);
        else
            block_forward(now, &pass, p->x);
        for (int i = 0; i < ROWS; i++) position[i] += 5;
    }
    for (size_t i = 0; i < ROWS * DIM; i++) added[i] = p->x[i] - x[i];
    HINT(p->run.read == some_read, "run->read is the caller's, and is to be left as it is");
}

static void grade_block(const Block *b, const char *kind) {
    static Place mine, ours, less_one;
    static float got[ROWS * DIM], want[ROWS * DIM], other[ROWS * DIM];
    int32_t sequence[ROWS], position[ROWS];
    Batch batch = rows_of_two(sequence, position);
    float *x = noise(ROWS * DIM, 2);
    place_open(&mine, b), place_open(&ours, b);
    through(&mine, b, b, x, false, got), through(&ours, b, b, x, true, want);
    bool right = all_near(got, want, ROWS * DIM, 2e-3);
    for (int part = 1; part < B_PARTS && !right; part++) {
        Block less = block_without(b, part);
        place_open(&less_one, b);
        through(&less_one, &less, &less, x, true, other);
        arena_free(&less_one.arena);
        HINT(!all_near(got, other, ROWS * DIM, 2e-3), "%s block: %s", kind, block_hints[part]);
    }
    bool replaced = true;
    for (size_t i = 0; i < ROWS * DIM && !right; i++)
        replaced &= close_to(got[i] + x[i], want[i], 2e-3);
    HINT(right || !replaced,
         "%s block: x is written over: what a branch returns is added to it", kind);
    if (rows == ROWS) same_memory(&mine.kv, &ours.kv, &batch, true);
    NUMBERS(got, want, ROWS * DIM, 2e-3,
            "%s block, what it adds to %d rows of %d numbers: x += attention(norm(x)), then x "
            "+= ffn(norm'(x)), which reads the "
            "new x",
            kind, ROWS, DIM);
    arena_free(&mine.arena), arena_free(&ours.arena);
}

/* The same of a single row, and of rows that are not all read afterwards. */
static void grade_few(const Block *b) {
    static const bool some[ROWS] = {[1] = true, [ROWS - 1] = true};
    rows = 1;
    grade_block(b, "a single row through a plain sequential");
    rows = ROWS, some_read = some;
    grade_block(b, "where only some rows are read afterwards (run->read, which the network "
                   "knows), a plain sequential");
    some_read = NULL;
}

static void add_experts(Block *b) {
    enum { EXPERTS = 4 };
    size_t wide[] = {EXPERTS, HIDDEN, DIM}, narrow[] = {EXPERTS, DIM, HIDDEN};
    Experts *e = &b->extras->experts;
    b->network = &experts_part;
    e->router = (Router){.map = linear_map(EXPERTS, DIM), .used = 2};
    e->net.gate.w = tensor_view(DTYPE_F32, 3, wide, noise(EXPERTS * HIDDEN * DIM, 0.6));
    e->net.up.w = tensor_view(DTYPE_F32, 3, wide, noise(EXPERTS * HIDDEN * DIM, 0.6));
    e->net.down.w = tensor_view(DTYPE_F32, 3, narrow, noise(EXPERTS * HIDDEN * DIM, 0.6));
}

/* A mixer that is not attention: the mean of a row and the one before it. */
static void shift_rows(const Block *b, const Pass *p, const float *in, float *out) {
    (void)b;
    for (size_t i = 0; i < p->batch->count * p->dim; i++)
        out[i] = (in[i] + (i < p->dim ? 0 : in[i - p->dim])) / 2;
}
static const PartKind shift_part = {.name = "shift", .forward = shift_rows};

/* What a probe is shown of the stream between mixers and network. */
typedef struct Shown {
    size_t times;
    float rows[ROWS * DIM];
} Shown;

static void look(void *context, const Seen *seen) {
    Shown *shown = context;
    shown->times++;
    memcpy(shown->rows, seen->rows, sizeof shown->rows);
}

static void grade_probe(const Block *b) {
    static Place mine, ours;
    static float added[ROWS * DIM];
    Shown got = {0}, want = {0};
    Probe its = {.see = look, .context = &got, .wants = 1u << PROBE_MIXED}, theirs = its;
    theirs.context = &want;
    float *x = noise(ROWS * DIM, 2);
    place_open(&mine, b), place_open(&ours, b);
    mine.run.probe = &its, ours.run.probe = &theirs;
    through(&mine, b, b, x, false, added), through(&ours, b, b, x, true, added);
    arena_free(&mine.arena), arena_free(&ours.arena);
    COUNT(got.times, want.times,
          "two batches: a probe (run->probe) is shown x once behind the mixers, as PROBE_MIXED "
          "(probe_stream)");
    NUMBERS(got.rows, want.rows, ROWS * DIM, 2e-3,
            "what a probe is shown as PROBE_MIXED is x behind all mixers and before the "
            "network");
}

GRADE(block) {
    for (int round = 0; round < 2; round++) {
        layer = round ? LAYERS - 1 - fresh_below(4) : 0;
        BlockExtras more = {.experts.router.used = 0};
        Block b = make_block();
        grade_block(&b, "a sequential");
        b.ffn_norm.kind = NORM_NONE;
        grade_block(&b, "a second branch without norm, a sequential");
        b.attn_norm.kind = NORM_NONE;
        grade_block(&b, "a norm after its branches, a sequential");
        b = make_block();
        b.attn_post_norm.kind = NORM_NONE, b.ffn_post_norm.kind = NORM_NONE,
        b.residual_scale = 0;
        grade_block(&b, "a plain sequential");
        grade_few(&b);
        b.wiring = &parallel_wiring;
        grade_block(&b, "a parallel");
        b = make_block();
        b.extras = &more, add_experts(&b);
        grade_block(&b, "a mixture's");
        b = make_block();
        b.mixer[1] = b.mixer[0];
        grade_block(&b, "a two mixers'");
        grade_probe(&b);
        b.mixer[0] = &shift_part;
        grade_block(&b, "a shift's and attention's");
        b.mixer[0] = &attention_part, b.mixer[1] = &shift_part;
        grade_block(&b, "an attention's and shift's");
        b.mixer[1] = NULL, b.network = NULL;
        grade_block(&b, "a networkless");
        grade_probe(&b);
    }
}

GRADES({"4.10", block})
