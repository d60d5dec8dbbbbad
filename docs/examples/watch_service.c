/* watch_service.c - a small service, watched: who reads what in each step, and whose the pages
 * are, as JSON.
 *
 *     cc watch_service.c $(pkg-config --cflags --libs strata) -o watch_service
 *     ./watch_service model.gguf > trace.json
 *
 * Model, schedule, pages and texts are real.  The clock is reckoned: a step takes what it would
 * take a model whose weights need 50 ms to be read and 4 ms for each token, so that the same
 * trace comes out wherever it is made.
 *
 *     {"places": 4, "pages": 8, "budget": 48, "chunk": 32, "page_tokens": 64,
 *      "requests": [{"arrival": 0, "prompt": 20, "answer": 60, "priority": 0, "text": "..."},
 *      ...],
 *      "steps": [{"at": 0, "took": 0.13, "free": 9, "kept": 0, "shared": 0,
 *                 "jobs": [[request, "prompt", tokens, cached, pages, "in", written, "text"],
 *                 ...]}, ...]}
 *
 * A job waits, or its tokens are of its "prompt", of what it reads "again", or of its "answer";
 * in the step it may come "in", be sent "out", or "end"; `written` tokens of its answer are
 * there after it.  Pages are of one layer: of this job alone, shared by several, kept for later
 * texts, free; they add up. */
#include <strata.h>

#include <stdio.h>
#include <string.h>

enum { PLACES = 4, WAITING = 8, PAGES = 8, BUDGET = 48, CHUNK = 32, CTX = 512, TEXT = 4000 };

#define OPENING                                                                              \
    "Once upon a time there was a lazy chipmunk named Omar. All year round he lived beside " \
    "the vineyard, where the nights were full of stars.\n\nOne day, Omar took a velvet "     \
    "clock to the market to trade it. He needed a golden fishing hat. In a corner, half "    \
    "asleep, sat Coco the pony beside a golden fishing hat.\n\n\"This clock belonged to a "  \
    "king,\" Omar lied. Coco believed it and handed over the fishing hat. "
#define LONGER                                                                                \
    "Once upon a time there was a jumpy butterfly named Anna. She had a small house beside "  \
    "the vineyard.\n\nAnna was afraid of high places. Even thinking of it made her knees "    \
    "shake. Early one day, Greta the hamster was in trouble: she had slipped and lay on the " \
    "stairs. To help her, Anna had to face high places.\n\nAnna closed her eyes, counted to " \
    "ten, and crept forward with a beating heart. Thanks to a crowbar Greta was soon back "   \
    "on firm ground. "

/* Who comes when, with what, for how many tokens. */
typedef struct Wish {
    double arrival;
    const char *prompt;
    size_t answer;
    int priority;
} Wish;

static const Wish wishes[] = {
    {0.0, OPENING "On the way home", 24, 0},
    {0.0, "Once upon a time there was a brave owl", 90, 0},
    {0.2, "One day a fox", 60, 0},
    {2.0, LONGER OPENING "Then", 20, 0},
    {3.0, OPENING "Then the clock", 40, 0},
    {4.5, "Mia", 30, 0},
    {5.0, OPENING "On the way home", 30, 0},
    {6.0, LONGER "\"Weren't you", 40, 1},
};
enum { USERS = sizeof wishes / sizeof *wishes };

typedef struct User {
    ServiceRequest request;
    TokenList tokens;
    Stream stream;
    Chain chain;
    char text[TEXT]; /* all that was shown; `told` bytes of it are in the trace */
    size_t size, told, prompt;
    bool came, ended;
} User;

static const StepCost cost = {.tokens = {0, 1}, .batch = {0.05, 0.054}, .points = 2};
static Model model;
static Session session;
static Service service;
static User users[USERS];
static double time_now;

static double clock_of_service(void) { return time_now; }

static void show(void *context, Text text) {
    User *u = context;
    size_t n = text.size < TEXT - u->size ? text.size : TEXT - u->size;
    memcpy(u->text + u->size, text.data, n), u->size += n;
}

static void print_text(const char *text, size_t n) {
    putchar('"');
    for (size_t i = 0; i < n; i++)
        if (text[i] == '\n')
            printf("\\n");
        else
            printf(text[i] == '"' || text[i] == '\\' ? "\\%c" : "%c", text[i]);
    putchar('"');
}

/* ------------------------------------------------------------------ requests */

static bool come(User *u, const Wish *w, Fault *fault) {
    stream_open(&u->stream, NULL, show, u);
    u->request = (ServiceRequest){.tokens = &u->tokens,
                                  .priority = w->priority,
                                  .options = {.chain = &u->chain,
                                              .stream = &u->stream,
                                              .seed = (uint64_t)(w - wishes),
                                              .limits = {.max_tokens = w->answer}}};
    tokenizer_begin(model.tokenizer, &u->tokens);
    if (!tokenizer_encode(model.tokenizer, text_of(w->prompt), false, &u->tokens, fault) ||
        !chain_parse(&u->chain, "suppress:0,temp:0.6", model.tokenizer, fault))
        return false;
    u->prompt = u->tokens.count, u->came = true;
    return service_submit(&service, &u->request, fault);
}

static bool arrive(Fault *fault) {
    bool ok = true;
    for (size_t i = 0; ok && i < USERS; i++)
        if (!users[i].came && wishes[i].arrival <= time_now)
            ok = come(&users[i], &wishes[i], fault);
    return ok;
}

static bool all_over(void) {
    size_t over = 0;
    for (size_t i = 0; i < USERS; i++)
        over += users[i].came && users[i].request.state == REQUEST_OVER;
    return over == USERS;
}

/* ------------------------------------------------------------------ pages of the first
 * layer */

static size_t own_pages(const User *u) {
    const Sequence *s = u->request.sequence;
    if (!s || u->request.state != REQUEST_RUNNING) return 0;
    const Slot *r = &s->slot[TEXT_SLOT];
    const KvCache *kv = &r->session->kv;
    const int32_t *table = kv->table + r->id * kv->config.layers * kv->table_size;
    size_t n = 0;
    for (size_t i = 0; i * KV_PAGE < kv->length[r->id]; i++)
        n += kv->pages.refcount[table[i]] == 1;
    return n;
}

/* Pages of the prefix cache: held by it alone, or shared with running requests. */
static void print_pages(void) {
    const KvCache *kv = &session.kv;
    size_t kept = 0, shared = 0, own = 0;
    for (size_t i = 0; i < kv->config.prefixes; i++)
        if (kv->prefix[i].kept)
            *(kv->pages.refcount[kv->prefix[i].page[0]] > 1 ? &shared : &kept) += 1;
    for (size_t i = 0; i < USERS; i++) own += own_pages(&users[i]);
    printf("\"free\": %zu, \"kept\": %zu, \"shared\": %zu", PAGES - kept - shared - own, kept,
           shared);
}

/* ------------------------------------------------------------------ steps */

static const char *what_it_reads(const User *u, const ScheduleJob *job, size_t tokens) {
    const ServiceRequest *r = &u->request;
    if (!tokens) return r->state == REQUEST_RUNNING ? "held" : "waits";
    if (job->running && job->tokens - job->read == 1) return "answer";
    return r->preemptions ? "again" : "prompt";
}

/* Tokens that it read: those of the batch; of one that is over, the plan's. */
static size_t tokens_read(const User *u, const SchedulePlan *plan) {
    const Sequence *s = u->request.sequence;
    const ModelRunner *runner = &service.engine.runners[0];
    size_t n = 0;
    if (!s) return plan->tokens;
    for (size_t k = 0; k < runner->count; k++)
        n += (size_t)runner->sequence[k] == s->slot[TEXT_SLOT].id;
    return u->request.state == REQUEST_RUNNING ? n : 0;
}

/* Tokens that were there when it came in. */
static size_t found(const User *u, const SchedulePlan *plan, size_t tokens) {
    const Sequence *s = u->request.sequence;
    return plan->admit && s ? session_length(&session, s->slot[TEXT_SLOT].id) - tokens : 0;
}

static void print_job(size_t i, const char **between) {
    const SchedulePlan *plan = &service.plan[i];
    const ScheduleJob *job = &service.jobs[i];
    User *u = NULL;
    for (size_t k = 0; k < USERS; k++)
        if (&users[k].request == service.eligible[i]) u = &users[k];
    const size_t tokens = tokens_read(u, plan);
    u->ended = u->request.state == REQUEST_OVER;
    printf("%s[%zu, \"%s\", %zu, %zu, %zu, \"%s\", %zu, ", *between, (size_t)(u - users),
           what_it_reads(u, job, tokens), tokens, found(u, plan, tokens), own_pages(u),
           u->ended        ? "end"
           : plan->preempt ? "out"
           : plan->admit   ? "in"
                           : "",
           u->request.sequence ? u->request.sequence->result.tokens : u->request.result.tokens);
    print_text(u->text + u->told, u->size - u->told);
    printf("]"), u->told = u->size, *between = ", ";
}

static size_t tokens_of_step(void) {
    size_t n = 0;
    for (size_t k = 0; k < USERS; k++) {
        const ServiceRequest *r = &users[k].request;
        for (size_t i = 0; users[k].came && i < service.planned; i++)
            if (service.eligible[i] == r) n += tokens_read(&users[k], &service.plan[i]);
    }
    return n;
}

static bool step(const char *before, Fault *fault) {
    const char *between = "";
    if (!arrive(fault) || !service_step(&service, fault)) return false;
    const StepSize size = {.tokens = (double)tokens_of_step()};
    const double took = step_cost_seconds(&cost, size);
    printf("%s\n  {\"at\": %.3f, \"took\": %.3f, ", before, time_now, took);
    print_pages(), printf(", \"jobs\": [");
    for (size_t i = 0; i < service.planned; i++) print_job(i, &between);
    printf("]}"), time_now += took;
    return true;
}

static void print_requests(void) {
    for (size_t i = 0; i < USERS; i++) {
        printf("%s\n  {\"arrival\": %.3f, \"prompt\": %zu, \"answer\": %zu, \"priority\": %d, "
               "\"preempted\": %zu, \"text\": ",
               i ? "," : "\"requests\": [", wishes[i].arrival, users[i].prompt,
               users[i].request.result.tokens, wishes[i].priority,
               users[i].request.preemptions);
        print_text(wishes[i].prompt, strlen(wishes[i].prompt)), printf("}");
    }
    printf("],\n\"counts\": {\"steps\": %zu, \"prompt_tokens\": %zu, \"cached_tokens\": %zu, "
           "\"tokens\": %zu, \"preempted\": %zu}}\n",
           service.counts.steps, service.counts.prompt_tokens, service.counts.cached_tokens,
           service.counts.tokens, service.counts.preempted);
}

static bool open_service(const char *path, Fault *fault) {
    const SchedulePolicy policy = {
        .budget = BUDGET, .chunk = CHUNK, .running = PLACES, .waiting = WAITING, .ageing = 30};
    if (!model_open(&model, path, fault)) return false;
    const SessionConfig config = {.ctx = CTX,
                                  .sequences = PLACES,
                                  .max_tokens = BUDGET,
                                  .max_logits = PLACES,
                                  .pages = PAGES * model.sizes.layers,
                                  .prefixes = PAGES};
    if (!session_open(&session, &model, NULL, config, fault) ||
        !service_open(&service, &session, policy, fault))
        return false;
    service.clock = clock_of_service;
    return true;
}

int main(int argc, char **argv) {
    Fault fault = {"usage: watch_service MODEL"};
    bool ok = argc == 2 && kernels_select(NULL, &fault) && open_service(argv[1], &fault);
    if (ok)
        printf("{\"places\": %d, \"pages\": %d, \"budget\": %d, \"chunk\": %d, "
               "\"page_tokens\": %d,\n\"steps\": [",
               PLACES, PAGES, BUDGET, CHUNK, KV_PAGE);
    for (size_t i = 0; ok && !all_over(); i++) ok = step(i ? "," : "", &fault);
    if (ok) printf("],\n"), print_requests();
    for (size_t i = 0; i < USERS; i++)
        chain_close(&users[i].chain), token_list_free(&users[i].tokens);
    service_close(&service), session_close(&session), model_close(&model);
    if (!ok) fprintf(stderr, "%s\n", fault.text);
    return ok ? 0 : 1;
}
