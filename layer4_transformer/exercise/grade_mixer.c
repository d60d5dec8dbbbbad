/* The grader of the attention mixer.
 *
 * It compares with the library's.  Where they differ, it runs the library's again with one part
 * left out: the one that then agrees names the missing part. */
#include "parts.h"

DECLARE_SHIPPED(attention_forward);

typedef enum Part {
    WHOLE,
    CLAMP,
    Q_NORM,
    K_NORM,
    ORDER,
    TURN,
    WARM,
    WARM_FROM,
    PLACES,
    V_SCALE,
    GATE,
    SUB_NORM,
    WHOLE_ROW,
    HEAT,
    HEADS_SCALED,
    PARTS_OF_IT
} Part;

static const char *const part_hints[PARTS_OF_IT] = {
    [CLAMP] = "q, k and v are not clamped to -clamp .. clamp (where it is above 0)",
    [Q_NORM] = "the norm of the queries is missing",
    [K_NORM] = "the norm of the keys is missing",
    [ORDER] = "norm and rotation are in the wrong order: norm_after_rope says which",
    [TURN] = "queries and keys are not rotated",
    [PLACES] = "the rope has `places` here: rope_places() computes the angles of row i",
    [WARM] = "q_temperature is missing, or comes too early: the queries grow with their "
             "position when they have had their norm, which would take it away again",
    [V_SCALE] = "v_scale is missing: where it is above 0, values are multiplied by it",
    [GATE] = "the gate is missing: what is mixed is multiplied by sigmoid(gate x)",
    [SUB_NORM] = "sub_norm is missing: the norm of what is mixed, before o",
    [WHOLE_ROW] = "the norm is of each head by itself, and here it is of the whole row: "
                  "norm_apply has its width",
    [HEAT] = "a probe may heat the queries: probe_queries() when they are placed, before they "
             "look",
    [HEADS_SCALED] = "a probe may scale what the heads bring: probe_heads() of run->mixed, "
                     "before gate and norm",
    [WARM_FROM] = "temperature_from is missing: the first position counts as that",
};

static Attention without(const Attention *a, Part part) {
    static Rope rope;
    Attention b = *a;
    if (part == PLACES && a->rope) rope = *a->rope, rope.places = NULL, b.rope = &rope;
    if (part == CLAMP) b.clamp = 0;
    if (part == Q_NORM) b.q_norm.kind = NORM_NONE;
    if (part == K_NORM) b.k_norm.kind = NORM_NONE;
    if (part == ORDER) b.norm_after_rope = !b.norm_after_rope;
    if (part == TURN) b.rope = NULL;
    if (part == WARM) b.q_temperature = 0;
    if (part == V_SCALE) b.v_scale = 0;
    if (part == GATE) b.gate.w.data = NULL;
    if (part == SUB_NORM) b.sub_norm.kind = NORM_NONE;
    if (part == WHOLE_ROW && b.q_norm.width > HEAD) b.q_norm.width = b.k_norm.width = HEAD;
    if (part == WARM_FROM) b.temperature_from = 0;
    return b;
}

/* ------------------------------------------------------------------ a probe looks */

/* Layer 1: head 1 has a heat, head 2 a scale. */
static const Act acts[] = {{.kind = ACT_HEAT, .layer = 1, .index = 1, .value = 3},
                           {.kind = ACT_HEAD, .layer = 1, .index = 2, .value = -0.5f}};

/* What an observer saw: how often, and a checksum of rows and order. */
typedef struct Shown {
    size_t weights, heads;
    double sum;
} Shown;

static void look(void *context, const Seen *seen) {
    Shown *shown = context;
    size_t n = seen->count * seen->width;
    if (seen->part == PROBE_WEIGHTS) shown->weights++;
    if (seen->part == PROBE_HEADS) shown->heads++;
    for (size_t i = 0; i < n; i++)
        shown->sum += (double)seen->rows[i] * (double)(i + 3 * seen->head + 7 * seen->row + 1);
}

/* The probe of a run; one of its acts may be left out. */
static Probe probe_without(Part part, const Batch *batch, Shown *shown) {
    static float weights[256];
    Probe probe = {.see = look,
                   .context = shown,
                   .wants = 1u << PROBE_WEIGHTS | 1u << PROBE_HEADS,
                   .weights = weights,
                   .acts = part == HEAT ? acts + 1 : acts,
                   .count = part == HEAT || part == HEADS_SCALED ? 1 : 2};
    *shown = (Shown){0};
    probe_enter(&probe, 1, batch);
    return probe;
}

/* Threads work on several rows at once; angles in the first row's place would be shared. */
static void own_angles(const Rope *rope, const AttentionRun *run, size_t last) {
    float cosine[2], sine[2];
    NEED(rope->rotary == 4);
    rope_angles(rope, last, cosine, sine);
    HINT(memcmp(cosine, run->cosine, sizeof cosine) || memcmp(sine, run->sine, sizeof sine),
         "threads store rows at the same time and would overwrite each other's angles: row i "
         "has its own, from run->cosine + i * half on");
}

/* Keys and values are in layer 1 of the cache. */
static Pass pass_of(Place *place, const Block *b, Pool *pool, const Batch *batch) {
    place->run.pool = pool;
    return (Pass){&place->run, &place->kv, 1 + b->attention.kv_back, batch, DIM};
}

/* The layer before has stored its keys and values in both caches. */
static void tell_before(const Block *b, Place *mine, Place *ours, const Batch *batch) {
    float unused[ROWS * DIM];
    Block before = *b;
    before.attention.kv_back = 0;
    before.attention.k = linear_map(2 * HEAD, DIM),
    before.attention.v = linear_map(2 * HEAD, DIM);
    const float *x = noise(ROWS * DIM, 2);
    Pass to_mine = pass_of(mine, &before, NULL, batch),
         to_ours = pass_of(ours, &before, NULL, batch);
    SHIPPED(attention_forward)(&before, &to_mine, x, unused);
    SHIPPED(attention_forward)(&before, &to_ours, x, unused);
}

static void right_sights(const Shown *seen, const Shown *wanted) {
    COUNT(seen->weights, wanted->weights,
          "a probe is shown the weights of each head of each row, by probe_weights()");
    COUNT(seen->heads, wanted->heads,
          "a probe is shown once what the heads bring: probe_heads()");
    HINT(fabs(seen->sum - wanted->sum) < 1e-3 * (1 + fabs(wanted->sum)),
         "a probe is shown other weights or rows than those which act: queries as they look, "
         "heads before gate and norm");
}

static void grade_mixer(Pool *pool, const Block *b, bool watched) {
    static Place mine, ours;
    Shown seen, wanted;
    static float got[ROWS * DIM], want[ROWS * DIM], other[ROWS * DIM];
    int32_t sequence[ROWS], position[ROWS];
    Batch batch = rows_of_two(sequence, position);
    float *x = noise(ROWS * DIM, 2);
    place_open(&mine, b), place_open(&ours, b);
    if (b->attention.kv_back) tell_before(b, &mine, &ours, &batch);
    memset(got, 0x7f, sizeof got);
    Probe probe = probe_without(WHOLE, &batch, &seen), its;
    mine.run.attention.probe = watched ? &probe : NULL;
    ours.run.attention.probe = watched ? &its : NULL;
    its = probe_without(WHOLE, &batch, &wanted);
    const Pass to_mine = pass_of(&mine, b, pool, &batch),
               to_ours = pass_of(&ours, b, NULL, &batch);
    attention_forward(b, &to_mine, x, got);
    SHIPPED(attention_forward)(b, &to_ours, x, want);
    bool right = all_near(got, want, ROWS * DIM, 1e-3);
    if (b->attention.rope && b->attention.rope->style != ROPE_NONE && right)
        own_angles(b->attention.rope, &mine.run.attention, (size_t)position[ROWS - 1]);
    Shown other_seen;
    for (Part part = 1; part < PARTS_OF_IT && !right; part++) {
        its = probe_without(part, &batch, &other_seen);
        Block less = *b;
        less.attention = without(&b->attention, part);
        SHIPPED(attention_forward)(&less, &to_ours, x, other);
        HINT(!all_near(got, other, ROWS * DIM, 1e-3), "%s", part_hints[part]);
    }
    its = probe_without(WHOLE, &batch, &wanted);
    SHIPPED(attention_forward)(b, &to_ours, x, want);
    HINT(right || !b->attention.gate_in_q,
         "gate_in_q: project wrote a query and a gate for each head into run->gate, which "
         "split_q_gate() parts");
    const float *key = kv_key(&mine.kv, (KvHead){1, 0, 0}, 0),
                *kept = kv_key(&ours.kv, (KvHead){1, 0, 0}, 0);
    HINT(!b->attention.kv_back || *key == *kept,
         "with `kv_back` keys and values are there already, "
         "an earlier layer's, and stay as they are");
    same_memory(&mine.kv, &ours.kv, &batch, false);
    same_memory(&mine.kv, &ours.kv, &batch, true);
    HINT(right || !b->attention.kv_back,
         "kv_back is %zu here: keys and values are those of the layer so many before this one",
         b->attention.kv_back);
    HINT(right || all_finite(got, ROWS * DIM),
         "some numbers are NaN or infinite: with q_temperature 0 queries are not scaled, and "
         "temperature_ctx may be 0, too");
    NUMBERS(got, want, ROWS * DIM, 1e-3,
            "the cache is right, the output is not: q is clamped, normed, rotated and scaled; "
            "then attention_online() into run->mixed, and that through o");
    if (watched) right_sights(&seen, &wanted);
    arena_free(&mine.arena), arena_free(&ours.arena);
}

/* Options that some families have, one after the other. */
enum { FAMILIES = 10 };
static Block family(int which) {
    enum { WIDE_VALUE = HEAD + 3 };
    static Rope still, pictures;
    static const unsigned char axis[2] = {2, 0};
    static int32_t places[ROWS][3];
    Block b = make_block();
    Attention *a = &b.attention;
    if (which == 0) a->q_norm = rms(4 * HEAD), a->k_norm = rms(2 * HEAD);
    if (which == 1) a->v_scale = 0.6f;
    if (which == 2) {
        a->shape.value_dim = WIDE_VALUE;
        a->v = linear_map(2 * WIDE_VALUE, DIM), a->o = linear_map(DIM, 4 * WIDE_VALUE);
    }
    if (which == 3) a->gate = linear_map(4, DIM);
    if (which == 4) a->gate_in_q = true, a->q = linear_map(2 * 4 * HEAD, DIM);
    if (which == 5) a->sub_norm = rms(4 * HEAD);
    if (which == 7) a->v = (Linear){.bias = NULL}, a->v_norm = rms(HEAD);
    if (which == 8) a->kv_back = 2, a->k = a->v = (Linear){.bias = NULL};
    if (which == 6) still = *a->rope, still.style = ROPE_NONE, a->rope = &still;
    if (which == 9) {
        for (int32_t i = 0; i < ROWS; i++)
            places[i][0] = 3 * i, places[i][1] = 70, places[i][2] = 40 - i;
        pictures = *a->rope, a->rope = &pictures;
        pictures.axis = axis, pictures.places = places;
    }
    return b;
}

/* Many rows of three sequences, and rows of many heads. */
static void grade_large(void) {
    enum { MANY = 96, MANY_HEADS = 48 };
    static Place mine, ours;
    static float got[MANY * DIM], want[MANY * DIM];
    int32_t sequence[MANY], position[MANY];
    Block b = make_block();
    Attention *a = &b.attention;
    a->q = linear_map(MANY_HEADS * HEAD, DIM), a->o = linear_map(DIM, MANY_HEADS * HEAD);
    a->k = linear_map(MANY_HEADS / 2 * HEAD, DIM),
    a->v = linear_map(MANY_HEADS / 2 * HEAD, DIM);
    a->q_norm = rms(MANY_HEADS * HEAD), a->k_norm = rms(HEAD);
    a->shape.heads = MANY_HEADS, a->shape.kv_heads = MANY_HEADS / 2, a->v_scale = 0.6f;
    for (int32_t i = 0; i < MANY; i++) sequence[i] = i % 3, position[i] = i / 3 + 20 * (i % 3);
    const Batch batch = {MANY, NULL, sequence, position, NULL, NULL};
    place_open_for(&mine, &b, MANY, 3), place_open_for(&ours, &b, MANY, 3);
    const Pass to_mine = pass_of(&mine, &b, NULL, &batch),
               to_ours = pass_of(&ours, &b, NULL, &batch);
    const float *x = noise(MANY * DIM, 2);
    attention_forward(&b, &to_mine, x, got);
    SHIPPED(attention_forward)(&b, &to_ours, x, want);
    same_memory(&mine.kv, &ours.kv, &batch, false);
    same_memory(&mine.kv, &ours.kv, &batch, true);
    NUMBERS(got, want, MANY * DIM, 1e-3,
            "%d rows of three sequences, %d heads: the cache is right, the output is not; with "
            "fewer rows and heads it was",
            MANY, MANY_HEADS);
    arena_free(&mine.arena), arena_free(&ours.arena);
}

GRADE(mixer) {
    Fault fault;
    Pool *pool = pool_open(3, false, &fault);
    NEED(pool);
    for (int round = 0; round < 2; round++) {
        Block b = make_block();
        b.attention.norm_after_rope = round;
        grade_mixer(NULL, &b, false);
        b.attention.clamp = 0, b.attention.q_temperature = b.attention.temperature_ctx = 0,
        b.attention.q_norm.kind = NORM_NONE;
        grade_mixer(NULL, &b, false);
        b.attention.rope = NULL;
        grade_mixer(NULL, &b, true);
    }
    for (int which = 0; which < FAMILIES; which++) {
        Block b = family(which);
        grade_mixer(NULL, &b, false);
        grade_mixer(pool, &b, true);
    }
    pool_close(pool);
    grade_large();
}

GRADES({"4.9", mixer})
