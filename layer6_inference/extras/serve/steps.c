/* steps.c - see steps.h. */
#include "steps.h"

#include "order.h"

#include <math.h>
#include <stdlib.h>

/* ------------------------------------------------------------------ watching */

static void put_candidate(Steps *s, uint64_t key, double prob, const char *between) {
    const int32_t id = order_id(key);
    fprintf(s->out, "%s{\"id\":%d,\"token\":", between, id);
    write_text(s->out, tokenizer_piece(s->tokenizer, id, true));
    fprintf(s->out, ",\"logit\":%.6g,\"prob\":%.9g,\"ends\":%s}", (double)order_value(key),
            prob, tokenizer_is_end(s->tokenizer, id) ? "true" : "false");
}

/* Moves the keys of listed tokens to the front, the likeliest first.  Returns their number. */
static size_t list_candidates(Steps *s, size_t left) {
    const size_t top = min_size(left, STEPS_TOP);
    size_t n = 0;
    if (top < left) order_select(s->keys, left, top);
    for (size_t i = 0; i < top; i++) s->listed[order_id(s->keys[i])] = true;
    for (size_t i = 0; i < left; i++) {
        const uint64_t key = s->keys[i];
        if (s->listed[order_id(key)]) s->keys[i] = s->keys[n], s->keys[n++] = key;
    }
    order_sort(s->keys, n);
    return n;
}

static size_t steps_alive(Steps *s, const Candidates *c) {
    size_t left = 0;
    for (size_t i = 0; i < c->count; i++)
        if (c->logits[i] != -INFINITY)
            s->keys[left++] = order_key(c->logits[i], candidates_id(c, i));
    return left;
}

/* A ChainObserver. */
static void steps_observe(void *context, const Stage *stage, Candidates *c) {
    Steps *s = context;
    const size_t left = steps_alive(s, c), n = list_candidates(s, left);
    double sum = 0, listed = 0;
    const double max = (double)order_value(s->keys[0]);
    for (size_t i = 0; i < left; i++) {
        const double weight = exp((double)order_value(s->keys[i]) - max);
        sum += weight, listed += i < n ? weight : 0;
    }
    fprintf(s->out,
            "%s{\"stage\":\"%s\",\"left\":%zu,\"rest\":{\"count\":%zu,\"prob\":%.9g},"
            "\"tokens\":[",
            s->stages++ ? "," : "", stage ? stage->kind->name : "model", left, left - n,
            n < left ? (sum - listed) / sum : 0);
    for (size_t i = 0; i < n; i++)
        put_candidate(s, s->keys[i], exp((double)order_value(s->keys[i]) - max) / sum,
                      i ? "," : "");
    fputs("]}", s->out);
    if (stage == s->last) s->chosen = c->chosen;
}

/* ------------------------------------------------------------------ requests */

static bool steps_read_watch(const TextJob *t, Steps *s, HttpError *error) {
    const JsonValue *v = t->fields.value[F_WATCH];
    TokenList ids = {0};
    if (!v) return true;
    if (v->count > STEPS_WATCHED)
        return http_error(error, 400, "watch", "watch: more than %d tokens", STEPS_WATCHED);
    bool ok = prompts_read_ids(v, "watch", t->server, &ids, error);
    for (size_t i = 0; ok && i < ids.count; i++) s->listed[ids.ids[i]] = true;
    token_list_free(&ids);
    return ok;
}

bool steps_open(TextJob *t, Answer *a, HttpError *error) {
    Steps *s = a->steps = calloc(1, sizeof *s);
    if (!s) return http_error(error, 500, NULL, "no memory for the steps");
    s->tokenizer = t->job->tokenizer, s->vocab = t->server->loaded.model->sizes.vocab;
    s->keys = malloc(s->vocab * sizeof *s->keys), s->listed = calloc(s->vocab, 1);
    s->chosen = -1;
    if (!s->keys || !s->listed || !(s->out = open_memstream(&s->json, &s->size)))
        return http_error(error, 500, NULL, "no memory for the steps");
    s->last = &a->chain.stages[a->chain.count - 1];
    a->chain.observer = steps_observe, a->chain.observer_context = s;
    return steps_read_watch(t, s, error);
}

void steps_free(Steps *s) {
    if (!s) return;
    if (s->out) fclose(s->out);
    free(s->json), free(s->keys), free(s->listed), free(s);
}

void steps_write(FILE *out, const TextJob *t, const Answer *a) {
    Steps *s = a->steps;
    char *chain = chain_print(&a->chain);
    fputs("{\"object\":\"strata.steps\",\"model\":", out);
    write_text(out, text_of(t->model));
    fputs(",\"chain\":", out), write_text(out, text_of(chain));
    fflush(s->out);
    fprintf(out, ",\"position\":%zu,\"cached\":%zu,\"vocab\":%zu,\"stages\":[%.*s],", a->prompt,
            a->request.cached, s->vocab, (int)s->size, s->json);
    fprintf(out, "\"chosen\":{\"id\":%d,\"token\":", s->chosen);
    write_text(out, tokenizer_piece(s->tokenizer, s->chosen, true));
    fprintf(out, ",\"ends\":%s}}",
            tokenizer_is_end(s->tokenizer, s->chosen) ? "true" : "false");
    free(chain);
}
