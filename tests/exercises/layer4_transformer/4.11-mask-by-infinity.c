/* right: what is not seen has the score -infinity, and the softmax makes 0 of it */
static void probabilities(const AttentionShape *shape, const QueryTile *b, Matrix q, Matrix k) {
    for (size_t i = 0; i < b->rows; i++) {
        Range seen = mask_range(shape->mask, b->first + i, b->length);
        float *row = b->p + i * b->keys, slope = attention_slope(shape, b->head);
        for (size_t j = 0; j < b->keys; j++) {
            float dot =
                dot_f32(q.data + i * q.row, k.data + j * k.row, shape->head_dim) * shape->scale;
            bool visible = j >= seen.begin && j < seen.end;
            row[j] = visible ? attention_score(shape, dot, slope, b->first + i, j) : -INFINITY;
        }
        softmax(row, row, b->keys);
    }
}
