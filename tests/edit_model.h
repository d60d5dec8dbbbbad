/* edit_model.h - the same model file with one thing said differently. */
#ifndef STRATA_EDIT_MODEL_H
#define STRATA_EDIT_MODEL_H

#include "make_model.h"

/* A key or a tensor to put in, in place of the one of that name if there is one. */
typedef struct Edit {
    const char *key; /* NULL: a tensor */
    GgufType
        type; /* GGUF_ARRAY: `count` items, all `text` or `number`; GGUF_TYPES: take it out */
    double number;
    const char *text;
    size_t count;
    const char *tensor;
    size_t shape[3]; /* f32 ones; shape[0] 0: take the tensor out */
} Edit;

static inline void put_edited_key(GgufWriter *w, const Edit *e) {
    int64_t items[64];
    Text texts[64];
    for (size_t i = 0; i < e->count && i < 64; i++)
        items[i] = (int64_t)e->number, texts[i] = text_of(e->text ? e->text : "");
    if (e->type == GGUF_STRING)
        gguf_put_string(w, e->key, text_of(e->text));
    else if (e->type == GGUF_ARRAY && e->text)
        gguf_put_strings(w, e->key, texts, e->count);
    else if (e->type == GGUF_ARRAY)
        gguf_put_ints(w, e->key, e->number < 0 ? GGUF_I32 : GGUF_U32, items, e->count);
    else if (e->type == GGUF_F32 || e->type == GGUF_F64)
        gguf_put_float(w, e->key, e->type, e->number);
    else if (e->type != GGUF_TYPES)
        gguf_put_int(w, e->key, e->type, (int64_t)e->number);
}

static inline void put_edited_tensor(GgufWriter *w, const Edit *e) {
    enum { MOST = 1 << 15 };
    static float ones[MOST];
    int ndim = e->shape[2] ? 3 : e->shape[1] ? 2 : 1;
    if (e->shape[0] == 0) return;
    for (size_t i = 0; i < MOST; i++) ones[i] = 1;
    Tensor t = tensor_view(DTYPE_F32, ndim, e->shape, ones);
    assert_true(tensor_count(&t) <= MOST);
    gguf_put_tensor(w, e->tensor, &t);
}

/* The file with edits; the caller frees it. */
static inline unsigned char *edit_model(const unsigned char *bytes, size_t size,
                                        const Edit *edit, size_t *new_size) {
    Gguf g;
    unsigned char *out = NULL;
    char name[100];
    if (!gguf_parse(&g, bytes, size, NULL)) return NULL;
    GgufWriter *w = gguf_writer_open(NULL);
    for (size_t i = 0; i < g.n_pairs; i++)
        if (!edit->key || !text_equal(g.pairs[i].key, text_of(edit->key)))
            gguf_put_pair(w, &g.pairs[i]);
    if (edit->key) put_edited_key(w, edit);
    for (size_t i = 0; i < g.n_tensors; i++) {
        Tensor t = gguf_tensor_view(&g.tensors[i]);
        snprintf(name, sizeof name, "%.*s", (int)g.tensors[i].name.size,
                 g.tensors[i].name.data);
        if (!edit->tensor || strcmp(name, edit->tensor) != 0) gguf_put_tensor(w, name, &t);
    }
    if (edit->tensor) put_edited_tensor(w, edit);
    if (!gguf_write_memory(w, &out, new_size, NULL)) out = NULL;
    gguf_writer_close(w);
    gguf_free(&g);
    return out;
}

#endif
