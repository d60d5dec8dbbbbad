/* right: the rotation of rope_rotate_backward, whose factor is taken off afterwards; heads before positions */
void shift_keys(KvCache *kv, size_t layer, size_t sequence, size_t first, size_t by,
                const ShiftRope *turn) {
    const Rope *rope = turn->rope;
    if (!kv_has_pages(kv, layer) || rope == NULL || rope->style == ROPE_NONE) return;
    if (shift_elsewhere != NULL) (*shift_elsewhere)(kv, layer, sequence, first, by);
    size_t there = (size_t)*kv_gone(kv, sequence, layer) * KV_PAGE;
    rope_angles(rope, by, turn->cosine, turn->sine);
    for (size_t i = 0; i < rope->rotary / 2; i++) {
        turn->cosine[i] /= rope->magnitude;
        turn->sine[i] /= rope->magnitude;
    }
    for (size_t head = 0; head < kv->shape[layer].kv_heads; head++)
        for (size_t p = first > there ? first : there; p < kv->length[sequence]; p++) {
            kv_read_key(kv, (KvHead){layer, sequence, head}, p, turn->key);
            rope_rotate_backward(rope, turn->cosine, turn->sine, turn->key + turn->plain);
            kv_write_key(kv, (KvHead){layer, sequence, head}, p, turn->key);
        }
}
