/* The graders of layer 6: the loop, one step, and drafts. */
#include "heap.h"
#include "inference_extras.h"
#include "near.h"

DECLARE_SHIPPED(generate);
DECLARE_SHIPPED(engine_step);

enum { CTX = 160, BATCH = 32, MANY_STEPS = 400 };

static Model model, draft;
static Session session, small;
static Chain chain;
static Fault fault;

static void open_models(void) {
    SessionConfig config = {.ctx = CTX, .sequences = 3, .max_tokens = BATCH, .max_logits = 8};
    NEED(model_open(&model, "layer5_models/models/storyteller.gguf", &fault));
    NEED(model_open(&draft, "layer5_models/models/draft.gguf", &fault));
    NEED(session_open(&session, &model, NULL, config, &fault));
    NEED(session_open(&small, &draft, NULL, config, &fault));
}

static void chain_of(const char *spec) {
    chain_close(&chain);
    NEED(chain_parse(&chain, spec, model.tokenizer, &fault));
}

static TokenList prompt_of(const char *text, size_t copies) {
    TokenList ids = {0};
    tokenizer_begin(model.tokenizer, &ids);
    for (size_t i = 0; i < copies; i++)
        NEED(tokenizer_encode(model.tokenizer, text_of(text), true, &ids, &fault));
    return ids;
}

/* ------------------------------------------------------------------ the loop */

typedef struct Told {
    TokenList ids;
    GenerateResult result;
    Fault fault;
    bool ok;
} Told;

typedef bool Generate(Session *, TokenList *, const GenerateOptions *, GenerateResult *,
                      Fault *);

static Told told_by(Generate *f, const char *text, size_t copies, GenerateOptions o) {
    Told t = {.ids = prompt_of(text, copies)};
    o.chain = &chain;
    memset(&t.result, 77, sizeof t.result);
    t.ok = f(&session, &t.ids, &o, &t.result, &t.fault);
    return t;
}

static void loop_of(const char *what, const char *text, size_t copies, GenerateOptions o) {
    Told want = told_by(SHIPPED(generate), text, copies, o),
         got = told_by(generate, text, copies, o);
    HINT(want.ok || !got.ok, "%s: generate says that all is well, and it should fail: \"%s\"",
         what, want.fault.text);
    HINT(!want.ok || got.ok, "%s: generate fails: %s", what, got.fault.text);
    if (!want.ok)
        TEXT(got.fault.text, want.fault.text, "%s: the fault of the text that failed", what);
    size_t prompt = want.result.prompt_tokens;
    HINT(got.ids.count == want.ids.count || got.ids.count > prompt || !want.ok,
         "%s: no token came, %zu were expected: step for as long as the text lives", what,
         want.ids.count - prompt);
    COUNT(got.ids.count, want.ids.count,
          "%s: so many tokens, with the prompt's %zu: step while the text lives", what, prompt);
    for (size_t i = 0; i < want.ids.count; i++)
        COUNT(got.ids.ids[i], want.ids.ids[i], "%s: token %zu", what, i);
    COUNT(got.result.tokens, want.result.tokens,
          "%s: result is what the text has counted: tokens", what);
    COUNT(got.result.prompt_tokens, want.result.prompt_tokens, "%s: result: prompt_tokens",
          what);
    TEXT(stop_reason_name(got.result.reason), stop_reason_name(want.result.reason),
         "%s: result: reason", what);
    HINT(!want.result.tokens || got.result.first_token_seconds > 0,
         "%s: result: times are missing", what);
    token_list_free(&want.ids), token_list_free(&got.ids);
}

/* The engine is always closed: after many texts no more memory is in use than after one. */
static void closed_after(const char *what, size_t copies, GenerateOptions o) {
    size_t first = 0;
    for (int i = 0; i < 12; i++) {
        Told t = told_by(generate, "Once upon a time there was a fox. ", copies, o);
        token_list_free(&t.ids);
        if (i == 1) first = IN_USE();
    }
    HINT(IN_USE() < first + 20000,
         "%s: after ten more texts %zu bytes more are in use: the engine is closed, whatever "
         "happened (engine_close)",
         what, IN_USE() - first);
}

/* As one token after the other that ends a text in "suppress:7:9", so that only the context
 * ends it. */
static void chain_without_end(void) {
    char spec[400] = "suppress";
    for (int32_t id = 0; id < (int32_t)model.sizes.vocab && strlen(spec) < 350; id++)
        if (tokenizer_is_end(model.tokenizer, id)) snprintf(spec + strlen(spec), 20, ":%d", id);
    strcat(spec, ",greedy");
    chain_of(spec);
}

GRADE(loop) {
    open_models();
    for (int round = 0; round < 4; round++) {
        uint64_t seed = fresh_bits();
        size_t n = 1 + fresh_below(12);
        chain_of("temp:1.2");
        loop_of("a few tokens", "Once upon a", 1,
                (GenerateOptions){.seed = seed, .limits.max_tokens = n});
        loop_of("a prompt of several batches", "Once upon a time there was a fox. ", 9,
                (GenerateOptions){.seed = seed, .limits.max_tokens = n});
    }
    chain_of("greedy");
    loop_of("a greedy text to the end of the context", "Once upon a", 1,
            (GenerateOptions){.limits.max_tokens = SIZE_MAX});
    loop_of("no token at all (-n 0)", "Once upon a", 1,
            (GenerateOptions){.limits.max_tokens = 0});
    loop_of("a prompt longer than the context", "Once upon a time there was a fox. ", 60,
            (GenerateOptions){.limits.max_tokens = 4});
    closed_after("three tokens", 1, (GenerateOptions){.limits.max_tokens = 3});
    closed_after("a prompt longer than the context", 60,
                 (GenerateOptions){.limits.max_tokens = 3});
    chain_without_end();
    loop_of("a text that only the context ends", "Once upon a", 1,
            (GenerateOptions){.limits.max_tokens = SIZE_MAX});
    chain_of("allow:300,suppress:300");
    loop_of("a chain that leaves no token", "Once upon a", 1,
            (GenerateOptions){.limits.max_tokens = 4});
    closed_after("a chain that leaves no token", 1, (GenerateOptions){.limits.max_tokens = 3});
}

/* ------------------------------------------------------------------ one step */

typedef bool StepBy(Engine *, Fault *);

/* Texts side by side in one engine; how many steps it took. */
static size_t texts_by(StepBy *f, TokenList *texts, GenerateOptions *options, size_t n) {
    Engine engine;
    size_t steps = 0;
    NEED(engine_open(&engine, &session, &fault));
    for (size_t i = 0; i < n; i++) NEED(engine_add(&engine, &texts[i], &options[i], &fault));
    while (engine.live && steps < MANY_STEPS) {
        if (!f(&engine, &fault)) {
            printf("  hint: engine_step fails: %s\n",
                   *fault.text ? fault.text
                               : "it says false, which is for a fault, not the end");
            grade_ends();
        }
        steps++;
    }
    engine_close(&engine);
    return steps;
}

static void steps_of(const char *what, const GenerateOptions *options, size_t n,
                     const char *spec) {
    static const char *const begins[3] = {
        "Once upon a", "The fox and the crow went to the old mill. ", "One day"};
    TokenList got[3], want[3];
    Chain chains[3];
    GenerateOptions o[3];
    size_t steps[2];
    chain_of(spec);
    for (int mine = 0; mine < 2; mine++) {
        for (size_t i = 0; i < n; i++) {
            (mine ? got : want)[i] = prompt_of(begins[i], i == 1 ? 5 : 1);
            o[i] = options[i];
            chain_copy(&chains[i], &chain), o[i].chain = &chains[i];
        }
        steps[mine] =
            texts_by(mine ? engine_step : SHIPPED(engine_step), mine ? got : want, o, n);
        for (size_t i = 0; i < n; i++) chain_close(&chains[i]);
    }
    HINT(steps[1] < MANY_STEPS,
         "%s: the texts are not over after %d steps: what is planned must be read (every model "
         "its "
         "part), and then all texts that are ready take a token",
         what, MANY_STEPS);
    for (size_t i = 0; i < n; i++) {
        size_t same = 0;
        while (same < got[i].count && same < want[i].count &&
               got[i].ids[same] == want[i].ids[same])
            same++;
        HINT(same == want[i].count && same == got[i].count,
             "%s: text %zu is another one from token %zu on (of %zu): every token must be read "
             "before the next is "
             "chosen, by each model that the text has",
             what, i, same, want[i].count);
    }
    COUNT(steps[1], steps[0], "%s: so many steps: a step is one batch for each model", what);
    for (size_t i = 0; i < n; i++) token_list_free(&got[i]), token_list_free(&want[i]);
}

static bool nobody(void *context) {
    (void)context;
    return false;
}

/* Tokens that both models have read. */
static size_t read_so_far(void) {
    size_t n = 0;
    for (size_t i = 0; i < 3; i++) n += session_length(&session, i) + session_length(&small, i);
    return n;
}

/* The batch is cancelled: the step fails, and no token is accepted. */
static void unread_step(const char *what, Session *unread, const GenerateOptions *options) {
    Engine engine;
    Fault told = {0};
    TokenList text = prompt_of("Once upon a", 1);
    GenerateOptions o = *options;
    o.chain = &chain, o.limits.max_tokens = 60;
    NEED(engine_open(&engine, &session, &fault) && engine_add(&engine, &text, &o, &fault));
    for (int step = 0; step < 4; step++)
        HINT(engine_step(&engine, &fault), "engine_step fails: %s", fault.text);
    size_t count = text.count, read = read_so_far();
    unread->is_wanted = nobody;
    HINT(!engine_step(&engine, &told),
         "%s cannot read what was planned, and engine_step says that all is well", what);
    unread->is_wanted = NULL;
    COUNT(text.count, count, "%s cannot read what was planned: no token is taken then", what);
    HINT(strstr(told.text, "was cancelled"), "%s cannot read: the fault says why", what);
    if (unread == &session && o.extras[0].session) {
        COUNT(read_so_far(), read,
              "%s reads first; it cannot, so the step ends there, and nothing has changed: "
              "tokens that were read",
              what);
        HINT(engine_step(&engine, &fault) && text.count == count + 1,
             "%s could not read, and in the next step it can: that one takes a token", what);
    }
    engine_close(&engine), token_list_free(&text);
}

static void unread_steps(void) {
    Speculation guess = {.length = 3, .draft = &small};
    chain_without_end();
    unread_step("the model", &session, &(GenerateOptions){0});
    GenerateOptions drafts = {0}, both = {0};
    with_draft(&drafts, &guess), with_amateur(&both, &small);
    unread_step("the draft model", &small, &drafts);
    chain_of("contrast:0.1,temp:1");
    unread_step("the model", &session, &both);
    unread_step("the amateur", &small, &both);
}

GRADE(one_step) {
    open_models();
    GenerateOptions o[3], plain[3];
    Speculation guess[3];
    memset(o, 0, sizeof o);
    for (size_t i = 0; i < 3; i++)
        o[i].limits.max_tokens = 6 + fresh_below(10), o[i].seed = fresh_bits();
    steps_of("three texts", o, 3, "temp:1.3");
    for (size_t i = 0; i < 3; i++) plain[i] = o[i], with_amateur(&o[i], &small);
    steps_of("three texts and an amateur", o, 3, "contrast:0.1,temp:1");
    for (size_t i = 0; i < 3; i++) {
        guess[i] = (Speculation){.length = 3};
        o[i] = plain[i], with_draft(&o[i], &guess[i]);
    }
    steps_of("three texts with look-up drafts", o, 3, "temp:1.3");
    for (size_t i = 0; i < 2; i++) {
        guess[i] = (Speculation){.length = 3, .draft = &small};
        o[i] = plain[i], with_draft(&o[i], &guess[i]);
    }
    steps_of("two texts with a draft model", o, 2, "temp:1.3");
    HINT(guess[0].drafted > 0, "no draft was made: the hook before_plan comes first");
    unread_steps();
}

/* ------------------------------------------------------------------ accepting */

enum { MOST = 100000 };

static void accept_of(const float *p, const float *q, size_t n) {
    static float got[MOST + 1], p_before[MOST], q_before[MOST];
    const float behind = 77;
    double sum = 0;
    memcpy(p_before, p, n * sizeof *p), memcpy(q_before, q, n * sizeof *q);
    got[n] = behind;
    for (size_t i = 0; i < n; i++) {
        double a = (double)p[i], b = (double)q[i], x = speculate_accept_prob(p, q, (int32_t)i);
        double want = b == 0 ? 1 : fmin(1, a / b);
        if (a > b) sum += a - b;
        if (near(x, want, 1e-6)) continue;
        HINT(b != 0,
             "a token that the draft could not draw, q = 0 (p = %g), is accepted if it comes "
             "at all: expected 1, got %g",
             a, x);
        HINT(x <= 1,
             "a probability of %g: a token that the model finds likelier (p = %g, q = %g) is "
             "always accepted, min(1, p/q)",
             x, a, b);
        HINT(x < 1 || b > 1e-3,
             "p = %g, q = %g: q is small, and not 0: accepted with min(1, p/q) = %g, got %g", a,
             b, want, x);
        HINT(!near(x, fmin(1, b / a), 1e-6),
             "p is the model's, q the draft's: p/q, not q/p (p = %g, q = %g: expected %g, got "
             "%g)",
             a, b, want, x);
        HINT(!near(x, a, 1e-6),
             "that is p alone, %g: the draft has drawn it with q = %g, so p/q", a, b);
        HINT(false, "p = %g, q = %g: accepted with min(1, p/q) = %g, got %g", a, b, want, x);
    }
    speculate_residual(p, q, n, got);
    HINT(memcmp(p_before, p, n * sizeof *p) == 0, "p is to be left as it is");
    HINT(memcmp(q_before, q, n * sizeof *q) == 0, "q is to be left as it is");
    HINT(got[n] == behind, "out has %zu slots, and one past them was written", n);
    for (size_t i = 0; i < n; i++) {
        double a = (double)p[i], b = (double)q[i], x = (double)got[i], raw = fmax(0, a - b);
        double want = sum > 0 ? raw / sum : a;
        if (fabs(x - want) <= 1e-4 * want) continue;
        HINT(sum > 0,
             "p is nowhere above q: then it is p itself, not %g (nothing is left to divide by)",
             x);
        HINT(sum > 1e-3 || x != a,
             "token %zu: p = %.9g, q = %.9g: they differ by little, and still p is above q "
             "somewhere: expected %g, got p",
             i, a, b, want);
        HINT(raw == 0 || fabs(x - raw) > 1e-4 * raw,
             "what p has more than q sums to %g: divided by that, it is a distribution; "
             "expected %g, got %g",
             sum, want, x);
        HINT(x >= 0, "token %zu: p = %g is below q = %g: nothing of it, not %g", i, a, b, x);
        HINT(!(a < b && x > 0),
             "token %zu: p = %g is below q = %g: it was drawn often enough, expected 0, got %g",
             i, a, b, x);
        HINT(false, "token %zu: p = %g, q = %g: expected (p - q)+ over its sum, %g, got %g", i,
             a, b, want, x);
    }
}

static void fresh_distribution(float *p, size_t n, bool holes) {
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        p[i] = holes && fresh_below(3) == 0 ? 0 : (float)pow(fresh_between(0, 1), 3);
        sum += (double)p[i];
    }
    if (sum == 0) p[0] = 1, sum = 1;
    for (size_t i = 0; i < n; i++) p[i] = (float)((double)p[i] / sum);
}

/* q as p, but for the likeliest token, of which it has a little less, and another, of which it
 * has a little more. */
static void nearly(float *q, const float *p, size_t n) {
    size_t best = 0;
    for (size_t i = 1; i < n; i++)
        if (p[i] > p[best]) best = i;
    memcpy(q, p, n * sizeof *q);
    q[best] *= 0.99999f, q[(best + 1) % n] *= 1.00001f;
}

GRADE(guess) {
    static float p[MOST], q[MOST];
    for (int round = 0; round < 200; round++) {
        size_t n = 2 + fresh_below(round < 50 ? 4 : 62);
        fresh_distribution(p, n, round % 2), fresh_distribution(q, n, round % 3 == 0);
        accept_of(p, q, n);
        accept_of(p, p, n);
        nearly(q, p, n), accept_of(p, q, n);
    }
    fresh_distribution(p, MOST, false), fresh_distribution(q, MOST, false);
    accept_of(p, q, MOST); /* a vocabulary may be as large */
}

GRADES({"6.1", loop}, {"6.2", one_step}, {"6.23", guess})
