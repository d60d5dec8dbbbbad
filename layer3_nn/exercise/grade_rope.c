/* The graders of layer 3: positions as rotations, and the way back. */
#include "near.h"
#include "nn.h"

enum { MOST = 400 };
#define NEAR 2e-5
static const double pi = 3.14159265358979323846;

static double plain_frequency(double theta, size_t i, size_t rotary) {
    return pow(theta, -2 * (double)i / (double)rotary);
}

/* How much of a frequency YaRN keeps: fast pairs all of it, slow ones nothing, with a ramp
 * between. */
static double kept(const RopeConfig *c, size_t i) {
    double low = (double)c->rotary * log(c->trained_ctx / (c->beta_fast * 2 * pi)) /
                 (2 * log(c->theta)),
           high = (double)c->rotary * log(c->trained_ctx / (c->beta_slow * 2 * pi)) /
                  (2 * log(c->theta));
    low = fmax(floor(low), 0), high = fmin(ceil(high), (double)c->rotary - 1);
    return 1 - fmin(1, fmax(0, ((double)i - low) / fmax(0.001, high - low)));
}

static double frequency_of(const RopeConfig *c, size_t i) {
    double f =
        plain_frequency(c->theta, i, c->rotary) / (c->divisors ? (double)c->divisors[i] : 1);
    if (c->scaling == ROPE_SCALE_LINEAR) return f / c->factor;
    if (c->scaling == ROPE_SCALE_NONE) return f;
    return f * kept(c, i) + f / c->factor * (1 - kept(c, i));
}

static _Alignas(64) unsigned char memory[1 << 14];

static Rope rope_of(const RopeConfig *config) {
    Arena arena = {.base = memory, .size = sizeof memory};
    Rope rope;
    rope_init(&rope, config, &arena);
    return rope;
}

/* The other fields that rope_init writes, and how much it takes from the arena. */
static void made_of(const RopeConfig *c) {
    size_t bytes = c->rotary / 2 * sizeof(double),
           room = (bytes + ARENA_ALIGN - 1) / ARENA_ALIGN * ARENA_ALIGN;
    Arena measuring, arena = {.base = memory, .size = sizeof memory};
    Rope rope;
    arena_measure(&measuring);
    memset(&rope, 0x55, sizeof rope);
    rope_init(&rope, c, &measuring);
    HINT(rope.freq == NULL,
         "while the arena measures there is no memory: freq is what it gives");
    Rope measured = rope;
    COUNT(measuring.used, c->style == ROPE_NONE ? 0 : room,
          "bytes taken from the arena: %zu doubles, one for each pair%s", c->rotary / 2,
          c->style == ROPE_NONE ? ", and none where nothing rotates (ROPE_NONE)" : "");
    memset(&rope, 0x55, sizeof rope);
    rope_init(&rope, c, &arena);
    COUNT(rope.style, c->style, "the style is the config's");
    COUNT(rope.rotary, c->rotary, "rotary is the config's: how many numbers turn, not pairs");
    if (c->style == ROPE_NONE) return;
    HINT((void *)rope.freq == memory, "freq is the room that arena_take gives");
    bool yarn = c->style != ROPE_NONE && c->scaling == ROPE_SCALE_YARN;
    double magnitude = yarn ? c->attn_factor * (1 + 0.1 * log(c->factor)) : 1;
    HINT(yarn || near((double)rope.magnitude, 1, 1e-6),
         "the magnitude is 1 but for YaRN, got %g: a rotation keeps lengths",
         (double)rope.magnitude);
    NUMBER(rope.magnitude, magnitude, 1e-6,
           "YaRN's magnitude is attn_factor * (1 + 0.1 ln factor); attn_factor %g, factor %g",
           c->attn_factor, c->factor);
    HINT(measured.style == c->style && measured.rotary == c->rotary &&
             near((double)measured.magnitude, magnitude, 1e-6),
         "rope is written whole while the arena measures, too: style, rotary, magnitude");
}

static bool one_frequency(const RopeConfig *c, double got, size_t i) {
    double want = frequency_of(c, i), f = plain_frequency(c->theta, i, c->rotary);
    if (fabs(got - want) <= 1e-9 * want) return true;
    HINT(i == 0 || fabs(got / pow(c->theta, -(double)i / (double)c->rotary) - 1) > 1e-6 ||
             c->divisors,
         "the exponent is -2 i / rotary: a pair is two of the rotary numbers");
    HINT(i == 0 || fabs(got * f - 1) > 1e-6,
         "the exponent is negative: later pairs turn slower, not faster");
    if (c->scaling == ROPE_SCALE_NONE && c->divisors)
        HINT(fabs(got / f - 1) > 1e-6,
             "a file's divisors divide the frequencies, pair by pair");
    if (c->scaling == ROPE_SCALE_LINEAR) {
        HINT(fabs(got / (want * c->factor) - 1) > 1e-6,
             "linear scaling: every frequency is divided by factor");
        HINT(fabs(got / (want * c->factor * c->factor) - 1) > 1e-6,
             "linear scaling divides by factor: a longer context makes angles smaller");
    }
    if (c->scaling == ROPE_SCALE_YARN) {
        HINT(fabs(got / (frequency_of(c, i) * c->factor) - 1) > 1e-6 &&
                 fabs(got / f - 1) > 1e-6,
             "YaRN: a share of pair %zu's frequency, 1 - yarn_keep, is divided by factor", i);
        HINT(fabs(got / (f * (1 - kept(c, i)) + f / c->factor * kept(c, i)) - 1) > 1e-6,
             "YaRN: yarn_keep is the share that is kept as it is, the rest is divided: the two "
             "are exchanged");
    }
    HINT(false, "the frequency of pair %zu of %zu, theta %g: expected %.9g, got %.9g", i,
         c->rotary / 2, c->theta, want, got);
    return false;
}

static void angles_at(const RopeConfig *c, size_t position) {
    Rope rope = rope_of(c);
    float cosine[MOST + 1], sine[MOST + 1];
    size_t half = c->rotary / 2;
    double m = c->scaling == ROPE_SCALE_YARN ? c->attn_factor * (1 + 0.1 * log(c->factor)) : 1;
    for (size_t i = 0; i < half; i++) one_frequency(c, rope.freq[i], i);
    cosine[half] = sine[half] = -7;
    rope_angles(&rope, position, cosine, sine);
    HINT(cosine[half] == -7 && sine[half] == -7,
         "there are rotary / 2 pairs, and something is written past them");
    for (size_t i = 0; i < half; i++) {
        double angle = (double)position * frequency_of(c, i), s = (double)sine[i],
               k = (double)cosine[i];
        if (near(k, m * cos(angle), NEAR) && near(s, m * sin(angle), NEAR)) continue;
        HINT(!near(k, m * sin(angle), NEAR) || !near(s, m * cos(angle), NEAR),
             "cosine and sine are exchanged");
        HINT(!near(k, cos(angle), NEAR) || !near(s, sin(angle), NEAR),
             "the magnitude (%g here) is a factor of both cosine and sine", m);
        HINT(position < 1 << 24 ||
                 !near(k, m * cos((double)(float)position * frequency_of(c, i)), NEAR),
             "position %zu is no float: it is widened to double, not narrowed", position);
        HINT(!near(k, m * cos(angle + frequency_of(c, i)), NEAR),
             "positions are counted from 0: the first token does not turn");
        HINT(!near(k, m * cos(frequency_of(c, i)), NEAR) || position == 1,
             "the angle is the position times the frequency");
        HINT(fabs(k - m * cos(angle)) > 0.02,
             "position %zu, pair %zu: the angle of %.7g is rounded too early: multiply in "
             "double, and narrow "
             "what cos and sin return (expected %.7g, got %.7g)",
             position, i, angle, m * cos(angle), k);
        HINT(false,
             "position %zu, pair %zu: expected cosine %.7g and sine %.7g, got %.7g and %.7g",
             position, i, m * cos(angle), m * sin(angle), k, s);
    }
}

GRADE(angles) {
    float divisors[MOST];
    made_of(&(RopeConfig){.style = ROPE_NONE, .rotary = 64, .theta = 10000, .factor = 1});
    for (int round = 0; round < 120; round++) {
        RopeConfig c = {.style = ROPE_HALF_SPLIT,
                        .rotary = 2 + 2 * fresh_below(MOST / 2),
                        .theta = (double[]){10000, 500000, 100}[fresh_below(3)],
                        .factor = 1,
                        .trained_ctx = (double[]){2048, 64, 131072, 1e7}[fresh_below(4)],
                        .beta_fast = fresh_between(8, 64),
                        .beta_slow = fresh_between(0.5, 4),
                        .attn_factor = 1};
        if (round % 4 == 1) c.scaling = ROPE_SCALE_LINEAR, c.factor = fresh_between(0.5, 8);
        if (round % 4 == 2)
            c.scaling = ROPE_SCALE_YARN, c.factor = fresh_between(0.5, 8),
            c.attn_factor = fresh_between(0.8, 1.2);
        if (round % 4 == 2 && round < 40)
            c.rotary = 64, c.trained_ctx = 2048, c.beta_fast = 32, c.beta_slow = 1;
        if (round % 12 == 10) /* the ramp would end after the last pair */
            c.theta = 100, c.trained_ctx = 131072, c.beta_fast = 1000, c.beta_slow = 0.5;
        if (round % 4 == 3 || round % 7 == 3) c.divisors = divisors;
        for (size_t i = 0; i < MOST; i++) divisors[i] = (float)fresh_between(1, 8);
        made_of(&c);
        angles_at(&c, round == 0  ? 0
                      : round % 3 ? fresh_below(500)
                      : round % 2 ? 16777217 + 2 * fresh_below(1000)
                                  : 60000 + fresh_below(60000));
    }
}

/* A head whose pairs are rotated by random angles, times `magnitude`. */
typedef struct Head {
    Rope rope;
    size_t dim;
    float cosine[MOST], sine[MOST], start[MOST + 1], got[MOST + 1];
} Head;

static void fresh_head(Head *h, RopeStyle style, double magnitude) {
    h->dim = 4 + 2 * fresh_below(MOST / 2 - 2);
    h->rope = (Rope){.style = style,
                     .rotary = fresh_below(2) ? h->dim : 4 + 2 * fresh_below(h->dim / 2 - 1),
                     .magnitude = (float)magnitude};
    for (size_t i = 0; i < h->rope.rotary / 2; i++) {
        double angle = fresh_below(8) ? fresh_between(-3, 3) : fresh_below(2) ? pi : 0;
        h->cosine[i] = (float)(magnitude * cos(angle)),
        h->sine[i] = fabs(angle) < 3.1 && angle != 0 ? (float)(magnitude * sin(angle)) : 0;
    }
    fresh_floats(h->start, h->dim, -2, 2);
    h->start[h->dim] = -7;
    memcpy(h->got, h->start, sizeof h->got);
}

typedef enum { RIGHT, OTHER_WAY, OTHER_STYLE, OLD_A_LOST, SAME_ANGLE, UNTURNED } Turn;

static void turned(const Head *h, int sign, Turn turn, double *out) {
    size_t half = h->rope.rotary / 2;
    bool split = (h->rope.style == ROPE_HALF_SPLIT) != (turn == OTHER_STYLE);
    for (size_t i = 0; i < h->dim; i++) out[i] = (double)h->start[i];
    for (size_t i = 0; turn != UNTURNED && i < half; i++) {
        size_t at = split ? i : 2 * i, bt = split ? i + half : 2 * i + 1,
               angle = turn == SAME_ANGLE ? 0 : i;
        double a = out[at], b = out[bt], c = (double)h->cosine[angle],
               s = sign * (double)h->sine[angle];
        if (turn == OTHER_WAY) s = -s;
        out[at] = a * c - b * s;
        out[bt] = (turn == OLD_A_LOST ? out[at] : a) * s + b * c;
    }
}

static void check_turn(const Head *h, int sign) {
    static const char *const hints[] = {
        [OTHER_WAY] = "rotated the other way: forwards (a, b) becomes (a cos - b sin, a sin + "
                      "b cos), and the way back is the rotation by the opposite angle: (a cos "
                      "+ b sin, b cos - a sin)",
        [OTHER_STYLE] = "the pairs of the other style: half-split rotates number i with number "
                        "i + half, interleaved 2 i with 2 i + 1",
        [OLD_A_LOST] =
            "the second number of a pair needs the old first number, not the rotated one",
        [SAME_ANGLE] = "every pair has an angle of its own: cosine[i], sine[i]",
        [UNTURNED] = "nothing is turned",
    };
    static double want[MOST], slip[MOST];
    turned(h, sign, RIGHT, want);
    HINT(h->got[h->dim] == -7, "a head of %zu numbers, and something is written past it",
         h->dim);
    if (all_near(h->got, want, h->dim, NEAR)) return;
    for (Turn t = OTHER_WAY; t <= UNTURNED; t++) {
        turned(h, sign, t, slip);
        HINT(!all_near(h->got, slip, h->dim, NEAR), "%s", hints[t]);
    }
    for (size_t i = h->rope.rotary; i < h->dim; i++)
        HINT(
            h->got[i] == h->start[i],
            "partial: only the first `rotary` numbers (%zu of %zu) turn, the rest pass through",
            h->rope.rotary, h->dim);
    double length = 0, wanted = 0;
    for (size_t i = 0; i < h->rope.rotary; i++)
        length += pow((double)h->got[i], 2), wanted += want[i] * want[i];
    HINT(fabs(length - wanted) < 1e-3 * wanted,
         "a rotation keeps the length (times the magnitude): the squares of the rotated "
         "numbers add up to %.5g, got %.5g; number 0: expected %.5g, got %.5g",
         wanted, length, want[0], (double)h->got[0]);
    expect("the turned head", h->got, want, h->dim, NEAR);
}

static void turns(void (*turn)(const Rope *, const float *, const float *, float *), int sign) {
    static Head h;
    for (int round = 0; round < 40; round++) {
        fresh_head(&h, round % 2 ? ROPE_INTERLEAVED : ROPE_HALF_SPLIT,
                   round < 20 ? 1 : fresh_between(1.05, 1.5));
        turn(&h.rope, h.cosine, h.sine, h.got);
        check_turn(&h, sign);
    }
}

GRADE(rotation) { turns(rope_rotate, 1); }
GRADE(rotation_back) { turns(rope_rotate_backward, -1); }

GRADES({"3.9", rotation}, {"3.10", angles}, {"3.16", rotation_back})
