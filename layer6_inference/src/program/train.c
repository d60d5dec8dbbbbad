/* train.c - strata train: learn a vocabulary and a model. */
#include "input.h"
#include "options.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct Job {
    const char *out, *size, *corpus, *vocab_from, *from, *checkpoint, *log;
    long steps, batch, seed, dim, hidden, layers, heads, kv_heads, vocab, ctx, eval_every,
        eval_documents, save_every;
    double rate;
    bool resume;
    Machine machine;
    TrainConfig config;
} Job;

/* Everything a run holds open. */
typedef struct Run {
    World *world;
    Corpus corpus, held_out;
    unsigned char *vocab_bytes;
    FileMap vocab_file;
    Gguf vocab;
    Tokenizer *tokenizer;
    Trainer *trainer;
    FILE *log;
} Run;

enum { VOCAB_DOCUMENTS = 20000 };

static const char *const specials[] = {"<|endoftext|>", "<|im_start|>", "<|im_end|>"};

/* ------------------------------------------------------------------ the vocabulary */

static bool learn_vocab(const Job *job, Run *run, Fault *fault) {
    size_t n = run->corpus.world || run->corpus.count > VOCAB_DOCUMENTS ? VOCAB_DOCUMENTS
                                                                        : run->corpus.count,
           size;
    Text *texts = calloc(n, sizeof *texts);
    GgufWriter *writer = gguf_writer_open(fault);
    WorldText scratch = {0};
    double nats;
    bool ok = texts && writer;
    for (size_t i = 0; ok && i < n; i++) {
        Text text = corpus_document(&run->corpus, i, &scratch, &nats);
        char *copy = malloc(text.size + 1);
        if (copy)
            memcpy(copy, text.data, text.size);
        else
            ok = fault_set(fault, "no memory for %zu documents", n);
        texts[i] = (Text){copy, text.size};
    }
    ok = ok && bpe_train(texts, n, specials, 3, job->config.vocab, writer, fault) &&
         gguf_write_memory(writer, &run->vocab_bytes, &size, fault) &&
         gguf_parse(&run->vocab, run->vocab_bytes, size, fault);
    for (size_t i = 0; texts && i < n; i++) free((char *)texts[i].data);
    free(texts);
    world_text_free(&scratch);
    gguf_writer_close(writer);
    return ok;
}

/* Take the vocabulary of another model: two models that speak the same tokens can check each
 * other. */
static bool borrow_vocab(Job *job, Run *run, Fault *fault) {
    return open_gguf(job->vocab_from, &run->vocab_file, &run->vocab, fault);
}

static bool open_tokenizer(Job *job, Run *run, Fault *fault) {
    if (job->from) job->vocab_from = job->from;
    bool ok = job->vocab_from ? borrow_vocab(job, run, fault) : learn_vocab(job, run, fault);
    if (!ok || !(run->tokenizer = tokenizer_open(&run->vocab, fault))) return false;
    job->config.vocab = tokenizer_count(run->tokenizer);
    return true;
}

/* ------------------------------------------------------------------ the run */

static void print_sample(Run *run, uint64_t seed) {
    WorldText text = {0};
    trainer_sample(run->trainer, text_of("Once upon a time"), 160, 0.8, seed, &text);
    fprintf(stderr, "\n    \"%s\"\n\n", text.bytes);
    world_text_free(&text);
}

static void evaluate(Run *run, size_t documents, double *loss, double *floor) {
    /* a file has no second seed: its first documents stand in, and the log says what they
     * are */
    trainer_evaluate(run->trainer, &run->held_out, 0, documents, loss, floor);
    if (isnan(*floor))
        fprintf(stderr, "loss %.4f nats/token\n", *loss);
    else
        fprintf(stderr, "held-out loss %.4f nats/token, entropy %.4f: %.2f %% above\n", *loss,
                *floor, 100 * (*loss / *floor - 1));
}

/* Lines of the log up to a step: what came after the checkpoint will be written again. */
static bool open_log(const Job *job, Run *run, size_t step, Fault *fault) {
    static const char head[] =
        "step,tokens,loss,rate,gradient_norm,tokens_per_second,heldout_loss,floor\n";
    FileMap old;
    Fault ignored;
    if (!job->log) return true;
    bool kept = step > 0 && file_open(&old, job->log, &ignored);
    char *copy = kept ? malloc(old.size + 1) : NULL;
    size_t size = kept ? old.size : 0;
    if (copy) memcpy(copy, old.data, size), copy[size] = 0;
    if (kept) file_close(&old);
    run->log = fopen(job->log, "w");
    if (!run->log) {
        free(copy);
        return fault_set(fault, "%s cannot be written", job->log);
    }
    if (!copy) {
        fputs(head, run->log);
        return true;
    }
    for (char *line = copy, *end; (end = strchr(line, '\n')) != NULL; line = end + 1)
        if ((size_t)strtoull(line, NULL, 10) <= step)
            fwrite(line, 1, (size_t)(end + 1 - line), run->log);
    free(copy);
    return true;
}

static void show_progress(const Job *job, const TrainStep *s, double loss, double speed,
                          double left) {
    bool terminal = isatty(STDERR_FILENO);
    if (!terminal && s->step % 100) return;
    fprintf(stderr, "%sstep %zu of %zu  loss %.4f  %.0f tokens/s  %d:%02d:%02d left%s",
            terminal ? "\r" : "", s->step, job->config.steps, loss, speed, (int)(left / 3600),
            (int)(left / 60) % 60, (int)left % 60, terminal ? "   " : "\n");
}

static bool save(const Job *job, Run *run, Fault *fault) {
    return !job->checkpoint || trainer_save(run->trainer, job->checkpoint, fault);
}

/* A line of the log every ten steps, with the held-out loss now and then. */
static void log_step(const Job *job, Run *run, const TrainStep *s, double speed) {
    bool look = (job->eval_every && s->step % (size_t)job->eval_every == 0) ||
                s->step == job->config.steps;
    double loss = 0, floor = 0;
    if (look) {
        fputc('\n', stderr);
        evaluate(run, (size_t)job->eval_documents * (s->step == job->config.steps ? 20 : 1),
                 &loss, &floor);
        print_sample(run, s->step);
    }
    if (!run->log || (s->step % 10 && !look)) return;
    fprintf(run->log, "%zu,%zu,%.5f,%.6g,%.4f,%.0f,", s->step, s->tokens, s->loss, s->rate,
            s->gradient_norm, speed);
    if (look)
        fprintf(run->log, "%.5f,%.5f\n", loss, floor);
    else
        fprintf(run->log, ",\n");
    fflush(run->log);
}

static bool train(const Job *job, Run *run, Fault *fault) {
    double mean = 0, start = clock_seconds();
    size_t first_step = trainer_steps_done(run->trainer), first_tokens = 0;
    while (trainer_steps_done(run->trainer) < job->config.steps) {
        TrainStep s = trainer_step(run->trainer);
        if (!trainer_ok(run->trainer, fault)) return false;
        double elapsed = clock_seconds() - start;
        mean = mean == 0 ? s.loss : 0.95 * mean + 0.05 * s.loss;
        if (s.step == first_step + 1) first_tokens = s.tokens - s.tokens / s.step;
        double speed = (double)(s.tokens - first_tokens) / elapsed,
               each = elapsed / (double)(s.step - first_step);
        show_progress(job, &s, mean, speed, each * (double)(job->config.steps - s.step));
        log_step(job, run, &s, speed);
        bool last = s.step == job->config.steps;
        if ((last || (job->save_every && s.step % (size_t)job->save_every == 0)) &&
            !save(job, run, fault))
            return false;
    }
    return true;
}

static bool open_corpora(const Job *job, Run *run, Fault *fault) {
    if (job->corpus) {
        if (!corpus_open_file(&run->corpus, job->corpus, fault)) return false;
        run->held_out = run->corpus;
        return true;
    }
    if (!(run->world = world_open(fault))) return false;
    run->corpus = (Corpus){.world = run->world, .seed = (uint64_t)job->seed};
    run->held_out = (Corpus){.world = run->world, .seed = (uint64_t)job->seed + 1};
    return true;
}

static void close_run(Run *run) {
    trainer_close(run->trainer);
    tokenizer_close(run->tokenizer);
    gguf_free(&run->vocab);
    file_close(&run->vocab_file);
    free(run->vocab_bytes);
    corpus_close(&run->corpus);
    world_close(run->world);
    if (run->log) fclose(run->log);
}

static bool run_training(Job *job, Fault *fault) {
    Run run = {0};
    bool ok = machine_open(&job->machine, fault) && open_corpora(job, &run, fault) &&
              open_tokenizer(job, &run, fault);
    ok = ok && (run.trainer = trainer_open(&job->config, &run.corpus, run.tokenizer, &run.vocab,
                                           job->machine.pool, fault));
    if (ok && job->from) ok = trainer_begin_from(run.trainer, &run.vocab, fault);
    if (ok && job->resume && job->checkpoint && access(job->checkpoint, R_OK) == 0)
        ok = trainer_load(run.trainer, job->checkpoint, fault);
    if (ok) {
        fprintf(stderr,
                "%zu parameters, %zu layers, vocabulary %zu; step %zu of %zu; %d threads, %s\n",
                train_parameters(&job->config), job->config.layers, job->config.vocab,
                trainer_steps_done(run.trainer), job->config.steps,
                pool_threads(job->machine.pool), kernels()->isa);
        const char *slash = strrchr(job->out, '/');
        ok = open_log(job, &run, trainer_steps_done(run.trainer), fault) &&
             train(job, &run, fault) &&
             trainer_export(run.trainer, slash ? slash + 1 : job->out, DTYPE_F16, job->out,
                            fault);
        if (ok) fprintf(stderr, "%s is written\n", job->out);
    }
    close_run(&run);
    machine_close(&job->machine);
    return ok;
}

/* ------------------------------------------------------------------ options */

static void override(size_t *value, long given) {
    if (given > 0) *value = (size_t)given;
}

static bool configure(Job *job) {
    if (strcmp(job->size, "storyteller") == 0)
        job->config = train_config_storyteller();
    else if (strcmp(job->size, "draft") == 0)
        job->config = train_config_draft();
    else
        return false;
    TrainConfig *c = &job->config;
    override(&c->steps, job->steps);
    override(&c->batch_tokens, job->batch);
    override(&c->shape.dim, job->dim);
    override(&c->shape.hidden, job->hidden);
    override(&c->layers, job->layers);
    override(&c->shape.heads, job->heads);
    override(&c->shape.kv_heads, job->kv_heads);
    override(&c->vocab, job->vocab);
    override(&c->ctx, job->ctx);
    if (job->heads > 0 || job->dim > 0) c->shape.head_dim = c->shape.dim / c->shape.heads;
    if (job->rate > 0) c->learning_rate = job->rate;
    c->seed = (uint64_t)job->seed;
    return true;
}

static int run(int argc, char **argv) {
    Job job = {.size = "storyteller",
               .seed = 1,
               .eval_every = 250,
               .eval_documents = 100,
               .save_every = 250};
    Fault fault;
    const Option options[] = {
        {"--out", OPT_TEXT, &job.out, "FILE", "where the model goes (GGUF, F16)"},
        {"--size", OPT_TEXT, &job.size, "NAME",
         "storyteller or draft: the two models in the box"},
        {"--corpus", OPT_TEXT, &job.corpus, "FILE",
         "train on this text, a line <|endoftext|> after each document (Tiny World)"},
        {"--from", OPT_TEXT, &job.from, "FILE",
         "begin with the weights and the vocabulary of this model of the same shape"},
        {"--vocab-from", OPT_TEXT, &job.vocab_from, "FILE",
         "use the vocabulary of this model (learn one)"},
        {"--steps", OPT_INT(1, OPTION_MANY), &job.steps, "N", "updates"},
        {"--batch", OPT_INT(1, OPTION_MANY), &job.batch, "N", "tokens in a batch, at least"},
        {"--rate", OPT_REAL(0, 1000), &job.rate, "X", "highest learning rate"},
        {"--dim", OPT_INT(1, OPTION_MANY), &job.dim, "N", "width of the residual stream"},
        {"--hidden", OPT_INT(1, OPTION_MANY), &job.hidden, "N",
         "width of the feed-forward network"},
        {"--layers", OPT_INT(1, OPTION_MANY), &job.layers, "N", "blocks"},
        {"--heads", OPT_INT(1, OPTION_MANY), &job.heads, "N", "query heads"},
        {"--kv-heads", OPT_INT(1, OPTION_MANY), &job.kv_heads, "N", "key-value heads"},
        {"--vocab", OPT_INT(1, OPTION_MANY), &job.vocab, "N", "tokens in the vocabulary"},
        {"--ctx", OPT_INT(1, OPTION_MANY), &job.ctx, "N", "longest document in tokens"},
        {"--seed", OPT_INT(0, 9e18), &job.seed, "N",
         "of the weights and of the corpus (1); seed + 1 is held out"},
        {"--checkpoint", OPT_TEXT, &job.checkpoint, "FILE",
         "save the run here now and then, atomically"},
        {"--resume", OPT_FLAG, &job.resume, NULL,
         "continue from the checkpoint, to the bit, if there is one"},
        {"--log", OPT_TEXT, &job.log, "FILE", "CSV of the run"},
        {"--save-every", OPT_INT(1, OPTION_MANY), &job.save_every, "N",
         "steps between checkpoints (250)"},
        {"--eval-every", OPT_INT(1, OPTION_MANY), &job.eval_every, "N",
         "steps between looks at held-out documents (250)"},
        {"--eval-documents", OPT_INT(1, OPTION_MANY), &job.eval_documents, "N",
         "how many of them (100), and twenty times as many at the end"},
        MACHINE_OPTIONS(job.machine),
        {0},
    };
    int status = options_read(argc, argv, "train --out FILE [options]",
                              "Learn a vocabulary and a model.  The result depends on the "
                              "options and the seed alone, whatever the number of threads\n"
                              "and however often the run was stopped and resumed.",
                              options, NULL, 0, 0);
    if (status >= 0) return status;
    if (!job.out || !configure(&job)) {
        fprintf(stderr, "strata: --out FILE is needed and --size is storyteller or draft "
                        "(--help says more)\n");
        return EXIT_USAGE;
    }
    return run_training(&job, &fault) ? EXIT_DONE : command_failed(&fault);
}

const Command command_train = {
    .name = "train", .gloss = "learn a vocabulary and a model", .run = run};
