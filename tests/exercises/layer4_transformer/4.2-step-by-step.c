/* right: the beginning walks forward until the key is seen */
Range mask_range(Mask mask, size_t query, size_t length) {
    Range r = {0, length};
    if (!mask.causal) return both_ways(mask, query, r.end);
    r.end = query + 1;
    while ((mask.window && query - r.begin >= mask.window) ||
           (mask.chunk && r.begin / mask.chunk != query / mask.chunk))
        r.begin++;
    return r;
}
