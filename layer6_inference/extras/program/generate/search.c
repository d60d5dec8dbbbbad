/* search.c - strata generate's ways to choose among several texts.  See app.h. */
#include "aligned.h"
#include "app.h"
#include "beam.h"
#include "clock.h"
#include "distinct.h"
#include "particles.h"
#include "power.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

static bool on_step(void *context, size_t steps) {
    GenerateApp *app = context;
    (void)steps;
    app->read = true;
    return app_is_wanted(app);
}

static TextOptions text_options(GenerateApp *app) {
    return (TextOptions){.limits = app_limits(app),
                         .stops = &app->stops,
                         .heal = &app->heal,
                         .rules = &app->chain,
                         .on_step = on_step,
                         .context = app};
}

/* Move a text to the end of those that will be printed. */
static bool keep_text(GenerateApp *app, TokenList *tokens) {
    if (!GROW(app->found, app->found_room, app->n_found + 1))
        return fault_set(&app->fault, "no memory for %zu texts", app->n_found + 1);
    app->found[app->n_found++] = *tokens;
    *tokens = (TokenList){0};
    return true;
}

/* The same; the end of the first one is the end of the run. */
static bool add_text(GenerateApp *app, TokenList *tokens, StopReason reason) {
    if (app->n_found == 0)
        app->result = (GenerateResult){
            .reason = reason, .prompt_tokens = app->tokens.count, .tokens = tokens->count};
    return keep_text(app, tokens);
}

/* ------------------------------------------------------------------ beams */

static bool by_beams(GenerateApp *app, FILE *report) {
    const Request *r = app->request;
    const BeamOptions o = {.beams = (size_t)r->beams,
                           .groups = (size_t)r->groups,
                           .diversity = r->diversity,
                           .length_power = r->length_power,
                           .early = r->early,
                           .text = text_options(app)};
    BeamText texts[BEAM_MAX];
    size_t count;
    if (!beam_search(&app->expert.session, app->tokens.ids, app->tokens.count, &o, texts,
                     &count, &app->fault))
        return false;
    for (size_t i = 0; report && i < count; i++)
        fprintf(report, "[beam %zu: score %.4f, ln p %.3f, %zu tokens, %s]\n", i + 1,
                texts[i].score, texts[i].log_prob, texts[i].tokens.count,
                stop_reason_name(texts[i].reason));
    app->result = (GenerateResult){.reason = STOP_CALLER, .prompt_tokens = app->tokens.count};
    bool ok = true;
    for (size_t i = 0; ok && i < (r->all ? count : count > 0); i++)
        ok = add_text(app, &texts[i].tokens, texts[i].reason);
    beam_free(texts, count);
    return ok;
}

/* ------------------------------------------------------------------ particles */

static void report_particles(FILE *report, const Particle *all, size_t count,
                             const ParticleResult *r) {
    for (size_t i = 0; i < count; i++)
        fprintf(report, "[particle %zu: weight %.4f, ln p %.3f, %zu tokens, %s%s]\n", i + 1,
                all[i].weight, all[i].log_prob, all[i].tokens.count,
                stop_reason_name(all[i].reason), i == r->chosen ? ", drawn" : "");
    if (r->cut)
        fprintf(report, "[no particle was complete, so ln P is unknown; ");
    else
        fprintf(report, "[without the constraint a text obeys it with ln P %.3f; ",
                r->log_share);
    fprintf(report, "effective number %.1f; resampled %zu time%s]\n", r->effective,
            r->resampled, r->resampled == 1 ? "" : "s");
}

static bool by_particles(GenerateApp *app, FILE *report) {
    const ParticleOptions o = {.particles = (size_t)app->request->particles,
                               .seed = app->seed,
                               .resample = app->request->resample,
                               .text = text_options(app)};
    Particle all[PARTICLES_MAX];
    ParticleResult r;
    if (!particles_draw(&app->expert.session, app->tokens.ids, app->tokens.count, &o, all, &r,
                        &app->fault))
        return false;
    if (report) report_particles(report, all, o.particles, &r);
    app->generated = r.tokens;
    bool ok = add_text(app, &all[r.chosen].tokens, all[r.chosen].reason);
    particles_free(all, o.particles);
    return ok;
}

/* ------------------------------------------------------------------ distinct texts */

static bool cut_short(const DistinctText *texts, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (texts[i].reason == STOP_TIME || texts[i].reason == STOP_CALLER) return true;
    return false;
}

static bool by_distinct(GenerateApp *app, FILE *report) {
    const DistinctOptions o = {
        .texts = (size_t)app->request->distinct, .seed = app->seed, .text = text_options(app)};
    DistinctText texts[DISTINCT_MAX];
    size_t count;
    bool ok = distinct_draw(&app->expert.session, app->tokens.ids, app->tokens.count, &o, texts,
                            &count, &app->generated, &app->fault);
    for (size_t i = 0; ok && report && i < count; i++)
        fprintf(report, "[text %zu: ln p %.3f, weight %.4f, %zu tokens, %s]\n", i + 1,
                texts[i].log_prob, texts[i].weight, texts[i].tokens.count,
                stop_reason_name(texts[i].reason));
    if (ok && report && count < o.texts && !cut_short(texts, count))
        fprintf(report, "[%zu of %zu: under this chain and limit there are no other texts]\n",
                count, o.texts);
    if (ok && report && cut_short(texts, count))
        fprintf(report, "[stopped in the middle: a weight counts a text as it stands]\n");
    for (size_t i = 0; ok && i < (app->request->all ? count : 1); i++)
        ok = add_text(app, &texts[i].tokens, texts[i].reason);
    distinct_free(texts, count);
    return ok;
}

/* ------------------------------------------------------------------ power sampling */

static bool by_power(GenerateApp *app, FILE *report) {
    const PowerOptions o = {.power = app->request->power,
                            .moves = (size_t)app->request->moves,
                            .block = (size_t)app->request->block,
                            .seed = app->seed,
                            .text = text_options(app)};
    PowerResult r;
    bool ok = power_draw(&app->expert.session, app->tokens.ids, app->tokens.count, &o, &r,
                         &app->fault);
    if (ok && report)
        fprintf(report, "[%zu of %zu new endings accepted, ln p %.3f]\n", r.accepted,
                r.proposed, r.log_prob);
    app->generated = r.drawn;
    ok = ok && add_text(app, &r.tokens, r.reason);
    token_list_free(&r.tokens);
    return ok;
}

/* ------------------------------------------------------------------ aligned texts */

/* The 1st, 2nd, 4th, 8th ... draw. */
static void report_draw(void *report, const AlignedText *x) {
    if ((x->number & (x->number - 1)) == 0)
        fprintf(report, "[draw %zu: ln p %.3f, ln P at most %.3f, %zu tokens, %s]\n", x->number,
                x->log_prob, x->log_bound, x->tokens, stop_reason_name(x->reason));
}

/* The mean of few weights may be above what P can be. */
static void report_aligned(FILE *report, const AlignedResult *r) {
    if (r->cut == r->texts)
        fprintf(report, "[no draw was complete, so ln P is unknown");
    else
        fprintf(report, "[without the constraint a text obeys it with ln P %.3f, at most %.3f",
                fmin(r->log_share, r->log_bound), r->log_bound);
    if (r->cut > 0 && r->cut < r->texts)
        fprintf(report, "; %zu of the draws were cut, and count as if they obeyed", r->cut);
    fprintf(report, "; %zu draw%s, %zu dead end%s, %zu prefixes]\n", r->texts,
            r->texts == 1 ? "" : "s", r->dead_ends, r->dead_ends == 1 ? "" : "s", r->prefixes);
}

static bool by_aligned(GenerateApp *app, FILE *report) {
    const AlignedOptions o = {.texts = (size_t)app->request->aligned,
                              .seed = app->seed,
                              .text = text_options(app),
                              .on_text = report ? report_draw : NULL,
                              .context = report};
    AlignedResult r;
    bool ok = aligned_draw(&app->expert.session, app->tokens.ids, app->tokens.count, &o, &r,
                           &app->fault);
    if (ok && report) report_aligned(report, &r);
    app->generated = r.drawn;
    ok = ok && add_text(app, &r.tokens, r.reason);
    token_list_free(&r.tokens);
    return ok;
}

/* ------------------------------------------------------------------ samples */

enum { SAMPLES_NODES = 1 << 20 }; /* of the suffix store that samples share */

/* Samples are not printed until one is chosen. */
static bool on_sample(void *context, const Choice *choice) {
    (void)choice;
    return app_is_wanted(context);
}

static void report_samples(FILE *report, const BestOfOptions *o, const BestOfResult *r) {
    for (size_t i = 0; i < r->count; i++) {
        const BestOfSample *x = &r->samples[i];
        fprintf(report, "[sample %zu, seed %" PRIu64 ": ", i + 1, x->seed);
        if (isfinite(x->mean))
            fprintf(report, "mean ln p %.4f, ", x->mean);
        else
            fprintf(report, "nothing to show, ");
        if (o->by == BY_VOTE) fprintf(report, "%.0f of %zu votes, ", x->utility, r->count);
        if (o->by == BY_MBR) fprintf(report, "mean chrF %.4f, ", x->utility);
        fprintf(report, "%zu tokens, %s%s]\n", x->result.tokens,
                stop_reason_name(x->result.reason),
                i == r->chosen && o->by != BY_LIKELIHOOD ? ", chosen" : "");
    }
    if (o->by == BY_VOTE)
        fprintf(report,
                "[the first answer is more common than the second with probability %.3f; drew "
                "%zu of %zu]\n",
                r->confidence, r->count, o->n);
}

static void show_samples(void *progress, size_t ended) {
    progress_show(progress, (double)ended);
}

static bool by_best_of(GenerateApp *app, FILE *report) {
    const Request *request = app->request;
    if (app_draft_kind(request) == &draft_suffix &&
        !(app->past = suffix_store_open(SAMPLES_NODES)))
        return fault_set(&app->fault, "no memory for a suffix store");
    GenerateOptions each = app_options(app, false);
    each.on_choice = on_sample;
    Progress progress;
    const BestOfOptions o = {.n = (size_t)request->best_of,
                             .at_once = app->at_once,
                             .by = app->by,
                             .keep_all = request->all,
                             .answer = request->answer,
                             .confidence = request->confidence,
                             .each = &each,
                             .stops = &app->stops,
                             .on_end = report ? show_samples : NULL,
                             .context = &progress};
    BestOfResult r;
    progress_start(&progress, "samples", "samples", (double)o.n);
    bool ok = best_of(&app->expert.session, &app->tokens, &o, &r, &app->fault);
    if (progress.shown > progress.start) progress_end(&progress, (double)r.count);
    if (ok && report) report_samples(report, &o, &r);
    for (size_t i = 0; ok && i < r.count; i++) {
        BestOfSample *x = &r.samples[i];
        if (i == r.chosen) app->result = x->result, app->seed = x->seed;
        if (request->all || i == r.chosen) ok = keep_text(app, &x->tokens);
    }
    app->generated = r.tokens;
    best_of_free(&r);
    return ok;
}

bool app_search(GenerateApp *app) {
    const Request *r = app->request;
    FILE *report = r->quiet ? NULL : stderr;
    return r->beams       ? by_beams(app, report)
           : r->particles ? by_particles(app, report)
           : r->distinct  ? by_distinct(app, report)
           : r->power > 0 ? by_power(app, report)
           : r->aligned   ? by_aligned(app, report)
                          : by_best_of(app, report);
}
