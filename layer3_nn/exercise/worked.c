/* Worked exercise 3: a word of yours through a norm, a rotation and a softmax, and the way
 * back: gradients.
 *
 * --csv prints distance,score: how a query and a key that are alike see each other as they move
 * apart (RoPE). */
#include "worked.h"
#include "nn.h"

#include <math.h>

enum { N = 4 }; /* words, and numbers of each that are shown */
typedef struct Lesson {
    Word words[N];
    size_t count;
    float rows[N][N]; /* the first numbers of each word's row */
} Lesson;

static void print(const char *what, const float *x, size_t n) {
    printf("   %-22s", what);
    for (size_t i = 0; i < n; i++) printf("%9.4f", (double)x[i]);
    putchar('\n');
}

/* Four words of the sentence, four numbers of each: a model of width four. */
static void lesson_load(Lesson *l) {
    FileMap map;
    Gguf gguf;
    float row[4096];
    open_storyteller(&map, &gguf);
    const GgufTensor *embd = tensor_named(&gguf, "token_embd.weight");
    l->count = words_of(l->words, N, &gguf, sentence_or("Once upon a time"));
    if (l->count < 2 || embd->shape[1] > 4096)
        worked_fails("a sentence of two words, at least");
    for (size_t w = 0; w < l->count; w++) {
        floats_of_row(row, embd, l->words[w].token);
        for (size_t i = 0; i < N; i++) l->rows[w][i] = 10 * row[i];
    }
    gguf_free(&gguf), file_close(&map);
}

static void print_words(const Lesson *l) {
    printf("   %-22s", "");
    for (size_t w = 0; w < l->count; w++)
        printf("%9.*s", (int)l->words[w].text.size, l->words[w].text.data);
    putchar('\n');
}

static void norm_part(const Lesson *l) {
    const float *x = l->rows[0];
    float gain[N] = {1, 1, 2, 1}, y[N], sum = 0;
    for (int i = 0; i < N; i++) sum += x[i] * x[i];
    rms_norm(y, x, gain, N, 1e-5f);
    printf("1. RMSNorm: a vector keeps its direction and gets a size.  Ours is the first four "
           "numbers of \"%.*s\", times 10.\n\n",
           (int)l->words[0].text.size, l->words[0].text.data);
    print("x", x, N);
    guess("which number will be the largest, and about how large?");
    printf("   mean of squares       %9.4f     so each number is divided by %.4f\n",
           (double)sum / N, sqrt((double)sum / N));
    print("gain (learned)", gain, N);
    print("rms_norm(x)", y, N);
}

static void rope_part(const Lesson *l, Rope *rope) {
    printf("\n2. RoPE: a position is an angle.  Pairs of numbers turn; the first pair "
           "fastest.\n\n");
    for (size_t position = 0; position < 4; position++) {
        float head[N] = {1, 0, 1, 0}, c[2], s[2];
        char what[32];
        rope_angles(rope, position, c, s);
        rope_rotate(rope, c, s, head);
        snprintf(what, sizeof what, "at position %zu", position);
        print(what, head, N);
    }
    guess("\"%.*s\" at position 5 looks at \"%.*s\" at 3, then both move on by ten: what does "
          "the product do?",
          (int)l->words[0].text.size, l->words[0].text.data, (int)l->words[1].text.size,
          l->words[1].text.data);
    printf("\n   What a query (the first word) at position m sees of a key (the second) at "
           "position n depends on m - n alone:\n\n");
    for (size_t shift = 0; shift < 30; shift += 10) {
        float q[N], k[N], c[2], s[2];
        memcpy(q, l->rows[0], sizeof q), memcpy(k, l->rows[1], sizeof k);
        rope_angles(rope, 5 + shift, c, s), rope_rotate(rope, c, s, q);
        rope_angles(rope, 3 + shift, c, s), rope_rotate(rope, c, s, k);
        printf("   query at %2zu, key at %2zu:   q . k = %.6f\n", 5 + shift, 3 + shift,
               (double)dot_f32(q, k, N));
    }
}

/* Scores: how similar the first word is to each of them. */
static void softmax_part(const Lesson *l) {
    float scores[N], p[N], large[N];
    for (size_t w = 0; w < l->count; w++) {
        scores[w] = dot_f32(l->rows[0], l->rows[w], N);
        large[w] = scores[w] + 1000;
    }
    softmax(p, scores, l->count);
    printf("\n3. Softmax: scores to probabilities.  The scores: \"%.*s\" times each of your "
           "words.\n\n",
           (int)l->words[0].text.size, l->words[0].text.data);
    print_words(l);
    print("scores", scores, l->count);
    guess("the probability of the first?");
    print("softmax", p, l->count);
    softmax(large, large, l->count);
    print("the same + 1000", large, l->count);
    printf("\n   Only distances count: each step of 1 is a factor of e.  The surprisal of the "
           "first is -ln %.4f = %.4f nats.\n",
           (double)p[0], cross_entropy(scores, l->count, 0));
}

/* The loss of a network of one norm and one matrix: how surprised it is, after the first word,
 * by the second. */
static double forward(const Lesson *l, const float *x, float *normed, float *logits) {
    rms_norm(normed, x, NULL, N, 1e-5f);
    for (size_t w = 0; w < l->count; w++) logits[w] = dot_f32(l->rows[w], normed, N);
    return cross_entropy(logits, l->count, 1);
}

static void backward_part(const Lesson *l) {
    float x[N], normed[N], logits[N], dnormed[N] = {0}, dx[N] = {0}, dgain[N] = {0},
                                      ones[N] = {1, 1, 1, 1}, other[N];
    memcpy(x, l->rows[0], sizeof x);
    double loss = forward(l, x, normed, logits);
    cross_entropy_backward(logits, l->count, 1, 1);
    printf(
        "\n4. Backward: which way to turn each number.  After \"%.*s\" should come \"%.*s\"; "
        "the loss is its surprisal, %.4f nats.\n\n",
        (int)l->words[0].text.size, l->words[0].text.data, (int)l->words[1].text.size,
        l->words[1].text.data, loss);
    print_words(l);
    print("d loss / d scores", logits, l->count);
    printf("   (probabilities, less 1 at the right word: its score shall rise, the others "
           "fall)\n\n");
    for (size_t w = 0; w < l->count; w++) axpy(dnormed, logits[w], l->rows[w], N);
    rms_norm_backward(dx, dgain, x, ones, dnormed, N, 1e-5f);
    print("d loss / d normed", dnormed, N);
    print("d loss / d x", dx, N);
    for (int i = 0; i < N; i++) {
        float up[N], down[N], unused[2][N];
        memcpy(up, x, sizeof up), memcpy(down, x, sizeof down);
        up[i] += 1e-3f, down[i] -= 1e-3f;
        other[i] = (float)((forward(l, up, unused[0], unused[1]) -
                            forward(l, down, unused[0], unused[1])) /
                           ((double)up[i] - (double)down[i]));
    }
    print("by trying it out", other, N);
    printf("   (each number moved by 0.001 up and down, and the loss looked at)\n\n");
    guess("a step against the gradient: does the loss fall below %.4f?", loss);
    axpy(x, -0.1f, dx, N);
    printf("   A step of 0.1 against the gradient: the loss goes from %.4f to %.4f.  Training "
           "is this, with every number of the model.\n",
           loss, forward(l, x, normed, logits));
}

static void csv_part(const Rope *rope) {
    printf("distance,score\n");
    for (size_t d = 0; d < 256; d++) {
        float q[64], k[64], c[32], s[32];
        for (int i = 0; i < 64; i++) q[i] = k[i] = 0.125f;
        rope_angles(rope, d, c, s), rope_rotate(rope, c, s, q);
        printf("%zu,%.6f\n", d, (double)dot_f32(q, k, 64));
    }
}

int main(int argc, char **argv) {
    Arena arena;
    Fault fault;
    Rope rope;
    Lesson lesson;
    bool csv = worked_csv(argc, argv);
    RopeConfig config = {
        .style = ROPE_INTERLEAVED, .rotary = csv ? 64 : N, .theta = 10000, .factor = 1};
    if (!arena_init(&arena, 4096, &fault)) worked_fails(fault.text);
    rope_init(&rope, &config, &arena);
    if (csv) {
        csv_part(&rope);
    } else {
        lesson_load(&lesson);
        norm_part(&lesson), rope_part(&lesson, &rope), softmax_part(&lesson),
            backward_part(&lesson);
    }
    arena_free(&arena);
    return worked_end();
}
