/* layer5.c - byte pairs, merge by merge, and a training run.  See moving.h. */
#include "moving.h"

#include <stdlib.h>

/* The pieces of a text after so many merges. */
typedef struct Merges {
    FILE *out;
    size_t wanted, seen, word;
    char *pieces; /* the rows of the current word */
    size_t size;
    double rank; /* of the last merge */
} Merges;

static void put_piece(FILE *out, size_t word, Text piece, bool changed) {
    fprintf(out, "piece,%zu,", word);
    if (piece.size == 1 &&
        (unsigned char)*piece.data >= 0x80) /* of a letter of several bytes */
        fprintf(out, "\\x%02x", (unsigned char)*piece.data);
    else
        text_cell(out, piece);
    fprintf(out, ",%d\n", changed);
}

static void put_word(Merges *m) {
    if (m->pieces) fputs(m->pieces, m->out), m->word++;
    free(m->pieces), m->pieces = NULL;
}

static void keep_pieces(Merges *m, const Text *pieces, size_t n, size_t changed) {
    free(m->pieces);
    FILE *out = open_memstream(&m->pieces, &m->size);
    for (size_t i = 0; i < n; i++) put_piece(out, m->word, pieces[i], i == changed);
    fclose(out);
}

static void hear(void *context, const TokenEvent *event) {
    Merges *m = context;
    if (event->kind == EVENT_WORD) {
        put_word(m);
        Text *bytes = calloc(event->text.size, sizeof *bytes);
        for (size_t i = 0; i < event->text.size; i++)
            bytes[i] = (Text){event->text.data + i, 1};
        keep_pieces(m, bytes, event->text.size, SIZE_MAX);
        free(bytes);
    } else if (event->kind == EVENT_MERGE && ++m->seen <= m->wanted) {
        m->rank = event->priority;
        keep_pieces(m, event->pieces, event->n_pieces,
                    m->seen == m->wanted ? event->changed : SIZE_MAX);
    }
}

bool moving_bpe(FILE *out, const double *at, const char *text, Fault *fault) {
    Merges m = {.out = out, .wanted = (size_t)at[0], .rank = -1};
    TokenList tokens = {0};
    bool ok = tokenizer_explain(play_model()->tokenizer, text_of(text), false, hear, &m,
                                &tokens, fault);
    put_word(&m);
    fprintf(out, "rank,,,%g\nlast,,,%zu\ntokens,,,%zu\n", m.rank, m.seen, tokens.count);
    token_list_free(&tokens);
    return ok;
}

/* ------------------------------------------------------------------ a training run */

enum { STEPS = 100 };

/* A llama of one block with the storyteller's vocabulary, on stories of Tiny World. */
static Trainer *open_trainer(Fault *fault) {
    static Corpus corpus = {.seed = 1};
    TrainConfig config = train_config_storyteller();
    config.shape.dim = 48, config.shape.hidden = 96;
    config.shape.heads = config.shape.kv_heads = 2, config.shape.head_dim = 16;
    config.layers = 1, config.ctx = 128, config.batch_tokens = 384;
    config.steps = STEPS, config.warmup = 10, config.learning_rate = 0.03;
    if (!corpus.world) corpus.world = world_open(fault);
    const Model *m = play_model();
    return corpus.world ? trainer_open(&config, &corpus, m->tokenizer, &m->gguf, NULL, fault)
                        : NULL;
}

/* Learns one step at a call, so that a page stays alive; what is learned stays. */
bool moving_train(FILE *out, const double *at, const char *text, Fault *fault) {
    static Trainer *trainer;
    static TrainStep steps[STEPS];
    const size_t wanted = (size_t)at[0];
    (void)text;
    if (!trainer && !(trainer = open_trainer(fault))) return false;
    size_t done = trainer_steps_done(trainer);
    if (done < wanted && done < STEPS) steps[done] = trainer_step(trainer), done++;
    if (!trainer_ok(trainer, fault)) return false;
    for (size_t i = 0; i < done && i < wanted; i++)
        fprintf(out, "%zu,%zu,%.6g,%.6g,%.6g\n", steps[i].step, steps[i].tokens, steps[i].loss,
                steps[i].rate, steps[i].gradient_norm);
    return true;
}
