/* biases.c - a bias of a map or norm is in all blocks of a file, or in none.  Draft heads come
 * after the blocks, and may differ. */
#include "families/parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A number of the file, without marking its key as read. */
static size_t number_of(const Binder *b, const char *key) {
    char name[96];
    int64_t value = 0;
    snprintf(name, sizeof name, "%s.%s", b->model->recipe->arch, key);
    const GgufPair *pair = gguf_find(&b->model->gguf, name);
    return pair && gguf_int(pair, 0, &value) && value > 0 ? (size_t)value : 0;
}

/* A tensor "blk.3.attn_q.bias", or ".weight". */
typedef struct Part {
    Text owner; /* "attn_q" */
    size_t layer;
    bool bias;
} Part;

static bool read_part(const GgufTensor *t, Part *part) {
    char name[96];
    int begin = 0;
    const int size = (int)min_size(t->name.size, sizeof name - 1);
    snprintf(name, sizeof name, "%.*s", size, t->name.data);
    if (sscanf(name, "blk.%zu.%n", &part->layer, &begin) != 1 || !begin) return false;
    const char *end = strrchr(name + begin, '.');
    if (!end || (strcmp(end, ".bias") != 0 && strcmp(end, ".weight") != 0)) return false;
    part->owner = (Text){t->name.data + begin, (size_t)(end - name - begin)};
    part->bias = end[1] == 'b';
    return true;
}

/* By owner, then by layer; the weight before its bias. */
static int compare_parts(const void *a, const void *b) {
    const Part *x = a, *y = b;
    const int order =
        memcmp(x->owner.data, y->owner.data, min_size(x->owner.size, y->owner.size));
    if (order || x->owner.size != y->owner.size)
        return order ? order : x->owner.size < y->owner.size ? -1 : 1;
    if (x->layer != y->layer) return x->layer < y->layer ? -1 : 1;
    return (int)x->bias - (int)y->bias;
}

/* The parts of one owner, in order: if one has a bias, all have. */
static bool check_owner(const Part *parts, size_t count, Fault *fault) {
    const Part *with = NULL, *without = NULL;
    for (size_t i = 0; i < count; i++) {
        const bool biased = i + 1 < count && parts[i + 1].bias;
        if (parts[i].bias) continue;
        if (biased && !with) with = &parts[i];
        if (!biased && !without) without = &parts[i];
    }
    const int size = (int)min_size(60, parts->owner.size);
    return !with || !without ||
           fault_set(fault,
                     "tensor 'blk.%zu.%.*s.bias' is missing, or 'blk.%zu.%.*s.bias' is one too "
                     "many: all blocks have a bias there, or none",
                     without->layer, size, parts->owner.data, with->layer, size,
                     parts->owner.data);
}

bool check_biases(Binder *b) {
    const Gguf *g = &b->model->gguf;
    const size_t all = number_of(b, "block_count"),
                 blocks = all - min_size(all, number_of(b, "nextn_predict_layers"));
    Part *parts = malloc((g->n_tensors + 1) * sizeof *parts);
    size_t count = 0;
    if (!parts) return b->ok = fault_set(b->fault, "no memory for a model's tensors");
    for (size_t i = 0; i < g->n_tensors; i++)
        count += read_part(&g->tensors[i], &parts[count]) && parts[count].layer < blocks;
    qsort(parts, count, sizeof *parts, compare_parts);
    for (size_t i = 0, end; i < count && b->ok; i = end) {
        for (end = i + 1; end < count && text_equal(parts[end].owner, parts[i].owner);) end++;
        b->ok = check_owner(parts + i, end - i, b->fault);
    }
    free(parts);
    return b->ok;
}
