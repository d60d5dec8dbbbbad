/* main.c - the program strata-serve: options and shutdown. */
#include "commands.h"
#include "memory_limit.h"
#include "on_machines.h"
#include "web.h"
#include "schedule.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

/* SIGHUP: reopen log and keys.  When a terminal is closed, it ends the program, as always. */
static sigset_t signals(bool reload) {
    sigset_t set;
    sigemptyset(&set), sigaddset(&set, SIGTERM), sigaddset(&set, SIGINT);
    if (reload && !isatty(STDIN_FILENO)) sigaddset(&set, SIGHUP);
    return set;
}

/* Wait for a terminating signal; 0: timeout. */
static int wait_signal(double seconds) {
    const sigset_t set = signals(false);
    struct timespec time = {(time_t)seconds, (long)(1e9 * (seconds - (double)(long)seconds))};
    return sigtimedwait(&set, NULL, &time);
}

static void block_signals(void) {
    const sigset_t set = signals(true);
    sigprocmask(SIG_BLOCK, &set, NULL);
    signal(SIGPIPE, SIG_IGN);
}

/* Take no new work; wait for running answers until the time is up or a second signal comes. */
static void drain(Web *web, AccessLog *log, double seconds) {
    const double until = clock_seconds() + seconds;
    log_note(log,
             "shutting down: waiting up to %g s for running answers; another signal stops at "
             "once",
             seconds);
    models_drain(web->models);
    web_quiesce(web);
    while (models_pending(web->models) && clock_seconds() < until)
        if (wait_signal(0.02) > 0) break;
    models_cancel(web->models);
    /* tell cut-off clients */
    for (int i = 0; i < 200 && clients_any_busy(&web->clients); i++)
        if (wait_signal(0.01) > 0) break;
    if (!clients_any_busy(&web->clients)) return;
    log_note(log, "stopped before every request had its answer");
    log_close(log);
    _exit(EXIT_DONE);
}

static void reload(Web *web, AccessLog *log) {
    Fault fault;
    log_reopen(log);
    if (!web_reload(web, &fault)) log_note(log, "%s; the old keys stay", fault.text);
}

static void wait_for_end(Web *web, AccessLog *log) {
    const sigset_t set = signals(true);
    for (int got; (got = sigwaitinfo(&set, NULL)) != SIGTERM && got != SIGINT;)
        if (got == SIGHUP) reload(web, log);
}

/* Tell systemd (sd_notify(3)): a unit of Type=notify is started when the model is loaded. */
static void notify_ready(void) {
    static const char ready[] = "READY=1";
    const char *path = getenv("NOTIFY_SOCKET");
    struct sockaddr_un to = {.sun_family = AF_UNIX};
    if (!path || !strchr("/@", *path) || strlen(path) >= sizeof to.sun_path) return;
    memcpy(to.sun_path, path, strlen(path));
    if (*path == '@') to.sun_path[0] = 0; /* an abstract name */
    const int out = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (out < 0) return;
    (void)!sendto(out, ready, sizeof ready - 1, MSG_NOSIGNAL, (struct sockaddr *)&to,
                  (socklen_t)(offsetof(struct sockaddr_un, sun_path) + strlen(path)));
    close(out);
}

/* Another machine was lost, and this program ends: first its clients hear why. */
static void tell_clients(void *context, const Fault *fault) {
    Web *web = context;
    models_lost(web->models, fault);
    for (int i = 0; i < 100 && clients_any_busy(&web->clients); i++) usleep(10000);
    log_close(web->models->list->access);
}

/* Both ports. */
static bool open_doors(Web *web, Web *health, Models *models, long port, Fault *fault) {
    return web_open(web, models, false, fault) &&
           (port < 0 || web_open(health, models, true, fault));
}

static bool serve_until_signal(const ServeOptions *o, Fault *fault) {
    static Models models;
    static Web web, health;
    static AccessLog log;
    if (!log_open(&log, o->log, o->log_json, fault)) return false;
    bool ok = models_open(&models, o, &log, fault) &&
              open_doors(&web, &health, &models, o->health_port, fault) &&
              models_load(&models, fault);
    if (ok) {
        machines_before_end(tell_clients, &web);
        web_ready(&web), notify_ready();
        printf("%s answers at %s\n", models.list[0].name, web.address);
        if (health.models) printf("its health is at %s\n", health.address);
        fflush(stdout);
        wait_for_end(&web, &log);
        drain(&web, &log, o->drain);
        machines_before_end(NULL, NULL);
    }
    web_close(&web), web_close(&health);
    models_close(&models);
    log_close(&log);
    return ok;
}

static ServeOptions asked = {.health_port = -1,
                             .host = "127.0.0.1",
                             .chain = chain_default,
                             .port = 8080,
                             .guess = 4,
                             .places = 8,
                             .queue = 64,
                             .stretch = SCHEDULE_STRETCH,
                             .pictures = 32,
                             .connections = 512,
                             .memory = 1024,
                             .patience = 30,
                             .drain = 30};

static bool serve_run(Fault *fault) {
    ServeOptions *o = &asked;
    if (!o->body) o->body = o->vision.mmproj ? 16384 : 4096;
    if (o->lenient) fields_be_lenient();
    memory_limit_set((size_t)o->memory << 20);
    block_signals(); /* before any thread starts, as threads inherit the mask */
    if (!choose_model(&o->model, fault) || !compute_open(&o->compute, fault)) return false;
    bool ok = serve_until_signal(o, fault);
    compute_close(&o->compute);
    return ok;
}

static const OptionRule serve_rules[] = {
    VISION_RULES,
    {"--guess", NEEDS, "--draft", "it makes the drafts"},
    {"--pictures", NEEDS, "--mmproj", "it is about images"},
    {"--models", NEEDS, "--model", "it says how many of them stay in memory"},
    {0},
};

static const Option serve_options[] = {
    MODEL_OPTION(asked.model),
    {"--model", OPT_LIST, &asked.models, "NAME=FILE",
     "another model, loaded for the first request that names it; --form and --mmproj are the "
     "first one's (repeatable)"},
    {"--models", OPT_INT(1, OPTION_LIST), &asked.room, "N",
     "models in memory at once (all); for another one, the one that was used longest ago "
     "leaves"},
    {"--host", OPT_TEXT, &asked.host, "NAME",
     "address to listen on (127.0.0.1: only this machine)"},
    {"--port", OPT_INT(0, 65535), &asked.port, "N", "port (8080; 0: any free one)"},
    {"--ctx", OPT_INT(1, OPTION_MANY), &asked.ctx, "N",
     "context size per answer in tokens (the model's, at most 4096)"},
    {"--places", OPT_INT(1, 256), &asked.places, "N", "answers that run at once: KV slots (8)"},
    {"--queue", OPT_INT(0, 100000), &asked.queue, "N",
     "answers that may wait; more are refused with 429 (64).  With several keys, none takes "
     "more slots than it leaves free"},
    {"--stretch", OPT_REAL(1, 1000), &asked.stretch, "X",
     "how much prompt processing may slow down running answers: a step takes at most about X "
     "times as long, or 50 ms (1.25)"},
    {"--chain", OPT_TEXT, &asked.chain, "SPEC",
     "sampler chain for requests without sampling fields (balanced)"},
    {"--draft", OPT_TEXT, &asked.draft, "KIND",
     "draft tokens of all answers: suffix (from earlier answers to the same key), lookup (what "
     "followed the same words), jacobi (the model's guesses of the pass before); texts stay "
     "the "
     "same (none)"},
    {"--guess", OPT_INT(1, SPECULATE_MAX), &asked.guess, "N", "tokens per draft (4)"},
    {"--form", OPT_TEXT, &asked.form, "NAME",
     "chat format: a built-in one (chatml, llama3, ...) or a template, @FILE (the model's "
     "own)"},
    {"--prefixes", OPT_TEXT, &asked.prefixes, "FOLDER",
     "keep the prefix caches in files there when the server ends, and read them when it "
     "starts"},
    {"--alias", OPT_TEXT, &asked.alias, "NAME", "the model's name in the API (its file name)"},
    {"--lora", OPT_LIST, &asked.loras, "NAME=FILE",
     "a LoRA adapter (GGUF file or PEFT folder) that requests may choose: as their model, or "
     "in the field lora with a scale (repeatable)"},
    {"--keys", OPT_TEXT, &asked.keys, "FILE",
     "API keys, one per line, perhaps with limits (KEY name=mia priority=5 seconds=60 "
     "tokens=500 places=4); clients must send one; SIGHUP reads them again"},
    {"--priority", OPT_INT(-100, 100), &asked.priority, "N",
     "highest priority that a request may ask for (0)"},
    {"--tokens", OPT_INT(0, OPTION_MANY), &asked.tokens, "N",
     "most tokens of an answer (0: no limit)"},
    {"--origin", OPT_LIST, &asked.origins, "ORIGIN",
     "allow web pages of this origin (CORS), e.g. https://example.com (repeatable)"},
    {"--allow-host", OPT_LIST, &asked.hosts, "NAME",
     "answer to this host name, too, as a proxy in front sends it; without --keys only to "
     "addresses, localhost, this machine's name and --host (repeatable)"},
    {"--lenient", OPT_FLAG, &asked.lenient, NULL,
     "ignore unknown fields of requests, and name them in the header X-Ignored-Fields "
     "(default: refuse them)"},
    {"--body", OPT_INT(1, 1000000), &asked.body, "KIB",
     "largest request body (4096; with --mmproj 16384)"},
    {"--memory", OPT_INT(1, 1 << 24), &asked.memory, "MIB",
     "memory that all requests together may take for bodies, JSON and grammars (1024); the "
     "next one that needs some is refused"},
    {"--connections", OPT_INT(1, 65536), &asked.connections, "N",
     "connections at once (512); more wait to be accepted"},
    {"--per-address", OPT_INT(1, 65536), &asked.per_address, "N",
     "connections of one address (half of --connections); more are refused.  Behind a proxy "
     "all have its address"},
    {"--health-port", OPT_INT(0, 65535), &asked.health_port, "N",
     "another port, with connections of its own, for /health and /metrics alone; no key is "
     "needed there (0: any free one)"},
    {"--patience", OPT_REAL(0.5, 3600), &asked.patience, "X",
     "seconds a client may take to send a request, or stall while receiving (30)"},
    {"--seconds", OPT_REAL(0, 1000000), &asked.seconds, "X",
     "longest time for an answer, waiting included (0: no limit)"},
    {"--drain", OPT_REAL(0, 86400), &asked.drain, "X",
     "seconds that running answers get after SIGTERM (30)"},
    {"--log", OPT_OUTPUT, &asked.log, "FILE",
     "log to a file (standard error); SIGHUP opens it again"},
    {"--log-json", OPT_FLAG, &asked.log_json, NULL, "log lines of JSON"},
    {"--quiet", OPT_FLAG, &asked.quiet, NULL, "no log line per request"},
    VISION_OPTIONS(asked.vision),
    {"--pictures", OPT_INT(1, 1024), &asked.pictures, "N", "images kept in memory (32)"},
    KV_OPTION(asked.compute),
    COMPUTE_OPTIONS(asked.compute),
    {0},
};

const Command command_serve = {
    .name = "serve",
    .usage = "serve [-m FILE] [options]",
    .about =
        "Serve a model over HTTP with the APIs of OpenAI, Anthropic and Ollama; a web page to "
        "chat is at /.\nSIGTERM "
        "or Ctrl-C: take no new requests and finish the running ones.",
    .examples = {"strata serve -m MODEL.gguf --port 8080"},
    .options = serve_options,
    .brief = "-m --model --host --port --ctx --places --chain --alias --keys --threads",
    .rules = serve_rules,
    .run = serve_run};
const Command *const program_commands[] = {&command_serve, NULL};
