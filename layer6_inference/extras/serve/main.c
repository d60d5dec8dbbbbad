/* main.c - the program strata-serve: options and shutdown. */
#include "commands.h"
#include "web.h"
#include "schedule.h"

#include <signal.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

/* Wait for a terminating signal; 0: timeout. */
static int wait_signal(double seconds) {
    sigset_t set;
    struct timespec time = {(time_t)seconds, (long)(1e9 * (seconds - (double)(long)seconds))};
    sigemptyset(&set), sigaddset(&set, SIGTERM), sigaddset(&set, SIGINT);
    return sigtimedwait(&set, NULL, &time);
}

static void block_signals(void) {
    sigset_t set;
    sigemptyset(&set), sigaddset(&set, SIGTERM), sigaddset(&set, SIGINT);
    sigprocmask(SIG_BLOCK, &set, NULL);
    signal(SIGPIPE, SIG_IGN);
}

/* Take no new work; wait for running answers until the time is up or a second signal comes. */
static void drain(Web *web, Server *server, double seconds) {
    const double until = clock_seconds() + seconds;
    fprintf(stderr,
            "[shutting down: waiting up to %g s for running answers; another signal stops at "
            "once]\n",
            seconds);
    worker_drain(server);
    web_quiesce(web);
    while (worker_pending(server) && clock_seconds() < until)
        if (wait_signal(0.02) > 0) break;
    worker_cancel(server);
    /* tell cut-off clients */
    for (int i = 0; i < 200 && clients_any_busy(&web->clients); i++)
        if (wait_signal(0.01) > 0) break;
    if (!clients_any_busy(&web->clients)) return;
    fprintf(stderr, "[stopped before every request had its answer]\n");
    _exit(EXIT_DONE);
}

static bool serve_until_signal(const ServeOptions *o, Fault *fault) {
    static Server server;
    static Web web;
    bool ok = server_open(&server, o, fault) && web_open(&web, &server, fault);
    if (ok) {
        printf("%s answers at %s\n", server.name, web.address);
        fflush(stdout);
        while (wait_signal(3600) <= 0) continue;
        drain(&web, &server, o->drain);
    }
    web_close(&web);
    server_close(&server);
    return ok;
}

static ServeOptions asked = {.host = "127.0.0.1",
                             .chain = chain_default,
                             .port = 8080,
                             .places = 8,
                             .queue = 64,
                             .stretch = SCHEDULE_STRETCH,
                             .pictures = 32,
                             .connections = 512,
                             .patience = 30,
                             .drain = 30};

static bool serve_run(Fault *fault) {
    ServeOptions *o = &asked;
    if (!o->body) o->body = o->vision.mmproj ? 16384 : 4096;
    block_signals(); /* before any thread starts, as threads inherit the mask */
    if (!choose_model(&o->model, fault) || !compute_open(&o->compute, fault)) return false;
    bool ok = serve_until_signal(o, fault);
    compute_close(&o->compute);
    return ok;
}

static const OptionRule serve_rules[] = {
    VISION_RULES,
    {"--pictures", NEEDS, "--mmproj", "it is about images"},
    {0},
};

static const Option serve_options[] = {
    MODEL_OPTION(asked.model),
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
    {"--form", OPT_TEXT, &asked.form, "NAME",
     "chat format: a built-in one (chatml, llama3, ...) or a template, @FILE (the model's "
     "own)"},
    {"--alias", OPT_TEXT, &asked.alias, "NAME", "the model's name in the API (its file name)"},
    {"--keys", OPT_TEXT, &asked.keys, "FILE", "API keys, one per line; clients must send one"},
    {"--origin", OPT_LIST, &asked.origins, "ORIGIN",
     "allow web pages of this origin (CORS), e.g. https://example.com (repeatable)"},
    {"--body", OPT_INT(1, 1000000), &asked.body, "KIB",
     "largest request body (4096; with --mmproj 16384)"},
    {"--connections", OPT_INT(1, 65536), &asked.connections, "N", "connections at once (512)"},
    {"--patience", OPT_REAL(0.5, 3600), &asked.patience, "X",
     "seconds a client may take to send a request, or stall while receiving (30)"},
    {"--seconds", OPT_REAL(0, 1000000), &asked.seconds, "X",
     "longest time for an answer, waiting included (0: no limit)"},
    {"--drain", OPT_REAL(0, 86400), &asked.drain, "X",
     "seconds that running answers get after SIGTERM (30)"},
    {"--quiet", OPT_FLAG, &asked.quiet, NULL, "no log line per request on stderr"},
    VISION_OPTIONS(asked.vision),
    {"--pictures", OPT_INT(1, 1024), &asked.pictures, "N", "images kept in memory (32)"},
    KV_OPTION(asked.compute),
    COMPUTE_OPTIONS(asked.compute),
    {0},
};

const Command command_serve = {
    .name = "serve",
    .usage = "serve [-m FILE] [options]",
    .about = "Serve a model over HTTP with OpenAI's API; a web page to chat is at /.\nSIGTERM "
             "or Ctrl-C: take no new requests and finish the running ones.",
    .examples = {"strata serve -m MODEL.gguf --port 8080"},
    .options = serve_options,
    .brief = "-m --host --port --ctx --places --chain --alias --keys --threads",
    .rules = serve_rules,
    .run = serve_run};
const Command *const program_commands[] = {&command_serve, NULL};
