/* The grader of layer 6's plan: which tokens of which texts go into the batches of a step.
 * Each step is planned twice, by the library and by the work, and both plans are laid side by
 * side. */
#include "../src/engine/take.h"
#include "grader.h"
#include "inference_extras.h"
#include "make_model.h"

DECLARE_SHIPPED(engine_plan);

enum { CTX = 200, BATCH = 24, TEXTS = 3, STEPS = 90 };

static Model model, small_model;
static Session session, small, narrow;
static Fault fault;

/* What one plan has put into the batches, and what the texts were told. */
typedef struct Plan {
    size_t count[ENGINE_MODELS], rows[ENGINE_MODELS];
    int32_t token[ENGINE_MODELS][BATCH], of[ENGINE_MODELS][BATCH],
        position[ENGINE_MODELS][BATCH];
    bool wanted[ENGINE_MODELS][BATCH];
    bool ready[TEXTS];
    size_t row[TEXTS][SEQUENCE_SLOTS], n[TEXTS][SEQUENCE_SLOTS], turn;
} Plan;

static Plan plan_by(void (*planned)(Engine *), Engine *e) {
    Plan p = {.turn = e->turn};
    planned(e);
    for (size_t i = 0; i < e->n_runners; i++) {
        const ModelRunner *runner = &e->runners[i];
        HINT(runner->count <= BATCH,
             "a batch has room for %d tokens (runner_room), and %zu are pushed", BATCH,
             runner->count);
        HINT(runner->rows <= runner->session->max_logits,
             "the model gives %zu rows of logits at a time, and %zu are wanted",
             runner->session->max_logits, runner->rows);
        p.count[i] = runner->count, p.rows[i] = runner->rows;
        for (size_t k = 0; k < runner->count; k++) {
            p.token[i][k] = runner->token[k], p.of[i][k] = runner->sequence[k];
            p.position[i][k] = runner->position[k], p.wanted[i][k] = runner->wanted[k];
        }
    }
    for (size_t t = 0; t < TEXTS; t++) {
        p.ready[t] = e->sequences[t].ready;
        for (size_t r = 0; r < SEQUENCE_SLOTS; r++) {
            const Slot *slot = &e->sequences[t].slot[r];
            p.n[t][r] = slot->rows, p.row[t][r] = slot->rows ? slot->row : 0;
        }
    }
    size_t moved = e->turn - p.turn;
    e->turn = p.turn;
    p.turn = moved;
    return p;
}

static const char *const runner_names[] = {"the model", "the second model", "the third model"};

static size_t tokens_of(const Plan *p, size_t runner, int32_t of) {
    size_t n = 0;
    for (size_t k = 0; k < p->count[runner]; k++) n += p->of[runner][k] == of;
    return n;
}

static void same_tokens(const char *what, size_t step, const Plan *got, const Plan *want,
                        size_t runner) {
    const char *name = runner_names[runner];
    for (int32_t of = 0; of < TEXTS; of++) {
        size_t n = tokens_of(want, runner, of), m = tokens_of(got, runner, of);
        HINT(m == n,
             "%s, step %zu: %s reads %zu tokens of its sequence %d, expected %zu (as many as "
             "it wishes, as its quota allows and there is room for; a text that is not ready "
             "leaves its last one)",
             what, step, name, m, of, n);
    }
    for (size_t k = 0; k < want->count[runner]; k++) {
        HINT(got->of[runner][k] == want->of[runner][k],
             "%s, step %zu, token %zu of the batch of %s: it is of sequence %d, expected %d: "
             "those that write come before prompts, and in each pass the one at e->turn is "
             "first",
             what, step, k, name, got->of[runner][k], want->of[runner][k]);
        HINT(
            got->token[runner][k] == want->token[runner][k] &&
                got->position[runner][k] == want->position[runner][k],
            "%s, step %zu: %s reads token %d at position %d, expected token %d at position %d: "
            "go on after what the reader has read (session_length); after the text comes "
            "its draft (token_at)",
            what, step, name, got->token[runner][k], got->position[runner][k],
            want->token[runner][k], want->position[runner][k]);
        HINT(
            got->wanted[runner][k] == want->wanted[runner][k],
            "%s, step %zu: logits of the token at position %d are %swanted: of every one where "
            "needs_all_logits() says so, else of the last one of a text that is ready",
            what, step, want->position[runner][k], want->wanted[runner][k] ? "" : "not ");
    }
}

static void same_plan(const char *what, size_t step, const Plan *got, const Plan *want,
                      size_t runners) {
    for (size_t t = 0; t < TEXTS; t++) {
        HINT(got->ready[t] || !want->ready[t],
             "%s, step %zu: text %zu can read all that it lacks, so it is ready to choose",
             what, step, t);
        HINT(
            !got->ready[t] || want->ready[t],
            "%s, step %zu: text %zu is said to be ready, and it cannot read all that it lacks "
            "in this step, or has no draft yet (fits() counts tokens and rows, of each model "
            "all readers together, and looks at the quota and the context that each still has)",
            what, step, t);
    }
    for (size_t i = 0; i < runners; i++) same_tokens(what, step, got, want, i);
    for (size_t t = 0; t < TEXTS; t++)
        for (size_t r = 0; r < SEQUENCE_SLOTS; r++) {
            COUNT(
                got->n[t][r], want->n[t][r],
                "%s, step %zu: reader %zu of text %zu gets so many rows of logits (slot->rows)",
                what, step, r, t);
            COUNT(got->row[t][r], want->row[t][r],
                  "%s, step %zu: the first row of reader %zu of text %zu (slot->row)", what,
                  step, r, t);
        }
    COUNT(got->turn, want->turn, "%s: the turn moves on by so many with each step", what);
}

/* An extra that takes no token: the text waits. */
static bool later(Extra *x, Sequence *s, Fault *f) {
    (void)x, (void)f;
    return s->plan.waits = true;
}

/* A source of ordinary tokens and the start token: for a model that translates. */
static TokenList source_of(const Model *m, size_t n) {
    TokenList ids = {0};
    NEED(token_list_reserve(&ids, n + 1, &fault));
    for (size_t i = 0; i < n; i++) token_list_add(&ids, 3 + (int32_t)fresh_below(200));
    token_list_add(&ids, model_extras(m)->start);
    return ids;
}

static TokenList prompt_of(const char *text, size_t copies) {
    TokenList ids = {0};
    tokenizer_begin(model.tokenizer, &ids);
    for (size_t i = 0; i < copies; i++)
        NEED(tokenizer_encode(model.tokenizer, text_of(text), true, &ids, &fault));
    return ids;
}

/* Texts side by side to their end, every step planned by both. */
static void planned_in(Session *in, TokenList *texts, const char *what, const char *spec,
                       const GenerateOptions *options, bool limited) {
    Engine engine;
    Chain chains[TEXTS];
    NEED(engine_open(&engine, in, &fault));
    for (size_t i = 0; i < TEXTS; i++) {
        GenerateOptions o = options[i];
        NEED(chain_parse(&chains[i], spec, in->model->tokenizer, &fault));
        o.chain = &chains[i];
        with_look_ahead(&o);
        NEED(engine_add(&engine, &texts[i], &o, &fault));
    }
    for (size_t i = 0; limited && i < TEXTS; i++)
        engine.sequences[i].quota = i ? 1 + fresh_below(9) : 0;
    for (size_t step = 0; engine.live && step < STEPS; step++) {
        engine.sequences[2].paused = limited && step < 4;
        NEED(!engine.hooks.before_plan || engine.hooks.before_plan(&engine, &fault));
        Plan want = plan_by(SHIPPED(engine_plan), &engine), got = plan_by(engine_plan, &engine);
        same_plan(what, step, &got, &want, engine.n_runners);
        if (!engine_step(&engine, &fault)) {
            printf("  hint: %s, step %zu: what was planned cannot be read: %s", what, step,
                   fault.text);
            grade_ends();
        }
    }
    engine_close(&engine);
    for (size_t i = 0; i < TEXTS; i++) chain_close(&chains[i]), token_list_free(&texts[i]);
}

static void planned(const char *what, const char *spec, const GenerateOptions *options,
                    bool limited) {
    static const char *const begins[TEXTS] = {
        "Once upon a", "The fox and the crow went to the old mill. ", "One day"};
    TokenList texts[TEXTS];
    for (size_t i = 0; i < TEXTS; i++)
        texts[i] = prompt_of(begins[i], i == 1 ? 4 : 1 + fresh_below(3));
    planned_in(&session, texts, what, spec, options, limited);
}

/* Texts longer than their context, out of which old tokens are cut. */
static void shifted(const GenerateOptions *options) {
    GenerateOptions o[TEXTS];
    TokenList texts[TEXTS];
    for (size_t i = 0; i < TEXTS; i++) {
        o[i] = options[i], with_long_text(&o[i], 0);
        texts[i] = prompt_of("The fox and the crow went to the old mill. ", 1);
        size_t n = i == 0 ? CTX + 60 : CTX - 9 * i;
        NEED(token_list_reserve(&texts[i], n, &fault));
        while (texts[i].count < n) token_list_add(&texts[i], 300 + (int32_t)fresh_below(99));
    }
    planned_in(&session, texts, "texts longer than their context (shift)", "temp:1.3,draw", o,
               false);
}

/* A model with an encoder, which reads its source as a whole. */
static void sources(const GenerateOptions *options) {
    SessionConfig config = {
        .ctx = CTX, .sequences = TEXTS, .max_tokens = BATCH, .max_logits = TEXTS};
    MakeModel m = make_model_defaults("t5");
    Model t5;
    Session translates;
    size_t size;
    unsigned char *bytes = make_model(&m, &size);
    NEED(bytes && model_open_memory(&t5, bytes, size, &fault));
    NEED(session_open(&translates, &t5, NULL, config, &fault));
    for (int limited = 0; limited < 2; limited++) {
        TokenList texts[TEXTS];
        for (size_t i = 0; i < TEXTS; i++) texts[i] = source_of(&t5, 9 + 3 * i);
        planned_in(&translates, texts,
                   limited ? "sources, which are read at once or not at all, and a quota"
                           : "sources, which are read at once or not at all (at_least)",
                   "temp:1.3,draw", options, limited);
    }
    session_close(&translates), model_close(&t5);
    free(bytes);
}

/* A text longer than its context fails without affecting the others. */
static void too_long(void) {
    Engine engine;
    Chain chains[2];
    TokenList texts[2] = {prompt_of("Once upon a", 1), prompt_of("One day", 1)};
    NEED(engine_open(&engine, &session, &fault));
    for (size_t i = 0; i < 2; i++) {
        GenerateOptions o = {.limits.max_tokens = 9, .chain = &chains[i]};
        NEED(chain_parse(&chains[i], "greedy", model.tokenizer, &fault));
        NEED(engine_add(&engine, &texts[i], &o, &fault));
    }
    NEED(token_list_reserve(&texts[0], CTX, &fault));
    while (texts[0].count <= CTX) token_list_add(&texts[0], 300);
    engine_plan(&engine);
    HINT(
        engine.sequences[0].failed && strstr(engine.sequences[0].fault.text, "context is full"),
        "a text without room in its context fails: has_context() says so, sequence_fail() ends "
        "it");
    HINT(engine.sequences[1].ready && !engine.sequences[1].failed,
         "one text has failed, and the other should be read as ever");
    engine_close(&engine);
    for (size_t i = 0; i < 2; i++) chain_close(&chains[i]), token_list_free(&texts[i]);
}

/* A text that fills the batch to its last slot. */
static void just_enough(void) {
    Engine engine;
    Chain chain;
    TokenList text = prompt_of("Once upon a", 1);
    GenerateOptions o = {.limits.max_tokens = 9, .chain = &chain};
    NEED(token_list_reserve(&text, BATCH, &fault) && text.count < BATCH);
    while (text.count < BATCH) token_list_add(&text, 300);
    NEED(engine_open(&engine, &session, &fault));
    NEED(chain_parse(&chain, "greedy", model.tokenizer, &fault));
    NEED(engine_add(&engine, &text, &o, &fault));
    engine_plan(&engine);
    HINT(engine.sequences[0].ready,
         "a text of %d tokens, for which the batch has just enough room, can be read, so it is "
         "ready",
         BATCH);
    engine_close(&engine);
    chain_close(&chain), token_list_free(&text);
}

/* So few pages that texts have to wait for each other: all must finish. */
static void few_pages(void) {
    SessionConfig config = {
        .ctx = CTX, .sequences = TEXTS, .max_tokens = BATCH, .max_logits = 8, .pages = 7};
    Session tight;
    Engine engine;
    Chain chains[TEXTS];
    TokenList texts[TEXTS];
    NEED(session_open(&tight, &model, NULL, config, &fault));
    NEED(engine_open(&engine, &tight, &fault));
    for (size_t i = 0; i < TEXTS; i++) {
        GenerateOptions o = {.limits.max_tokens = 60, .chain = &chains[i], .seed = i};
        texts[i] = prompt_of(i ? "The fox and the crow went to the mill. " : "One day", 1 + i);
        NEED(chain_parse(&chains[i], "temp:1.1,draw", model.tokenizer, &fault));
        NEED(engine_add(&engine, &texts[i], &o, &fault));
    }
    size_t steps = 0;
    while (engine.live && steps++ < 2000)
        HINT(
            engine_step(&engine, &fault),
            "with few pages of memory a step fails (%s): what gets no pages (reserve_pages) is "
            "not read",
            fault.text);
    HINT(!engine.live, "with few pages of memory the texts never end: one that gets no pages "
                       "(reserve_pages) waits, and is not ready");
    for (size_t i = 0; i < TEXTS; i++)
        HINT(!engine.sequences[i].failed, "with few pages of memory text %zu fails: %s", i,
             engine.sequences[i].fault.text);
    engine_close(&engine);
    session_close(&tight);
    for (size_t i = 0; i < TEXTS; i++) chain_close(&chains[i]), token_list_free(&texts[i]);
}

GRADE(plans) {
    SessionConfig config = {
        .ctx = CTX, .sequences = 2 * TEXTS, .max_tokens = BATCH, .max_logits = 8};
    GenerateOptions o[TEXTS], asked[TEXTS];
    Speculation guess[TEXTS];
    NEED(model_open(&model, "layer5_models/models/storyteller.gguf", &fault));
    NEED(model_open(&small_model, "layer5_models/models/draft.gguf", &fault));
    NEED(session_open(&session, &model, NULL, config, &fault));
    NEED(session_open(&small, &small_model, NULL, config, &fault));
    config.max_tokens = 5, config.max_logits = 2;
    NEED(session_open(&narrow, &small_model, NULL, config, &fault));
    TokenList instead = prompt_of("No one was there, and nothing was lost", 2);
    memset(o, 0, sizeof o);
    for (size_t i = 0; i < TEXTS; i++)
        o[i].limits.max_tokens = 12 + fresh_below(10), o[i].seed = fresh_bits();
    too_long();
    just_enough();
    planned("three texts", "temp:1.3,draw", o, false);
    planned("texts with a quota, one of them paused at first", "temp:1.3,draw", o, true);
    planned("three texts that look ahead", "contrastive_search:0.6:k=4", o, false);
    memcpy(asked, o, sizeof o);
    for (size_t i = 0; i < TEXTS; i++) with_negative(&asked[i], &instead);
    planned("texts with a negative prompt", "cfg:1.5,temp:1,draw", asked, false);
    planned("texts with a negative prompt and a quota", "cfg:1.5,temp:1,draw", asked, true);
    memcpy(asked, o, sizeof o);
    for (size_t i = 0; i < TEXTS; i++) with_amateur(&asked[i], &small);
    planned("texts and an amateur", "contrast:0.1,temp:1,draw", asked, false);
    for (size_t i = 0; i < TEXTS; i++) asked[i] = o[i], with_amateur(&asked[i], &narrow);
    planned("texts and an amateur whose batch is small", "contrast:0.1,temp:1,draw", asked,
            false);
    memcpy(asked, o, sizeof o);
    const ExtraKind waiting = {.take = later};
    generate_with(&asked[1], (Extra){.kind = &waiting});
    planned("three texts, of which one waits for an extra", "temp:1.3,draw", asked, false);
    memcpy(asked, o, sizeof o);
    for (size_t i = 0; i < TEXTS; i++)
        guess[i] = (Speculation){.length = 4}, with_draft(&asked[i], &guess[i]);
    planned("texts with look-up drafts", "temp:1.3,draw", asked, false);
    planned("texts with look-up drafts and a quota", "temp:1.3,draw", asked, true);
    for (size_t i = 0; i < TEXTS; i++) {
        guess[i] = (Speculation){.length = 3}, asked[i] = o[i];
        with_negative(&asked[i], &instead), with_draft(&asked[i], &guess[i]);
    }
    planned("texts with a negative prompt and look-up drafts", "cfg:1.5,temp:1,draw", asked,
            false);
    for (size_t i = 0; i < TEXTS; i++) {
        guess[i] = (Speculation){.length = 3, .draft = &small};
        asked[i] = o[i], with_draft(&asked[i], &guess[i]);
    }
    planned("texts with a draft model", "temp:1.3,draw", asked, false);
    shifted(o);
    sources(o);
    few_pages();
}

GRADES({"6.3", plans})
