/* bind_text.c - heads for whole texts: pooling_type, dense_2 and dense_3, cls.  See
 * text_head.h.
 *
 * Source   llama.cpp (d8a24cc), llm_graph_context::build_pooling and build_dense_out. */
#include "families/parts.h"

static const char width[] = "embedding_length", labels[] = "classifier.output_labels";

static bool has_weight(const Binder *b, const char *name) {
    return gguf_find_tensor(&b->model->gguf, name);
}

void bind_types(Binder *b) {
    const GgufTensor *t = gguf_find_tensor(&b->model->gguf, "token_types.weight");
    size_t rows = t && t->ndim == 2 && t->shape[0] < 2 ? 1 : 2;
    b->model->extras->types = bind_tensor(b, "token_types.weight", false, 2,
                                          (size_t[]){rows, b->model->sizes.dim}, width);
}

/* Two maps of a vector, to another width and back. */
static void bind_dense(Binder *b, TextHead *h) {
    const size_t dim = b->model->sizes.dim;
    const GgufTensor *first = gguf_find_tensor(&b->model->gguf, "dense_2.weight");
    size_t wide = first && first->ndim == 2 ? first->shape[0] : dim;
    if (b->ok && !first != !has_weight(b, "dense_3.weight"))
        b->ok =
            fault_set(b->fault, "of the tensors 'dense_2.weight' and 'dense_3.weight' one is "
                                "missing: the vector of a text goes through both or neither");
    wide = key_size(b, "dense_2_feat_out", wide, 1, MAX_SIZE);
    key_size(b, "dense_2_feat_in", dim, dim, dim);
    key_size(b, "dense_3_feat_in", wide, wide, wide);
    key_size(b, "dense_3_feat_out", dim, dim, dim);
    h->dense[0] =
        bind_map(b, "dense_2", false, wide, dim, "dense_2_feat_out and embedding_length");
    h->dense[1] =
        bind_map(b, "dense_3", false, dim, wide, "dense_3_feat_in and embedding_length");
}

/* The file's labels, or one. */
static size_t count_labels(Binder *b) {
    const GgufPair *pair = find_key(b, labels);
    if (!pair) return 1;
    if (pair->type == GGUF_ARRAY && pair->item == GGUF_STRING && pair->count > 0 &&
        pair->count <= MAX_SIZE)
        return (size_t)pair->count;
    refuse_key(b, labels, "a list of names", "the file is badly written, convert it again");
    return 1;
}

/* Three forms: cls.output; cls and cls.output; cls alone. */
static void bind_scores(Binder *b, TextHead *h) {
    const Quirks *q = quirks_in(b);
    const size_t dim = b->model->sizes.dim;
    bool output = has_weight(b, "cls.output.weight"), hidden = has_weight(b, "cls.weight");
    if (!output && !hidden) return;
    h->labels = count_labels(b);
    h->gelu = q->rank_gelu, h->softmax = q->rank_softmax;
    h->rank_row = q->rank_mean ? POOLING_MEAN : q->vectors ? POOLING_CLS : POOLING_LAST;
    h->hidden =
        bind_map(b, "cls", false, output ? dim : h->labels, dim, output ? width : labels);
    if (hidden && output) h->norm = bind_norm(b, "cls.norm", false, 1, dim, width);
    h->scores = bind_map(b, "cls.output", false, h->labels, dim, labels);
}

void bind_text_head(Binder *b) {
    const Quirks *q = quirks_in(b);
    TextHead *h = &b->model->extras->text_head;
    *h = (TextHead){0};
    if (q->dense) bind_dense(b, h);
    if (q->ranks) bind_scores(b, h);
    Pooling usual = h->labels ? POOLING_RANK : q->vectors ? POOLING_MEAN : POOLING_NONE;
    h->pooling = (Pooling)key_size(b, "pooling_type", usual, 0, POOLING_RANK);
    if (b->ok && h->pooling == POOLING_RANK && !h->labels)
        refuse_key(b, "pooling_type", "0 to 3", "the file has no head that scores a text");
}

bool model_writes(const Model *m) {
    return m->head.w.data && model_extras(m)->text_head.pooling == POOLING_NONE;
}
