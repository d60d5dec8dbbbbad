/* training.c - see training.h. */
#include "on_machines.h"
#include "train_runs.h"
#include "training.h"
#include "train_lora.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct Training {
    World *world;
    Corpus corpus, held_out;
    bool holds_out; /* held_out is excluded from training */
    unsigned char *vocab_bytes;
    GgufFile vocab_file;
    Gguf vocab;
    Tokenizer *tokenizer;
    Trainer *trainer;
    TrainParts *parts; /* NULL: one, on this machine */
    FILE *log;
} Training;

/* ------------------------------------------------------------------ the vocabulary */

/* Use another model's vocabulary: a draft model must share its target's. */
static bool borrow_vocab(TrainJob *job, Training *run, Fault *fault) {
    return gguf_open(&run->vocab_file, &run->vocab, job->vocab_from, fault);
}

static bool open_tokenizer(TrainJob *job, Training *run, Fault *fault) {
    if (job->from) job->vocab_from = job->from;
    bool ok = job->vocab_from ? borrow_vocab(job, run, fault)
                              : corpus_learn_vocab(&run->corpus, job->config.vocab, job->masked,
                                                   &run->vocab_bytes, &run->vocab, fault);
    if (ok && job->from)
        ok = train_take_shape(&job->config, &run->vocab, fault) && override_shape(job, fault);
    if (!ok || !(run->tokenizer = tokenizer_open(&run->vocab, fault))) return false;
    job->config.vocab = tokenizer_count(run->tokenizer);
    return true;
}

/* ------------------------------------------------------------------ the run */

static void print_training_sample(Training *run, uint64_t seed) {
    WorldText text = {0};
    trainer_sample(run->trainer, text_of("Once upon a time"), 160, 0.8, seed, &text);
    fprintf(stderr, "\n    \"%s\"\n\n", text.bytes);
    world_text_free(&text);
}

/* Without held-out documents, evaluates the first ones, without that label. */
static void evaluate_held_out(Training *run, size_t documents, double *loss, double *floor) {
    if (!run->world) documents = min_size(documents, run->held_out.count);
    trainer_evaluate(run->trainer, &run->held_out, 0, documents, loss, floor);
    fprintf(stderr, "%sloss %.4f nats/token", run->holds_out ? "held-out " : "", *loss);
    if (!isnan(*floor))
        fprintf(stderr, ", entropy %.4f: %.2f %% above", *floor, 100 * (*loss / *floor - 1));
    fputc('\n', stderr);
}

static void show_training(const TrainJob *job, const TrainStep *s, double loss, double speed,
                          double left) {
    bool terminal = isatty(STDERR_FILENO);
    if (!terminal && s->step % 100) return;
    fprintf(stderr, "%sstep %zu of %zu  loss %.4f  %.0f tokens/s  %d:%02d:%02d left%s",
            terminal ? "\r" : "", s->step, job->config.steps, loss, speed, (int)(left / 3600),
            (int)(left / 60) % 60, (int)left % 60, terminal ? "   " : "\n");
}

/* The log first: a run that resumes from the checkpoint finds every earlier line. */
static bool save_training(const TrainJob *job, Training *run, Fault *fault) {
    return !job->checkpoint || ((!run->log || train_log_sync(run->log, fault)) &&
                                trainer_save(run->trainer, job->checkpoint, fault));
}

/* Log every ten steps, at times with the held-out loss. */
static bool log_training_step(const TrainJob *job, Training *run, const TrainStep *s,
                              double speed, Fault *fault) {
    bool last = s->step == job->config.steps,
         look = last || s->step % (size_t)job->eval_every == 0;
    double heldout[2] = {0, 0};
    if (look) {
        fputc('\n', stderr);
        evaluate_held_out(run, (size_t)job->eval_documents * (last ? 20 : 1), &heldout[0],
                          &heldout[1]);
        if (!job->masked) print_training_sample(run, s->step);
    }
    return !run->log || (s->step % 10 && !look) ||
           train_log_add(run->log, s, speed, look && run->holds_out ? heldout : NULL, fault);
}

static bool train_to_end(const TrainJob *job, Training *run, Fault *fault) {
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
        show_training(job, &s, mean, speed, each * (double)(job->config.steps - s.step));
        if (!log_training_step(job, run, &s, speed, fault)) return false;
        bool due = s.step == job->config.steps || s.step % (size_t)job->save_every == 0;
        if (due && !save_training(job, run, fault)) return false;
    }
    return true;
}

static bool open_corpora(const TrainJob *job, Training *run, Fault *fault) {
    if (job->corpus) return corpus_open_file(&run->corpus, job->corpus, fault);
    if (!(run->world = world_open_named(job->world, fault))) return false;
    run->corpus = (Corpus){.world = run->world, .seed = job->seed};
    run->held_out = (Corpus){.world = run->world, .seed = job->seed + 1};
    return run->holds_out = true;
}

/* Hold out the last tenth of a file with enough documents. */
static void hold_out(Training *run) {
    enum { LEAST = 100, MOST = 2000 };
    size_t tenth = min_size(run->corpus.count / 10, MOST);
    run->held_out = run->corpus;
    run->holds_out = tenth >= LEAST;
    if (run->holds_out) {
        run->corpus.count -= tenth;
        run->held_out.documents += run->corpus.count, run->held_out.count = tenth;
        fprintf(stderr, "holding out the last %zu documents\n", tenth);
    } else {
        fprintf(stderr,
                "holding out none of %zu documents: the last tenth would be held out of %d or "
                "more\n",
                run->corpus.count, 10 * LEAST);
    }
}

/* Split documents that are longer than the context. */
static bool cut_corpus(const TrainJob *job, Training *run, Fault *fault) {
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

static void close_training(Training *run) {
    train_parts_close(run->parts);
    trainer_close(run->trainer);
    tokenizer_close(run->tokenizer);
    gguf_close(&run->vocab_file, &run->vocab);
    free(run->vocab_bytes);
    corpus_close(&run->corpus);
    world_close(run->world);
    if (run->log) fclose(run->log);
}

static bool open_trainer(TrainJob *job, Training *run, Fault *fault) {
    if (!compute_open(&job->compute, fault) || !open_corpora(job, run, fault) ||
        !open_tokenizer(job, run, fault) || !cut_corpus(job, run, fault))
        return false;
    run->trainer = trainer_open(&job->config, &run->corpus, run->tokenizer, &run->vocab,
                                job->compute.pool, fault);
    if (!run->trainer) return false;
    if (job->from && !trainer_begin_from(run->trainer, &run->vocab, fault)) return false;
    return !job->lora || trainer_begin_lora(run->trainer, (size_t)job->lora, fault);
}

/* What only the first machine has: the run so far, its log, and the parts that others find. */
static bool begin_training(const TrainJob *job, Training *run, Fault *fault) {
    if (job->resume && access(job->checkpoint, F_OK) == 0 &&
        !trainer_load(run->trainer, job->checkpoint, fault))
        return false;
    if (job->log) run->log = train_log_open(job->log, trainer_steps_done(run->trainer), fault);
    if (job->log && !run->log) return false;
    if (job->config.parts == 1 && machines_number() == 1) return true;
    run->parts = machines_train(run->trainer, job->config.parts, fault);
    return run->parts != NULL;
}

static bool export_trained(const TrainJob *job, const Training *run, Fault *fault) {
    const char *slash = strrchr(job->out, '/'), *name = slash ? slash + 1 : job->out;
    return job->lora ? trainer_export_lora(run->trainer, name, job->out, fault)
                     : trainer_export(run->trainer, name, DTYPE_F16, job->out, fault);
}

bool run_training(TrainJob *job, Fault *fault) {
    Training run = {0};
    bool ok = open_trainer(job, &run, fault);
    if (!machines_first()) {
        ok = machines_help_train(ok ? run.trainer : NULL, job->config.parts, fault);
    } else if (ok && (ok = begin_training(job, &run, fault))) {
        fprintf(stderr,
                "%zu parameters, %zu layers, vocabulary %zu; step %zu of %zu; %d threads, %s\n",
                job->lora ? trainer_lora_parameters(run.trainer)
                          : train_parameters(&job->config),
                job->config.layers, job->config.vocab, trainer_steps_done(run.trainer),
                job->config.steps, pool_threads(job->compute.pool), kernels_isa());
        ok = train_to_end(job, &run, fault) && export_trained(job, &run, fault);
        if (ok) fprintf(stderr, "%s is written\n", job->out);
    }
    close_training(&run);
    compute_close(&job->compute);
    return ok;
}
