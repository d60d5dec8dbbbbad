/* profile.c - strata profile: where the time of a step goes, beside what memory alone would take. */
#include "commands.h"
#include "bench/bench.h"
#include "input.h"

#include <stdlib.h>

typedef struct Job {
    ComputeOptions compute;
    const char *model, *trace;
    long prompt, count;
} Job;

enum { SCOPES = 1000000, SCOPE_TRIES = 2000000 };

/* What was profiled: the reading of a prompt, or the writing of an answer. */
typedef struct Phase {
    const char *name;
    size_t steps;
    double weights, past; /* bytes that one step reads; and of keys, values and states moves */
    Profile profile;
} Phase;

/* ------------------------------------------------------------------ the tree */

static double children_of(const Profile *p, size_t row) {
    double sum = 0;
    for (size_t i = 0; i < p->n_rows; i++)
        if (p->rows[i].parent == (int32_t)row) sum += p->rows[i].sum;
    return sum;
}

static void print_line(const Phase *f, size_t depth, const char *name, double count, double sum,
                       double all) {
    printf("  %*s%-*s %9.1f %9.3f %5.1f %%", (int)(2 * depth), "", (int)(18 - 2 * depth), name,
           count / (double)f->steps, 1e3 * sum / (double)f->steps, 100 * sum / all);
}

/* A row, those in it, and what is left between them. */
static void print_rows(const Phase *f, size_t row, double all) {
    const Profile *p = &f->profile;
    const ProfileRow *r = &p->rows[row];
    double inside = children_of(p, row);
    print_line(f, r->depth, r->name, (double)r->count, r->sum, all);
    printf(" %9.4f %9.4f\n", 1e3 * r->middle, 1e3 * r->slow);
    for (size_t i = row + 1; i < p->n_rows; i++)
        if (p->rows[i].parent == (int32_t)row) print_rows(f, i, all);
    if (inside == 0) return;
    print_line(f, r->depth + 1, "(between)", (double)r->count, r->sum - inside, all);
    putchar('\n');
}

static void print_phase(const Phase *f, double bandwidth) {
    const Profile *p = &f->profile;
    printf("%s\n  %-18s %9s %9s %7s %9s %9s\n", f->name, "", "a step", "ms", "", "p50 ms",
           "p95");
    for (size_t i = 0; i < p->n_rows; i++)
        if (p->rows[i].parent < 0) print_rows(f, i, p->rows[0].sum);
    if (bandwidth > 0)
        printf("  memory alone: %.3f ms for %.1f MB of weights, %.3f ms for %.2f MB of keys, "
               "values "
               "and states, at %.1f GB/s\n",
               f->weights / bandwidth / 1e6, f->weights / 1e6, f->past / bandwidth / 1e6,
               f->past / 1e6, bandwidth);
    if (p->missed) printf("  (not all scopes fit: %d were kept)\n", SCOPES);
    putchar('\n');
}

/* ------------------------------------------------------------------ what is profiled */

/* Steps of an engine until `stop` tokens are chosen, all of them in scopes called "step". */
static bool run_steps(Engine *e, Sequence *s, Phase *f, size_t stop, Fault *fault) {
    if (!profile_start(&f->profile, SCOPES, fault)) return false;
    bool ok = true;
    for (; ok && s->live && s->result.tokens < stop; f->steps++) {
        PROFILE("step");
        ok = engine_step(e, fault);
    }
    profile_stop(&f->profile);
    return ok && (!s->failed || (*fault = s->fault, false));
}

static bool run_phases(const Job *job, Engine *e, Phase phases[2], Fault *fault) {
    const Session *session = e->parts[0].session;
    TokenList tokens = {0};
    Chain chain = {0};
    for (size_t i = 0; i < (size_t)job->prompt; i++)
        token_list_add(&tokens, (int32_t)(rng_hash(5, 0, i) % session->model->sizes.vocab));
    bool ok = bench_open_chain(&chain, session->model, fault);
    const GenerateOptions options = {
        .chain = &chain,
        .limits = {.max_tokens = (size_t)job->count + 1, .only_bos_ends = true}};
    Sequence *s = ok ? engine_add(e, &tokens, &options, fault) : NULL;
    ok = s && run_steps(e, s, &phases[0], 1, fault) &&
         run_steps(e, s, &phases[1], (size_t)job->count + 1, fault);
    if (s) engine_remove(e, s);
    token_list_free(&tokens), chain_close(&chain);
    return ok;
}

/* The price of a scope: nobody profiles, or somebody does. */
static double scope_seconds(void) {
    double start = clock_seconds();
    for (int i = 0; i < SCOPE_TRIES; i++) {
        PROFILE("nothing");
        __asm__ volatile("" ::: "memory");
    }
    return (clock_seconds() - start) / SCOPE_TRIES;
}

static bool print_all(const Job *job, Phase phases[2], double bandwidth, Fault *fault) {
    FileOut out = {0};
    print_phase(&phases[0], 0), print_phase(&phases[1], bandwidth);
    printf("a scope takes %.1f ns while nobody profiles\n", 1e9 * scope_seconds());
    if (!job->trace) return true;
    bool ok = table_begin(&out, job->trace, fault);
    if (ok) profile_write_trace(&phases[1].profile, out.stream);
    ok = ok && file_end(&out, fault);
    file_drop(&out);
    return ok;
}

static bool profile_session(const Job *job, Session *session, Fault *fault) {
    Engine e;
    Phase phases[2] = {{.name = "reading the prompt"}, {.name = "writing, token by token"}};
    phases[1].weights = bench_bytes_per_token(session->model);
    phases[1].past = kv_bytes_moved(&session->kv, (size_t)(job->prompt + job->count / 2));
    double bandwidth = bandwidth_gigabytes(job->compute.pool, 0.2).median;
    bool ok = engine_open(&e, session, fault) && run_phases(job, &e, phases, fault) &&
              print_all(job, phases, bandwidth, fault);
    engine_close(&e);
    for (int i = 0; i < 2; i++) profile_free(&phases[i].profile);
    return ok;
}

static bool run_job(Job *job, Fault *fault) {
    Model model;
    Session session = {0};
    char text[2400];
    if (!choose_model(&job->model, text, sizeof text, fault) ||
        !compute_open(&job->compute, fault))
        return false;
    bool ok = compute_load_model(&job->compute, job->model, &model, fault);
    if (ok) {
        SessionConfig c = {.ctx = (size_t)(job->prompt + job->count) + 2,
                           .sequences = 1,
                           .max_tokens = PREFILL_BATCH,
                           .max_logits = 1,
                           .kv = job->compute.kv_format};
        ok = c.ctx <= model.sizes.ctx ||
             fault_set(fault,
                       "%zu tokens are more than the model's context of %zu: give a "
                       "smaller -p or -n",
                       c.ctx, model.sizes.ctx);
        ok = ok && session_open(&session, &model, job->compute.pool, c, fault) &&
             profile_session(job, &session, fault);
        if (session.model) session_close(&session);
        model_close(&model);
    }
    compute_close(&job->compute);
    return ok;
}

static int run(int argc, char **argv) {
    Job job = {.prompt = 128, .count = 64};
    Fault fault;
    const Option options[] = {
        {"-m", OPT_TEXT, &job.model, "FILE",
         "model in GGUF format (the storyteller in the box)"},
        {"-p", OPT_INT(1, OPTION_MANY), &job.prompt, "N", "tokens to read first (128)"},
        {"-n", OPT_INT(1, OPTION_MANY), &job.count, "N", "tokens to write then (64)"},
        {"--trace", OPT_OUTPUT, &job.trace, "FILE",
         "the writing, scope by scope, for chrome://tracing: JSON"},
        KV_OPTION(job.compute),
        COMPUTE_OPTIONS(job.compute),
        {0},
    };
    int status = options_read(argc, argv, "profile [-m FILE] [options]",
                              "Where the time of a step goes: a tree of what is in what, how "
                              "often and how long,\nbeside what memory alone would take.",
                              options, NULL, 0, 0);
    if (status >= 0) return status;
    return run_job(&job, &fault) ? EXIT_DONE : command_failed(&fault);
}

const Command command_profile = {.name = "profile", .run = run};
