/* train.c - the options of strata train; training.c runs it. */
#include "commands.h"
#include "on_machines.h"
#include "training.h"
#include "world/world_parts.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static TrainJob asked = {.size = "storyteller",
                         .mixer = "attention",
                         .optimizer = "muon",
                         .seed = 1,
                         .eval_every = 250,
                         .save_every = 250,
                         .eval_documents = 100};

static void override_size(size_t *value, long given) {
    if (given > 0) *value = (size_t)given;
}

bool override_shape(TrainJob *job, Fault *fault) {
    TrainConfig *c = &job->config;
    override_size(&c->shape.dim, job->dim);
    override_size(&c->shape.hidden, job->hidden);
    override_size(&c->layers, job->layers);
    override_size(&c->shape.heads, job->heads);
    override_size(&c->shape.kv_heads, job->kv_heads);
    override_size(&c->ctx, job->ctx);
    if (job->heads <= 0 && job->dim <= 0) return true;
    if (c->shape.dim % c->shape.heads)
        return fault_set(fault, "%zu heads do not divide a width of %zu: see --heads and --dim",
                         c->shape.heads, c->shape.dim);
    c->shape.head_dim = c->shape.dim / c->shape.heads;
    return true;
}

static bool choose_mixer(const TrainJob *job, TrainConfig *config, Fault *fault) {
    bool delta = strcmp(job->mixer, "delta") == 0;
    if (!delta && strcmp(job->mixer, "attention") != 0)
        return fault_set(fault, "--mixer %.40s: wanted attention or delta", job->mixer);
    if (delta && job->masked)
        return fault_set(
            fault,
            "--mixer delta: a recurrent state reads from left to right and cannot be --masked");
    config->family = delta ? &train_delta_family : NULL;
    return true;
}

static bool choose_optimizer(const TrainJob *job, TrainConfig *config, Fault *fault) {
    bool adamw = strcmp(job->optimizer, "adamw") == 0;
    if (!adamw && strcmp(job->optimizer, "muon") != 0)
        return fault_set(fault, "--optimizer %.40s: wanted muon or adamw", job->optimizer);
    if (adamw) config->momentum = 0;
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
    override_size(&c->vocab, job->vocab);
    c->parts = job->parts > 0 ? (size_t)job->parts : 1;
    if (!override_shape(job, fault)) return false;
    c->shape.bidirectional = job->masked, c->hide = job->masked ? train_hide_tokens : NULL;
    if (!choose_mixer(job, c, fault) || !choose_optimizer(job, c, fault)) return false;
    if (job->rate > 0) c->learning_rate = job->rate;
    c->seed = job->seed;
    return true;
}

static const OptionRule train_rules[] = {
    {"--resume --save-every", NEEDS, "--checkpoint", "the run is saved there"},
    {"--lora", NEEDS, "--from", "an adapter is trained on a finished model"},
    {"--corpus", NOT_WITH, "--world", "the file is the language"},
    {"--lora", NOT_WITH, "--optimizer", "an adapter always learns by AdamW"},
    {"--lora", NOT_WITH, "--checkpoint",
     "it trains within a minute and is saved at the end only"},
    {"--from", NOT_WITH, "--size", "--from brings its own shape"},
    {"--from", NOT_WITH, "--vocab-from", "--from brings its own vocabulary"},
    {"--vocab", NOT_WITH, "--from --vocab-from", "it is the size of a new vocabulary"},
    {0},
};

/* Checked before hours of training: results are writable, no checkpoint is overwritten. */
static bool can_write_training(const TrainJob *job, Fault *fault) {
    if (!file_writable(job->out, fault) ||
        (job->checkpoint && !file_writable(job->checkpoint, fault)) ||
        (job->log && !file_writable(job->log, fault)))
        return false;
    if (job->checkpoint && !job->resume && access(job->checkpoint, F_OK) == 0)
        return fault_set(
            fault, "%.200s already exists: --resume continues that run; or give another name",
            job->checkpoint);
    return true;
}

static const Option train_options[] = {
    {"--out", OPT_OUTPUT, &asked.out, "FILE", "write the model here (GGUF, F16)"},
    {"--list", OPT_FLAG, &asked.list, NULL, "list the families that can be trained"},
    {"--size", OPT_TEXT, &asked.size, "NAME",
     "storyteller or draft: the shapes of the two built-in models"},
    {"--mixer", OPT_TEXT, &asked.mixer, "NAME",
     "attention, or delta: a recurrent state of fixed size in every layer"},
    {"--optimizer", OPT_TEXT, &asked.optimizer, "NAME",
     "muon, or adamw: for small batches; Muon's updates of the blocks' matrices take the same "
     "time for a batch of any size (muon)"},
    WORLD_OPTION(asked.world),
    {"--corpus", OPT_TEXT, &asked.corpus, "FILE",
     "train on this text (Tiny World), a line <|endoftext|> after each document; of 1000 or "
     "more documents the last tenth, at most 2000, is held out"},
    {"--from", OPT_TEXT, &asked.from, "FILE",
     "start from this model's weights, vocabulary and shape"},
    {"--masked", OPT_FLAG, &asked.masked, NULL,
     "train a masked diffusion model, for strata diffuse"},
    {"--lora", OPT_INT(1, 512), &asked.lora, "RANK",
     "train a LoRA adapter of this rank, for strata generate --adapter"},
    {"--vocab-from", OPT_TEXT, &asked.vocab_from, "FILE",
     "use this model's vocabulary (train one)"},
    {"--steps", OPT_INT(1, OPTION_MANY), &asked.steps, "N", "number of updates"},
    {"--batch", OPT_INT(1, 1 << 24), &asked.batch, "N", "minimum tokens per batch"},
    {"--parts", OPT_INT(1, 4096), &asked.parts, "N",
     "find a batch's gradients in N parts and add them in a fixed order: machines (mpirun) "
     "share "
     "them, and the result depends on N alone (1)"},
    {"--rate", OPT_REAL(1e-9, 10), &asked.rate, "X", "peak learning rate"},
    {"--dim", OPT_INT(2, 1 << 16), &asked.dim, "N", "width of the residual stream"},
    {"--hidden", OPT_INT(1, 1 << 18), &asked.hidden, "N", "width of the feed-forward network"},
    {"--layers", OPT_INT(1, 64), &asked.layers, "N", "blocks"},
    {"--heads", OPT_INT(1, 1 << 12), &asked.heads, "N", "query heads (delta: heads)"},
    {"--kv-heads", OPT_INT(1, 1 << 12), &asked.kv_heads, "N",
     "key-value heads (delta: key heads)"},
    {"--vocab", OPT_INT(260, 1 << 20), &asked.vocab, "N", "vocabulary size"},
    {"--ctx", OPT_INT(2, 1 << 20), &asked.ctx, "N",
     "context size in tokens; longer documents are cut"},
    {"--seed", OPT_SEED, &asked.seed, "N",
     "random seed of the weights and of Tiny World (1); seed + 1 is the held-out world"},
    {"--checkpoint", OPT_OUTPUT, &asked.checkpoint, "FILE",
     "save the run here regularly, atomically"},
    {"--resume", OPT_FLAG, &asked.resume, NULL,
     "continue from the checkpoint if there is one; the result is the same to the bit, with "
     "the "
     "same --isa.  With more --steps than it was written with a finished run goes on, at the "
     "longer plan's rates"},
    {"--log", OPT_OUTPUT, &asked.log, "FILE", "write the run's progress as CSV"},
    {"--save-every", OPT_INT(1, OPTION_MANY), &asked.save_every, "N",
     "steps between checkpoints (250)"},
    {"--eval-every", OPT_INT(1, OPTION_MANY), &asked.eval_every, "N",
     "steps between evaluations on held-out documents (250)"},
    {"--eval-documents", OPT_INT(1, 1000000), &asked.eval_documents, "N",
     "documents per evaluation (100); twenty times as many at the end"},
    THREAD_OPTIONS(asked.compute),
    PIN_OPTION(asked.compute),
    {0},
};

/* What has a backward pass, and so learns; adapters act on models of all families. */
static void print_trained(void) {
    static const char *const rows[][3] = {
        {"llama", "", "strata generate"},
        {"qwen35", "--mixer delta", "strata generate"},
        {"llada", "--masked", "strata diffuse"},
    };
    printf("%-10s  %-14s  %-6s  %-6s  %s\n", "family", "option", "--from", "--lora",
           "runs with");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        printf("%-10s  %-14s  %-6s  %-6s  %s\n", rows[i][0], rows[i][1], "yes", "yes",
               rows[i][2]);
}

static bool train_check(Fault *fault) {
    if (asked.list) return !asked.out || fault_set(fault, "--list stands alone");
    return (asked.out || fault_set(fault, "no output: give --out FILE")) &&
           configure_training(&asked, fault);
}

static bool train_run(Fault *fault) {
    if (asked.list) return print_trained(), true;
    return (!machines_first() || can_write_training(&asked, fault)) &&
           run_training(&asked, fault);
}

const Command command_train = {
    .name = "train",
    .usage = "train --out FILE [options]",
    .about =
        "Train a vocabulary and a model.  The weights depend on the options, the texts and "
        "the instruction set (--isa), which\n"
        "by default is this machine's; not on threads, machines, compiler, C library, or "
        "stops and resumes.  With\n"
        "--isa scalar they are the same on every machine, to the bit.",
    .examples = {"strata train --out my.gguf --size draft --steps 200",
                 "strata train --out my.gguf --corpus TEXT --checkpoint my.run --resume"},
    .options = train_options,
    .brief = "--out --size --corpus --from --lora --steps --seed --checkpoint --resume --log "
             "--threads",
    .rules = train_rules,
    .check = train_check,
    .run = train_run,
    .on_each = true};
