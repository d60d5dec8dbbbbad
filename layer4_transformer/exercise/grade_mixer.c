/* The grader of attention in its place.
 *
 * It is compared with the library's own.  Where they differ, the library's is asked again with one part left out: the
 * one that then agrees is the part that is missing. */
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
    PARTS_OF_IT
} Part;

static const char *const part_hints[PARTS_OF_IT] = {
    [CLAMP] = "q, k and v are not clamped to -clamp .. clamp (where it is above 0)",
    [Q_NORM] = "the norm of the queries is missing",
    [K_NORM] = "the norm of the keys is missing",
    [ORDER] = "norm and rotation stand in the wrong order: norm_after_rope says which",
    [TURN] = "queries and keys are not turned",
    [WARM] = "q_temperature is missing: the queries grow with their position",
    [WARM_FROM] = "temperature_from is missing: the first position counts as that",
};

static Attention without(const Attention *a, Part part) {
    Attention b = *a;
    if (part == CLAMP) b.clamp = 0;
    if (part == Q_NORM) b.q_norm.kind = NORM_NONE;
    if (part == K_NORM) b.k_norm.kind = NORM_NONE;
    if (part == ORDER) b.norm_after_rope = !b.norm_after_rope;
    if (part == TURN) b.rope = NULL;
    if (part == WARM) b.q_temperature = 0;
    if (part == WARM_FROM) b.temperature_from = 0;
    return b;
}

static void grade_mixer(const Block *b) {
    static Place mine, ours;
    static float got[ROWS * DIM], want[ROWS * DIM], other[ROWS * DIM];
    int32_t sequence[ROWS], position[ROWS];
    Batch batch = rows_of_two(sequence, position);
    float *x = noise(ROWS * DIM, 2);
    place_open(&mine, b), place_open(&ours, b);
    memset(got, 0x7f, sizeof got);
    attention_forward(NULL, &b->attention, &mine.run.attention, &mine.kv, 1, &batch, x, got);
    SHIPPED(attention_forward)
    (NULL, &b->attention, &ours.run.attention, &ours.kv, 1, &batch, x, want);
    bool right = all_near(got, want, ROWS * DIM, 1e-3);
    for (Part part = 1; part < PARTS_OF_IT && !right; part++) {
        Attention less = without(&b->attention, part);
        SHIPPED(attention_forward)
        (NULL, &less, &ours.run.attention, &ours.kv, 1, &batch, x, other);
        HINT(!all_near(got, other, ROWS * DIM, 1e-3), "%s", part_hints[part]);
    }
    SHIPPED(attention_forward)
    (NULL, &b->attention, &ours.run.attention, &ours.kv, 1, &batch, x, want);
    same_memory(&mine.kv, &ours.kv, &batch, false);
    same_memory(&mine.kv, &ours.kv, &batch, true);
    NUMBERS(got, want, ROWS * DIM, 1e-3,
            "the memory is right, what comes out is not: q is clamped, normed, turned and "
            "warmed; then attention_online() into "
            "run->mixed, and that through o");
    arena_free(&mine.arena), arena_free(&ours.arena);
}

GRADE(mixer) {
    for (int round = 0; round < 2; round++) {
        Block b = make_block();
        b.attention.norm_after_rope = round;
        grade_mixer(&b);
        b.attention.clamp = 0, b.attention.q_temperature = 0,
        b.attention.q_norm.kind = NORM_NONE;
        grade_mixer(&b);
        b.attention.rope = NULL;
        grade_mixer(&b);
    }
}

GRADES({"4.9", mixer})
