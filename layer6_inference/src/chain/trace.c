/* trace.c - see trace.h. */
#include "trace.h"
#include "order.h"
#include "utf8.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool trace_open(Trace *t, FILE *out, size_t vocab, const Tokenizer *tokenizer, Fault *fault) {
    *t = (Trace){.out = out, .vocab = vocab, .tokenizer = tokenizer};
    t->before = malloc(vocab * sizeof *t->before);
    t->now = malloc(vocab * sizeof *t->now);
    t->alive = calloc(vocab, sizeof *t->alive);
    if (!t->before || !t->now || !t->alive) {
        trace_close(t);
        return fault_set(fault, "no memory for a trace of %zu tokens", vocab);
    }
    return true;
}

void trace_close(Trace *t) {
    free(t->before), free(t->now), free(t->alive);
    t->before = t->now = NULL, t->alive = NULL;
}

/* Text in CSV: in quotes, with quotes doubled. */
static void trace_put_text(FILE *out, Text text) {
    putc('"', out);
    for (size_t from = 0, to = 0; from < text.size; from = ++to) {
        while (to < text.size && text.data[to] != '"') to++;
        utf8_print_escaped(out, (Text){text.data + from, to - from});
        if (to < text.size) fputs("\"\"", out);
    }
    putc('"', out);
}

/* stage NULL: the candidates before the chain. */
static void put_row(Trace *t, const Stage *stage, size_t rank, uint64_t key, double prob,
                    bool kept) {
    int32_t id = order_id(key);
    if (t->max_rows && rank > t->max_rows) return;
    if (t->tokenizer) fprintf(t->out, "%zu,%zu,", t->sample, t->step);
    fprintf(t->out, "%zu,%s,%zu,%d,", stage ? stage->index + 1 : 0,
            stage ? stage->kind->name : "model", rank, id);
    if (t->tokenizer)
        trace_put_text(t->out, tokenizer_piece(t->tokenizer, id, true)), putc(',', t->out);
    fprintf(t->out, "%.9g,%.9g,%d\n", (double)order_value(key), prob, kept);
}

static size_t trace_keys_of(Trace *t, const Candidates *c) {
    size_t n = 0;
    REQUIRE(c->vocab <= t->vocab, "a trace of %zu tokens, not %zu", t->vocab, c->vocab);
    for (size_t i = 0; i < c->count; i++)
        if (c->logits[i] != -INFINITY)
            t->now[n++] = order_key(c->logits[i], candidates_id(c, i));
    order_sort(t->now, n);
    return n;
}

static void trace_put_stage(Trace *t, const Stage *stage, size_t n) {
    double sum = 0, max = (double)order_value(t->now[0]); /* a chain never leaves none */
    for (size_t i = 0; i < n; i++) sum += exp((double)order_value(t->now[i]) - max);
    for (size_t i = 0; i < n; i++) {
        t->alive[order_id(t->now[i])] = true;
        put_row(t, stage, i + 1, t->now[i], exp((double)order_value(t->now[i]) - max) / sum,
                true);
    }
    size_t rank = n;
    for (size_t i = 0; i < t->n_before; i++)
        if (!t->alive[order_id(t->before[i])])
            put_row(t, stage, ++rank, t->before[i], 0, false);
    for (size_t i = 0; i < n; i++) t->alive[order_id(t->now[i])] = false;
}

static bool is_last(const Trace *t, const Stage *stage) {
    return stage == &t->chain->stages[t->chain->count - 1];
}

static void begin_step(Trace *t) {
    size_t sample = t->chain->begun - t->begun;
    if (!t->headed)
        fprintf(t->out, t->tokenizer
                            ? "sample,step,place,stage,rank,token,text,logit,prob,kept\n"
                            : "place,stage,rank,token,logit,prob,kept\n");
    t->headed = true;
    if (sample != t->sample) t->step = 0;
    t->sample = sample;
    t->n_before = 0;
}

static void observe(void *context, const Stage *stage, Candidates *c) {
    Trace *t = context;
    if (!stage) begin_step(t);
    size_t n = trace_keys_of(t, c);
    if (!t->only || (stage && is_last(t, stage))) trace_put_stage(t, stage, n);
    uint64_t *swap = t->before;
    t->before = t->now, t->now = swap;
    t->n_before = n;
    if (stage && is_last(t, stage)) t->step++;
}

void trace_observe(Trace *t, Chain *chain) {
    t->chain = chain, t->begun = chain->begun;
    chain->observer = observe, chain->observer_context = t;
}
