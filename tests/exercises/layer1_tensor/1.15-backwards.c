/* right: the product divided away from what there is room for, and the cover walked from its end */
static bool read_shape(SafeTensor *t, const JsonValue *shape, size_t room, Fault *fault) {
    if (shape == NULL || shape->kind != JSON_ARRAY || shape->count > SAFE_MAX_DIMS)
        return fault_set(fault, "a tensor without a shape");
    t->ndim = (int)shape->count;
    bool empty = false;
    for (int i = 0; i < t->ndim; i++) {
        uint64_t extent = 0;
        if (!read_whole(shape->items + i, &extent))
            return fault_set(fault, "a shape that is none");
        t->shape[i] = (size_t)extent;
        empty |= extent == 0;
    }
    size_t left = room / types[t->type].bytes, bytes = types[t->type].bytes;
    for (int i = 0; i < t->ndim && !empty; i++) {
        if (t->shape[i] > left) return fault_set(fault, "a tensor larger than the file");
        left /= t->shape[i], bytes *= t->shape[i];
    }
    t->bytes = empty ? 0 : bytes;
    return true;
}

static bool read_place(SafeTensor *t, const JsonValue *place, const unsigned char *data,
                       size_t room, Fault *fault) {
    uint64_t ends[2] = {0, 0};
    bool ok = place && place->kind == JSON_ARRAY && place->count == 2;
    for (size_t i = 0; ok && i < 2; i++) ok = read_whole(&place->items[i], &ends[i]);
    ok = ok && ends[1] <= room && ends[0] <= ends[1] && ends[1] == ends[0] + t->bytes;
    t->data = data + (ok ? ends[0] : 0);
    return ok || fault_set(fault, "a tensor with a place that is none");
}

static bool check_cover(const Safetensors *s, const unsigned char *data, size_t room,
                        Fault *fault) {
    const unsigned char *end = data + room;
    for (size_t i = s->n_tensors; i > 0; i--) {
        const SafeTensor *t = &s->tensors[i - 1];
        if (t->data + t->bytes != end)
            return refuse(t, "does not end where the next begins", fault);
        end = t->data;
    }
    return end == data || fault_set(fault, "the file does not begin with a tensor");
}
