/* kv.c - see kv.h. */
#include "kv.h"

#include <string.h>

/* Numbers of the keys (or of the values) of one head in a block: whole strips of values. */
static size_t half_block(const KvCache *kv) {
    return KV_BLOCK * ((kv->head_dim + STRIP - 1) / STRIP * STRIP);
}

static size_t number_size(const KvCache *kv) { return dtype_row_bytes(kv->dtype, 1); }

void kv_init(KvCache *kv, size_t layers, size_t kv_heads, size_t head_dim, Dtype dtype,
             size_t sequences, size_t ctx, Arena *arena) {
    REQUIRE(dtype == DTYPE_F32 || dtype == DTYPE_F16, "keys and values in %s",
            dtype_name(dtype));
    size_t each = (ctx + KV_BLOCK - 1) / KV_BLOCK, blocks = each * sequences;
    *kv = (KvCache){.layers = layers,
                    .kv_heads = kv_heads,
                    .head_dim = head_dim,
                    .dtype = dtype,
                    .sequences = sequences,
                    .blocks_each = each,
                    .blocks = blocks};
    kv->numbers =
        arena_take(arena, layers * kv_heads * blocks * 2 * half_block(kv), number_size(kv));
    kv->table = arena_take(arena, blocks, sizeof *kv->table);
    kv->free_blocks = arena_take(arena, blocks, sizeof *kv->free_blocks);
    kv->users = arena_take(arena, blocks, sizeof *kv->users);
    kv->length = arena_take(arena, sequences, sizeof *kv->length);
    if (!kv->free_blocks) return; /* measuring */
    for (size_t i = 0; i < blocks; i++)
        kv->free_blocks[i] = (int32_t)(blocks - 1 - i); /* block 0 on top */
    kv->free_count = blocks;
}

static size_t blocks_for(size_t length) { return (length + KV_BLOCK - 1) / KV_BLOCK; }

static int32_t take_block(KvCache *kv) {
    int32_t block = kv->free_blocks[--kv->free_count];
    kv->users[block] = 1;
    return block;
}

static void leave_block(KvCache *kv, int32_t block) {
    if (--kv->users[block] == 0) kv->free_blocks[kv->free_count++] = block;
}

/* The block a sequence goes on in becomes its own. */
static void own_block(KvCache *kv, int32_t *slot) {
    int32_t fresh = take_block(kv);
    size_t size = 2 * half_block(kv) * number_size(kv);
    for (size_t head = 0; head < kv->layers * kv->kv_heads; head++) {
        char *blocks = (char *)kv->numbers + head * kv->blocks * size;
        memcpy(blocks + (size_t)fresh * size, blocks + (size_t)*slot * size, size);
    }
    leave_block(kv, *slot);
    *slot = fresh;
}

bool kv_extend(KvCache *kv, size_t sequence, size_t length) {
    REQUIRE(sequence < kv->sequences, "sequence %zu of %zu", sequence, kv->sequences);
    size_t have = blocks_for(kv->length[sequence]), want = blocks_for(length);
    int32_t *table = kv->table + sequence * kv->blocks_each;
    if (length <= kv->length[sequence]) return true;
    bool shared = kv->length[sequence] % KV_BLOCK && kv->users[table[have - 1]] > 1;
    if (want > kv->blocks_each || want - have + shared > kv->free_count) return false;
    if (shared) own_block(kv, &table[have - 1]);
    for (size_t i = have; i < want; i++) table[i] = take_block(kv);
    kv->length[sequence] = length;
    return true;
}

void kv_truncate(KvCache *kv, size_t sequence, size_t length) {
    REQUIRE(sequence < kv->sequences, "sequence %zu of %zu", sequence, kv->sequences);
    if (length >= kv->length[sequence]) return;
    for (size_t i = blocks_for(kv->length[sequence]); i > blocks_for(length); i--)
        leave_block(kv, kv->table[sequence * kv->blocks_each + i - 1]);
    kv->length[sequence] = length;
}

void kv_fork(KvCache *kv, size_t to, size_t from) {
    if (to == from) return;
    kv_truncate(kv, to, 0);
    for (size_t i = 0; i < blocks_for(kv->length[from]); i++) {
        int32_t block = kv->table[from * kv->blocks_each + i];
        kv->table[to * kv->blocks_each + i] = block;
        kv->users[block]++;
    }
    kv->length[to] = kv->length[from];
}

/* The first key of a head in the block of a position. */
static size_t block_at(const KvCache *kv, size_t layer, size_t sequence, size_t head,
                       size_t position) {
    REQUIRE(position < kv->length[sequence], "position %zu of %zu", position,
            kv->length[sequence]);
    size_t block = (size_t)kv->table[sequence * kv->blocks_each + position / KV_BLOCK];
    return ((layer * kv->kv_heads + head) * kv->blocks + block) * 2 * half_block(kv);
}

void *kv_key(const KvCache *kv, size_t layer, size_t sequence, size_t head, size_t position) {
    size_t place = position % KV_BLOCK, at = block_at(kv, layer, sequence, head, position) +
                                             place / STRIP * STRIP * kv->head_dim +
                                             place % STRIP;
    return (char *)kv->numbers + at * number_size(kv);
}

void *kv_value(const KvCache *kv, size_t layer, size_t sequence, size_t head, size_t position) {
    size_t at = block_at(kv, layer, sequence, head, position) + half_block(kv) +
                position % KV_BLOCK * STRIP;
    return (char *)kv->numbers + at * number_size(kv);
}

static void put(const KvCache *kv, void *numbers, size_t at, float x) {
    if (kv->dtype == DTYPE_F16)
        ((uint16_t *)numbers)[at] = f16_from_f32(x);
    else
        ((float *)numbers)[at] = x;
}

void kv_store(KvCache *kv, size_t layer, size_t sequence, size_t position, const float *k,
              const float *v) {
    for (size_t head = 0; head < kv->kv_heads; head++, k += kv->head_dim, v += kv->head_dim) {
        void *key = kv_key(kv, layer, sequence, head, position),
             *value = kv_value(kv, layer, sequence, head, position);
        for (size_t i = 0; i < kv->head_dim; i++) {
            put(kv, key, STRIP * i, k[i]);
            put(kv, value, i / STRIP * STRIP * KV_BLOCK + i % STRIP, v[i]);
        }
    }
}

void kv_weighted_sum(const KvCache *kv, float *y, size_t y_step, const float *a, size_t a_step,
                     size_t count, const void *x, size_t x_step, size_t rows, size_t n) {
    if (kv->dtype == DTYPE_F16)
        weighted_sum_f16(y, y_step, a, a_step, count, x, x_step, rows, n);
    else
        weighted_sum(y, y_step, a, a_step, count, x, x_step, rows, n);
}
