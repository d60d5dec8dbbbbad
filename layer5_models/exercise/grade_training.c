/* The graders of training: a batch, the model there and back, a step. */
#include "trainees.h"

DECLARE_SHIPPED(train_load_documents);
DECLARE_SHIPPED(train_forward);
DECLARE_SHIPPED(train_backward);
DECLARE_SHIPPED(trainer_step);

/* ------------------------------------------------------------------ a batch */

static void same_batch(const Trainer *mine, const Trainer *ours, const char *kind) {
    const TrainBatch *a = &mine->batch, *b = &ours->batch;
    size_t less = a->n < b->n ? a->n : b->n, shown = 0;
    COUNT(a->documents, b->documents,
          "%s: documents of a batch: each with at most ctx rows, until there are batch_tokens "
          "(%zu) rows or as "
          "many documents as were asked for",
          kind, ours->config.batch_tokens);
    for (size_t d = 0; d <= b->documents; d++)
        COUNT(a->start[d], b->start[d],
              "%s: start[%zu], the row where document %zu begins (the last one: where all end)",
              kind, d, d);
    COUNT(a->n, b->n, "%s: rows of the batch", kind);
    for (; shown < less; shown++) {
        COUNT(a->input[shown], b->input[shown],
              "%s: input %zu: a document's first is BOS (%d), then come its tokens", kind,
              shown, tokenizer_bos(tokenizer));
        HINT(a->target[shown] == b->target[shown] || a->target[shown] != b->input[shown],
             "%s: target %zu is the input of the same row: it is the token after it", kind,
             shown);
        COUNT(a->target[shown], b->target[shown],
              "%s: target %zu: the next token of the document, though it be beyond ctx; after "
              "the last one the end, which is BOS (%d) again",
              kind, shown, tokenizer_bos(tokenizer));
    }
    HINT(a->nats == b->nats || (isnan(a->nats) && isnan(b->nats)),
         "%s: the entropy of a batch is that of its documents together: expected %g nats, got "
         "%g",
         kind, b->nats, a->nats);
}

static void load_both(Trainer *mine, Trainer *ours, const Corpus *texts, uint64_t index,
                      size_t most, const char *kind) {
    uint64_t at = index, at2 = index;
    mine->batch.n = mine->batch.documents = 77, mine->batch.nats = 5; /* of the batch before */
    train_load_documents(mine, texts, &at, most),
        SHIPPED(train_load_documents)(ours, texts, &at2, most);
    same_batch(mine, ours, kind);
    COUNT(at, at2, "%s: the index grows by one for each document, from %llu", kind,
          (unsigned long long)index);
}

GRADE(batch) {
    open_world();
    TrainConfig c = small();
    Trainer *mine = new_trainer(&c), *ours = new_trainer(&c);
    load_both(mine, ours, &corpus, fresh_below(1000), SIZE_MAX, "documents longer than ctx");
    Corpus file = short_documents();
    for (int round = 0; round < 3; round++)
        load_both(mine, ours, &file, fresh_below(20), SIZE_MAX,
                  "short documents, one of them empty");
    load_both(mine, ours, &file, 2, 2, "two documents, as asked for");
    load_both(mine, ours, &file, 3, 1, "one empty document");
    c.ctx = 300;
    trainer_close(mine), trainer_close(ours);
    mine = new_trainer(&c), ours = new_trainer(&c);
    load_both(mine, ours, &corpus, fresh_below(1000), SIZE_MAX, "documents of the world");
    trainer_close(mine), trainer_close(ours);
}

/* ------------------------------------------------------------------ the model */

static bool looked_up(const TrainBatch *b, size_t row) {
    for (size_t i = 0; i < b->n; i++)
        if ((size_t)b->input[i] == row) return true;
    return false;
}

static void same_gradient(const Trainer *mine, const Trainer *ours, const Parameter *p,
                          const float *before) {
    const float *a = mine->gradients + p->offset, *b = ours->gradients + p->offset;
    size_t n = p->rows * p->cols;
    float with[12 * 300];
    NEED(n <= 12 * 300);
    for (size_t i = 0; i < n; i++) with[i] = b[i] + before[p->offset + i];
    HINT(near(a, b, n, 1e-5) || !near(a, with, n, 1e-4),
         "%s: what the last step left is still in the gradient: all gradients begin at 0",
         p->name);
    if (strcmp(p->name, "token_embd.weight") == 0)
        for (size_t row = 0; row < p->rows; row++)
            NUMBERS(a + row * p->cols, b + row * p->cols, p->cols, 1e-5,
                    "the gradient of the embedding, the row of token %zu, which is %s", row,
                    looked_up(&ours->batch, row)
                        ? "looked up in this batch: it gets its part as a row of the head, and "
                          "one for each time that it was looked up"
                        : "not in this batch: it is a row of the head all the same");
    NUMBERS(a, b, n, 1e-5,
            "the gradient of %s (a gradient is by the mean loss of a token: each row has its "
            "weight / n; a norm has the eps of the configuration on the way back, too)",
            p->name);
}

/* The sum of the losses as if each weight were 1. */
static double unweighted(const Trainer *t) {
    double sum = 0;
    for (size_t i = 0; i < t->batch.n; i++) sum += t->losses[i] / (double)t->batch.weight[i];
    return sum;
}

static void there_and_back(Trainer *mine, Trainer *ours, uint64_t index) {
    static float before[50000];
    uint64_t at = index, at2 = index;
    NEED(ours->size <= 50000);
    train_load_batch(mine, &corpus, &at, SIZE_MAX),
        train_load_batch(ours, &corpus, &at2, SIZE_MAX);
    shake(mine, ours);
    fresh_floats(ours->batch.weight, ours->batch.n, 0.2, 3);
    memcpy(mine->batch.weight, ours->batch.weight, ours->batch.n * sizeof(float));
    memcpy(before, ours->gradients, ours->size * sizeof *before);
    size_t n = ours->batch.n, numbers = n * ours->config.vocab;
    double loss = train_forward(mine, false), want = SHIPPED(train_forward)(ours, false);
    size_t head = ours->config.shape.head_dim / 2;
    NUMBERS(
        mine->cosine, ours->cosine, n * head, 1e-6,
        "the cosines of the rows' angles: positions count from the beginning of each document");
    NUMBERS(
        mine->sine, ours->sine, n * head, 1e-6,
        "the sines of the rows' angles: positions count from the beginning of each document");
    NUMBERS(mine->logits, ours->logits, numbers, 1e-3,
            "the logits: a row of the embedding for each token, all %zu blocks, the last norm "
            "(with the eps of the configuration, %g), and the embedding as head",
            ours->config.layers, (double)ours->config.shape.eps);
    HINT(!close_to(loss, want / (double)n, 1e-3),
         "train_forward() returns the sum over all rows, not the mean");
    HINT(!close_to(loss, unweighted(ours), 1e-3),
         "a row's loss is multiplied by its weight (batch.weight), and here it is not");
    NUMBER(loss, want, 1e-3 * want,
           "the loss of the batch: the surprise at the target of each row times its weight, "
           "summed");
    loss = train_forward(mine, true), want = SHIPPED(train_forward)(ours, true);
    NUMBER(loss, want, 1e-3 * want,
           "the loss, when gradients are wanted: the same as when not");
    float sum = 0, scaled = 0;
    for (size_t i = 0; i < numbers; i++)
        sum += fabsf(mine->logits[i]), scaled += fabsf(ours->logits[i]);
    HINT(!close_to((double)sum, (double)(scaled * (float)n), 1e-2 * (double)sum),
         "the gradient of the mean loss is wanted: each row's is scaled by 1 / n");
    NUMBERS(mine->logits, ours->logits, numbers, 1e-5,
            "where gradients are wanted, the logits become the gradients by them "
            "(cross_entropy_backward, scale weight / n)");
    train_backward(mine), SHIPPED(train_backward)(ours);
    for (size_t i = ours->n_parameters; i-- > 0;)
        same_gradient(mine, ours, &ours->parameters[i], before);
}

/* The loss must not depend on which thread has which rows. */
static void by_threads(void) {
    enum { TIMES = 200 };
    Fault fault;
    TrainConfig c = small();
    c.layers = 1, c.batch_tokens = 600;
    trainee_pool = pool_open(4, false, &fault);
    NEED(trainee_pool);
    Trainer *mine = new_trainer(&c);
    uint64_t at = fresh_below(10000);
    train_load_batch(mine, &corpus, &at, SIZE_MAX);
    double first = train_forward(mine, false);
    for (int i = 0; i < TIMES; i++) {
        double again = train_forward(mine, i % 2);
        HINT(again == first,
             "the loss of one batch on four threads is %.17g, then %.17g: threads that add to "
             "one variable race.  Write each row's loss to t->losses, and add them up when "
             "pool_for() is done",
             first, again);
    }
    trainer_close(mine), pool_close(trainee_pool);
    trainee_pool = NULL;
}

static size_t asked;
static double found(Trainer *t) {
    asked++;
    for (size_t i = 0; i < t->size; i++) t->gradients[i] = 0.25f;
    return 4567;
}

/* Loss and gradients that something else finds (trainer.h: elsewhere). */
static void by_another(Trainer *t) {
    uint64_t at = fresh_below(10000);
    train_load_batch(t, &corpus, &at, SIZE_MAX);
    t->elsewhere = found;
    double loss = train_forward(t, false);
    HINT(asked == 0 && loss != 4567,
         "t->elsewhere finds gradients: where none are wanted, train_forward() computes the "
         "loss itself");
    loss = train_forward(t, true);
    HINT(asked == 1 && loss == 4567,
         "with gradients, train_forward() returns what t->elsewhere(t) returns, if it is set: "
         "expected 4567, got %g",
         loss);
    train_backward(t);
    for (size_t i = 0; i < t->size; i++)
        HINT(t->gradients[i] == 0.25f,
             "t->elsewhere has found the gradients: train_backward() leaves them as they are");
    HINT(asked == 1, "t->elsewhere finds a batch's loss and gradients once, in "
                     "train_forward(): train_backward() does not call it again");
    t->elsewhere = NULL;
}

GRADE(whole_model) {
    open_world();
    TrainConfig c = small();
    c.layers = 5 + fresh_below(4), c.shape.eps = 0.05f;
    Trainer *mine = new_trainer(&c), *ours = new_trainer(&c);
    for (int round = 0; round < 3; round++) there_and_back(mine, ours, fresh_below(10000));
    by_another(mine);
    corpus = short_documents();
    there_and_back(mine, ours, fresh_below(8));
    trainer_close(mine), trainer_close(ours);
    corpus = of_world();
    by_threads();
}

/* ------------------------------------------------------------------ a step */

static const char *rate_words(const TrainConfig *c, size_t step) {
    if (step < c->warmup)
        return "the rate rises in a straight line over the warm-up: step 0 has a first part of "
               "it, step warmup - 1 has all of learning_rate";
    if (step >= c->steps) return "after the last step the rate stays at final_rate";
    return "after the warm-up the rate falls from learning_rate to final_rate by half a wave "
           "of the cosine";
}

static void run_both(const TrainConfig *c, size_t steps) {
    Trainer *mine = new_trainer(c), *ours = new_trainer(c);
    for (size_t i = 0; i < steps; i++) {
        TrainStep a = trainer_step(mine), b = SHIPPED(trainer_step)(ours);
        NUMBER(a.rate, b.rate, 1e-9,
               "the rate of step %zu (from 0) of %zu with a warm-up of %zu: %s", i, c->steps,
               c->warmup, rate_words(c, i));
        HINT(!close_to(a.loss, b.loss * (double)ours->batch.n, 1e-2),
             "the loss of a step is that of a token: the sum of the batch divided by its %zu "
             "rows",
             ours->batch.n);
        NUMBER(a.loss, b.loss, 1e-5,
               "the loss of step %zu, from before its update, on the documents that come next",
               i);
        NUMBER(a.gradient_norm, b.gradient_norm, 1e-5 * (1 + b.gradient_norm),
               "the gradient's norm of step %zu, which train_update() returns", i);
        COUNT(a.step, b.step, "the steps done, after step %zu (from 0)", i);
        COUNT(trainer_steps_done(mine), b.step,
              "the steps done that the trainer counts, after step %zu (from 0): the update "
              "asks for it",
              i);
        COUNT(a.tokens, b.tokens, "the tokens read in all steps so far");
        COUNT(mine->next_document, ours->next_document,
              "the document with which the next step begins");
        NUMBERS(mine->values, ours->values, ours->size, 1e-5, "the weights after step %zu", i);
    }
    trainer_close(mine), trainer_close(ours);
}

GRADE(step) {
    open_world();
    TrainConfig c = small();
    run_both(&c, c.steps + 3);
    c.warmup = 0, c.steps = 1;
    run_both(&c, 3);
    c.warmup = c.steps = 3;
    run_both(&c, 5);
    corpus = short_documents(); /* batches of many documents, of different sizes */
    run_both(&c, 5);
}

GRADES({"5.6", batch}, {"5.7", whole_model}, {"5.10", step})
