/* The graders of layer 6. */
#include "grader.h"
#include "inference.h"

/* The candidates that a chain leaves of some logits. */
static Candidates c;

static void run(const char *spec, float *logits, size_t n, const int32_t *history,
                size_t count) {
    static Arena arena;
    Chain chain;
    Fault fault;
    int32_t token;
    Step step = {.seed = 1, .position = count, .history = history, .history_count = count};
    arena_free(&arena);
    if (!candidates_open(&c, n, &arena, &fault) || !chain_parse(&chain, spec, NULL, &fault) ||
        !candidates_load(&c, logits, &fault) || !chain_run(&chain, &c, &step, &token, &fault)) {
        printf("  %s\n", fault.text);
        exit(1);
    }
    chain_close(&chain);
}

static double logit_of(int32_t token) {
    size_t at = candidates_find(&c, token);
    return at < c.count ? (double)c.logits[at] : -1e30;
}

GRADE(temperature) {
    float x[3] = {4, 2, 0};
    run("temp:2", x, 3, NULL, 0);
    HINT(close_to(logit_of(0) - logit_of(1), 1, 1e-5),
         "at T = 2 a distance of 2 between logits becomes 1 (they are divided by T), got %g",
         logit_of(0) - logit_of(1));
    float y[3] = {4, 2, 0};
    run("temp:0", y, 3, NULL, 0);
    HINT(c.count == 1 && candidates_id(&c, 0) == 0, "at T = 0 only the best token is left");
}

GRADE(best_k) {
    float x[5] = {1, 5, 3, 4, 2};
    run("top_k:2", x, 5, NULL, 0);
    HINT(c.count == 2, "top_k:2 keeps exactly 2 tokens, not %zu", c.count);
    HINT(logit_of(1) == 5 && logit_of(3) == 4,
         "the tokens kept are those with the largest logits");
    float y[5] = {1, 5, 3, 4, 2};
    run("top_k:0", y, 5, NULL, 0);
    HINT(c.count == 5, "top_k:0 is off");
}

GRADE(mass) {
    float x[4];
    const double p[4] = {0.5, 0.3, 0.15, 0.05};
    for (int i = 0; i < 4; i++) x[i] = (float)log(p[i]);
    run("top_p:0.7", x, 4, NULL, 0);
    HINT(c.count == 2,
         "of 0.5, 0.3, 0.15, 0.05 top_p:0.7 keeps 2 tokens (the one that makes the sum reach "
         "0.7 stays), not %zu",
         c.count);
    for (int i = 0; i < 4; i++) x[i] = (float)log(p[i]);
    run("top_p:1", x, 4, NULL, 0);
    HINT(c.count == 4, "top_p:1 is off");
}

GRADE(fraction) {
    float x[4];
    const double p[4] = {0.5, 0.3, 0.15, 0.05};
    for (int i = 0; i < 4; i++) x[i] = (float)log(p[i]);
    run("min_p:0.2", x, 4, NULL, 0);
    HINT(c.count == 3,
         "of 0.5, 0.3, 0.15, 0.05 min_p:0.2 keeps all from 0.1 up, 3 tokens: the threshold is "
         "the largest logit plus ln P, got %zu",
         c.count);
}

GRADE(mirostat) {
    float x[4];
    const double p[4] = {0.7, 0.2, 0.09, 0.01};
    for (int i = 0; i < 4; i++) x[i] = (float)log(p[i]);
    run("mirostat_v2:2", x, 4, NULL, 0);
    HINT(c.count == 3,
         "mu begins at 2 tau = 4 bits: tokens of probability 1/16 and more stay, 3 of them, "
         "got %zu: mu counts bits, logits nats",
         c.count);
    HINT(c.chosen >= 0, "after cutting, draw");
}

GRADE(penalty) {
    float x[3] = {2, -2, 1};
    const int32_t past[3] = {0, 1, 0};
    run("penalties:rep=2", x, 3, past, 3);
    HINT(logit_of(0) == 1, "a token seen twice is punished once: 2 / 2 = 1, got %g",
         logit_of(0));
    HINT(logit_of(1) == -4, "a negative logit is multiplied: -2 * 2 = -4, got %g", logit_of(1));
    HINT(logit_of(2) == 1, "a token that was not seen stays as it is");
    float y[3] = {2, -2, 1};
    run("penalties:freq=1:pres=0.5", y, 3, past, 3);
    HINT(logit_of(0) == 2 - 2 - 0.5,
         "freq counts every time, pres once: 2 - 2 * 1 - 0.5, got %g", logit_of(0));
}

GRADE(stopping) {
    Stops s;
    Fault fault;
    if (!stops_open(&s, (const char *const[]){"abab", "bac"}, 2, &fault)) exit(2);
    int32_t state = 0;
    for (const char *p = "aba"; *p; p++) state = stops_step(&s, state, (unsigned char)*p);
    HINT(s.states[state].depth == 3,
         "after \"aba\" three bytes may begin a stop string, not %u", s.states[state].depth);
    state = stops_step(&s, state, 'c');
    HINT(s.states[state].match == 3, "\"abac\" ends in \"bac\": where \"aba\" has no way on "
                                     "with c, go on as from its longest end, \"ba\"");
    stops_close(&s);
}

static int told;
static bool count_choice(void *context, const Choice *choice) {
    (void)context, (void)choice;
    return ++told < 100;
}

GRADE(loop) {
    static Model model;
    Session session;
    Chain chain;
    Fault fault;
    TokenList ids = {0};
    GenerateResult result;
    SessionConfig config = {.ctx = 128, .sequences = 1, .most_tokens = 64, .most_logits = 1};
    if (!model_open(&model, "layer5_models/models/storyteller.gguf", &fault) ||
        !session_open(&session, &model, NULL, config, &fault) ||
        !chain_parse(&chain, "greedy", model.tokenizer, &fault))
        exit(2);
    tokenizer_begin(model.tokenizer, &ids);
    if (!tokenizer_encode(model.tokenizer, text_of("Once upon a"), true, &ids, &fault)) exit(2);
    size_t prompt = ids.count;
    GenerateOptions o = {.chain = &chain, .limits.most_tokens = 5, .on_choice = count_choice};
    if (!generate(&session, &ids, &o, &result, &fault)) {
        printf("  %s\n", fault.text);
        exit(1);
    }
    HINT(result.tokens == 5 && ids.count == prompt + 5,
         "five tokens were asked for, %zu came: the model must read before a text can choose, "
         "and every text that has its row takes it",
         result.tokens);
    HINT(ids.ids[prompt] != ids.ids[prompt + 1], "every token is the same: the model must read "
                                                 "the token it chose before the next choice");
}

GRADE(guess) {
    float p[3] = {0.5f, 0.3f, 0.2f}, q[3] = {0.2f, 0.6f, 0.2f}, r[3];
    HINT(close_to(speculate_accept_chance(p, q, 1), 0.5, 1e-6),
         "a guess that the draft likes twice as much is accepted half the time: p/q, got %g",
         speculate_accept_chance(p, q, 1));
    HINT(speculate_accept_chance(p, q, 0) == 1,
         "a guess that the model likes more is always accepted");
    speculate_residual(p, q, 3, r);
    HINT(close_to((double)r[0], 1, 1e-6) && r[1] == 0,
         "what p has more than q is all at token 0: (p - q)+ over its sum");
}

GRADE(excluded) {
    float x[3];
    const double p[3] = {0.5, 0.4, 0.1};
    for (int i = 0; i < 3; i++) x[i] = (float)log(p[i]);
    run("xtc:1:t=0.3", x, 3, NULL, 0);
    HINT(logit_of(0) < -1e20 && logit_of(1) > -10,
         "of the likely tokens 0 and 1 the least likely one, 1, stays");
    HINT(logit_of(2) > -10, "unlikely tokens are left alone");
}

GRADES({"6.1", temperature}, {"6.2", best_k}, {"6.3", mass}, {"6.4", fraction},
       {"6.5", mirostat}, {"6.6", penalty}, {"6.7", stopping}, {"6.8", loop}, {"6.9", guess},
       {"6.13", excluded})
