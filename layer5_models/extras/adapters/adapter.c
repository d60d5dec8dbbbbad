/* adapter.c - see adapter.h. */
#include "parts.h"
#include "families.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

Pair *lora_pair(Lora *lora, const char *name, Fault *fault) {
    for (size_t i = lora->n_pairs; i-- > 0;)
        if (strcmp(lora->pairs[i].name, name) == 0) return &lora->pairs[i];
    if (!GROW(lora->pairs, lora->room, lora->n_pairs + 1))
        return fault_set(fault, "no memory for %zu matrices", lora->n_pairs + 1), NULL;
    Pair *pair = &lora->pairs[lora->n_pairs++];
    *pair = (Pair){0};
    snprintf(pair->name, sizeof pair->name, "%s", name);
    return pair;
}

static void lora_free(Lora *lora) {
    for (size_t i = 0; i < lora->n_pairs; i++) free(lora->pairs[i].a), free(lora->pairs[i].b);
    free(lora->pairs);
}

/* ------------------------------------------------------------------ on a model */

/* A model's adapters: the maps they act on, and their numbers. */
struct AdapterParts {
    LowRank low_rank;
    float *numbers; /* owns; NULL: another part's */
    struct AdapterParts *next;
};

static void drop_adapters(Model *model) {
    while (model->adapters) {
        struct AdapterParts *part = model->adapters;
        model->adapters = part->next;
        free(part->numbers), free(part);
    }
}

/* Add an adapter to a map; the model owns its numbers. */
static bool adapter_add_part(Model *m, Linear *map, LowRank low_rank, float *numbers,
                             Fault *fault) {
    struct AdapterParts *part = calloc(1, sizeof *part);
    if (!part) return fault_set(fault, "no memory for an adapter");
    low_rank.next = map->adapters;
    *part = (struct AdapterParts){low_rank, numbers, m->adapters};
    m->adapters = part, m->drop_adapters = drop_adapters;
    map->adapters = &part->low_rank;
    return true;
}

/* The maps that a name stands for: one, or several that the file fuses. */
typedef struct Maps {
    Linear *maps[3];
    size_t count;
} Maps;

static void add_role(Maps *maps, Block *block, RoleId id) {
    Linear *map = role_in(role_of(id), block);
    if (map && map->w.data) maps->maps[maps->count++] = map;
}

static Maps maps_in_block(const Model *m, Block *block, const char *name) {
    Maps maps = {0};
    if (strcmp(name, "attn_qkv") == 0) { /* attention's, or a delta net's */
        for (RoleId id = ROLE_ATTN_Q; id <= ROLE_ATTN_V; id++) add_role(&maps, block, id);
        if (maps.count) return maps;
        for (RoleId id = ROLE_DELTA_Q; id <= ROLE_DELTA_V; id++) add_role(&maps, block, id);
        return maps;
    }
    if (strcmp(name, "ffn_up") == 0 && m->recipe->gate_in_up)
        add_role(&maps, block, ROLE_FFN_GATE), add_role(&maps, block, ROLE_FFN_UP);
    else
        for (RoleId id = 0; id < role_count(); id++)
            if (role_of(id)->kind == ROLE_LINEAR && !role_of(id)->count &&
                strcmp(role_of(id)->name, name) == 0)
                add_role(&maps, block, id);
    return maps;
}

static Maps maps_of(Model *m, const char *name) {
    Maps maps = {0};
    size_t layer;
    int used = 0;
    if (strcmp(name, "output") == 0) return maps.maps[maps.count++] = &m->head, maps;
    if (sscanf(name, "blk.%zu.%n", &layer, &used) != 1 || !used || layer >= m->sizes.layers)
        return maps;
    return maps_in_block(m, &m->blocks[layer], name + used);
}

/* Do this map's rows belong to the batch's tokens, one by one? */
static bool adapter_has_tokens_rows(const Model *m, const Linear *map) {
    if (model_extras(m)->encoder) return false;
    if (map == &m->head) return true;
    for (const Block *b = m->blocks; b < m->blocks + m->sizes.layers; b++) {
        const Attention *a = &b->attention;
        const Network *net = &b->ffn.net;
        if (map == &a->q || map == &a->k || map == &a->v || map == &a->o)
            return b->mixer[0] == &attention_part;
        if (map == &net->up || map == &net->gate || map == &net->down)
            return b->network == &dense_part;
    }
    return false;
}

static bool adapter_check_rows(const Model *m, const Pair *p, const Maps *maps, Fault *fault) {
    for (size_t i = 0; i < maps->count; i++)
        if (!adapter_has_tokens_rows(m, maps->maps[i]))
            return fault_set(fault,
                             "'%s' of a %s model cannot be adapted for single texts: wanted "
                             "matrices of attention, a dense network or the head",
                             p->name, m->recipe->arch);
    return true;
}

static bool check_pair(const Pair *p, const Maps *maps, size_t rank, Fault *fault) {
    size_t out = 0, in = maps->count ? maps->maps[0]->w.shape[1] : 0;
    for (size_t i = 0; i < maps->count; i++) out += maps->maps[i]->w.shape[0];
    if (!maps->count)
        return fault_set(fault, "the model has no matrix '%s' that an adapter could act on",
                         p->name);
    if (!p->a || !p->b)
        return fault_set(fault, "'%s' has only one of its two matrices", p->name);
    if (p->rank_a != p->rank_b || p->rank_a < 1 || p->rank_a > LOW_RANK_MAX)
        return fault_set(fault, "'%s' has ranks %zu and %zu, wanted the same from 1 to %d",
                         p->name, p->rank_a, p->rank_b, LOW_RANK_MAX);
    if (rank && p->rank_a != rank)
        return fault_set(fault, "'%s' has rank %zu, and adapter_config.json an r of %zu",
                         p->name, p->rank_a, rank);
    return (p->in == in && p->out == out) ||
           fault_set(fault, "'%s' is for a matrix (%zu, %zu), and the model's is (%zu, %zu)",
                     p->name, p->out, p->in, out, in);
}

/* A and B in one array; the caller frees it. */
static float *adapter_join(const Pair *p, Fault *fault) {
    size_t a = p->rank_a * p->in, b = p->out * p->rank_a;
    float *numbers = malloc((a + b) * sizeof *numbers);
    if (!numbers) return fault_set(fault, "no memory for '%s'", p->name), NULL;
    memcpy(numbers, p->a, a * sizeof *numbers);
    memcpy(numbers + a, p->b, b * sizeof *numbers);
    return numbers;
}

/* B's rows belong to the maps in order; all share A.
 *
 *   rows   NULL: on all rows */
static bool apply_pair(Model *m, const Lora *lora, const Pair *p, double strength,
                       const AdapterRows *rows, Fault *fault) {
    Maps maps = maps_of(m, p->name);
    if (!check_pair(p, &maps, lora->rank, fault) ||
        (rows && !adapter_check_rows(m, p, &maps, fault)))
        return false;
    double rank = (double)p->rank_a, alpha = lora->alpha != 0 ? lora->alpha : rank;
    LowRank part = {.rank = p->rank_a, .in = p->in};
    part.scale = (float)(strength * alpha / (lora->by_root ? sqrt(rank) : rank));
    float *numbers = adapter_join(p, fault);
    if (!numbers) return false;
    part.a = numbers, part.b = numbers + p->rank_a * p->in;
    for (size_t i = 0; i < maps.count; i++) {
        part.out = maps.maps[i]->w.shape[0];
        if (rows) part.rows = maps.maps[i] == &m->head ? &rows->wanted : &rows->tokens;
        if (!adapter_add_part(m, maps.maps[i], part, i ? NULL : numbers, fault))
            return i ? false : (free(numbers), false);
        part.b += part.out * part.rank;
    }
    return true;
}

static bool adapter_apply(Model *model, const char *path, double strength,
                          const AdapterRows *rows, Fault *fault) {
    Lora lora = {0};
    struct stat info;
    bool folder = stat(path, &info) == 0 && S_ISDIR(info.st_mode),
         read = folder ? lora_read_folder(&lora, model, path, fault)
                       : lora_read_gguf(&lora, model, path, fault),
         ok = read && (lora.n_pairs || fault_set(fault, "there is no matrix in it"));
    for (size_t i = 0; ok && i < lora.n_pairs; i++)
        ok = apply_pair(model, &lora, &lora.pairs[i], strength, rows, fault);
    lora_free(&lora);
    return ok || (read && fault_prefix(fault, path));
}

bool model_adapt(Model *model, const char *path, double strength, Fault *fault) {
    return adapter_apply(model, path, strength, NULL, fault);
}

bool model_adapt_rows(Model *model, const char *path, const AdapterRows *rows, Fault *fault) {
    return adapter_apply(model, path, 1, rows, fault);
}
