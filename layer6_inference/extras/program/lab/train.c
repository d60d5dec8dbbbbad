/* train.c - strata train: its options, and what they make of a configuration.  The run is in
 * training.c. */
#include "commands.h"
#include "training.h"

#include <string.h>
#include <unistd.h>

static TrainJob asked = {.size = "storyteller",
                         .mixer = "attention",
                         .seed = 1,
                         .eval_every = 250,
                         .save_every = 250,
                         .eval_documents = 100};

static void override_size(size_t *value, long given) {
    if (given > 0) *value = (size_t)given;
}

/* What moves between the tokens of a layer. */
static bool choose_mixer(const TrainJob *job, TrainConfig *config, Fault *fault) {
    bool delta = strcmp(job->mixer, "delta") == 0;
    if (!delta && strcmp(job->mixer, "attention") != 0)
        return fault_set(fault, "--mixer %.40s: wanted attention or delta", job->mixer);
    if (delta && job->masked)
        return fault_set(fault, "--mixer delta: a memory reads from left to right, and fills "
                                "no open places (--masked)");
    if (delta && job->lora)
        return fault_set(fault,
                         "--mixer delta: adapters (--lora) are learned beside attention");
    config->family = delta ? &train_delta_family : NULL;
    return true;
}

static bool configure_training(TrainJob *job, Fault *fault) {
    if (strcmp(job->size, "storyteller") == 0)
        job->config = train_config_storyteller();
    else if (strcmp(job->size, "draft") == 0)
        job->config = train_config_draft();
    else
        return fault_set(fault, "--size %.40s: wanted storyteller or draft", job->size);
    TrainConfig *c = &job->config;
    if (job->lora) c->steps = 150, c->learning_rate = 2e-3;
    override_size(&c->steps, job->steps);
    override_size(&c->batch_tokens, job->batch);
    override_size(&c->shape.dim, job->dim);
    override_size(&c->shape.hidden, job->hidden);
    override_size(&c->layers, job->layers);
    override_size(&c->shape.heads, job->heads);
    override_size(&c->shape.kv_heads, job->kv_heads);
    override_size(&c->vocab, job->vocab);
    override_size(&c->ctx, job->ctx);
    if (c->shape.dim % c->shape.heads)
        return fault_set(fault, "%zu heads do not divide a width of %zu: see --heads and --dim",
                         c->shape.heads, c->shape.dim);
    if (job->heads > 0 || job->dim > 0) c->shape.head_dim = c->shape.dim / c->shape.heads;
    c->shape.bidirectional = job->masked, c->hide = job->masked ? train_hide_tokens : NULL;
    if (!choose_mixer(job, c, fault)) return false;
    if (job->rate > 0) c->learning_rate = job->rate;
    c->seed = job->seed;
    return true;
}

static const OptionRule train_rules[] = {
    {"--resume --save-every", NEEDS, "--checkpoint", "that is where the run is saved"},
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
static bool can_write_training(const TrainJob *job, Fault *fault) {
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

static const Option train_options[] = {
    {"--out", OPT_OUTPUT, &asked.out, "FILE", "where the model goes (GGUF, F16)"},
    {"--size", OPT_TEXT, &asked.size, "NAME",
     "storyteller or draft: the two models in the box"},
    {"--mixer", OPT_TEXT, &asked.mixer, "NAME",
     "what moves between tokens: attention, or delta, a memory of fixed size in every layer"},
    {"--corpus", OPT_TEXT, &asked.corpus, "FILE",
     "train on this text, a line <|endoftext|> after each document (Tiny World); of 1000 "
     "documents or more the last tenth, at most 2000, is held out"},
    {"--from", OPT_TEXT, &asked.from, "FILE",
     "begin with the weights and the vocabulary of this model of the same shape"},
    {"--masked", OPT_FLAG, &asked.masked, NULL,
     "learn to fill open places in any order (a diffusion model, for strata diffuse), not to "
     "continue"},
    {"--lora", OPT_INT(1, 512), &asked.lora, "RANK",
     "learn an adapter of this rank instead of weights: for --adapter of strata generate"},
    {"--vocab-from", OPT_TEXT, &asked.vocab_from, "FILE",
     "use the vocabulary of this model (learn one)"},
    {"--steps", OPT_INT(1, OPTION_MANY), &asked.steps, "N", "updates"},
    {"--batch", OPT_INT(1, 1 << 24), &asked.batch, "N", "tokens in a batch, at least"},
    {"--rate", OPT_REAL(1e-9, 10), &asked.rate, "X", "highest learning rate"},
    {"--dim", OPT_INT(2, 1 << 16), &asked.dim, "N", "width of the residual stream"},
    {"--hidden", OPT_INT(1, 1 << 18), &asked.hidden, "N", "width of the feed-forward network"},
    {"--layers", OPT_INT(1, 64), &asked.layers, "N", "blocks"},
    {"--heads", OPT_INT(1, 1 << 12), &asked.heads, "N", "query heads; of delta, heads"},
    {"--kv-heads", OPT_INT(1, 1 << 12), &asked.kv_heads, "N",
     "key-value heads; of delta, heads of keys"},
    {"--vocab", OPT_INT(260, 1 << 20), &asked.vocab, "N", "tokens in the vocabulary"},
    {"--ctx", OPT_INT(2, 1 << 20), &asked.ctx, "N",
     "tokens of a document that are read at once; longer ones are cut"},
    {"--seed", OPT_SEED, &asked.seed, "N",
     "of the weights and of Tiny World (1), whose seed + 1 is held out"},
    {"--checkpoint", OPT_OUTPUT, &asked.checkpoint, "FILE",
     "save the run here now and then, atomically"},
    {"--resume", OPT_FLAG, &asked.resume, NULL,
     "continue from the checkpoint, to the bit, if there is one"},
    {"--log", OPT_OUTPUT, &asked.log, "FILE", "CSV of the run"},
    {"--save-every", OPT_INT(1, OPTION_MANY), &asked.save_every, "N",
     "steps between checkpoints (250)"},
    {"--eval-every", OPT_INT(1, OPTION_MANY), &asked.eval_every, "N",
     "steps between looks at held-out documents (250)"},
    {"--eval-documents", OPT_INT(1, 1000000), &asked.eval_documents, "N",
     "how many of them (100), and twenty times as many at the end"},
    THREAD_OPTIONS(asked.compute),
    PIN_OPTION(asked.compute),
    {0},
};

static bool train_check(Fault *fault) {
    return (asked.out || fault_set(fault, "give a name for the model: --out FILE")) &&
           configure_training(&asked, fault);
}

static bool train_run(Fault *fault) {
    return can_write_training(&asked, fault) && run_training(&asked, fault);
}

const Command command_train = {
    .name = "train",
    .usage = "train --out FILE [options]",
    .about = "Learn a vocabulary and a model.  The result depends on the options and the seed "
             "alone, whatever the number of threads\n"
             "and however often the run was stopped and resumed.",
    .examples = {"strata train --out my.gguf --size draft --steps 200",
                 "strata train --out my.gguf --corpus TEXT --checkpoint my.run --resume"},
    .options = train_options,
    .brief = "--out --size --corpus --from --lora --steps --seed --checkpoint --resume --log "
             "--threads",
    .rules = train_rules,
    .check = train_check,
    .run = train_run};
