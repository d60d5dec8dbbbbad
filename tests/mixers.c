/* mixers.c - what a layer's mixer keeps of a text, and how long it takes for one more token: one random model for each
 * kind, read further and further.  `make -C tests mixers` prints the table of docs/figures/data/mixers.csv.
 *
 *     mixer,context,kilobytes,moved,flops,microseconds       of one layer; keys and values in f16, states in f32
 *
 * All have rows of 512 numbers and heads of 64.  Counted are the kilobytes that a token reads of its past, and those of a
 * state that it writes, and the flops that meet them; maps, norms and networks cost the same for every token.  The time
 * is that of the scope "mixer", with its maps: the middle one of 64 tokens and two layers, on one thread. */
#include "inference.h"

#include <math.h>

#include "make_model.h"

enum { LONGEST = 4096, STEPS = 64, LAYERS = 2 };

static const struct {
    const char *name, *arch, *more;
    size_t layers; /* the first two are of this kind, and so is the middle one of their times */
} mixers[] = {
    {"attention", "llama", "kv_heads:8", LAYERS},
    {"attention with a quarter of the keys", "llama", "kv_heads:2", LAYERS},
    {"a window of 1024", "gemma3",
     "kv_heads:2 window:1024 attention.sliding_window_pattern=100", LAYERS},
    {"one short row (MLA)", "minicpm3", "absorbed", LAYERS},
    {"Mamba 2", "mamba2", NULL, LAYERS},
    {"DeltaNet", "qwen3next", "attention_every:3", 3},
    {"RWKV 7", "rwkv7", "head_dim:64", LAYERS},
};

static MakeModel model_of(size_t i) {
    MakeModel m = make_model_of(mixers[i].arch, mixers[i].more);
    m.dim = 512, m.hidden = 64, m.heads = 8, m.layers = mixers[i].layers, m.head_dim = 64;
    m.ctx = LONGEST + STEPS, m.dtype = DTYPE_F16;
    return m;
}

/* What one layer holds of sequence 0: pages that it has not given back, and the state now. */
static double kilobytes(const KvCache *kv) {
    size_t pages = (kv->length[0] + KV_PAGE - 1) / KV_PAGE - (size_t)kv->gone[0];
    double states = kv->snapshots ? (double)kv->states.page_bytes / LAYERS : 0;
    return ((kv->shape[0].kv_heads ? (double)(pages * kv->pages.page_bytes) : 0) + states) /
           1e3;
}

/* Kilobytes that a token reads of `n` tokens behind it, and writes of a state. */
static double moved(const KvShape *s, size_t n) {
    size_t seen = s->window ? min_size(n, s->window) : n,
           numbers = s->kv_heads * (s->key_dim + s->value_dim);
    return (double)(seen * numbers * sizeof(uint16_t) + 2 * s->state * sizeof(float)) / 1e3;
}

/* Flops that meet them: a query's score and its share of a value; the steps of mixer_delta.h, mixer_rwkv.h and
 * recurrence.h. */
static double flops(const Block *b, const KvShape *s, size_t n) {
    const Mamba *m = &b->extras->mamba;
    const DeltaNet *delta = &b->extras->delta;
    const Rwkv *rwkv = &b->extras->rwkv;
    if (delta->out.w.data) return 7.0 * (double)(delta->heads * delta->d * delta->d);
    if (rwkv->out.w.data) return 9.0 * (double)(rwkv->heads * rwkv->d * rwkv->d);
    if (m->in.w.data) return 5.0 * (double)(m->inner * m->n);
    size_t seen = s->window ? min_size(n, s->window) : n;
    return 2.0 * (double)(seen * b->attention.shape.heads * (s->key_dim + s->value_dim));
}

/* The middle time of the mixers' scope over some tokens, in microseconds. */
static double microseconds(Session *s, Fault *fault) {
    Profile *profile = calloc(1, sizeof *profile);
    double middle = 0;
    if (!profile || !profile_start(profile, (size_t)1 << 16, fault)) exit(1);
    for (int i = 0; i < STEPS; i++) session_eval(s, &(int32_t){i}, 1, false, fault);
    profile_stop(profile);
    for (size_t r = 0; r < profile->n_rows; r++)
        if (strcmp(profile->rows[r].name, "mixer") == 0) middle = profile->rows[r].median;
    profile_free(profile), free(profile);
    return middle * 1e6;
}

static void measure(size_t i) {
    static int32_t tokens[LONGEST];
    MakeModel m = model_of(i);
    Fault fault;
    Model model;
    Session s;
    size_t size, read = 0;
    unsigned char *bytes = make_model(&m, &size);
    SessionConfig config = {.sequences = 1,
                            .max_tokens = PREFILL_BATCH,
                            .max_logits = 1,
                            .kv = {.dtype = DTYPE_F16}};
    if (!model_open_memory(&model, bytes, size, &fault) ||
        !session_open(&s, &model, NULL, config, &fault)) {
        fprintf(stderr, "%s: %s\n", mixers[i].name, fault.text);
        exit(1);
    }
    s.hidden_only = true;
    for (size_t n = 256; n <= LONGEST; n *= 2) {
        if (!session_eval(&s, tokens, n - read, false, &fault)) exit(1);
        double held = kilobytes(&s.kv), time = microseconds(&s, &fault);
        read = n + STEPS;
        printf("\"%s\",%zu,%.1f,%.1f,%.0f,%.1f\n", mixers[i].name, n, held,
               moved(&s.kv.shape[0], n), flops(&model.blocks[0], &s.kv.shape[0], n), time);
        fflush(stdout);
    }
    session_close(&s), model_close(&model), free(bytes);
}

int main(void) {
    printf("mixer,context,kilobytes,moved,flops,microseconds\n");
    for (size_t i = 0; i < sizeof mixers / sizeof *mixers; i++) measure(i);
    return 0;
}
