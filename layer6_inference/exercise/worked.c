/* Worked exercise 6: one token is chosen: what each stage of a chain leaves.
 *
 * --csv prints stage,rank,token,probability. */
#include "inference.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const prompt = "Once upon a time there was a little";
static const char *const chain_spec = "temp:1.5,top_k:12,top_p:0.9,min_p:0.05,draw";
enum { SHOWN = 8 };

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

/* Run the first `stages` stages of the chain. */
static bool run(Bench *b, int stages, bool csv, uint64_t seed, int32_t *token, Fault *fault) {
    char spec[128] = "", name[32] = "logits";
    const char *at = chain_spec;
    Chain chain;
    for (int i = 0; i < stages; i++) {
        size_t n = strcspn(at, ",");
        snprintf(name, sizeof name, "%.*s", (int)n, at);
        snprintf(spec + strlen(spec), sizeof spec - strlen(spec), "%s%s", i ? "," : "", name);
        at += n + (at[n] == ',');
    }
    size_t bytes = b->model.sizes.vocab * sizeof(float);
    memcpy(b->logits, b->session.logits, bytes);
    Step step = {.seed = seed,
                 .position = b->ids.count,
                 .history = b->ids.ids,
                 .history_count = b->ids.count};
    if (!candidates_load(&b->candidates, b->logits, fault)) return false;
    if (stages > 0) {
        if (!chain_parse(&chain, spec, b->model.tokenizer, fault)) return false;
        bool ok = chain_run(&chain, &b->candidates, &step, token, fault);
        chain_close(&chain);
        if (!ok) return false;
    }
    if (*at || stages == 0) show(b, name, csv);
    return true;
}

int main(int argc, char **argv) {
    static Bench b;
    Fault fault;
    int32_t token = -1;
    bool csv = argc > 1 && strcmp(argv[1], "--csv") == 0;
    SessionConfig config = {.ctx = 64, .sequences = 1, .most_tokens = 64, .most_logits = 1};
    if (!model_open(&b.model, "layer5_models/models/storyteller.gguf", &fault)) goto failed;
    tokenizer_begin(b.model.tokenizer, &b.ids);
    if (!tokenizer_encode(b.model.tokenizer, text_of(prompt), true, &b.ids, &fault) ||
        !session_open(&b.session, &b.model, NULL, config, &fault) ||
        !session_feed(&b.session, b.ids.ids, b.ids.count, false, &fault) ||
        !candidates_open(&b.candidates, b.model.sizes.vocab, &b.arena, &fault) ||
        !(b.logits = malloc(b.model.sizes.vocab * sizeof *b.logits)))
        goto failed;
    if (csv)
        printf("stage,rank,token,probability\n");
    else
        printf("\"%s ...\"  and the chain  %s\n\n", prompt, chain_spec);
    for (int stages = 0; stages < 5; stages++)
        if (!run(&b, stages, csv, 1, &token, &fault)) goto failed;
    for (uint64_t seed = 1; !csv && seed <= 5; seed++) {
        if (!run(&b, 5, csv, seed, &token, &fault)) goto failed;
        Text piece = tokenizer_piece(b.model.tokenizer, token, true);
        printf("%s draw, seed %llu: \"%.*s\"\n", seed == 1 ? "\n  " : "  ",
               (unsigned long long)seed, (int)piece.size, piece.data);
    }
    free(b.logits), token_list_free(&b.ids), arena_free(&b.arena), session_close(&b.session),
        model_close(&b.model);
    return 0;
failed:
    fprintf(stderr, "worked: %s\n", fault.text);
    return 1;
}
