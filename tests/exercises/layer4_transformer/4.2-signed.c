/* right: with signed numbers and maxima */
static long most(long a, long b) { return a > b ? a : b; }

Range mask_range(Mask mask, size_t query, size_t length) {
    if (!mask.causal) return both_ways(mask, query, length);
    long begin = 0, i = (long)query;
    if (mask.window) begin = most(begin, i - (long)mask.window + 1);
    if (mask.chunk) begin = most(begin, i - i % (long)mask.chunk);
    return (Range){(size_t)begin, query + 1};
}
