/* logits.c - chapters 3, 4, 6 and 13: numbers, greedy text, Q8_0 and another family.  See
 * engine.h. */
#include "engine.h"

static const Mistake mistakes[] = {
    {NO_EPSILON, "the norm adds attention.layer_norm_rms_epsilon to the mean square"},
    {HALVES, "llama turns neighbors 0 and 1, 2 and 3, ... together; qwen3 number k with number "
             "k + half"},
    {BASE, "rope.freq_base is in the file: it need not be 10000"},
    {NO_GAIN, "after the norm each column is multiplied by its weight"},
    {SPREAD_HEADS,
     "neighboring query heads share a key head: head h reads h / (heads / kv_heads), and each "
     "has key_length numbers"},
    {NO_SCALE, "divide the scores by the square root of key_length"},
    {WIDE_SCALE, "divide the scores by the square root of key_length, not of the row's width"},
    {FROM_ONE, "queries and keys of one token turn by the same position, from 0"},
    {NO_END_NORM, "output_norm comes before the last product"},
    {SWAPPED, "gate and up are swapped: the sigmoid belongs to ffn_gate"},
    {BLIND, "a token sees itself, too"},
    {NO_HEAD_NORMS,
     "qwen3 norms each head of queries and keys, with attn_q_norm and attn_k_norm"},
    {TIED, "output.weight is in this file: only without it the embedding serves twice"},
    {NO_TURN, "rotate queries and keys by their position"},
    {STILL_KEYS, "rotate the keys, too, before you store them"},
    {FORGETFUL, "a token sees all tokens before it, not the last few"},
    {CAPPED, "positions turn further and further: nothing ends at 16"}};

static void read_all(const TestModel *m, const int *ids, int n, double *logits) {
    Reading r = reading_begin(m);
    for (int i = 0; i < n; i++) reading_take(&r, ids[i]);
    memcpy(logits, r.logits, (size_t)m->vocab * sizeof *logits);
    reading_end(&r);
}

/* The largest difference, in units of the largest logit; infinite when a number is NaN. */
static double apart(const double *got, const double *want, int n, int *where) {
    double most = 0, largest = fabs(want[0]);
    for (int i = 0; i < n; i++) largest = fmax(largest, fabs(want[i]));
    for (int i = 0; i < n; i++) {
        double off = fabs(got[i] - want[i]) / largest;
        if (!(off <= most)) most = isfinite(off) ? off : INFINITY, *where = i;
    }
    return most;
}

void need_logits(const TestModel *m, const char *name, int n) {
    int ids[256], where = 0;
    double want[TOKENS], wrong[TOKENS];
    some_ids(m, ids, n);
    FILE *in = judge_input("in");
    write_ids(in, ids, n);
    fclose(in);
    Reply r = ask("logits %s", judge_path(name));
    need((int)r.n == m->vocab,
         "%zu numbers printed, expected %d: a logit for each token, after the last one read",
         r.n, m->vocab);
    read_all(m, ids, n, want);
    double off = apart(r.numbers, want, m->vocab, &where);
    if (off <= 1e-4) return;
    for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
        int at;
        engine_way = mistakes[i].flag;
        read_all(m, ids, n, wrong);
        engine_way = 0;
        bool changes = apart(wrong, want, m->vocab, &at) > 1e-4;
        need(!changes || apart(r.numbers, wrong, m->vocab, &at) > 1e-3, "after %d tokens: %s",
             n, mistakes[i].hint);
    }
    refuse("after %d tokens the logit of token %d is %g, expected %g, within 1e-4 of the "
           "largest: %s",
           n, where, r.numbers[where], want[where],
           !isfinite(off) ? "something divides 0 by 0, or overflows"
           : off < 0.01   ? "that is near; do you print at least six digits?"
           : n > 100 ? "shorter texts are right: a token sees all tokens before it, not the "
                       "last few, and none is too late to be read"
                     : "no classic mistake gives this number; compare your sizes with the "
                       "shapes in the file, and your steps with the page's");
}

void chapter_logits(void) {
    static const int lengths[] = {1, 2, 9, 70, 250};
    for (int i = 0; i < 4; i++) {
        TestModel m = test_sizes();
        m.format = i % 2 ? F16 : F32, m.tied = i >= 2;
        if (i == 1) m.kv_heads = 2, m.heads = 6;
        test_fill(&m);
        test_write(&m, "model.gguf");
        for (int k = 0; k < 5; k++) need_logits(&m, "model.gguf", lengths[k]);
    }
}

/* ------------------------------------------------------------------ 4 */

/* Whether the bytes of this token stand at `at` in a reply. */
static bool begins_with(const TestModel *m, int token, const Reply *got, size_t at) {
    size_t size = (size_t)m->size[token];
    return at + size <= got->size && memcmp(got->text + at, m->bytes[token], size) == 0;
}

/* Where a program's text and the tokens of the judge's engine part. */
static void need_bytes(const TestModel *m, const int *ids, int n_ids, int n, const Reply *got) {
    Reading r = reading_begin(m);
    size_t at = 0;
    for (int i = 0; i < n_ids; i++) reading_take(&r, ids[i]);
    for (int i = 0; i < n; i++) {
        int best = likeliest(r.logits, m->vocab);
        double highest = r.logits[best];
        r.logits[best] = -INFINITY;
        int next = likeliest(r.logits, m->vocab);
        bool close = highest - r.logits[next] < 1e-3;
        /* two tokens are as good: the texts may part */
        if (close && (best == m->end || next == m->end)) return reading_end(&r);
        if (close && begins_with(m, next, got, at)) {
            if (begins_with(m, best, got, at)) return reading_end(&r);
            best = next;
        }
        if (best == m->end) break;
        size_t size = (size_t)m->size[best];
        need(at + size <= got->size,
             "the text ends after %zu bytes, with token %d still to come: stop only at the end "
             "token, or after %d tokens",
             got->size, i + 1, n);
        need(
            begins_with(m, best, got, at),
            "token %d of the text: got byte %d, expected token %d, which begins with byte %d: "
            "print what comes after the prompt, each time the likeliest token by all %d before",
            i + 1, (unsigned char)got->text[at], best, m->bytes[best][0], n_ids + i);
        at += size;
        if (i + 1 < n) reading_take(&r, best);
    }
    need(at == got->size,
         "%zu bytes more than the %zu expected: stop at the end token or after %d tokens, and "
         "add no line end",
         got->size - at, at, n);
    reading_end(&r);
}

void need_text(TestModel *m, const char *name, int words, int n, bool ends) {
    static int ids[40000];
    test_write(m, name);
    int n_ids = random_text(m, "in", name, words, ids);
    for (int tries = 0; ends && tries < 3; tries++) { /* the token chosen sixth ends texts */
        Reading r = reading_begin(m);
        for (int i = 0; i < n_ids; i++) reading_take(&r, ids[i]);
        for (int i = 0; i < 5; i++) reading_take(&r, likeliest(r.logits, m->vocab));
        swap_end(m, likeliest(r.logits, m->vocab));
        reading_end(&r);
        test_write(m, name);
        n_ids = text_tokens("in", name, ids);
    }
    Reply r = ask("generate %s %d", judge_path(name), n);
    size_t shown = 0;
    for (int i = 0, same = 1; i < n_ids && same; i++) {
        if (ids[i] == m->end) continue;
        size_t size = (size_t)m->size[ids[i]];
        same = shown + size <= r.size && memcmp(r.text + shown, m->bytes[ids[i]], size) == 0;
        shown = same ? shown + size : 0;
    }
    need(!shown, "the text begins with the prompt: print only what comes after it");
    need_bytes(m, ids, n_ids, n, &r);
}

/* A real file's greedy text, beside the library's. */
static void same_as_library(const char *model, int n) {
    static const char *const prompts[] = {"Once upon a time there was a",
                                          "Mia was a brave owl.", "The capital of France is",
                                          "Gus owned a wagon and"};
    int parted = 0;
    for (int i = 0, first = judge_between(0, 3); i < 3; i++) {
        const char *prompt = prompts[(first + i) % 4];
        FILE *in = judge_input("in");
        fputs(prompt, in);
        fclose(in);
        int status;
        Reply want = judge_strata(
            &status, "generate -m %s -p \"%s\" --chain greedy --kv f32 --quiet -n %d", model,
            prompt, n);
        need(status == 0, "the judge: the library ended with status %d", status);
        Reply got = ask("generate %s %d", model, n);
        const char *text = strncmp(want.text, prompt, strlen(prompt)) == 0
                               ? want.text + strlen(prompt)
                               : want.text;
        size_t at = 0, size = strlen(text);
        while (at < got.size && at < size && got.text[at] == text[at]) at++;
        if (at == got.size && (at == size || strspn(text + at, "\n") == size - at)) continue;
        if (at > 20 && ++parted < 2)
            continue; /* two tokens that are nearly as likely may part once */
        refuse("after \"%s\" the greedy text of %s differs from the library's at byte %zu: "
               "\"%.30s\", expected \"%.30s\"",
               prompt, model, at, got.text + at, text + at);
    }
}

void chapter_greedy(void) {
    for (int i = 0; i < 4; i++) {
        TestModel m = test_sizes();
        m.add_bos = i % 2;
        test_fill(&m);
        need_text(&m, "model.gguf", judge_between(4, 9), judge_between(20, 40), i >= 2);
    }
    same_as_library("layer5_models/models/storyteller.gguf", 60);
}

/* ------------------------------------------------------------------ 6 */

static double perplexity(const TestModel *m, const int *ids, int n) {
    Reading r = reading_begin(m);
    double nats = 0, p[TOKENS];
    for (int i = 0; i + 1 < n; i++) {
        reading_take(&r, ids[i]);
        chances(r.logits, m->vocab, 1, p);
        nats -= log(p[ids[i + 1]]);
    }
    reading_end(&r);
    return exp(nats / (n - 1));
}

/* Text that the model itself would write: there a right program is far less surprised than a
 * wrong one. */
static int own_text(const TestModel *m, int *ids, int n) {
    Reading r = reading_begin(m);
    double p[TOKENS];
    ids[0] = m->end;
    for (int i = 1; i < n; i++) {
        reading_take(&r, ids[i - 1]);
        chances(r.logits, m->vocab, 1, p);
        ids[i] = drawn(p, m->vocab);
    }
    reading_end(&r);
    return n;
}

void chapter_q8(void) {
    for (int i = 0; i < 3; i++) {
        int ids[400];
        TestModel m = test_sizes();
        m.format = i < 2 ? Q8_0 : F32, m.head_dim = 16, m.kv_heads = 2, m.heads = 4,
        m.spread = 2.5, m.ctx = 400, m.faint_up = i == 1;
        test_fill(&m);
        test_write(&m, "model.gguf");
        FILE *in = judge_input("in");
        int n = own_text(&m, ids, judge_between(300, 400));
        write_ids(in, ids, n);
        fclose(in);
        Reply r = ask("perplexity %s", judge_path("model.gguf"));
        need(r.n == 1, "one number expected, got %zu", r.n);
        double want = perplexity(&m, ids, n), off = r.numbers[0] / want - 1;
        need(fabs(off) <= 0.0005,
             "the perplexity of %s (%s) is %.4f, expected %.4f, within 0.05 %%: exp of the "
             "mean of -log p over all tokens but the first, each read with those before it; a "
             "block of Q8_0 is 2 bytes of scale (a half, which may be negative or subnormal) "
             "and 32 signed bytes, -128 to 127",
             judge_path("model.gguf"), i < 2 ? "Q8_0" : "F32", r.numbers[0], want);
        printf("  perplexity %.4f, in double precision %.4f\n", r.numbers[0], want);
    }
}

/* ------------------------------------------------------------------ 13 */

void chapter_family(void) {
    for (int i = 0; i < 2; i++) {
        TestModel m = test_sizes();
        m.qwen3 = true, m.format = i;
        test_fill(&m);
        test_write(&m, "model.gguf");
        need_logits(&m, "model.gguf", 1);
        need_logits(&m, "model.gguf", 70);
        need_text(&m, "model.gguf", judge_between(4, 9), 30, i);
    }
    TestModel llama = test_sizes();
    test_fill(&llama);
    test_write(&llama, "model.gguf");
    need_logits(&llama, "model.gguf", 40);
    const char *file = getenv("ENGINE_FILE");
    if (file && *file)
        judge_limit(600), same_as_library(file, 16);
    else
        printf("  ENGINE_FILE=some.gguf make engine 13 runs a published file beside the "
               "library\n");
}
