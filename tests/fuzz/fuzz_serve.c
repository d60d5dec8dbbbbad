/* fuzz_serve.c - a service with a model that is a hash (fake_decoder.c), and everything that can happen to it:
 * fuzz_serve [OPERATIONS [FIRST]]
 *
 * A case is a house of random size, texts of every kind, and operations in random order: one comes, a step, one is
 * cancelled, a client goes in the middle of a step, a kept prefix is evicted, time passes.  What happens to the pages
 * follows from them: forks (several answers of a prompt), truncations (drafts that are refused, banned texts that are
 * rolled back), shifts (texts longer than their context), preemptions, copies on write, windows, snapshots.
 *
 * After each operation the memory is sound (kv_fault.h) and the plan kept to its policy; each text that ends is the one
 * that it is alone, token for token; all come to an end; and nothing is left of them but prefixes.
 *
 * Built with -DSTORYTELLER=FILE and without the fake decoder, the model is that file, slower and as strict.
 *
 * Case N is the same on every machine: `fuzz_serve 1 N` runs it alone. */
#include "../kv_fault.h"
#include "../make_model.h"
#include "fake_decoder.h"
#include "inference_extras.h"

enum { USERS = 16, CTX = 4 * KV_PAGE + 10, PATIENCE = 40000 };

typedef struct User {
    TokenList tokens, alone, negative;
    Chain chain;
    Speculation speculation;
    TakeBack take_back;
    size_t banned; /* texts that must not come */
    ServiceRequest request;
} User;

#ifdef STORYTELLER
FakeShape fake_shape;
#define SHAPES 1 /* its own */
#else
#define SHAPES 3
#endif

static Model model;
static size_t number; /* of the case */
static Rng rng;
static User users[USERS];
static const ServiceRequest *leaver; /* goes when it has been asked about so often */
static size_t leaves_after;
static double now;
static struct {
    size_t operations, ended, cancelled, late, preempted, stopped, shifted, taken_back, refused,
        cached, evicted;
} sum;

static _Noreturn void fail(const char *what, size_t of) {
    printf("case %zu, operation %zu: %s (%zu)\n", number, sum.operations, what, of);
    exit(1);
}

static size_t below(size_t n) { return (size_t)rng_below(&rng, n); }
static bool one_in(size_t n) { return below(n) == 0; }
static double clock_of_case(void) { return now; }

static bool goes(void *context, const ServiceRequest *request) {
    (void)context;
    if (request != leaver) return false;
    if (leaves_after) return leaves_after--, false;
    return true;
}

/* ------------------------------------------------------------------ texts */

static const char *const chains[] = {
    "greedy",         "temp:1",     "temp:0.7,top_k:3", "penalties:rep=1.2:last=20,temp:1",
    "cfg:1.5,temp:1", "mirostat:2", "dry:0.8,temp:1"};

static void add_letters(TokenList *tokens, size_t n, size_t seed) {
    for (size_t i = 0; i < n; i++)
        token_list_add(tokens, (int32_t)(97 + rng_hash(seed, i, 5) % 8));
}

static void open_banned(TakeBack *t, size_t n) {
    static const char *const texts[] = {"aa", "bcb", "h"};
    Fault fault;
    if (!take_back_open(t, texts, n, &fault)) fail(fault.text, n);
}

/* What it wants besides the chain: drafts, banned texts, a context that shifts; or nothing. */
static void ask_more(User *u, const char *spec) {
    GenerateOptions *o = &u->request.options;
    size_t what = below(6);
    if (what == 0 && !strstr(spec, "cfg") && !strstr(spec, "mirostat")) {
        u->speculation.length = 1 + below(4), with_draft(o, &u->speculation);
    } else if (what == 1) {
        open_banned(&u->take_back, u->banned = 1 + below(3));
        with_take_back(o, &u->take_back);
    } else if (what == 2 && !fake_shape.recurrent) {
        with_long_text(o, below(2 * KV_PAGE));
        o->limits.max_tokens = 1 + below(2 * CTX);
    }
}

static void prepare(User *u, size_t i) {
    const char *spec = chains[below(sizeof chains / sizeof *chains)];
    const User *before = i && one_in(4) && !users[i - 1].request.after ? &users[i - 1] : NULL;
    Fault fault;
    *u = (User){0};
    if (before) { /* a further answer of the same prompt */
        for (size_t k = 0; k < before->tokens.count; k++)
            token_list_add(&u->tokens, before->tokens.ids[k]);
    } else {
        add_letters(&u->tokens, KV_PAGE / 2 * below(5), below(3));
        add_letters(&u->tokens, 1 + below(one_in(3) ? 120 : 12), 7 + below(1000));
    }
    add_letters(&u->negative, 1 + below(70), below(5));
    if (!chain_parse(&u->chain, spec, model.tokenizer, &fault)) fail(fault.text, 0);
    GenerateOptions *o = &u->request.options;
    *o = (GenerateOptions){.chain = &u->chain,
                           .seed = below(1000),
                           .salt = below(2),
                           .limits = {.max_tokens = 1 + below(60)}};
    if (strstr(spec, "cfg")) with_negative(o, &u->negative);
    u->request.tokens = &u->tokens;
    u->request.priority = (int)below(3);
    u->request.user = below(4);
    u->request.after = before ? &before->request : NULL;
    ask_more(u, spec);
}

/* Its text when it is alone. */
static void tell_alone(User *u) {
    const SessionConfig config = {.ctx = CTX,
                                  .sequences = 2,
                                  .max_tokens = 64,
                                  .max_logits = 32,
                                  .rewind = SPECULATE_MAX};
    GenerateOptions options = u->request.options;
    TakeBack take_back = {0};
    Session session;
    GenerateResult result;
    Fault fault;
    if (u->banned) open_banned(&take_back, u->banned);
    for (Extra *x = options.extras; x->kind; x++)
        if (x->wish == &u->take_back) x->wish = &take_back;
    for (size_t k = 0; k < u->tokens.count; k++) token_list_add(&u->alone, u->tokens.ids[k]);
    if (!session_open(&session, &model, NULL, config, &fault) ||
        !generate(&session, &u->alone, &options, &result, &fault))
        fail(fault.text, (size_t)(u - users));
    sum.shifted += u->alone.count > CTX, sum.taken_back += take_back.times;
    session_close(&session), take_back_close(&take_back);
}

static void forget(User *u) {
    token_list_free(&u->tokens), token_list_free(&u->alone), token_list_free(&u->negative);
    chain_close(&u->chain), take_back_close(&u->take_back);
}

static bool begins_like(const User *u) {
    return u->tokens.count <= u->alone.count &&
           memcmp(u->tokens.ids, u->alone.ids, u->tokens.count * sizeof *u->tokens.ids) == 0;
}

/* ------------------------------------------------------------------ operations */

static void check_text(const User *u) {
    const ServiceRequest *r = &u->request;
    if (r->state != REQUEST_OVER) return;
    bool alone_too_large =
        u->request.options.extras[0].instead && strstr(r->fault.text, "too few for");
    if (r->end == REQUEST_FAILED && !alone_too_large) fail(r->fault.text, (size_t)(u - users));
    if (r->end == REQUEST_ENDED && (u->tokens.count != u->alone.count || !begins_like(u)))
        fail("another text than alone", (size_t)(u - users));
}

/* What the policy promises of a plan. */
static void check_plan(const Service *s) {
    size_t tokens = 0, running = s->count - s->waiting;
    for (size_t i = 0; i < s->planned; i++) tokens += s->plan[i].tokens;
    if (tokens > s->policy.budget) fail("more tokens than the budget", tokens);
    if (running > s->policy.running) fail("more texts run than there are places", running);
}

static void step(Service *s) {
    Fault fault;
    size_t stopped = s->engine.runners[0].session->stopped;
    if (!service_step(s, &fault)) fail(fault.text, 0);
    sum.stopped += s->engine.runners[0].session->stopped > stopped;
    check_plan(s);
}

static void operate(Service *s, size_t *come) {
    Fault fault;
    switch (below(12)) {
    case 0:
    case 1: {
        ServiceRequest *r = &users[*come % USERS].request;
        if (*come == USERS) break;
        if (one_in(20)) r->deadline = now + (double)below(40);
        if (service_submit(s, r, &fault))
            ++*come;
        else
            sum.refused++;
        break;
    }
    case 2:
        if (*come && one_in(20)) users[below(*come)].request.cancelled = true;
        break;
    case 3:
        if (*come && one_in(12)) leaver = &users[below(*come)].request, leaves_after = below(9);
        break;
    case 4: sum.evicted += prefix_evict(&s->engine.runners[0].session->kv); break;
    case 5: now += (double)below(3); break;
    default: step(s);
    }
    sum.operations++;
}

static void look(const Session *session) {
    const char *wrong = kv_fault(&session->kv);
    if (wrong) fail(wrong, 0);
}

/* ------------------------------------------------------------------ a case */

/* Layers that keep keys and values. */
static size_t pages_each(void) {
#ifdef STORYTELLER
    return model.sizes.layers;
#endif
    return fake_shape.windowed ? 2 : 1;
}

static SessionConfig some_house(void) {
    SessionConfig c = {.ctx = CTX, .sequences = 2 + below(6), .max_tokens = 8 + below(60)};
    c.max_logits = 8 + below(24);
    c.pages = one_in(2) ? pages_each() * (CTX / KV_PAGE + 1 + below(6)) : 0;
    c.prefixes = one_in(3) ? 0 : 1 + below(12);
    c.rewind = one_in(2) ? SPECULATE_MAX : 0;
    return c;
}

static SchedulePolicy some_policy(const SessionConfig *c) {
    return (SchedulePolicy){.running = 1 + below(c->sequences),
                            .waiting = 1 + below(USERS),
                            .budget = c->sequences + 1 + below(40),
                            .chunk = below(2) * (1 + below(20)),
                            .ageing = (double)(below(2) * 10),
                            .static_batch = one_in(8),
                            .prompts_first = one_in(8)};
}

static void serve(Session *session, SchedulePolicy policy) {
    Service s;
    Fault fault;
    size_t come = 0, patience = PATIENCE;
    if (!service_open(&s, session, policy, &fault)) fail(fault.text, 0);
    s.clock = clock_of_case, s.is_gone = goes, now = 0, leaver = NULL;
    while (come < USERS || s.count) {
        operate(&s, &come), look(session);
        if (--patience == 0) fail("a request waits forever", s.count);
    }
    for (size_t i = 0; i < USERS; i++) check_text(&users[i]);
    sum.ended += s.counts.ended, sum.cancelled += s.counts.cancelled, sum.late += s.counts.late;
    sum.preempted += s.counts.preempted, sum.cached += s.counts.cached_tokens;
    service_close(&s), look(session);
    while (prefix_evict(&session->kv)) continue;
    if (session->kv.pages.free_count != session->kv.pages.count) fail("pages are left over", 0);
}

static void run_case(void) {
    Session session;
    Fault fault;
    rng = (Rng){.seed = number};
    fake_shape =
        (FakeShape){.windowed = number % SHAPES > 0, .recurrent = number % (2 * SHAPES) == 5};
    const SessionConfig config = some_house();
    const SchedulePolicy policy = some_policy(&config);
    for (size_t i = 0; i < USERS; i++) prepare(&users[i], i), tell_alone(&users[i]);
    if (!session_open(&session, &model, NULL, config, &fault)) fail(fault.text, 0);
    serve(&session, policy);
    session_close(&session);
    for (size_t i = 0; i < USERS; i++) forget(&users[i]);
}

/* Only its words are asked for, where the decoder is the fake one. */
static unsigned char *open_model(void) {
    Fault fault;
    unsigned char *bytes = NULL;
#ifdef STORYTELLER
    if (!model_open(&model, STORYTELLER, &fault)) fail(fault.text, 0);
#else
    MakeModel m = make_model_defaults("llama");
    size_t size;
    bytes = make_model(&m, &size);
    if (!model_open_memory(&model, bytes, size, &fault)) fail(fault.text, 0);
#endif
    return bytes;
}

int main(int argc, char **argv) {
    const size_t operations = argc > 1 ? strtoull(argv[1], NULL, 10) : 1000000;
    unsigned char *bytes = open_model();
    for (number = argc > 2 ? strtoull(argv[2], NULL, 10) : 0; sum.operations < operations;
         number++)
        run_case();
    printf(
        "%zu operations in %zu cases: %zu texts ended as they do alone (%zu shifted, %zu times "
        "words rolled back),\n%zu cancelled, %zu too late, %zu times refused; %zu preemptions, "
        "%zu steps given up, %zu tokens found, %zu evictions\n",
        sum.operations, number, sum.ended, sum.shifted, sum.taken_back, sum.cancelled, sum.late,
        sum.refused, sum.preempted, sum.stopped, sum.cached, sum.evicted);
    model_close(&model), free(bytes);
    return 0;
}
