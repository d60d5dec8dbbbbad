/* speed.c - chapters 5, 7, 8 and 10: what is measured.  Seconds are those of the processor, so
 * that a busy machine does no harm; each is the least of a few tries.  See engine.h. */
#include "engine.h"

#include <time.h>

static double least_seconds(int tries, const char *command) {
    double least = INFINITY;
    for (int i = 0; i < tries; i++) least = fmin(least, ask("%s", command).seconds);
    return least;
}

/* ------------------------------------------------------------------ 5 */

static double seconds_for(const char *model, int tokens) {
    char command[600];
    snprintf(command, sizeof command, "generate %s %d", model, tokens);
    return least_seconds(3, command);
}

/* Both are the seconds of a hundred tokens; keys and values may cost a little more and more. */
static void need_cheap(double late, double early, double most, int where) {
    printf("  tokens around 55: %.2f ms each; around %d: %.2f ms\n", early * 10, where,
           late * 10);
    need(late < most * early,
         "token %d costs %.1f times what token 55 does: keep the keys and values of the tokens "
         "that were read, and compute those of the new one only",
         where, late / early);
}

/* Late in a text all that was read counts: some 300 tokens are. */
static void need_late(void) {
    TestModel m = test_sizes();
    m.ctx = 600, m.silent_end = true;
    test_fill(&m);
    need_text(&m, "model.gguf", 60, 40, false);
}

void chapter_cache(void) {
    int ids[2000];
    TestModel m = test_sizes();
    need_late();
    m.dim = 192, m.heads = 6, m.kv_heads = 3, m.head_dim = 32, m.hidden = 512, m.layers = 4;
    m.ctx = 600, m.silent_end = true, m.tied = false;
    test_fill(&m);
    need_text(&m, "model.gguf", judge_between(4, 9), 120, false);
    random_text(&m, "in", "model.gguf", 1, ids);
    char model[512];
    snprintf(model, sizeof model, "%s", judge_path("model.gguf"));
    double early = fmax(seconds_for(model, 105) - seconds_for(model, 5), 1e-3);
    need_cheap(seconds_for(model, 210) - seconds_for(model, 110), early, 1.9, 160);
    need_cheap(seconds_for(model, 510) - seconds_for(model, 410), early, 4, 460);
}

/* ------------------------------------------------------------------ 7 and 8: one matrix */

enum { SIDE = 2560 };
typedef struct QBlock {
    float scale;
    signed char q[32];
} QBlock;

static QBlock *matrix; /* (SIDE, SIDE / 32) */

static void make_matrix(void) {
    double *x = malloc(sizeof *x * SIDE * SIDE), size = sqrt(3.0 / SIDE);
    matrix = malloc(sizeof *matrix * SIDE * SIDE / 32);
    need(x && matrix, "no memory for a matrix");
    for (long i = 0; i < (long)SIDE * SIDE; i++) x[i] = size * (2 * judge_uniform() - 1);
    for (long i = 0; i < (long)SIDE * SIDE; i++) /* positive scales only: no branch to guess */
        if (i % 32 == 0 && block_scale(x + i) < 0)
            for (int k = 0; k < 32; k++) x[i + k] = -x[i + k];
    round_rows(x, SIDE * SIDE, Q8_0);
    Out *out = out_open("matrix.gguf", 32);
    out_text(out, "general.architecture", "none");
    out_tensor(out, "some.weight", Q8_0, SIDE, SIDE, x);
    out_close(out);
    for (long b = 0; b < (long)SIDE * SIDE / 32; b++) {
        double scale = block_scale(x + 32 * b);
        matrix[b].scale = (float)scale;
        for (int k = 0; k < 32; k++)
            matrix[b].q[k] = (signed char)(scale > 0 ? lround(x[32 * b + k] / scale) : 0);
    }
    free(x);
}

/* The loop that everyone writes first; sums in one variable wait for each other. */
static void plain_product(float *y, const float *x) {
    for (int i = 0; i < SIDE; i++) {
        float sum = 0;
        for (int b = 0; b < SIDE / 32; b++) {
            const QBlock *block = &matrix[i * (SIDE / 32) + b];
            for (int k = 0; k < 32; k++)
                sum += block->scale * (float)block->q[k] * x[32 * b + k];
        }
        y[i] = sum;
    }
}

static void rounds(float *x, int n) {
    static float y[SIDE];
    for (; n > 0; n--) {
        double squares = 0;
        plain_product(y, x);
        for (int i = 0; i < SIDE; i++) squares += (double)y[i] * y[i];
        for (int i = 0; i < SIDE; i++) x[i] = (float)(y[i] / sqrt(squares / SIDE));
    }
}

static double processor_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void write_vector(double *x) {
    FILE *in = judge_input("in");
    judge_fill(x, SIDE, 1);
    judge_numbers(in, x, SIDE);
    fclose(in);
}

static void need_product(const Reply *r, const double *start, int n) {
    static float x[SIDE];
    double squares = 0;
    need(r->n == SIDE, "%zu numbers printed, expected %d", r->n, SIDE);
    for (int i = 0; i < SIDE; i++) x[i] = (float)start[i];
    rounds(x, n);
    for (int i = 0; i < SIDE; i++) squares += pow(r->numbers[i] - (double)x[i], 2);
    need(sqrt(squares / SIDE) < 0.03,
         "after %d rounds the numbers are off by %.3f (root mean square; each is about 1): x "
         "becomes W x, divided by the root of the mean of its squares",
         n, sqrt(squares / SIDE));
}

/* Bytes per second that one thread reads from memory. */
static double reading_speed(void) {
    enum { WORDS = 8 << 20 };
    uint64_t *x = calloc(WORDS, sizeof *x), sum[8] = {0};
    double least = INFINITY;
    need(x, "no memory");
    for (int i = 0; i < WORDS; i++) x[i] = (uint64_t)i;
    for (int tries = 0; tries < 4; tries++) {
        double begin = processor_seconds();
        for (int i = 0; i < WORDS; i += 8)
            for (int k = 0; k < 8; k++) sum[k] += x[i + k];
        least = fmin(least, processor_seconds() - begin);
        x[sum[3] % WORDS]++; /* so that the sums are needed */
    }
    free(x);
    return WORDS * sizeof *x / least;
}

void chapter_product(void) {
    static double start[SIDE];
    static float x[SIDE];
    char command[600];
    const double bytes = SIDE * (SIDE / 32) * 34.0, flops = 2.0 * SIDE * SIDE;
    make_matrix();
    write_vector(start);
    snprintf(command, sizeof command, "product %s some.weight 3", judge_path("matrix.gguf"));
    Reply r = ask("%s", command);
    need_product(&r, start, 3);
    for (int i = 0; i < SIDE; i++) x[i] = (float)start[i];
    double begin = processor_seconds();
    rounds(x, 6);
    double plain = (processor_seconds() - begin) / 6, first = least_seconds(3, command);
    snprintf(command, sizeof command, "product %s some.weight 43", judge_path("matrix.gguf"));
    double one = fmax((least_seconds(3, command) - first) / 40, 1e-6), roof = reading_speed();
    printf("  a product: %.2f ms, %.1f GB/s, %.1f GFLOP/s; the plain loop: %.1f GB/s\n",
           1e3 * one, 1e-9 * bytes / one, 1e-9 * flops / one, 1e-9 * bytes / plain);
    printf("  roof: one thread reads %.1f GB/s, enough for %.1f GFLOP/s; score: %.0f of 100\n",
           1e-9 * roof, 1e-9 * roof / bytes * flops, fmin(100, 100 * bytes / one / roof));
    need(one < plain / 1.5,
         "a product takes %.2f ms and the plain loop %.2f ms; 1.5 times as fast is wanted: a "
         "sum in one variable waits "
         "for itself at every step, so keep eight or more sums side by side",
         1e3 * one, 1e3 * plain);
}

/* ------------------------------------------------------------------ 8 */

/* Threads are looked for a few times: they may be there for a short time only. */
static Reply with_threads(int threads) {
    Reply r = {0};
    int seen = 0;
    for (int tries = 0; tries < 5 && (tries == 0 || seen < threads); tries++) {
        r = ask("product %s some.weight 600 %d", judge_path("matrix.gguf"), threads);
        seen = r.threads > seen ? r.threads : seen;
        if (threads == 1) break;
    }
    return r.threads = seen, r;
}

void chapter_threads(void) {
    static double start[SIDE];
    const int counts[] = {1, 2, 3, judge_between(5, 8)};
    Reply of[4];
    make_matrix();
    write_vector(start);
    for (int i = 0; i < 4; i++) of[i] = with_threads(counts[i]);
    Reply few = ask("product %s some.weight 3 1", judge_path("matrix.gguf"));
    need_product(&few, start, 3);
    for (int i = 1; i < 4; i++) {
        need(of[i].size == of[0].size && memcmp(of[i].text, of[0].text, of[0].size) == 0,
             "%d threads print other numbers than one: divide the rows among the threads, "
             "never a sum, and wait for all of them before the next round",
             counts[i]);
        need(of[i].threads == 0 || of[i].threads >= counts[i] ||
                 (counts[i] <= 3 && of[i].clock < 0.75 * of[0].clock),
             "%d threads asked for, %d seen at once", counts[i], of[i].threads);
        need(counts[i] > 3 || of[i].seconds < 1.8 * of[0].seconds + 0.1,
             "%d threads take %.2f seconds of the processor, one thread %.2f: does each "
             "compute all rows, or wait in a loop?",
             counts[i], of[i].seconds, of[0].seconds);
    }
    printf("  by the clock: 1 thread %.2f s, 2 threads %.2f s, 3 threads %.2f s\n", of[0].clock,
           of[1].clock, of[2].clock);
}

/* ------------------------------------------------------------------ 10 */

static int sizes_of[8];

/* Prompts, a line each, of different lengths. */
static void write_prompts(int prompt[8][32], int first, int n) {
    FILE *in = judge_input("in");
    for (int i = first; i < first + n; i++) write_ids(in, prompt[i], sizes_of[i]);
    fclose(in);
}

static char *line_of(char *text, int n) {
    for (; n > 0 && text; n--) text = strchr(text, '\n'), text = text ? text + 1 : NULL;
    return text;
}

static void need_alone(TestModel *m, int prompt[8][32], int tokens) {
    write_prompts(prompt, 0, 8);
    Reply all = ask("batch %s %d", judge_path("model.gguf"), tokens);
    for (int i = 0; i < 8; i++) {
        char *line = line_of(all.text, i), what[60];
        double got[300];
        size_t n = 0;
        need(line && *line, "%d lines printed, expected 8: one for each prompt", i);
        for (char *end; n < 300; line = end, n++) {
            while (*line == ' ') line++;
            if (*line == '\n' || !*line) break;
            got[n] = strtod(line, &end);
            need(end != line, "line %d is not numbers: %.20s", i + 1, line);
        }
        snprintf(what, sizeof what, "text %d of 8", i + 1);
        need_greedy(what, m, prompt[i], sizes_of[i], got, n, (size_t)tokens);
    }
}

enum { BATCH_TOKENS = 24 };

/* Where each text has this token first, BATCH_TOKENS: nowhere.  Returns how many different ends
 * the texts would have with it; 0 when all of them ended. */
static int ends_with(int text[8][BATCH_TOKENS], int token) {
    bool here[BATCH_TOKENS + 1] = {0};
    int different = 0;
    for (int i = 0, k; i < 8; i++) {
        for (k = 0; k < BATCH_TOKENS && text[i][k] != token;) k++;
        here[k] = true;
    }
    for (int k = 0; k < BATCH_TOKENS; k++) different += here[k];
    return here[BATCH_TOKENS] ? different : 0;
}

/* A model and prompts whose texts end at three different times or more, some not at all. */
static TestModel ending_model(int prompt[8][32]) {
    for (int tries = 0; tries < 200; tries++) {
        int text[8][BATCH_TOKENS], best = 0;
        TestModel m = test_sizes();
        test_fill(&m);
        for (int i = 0; i < 8; i++) {
            Reading r = reading_begin(&m);
            some_ids(&m, prompt[i], sizes_of[i]);
            for (int k = 0; k < sizes_of[i]; k++) reading_take(&r, prompt[i][k]);
            for (int k = 0; k < BATCH_TOKENS; k++)
                text[i][k] = likeliest(r.logits, m.vocab), reading_take(&r, text[i][k]);
            reading_end(&r);
        }
        for (int t = 0; t < m.vocab; t++)
            if (ends_with(text, t) > ends_with(text, best)) best = t;
        if (ends_with(text, best) < 3) continue;
        swap_end(&m, best);
        return m;
    }
    refuse("the judge: no texts end at different times with this seed; try another one");
}

void chapter_batch(void) {
    int prompt[8][32];
    for (int i = 0; i < 8; i++) sizes_of[i] = judge_between(2, 14);
    TestModel m = ending_model(prompt);
    test_write(&m, "model.gguf");
    need_alone(&m, prompt, BATCH_TOKENS);
    m = test_sizes();
    m.dim = 512, m.heads = 8, m.kv_heads = 4, m.head_dim = 64, m.hidden = 1408, m.layers = 3;
    m.silent_end = true, m.tied = false;
    test_fill(&m);
    for (int i = 0; i < 8; i++) some_ids(&m, prompt[i], sizes_of[i]);
    test_write(&m, "model.gguf");
    double least[2][2] = {{INFINITY, INFINITY}, {INFINITY, INFINITY}}, seconds[2];
    for (int i = 0; i < 16; i++) { /* in turn, so that other work on the machine slows both */
        int batch = i / 2 % 2, is_long = i % 2;
        write_prompts(prompt, 0, batch ? 8 : 1);
        Reply r = ask("batch %s %d", judge_path("model.gguf"), is_long ? 42 : 2);
        least[batch][is_long] = fmin(least[batch][is_long], r.seconds);
    }
    for (int i = 0; i < 2; i++) seconds[i] = fmax(least[i][1] - least[i][0], 1e-4);
    double alone = 40 / seconds[0], together = 320 / seconds[1];
    printf("  one text: %.0f tokens/s; eight together: %.0f tokens/s, %.1f times as many\n",
           alone, together, together / alone);
    need(together > 1.5 * alone,
         "eight texts together give %.0f tokens/s, one gives %.0f; 1.5 times as many are "
         "wanted: "
         "load each row of weights once and multiply it with all eight vectors",
         together, alone);
}
