/* Worked exercise 3: one vector through a norm, a rotation and a softmax.
 *
 * --csv prints distance,score: how a query and a key that are alike see each other as they move apart (RoPE). */
#include "nn.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void print(const char *what, const float *x, int n) {
    printf("   %-22s", what);
    for (int i = 0; i < n; i++) printf("%9.4f", (double)x[i]);
    putchar('\n');
}

static void norm_part(void) {
    float x[4] = {3, -1, 0.5f, 2}, gain[4] = {1, 1, 2, 1}, y[4], sum = 0;
    for (int i = 0; i < 4; i++) sum += x[i] * x[i];
    rms_norm(y, x, gain, 4, 1e-5f);
    printf("1. RMSNorm: a vector keeps its direction and gets a size.\n\n");
    print("x", x, 4);
    printf("   mean of squares       %9.4f     so each number is divided by %.4f\n",
           (double)sum / 4, sqrt((double)sum / 4));
    print("gain (learned)", gain, 4);
    print("rms_norm(x)", y, 4);
}

static void rope_part(Rope *rope) {
    printf("\n2. RoPE: a position is an angle.  Pairs of numbers turn; the first pair "
           "fastest.\n\n");
    for (size_t position = 0; position < 4; position++) {
        float head[4] = {1, 0, 1, 0}, c[2], s[2];
        char what[32];
        rope_angles(rope, position, c, s);
        rope_rotate(rope, c, s, head);
        snprintf(what, sizeof what, "at position %zu", position);
        print(what, head, 4);
    }
    printf("\n   What a query at position m sees of a key at position n depends on m - n "
           "alone:\n\n");
    for (size_t shift = 0; shift < 30; shift += 10) {
        float q[4] = {1, 0.5f, -0.3f, 1}, k[4] = {0.2f, 1, 0.7f, -0.4f}, c[2], s[2];
        rope_angles(rope, 5 + shift, c, s), rope_rotate(rope, c, s, q);
        rope_angles(rope, 3 + shift, c, s), rope_rotate(rope, c, s, k);
        printf("   query at %2zu, key at %2zu:   q . k = %.6f\n", 5 + shift, 3 + shift,
               (double)dot_f32(q, k, 4));
    }
}

static void softmax_part(void) {
    float scores[4] = {2, 1, 0, -1}, p[4], large[4] = {1002, 1001, 1000, 999};
    softmax(p, scores, 4);
    printf("\n3. Softmax: scores to probabilities.\n\n");
    print("scores", scores, 4);
    print("softmax", p, 4);
    softmax(large, large, 4);
    print("the same + 1000", large, 4);
    printf("\n   Only distances count: each step of 1 is a factor of e.  The surprise at the "
           "first is -ln %.4f = %.4f nats.\n",
           (double)p[0], cross_entropy(scores, 4, 0));
}

int main(int argc, char **argv) {
    Arena arena;
    Fault fault;
    Rope rope;
    bool csv = argc > 1 && strcmp(argv[1], "--csv") == 0;
    RopeConfig config = {
        .style = ROPE_INTERLEAVED, .rotary = csv ? 64 : 4, .theta = 10000, .factor = 1};
    if (!arena_init(&arena, 4096, &fault)) return 1;
    rope_init(&rope, &config, &arena);
    if (csv) {
        printf("distance,score\n");
        for (size_t d = 0; d < 256; d++) {
            float q[64], k[64], c[32], s[32];
            for (int i = 0; i < 64; i++) q[i] = k[i] = 0.125f;
            rope_angles(&rope, d, c, s), rope_rotate(&rope, c, s, q);
            printf("%zu,%.6f\n", d, (double)dot_f32(q, k, 64));
        }
    } else {
        norm_part(), rope_part(&rope), softmax_part();
    }
    arena_free(&arena);
    return 0;
}
