/* compare.c - strata compare: what each chain makes of the same openings, measured. */
#include "input.h"
#include "compute.h"
#include "speaker.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_CHAINS = 128, REASONS = 12 };

typedef struct Job {
    const char *model, *prompt, *csv, *amateur;
    const char *chains[MOST_CHAINS];
    size_t n_chains;
    const CommandLine *line;
    long documents, seeds, words, most;
    uint64_t seed;
    Machine machine;
} Job;

/* One text and what the model thought of it. */
typedef struct Sample {
    WorldText text;
    WorldVerdict verdict;
    size_t tokens;
    double surprise, entropy, seconds; /* sums over tokens, in nats */
} Sample;

typedef struct Study {
    const Job *job;
    Model model, amateur;
    World *world;
    Sample *samples; /* (chains, texts) */
    size_t texts;    /* for each chain */
    atomic_size_t next, done;
    atomic_bool failed;
    Fault fault;
} Study;

static bool watch(void *context, const Choice *choice) {
    Sample *s = context;
    size_t vocab = choice->after->vocab;
    float max = vector_max(choice->raw, vocab);
    ExpSums sums = scan_exp(choice->raw, vocab, max);
    s->surprise -= (double)(choice->raw[choice->token] - max) - log(sums.sum);
    s->entropy += log(sums.sum) - sums.weighted / sums.sum;
    return true;
}

static void append(void *context, Text piece) { world_text_append(context, piece); }

typedef struct Worker {
    Study *study;
    Speaker speaker, amateur;
    pthread_t thread;
} Worker;

static bool write_one(Worker *w, size_t index, Fault *fault) {
    Study *study = w->study;
    const Job *job = study->job;
    size_t chain_index = index / study->texts, text = index % study->texts;
    Sample *sample = &study->samples[index];
    WorldText scratch = {0};
    TokenList tokens = {0};
    Chain chain;
    Stream stream;
    GenerateResult result;
    if (!chain_parse(&chain, job->chains[chain_index], study->model.tokenizer, fault))
        return false;
    Text prompt = job->prompt ? text_of(job->prompt)
                              : world_opening(study->world, "story", 2,
                                              text / (size_t)job->seeds, job->words, &scratch);
    world_text_append(&sample->text, prompt);
    bool ok = speaker_read(&w->speaker, prompt, true, &tokens, fault);
    stream_open(&stream, NULL, append, &sample->text);
    GenerateOptions options = {.chain = &chain,
                               .seed = rng_hash(job->seed, 77, text),
                               .limits.most_tokens = (size_t)job->most,
                               .limits.only_bos_ends = true,
                               .stream = &stream,
                               .on_choice = watch,
                               .want_raw = true,
                               .context = sample,
                               .amateur = job->amateur ? &w->amateur.session : NULL};
    double start = clock_seconds();
    ok = ok && generate(&w->speaker.session, &w->speaker.candidates, &tokens, &options, &result,
                        fault);
    sample->seconds = clock_seconds() - start;
    sample->tokens = ok ? result.tokens : 0;
    if (ok)
        sample->verdict =
            world_check(study->world, "story", sample->text.bytes, sample->text.size, false);
    stream_close(&stream);
    token_list_free(&tokens), world_text_free(&scratch);
    chain_close(&chain);
    return ok;
}

static void *work(void *context) {
    Worker *w = context;
    Study *study = w->study;
    size_t total = study->job->n_chains * study->texts;
    Fault fault;
    for (size_t i; (i = atomic_fetch_add(&study->next, 1)) < total;) {
        if (atomic_load(&study->failed)) break;
        if (!write_one(w, i, &fault) && !atomic_exchange(&study->failed, true))
            study->fault = fault;
        atomic_fetch_add(&study->done, 1);
    }
    return NULL;
}

/* ------------------------------------------------------------------ the table */

typedef struct Summary {
    double valid, surprise, entropy, speed;
    Diversity diversity;
    char reasons[160];
} Summary;

static void count_reasons(const Sample *samples, size_t n, char *out, size_t size) {
    char names[REASONS][16];
    size_t counts[REASONS] = {0}, used = 0;
    *out = 0;
    for (size_t i = 0; i < n; i++) {
        size_t k = 0;
        if (samples[i].verdict.valid) continue;
        while (k < used && strcmp(names[k], samples[i].verdict.reason) != 0) k++;
        if (k == REASONS) continue;
        if (k == used) snprintf(names[used++], sizeof *names, "%s", samples[i].verdict.reason);
        counts[k]++;
    }
    for (size_t k = 0; k < used; k++)
        snprintf(out + strlen(out), size - strlen(out), "%s%s %zu", k ? " " : "", names[k],
                 counts[k]);
}

static bool summarize(const Study *study, size_t chain, Summary *s, Fault *fault) {
    const Sample *samples = study->samples + chain * study->texts;
    Text *texts = malloc(study->texts * sizeof *texts);
    double tokens = 0, seconds = 0;
    if (!texts) return fault_set(fault, "no memory for a table");
    *s = (Summary){0};
    for (size_t i = 0; i < study->texts; i++) {
        texts[i] = (Text){samples[i].text.bytes, samples[i].text.size};
        s->valid += samples[i].verdict.valid ? 1.0 / (double)study->texts : 0;
        s->surprise += samples[i].surprise, s->entropy += samples[i].entropy;
        tokens += (double)samples[i].tokens, seconds += samples[i].seconds;
    }
    s->surprise /= fmax(1, tokens), s->entropy /= fmax(1, tokens);
    s->speed = seconds > 0 ? tokens / seconds : 0;
    count_reasons(samples, study->texts, s->reasons, sizeof s->reasons);
    bool ok = diversity_measure(texts, study->texts, &s->diversity, fault);
    free(texts);
    return ok;
}

static const char header[] = "chain,valid,distinct_1,distinct_2,distinct_3,self_similarity,"
                             "repetition,surprise,entropy,words,tokens_per_second,reasons\n";

static void print_csv(FILE *out, const char *chain, const Summary *s) {
    const Diversity *d = &s->diversity;
    fprintf(out, "\"%s\",%.4f,%.4f,%.4f,%.4f,%.4f,%.4f,%.4f,%.4f,%.1f,%.0f,\"%s\"\n", chain,
            s->valid, d->distinct[0], d->distinct[1], d->distinct[2], d->self_similarity,
            d->repetition, s->surprise, s->entropy, d->words, s->speed, s->reasons);
}

static void print_row(const char *chain, const Summary *s) {
    const Diversity *d = &s->diversity;
    printf("%-40.40s %5.1f%% %6.3f %6.3f %6.3f %7.3f %7.3f %8.3f %7.3f %6.0f %7.0f  %s\n",
           chain, 100 * s->valid, d->distinct[0], d->distinct[1], d->distinct[2],
           d->self_similarity, d->repetition, s->surprise, s->entropy, d->words, s->speed,
           s->reasons);
}

static bool report(const Study *study, Fault *fault) {
    const Job *job = study->job;
    FileOut csv = {0};
    bool ok = true;
    if (job->csv && !file_begin(&csv, job->csv, fault)) return false;
    if (csv.stream) fputs(header, csv.stream);
    printf("%-40s %6s %6s %6s %6s %7s %7s %8s %7s %6s %7s  %s\n", "chain", "valid", "dist-1",
           "dist-2", "dist-3", "similar", "repeats", "surprise", "entropy", "words", "tok/s",
           "why invalid");
    for (size_t c = 0; ok && c < job->n_chains; c++) {
        Summary summary;
        if (!(ok = summarize(study, c, &summary, fault))) break;
        print_row(job->chains[c], &summary);
        if (csv.stream) print_csv(csv.stream, job->chains[c], &summary);
    }
    ok = ok && file_end(&csv, fault);
    file_drop(&csv);
    return ok;
}

/* ------------------------------------------------------------------ the run */

static bool write_all(Study *study, int threads, Fault *fault) {
    Worker *workers = calloc((size_t)threads, sizeof *workers);
    const Machine alone = {0}; /* each worker computes by itself */
    Progress progress;
    size_t total = study->job->n_chains * study->texts;
    bool ok = workers || fault_set(fault, "no memory for %d workers", threads);
    int started = 0;
    for (; ok && started < threads; started++) {
        Worker *w = &workers[started];
        w->study = study;
        ok = speaker_share(&w->speaker, &study->model, &alone, 1024, 1, fault) &&
             (!study->job->amateur ||
              speaker_share(&w->amateur, &study->amateur, &alone, 1024, 1, fault)) &&
             (pthread_create(&w->thread, NULL, work, w) == 0 ||
              fault_set(fault, "no further thread can be started"));
        if (!ok) break;
    }
    if (!ok) atomic_store(&study->failed, true);
    progress_start(&progress, "texts", "texts", (double)total);
    while (ok && atomic_load(&study->done) < total && !atomic_load(&study->failed)) {
        progress_show(&progress, (double)atomic_load(&study->done));
        nanosleep(&(struct timespec){0, 50 * 1000 * 1000}, NULL);
    }
    for (int i = 0; i < started; i++) pthread_join(workers[i].thread, NULL);
    progress_end(&progress, (double)atomic_load(&study->done));
    for (int i = 0; workers && i < threads; i++) {
        if (workers[i].speaker.model) speaker_close(&workers[i].speaker);
        if (workers[i].amateur.model) speaker_close(&workers[i].amateur);
    }
    free(workers);
    if (ok && atomic_load(&study->failed)) *fault = study->fault, ok = false;
    return ok;
}

/* What was asked for. */
typedef struct Asking {
    const Job *job;
    bool contrast; /* some chain has it */
} Asking;

static bool asked_for(const void *context, const char *name) {
    const Asking *a = context;
    return name[0] == '-' ? command_line_has(a->job->line, name)
                          : strcmp(name, "contrast") == 0 && a->contrast;
}

/* Every chain can be read and has what it needs, before anything is computed. */
static bool check_chains(const Study *study, Fault *fault) {
    const Job *job = study->job;
    const float none[1] = {0};
    Asking asking = {.job = job};
    for (size_t i = 0; i < job->n_chains; i++) {
        Chain chain;
        Step step = {
            .tokenizer = study->model.tokenizer, .amateur = none, .look_ahead = look_ahead};
        if (!chain_parse(&chain, job->chains[i], study->model.tokenizer, fault)) return false;
        for (size_t k = 0; k < chain.count; k++)
            asking.contrast |=
                chain.stages[k].kind->needs_amateur && !stage_is_off(&chain.stages[k]);
        bool ok = chain_check(&chain, &step, fault);
        chain_close(&chain);
        if (!ok) return fault_prefix(fault, job->chains[i]);
    }
    return rules_check(job->line->rules, asked_for, &asking, fault) &&
           (!job->amateur || study->amateur.sizes.vocab == study->model.sizes.vocab ||
            fault_set(fault,
                      "the amateur has %zu tokens, the model %zu: they must share a vocabulary",
                      study->amateur.sizes.vocab, study->model.sizes.vocab));
}

static const OptionRule rules[] = {
    {"-p", NOT_WITH, "--documents --words", "the prompt takes the openings' place"},
    {"--amateur", NEEDS, "contrast", "that stage asks it: --chains contrast:0.1"},
    {"contrast", NEEDS, "--amateur", "it takes the opinion of a weaker model off"},
    {0},
};

static bool run_study(Job *job, Fault *fault) {
    Study study = {.job = job};
    char path[2400];
    bool has_model = false, has_amateur = false;
    if (!choose_model(&job->model, path, sizeof path, fault) ||
        (job->machine.isa && !kernels_select(job->machine.isa, fault)))
        return false;
    int threads = job->machine.threads > 0 ? (int)job->machine.threads : cpu_count();
    study.texts = (size_t)(job->prompt ? job->seeds : job->documents * job->seeds);
    study.samples = calloc(job->n_chains * study.texts, sizeof *study.samples);
    bool ok = study.samples || fault_set(fault, "no memory for %zu texts", study.texts);
    ok = ok && (has_model = machine_model(&job->machine, job->model, &study.model, fault)) &&
         (!job->amateur ||
          (has_amateur = machine_model(&job->machine, job->amateur, &study.amateur, fault))) &&
         (study.world = world_open(fault)) && check_chains(&study, fault) &&
         write_all(&study, threads, fault) && report(&study, fault);
    for (size_t i = 0; study.samples && i < job->n_chains * study.texts; i++)
        world_text_free(&study.samples[i].text);
    free(study.samples);
    world_close(study.world);
    if (has_model) model_close(&study.model);
    if (has_amateur) model_close(&study.amateur);
    return ok;
}

static int run(int argc, char **argv) {
    Job job = {.documents = 50, .seeds = 1, .seed = 1, .words = 4, .most = 400};
    Fault fault;
    OptionList chains = {0};
    const Option options[] = {
        {"--chains", OPT_LIST, &chains, "SPEC", "a chain; further ones may follow it"},
        {"-m", OPT_TEXT, &job.model, "FILE", "model that speaks (the storyteller in the box)"},
        {"--documents", OPT_INT(1, OPTION_MANY), &job.documents, "N",
         "openings of held-out stories (50)"},
        {"-p", OPT_TEXT, &job.prompt, "TEXT", "continue this instead"},
        {"--seeds", OPT_INT(1, OPTION_MANY), &job.seeds, "N", "texts for each opening (1)"},
        {"--seed", OPT_SEED, &job.seed, "N", "of the draws (1)"},
        {"--words", OPT_INT(1, OPTION_MANY), &job.words, "N",
         "length of the openings in words (4)"},
        {"-n", OPT_INT(1, OPTION_MANY), &job.most, "N", "most tokens of a text (400)"},
        {"--amateur", OPT_TEXT, &job.amateur, "FILE", "weaker model, for contrast"},
        {"--csv", OPT_TEXT, &job.csv, "FILE", "the table as CSV, too"},
        COMPUTE_OPTIONS(job.machine),
        {0},
    };
    const char *more[MOST_CHAINS];
    for (size_t i = 0; i < MOST_CHAINS; i++) more[i] = NULL;
    const CommandLine line = {
        argc,
        argv,
        "compare --chains SPEC SPEC ... [-p TEXT | --documents N] [options]",
        "Write texts with each chain, on all cores, and measure them: validity by Tiny World's "
        "checker with the reasons\nof failure, share of distinct 1-, 2- and 3-grams, "
        "similarity to the other texts, repetition, mean surprise and\nentropy under the model "
        "(nats), length, speed.",
        options,
        rules};
    int status = command_line_read(&line, more, 0, MOST_CHAINS - OPTION_LIST);
    if (status >= 0) return status;
    job.line = &line;
    for (size_t i = 0; i < chains.count; i++) job.chains[job.n_chains++] = chains.items[i];
    for (size_t i = 0; i < MOST_CHAINS && more[i]; i++) job.chains[job.n_chains++] = more[i];
    if (job.n_chains == 0) job.chains[job.n_chains++] = chain_default;
    return run_study(&job, &fault) ? EXIT_DONE : command_failed(&fault);
}

const Command command_compare = {
    .name = "compare", .gloss = "measure what chains make of the same openings", .run = run};
