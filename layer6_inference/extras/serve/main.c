/* main.c - the program strata-serve, which `strata serve` starts: its options, and how it ends. */
#include "commands.h"
#include "web.h"
#include "schedule.h"

#include <signal.h>
#include <stdio.h>
#include <time.h>

/* Wait for a signal that ends the program; 0: none came in time. */
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

/* No new connections, no new work; what is going on may end, until time or patience does. */
static void drain(Web *web, Server *server, double seconds) {
    const double until = clock_seconds() + seconds;
    fprintf(stderr, "[draining: up to %g s; another signal ends it at once]\n", seconds);
    worker_drain(server);
    web_quiesce(web);
    while (worker_pending(server) && clock_seconds() < until)
        if (wait_signal(0.02) > 0) break;
    worker_cancel(server);
    /* whoever was cut off is told so */
    for (int i = 0; i < 200 && clients_any_busy(&web->clients); i++) wait_signal(0.01);
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
    block_signals(); /* before there are threads, which take over what is blocked */
    if (!choose_model(&o->model, fault) || !compute_open(&o->compute, fault)) return false;
    bool ok = serve_until_signal(o, fault);
    compute_close(&o->compute);
    return ok;
}

static const OptionRule serve_rules[] = {
    VISION_RULES,
    {"--pictures", NEEDS, "--mmproj", "it says how many are kept"},
    {0},
};

static const Option serve_options[] = {
    MODEL_OPTION(asked.model, "model: a GGUF file, or a name from strata pull"),
    {"--host", OPT_TEXT, &asked.host, "NAME",
     "address to listen at (127.0.0.1: this machine alone)"},
    {"--port", OPT_INT(0, 65535), &asked.port, "N", "port (8080; 0: any that is free)"},
    {"--ctx", OPT_INT(1, OPTION_MANY), &asked.ctx, "N",
     "context of a text in tokens, at most the model's (that, at most 4096)"},
    {"--places", OPT_INT(1, 256), &asked.places, "N", "answers in memory at the same time (8)"},
    {"--queue", OPT_INT(0, 100000), &asked.queue, "N",
     "answers that may wait; one more is refused (64).  With several keys, none holds more "
     "places than it leaves free"},
    {"--stretch", OPT_REAL(1, 1000), &asked.stretch, "X",
     "prompts make a step of those who are answered at most about so many times as long, where "
     "that is above 50 ms (1.25)"},
    {"--chain", OPT_TEXT, &asked.chain, "SPEC",
     "samplers of requests that say nothing about them (balanced)"},
    {"--form", OPT_TEXT, &asked.form, "NAME",
     "form of conversations: a built-in one (chatml, llama3, ...) or @FILE, a template (the "
     "model's own)"},
    {"--alias", OPT_TEXT, &asked.alias, "NAME", "the model's name to clients (its file's)"},
    {"--keys", OPT_TEXT, &asked.keys, "FILE", "keys that clients must have, one a line"},
    {"--origin", OPT_LIST, &asked.origins, "ORIGIN",
     "pages of this origin may ask, as https://example.com (may be given several times)"},
    {"--body", OPT_INT(1, 1000000), &asked.body, "KIB",
     "largest body of a request (4096; with --mmproj 16384)"},
    {"--connections", OPT_INT(1, 65536), &asked.connections, "N",
     "connections at the same time (512)"},
    {"--patience", OPT_REAL(0.5, 3600), &asked.patience, "X",
     "seconds to send a request, and without taking anything of its answer (30)"},
    {"--seconds", OPT_REAL(0, 1000000), &asked.seconds, "X",
     "an answer's time from its arrival on (0: as long as it takes)"},
    {"--drain", OPT_REAL(0, 86400), &asked.drain, "X",
     "seconds for what is going on when SIGTERM comes (30)"},
    {"--quiet", OPT_FLAG, &asked.quiet, NULL, "no line for each request on stderr"},
    VISION_OPTIONS(asked.vision),
    {"--pictures", OPT_INT(1, 1024), &asked.pictures, "N",
     "pictures in memory, those that are shown and the last of the others (32)"},
    KV_OPTION(asked.compute),
    COMPUTE_OPTIONS(asked.compute),
    {0},
};

const Command command_serve = {
    .name = "serve",
    .usage = "serve [-m FILE] [options]",
    .about = "Answer requests as OpenAI's API does, over HTTP; a page for people is at "
             "/.\nSIGTERM or ctrl-c: no new work, and what is going on may end.",
    .examples = {"strata serve -m MODEL.gguf --port 8080"},
    .options = serve_options,
    .brief = "-m --host --port --ctx --places --chain --alias --keys --threads",
    .rules = serve_rules,
    .run = serve_run};
const Command *const program_commands[] = {&command_serve, NULL};
