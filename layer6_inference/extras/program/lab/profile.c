/* profile.c - strata profile: where the time of a step goes, compared with the memory bound. */
#include "commands.h"
#include "bench/bench.h"
#include "input.h"
#include "loaded_model.h"
#include "on_machines.h"
#include "profile_trace.h"

#include <stdlib.h>

static struct {
    ComputeOptions compute;
    const char *model, *trace;
    long prompt, count;
} asked = {.prompt = 128, .count = 64};

enum { SCOPES = 1000000, SCOPE_TRIES = 2000000 };

/* A profiled phase: prefill or decode. */
typedef struct ProfilePhase {
    const char *name;
    size_t steps;
    double weights, past; /* bytes per step: weights read; keys, values and states moved */
    Profile profile;
} ProfilePhase;

/* ------------------------------------------------------------------ the tree */

static double scope_children(const Profile *p, size_t row) {
    double sum = 0;
    for (size_t i = 0; i < p->n_rows; i++)
        if (p->rows[i].parent == (int32_t)row) sum += p->rows[i].sum;
    return sum;
}

static void print_scope(const ProfilePhase *f, size_t depth, const char *name, double count,
                        double sum, double all) {
    printf("  %*s%-*s %9.1f %9.3f %5.1f %%", (int)(2 * depth), "", (int)(18 - 2 * depth), name,
           count / (double)f->steps, 1e3 * sum / (double)f->steps, 100 * sum / all);
}

/* A scope, its children, and the unaccounted rest. */
static void print_scopes(const ProfilePhase *f, size_t row, double all) {
    const Profile *p = &f->profile;
    const ProfileRow *r = &p->rows[row];
    double inside = scope_children(p, row);
    print_scope(f, r->depth, r->name, (double)r->count, r->sum, all);
    printf(" %9.4f %9.4f\n", 1e3 * r->median, 1e3 * r->p95);
    for (size_t i = row + 1; i < p->n_rows; i++)
        if (p->rows[i].parent == (int32_t)row) print_scopes(f, i, all);
    if (inside == 0) return;
    print_scope(f, r->depth + 1, "(between)", (double)r->count, r->sum - inside, all);
    putchar('\n');
}

static void print_phase(const ProfilePhase *f, double bandwidth) {
    const Profile *p = &f->profile;
    printf("%s\n  %-18s %9s %9s %7s %9s %9s\n", f->name, "", "a step", "ms", "", "p50 ms",
           "p95");
    for (size_t i = 0; i < p->n_rows; i++)
        if (p->rows[i].parent < 0) print_scopes(f, i, p->rows[0].sum);
    if (bandwidth > 0)
        printf("  memory alone: %.3f ms for %.1f MB of weights, %.3f ms for %.2f MB of keys, "
               "values and states, at %.1f GB/s\n",
               f->weights / bandwidth / 1e6, f->weights / 1e6, f->past / bandwidth / 1e6,
               f->past / 1e6, bandwidth);
    if (p->missed) printf("  (too many scopes: only %d were kept)\n", SCOPES);
    putchar('\n');
}

/* ------------------------------------------------------------------ what is profiled */

/* Engine steps in scopes called "step", until `stop` tokens are generated. */
static bool profile_steps(Engine *e, Sequence *s, ProfilePhase *f, size_t stop, Fault *fault) {
    if (!profile_start(&f->profile, SCOPES, fault)) return false;
    bool ok = true;
    for (; ok && s->live && s->result.tokens < stop; f->steps++) {
        PROFILE("step");
        ok = engine_step(e, fault);
    }
    profile_stop(&f->profile);
    return ok && (!s->failed || (*fault = s->fault, false));
}

static bool profile_phases(Engine *e, ProfilePhase phases[2], Fault *fault) {
    const Session *session = e->runners[0].session;
    TokenList tokens = {0};
    Chain chain = {0};
    for (size_t i = 0; i < (size_t)asked.prompt; i++)
        token_list_add(&tokens, (int32_t)(rng_hash(5, 0, i) % session->model->sizes.vocab));
    bool ok = bench_open_chain(&chain, session->model, fault);
    const GenerateOptions options = {
        .chain = &chain,
        .limits = {.max_tokens = (size_t)asked.count + 1, .only_bos_ends = true}};
    Sequence *s = ok ? engine_add(e, &tokens, &options, fault) : NULL;
    ok = s && profile_steps(e, s, &phases[0], 1, fault) &&
         profile_steps(e, s, &phases[1], (size_t)asked.count + 1, fault);
    if (s) engine_remove(e, s);
    token_list_free(&tokens), chain_close(&chain);
    return ok;
}

/* The cost of a disabled scope. */
static double scope_seconds(void) {
    double start = clock_seconds();
    for (int i = 0; i < SCOPE_TRIES; i++) {
        PROFILE("nothing");
        __asm__ volatile("" ::: "memory");
    }
    return (clock_seconds() - start) / SCOPE_TRIES;
}

static bool print_phases(ProfilePhase phases[2], double bandwidth, Fault *fault) {
    FileOut out = {0};
    print_phase(&phases[0], 0), print_phase(&phases[1], bandwidth);
    printf("a scope costs %.1f ns when profiling is off\n", 1e9 * scope_seconds());
    if (!asked.trace) return true;
    bool ok = table_begin(&out, asked.trace, fault);
    if (ok) profile_write_trace(&phases[1].profile, out.stream);
    ok = ok && file_end(&out, fault);
    file_drop(&out);
    return ok;
}

static bool profile_session(Session *session, Fault *fault) {
    Engine e;
    ProfilePhase phases[2] = {{.name = "prefill"}, {.name = "decode, token by token"}};
    phases[1].weights = bench_bytes_per_token(session->model);
    phases[1].past = kv_bytes_moved(&session->kv, (size_t)(asked.prompt + asked.count / 2));
    const bool alone = machines_number() == 1; /* else others read some of both */
    double bandwidth = alone ? bandwidth_gigabytes(asked.compute.pool, 0.2).median : 0;
    bool ok = engine_open(&e, session, fault) && profile_phases(&e, phases, fault) &&
              print_phases(phases, bandwidth, fault);
    engine_close(&e);
    for (int i = 0; i < 2; i++) profile_free(&phases[i].profile);
    return ok;
}

static bool profile_model(LoadedModel *m, Fault *fault) {
    size_t tokens = (size_t)(asked.prompt + asked.count) + 2;
    return loaded_open_exactly(m, &asked.compute, tokens, 1, "a smaller -p or -n", fault) &&
           profile_session(&m->session, fault);
}

static const Option profile_options[] = {
    MODEL_OPTION(asked.model),
    {"-p", OPT_INT(1, OPTION_MANY), &asked.prompt, "N", "prompt tokens (128)"},
    {"-n", OPT_INT(1, OPTION_MANY), &asked.count, "N", "tokens to generate (64)"},
    {"--trace", OPT_OUTPUT, &asked.trace, "FILE",
     "write the decode phase as JSON for chrome://tracing"},
    KV_OPTION(asked.compute),
    COMPUTE_OPTIONS(asked.compute),
    {0},
};

static bool profile_run(Fault *fault) {
    return loaded_run(&asked.model, &asked.compute, profile_model, fault);
}

const Command command_profile = {
    .name = "profile",
    .usage = "profile [-m FILE] [options]",
    .about = "Show where the time of a step goes: a tree of scopes with counts and "
             "times,\nbeside the time that memory traffic alone would take.",
    .options = profile_options,
    .run = profile_run};
