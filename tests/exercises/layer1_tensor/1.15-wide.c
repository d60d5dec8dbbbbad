/* right: a bound in floating point first, then the product; the sum of all bytes before a tensor is where it lies */
static bool read_shape(SafeTensor *t, const JsonValue *shape, size_t room, Fault *fault) {
    double bound = (double)types[t->type].bytes;
    uint64_t extents[SAFE_MAX_DIMS], count = types[t->type].bytes;
    bool none = false;
    if (!shape || shape->kind != JSON_ARRAY) return refuse(t, "has no shape", fault);
    if (shape->count > SAFE_MAX_DIMS) return refuse(t, "has too many dimensions", fault);
    for (size_t i = 0; i < shape->count; i++) {
        if (!read_whole(&shape->items[i], &extents[i])) return refuse(t, "has no shape", fault);
        none = none || extents[i] == 0;
        bound *= (double)extents[i];
    }
    if (!none && bound > (double)room + 1e6) return refuse(t, "is too large", fault);
    t->ndim = 0;
    for (size_t i = 0; i < shape->count; i++)
        t->shape[t->ndim++] = (size_t)extents[i], count = none ? 0 : count * extents[i];
    t->bytes = (size_t)count;
    return t->bytes <= room || refuse(t, "is too large", fault);
}

static bool read_place(SafeTensor *t, const JsonValue *place, const unsigned char *data,
                       size_t room, Fault *fault) {
    uint64_t begin, end;
    if (!place || place->kind != JSON_ARRAY || place->count != 2 ||
        !read_whole(place->items, &begin) || !read_whole(place->items + 1, &end))
        return refuse(t, "has no place", fault);
    if (end > room || begin > room || begin + t->bytes != end)
        return refuse(t, "has another place than its shape", fault);
    return t->data = data + begin, true;
}

static bool check_cover(const Safetensors *s, const unsigned char *data, size_t room,
                        Fault *fault) {
    size_t sum = 0;
    for (size_t i = 0; i < s->n_tensors; sum += s->tensors[i++].bytes)
        if ((size_t)(s->tensors[i].data - data) != sum)
            return refuse(&s->tensors[i], "overlaps another, or leaves a gap", fault);
    return sum == room || fault_set(fault, "%zu bytes belong to no tensor", room - sum);
}
