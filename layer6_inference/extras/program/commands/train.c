/* train.c - strata train: learn a vocabulary and a model. */
#include "input.h"
#include "compute.h"
#include "train_families.h"
#include "train_lora.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct Job {
    const char *out, *size, *mixer, *corpus, *vocab_from, *from, *checkpoint, *log;
    uint64_t seed;
    /* 0: not given */
    long steps, batch, dim, hidden, layers, heads, kv_heads, vocab, ctx;
    long eval_every, eval_documents, save_every;
    double rate;
    long lora;
    bool resume, masked;
    ComputeOptions compute;
    TrainConfig config;
} Job;

/* Everything a run holds open. */
typedef struct Run {
    World *world;
    Corpus corpus, held_out;
    bool holds_out; /* nothing of held_out is learned */
    unsigned char *vocab_bytes;
    GgufFile vocab_file;
    Gguf vocab;
    Tokenizer *tokenizer;
    Trainer *trainer;
    FILE *log;
} Run;

/* ------------------------------------------------------------------ the vocabulary */

/* Take the vocabulary of another model: a draft must share that of the model that verifies it. */
static bool borrow_vocab(Job *job, Run *run, Fault *fault) {
    return gguf_open(&run->vocab_file, &run->vocab, job->vocab_from, fault);
}

static bool open_tokenizer(Job *job, Run *run, Fault *fault) {
    if (job->from) job->vocab_from = job->from;
    bool ok = job->vocab_from ? borrow_vocab(job, run, fault)
                              : corpus_learn_vocab(&run->corpus, job->config.vocab, job->masked,
                                                   &run->vocab_bytes, &run->vocab, fault);
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

/* Of a file too small to hold anything out the first documents stand in, and nobody calls them held out. */
static void evaluate(Run *run, size_t documents, double *loss, double *floor) {
    if (!run->world) documents = min_size(documents, run->held_out.count);
    trainer_evaluate(run->trainer, &run->held_out, 0, documents, loss, floor);
    fprintf(stderr, "%sloss %.4f nats/token", run->holds_out ? "held-out " : "", *loss);
    if (!isnan(*floor))
        fprintf(stderr, ", entropy %.4f: %.2f %% above", *floor, 100 * (*loss / *floor - 1));
    fputc('\n', stderr);
}

static void show_progress(const Job *job, const TrainStep *s, double loss, double speed,
                          double left) {
    bool terminal = isatty(STDERR_FILENO);
    if (!terminal && s->step % 100) return;
    fprintf(stderr, "%sstep %zu of %zu  loss %.4f  %.0f tokens/s  %d:%02d:%02d left%s",
            terminal ? "\r" : "", s->step, job->config.steps, loss, speed, (int)(left / 3600),
            (int)(left / 60) % 60, (int)left % 60, terminal ? "   " : "\n");
}

/* The log first: a run that goes on from the checkpoint finds every line before it. */
static bool save(const Job *job, Run *run, Fault *fault) {
    return !job->checkpoint || ((!run->log || train_log_sync(run->log, fault)) &&
                                trainer_save(run->trainer, job->checkpoint, fault));
}

/* A line of the log every ten steps, with the held-out loss now and then. */
static bool log_step(const Job *job, Run *run, const TrainStep *s, double speed, Fault *fault) {
    bool last = s->step == job->config.steps,
         look = last || s->step % (size_t)job->eval_every == 0;
    double heldout[2] = {0, 0};
    if (look) {
        fputc('\n', stderr);
        evaluate(run, (size_t)job->eval_documents * (last ? 20 : 1), &heldout[0], &heldout[1]);
        if (!job->masked) print_sample(run, s->step);
    }
    return !run->log || (s->step % 10 && !look) ||
           train_log_add(run->log, s, speed, look && run->holds_out ? heldout : NULL, fault);
}

static bool train(const Job *job, Run *run, Fault *fault) {
    double mean = 0, start = clock_seconds();
    size_t first_step = trainer_steps_done(run->trainer), first_tokens = 0;
    while (trainer_steps_done(run->trainer) < job->config.steps) {
        TrainStep s = job->lora ? trainer_step_lora(run->trainer) : trainer_step(run->trainer);
        if (!trainer_ok(run->trainer, fault)) return false;
        double elapsed = clock_seconds() - start;
        mean = mean == 0 ? s.loss : 0.95 * mean + 0.05 * s.loss;
        if (s.step == first_step + 1) first_tokens = s.tokens - s.tokens / s.step;
        double speed = (double)(s.tokens - first_tokens) / elapsed,
               each = elapsed / (double)(s.step - first_step);
        show_progress(job, &s, mean, speed, each * (double)(job->config.steps - s.step));
        if (!log_step(job, run, &s, speed, fault)) return false;
        bool due = s.step == job->config.steps || s.step % (size_t)job->save_every == 0;
        if (due && !save(job, run, fault)) return false;
    }
    return true;
}

static bool open_corpora(const Job *job, Run *run, Fault *fault) {
    if (job->corpus) return corpus_open_file(&run->corpus, job->corpus, fault);
    if (!(run->world = world_open(fault))) return false;
    run->corpus = (Corpus){.world = run->world, .seed = job->seed};
    run->held_out = (Corpus){.world = run->world, .seed = job->seed + 1};
    return run->holds_out = true;
}

/* The last tenth of a file with enough documents is kept for looks at what was not learned. */
static void hold_out(Run *run) {
    enum { LEAST = 100, MOST = 2000 };
    size_t tenth = min_size(run->corpus.count / 10, MOST);
    run->held_out = run->corpus;
    run->holds_out = tenth >= LEAST;
    if (run->holds_out) {
        run->corpus.count -= tenth;
        run->held_out.documents += run->corpus.count, run->held_out.count = tenth;
        fprintf(stderr, "the last %zu documents are held out\n", tenth);
    } else {
        fprintf(stderr,
                "nothing is held out of %zu documents: with %d or more the last tenth is\n",
                run->corpus.count, 10 * LEAST);
    }
}

/* What is too long for the model becomes several documents. */
static bool cut_corpus(const Job *job, Run *run, Fault *fault) {
    size_t before = run->corpus.count, cut;
    if (!job->corpus) return true;
    if (!corpus_cut(&run->corpus, run->tokenizer, job->config.ctx, &cut, fault)) return false;
    if (cut)
        fprintf(stderr,
                "%zu of %zu documents are longer than %zu tokens (--ctx): cut into %zu\n", cut,
                before, job->config.ctx, run->corpus.count - before + cut);
    hold_out(run);
    return true;
}

static void close_run(Run *run) {
    trainer_close(run->trainer);
    tokenizer_close(run->tokenizer);
    gguf_close(&run->vocab_file, &run->vocab);
    free(run->vocab_bytes);
    corpus_close(&run->corpus);
    world_close(run->world);
    if (run->log) fclose(run->log);
}

/* Everything up to the first step. */
static bool open_run(Job *job, Run *run, Fault *fault) {
    if (!compute_open(&job->compute, fault) || !open_corpora(job, run, fault) ||
        !open_tokenizer(job, run, fault) || !cut_corpus(job, run, fault))
        return false;
    run->trainer = trainer_open(&job->config, &run->corpus, run->tokenizer, &run->vocab,
                                job->compute.pool, fault);
    if (!run->trainer) return false;
    if (job->from && !trainer_begin_from(run->trainer, &run->vocab, fault)) return false;
    if (job->lora && !trainer_begin_lora(run->trainer, (size_t)job->lora, fault)) return false;
    if (job->resume && access(job->checkpoint, F_OK) == 0 &&
        !trainer_load(run->trainer, job->checkpoint, fault))
        return false;
    if (job->log) run->log = train_log_open(job->log, trainer_steps_done(run->trainer), fault);
    return run->log || !job->log;
}

static bool export(const Job *job, const Run *run, Fault *fault) {
    const char *slash = strrchr(job->out, '/'), *name = slash ? slash + 1 : job->out;
    return job->lora ? trainer_export_lora(run->trainer, name, job->out, fault)
                     : trainer_export(run->trainer, name, DTYPE_F16, job->out, fault);
}

static bool run_training(Job *job, Fault *fault) {
    Run run = {0};
    bool ok = open_run(job, &run, fault);
    if (ok) {
        fprintf(stderr,
                "%zu parameters, %zu layers, vocabulary %zu; step %zu of %zu; %d threads, %s\n",
                job->lora ? trainer_lora_parameters(run.trainer)
                          : train_parameters(&job->config),
                job->config.layers, job->config.vocab, trainer_steps_done(run.trainer),
                job->config.steps, pool_threads(job->compute.pool), kernels_isa());
        ok = train(job, &run, fault) && export(job, &run, fault);
        if (ok) fprintf(stderr, "%s is written\n", job->out);
    }
    close_run(&run);
    compute_close(&job->compute);
    return ok;
}

/* ------------------------------------------------------------------ options */

static void override(size_t *value, long given) {
    if (given > 0) *value = (size_t)given;
}

/* What moves between the tokens of a layer. */
static bool choose_mixer(const Job *job, TrainConfig *config, Fault *fault) {
    bool delta = strcmp(job->mixer, "delta") == 0;
    if (!delta && strcmp(job->mixer, "attention") != 0)
        return fault_set(fault, "--mixer %.40s: wanted attention or delta", job->mixer);
    if (delta && job->masked)
        return fault_set(fault,
                         "--mixer delta: a memory reads from left to right, and fills no "
                         "open places (--masked)");
    if (delta && job->lora)
        return fault_set(fault,
                         "--mixer delta: adapters (--lora) are learned beside attention");
    config->family = delta ? &train_delta_family : NULL;
    return true;
}

static bool configure(Job *job, Fault *fault) {
    if (strcmp(job->size, "storyteller") == 0)
        job->config = train_config_storyteller();
    else if (strcmp(job->size, "draft") == 0)
        job->config = train_config_draft();
    else
        return fault_set(fault, "--size %.40s: wanted storyteller or draft", job->size);
    TrainConfig *c = &job->config;
    if (job->lora) c->steps = 150, c->learning_rate = 2e-3;
    override(&c->steps, job->steps);
    override(&c->batch_tokens, job->batch);
    override(&c->shape.dim, job->dim);
    override(&c->shape.hidden, job->hidden);
    override(&c->layers, job->layers);
    override(&c->shape.heads, job->heads);
    override(&c->shape.kv_heads, job->kv_heads);
    override(&c->vocab, job->vocab);
    override(&c->ctx, job->ctx);
    if (c->shape.dim % c->shape.heads)
        return fault_set(fault, "%zu heads do not divide a width of %zu: see --heads and --dim",
                         c->shape.heads, c->shape.dim);
    if (job->heads > 0 || job->dim > 0) c->shape.head_dim = c->shape.dim / c->shape.heads;
    c->shape.both_ways = job->masked;
    if (!choose_mixer(job, c, fault)) return false;
    if (job->rate > 0) c->learning_rate = job->rate;
    c->seed = job->seed;
    return true;
}

static const OptionRule rules[] = {
    {"--resume", NEEDS, "--checkpoint", "that is where the run is saved"},
    {"--save-every", NEEDS, "--checkpoint", "that is where the run is saved"},
    {"--lora", NEEDS, "--from", "an adapter is learned beside weights that are there"},
    {"--lora", NOT_WITH, "--masked", "adapters are learned beside a model that is causal"},
    {"--lora", NOT_WITH, "--checkpoint",
     "it is learned in a minute: nothing is saved on the way"},
    {"--from", NOT_WITH, "--vocab-from",
     "--from takes the model's vocabulary: leave --vocab-from out"},
    {"--vocab", NOT_WITH, "--from --vocab-from", "it is the size of a vocabulary to learn"},
    {0},
};

/* Before hours of work, not after; and what hours of work have left is not lost. */
static bool can_write(const Job *job, Fault *fault) {
    if (!file_writable(job->out, fault) ||
        (job->checkpoint && !file_writable(job->checkpoint, fault)) ||
        (job->log && !file_writable(job->log, fault)))
        return false;
    if (job->checkpoint && !job->resume && access(job->checkpoint, F_OK) == 0)
        return fault_set(fault,
                         "%.200s is there already: --resume goes on with a run that is saved "
                         "there, or give another name",
                         job->checkpoint);
    return true;
}

static int run(int argc, char **argv) {
    Job job = {.size = "storyteller",
               .mixer = "attention",
               .seed = 1,
               .eval_every = 250,
               .eval_documents = 100};
    Fault fault;
    const Option options[] = {
        {"--out", OPT_OUTPUT, &job.out, "FILE", "where the model goes (GGUF, F16)"},
        {"--size", OPT_TEXT, &job.size, "NAME",
         "storyteller or draft: the two models in the box"},
        {"--mixer", OPT_TEXT, &job.mixer, "NAME",
         "what moves between tokens: attention, or delta, a memory of fixed size in every "
         "layer"},
        {"--corpus", OPT_TEXT, &job.corpus, "FILE",
         "train on this text, a line <|endoftext|> after each document (Tiny World); of 1000 "
         "documents or more the last tenth, at most 2000, is held out"},
        {"--from", OPT_TEXT, &job.from, "FILE",
         "begin with the weights and the vocabulary of this model of the same shape"},
        {"--masked", OPT_FLAG, &job.masked, NULL,
         "learn to fill open places in any order (a diffusion model, for strata diffuse), not "
         "to continue"},
        {"--lora", OPT_INT(1, 512), &job.lora, "RANK",
         "learn an adapter of this rank instead of weights: for --adapter of strata generate"},
        {"--vocab-from", OPT_TEXT, &job.vocab_from, "FILE",
         "use the vocabulary of this model (learn one)"},
        {"--steps", OPT_INT(1, OPTION_MANY), &job.steps, "N", "updates"},
        {"--batch", OPT_INT(1, 1 << 24), &job.batch, "N", "tokens in a batch, at least"},
        {"--rate", OPT_REAL(1e-9, 10), &job.rate, "X", "highest learning rate"},
        {"--dim", OPT_INT(2, 1 << 16), &job.dim, "N", "width of the residual stream"},
        {"--hidden", OPT_INT(1, 1 << 18), &job.hidden, "N",
         "width of the feed-forward network"},
        {"--layers", OPT_INT(1, 64), &job.layers, "N", "blocks"},
        {"--heads", OPT_INT(1, 1 << 12), &job.heads, "N", "query heads; of delta, heads"},
        {"--kv-heads", OPT_INT(1, 1 << 12), &job.kv_heads, "N",
         "key-value heads; of delta, heads of keys"},
        {"--vocab", OPT_INT(260, 1 << 20), &job.vocab, "N", "tokens in the vocabulary"},
        {"--ctx", OPT_INT(2, 1 << 20), &job.ctx, "N",
         "tokens of a document that are read at once; longer ones are cut"},
        {"--seed", OPT_SEED, &job.seed, "N",
         "of the weights and of Tiny World (1), whose seed + 1 is held out"},
        {"--checkpoint", OPT_OUTPUT, &job.checkpoint, "FILE",
         "save the run here now and then, atomically"},
        {"--resume", OPT_FLAG, &job.resume, NULL,
         "continue from the checkpoint, to the bit, if there is one"},
        {"--log", OPT_OUTPUT, &job.log, "FILE", "CSV of the run"},
        {"--save-every", OPT_INT(1, OPTION_MANY), &job.save_every, "N",
         "steps between checkpoints (250)"},
        {"--eval-every", OPT_INT(1, OPTION_MANY), &job.eval_every, "N",
         "steps between looks at held-out documents (250)"},
        {"--eval-documents", OPT_INT(1, 1000000), &job.eval_documents, "N",
         "how many of them (100), and twenty times as many at the end"},
        THREAD_OPTIONS(job.compute),
        PIN_OPTION(job.compute),
        {0},
    };
    const CommandLine line = {argc,
                              argv,
                              "train --out FILE [options]",
                              "Learn a vocabulary and a model.  The result depends on the "
                              "options and the seed alone, whatever the number of threads\n"
                              "and however often the run was stopped and resumed.",
                              options,
                              rules};
    int status = command_line_read(&line, NULL, 0, 0);
    if (status >= 0) return status;
    if (!job.out) fault_set(&fault, "give a name for the model: --out FILE");
    if (!job.out || !configure(&job, &fault)) {
        fprintf(stderr, "strata: %s (strata train --help says more)\n", fault.text);
        return EXIT_USAGE;
    }
    if (!job.save_every) job.save_every = 250;
    return can_write(&job, &fault) && run_training(&job, &fault) ? EXIT_DONE
                                                                 : command_failed(&fault);
}

const Command command_train = {
    .name = "train", .gloss = "learn a vocabulary and a model", .run = run};
