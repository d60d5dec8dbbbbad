/* shift.c - see shift.h. */
#include "shift.h"
#include "block_extras.h"
#include "memory/kv_pages.h"
#include "prefix.h"

/* A layer's first page from `first` on that no window has released. */
static size_t first_there(const KvCache *kv, size_t sequence, size_t layer, size_t first) {
    return max_size(first, (size_t)*kv_gone(kv, sequence, layer));
}

/* Shared pages from `first` on. */
static size_t shared_from(const KvCache *kv, size_t sequence, size_t first) {
    size_t shared = 0, end = kv_pages_for(kv->length[sequence]);
    for (size_t l = 0; l < kv->config.layers; l++)
        for (size_t i = first_there(kv, sequence, l, first); kv_has_pages(kv, l) && i < end;
             i++)
            shared += kv->pages.refcount[kv_table(kv, sequence, l)[i]] > 1;
    return shared;
}

/* Remove entries first .. first + count - 1 of a layer's table; the later ones move up. */
static void close_gap(KvCache *kv, size_t sequence, size_t layer, size_t first, size_t count) {
    int32_t *table = kv_table(kv, sequence, layer), *left = kv_gone(kv, sequence, layer);
    size_t there = (size_t)*left, end = kv_pages_for(kv->length[sequence]);
    for (size_t i = max_size(first, there); i < first + count; i++)
        page_release(&kv->pages, table[i]);
    for (size_t i = max_size(first + count, there); i < end; i++) {
        if (kv->pages.refcount[table[i]] > 1) copy_on_write(&kv->pages, &table[i]);
        table[i - count] = table[i];
    }
    if (there > first) *left = (int32_t)max_size(first, there < count ? 0 : there - count);
}

size_t shift_max(const KvCache *kv, size_t keep) {
    size_t ctx = kv->config.ctx, max = ctx > keep ? ctx - keep : 0;
    for (size_t l = 0; l < kv->config.layers; l++) {
        size_t window = kv->shape[l].window;
        bool slides = window && window + KV_REWIND + KV_PAGE <= ctx + 1;
        if (slides) max = min_size(max, ctx > keep + window ? ctx - keep - window : 0);
    }
    return max;
}

/* Does a layer still hold what the next token sees? */
static bool sees_all(const KvCache *kv, size_t sequence, size_t layer) {
    return (size_t)*kv_gone(kv, sequence, layer) * KV_PAGE <=
           kv_first_seen(kv, layer, kv->length[sequence]);
}

bool shift_pages(KvCache *kv, size_t sequence, size_t keep, size_t gone) {
    const size_t first = keep / KV_PAGE, count = gone / KV_PAGE;
    REQUIRE(keep % KV_PAGE == 0 && gone % KV_PAGE == 0 && keep + gone <= kv->length[sequence],
            "cannot cut %zu positions after %zu of %zu", gone, keep, kv->length[sequence]);
    REQUIRE(!kv->snapshots, "cannot cut tokens out of a recurrent state");
    while (kv->pages.free_count < shared_from(kv, sequence, first + count))
        if (!prefix_evict(kv)) return false;
    for (size_t l = 0; l < kv->config.layers; l++)
        if (kv_has_pages(kv, l)) close_gap(kv, sequence, l, first, count);
    kv->length[sequence] -= gone;
    for (size_t l = 0; l < kv->config.layers; l++)
        REQUIRE(sees_all(kv, sequence, l), "the window of layer %zu is wider than what is left",
                l);
    return true;
}

ShiftElsewhere *shift_elsewhere;

ShiftRope shift_rope(const Block *b, const Rope *rope, const KvShape *shape,
                     const BlockRun *run, float *key) {
    const bool latent =
        b->extras && b->extras->mla.kv_a.w.data && rope && rope->style != ROPE_NONE;
    return (ShiftRope){.rope = rope,
                       .plain = latent ? shape->key_dim - rope->rotary : 0,
                       .key = key,
                       .cosine = run->attention.cosine,
                       .sine = run->attention.sine};
}

void shift_keys(KvCache *kv, size_t layer, size_t sequence, size_t first, size_t by,
                const ShiftRope *turn) {
    const Rope *rope = turn->rope;
    if (!kv_has_pages(kv, layer) || !rope || rope->style == ROPE_NONE) return;
    if (shift_elsewhere) shift_elsewhere(kv, layer, sequence, first, by);
    first = first_there(kv, sequence, layer, first / KV_PAGE) * KV_PAGE;
    rope_angles(rope, by, turn->cosine, turn->sine);
    for (size_t i = 0; i < rope->rotary / 2; i++) /* keys already have the magnitude */
        turn->cosine[i] /= rope->magnitude, turn->sine[i] /= -rope->magnitude;
    for (size_t p = first; p < kv->length[sequence]; p++)
        for (size_t head = 0; head < kv->shape[layer].kv_heads; head++) {
            kv_read_key(kv, (KvHead){layer, sequence, head}, p, turn->key);
            rope_rotate(rope, turn->cosine, turn->sine, turn->key + turn->plain);
            kv_write_key(kv, (KvHead){layer, sequence, head}, p, turn->key);
        }
}
