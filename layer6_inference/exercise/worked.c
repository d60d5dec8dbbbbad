/* Worked exercise 6: one token is chosen: what each stage of a chain leaves, and which token
 * the uniform sample selects.
 *
 * --csv prints stage,rank,token,probability. */
#include "worked.h"
#include "inference.h"

#include <math.h>

static const char *const chain_spec = "temp:1.5,top_k:12,top_p:0.9,min_p:0.05,draw";
enum { SHOWN = 8, IN_CHAIN = 5, MAX = 64 };

typedef struct Bench {
    Model model;
    Session session;
    Candidates candidates;
    Arena arena;
    TokenList ids;
    float *logits; /* a copy for each run */
} Bench;

static void show(Bench *b, const char *stage, bool csv) {
    Candidates *c = &b->candidates;
    size_t left = candidates_alive(c);
    double sum = candidates_log_sum(c);
    candidates_sort(c);
    if (!csv) printf("   %-12s %4zu left:", stage, left);
    for (size_t i = 0; i < SHOWN && i < c->count; i++) {
        Text piece = tokenizer_piece(b->model.tokenizer, candidates_id(c, i), true);
        double p = exp((double)c->logits[i] - sum);
        if (csv)
            printf("%s,%zu,%d,%.6f\n", stage, i, candidates_id(c, i), p);
        else
            printf(" %.*s %.3f", (int)piece.size, piece.data, p);
    }
    if (!csv) printf(c->count > SHOWN ? " ...\n" : "\n");
}

/* Run the first `stages` stages of the chain; the last one's name is left in `name`. */
static void run(Bench *b, int stages, uint64_t seed, int32_t *token, char name[32]) {
    char spec[128] = "";
    const char *at = chain_spec;
    Chain chain;
    Fault fault;
    snprintf(name, 32, "logits");
    for (int i = 0; i < stages; i++) {
        size_t n = strcspn(at, ",");
        snprintf(name, 32, "%.*s", (int)n, at);
        snprintf(spec + strlen(spec), sizeof spec - strlen(spec), "%s%s", i ? "," : "", name);
        at += n + (at[n] == ',');
    }
    memcpy(b->logits, b->session.logits, b->model.sizes.vocab * sizeof(float));
    Step step = {.seed = seed,
                 .position = b->ids.count,
                 .history = b->ids.ids,
                 .history_count = b->ids.count};
    if (!candidates_load(&b->candidates, b->logits, &fault)) worked_fails(fault.text);
    if (!stages) return;
    if (!chain_parse(&chain, spec, b->model.tokenizer, &fault) ||
        !chain_run(&chain, &b->candidates, &step, token, &fault))
        worked_fails(fault.text);
    chain_close(&chain);
}

/* The tokens left are put end to end from 0 to 1, each as long as its probability; the sample
 * is in one of them. */
static void coins(Bench *b) {
    Candidates *c = &b->candidates;
    int32_t token = -1;
    char name[32];
    printf("\nThe last stage draws.  What is left is put end to end from 0 to 1:\n\n");
    run(b, IN_CHAIN, 1, &token, name);
    double sum = candidates_log_sum(c), end = 0;
    for (size_t i = 0; i < c->count; i++) {
        Text piece = tokenizer_piece(b->model.tokenizer, candidates_id(c, i), true);
        double p = exp((double)c->logits[i] - sum);
        printf("   %12.*s  %.3f .. %.3f\n", (int)piece.size, piece.data, end, end + p);
        end += p;
    }
    printf("\nThe uniform sample is computed from the seed, the position in the text and the "
           "stage's "
           "position in the chain:\n\n");
    guess("which token does a sample of 0.5 pick?");
    for (uint64_t seed = 1; seed <= 5; seed++) {
        run(b, IN_CHAIN, seed, &token, name);
        Text piece = tokenizer_piece(b->model.tokenizer, token, true);
        printf("   seed %llu: the sample is %.3f, which picks \"%.*s\"\n",
               (unsigned long long)seed, rng_unit(seed, b->ids.count, IN_CHAIN - 1),
               (int)piece.size, piece.data);
    }
}

static void bench_open(Bench *b, const char *prompt) {
    Fault fault;
    SessionConfig config = {.ctx = MAX, .sequences = 1, .max_tokens = MAX, .max_logits = 1};
    if (!model_open(&b->model, "layer5_models/models/storyteller.gguf", &fault))
        worked_fails(fault.text);
    tokenizer_begin(b->model.tokenizer, &b->ids);
    if (!tokenizer_encode(b->model.tokenizer, text_of(prompt), true, &b->ids, &fault))
        worked_fails(fault.text);
    if (b->ids.count > MAX) worked_fails("a shorter sentence, please: 63 tokens at most");
    if (!session_open(&b->session, &b->model, NULL, config, &fault) ||
        !session_eval(&b->session, b->ids.ids, b->ids.count, false, &fault) ||
        !candidates_open(&b->candidates, b->model.sizes.vocab, &b->arena, &fault))
        worked_fails(fault.text);
    b->logits = malloc(b->model.sizes.vocab * sizeof *b->logits);
    if (!b->logits) worked_fails("no memory");
}

int main(int argc, char **argv) {
    static Bench b;
    int32_t token = -1;
    char name[32];
    bool csv = worked_csv(argc, argv);
    const char *usual = "Once upon a time there was a little",
               *prompt = csv ? usual : sentence_or(usual);
    bench_open(&b, prompt);
    if (csv) {
        printf("stage,rank,token,probability\n");
    } else {
        printf("\"%s ...\"  and the chain  %s\n\n", prompt, chain_spec);
        guess("which word comes next, and how many are left to draw from at the end?");
    }
    for (int stages = 0; stages < IN_CHAIN; stages++) {
        run(&b, stages, 1, &token, name);
        show(&b, name, csv);
    }
    if (!csv) coins(&b);
    free(b.logits), token_list_free(&b.ids), arena_free(&b.arena), session_close(&b.session),
        model_close(&b.model);
    return worked_end();
}
