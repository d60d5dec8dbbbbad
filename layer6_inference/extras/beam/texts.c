/* texts.c - see texts.h. */
#include "texts.h"
#include "engine/take.h"

#include <math.h>
#include <stdlib.h>

size_t text_written(const LiveText *text) { return text->tokens.count - text->texts->prompt; }

void text_copy(const LiveText *text, TokenList *tokens) {
    for (size_t i = text->texts->prompt; i < text->tokens.count; i++)
        token_list_add(tokens, text->tokens.ids[i]);
}

/* ------------------------------------------------------------------ a token */

bool text_take(LiveText *x, int32_t token, StopReason *reason) {
    const Texts *all = x->texts;
    const Tokenizer *t = all->session->model->tokenizer;
    const Limits only_repeats = {.max_tokens = SIZE_MAX,
                                 .repeats = all->options->limits.repeats};
    size_t read;
    if (ends_before(&all->options->limits, t, token, reason)) return true;
    Text piece = tokenizer_piece(t, token, false);
    token_list_add(&x->tokens, token);
    chain_accept(&x->rules, token);
    if (all->options->heal) piece = heal_cut(all->options->heal, &x->state.spelled, piece);
    if (all->options->stops && stops_read(all->options->stops, &x->state.stops, piece, &read))
        return *reason = STOP_STRING, true;
    if (chain_ends(&x->rules)) return *reason = STOP_COMPLETE, true;
    return ends_after(&only_repeats, x->tokens.ids + all->prompt, text_written(x), 1, 0,
                      reason);
}

/* Run the active stages that change logits but select no token.  A dead end is noted; false:
 * a stage left no token, and has a reason of its own. */
static bool restrict_by(LiveText *x, Candidates *c, const Step *step) {
    Fault *dead_end = &x->texts->dead_end;
    for (size_t i = 0; i < x->rules.count; i++) {
        Stage *stage = &x->rules.stages[i];
        if (stage->kind->selects || stage_is_off(stage)) continue;
        stage->kind->apply(stage, c, step);
        if (candidates_max(c) > -INFINITY) continue;
        const char *why = stage->kind->why_none ? stage->kind->why_none(stage) : "";
        fault_set(dead_end, "dead end: %s left no token that may come next%s",
                  stage->kind->name, why);
        return !*why;
    }
    return true;
}

/* Instead of choosing: let the owner look. */
static bool look_at_next(Extra *extra, Sequence *sequence, Fault *fault) {
    LiveText *x = extra->wish;
    const Texts *all = x->texts;
    Candidates *c = sequence->candidates;
    float *logits = slot_row(sequence->slot);
    Step step = {.tokenizer = all->session->model->tokenizer,
                 .position = x->tokens.count,
                 .history = x->tokens.ids,
                 .history_count = x->tokens.count,
                 .prompt_count = all->prompt};
    sequence->plan.waits = true;
    x->log_sum = log_sum_exp(logits, c->vocab);
    if (!candidates_load(c, logits, fault)) return false;
    if (all->options->heal) {
        heal_mask(all->options->heal, x->state.spelled, step.tokenizer, logits, c->vocab);
        candidates_changed(c);
    }
    if (!restrict_by(x, c, &step)) return *fault = x->texts->dead_end, false;
    x->n_next = 0, x->read = true;
    all->look(x, c, &step);
    return true;
}

static bool begin_text(Texts *all, LiveText *x) {
    static const ExtraKind kind = {.take = look_at_next};
    GenerateOptions options = {.limits.max_tokens = SIZE_MAX};
    generate_with(&options, (Extra){.kind = &kind, .wish = x});
    x->sequence = engine_add(&all->engine, &x->tokens, &options, all->fault);
    return x->sequence != NULL;
}

bool texts_read(Texts *all) {
    for (size_t unread = 1; unread > 0;) {
        unread = 0;
        for (size_t i = 0; i < all->count; i++) {
            LiveText *x = all->live[i];
            if (x->state.over) continue;
            if (!x->sequence && !begin_text(all, x)) return false;
            if (x->sequence->failed) return *all->fault = x->sequence->fault, false;
            x->sequence->plan.waits = x->read;
            unread += !x->read;
        }
        if (unread && !engine_step(&all->engine, all->fault)) return false;
    }
    return true;
}

/* ------------------------------------------------------------------ texts come and go */

static LiveText *new_text(Texts *all, const TextState *state, const Chain *rules,
                          const int32_t *tokens, size_t count) {
    LiveText *x = all->pool;
    while (x->used) x++;
    x->used = true, x->read = false, x->texts = all, x->state = *state;
    x->tokens.count = 0;
    for (size_t i = 0; i < count; i++) token_list_add(&x->tokens, tokens[i]);
    if (rules) chain_copy(&x->rules, rules);
    return x;
}

static void release(LiveText *x) {
    if (x->sequence) engine_remove(&x->texts->engine, x->sequence);
    x->sequence = NULL;
}

static void drop_text(LiveText *x) {
    release(x);
    chain_close(&x->rules);
    x->used = false;
}

void text_finish(LiveText *x, StopReason reason) {
    release(x);
    x->state.over = true, x->state.reason = reason;
}

void texts_fork(Texts *all, LiveText **of, size_t n) {
    bool is_first[TEXTS_MAX];
    for (size_t i = 0; i < all->count; i++) all->live[i]->used = false;
    for (size_t i = 0; i < n; i++) is_first[i] = !of[i]->used, of[i]->used = true;
    for (size_t i = 0; i < all->count; i++)
        if (!all->live[i]->used) drop_text(all->live[i]);
    for (size_t i = 0; i < n; i++) {
        const LiveText *x = of[i];
        if (!is_first[i])
            of[i] = new_text(all, &x->state, &x->rules, x->tokens.ids, x->tokens.count);
    }
    for (size_t i = 0; i < n; i++) all->live[i] = of[i], of[i]->place = i;
    all->count = n;
}

/* ------------------------------------------------------------------ open and close */

bool texts_check(const Session *session, const Chain *rules, size_t n, size_t capacity,
                 Fault *fault) {
    const Step step = {.tokenizer = session->model->tokenizer};
    size_t room = session_ctx(session);
    if (rules && !chain_check(rules, &step, fault)) return false;
    REQUIRE(session->kv.config.sequences >= capacity,
            "a session of %zu sequences for %zu texts", session->kv.config.sequences, capacity);
    return (n > 0 && n < room) ||
           fault_set(fault, "the prompt has %zu tokens: wanted 1 to %zu", n, room - 1);
}

bool texts_open(Texts *all, const int32_t *prompt, size_t n) {
    const TextOptions *o = all->options;
    all->prompt = n, all->start = clock_seconds();
    all->room = session_ctx(all->session) - n;
    all->pool = calloc(all->capacity, sizeof *all->pool);
    if (!all->pool) return fault_set(all->fault, "no memory for %zu texts", all->capacity);
    fault_set(&all->dead_end, "dead end: no token goes on with a text that obeys");
    if (!engine_open(&all->engine, all->session, all->fault)) return false;
    if (o->rules) {
        o->rules->pending = o->heal ? o->heal->size : 0;
        chain_reset(o->rules);
    }
    all->live[all->count++] = new_text(all, &(TextState){0}, o->rules, prompt, n);
    return true;
}

void texts_close(Texts *all) {
    for (size_t i = 0; all->pool && i < all->capacity; i++)
        token_list_free(&all->pool[i].tokens), chain_close(&all->pool[i].rules);
    engine_close(&all->engine);
    free(all->pool);
}

static bool stopped_by_caller(const Texts *all, size_t steps) {
    const TextOptions *o = all->options;
    return o->on_step && !o->on_step(o->context, steps);
}

bool texts_are_stopped(const Texts *all, size_t drawn, StopReason *reason) {
    double max = all->options->limits.max_seconds;
    if (stopped_by_caller(all, drawn)) return *reason = STOP_CALLER, true;
    bool late = max > 0 && drawn > 0 && clock_seconds() - all->start >= max;
    return late && (*reason = STOP_TIME, true);
}

bool texts_time_is_up(const Texts *all, StopReason *reason) {
    if (stopped_by_caller(all, all->steps)) return *reason = STOP_CALLER, true;
    Limits limits = all->options->limits;
    limits.repeats = 0;                          /* each text checks its stop strings */
    if (all->steps == 0) limits.max_seconds = 0; /* at least one token, however slow */
    return ends_after(&limits, NULL, all->steps, all->room - all->steps, all->start, reason);
}
