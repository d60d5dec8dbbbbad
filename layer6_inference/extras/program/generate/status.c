/* status.c - the line that strata generate prints about its run.  See app.h. */
#include "app.h"
#include "on_machines.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* The chain and the speed. */
static void print_way(const GenerateApp *app) {
    char *text = chain_print(&app->chain);
    const Request *r = app->request;
    const GenerateResult *result = &app->result;
    if (r->beams)
        fprintf(stderr, "%ld beams", r->beams);
    else
        fprintf(stderr, "%s, ", text);
    free(text);
    if (r->best_of) fprintf(stderr, "best of %ld: ", r->best_of);
    if (r->particles) fprintf(stderr, "%ld particles: ", r->particles);
    if (r->aligned) fprintf(stderr, "%ld aligned: ", r->aligned);
    if (r->distinct) fprintf(stderr, "%ld distinct: ", r->distinct);
    if (r->power > 0) fprintf(stderr, "power %g: ", r->power);
    if (!r->beams) fprintf(stderr, "seed %" PRIu64, app->seed);
    if (app_searches(r) && app->generated > result->tokens)
        fprintf(stderr, " | %zu of %zu tokens, %.2f s", result->tokens, app->generated,
                app->seconds);
    else if (app_searches(r))
        fprintf(stderr, " | %zu tokens, %.2f s", result->tokens, app->seconds);
    else if (result->tokens == 0)
        fprintf(stderr, " | no token");
    else
        fprintf(stderr, " | first token after %.0f ms", 1e3 * result->first_token_seconds);
    bool one_pass =
        app->speculation.rounds == 1; /* nothing was decoded after the first token */
    if (!app_searches(r) && !one_pass && result->tokens > 1 && result->decode_seconds > 0)
        fprintf(stderr, ", then %zu at %.0f tokens/s", result->tokens - 1,
                (double)(result->tokens - 1) / result->decode_seconds);
}

/* A recurrent model has no KV cache. */
static const char *kv_name(const Request *r, const Model *model) {
    for (size_t l = 0; l < model->sizes.layers; l++)
        if (model->layers[l].heads) return kv_format_name(r->compute.kv_format);
    return "none";
}

static void print_images(const GenerateApp *app) {
    const Shown *seen = &app->seen;
    size_t tokens = 0;
    bool equal = true;
    for (size_t i = 0; i < seen->count; i++) {
        const size_t n = pictures_tokens(seen->of, seen->number[i]);
        tokens += n, equal = equal && n * (i + 1) == tokens;
    }
    fprintf(stderr, "[%zu image%s, %zu tokens %s, encoded in %.2f s]\n", seen->count,
            seen->count == 1 ? "" : "s", equal ? tokens / seen->count : tokens,
            equal ? "each" : "in all", app->pictures.seconds);
}

void app_print_status(const GenerateApp *app) {
    const Request *r = app->request;
    const Model *model = app->expert.model;
    const char *slash = strrchr(r->model, '/');
    int threads = pool_threads(r->compute.pool);
    fprintf(stderr, "[%s: %s, %zu layers, kv %s | ", slash ? slash + 1 : r->model,
            model->recipe->arch, model->sizes.layers, kv_name(r, model));
    if (machines_number() > 1) fprintf(stderr, "%d machines, ", machines_number());
    fprintf(stderr, "%d thread%s, %s | ", threads, threads == 1 ? "" : "s", kernels_isa());
    print_way(app);
    fprintf(stderr, " | %s]\n", stop_reason_name(app->result.reason));
    machines_print(stderr);
    if (app->seen.count) print_images(app);
    const Speculation *g = &app->speculation;
    const bool forced = g->kind == &draft_forced;
    if (g->drafted || (g->rounds && !forced))
        fprintf(stderr,
                "[%zu of %zu %s tokens accepted (%.1f %%), %.2f tokens per forward pass, %zu "
                "passes]\n",
                g->accepted, g->drafted, forced ? "forced" : "drafted",
                g->drafted ? 100.0 * (double)g->accepted / (double)g->drafted : 0.0,
                (double)app->generated / (double)g->rounds, g->rounds);
}
