/* mixer_cross.c - see mixer_cross.h. */
#include "mixer_cross.h"

void attention_require_bare(const Attention *a, const char *mixer) {
    REQUIRE(!(a->clamp > 0) && !a->q_norm.kind && !a->k_norm.kind && !a->v_norm.kind &&
                !a->gate.w.data && !a->gate_in_q && a->v_scale == 0 && !a->sub_norm.kind,
            "%s has no clamp, norms, gates or v_scale", mixer);
}

typedef struct Keep {
    const AttentionShape *shape;
    const AttentionRun *run;
    KvCache *kv;
    size_t layer;
    const Batch *source;
} Keep;

/* A PoolTask: store the source's keys and values. */
static void keep_rows(void *context, int worker, size_t begin, size_t end) {
    const Keep *t = context;
    size_t k = t->shape->kv_heads * t->shape->head_dim,
           v = t->shape->kv_heads * attention_value_dim(t->shape);
    (void)worker;
    for (size_t i = begin; i < end; i++)
        kv_store(t->kv, t->layer, (size_t)t->source->sequence[i],
                 (size_t)t->source->position[i], t->run->k + i * k, t->run->v + i * v);
}

void cross_keep(Pool *pool, const Cross *cross, AttentionRun *run, KvCache *kv, size_t layer,
                const Batch *source, const float *rows) {
    PROFILE("cross keep");
    const Attention *a = &cross->attention;
    const LinearProduct products[] = {{&a->k, 0, source->count, run->k},
                                      {&a->v, 0, source->count, run->v}};
    linear_products(pool, products, 2, rows, source->count, run->scratch);
    pool_for(pool, source->count, 4, keep_rows, &(Keep){&a->shape, run, kv, layer, source});
}

void cross_forward(Pool *pool, const Cross *cross, AttentionRun *run, const KvCache *kv,
                   size_t layer, const Batch *batch, const float *x, float *out) {
    const Attention *a = &cross->attention;
    linear(pool, &a->q, x, batch->count, run->q, run->scratch);
    attention_online(pool, &a->shape, kv, layer, batch, run->q, run->mixed);
    linear(pool, &a->o, run->mixed, batch->count, out, run->scratch);
}
