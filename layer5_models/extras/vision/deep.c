/* deep.c - DeepStack: rows of several blocks for several layers of the language model.  See
 * parts.h.
 *
 *     vision tower      block 5    block 11   block 17    the last block
 *                          |          |          |              |
 *     projectors           |          |          |              |
 *                          v          v          v              v
 *     language model    behind     behind     behind       in place of
 *                       layer 0    layer 1    layer 2      a token
 *
 * A row for the model has all of them, one after another: first what replaces the token.  The
 * model adds the others (families.h, session_lend).
 *
 * Source   Meng et al. 2024, arXiv:2406.04334 (DeepStack); llama.cpp (d8a24cc),
 *          tools/mtmd/models/qwen3vl.cpp, for the names in files */
#include "vision/parts.h"

#include <stdio.h>
#include <string.h>

static bool has_deep(Binder *b, size_t block) {
    char name[64];
    snprintf(name, sizeof name, "v.deepstack.%zu.fc1.weight", block);
    return gguf_find_tensor(&b->model->gguf, name) != NULL;
}

/* The key says of each block whether its rows are taken, and the tensors say it, too. */
static bool check_deep(Binder *b, size_t blocks) {
    const GgufPair *said = find_key(b, "is_deepstack_layers");
    int64_t flag = 0;
    bool ok = !said || (said->type == GGUF_ARRAY && said->count == blocks);
    for (size_t l = 0; said && ok && l < blocks; l++)
        ok = gguf_int(said, l, &flag) && (flag != 0) == has_deep(b, l);
    if (!ok)
        refuse_key(b, "is_deepstack_layers",
                   "one flag for each block, true where v.deepstack.N has tensors",
                   "it is about the same blocks");
    return ok;
}

void bind_deep(Binder *b) {
    VisionTower *s = &extras_of(b)->vision;
    const size_t blocks = b->model->sizes.layers, in = s->side * s->side * b->model->sizes.dim;
    const char *from = "clip.vision.embedding_length and the patches of a row";
    char name[64];
    s->n_deep = 0; /* tensors are bound once to measure, and once more */
    if (!b->ok || !check_deep(b, blocks)) return;
    for (size_t l = 0; l < blocks && b->ok; l++) {
        if (!has_deep(b, l)) continue;
        if (s->n_deep == VISION_DEEP) {
            fault_set(b->fault, "rows of more than %d blocks go into the model", VISION_DEEP);
            b->ok = false;
            return;
        }
        VisionProjector *p = &s->deep[s->n_deep];
        s->deep_taps[s->n_deep++] = l + 1;
        snprintf(name, sizeof name, "v.deepstack.%zu.norm", l);
        p->norm = bind_norm(b, name, true, 1, in, from);
        snprintf(name, sizeof name, "v.deepstack.%zu.fc1", l);
        const size_t mid = width_in_file(b, name, false);
        p->maps[0] = bind_map(b, name, true, mid, in, from);
        snprintf(name, sizeof name, "v.deepstack.%zu.fc2", l);
        p->maps[1] = bind_map(b, name, true, s->text, mid, "the projector's rows");
    }
    s->width = s->text * (1 + s->n_deep);
}

/* Rows (n, text) become part `k` of rows (n, width). */
static void put_part(const VisionTower *s, const float *part, size_t n, size_t k, float *out) {
    for (size_t i = n; i-- > 0;)
        memmove(out + i * s->width + k * s->text, part + i * s->text, s->text * sizeof *out);
}

void deep_project(Vision *v, float *out) {
    const VisionTower *s = &v->model.extras->vision;
    const size_t n = v->down * v->across / (s->side * s->side), dim = v->model.sizes.dim;
    put_part(s, out, n, 0, out); /* from the last row on: none is written over unread */
    for (size_t k = 0; k < s->n_deep; k++) {
        project_patches(v, &s->deep[k], v->deep + k * dim, s->n_deep * dim, v->part);
        put_part(s, v->part, n, k + 1, out);
    }
}
